import Foundation
import TestSupport

@testable import ULSLog
@testable import ULSRows

/// A folder of logs, its follower, and a simulated clock.
final class Following {
    let folder: TemporaryFolder
    var follower: LogFollower
    var now = Duration.zero

    init(
        _ folder: TemporaryFolder,
        _ names: [String] = [""],
        last: Int = 0,
        around reach: ContextReach = ContextReach(),
        _ change: (inout LogReader) -> Void = { _ in }
    ) throws {
        self.folder = folder
        var reader = LogReader(inputs: names.map { folder.path($0) })
        reader.sizes.pieceBytes = 512
        change(&reader)
        follower = try LogFollower(reader, last: last, around: reach)
    }

    /// Follows the file `a.log`, with this text, in its own folder, and has already read the text.
    convenience init(reading text: String, _ names: [String] = [""]) throws {
        let folder = try TemporaryFolder()
        try Self.write(text, to: folder.path("a.log"))
        try self.init(folder, names)
        _ = try look()
    }

    var path: String { folder.path("a.log") }

    /// Returns the events of one check, after this interval.
    func look(after time: Duration = .milliseconds(10)) throws -> [ULSEvent] {
        now += time
        var events: [ULSEvent] = []
        while try follower.look(at: now, relists: true, { event, _ in events.append(copy event) }) {}
        return events
    }

    func messages(after time: Duration = .milliseconds(10)) throws -> [String] {
        try look(after: time).map { $0.text(.message) }
    }

    /// Returns the messages delivered immediately, and those delivered after a period without new rows.
    func settled() throws -> [String] { try messages() + messages(after: .seconds(3)) }

    func finish() throws -> (messages: [String], report: ReadReport) {
        var messages: [String] = []
        let report = try follower.finish { event, _ in messages.append(event.text(.message)) }
        return (messages, report)
    }
}

extension Following {
    static func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    static func append(_ text: some Sequence<UInt8>, to path: String) throws {
        if !FileManager.default.fileExists(atPath: path) { try write("", to: path) }
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        defer { try? file.close() }
        try file.seekToEnd()
        try file.write(contentsOf: Data(text))
    }

    static func append(_ text: String, to path: String) throws { try append(text.utf8, to: path) }
}

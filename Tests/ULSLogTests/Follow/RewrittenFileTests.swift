import Foundation
import TestSupport
import Testing

@testable import ULSLog
@testable import ULSRows

/// Files that are truncated and filled again while they are followed, as by `copytruncate`.
struct RewrittenFileTests {
    private static let note =
        "it was truncated or rewritten while it was followed, and was read again from its beginning; rows may be missing"

    /// Returns a row with a unique time and number.
    private static func numbered(_ number: Int, padding: Int = 0) -> String {
        let (second, hundredth) = (number / 100 % 60, number % 100)
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return row("n\(number)" + String(repeating: ".-", count: padding)) {
            $0.time = "09/26/2011 10:39:\(two(second)).\(two(hundredth))"
        }
    }

    @Test(arguments: [0, 1, 5, 40])
    func `A file that was truncated and filled beyond its old length is read from its beginning`(more: Int) throws {
        let following = try Following(reading: nativeHeader + (0..<20).map { Self.numbered($0) }.joined(), ["a.log"])
        let path = following.path
        try Following.append(Self.numbered(20), to: path)
        #expect(try following.settled() == ["n20"])
        truncate(path, 0)
        try Following.append(nativeHeader + (100..<121 + more).map { Self.numbered($0) }.joined(), to: path)
        let shown = try following.settled()
        #expect(shown.first == "n100")
        #expect(shown.count == 21 + more)
        try Following.append(Self.numbered(7), to: path)
        #expect(try following.settled() == ["n7"])
        let report = try following.finish().report
        #expect(report.files.map(\.notes) == [[Self.note]])
        #expect(report.files.map(\.isIncomplete) == [true])
        #expect(report.quality.balances)
    }

    @Test func `A row that was incomplete before truncation is not joined with new rows`() throws {
        let following = try Following(reading: nativeHeader, ["a.log"])
        let path = following.path
        try Following.append(Self.numbered(1) + Self.numbered(2).dropLast(9), to: path)
        #expect(try following.settled() == ["n1"])
        truncate(path, 0)
        try Following.append(nativeHeader + (3..<9).map { Self.numbered($0) }.joined(), to: path)
        #expect(try following.settled() == (3..<9).map { "n\($0)" })
        #expect(try following.finish().report.quality.balances)
    }

    @Test func `An idle file that was closed is read from its beginning if it was rewritten`() throws {
        let folder = try TemporaryFolder()
        func path(_ number: Int) -> String { folder.path("A-20110926-\(1000 + number).log") }
        for number in 0..<70 { try Following.write(nativeHeader + Self.numbered(number), to: path(number)) }
        let following = try Following(folder)
        _ = try following.look()
        // The file is rewritten at once with the same length, so only its modification time shows the change.
        try Following.write(nativeHeader + Self.numbered(80), to: path(3))
        utimes(path(3), [timeval(tv_sec: 7, tv_usec: 0), timeval(tv_sec: 7, tv_usec: 0)])
        #expect(try following.settled() == ["n80"])
        #expect(try following.finish().report.files.first { $0.name == path(3) }?.notes == [Self.note])
    }

    @Test func `A file that is renamed and then rewritten is also read from its beginning`() throws {
        let following = try Following(reading: nativeHeader + Self.numbered(1), ["a.log"])
        let path = following.path
        try Following.append(Self.numbered(2), to: path)
        #expect(try following.settled() == ["n2"])
        let old = following.folder.path("old")
        rename(path, old)
        #expect(try following.settled() == [])
        truncate(old, 0)
        try Following.append(nativeHeader + (3..<9).map { Self.numbered($0) }.joined(), to: old)
        #expect(try following.settled() == (3..<9).map { "n\($0)" })
    }

    @Test func `A UTF-16 file that is rewritten is read in its new encoding`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.log")
        let old = nativeHeader + (0..<4).map { Self.numbered($0) }.joined()
        try Following.append([0xFF, 0xFE] + old.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }, to: path)
        let following = try Following(folder, ["a.log"])
        _ = try following.look()
        truncate(path, 0)
        try Following.append("\u{FEFF}" + nativeHeader + (4..<20).map { Self.numbered($0) }.joined(), to: path)
        #expect(try following.settled() == (4..<20).map { "n\($0)" })
    }

    /// The rows that the follower should show, given the whole content at each check: those after the last row seen, or
    /// all of them if that row no longer exists.
    private struct Model {
        let copy: String
        var seen: [UInt8] = []
        var seenMessages: [String] = []
        var isRewritten = false

        mutating func look(at content: [UInt8]) throws -> [String] {
            var messages: [String] = []
            try Data(content).write(to: URL(filePath: copy))
            _ = try LogReader(inputs: [copy]).forEachEvent(in: .files) { messages.append($0.text(.message)) }
            let isGrown = content.starts(with: seen)
            if !isGrown { isRewritten = true }
            let expected = isGrown ? Array(messages.dropFirst(seenMessages.count)) : messages
            (seen, seenMessages) = (content, messages)
            return expected
        }
    }

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func `Each row appears once, complete and in order, even if the file is truncated between two polls`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        let path = folder.path("a.log")
        var number = 0
        func rows(_ count: Int) -> [[UInt8]] {
            (0..<count).map { _ in
                number += 1
                return Array(Self.numbered(number, padding: .random(in: 0...9, using: &random)).utf8)
            }
        }
        var content = [Array(nativeHeader.utf8)]
        func write() throws {
            // In place, as with a shell's `>` and `>>`.
            let file = try FileHandle(forUpdating: URL(filePath: path))
            defer { try? file.close() }
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: Data(content.joined()))
        }
        try Following.write(nativeHeader, to: path)
        let following = try Following(folder, ["a.log"])
        var model = Model(copy: folder.path("copy"))
        _ = try following.look()
        _ = try model.look(at: Array(content.joined()))
        for step in 0..<30 {
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                switch Int.random(in: 0..<5, using: &random) {
                case 0: content = [Array(nativeHeader.utf8)] + rows(.random(in: 0...12, using: &random))
                case 1: content = Array(content.prefix(.random(in: 0...content.count, using: &random)))
                default: content += rows(.random(in: 0...6, using: &random))
                }
            }
            try write()
            let expected = try model.look(at: Array(content.joined()))
            #expect(try following.settled() == expected, "seed \(seed), step \(step)")
        }
        let report = try following.finish().report
        #expect(report.quality.balances)
        #expect(report.files.contains { $0.notes == [Self.note] && $0.isIncomplete } == model.isRewritten)
    }
}

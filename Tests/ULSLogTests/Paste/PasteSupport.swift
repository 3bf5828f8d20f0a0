import Foundation

@testable import ULSLog

/// A paste as the reader read it.
struct ReadPaste {
    var records: [PastedRecord] = []
    var quality = PasteQuality()

    init(_ text: String, limits: PasteLimits = PasteLimits()) { self.init(bytes: Array(text.utf8), limits: limits) }

    init(bytes: [UInt8], limits: PasteLimits = PasteLimits()) {
        var reader = PasteReader(limits: limits)
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        for line in lines { reader.append(line: Array(line).span, into: &records) }
        quality = reader.finish(into: &records)
    }

    /// The only record; an empty one if there is not exactly one.
    var only: PastedRecord { records.count == 1 ? records[0] : PastedRecord(shape: .message, line: 0) }
}

extension PastedRecord {
    /// The nine columns as text.
    var columns: [String] {
        [time, process, thread, area, category, eventID, level, message, correlation]
            .map { String(decoding: $0, as: UTF8.self) }
    }

    var messageText: String { String(decoding: message, as: UTF8.self) }
    var correlationText: String { String(decoding: correlation, as: UTF8.self) }

    /// Event id and level, as the tables below have them.
    var summary: String {
        String(decoding: eventID, as: UTF8.self) + " " + String(decoding: level, as: UTF8.self)
    }
}

enum PasteFixtures {
    static func bytes(_ name: String) throws -> [UInt8] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return try [UInt8](Data(contentsOf: folder.appending(path: "Fixtures/\(name)")))
    }
}

enum PasteSamples {
    static let folder = ProcessInfo.processInfo.environment["FASTCTL_SAMPLES"]

    static func files() throws -> [String] {
        guard let folder else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasSuffix(".md") }.sorted()
    }

    static func bytes(_ name: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: URL(filePath: folder ?? "").appending(path: name)))
    }
}

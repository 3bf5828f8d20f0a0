import Foundation
import Testing

@testable import ULSLog
@testable import ULSRows

/// One way to read the same text.
struct LogReading: CustomStringConvertible {
    var piece = 4096
    var unit: Int64 = 1 << 20
    var jobs = 1
    var maximumRecord = LogLimit.rowBytes.maximum

    var description: String { "piece \(piece), unit \(unit), \(jobs) jobs, record \(maximumRecord)" }

    /// Returns a reader with these settings.
    func reader(_ inputs: [String]) -> LogReader {
        var reader = LogReader(inputs: inputs)
        reader.jobs = jobs
        reader.sizes.pieceBytes = piece
        reader.sizes.unitBytes = unit
        reader.sizes.unitsOfSummary = 1
        reader.sizes.maximumRecord = maximumRecord
        reader.sizes.sniffBytes = 64 << 10
        reader.sizes.minimumSectionedBytes = 2000
        return reader
    }

    /// Ways of reading that divide a text at many different places.
    static let all: [LogReading] = [
        LogReading(),
        LogReading(piece: 7, unit: 300),
        LogReading(piece: 64, unit: 300, jobs: 5),
        LogReading(piece: 64, unit: 4096, jobs: 2),
        LogReading(piece: 4096, unit: 300, jobs: 2),
        LogReading(piece: 4096, unit: 4096, jobs: 5),
        LogReading(piece: 7, unit: 1 << 20),
        LogReading(piece: 300, unit: 300, jobs: 2),
        LogReading(piece: 300, unit: 4096),
        LogReading(piece: 64 << 10, unit: 4096, jobs: 5),
    ]

    /// A selection of these ways; each seed selects different ones.
    static func some(_ seed: UInt64, _ count: Int) -> [LogReading] {
        (0..<count).map { all[(Int(truncatingIfNeeded: seed % 1000) * count + $0) % all.count] }
    }

    /// The slowest ways of reading.
    static let byteByByte = [LogReading(piece: 1, unit: 300, jobs: 2), LogReading(piece: 1)]
}

extension LogReader {
    /// Returns all events, and the report.
    func readEvents(in order: Order = .files) throws -> (events: [ModelEvent], report: ReadReport) {
        var events: [ModelEvent] = []
        var report = try forEachEvent(in: order) { events.append(ModelEvent($0)) }
        // The generator writes rows out of order, so at the border of a unit, a step back may or may not be visible.
        report.quality.clockSteps = 0
        return (events, report)
    }

    /// Returns a modified copy of this reader.
    func with(_ change: (inout LogReader) throws -> Void) rethrows -> LogReader {
        var reader = self
        try change(&reader)
        return reader
    }
}

/// A gzip file that stores bytes without compressing them.
enum StoredGzip {
    static func pack(_ bytes: [UInt8]) -> [UInt8] {
        var packed: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
        var start = 0
        repeat {
            let count = min(60_000, bytes.count - start)
            packed.append(start + count == bytes.count ? 1 : 0)
            packed += littleEndian(UInt16(count)) + littleEndian(~UInt16(count))
            packed += bytes[start..<start + count]
            start += count
        } while start < bytes.count
        return packed + littleEndian(checksum(bytes)) + littleEndian(UInt32(bytes.count))
    }

    private static func littleEndian(_ number: some FixedWidthInteger) -> [UInt8] {
        (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var sum = UInt32.max
        for byte in bytes { sum = table[Int((sum ^ UInt32(byte)) & 0xFF)] ^ (sum >> 8) }
        return ~sum
    }

    private static let table: [UInt32] = (0..<256).map { number in
        (0..<8).reduce(UInt32(number)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    }
}

/// The number of trials, and their seeds.
///
/// `FASTCTL_SEED` repeats a run; `FASTCTL_LOG_CASES` sets the number of logs for each property.
enum LogTrials {
    static let seed = environment("FASTCTL_SEED").flatMap(UInt64.init) ?? .random(in: 0...UInt64.max)

    static func count(_ usual: Int) -> Int {
        guard let cases = environment("FASTCTL_LOG_CASES").flatMap(Int.init) else { return usual }
        return max(1, usual * cases / 100)
    }

    /// Runs a body with one seed after another until it fails.
    static func run(_ count: Int, _ name: String, _ body: (UInt64) throws -> String?) throws {
        for number in 0..<UInt64(LogTrials.count(count)) {
            if let problem = try body(seed &+ number) {
                Issue.record("FASTCTL_SEED=\(seed &+ number): \(name): \(problem)")
                return
            }
        }
    }
}

/// Returns a description of the first difference between two lists; `nil` if there is none.
func difference(_ found: [ModelEvent], _ expected: [ModelEvent]) -> String? {
    guard found != expected else { return nil }
    for (index, pair) in zip(found, expected).enumerated() where pair.0 != pair.1 {
        return "event \(index): read \(pair.0), expected \(pair.1)"
    }
    return "\(found.count) events read, \(expected.count) expected"
}

private func environment(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

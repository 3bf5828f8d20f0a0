import TestSupport
import Testing

@testable import ULSLog
@testable import ULSRows

/// Merging by time returns every event once, keeps each file's order, and always gives the same result.
@Suite(.serialized) struct MergePropertyTests {
    @Test(.timeLimit(.minutes(10)))
    func `Merging loses and adds no event and keeps each file's order, for any number of jobs`() throws {
        try LogTrials.run(8, "merge") { seed in
            var random = SeededGenerator(seed: seed)
            let folder = try SourceFolder()
            var paths: [String] = []
            var expected: [String: [ModelEvent]] = [:]
            for number in 0..<Int.random(in: 1...7, using: &random) {
                let server = ["WFE1", "WFE2", "APP-3"].randomElement(using: &random) ?? ""
                let log = GeneratedLog(seed: seed &+ UInt64(number) &* 77, events: 5, server: server, cut: 100)
                let path = try folder.write("\(server)-20210304-10\(10 + number).log", log.bytes)
                paths.append(path)
                expected[path] = log.events(file: path)
            }
            let lanes = Dictionary(grouping: paths.sorted()) { LogFileName($0)?.server ?? "" }
            var first: [ModelEvent]?
            for (number, jobs) in [1, 2, 5].enumerated() {
                var reading = LogReading.some(seed &+ UInt64(number), 1)[0]
                reading.jobs = jobs
                let (events, report) = try reading.reader(paths).readEvents(in: .time)
                for (server, files) in lanes {
                    let found = events.filter { files.contains($0.file) }
                    // A message of one file never continues in another one here, because the threads of split messages
                    // differ.
                    let wanted = files.flatMap { expected[$0] ?? [] }
                    if Self.hasNoJoins(wanted), let problem = difference(found, wanted) {
                        return "\(reading), \(server): \(problem)"
                    }
                }
                if !report.quality.balances || report.events != events.count { return "\(report)" }
                if let problem = Self.disorder(events, lanes.values.map { $0 }) { return "\(reading): \(problem)" }
                if let first, let problem = difference(events, first) { return "\(reading): \(problem)" }
                first = events
            }
            return nil
        }
    }

    @Test(.timeLimit(.minutes(10))) func `Many lanes with tiny pieces never deadlock`() throws {
        try LogTrials.run(30, "lanes") { seed in
            var random = SeededGenerator(seed: seed)
            let folder = try SourceFolder()
            var paths: [String] = []
            for number in 0..<Int.random(in: 1...20, using: &random) {
                let log = GeneratedLog(seed: seed &+ UInt64(number), events: 2, server: "S\(number)", cut: 100)
                paths.append(try folder.write("S\(number)-20210304-1000.log", log.bytes))
            }
            var reading = LogReading(piece: 64, unit: 200)
            reading.jobs = Int.random(in: 1...5, using: &random)
            let reader = reading.reader(paths)
            if seed % 3 == 0 {
                // The consumer may stop in the middle.
                var count = 0
                try? {
                    _ = try reader.forEachEvent(in: .time) { _ in
                        count += 1
                        if count == 3 { throw Enough() }
                    }
                }()
                return nil
            }
            let (events, report) = try reader.readEvents(in: .time)
            return report.events == events.count ? nil : "\(report)"
        }
    }

    private struct Enough: Error {}

    /// Returns whether none of the events could be joined with an event of another file.
    private static func hasNoJoins(_ events: [ModelEvent]) -> Bool {
        !events.contains { $0[.message].hasPrefix("...") || $0[.message].hasSuffix("...") }
    }

    /// Returns a defect in the order: an event that should have come before its predecessor.
    private static func disorder(_ events: [ModelEvent], _ lanes: [[String]]) -> String? {
        var lane: [String: Int] = [:]
        for (number, files) in lanes.enumerated() { for file in files { lane[file] = number } }
        // Within a lane, time never goes back: an event counts with the newest instant so far.
        var last: [Int: Int64] = [:]
        for (index, event) in events.enumerated() {
            let number = lane[event.file] ?? -1
            let isMonotonic = event.clock >= last[number] ?? .min
            last[number] = event.clock
            guard index > 0, isMonotonic, lane[events[index - 1].file] != number else { continue }
            // The other lane's event was taken first, so if this event was the head of its lane, it was not older.
            if event.clock < events[index - 1].clock,
                !events[..<index].contains(where: { lane[$0.file] == number && $0.clock >= events[index - 1].clock })
            {
                return "\(event) comes behind \(events[index - 1])"
            }
        }
        return nil
    }
}

import Testing

@testable import ULSLog

struct ServerActivityTests {
    /// What a server that wrote at these minutes did, put together from stretches.
    private static func activity(_ stretches: [[Int64]]) -> ServerActivity? {
        var whole: ServerActivity?
        for minutes in stretches {
            var part: ServerActivity?
            for minute in minutes {
                let time = PackedTime(clock: minute * 60_000, offset: 0, quality: .local)
                if part == nil {
                    part = ServerActivity(server: "WFE1", isUTC: false, first: time, gapMinimum: 300_000)
                }
                part?.add(time)
            }
            guard let part else { continue }
            if whole == nil { whole = part } else { whole?.append(part) }
        }
        return whole
    }

    @Test(arguments: [1, 2, 3, 5, 20])
    func `A clock that is set back is counted once, however the log is cut`(length: Int) throws {
        let minutes: [Int64] = [600, 601, 602, 658, 659, 600, 601, 602, 603, 610]
        let cuts = stride(from: 0, to: minutes.count, by: length).map { start in
            Array(minutes[start..<min(start + length, minutes.count)])
        }
        let activity = try #require(Self.activity(cuts))
        #expect(activity.steps == 1)
        #expect(activity.gapCount == 2)
        #expect(activity.newest.instant == 610 * 60_000)
    }
}

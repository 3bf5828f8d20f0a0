import TestSupport
import Testing
import TextKit
import TimeZones

@testable import Schedules

/// The meaning of an expression, computed minute by minute and without any optimization.
private struct CronModel {
    /// Whether each field contains a number.
    let sets: [[Bool]]
    let needsBothDays: Bool
    let isHourly: Bool

    init(_ expression: String) {
        let fields = expression.split(separator: " ").map(String.init)
        let ranges = [0...59, 0...23, 1...31, 1...12, 0...7]
        sets = zip(fields, ranges).map { field, range in
            var set = [Bool](repeating: false, count: 60)
            for item in field.split(separator: ",") {
                let parts = item.split(separator: "/")
                let bounds = parts[0].split(separator: "-").compactMap { Int($0) }
                let last = bounds.last ?? (range.upperBound == 7 ? 6 : range.upperBound)
                let step = parts.count > 1 ? Int(parts[1]) ?? 1 : 1
                for number in range where number <= last {
                    let first = bounds.first ?? range.lowerBound
                    if number >= first, (number - first) % step == 0 { set[number] = true }
                }
            }
            if range.upperBound == 7, set[7] { set[0] = true }
            return set
        }
        needsBothDays = fields[2].hasPrefix("*") || fields[4].hasPrefix("*")
        isHourly = fields[1] == "*"
    }

    func matches(clock: Int64) -> Bool {
        let time = Int(clock.flooredRemainder(by: 86_400))
        guard sets[0][time / 60 % 60], sets[1][time / 3600] else { return false }
        let date = CivilDate(days: clock.flooredQuotient(by: 86_400))
        let (isDay, isWeekday) = (sets[2][date.day], sets[4][date.weekday])
        return sets[3][date.month] && (needsBothDays ? isDay && isWeekday : isDay || isWeekday)
    }

    /// Returns the instants at which the expression is due, found by checking every minute of the wall clock.
    func times(from start: Int64, to end: Int64, in zone: TimeZoneRules) -> [Int64] {
        var times: [Int64] = []
        // The latest reading that the clock has ever shown.
        var reached = start - 60 + Int64(zone.offset(at: (start - 60) * 1000))
        var stretch = zone.stretch(at: start)
        for instant in stride(from: start, to: end, by: 60) {
            if instant >= stretch.end { stretch = zone.stretch(at: instant) }
            let clock = instant + Int64(stretch.offset)
            if isHourly {
                if matches(clock: clock) { times.append(instant) }
            } else if clock > reached {
                var isDue = false
                while reached < clock {
                    reached += 60
                    if matches(clock: reached) { isDue = true }
                }
                if isDue { times.append(instant) }
            }
        }
        return times
    }
}

struct CronTests {
    private static let zones = ["Europe/Vienna", "America/New_York", "Australia/Lord_Howe", "UTC", "Pacific/Apia"]

    private func instant(_ year: Int64, _ month: Int, _ day: Int, _ hour: Int64 = 0, _ minute: Int64 = 0) -> Int64 {
        CivilDate.days(year: year, month: month, day: day) * 86_400 + hour * 3600 + minute * 60
    }

    private func times(_ text: String, from start: Int64, to end: Int64, in zone: TimeZoneRules) throws -> [Int64] {
        let expression = try CronExpression(text)
        var times: [Int64] = []
        var last = start - 1
        while let next = expression.next(after: last, in: zone), next < end {
            #expect(next > last)
            times.append(next)
            last = next
        }
        return times
    }

    // MARK: Against the model

    @Test(arguments: zones)
    func `The times in a year match a search through all minutes of the year`(name: String) throws {
        let zone = try TimeZoneRules(named: name)
        // Apia skipped December 30, 2011.
        let (start, end) = (instant(2011, 9, 1), instant(2012, 11, 20))
        let expressions = [
            "30 2 * * *", "0 2 * * *", "0 3 * * *", "*/15 2 * * *", "15 1-3 * * *", "*/20 * * * *", "0 0 29 2 *",
            "0 12 13 * 5", "59 23 31 * *", "0 */6 1 1,4,7,10 *", "10 2 * 3,4,10,11 0",
            "0 4 * * 7", "5 0 30 12 *",
        ]
        for text in expressions {
            #expect(
                try times(text, from: start, to: end, in: zone)
                    == CronModel(text).times(from: start, to: end, in: zone),
                "\(text) in \(name)"
            )
        }
    }

    @Test(arguments: zones)
    func `The times of random expressions match a search through all minutes`(name: String) throws {
        var random = SeededGenerator(seed: 44)
        let zone = try TimeZoneRules(named: name)
        func field(_ range: ClosedRange<Int>) -> String {
            let (one, other) = (Int.random(in: range, using: &random), Int.random(in: range, using: &random))
            switch Int.random(in: 0...6, using: &random) {
            case 0, 1: return "*"
            case 2: return "*/\(Int.random(in: 1...range.upperBound, using: &random))"
            case 3: return "\(min(one, other))-\(max(one, other))"
            case 4: return "\(min(one, other))-\(max(one, other))/2,\(one)"
            default: return "\(one)"
            }
        }
        for _ in 0..<15 {
            let text = [0...59, 0...23, 1...31, 1...12, 0...6].map(field).joined(separator: " ")
            guard (try? CronExpression(text)) != nil else { continue }
            let start = instant(2024 + Int64.random(in: 0...20, using: &random), .random(in: 1...12, using: &random), 1)
            let end = start + 100 * 86_400
            #expect(
                try times(text, from: start, to: end, in: zone)
                    == CronModel(text).times(from: start, to: end, in: zone),
                "\(text) in \(name)"
            )
        }
    }

    // MARK: Changes to and from summer time

    @Test func `A time that is skipped by a clock change runs right after the change`() throws {
        let vienna = try TimeZoneRules(named: "Europe/Vienna")
        // At 01:00 UTC, the clocks went from 02:00 to 03:00.
        let change = instant(2026, 3, 29, 1)
        #expect(try CronExpression("30 2 * * *").next(after: change - 3600, in: vienna) == change)
        #expect(try CronExpression("30 2 * * *").next(after: change, in: vienna) == instant(2026, 3, 30, 0, 30))
        // Two times that are skipped together, and one that exists, result in a single run.
        #expect(
            try times("0,10,20 2,3 * * *", from: change - 60, to: change + 3600, in: vienna)
                == [change, change + 600, change + 1200]
        )
    }

    @Test func `A time that occurs twice runs only the first time`() throws {
        let vienna = try TimeZoneRules(named: "Europe/Vienna")
        // At 01:00 UTC, the clocks went from 03:00 to 02:00.
        let change = instant(2026, 10, 25, 1)
        #expect(try times("30 2 * * *", from: change - 7200, to: change + 7200, in: vienna) == [change - 1800])
        // The current time is between the two occurrences.
        #expect(try CronExpression("30 2 * * *").next(after: change, in: vienna) == instant(2026, 10, 26, 1, 30))
    }

    @Test func `An hourly schedule has no gap and no extra run at a clock change`() throws {
        let vienna = try TimeZoneRules(named: "Europe/Vienna")
        for change in [instant(2026, 3, 29, 1), instant(2026, 10, 25, 1)] {
            let found = try times("*/20 * * * *", from: change - 7200, to: change + 7200, in: vienna)
            #expect(found == Array(stride(from: change - 7200, to: change + 7200, by: 1200)))
        }
    }

    @Test func `A clock change of half an hour skips or repeats only half an hour`() throws {
        let island = try TimeZoneRules(named: "Australia/Lord_Howe")
        // In October 2026, 02:00 became 02:30 (+10:30 to +11); in April, 02:00 became 01:30.
        let spring = instant(2026, 10, 3, 15, 30)
        #expect(try times("15 2 * * *", from: spring - 3600, to: spring + 7200, in: island) == [spring])
        #expect(try times("45 2 * * *", from: spring - 3600, to: spring + 7200, in: island) == [spring + 900])
        let autumn = instant(2026, 4, 4, 15)
        #expect(try times("45 1 * * *", from: autumn - 3600, to: autumn + 7200, in: island) == [autumn - 900])
    }

    // MARK: Grammar

    @Test(arguments: [
        ("@hourly", "0 * * * *"), ("@Daily", "0 0 * * *"), ("@midnight", "0 0 * * *"), ("@weekly", "0 0 * * sun"),
        ("@monthly", "0 0 1 * *"), ("@yearly", "0 0 1 jan *"), ("0  3 * * Mon-Fri", "0 3 * * 1,2,3,4,5"),
        ("0 0 1 FEB-apr *", "0 0 1 2-4 *"), ("0 0 * * fri-sun", "0 0 * * 0,5,6"), ("0 0 * * 7", "0 0 * * 0"),
        ("0-30/10 1 * * *", "0,10,20,30 1 * * *"),
    ])
    func `Equivalent notations have the same times`(one: String, other: String) throws {
        let (one, other) = (try CronExpression(one), try CronExpression(other))
        let start = instant(2026, 1, 1)
        #expect(one.times(50, after: start, in: .utc) == other.times(50, after: start, in: .utc))
        #expect(one.times(50, after: start, in: .utc).count == 50)
    }

    @Test func `A schedule that runs only on demand has no times`() throws {
        let expression = try CronExpression("on-demand")
        #expect(expression.isOnDemand && expression.next(after: 0, in: .utc) == nil)
    }

    @Test(arguments: [
        ("0 0 30 2 *", 1), ("0 0 31 4,6,9,11 *", 1), ("* * * *", 1), ("0 0 3 * * *", 11), ("60 * * * *", 1),
        ("0 24 * * *", 3), ("0 0 0 * *", 5), ("0 0 1 13 *", 7), ("0 0 * * 8", 9), ("0 0 * * tues", 9),
        ("5,x * * * *", 3), ("5-1 * * * *", 1), ("5/10 * * * *", 3), ("*/0 * * * *", 3), ("*/60 * * * *", 3),
        ("1, * * * *", 3), ("-1 * * * *", 1), ("+1 * * * *", 1), ("0 0 ? * *", 5), ("0 0 L * *", 5), ("@reboot", 1),
        ("", 1), ("0 0 * * 1-", 11), ("1-2-3 * * * *", 3), ("*/2/3 * * * *", 3), ("٣ * * * *", 1),
    ])
    func `A nonsensical expression is refused with the column of the defect`(text: String, column: Int) {
        let defect = #expect(throws: CronExpression.Defect.self) { try CronExpression(text) }
        #expect(defect?.column == column)
        #expect(defect?.message.isEmpty == false && defect?.advice.isEmpty == false)
    }

    @Test func `The next leap day is found across a century year that is not a leap year`() throws {
        let expression = try CronExpression("0 0 29 2 *")
        #expect(expression.next(after: instant(2096, 3, 1), in: .utc) == instant(2104, 2, 29))
        // The day must also be a Sunday: 2088, then 2128 (2100 has no such day).
        let sunday = try CronExpression("0 0 29 2 */7")
        #expect(sunday.next(after: instant(2088, 3, 1), in: .utc) == instant(2128, 2, 29))
    }

    @Test func `Instants beyond the range of the calendar have no next time`() throws {
        let expression = try CronExpression("* * * * *")
        #expect(expression.next(after: .max, in: .utc) == nil)
        #expect(expression.next(after: -(1 << 50), in: .utc) == nil)
    }
}

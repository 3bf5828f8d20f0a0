import Testing

@testable import ULSLog
@testable import ULSRows

struct TimeWindowTests {
    private func local(_ text: String) -> LogTime { LogTime(clock: clock(text), quality: .local) }

    private func code(since: String? = nil, until: String? = nil, around: String? = nil) -> TimeWindowError.Code? {
        do throws(TimeWindowError) {
            _ = try TimeWindow(since: since, until: until, around: around)
            return nil
        } catch { return error.code }
    }

    @Test(arguments: [
        ("2011-09-26T10:42", "2011-09-26T10:42:00.00"),
        ("2011-09-26 10:42:05", "2011-09-26T10:42:05.00"),
        ("09/26/2011 10:42:05.52", "2011-09-26T10:42:05.52"),
        ("9/26/2011 9:05", "2011-09-26T09:05:00.00"),
        ("2011-09-26", "2011-09-26T23:59:59.99"),
        ("2011-09-26t10:42:05,523456", "2011-09-26T10:42:05.523"),
    ])
    func `Both ends are included, and a window that ends on a day includes the whole day`(
        text: String,
        last: String
    ) throws {
        let window = try TimeWindow(since: text, until: text)
        let first = clock(text)
        #expect(window.contains(LogTime(clock: first, quality: .local)) == .inside)
        #expect(window.contains(LogTime(clock: first - 1, quality: .local)) == .outside)
        #expect(window.contains(local(last)) == .inside)
        #expect(window.contains(LogTime(clock: clock(last) + 10, quality: .local)) == .outside)
    }

    @Test(arguments: ["2011-09-26T08:42Z", "2011-09-26T10:42+02:00", "2011-09-26 10:42 +0200", "09/26/2011 08:42z"])
    func `A time with an offset denotes an instant`(text: String) throws {
        let window = try TimeWindow(since: text)
        let reading = clock("2011-09-26T10:42")
        #expect(window.contains(LogTime(clock: reading, offset: 7200, quality: .exact)) == .inside)
        #expect(window.contains(LogTime(clock: reading - 1, offset: 7200, quality: .exact)) == .outside)
        for quality in [LogTime.Quality.local, .ambiguous, .skipped, .timeOnly, .none] {
            #expect(window.contains(LogTime(clock: reading, quality: quality)) == .incomparable)
        }
    }

    @Test func `A window of times of day applies to every day`() throws {
        let window = try TimeWindow(since: "22:00", until: "02:15")
        for text in ["2011-09-26T22:00", "2011-09-27T00:00", "2012-01-01T02:15:00.00"] {
            #expect(window.contains(local(text)) == .inside)
        }
        #expect(window.contains(local("2011-09-26T02:15:00.01")) == .outside)
        #expect(window.contains(LogTime(clock: 23 * 3_600_000, quality: .timeOnly)) == .inside)
        #expect(window.contains(.none) == .incomparable)
        #expect(try TimeWindow(since: "22:00").contains(local("2011-09-26T21:59:59")) == .outside)
        #expect(try TimeWindow(until: "22:00").contains(local("2011-09-26T22:00:59")) == .outside)
    }

    /// The time 2011-09-26 10:42:05 in Vienna, two hours ahead of UTC.
    private var now: TimeReference {
        TimeReference(instant: clock("2011-09-26T08:42:05"), offset: 7200)
    }

    @Test(arguments: [
        ("15m", "2011-09-26T08:27:05"), ("-15m", "2011-09-26T08:27:05"), ("2h", "2011-09-26T06:42:05"),
        ("3d", "2011-09-23T08:42:05"), ("1h30m", "2011-09-26T07:12:05"), ("90s ago", "2011-09-26T08:40:35"),
        ("now", "2011-09-26T08:42:05"), ("15M", "2011-09-26T08:27:05"),
    ])
    func `A time can be relative to now`(text: String, instant: String) throws {
        let window = try TimeWindow(since: text, now: now)
        let first = clock(instant)
        // On the clock of a server whose zone is known, and on one whose zone is unknown and taken to be this
        // machine's.
        for zone in [0, 7200, -18_000] as [Int32] {
            let reading = first + Int64(zone) * 1000
            #expect(window.contains(LogTime(clock: reading, offset: zone, quality: .exact)) == .inside)
            #expect(window.contains(LogTime(clock: reading - 10, offset: zone, quality: .exact)) == .outside)
        }
        #expect(window.contains(LogTime(clock: first + 7_200_000, quality: .local)) == .inside)
        #expect(window.contains(LogTime(clock: first + 7_199_990, quality: .local)) == .outside)
        #expect(window.contains(LogTime(clock: 5, quality: .timeOnly)) == .incomparable)
        #expect(window.reachFromNow == now.instant - first)
    }

    @Test func `Today and yesterday are days in this machine's local time`() throws {
        let late = TimeReference(instant: clock("2011-09-26T22:30"), offset: 7200)
        let today = try TimeWindow(since: "today", now: late)
        #expect(today.contains(local("2011-09-27T00:00")) == .inside)
        #expect(today.contains(local("2011-09-26T23:59:59.99")) == .outside)
        let yesterday = try TimeWindow(since: "yesterday", until: "Yesterday", now: late)
        #expect(yesterday.contains(local("2011-09-26T00:00")) == .inside)
        #expect(yesterday.contains(local("2011-09-26T23:59:59.99")) == .inside)
        #expect(yesterday.contains(local("2011-09-27T00:00")) == .outside)
        #expect(yesterday.contains(local("2011-09-25T23:59:59.99")) == .outside)
        let around = try TimeWindow(around: "15m±5m", now: now)
        #expect(around.contains(local("2011-09-26T10:22:05")) == .inside)
        #expect(around.contains(local("2011-09-26T10:33:05")) == .outside)
    }

    @Test func `Files from unknown zones are excluded only if no zone could place them in the window`() throws {
        let window = try TimeWindow(since: "2h", now: now)
        let day: Int64 = 86_400_000
        let end = clock("2011-09-26T08:42:05")
        #expect(window.mayOverlap(clockFrom: end - day, clockTo: end - day + 3_600_000, zone: nil))
        #expect(!window.mayOverlap(clockFrom: end - 3 * day, clockTo: end - 2 * day, zone: nil))
    }

    @Test func `Invalid relative times, and invalid combinations with them, are refused`() {
        for text in ["15", "15x", "m", "0m", "--5m", "tomorrow", "yesterday 10:00"] {
            #expect(throws: TimeWindowError.self) { try TimeWindow(since: text, now: now) }
        }
        #expect(throws: TimeWindowError.self) { try TimeWindow(since: "15m", until: "20m", now: now) }
        #expect(throws: TimeWindowError.self) { try TimeWindow(since: "15m", until: "10:00", now: now) }
        #expect(code(since: "15m") == .malformedTime)
    }

    @Test func `A row without a date is not compared with a window's dates`() throws {
        let window = try TimeWindow(since: "2011-09-26")
        #expect(window.contains(LogTime(clock: 5, quality: .timeOnly)) == .incomparable)
        #expect(TimeWindow.all.contains(.none) == .inside)
    }

    @Test(arguments: [
        ("2011-09-26T10:42", 300), ("2011-09-26T10:42±90s", 90), ("2011-09-26T10:42 +/- 1h30m", 5400),
        ("2011-09-26T10:42+-2d", 172_800), ("2011-09-26T10:42±1w", 604_800), ("2011-09-26T10:42+02:00±1m", 60),
    ])
    func `A window can be centered on a time`(text: String, reach: Int64) throws {
        let window = try TimeWindow(around: text)
        let center = try TimeText(text.prefix { $0 != "±" }.split(separator: " ")[0].split(separator: "+-")[0])
        #expect(window.lower?.value == center.value - reach * 1000)
        #expect(window.upper?.value == center.value + reach * 1000)
    }

    @Test(arguments: [
        ("10:00", "11:00", "12:00"), ("2011-09-26T10:00", "2011-09-26T11:00", "2011-09-26T12:00"),
        ("22:00", "00:00", "01:00"),
    ])
    func `Adjacent windows do not share a row`(from: String, meeting: String, end: String) throws {
        let windows = try [(from, meeting), (meeting, end)].map {
            try TimeWindow(since: $0, until: $1, excludesEnd: true)
        }
        for time in [meeting, meeting == "00:00" ? "23:59:59.99" : "10:59:59.99"] {
            let row = local(time.contains("T") ? time : "2011-09-26T" + time)
            #expect(windows.count { $0.contains(row) == .inside } == 1)
        }
        let day = try TimeWindow(since: "2011-09-26", until: "2011-09-26", excludesEnd: true)
        #expect(day.contains(local("2011-09-26T23:59:59.99")) == .inside)
    }

    @Test(arguments: [
        ("2011-09-26T10:00", "11:00", "2011-09-26T11:00"), ("2011-09-26 22:00", "02:00", "2011-09-27T02:00"),
        ("2011-09-26 22:00", "00:00", "2011-09-27T00:00"),
    ])
    func `The end of a period without a date is on the day of its start, or on the next`(
        since: String,
        until: String,
        end: String
    ) throws {
        let window = try TimeWindow(since: since, until: until, excludesEnd: true)
        #expect(window == (try TimeWindow(since: since, until: end, excludesEnd: true)))
        #expect(window.upper?.value == clock(end) - 1)
        #expect(code(since: since, until: until) == .needsDate)
    }

    @Test(arguments: [
        ("10:00", "2011-09-26T11:00", "only one of '10:00' and '2011-09-26T11:00' has a date: use a date in both"),
        ("2011-09-26T10:00Z", "11:00", "only one of '2011-09-26T10:00Z' and '11:00' has a date: use a date in both"),
        ("yesterday", "11:00", "only one of 'yesterday' and '11:00' has a date: use a date in both"),
        ("2011-09-26", "2011-09-25", "'2011-09-26' is after '2011-09-25': use the earlier one first"),
    ])
    func `An error about a period names no option that was not given`(since: String, until: String, start: String) {
        let error = #expect(throws: TimeWindowError.self) {
            try TimeWindow(since: since, until: until, now: now, excludesEnd: true)
        }
        #expect(error?.message.hasPrefix(start) == true, "\(error?.message ?? "")")
    }

    @Test func `A window can span midnight`() throws {
        let window = try TimeWindow(around: "00:02±5m")
        #expect(window.contains(local("2011-09-26T23:57")) == .inside)
        #expect(window.contains(local("2011-09-26T00:07")) == .inside)
        #expect(window.contains(local("2011-09-26T00:07:00.01")) == .outside)
        #expect(window.contains(local("2011-09-26T12:00")) == .outside)
    }

    @Test(arguments: [
        "", " ", "now", "2011-9", "2011-02-30", "26/09/2011", "2011-09-26T", "2011-09-26T24:00", "2011-09-26T10",
        "2011-09-26T10:60", "2011-09-26T10:42:60", "2011-09-26T10:42:05.", "2011-09-26T10:42x", "11-09-26T10:42",
        "2011-09-26T10:42+25:00", "2011/09/26", "2011-09-26T10:42:05.1234567890", "99999999999999999999-01-01",
        "2011-09-26Z10:42", "10:42:", "1042", "2011-09-26T10:42 PM",
    ])
    func `Invalid times are refused`(text: String) {
        #expect(code(since: text) == .malformedTime)
    }

    @Test(arguments: ["±", "±5", "±m", "±5x", "±0m", "±1.5h", "±-5m", "±9999999999s", "±999999999d", "±5m±5m"])
    func `Invalid durations are refused`(text: String) {
        #expect(code(around: "2011-09-26T10:42" + text) == .malformedDuration)
    }

    @Test func `Incompatible options are refused`() {
        #expect(code(since: "2011-09-26T10:42", until: "2011-09-26T10:41") == .reversed)
        #expect(code(since: "2011-09-26T10:42Z", until: "2011-09-26T10:41Z") == .reversed)
        #expect(code(since: "10:42", until: "2011-09-26T10:41") == .needsDate)
        #expect(code(since: "10:42Z") == .needsDate)
        #expect(code(around: "2011-09-26") == .needsTimeOfDay)
        #expect(code(around: "10:42±12h") == .needsDate)
        #expect(code(since: "10:42", around: "10:42") == .conflict)
    }

    @Test func `A window can have an instant and a clock reading as bounds`() throws {
        let window = try TimeWindow(since: "2011-09-26T08:42Z", until: "2011-09-26T11:00")
        #expect(window.contains(local("2011-09-26T10:50")) == .incomparable)
        #expect(window.contains(local("2011-09-26T11:01")) == .outside)
    }
}

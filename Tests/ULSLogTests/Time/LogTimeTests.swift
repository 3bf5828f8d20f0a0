import Testing
import TextKit

@testable import ULSLog
@testable import ULSRows

struct LogTimeTextTests {
    /// The time 2011-09-26T10:39:40.52 on some clock.
    private let clock: Int64 = 15_243 * 86_400_000 + 38_380_520

    @Test(arguments: [LogTime.Quality.local, .ambiguous, .skipped])
    func `A local time is shown without a Z`(quality: LogTime.Quality) {
        #expect(LogTime(clock: clock, offset: 7200, quality: quality).iso8601 == "2011-09-26T10:39:40.52")
    }

    @Test func `An exact time is shown in UTC`() {
        #expect(LogTime(clock: clock, offset: 7200, quality: .exact).iso8601 == "2011-09-26T08:39:40.52Z")
        #expect(LogTime(clock: clock, offset: 39_600, quality: .exact).iso8601 == "2011-09-25T23:39:40.52Z")
    }

    @Test func `Milliseconds are shown with a third digit only if it is not zero`() {
        #expect(LogTime(clock: clock + 3, quality: .local).iso8601 == "2011-09-26T10:39:40.523")
        #expect(LogTime(clock: clock - 520, quality: .local).iso8601 == "2011-09-26T10:39:40.00")
    }

    @Test(arguments: [
        ("09/26/2011 10:39:40.52", "2011-09-26T10:39:40.52"), ("09.26.2011 10:39:40.52", "2011-09-26T10:39:40.52"),
        ("09-26-2011 10:39:40.52", "2011-09-26T10:39:40.52"), ("26.09.2011 10:39:40.52", "2011-09-26T10:39:40.52"),
        ("09.08.2011 10:39:40.52", "2011-09-08T10:39:40.52"),
        // The service never writes the day first with its own separator; all parts have the same separator.
        ("26/09/2011 10:39:40.52", nil), ("09.26/2011 10:39:40.52", nil), ("09.32.2011 10:39:40.52", nil),
    ])
    func `The date separator depends on the server's language`(written: String, read: String?) throws {
        let columns = ["w3wp.exe (0x1A2C)", "0x0A10", "SharePoint Foundation", "General", "zq1a", "Medium", "Lost", ""]
        let text = ([written] + columns).joined(separator: "\t") + "\r\n"
        var times: [String?] = []
        _ = try LogReader(text: Array(text.utf8), name: "WFE1-20110926-1030.log").forEachEvent(in: .time) { event in
            times.append(event.time.iso8601)
        }
        #expect(times == [read])
    }

    @Test func `A time of day is shown without a date`() {
        let time = LogTime(clock: 38_380_520, quality: .timeOnly)
        #expect(time.iso8601 == "10:39:40.52")
        #expect(time.minute == "10:39")
        #expect(time.isoDate == nil)
        #expect(time.native == "")
    }

    @Test func `A missing time is not shown`() {
        #expect(LogTime.none.iso8601 == nil)
        #expect(LogTime.none.native == "")
        #expect(LogTime.none.minute == nil)
        #expect(LogTime.none.isoDate == nil)
        var text = Array("x".utf8)
        LogTime.none.appendISO8601(to: &text)
        #expect(text == Array("x".utf8))
    }

    @Test func `The native format shows the local clock time`() {
        #expect(LogTime(clock: clock, offset: 7200, quality: .exact).native == "09/26/2011 10:39:40.52")
        var text: [UInt8] = []
        LogTime(clock: clock, quality: .exact).appendNative(isUTCLayout: true, to: &text)
        #expect(String(decoding: text, as: UTF8.self) == "2011-09-26 10:39:40.52")
    }

    @Test func `The date and minute of an exact time are in UTC`() {
        let time = LogTime(clock: clock, offset: 39_600, quality: .exact)
        #expect(time.isoDate == "2011-09-25")
        #expect(time.minute == "23:39Z")
        #expect(LogTime(clock: clock, quality: .local).minute == "10:39")
    }

    @Test(arguments: [
        (0, "1970-01-01T00:00:00.00"), (951_782_400_000, "2000-02-29T00:00:00.00"),
        (4_107_542_400_000, "2100-03-01T00:00:00.00"), (-62_135_596_800_000, "0001-01-01T00:00:00.00"),
        (1_317_033_580_525, "2011-09-26T10:39:40.525"),
    ])
    func `A clock reading consists of a date and a time`(clock: Int64, text: String) {
        #expect(LogTime(clock: clock, quality: .local).iso8601 == text)
    }

    @Test(arguments: [Int64.min, .max, -1, 0])
    func `Extreme times do not cause a crash`(clock: Int64) {
        for quality in LogTime.Quality.allCases {
            _ = LogTime(clock: clock, offset: .max, quality: quality).iso8601
            _ = LogTime(clock: clock, offset: .min, quality: quality).native
        }
        #expect(LogTime(clock: -1, quality: .local).iso8601 == "1969-12-31T23:59:59.999")
    }
}

extension LogTime {
    /// The clock reading as the service writes it.
    var native: String {
        var text: [UInt8] = []
        appendNative(to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}

struct CivilDateTests {
    @Test(arguments: [
        (1970, 1, 1, 0), (1969, 12, 31, -1), (2000, 2, 29, 11_016), (2011, 9, 26, 15_243), (1, 1, 1, -719_162),
        (9999, 12, 31, 2_932_896), (0, 3, 1, -719_468), (-1, 12, 31, -719_529),
    ])
    func `Dates are converted to the right number of days`(year: Int64, month: Int, day: Int, days: Int64) {
        #expect(CivilDate(year: year, month: month, day: day)?.days == days)
        #expect(CivilDate(days: days) == CivilDate(year: year, month: month, day: day))
    }

    @Test func `Every day is converted in both directions`() {
        for days in stride(from: Int64(-800_000), to: 3_000_000, by: 17) {
            #expect(CivilDate(days: days).days == days)
        }
    }

    @Test(arguments: [(2011, 2, 29), (1900, 2, 29), (2011, 13, 1), (2011, 0, 1), (2011, 4, 31), (2011, 1, 0)])
    func `Invalid days are refused`(year: Int64, month: Int, day: Int) {
        #expect(CivilDate(year: year, month: month, day: day) == nil)
    }

    @Test func `Years out of range are refused`() {
        #expect(CivilDate(year: .max, month: 1, day: 1) == nil)
        #expect(CivilDate(year: .min, month: 1, day: 1) == nil)
        #expect(CivilDate(days: .max).year > 290_000_000)
        #expect(CivilDate(days: .min).year < -290_000_000)
    }
}

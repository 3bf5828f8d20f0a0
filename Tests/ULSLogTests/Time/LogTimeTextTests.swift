import Testing

@testable import ULSLog

struct LogTimeTextTests {
    /// 2011-09-26T10:39:40.52 on some clock.
    private let clock: Int64 = 15_243 * 86_400_000 + 38_380_520

    @Test(arguments: [LogTime.Quality.local, .ambiguous, .skipped])
    func aLocalTimeHasNoZ(quality: LogTime.Quality) {
        #expect(LogTime(clock: clock, offset: 7200, quality: quality).iso8601 == "2011-09-26T10:39:40.52")
    }

    @Test func anExactTimeIsInUTC() {
        #expect(LogTime(clock: clock, offset: 7200, quality: .exact).iso8601 == "2011-09-26T08:39:40.52Z")
        #expect(LogTime(clock: clock, offset: 39_600, quality: .exact).iso8601 == "2011-09-25T23:39:40.52Z")
    }

    @Test func aThirdDigitIsThereIfItSaysSomething() {
        #expect(LogTime(clock: clock + 3, quality: .local).iso8601 == "2011-09-26T10:39:40.523")
        #expect(LogTime(clock: clock - 520, quality: .local).iso8601 == "2011-09-26T10:39:40.00")
    }

    @Test func aTimeOfDayHasNoDate() {
        let time = LogTime(clock: 38_380_520, quality: .timeOnly)
        #expect(time.iso8601 == "10:39:40.52")
        #expect(time.native == "10:39:40.52")
        #expect(time.timeOfDay == "10:39:40")
    }

    @Test func noTimeHasNoText() {
        #expect(LogTime.none.iso8601 == nil)
        #expect(LogTime.none.native == nil)
        #expect(LogTime.none.timeOfDay == nil)
        var text = Array("x".utf8)
        LogTime.none.appendISO8601(to: &text)
        #expect(text == Array("x".utf8))
    }

    @Test func theNativeFormIsTheClocks() {
        #expect(LogTime(clock: clock, offset: 7200, quality: .exact).native == "09/26/2011 10:39:40.52")
    }

    @Test(arguments: [Int64.min, .max, -1, 0])
    func extremeTimesAreNoDanger(clock: Int64) {
        for quality in LogTime.Quality.allCases {
            _ = LogTime(clock: clock, offset: .max, quality: quality).iso8601
            _ = LogTime(clock: clock, offset: .min, quality: quality).native
        }
        #expect(LogTime(clock: -1, quality: .local).iso8601 == "1969-12-31T23:59:59.999")
    }
}

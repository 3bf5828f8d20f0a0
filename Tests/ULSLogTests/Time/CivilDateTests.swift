import Testing

@testable import ULSLog

struct CivilDateTests {
    @Test(arguments: [
        (1970, 1, 1, 0), (1969, 12, 31, -1), (2000, 2, 29, 11_016), (2011, 9, 26, 15_243), (1, 1, 1, -719_162),
        (9999, 12, 31, 2_932_896), (0, 3, 1, -719_468), (-1, 12, 31, -719_529),
    ])
    func knownDays(year: Int64, month: Int, day: Int, days: Int64) {
        #expect(CivilDate(year: year, month: month, day: day)?.days == days)
        #expect(CivilDate(days: days) == CivilDate(year: year, month: month, day: day))
    }

    @Test func everyDayThereAndBack() {
        for days in stride(from: Int64(-800_000), to: 3_000_000, by: 17) {
            #expect(CivilDate(days: days).days == days)
        }
    }

    @Test(arguments: [(2011, 2, 29), (1900, 2, 29), (2011, 13, 1), (2011, 0, 1), (2011, 4, 31), (2011, 1, 0)])
    func daysThatAreNone(year: Int64, month: Int, day: Int) {
        #expect(CivilDate(year: year, month: month, day: day) == nil)
    }

    @Test func yearsBeyondReasonAreRefused() {
        #expect(CivilDate(year: .max, month: 1, day: 1) == nil)
        #expect(CivilDate(year: .min, month: 1, day: 1) == nil)
        #expect(CivilDate(days: .max).year > 290_000_000)
        #expect(CivilDate(days: .min).year < -290_000_000)
    }
}

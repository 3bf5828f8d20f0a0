import Testing

@testable import ULSLog
@testable import ULSRows

struct DurationUnitsTests {
    @Test func `Durations beyond the range of milliseconds are clamped`() {
        #expect(Duration.milliseconds(Int64.max).milliseconds == Int64.max)
        #expect(Duration.seconds(Int64.max).milliseconds == Int64.max)
        #expect(Duration.milliseconds(1500).milliseconds == 1500)
        #expect(Duration.seconds(Int64.min).milliseconds == Int64.min)
        #expect(Duration.microseconds(-1500).microseconds == -1500)
        #expect(Duration.seconds(Int64.max).microseconds == Int64.max)
    }
}

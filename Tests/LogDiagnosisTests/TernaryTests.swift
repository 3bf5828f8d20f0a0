import Testing

@testable import LogDiagnosis

struct TernaryTests {
    @Test func unknownIsNeither() { #expect(Ternary.unknown != .yes && Ternary.unknown != .no) }
}

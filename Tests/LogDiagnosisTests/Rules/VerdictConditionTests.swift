import Testing

@testable import LogDiagnosis

struct VerdictConditionTests {
    private static let values: [Ternary] = [.no, .unknown, .yes]

    private func truth(_ condition: VerdictCondition, _ a: Ternary, _ b: Ternary = .no) -> Ternary {
        condition.holds { $0 == "a" ? a : b }
    }

    @Test(arguments: values, values)
    func allIsTheLeastAndAnyTheGreatest(a: Ternary, b: Ternary) {
        #expect(truth(.all([.check("a"), .check("b")]), a, b) == min(a, b))
        #expect(truth(.any([.check("a"), .check("b")]), a, b) == max(a, b))
    }

    @Test func notKeepsUnknown() {
        #expect(Self.values.map { truth(.not(.check("a")), $0) } == [.yes, .unknown, .no])
    }

    @Test func unknownIsNeverUnknown() {
        #expect(Self.values.map { truth(.unknown(.check("a")), $0) } == [.no, .yes, .no])
    }
}

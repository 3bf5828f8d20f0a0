import TestSupport
import Testing

@testable import ULSLog

@Suite struct SlowestListTests {
    private static func instance(_ duration: Int64, line: Int) -> SlowReport.Instance {
        SlowReport.Instance(
            name: "A",
            isRequest: false,
            duration: duration,
            time: .none,
            server: nil,
            correlation: "",
            place: .init(file: "a.log", line: line, lineEnd: line)
        )
    }

    private static func list(_ instances: some Sequence<SlowReport.Instance>, limit: Int) -> SlowestList {
        var list = SlowestList(limit: limit)
        for instance in instances { list.insert(instance) }
        return list
    }

    @Test func `the slowest is first, and of equal ones the one that was written first`() {
        let list = Self.list(
            [5, 9, 5, 1, 9].enumerated().map { Self.instance($1, line: $0) },
            limit: 4
        )
        #expect(list.instances.map(\.duration) == [9, 9, 5, 5])
        #expect(list.instances.map(\.place.line) == [1, 4, 0, 2])
    }

    @Test func `a full list admits only what is slower than its last`() {
        let list = Self.list([Self.instance(5, line: 1)], limit: 1)
        #expect(!list.admits(5))
        #expect(list.admits(6))
    }

    @Test(arguments: [0, -1, Int.min]) func `a list of none admits none`(limit: Int) {
        let list = Self.list([Self.instance(5, line: 1)], limit: limit)
        #expect(list.instances.isEmpty)
    }

    @Test func `no list is longer than the greatest length`() {
        let many = SlowestList.maximum + 100
        let list = Self.list((0..<many).map { Self.instance(Int64($0), line: $0) }, limit: .max)
        #expect(list.instances.count == SlowestList.maximum)
    }
}

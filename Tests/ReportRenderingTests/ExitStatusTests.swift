import ContentFeeding
import ReportRendering
import Testing

struct ExitStatusTests {
    @Test func `The table is the one that scripts rely on`() {
        #expect(ExitStatus.allCases.map(\.rawValue) == [0, 1, 3, 4, 64, 65, 66, 69, 70, 73, 74, 75, 77, 78, 130, 143])
    }

    @Test func `Of several codes the gravest counts`() {
        let order: [Int32] = [70, 74, 73, 77, 78, 69, 143, 130, 75, 65, 1, 4, 0]
        let statuses = order.compactMap(ExitStatus.init(rawValue:))
        for index in statuses.indices {
            #expect(ExitStatus.first(of: statuses[index...].reversed()) == statuses[index])
        }
        #expect(ExitStatus.first(of: []) == .done)
        #expect(Set(ExitStatus.precedence) == Set(ExitStatus.allCases))
    }

    @Test(
        arguments: [
            (EngineError.Code.unreachable, 69), (.unusable, 69), (.locked, 75), (.diskFull, 74), (.inputOutput, 74),
            (.permission, 77), (.missingCollection, 78), (.collectionExists, 78), (.invalidName, 78),
            (.missingTarget, 78),
            (.unsupported, 78), (.rejected, 78),
        ] as [(EngineError.Code, Int32)]
    )
    func `Each failure of an engine has its code`(code: EngineError.Code, exit: Int32) {
        #expect(ExitStatus(code).rawValue == exit)
        #expect(ExitStatus(.engine(code, message: "")).rawValue == exit)
    }

    @Test func `A feed that ends early has the code of its reason`() {
        #expect(ExitStatus(StopReason.interrupted).rawValue == 130)
        #expect(ExitStatus(StopReason.terminated).rawValue == 143)
        #expect(ExitStatus(StopReason.input(message: "")).rawValue == 74)
        #expect(ExitStatus(StopReason.storage(message: "")).rawValue == 74)
    }
}

import Testing

@testable import ContentFeeding

struct CircuitBreakerTests {
    private static func at(_ seconds: Double) -> FeedInstant { FeedInstant(sinceStart: .seconds(seconds)) }

    /// The events of a breaker, and their times.
    enum Step: Sendable {
        case began
        case failed(UInt64)
        case succeeded
        case putOff(UInt64)
        case complained(UInt64)
        case probed(UInt64)
    }

    private static func breaker(after steps: [(Double, Step)]) -> CircuitBreaker {
        var breaker = CircuitBreaker()
        for (second, step) in steps {
            switch step {
            case .began: breaker.began(at: at(second))
            case .failed(let batch): breaker.failed(BatchID(rawValue: batch), .test, at: at(second))
            case .succeeded: _ = breaker.succeeded(at: at(second))
            case .putOff(let batch): _ = breaker.answered(BatchID(rawValue: batch), putOff: .test)
            case .complained(let batch): _ = breaker.answered(BatchID(rawValue: batch))
            case .probed(let batch): breaker.probed(with: BatchID(rawValue: batch))
            }
        }
        return breaker
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let steps: [(Double, Step)]
        /// The expected admissions, each at a time in seconds.
        let admissions: [(Double, CircuitBreaker.Admission)]
    }

    private static let opened: [(Double, Step)] = [(0, .began), (2, .failed(1)), (10, .failed(2))]

    static let table: [Row] = [
        Row(testDescription: "nothing happened", steps: [], admissions: [(1000, .all)]),
        Row(
            testDescription: "failures for a short time",
            steps: [(0, .failed(1)), (9.9, .failed(2))],
            admissions: [(9.9, .all)]
        ),
        Row(
            testDescription: "no success for a while, and no failure",
            steps: [(0, .succeeded)],
            admissions: [(100, .all)]
        ),
        Row(
            testDescription: "failures without a success",
            steps: opened,
            admissions: [(10, .none), (10.9, .none), (11, .probe)]
        ),
        Row(
            testDescription: "a failure, and then silence",
            steps: [(0, .began), (2, .failed(1))],
            admissions: [(9, .all), (10, .none), (11, .probe)]
        ),
        Row(
            testDescription: "a success between the failures",
            steps: [(0, .began), (2, .failed(1)), (8, .succeeded), (12, .failed(2))],
            admissions: [(17, .all), (18, .none)]
        ),
        Row(
            testDescription: "idle time before the first failure does not count",
            steps: [(0, .began), (1, .succeeded), (3000, .began), (3001, .failed(1))],
            admissions: [(3009, .all), (3010, .none)]
        ),
        Row(
            testDescription: "one probe at a time",
            steps: opened + [(11, .probed(3))],
            admissions: [(11, .none), (60, .none)]
        ),
        Row(
            testDescription: "a probe that fails doubles the wait",
            steps: opened + [(11, .probed(3)), (12, .failed(3))],
            admissions: [(13.9, .none), (14, .probe)]
        ),
        Row(
            testDescription: "another batch that fails does not",
            steps: opened + [(11, .probed(3)), (12, .failed(2))],
            admissions: [(60, .none)]
        ),
        Row(
            testDescription: "a probe that succeeds closes",
            steps: opened + [(11, .probed(3)), (12, .succeeded)],
            admissions: [(12, .all)]
        ),
        Row(
            testDescription: "a late success of another batch closes",
            steps: opened + [(10.5, .succeeded)],
            admissions: [(10.5, .all)]
        ),
        Row(
            testDescription: "a probe that is put off closes, because the engine is alive",
            steps: opened + [(11, .probed(3)), (12, .putOff(3))],
            admissions: [(12, .all)]
        ),
        Row(
            testDescription: "a probe that is complained of closes",
            steps: opened + [(11, .probed(3)), (12, .complained(3))],
            admissions: [(12, .all)]
        ),
        Row(
            testDescription: "being put off never opens",
            steps: [(0, .began), (5, .putOff(1)), (300, .putOff(2))],
            admissions: [(301, .all)]
        ),
    ]

    @Test(arguments: table)
    func `The breaker admits requests according to earlier successes and failures`(row: Row) {
        var breaker = Self.breaker(after: row.steps)
        for (second, admission) in row.admissions {
            #expect(breaker.admission(at: Self.at(second)) == admission, "at \(second) s")
        }
    }

    @Test func `The wait between probes doubles up to thirty seconds`() {
        var breaker = Self.breaker(after: Self.opened)
        var now = Self.at(10)
        var waits: [Duration] = []
        for batch in 3..<12 as Range<UInt64> {
            guard let next = breaker.nextProbe else { break }
            waits.append(next - now)
            now = next
            #expect(breaker.admission(at: now) == .probe)
            breaker.probed(with: BatchID(rawValue: batch))
            breaker.failed(BatchID(rawValue: batch), .test, at: now)
        }
        #expect(waits == [1, 2, 4, 8, 16, 30, 30, 30, 30].map { .seconds($0) })
    }

    @Test(arguments: [
        ([(0, Step.began), (5, .failed(1))], 900.0 as Double?),
        ([(0, .began), (5, .putOff(1))], 900),
        ([(0, .began), (100, .succeeded), (105, .failed(1))], 1000),
        ([(0, .began), (100, .succeeded)], nil),
        ([], nil),
    ])
    func `The breaker gives up at the set time after the last success, if there were failures`(
        steps: [(Double, Step)],
        end: Double?
    ) {
        let surrender = Self.breaker(after: steps).surrender(after: .seconds(900))
        #expect(surrender == end.map(Self.at))
        #expect(Self.breaker(after: steps).surrender(after: nil) == nil)
    }
}

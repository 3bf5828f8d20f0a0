import ReportRendering
import Testing

@testable import ContentFeeding

struct FeedConclusionTests {
    private var circumstances = FeedCircumstances(
        kind: .remove,
        target: "sqlite:/store",
        commandLine: CommandLineWords(["fastctl", "remove", "--collection", "Web Pages"])
    )

    @Test func `The last sentence counts each outcome`() {
        var report = StatusReport.example(removed: 119_980, end: .completed)
        report.counts[.missing] = 48
        report.counts[.failed] = 3
        report.counts.accepted = 120_031
        report.input.rejected = 1
        report.errorCount = 51
        let conclusion = FeedConclusion(report, circumstances)
        let expected = "WebCollection: 119980 removed, 48 missing, 3 failed of 120031 accepted; 1 line rejected"
        #expect(conclusion.sentence == expected + " (job 01JOB, 3.4 s)")
        #expect(conclusion.status == .inputRejected)
        #expect(conclusion.lines == [conclusion.sentence])
    }

    @Test func `Nothing to do is a success with a sentence`() {
        let conclusion = FeedConclusion(.example(removed: 0, end: .completed), circumstances)
        #expect(conclusion.status == .done)
        #expect(conclusion.sentence == "WebCollection: nothing to do, the input holds no IDs (job 01JOB, 3.4 s)")
    }

    @Test func `An interrupted removal says how to go on, and why so`() {
        var report = StatusReport.example(removed: 2, end: .stopped(.interrupted))
        report.counts.accepted = 5
        report.counts.open = 3
        var circumstances = circumstances
        circumstances.readsStandardInput = true
        let conclusion = FeedConclusion(report, circumstances)
        #expect(conclusion.status == .interrupted)
        #expect(conclusion.sentence.contains("2 removed, 3 open of 5 accepted"))
        #expect(
            conclusion.resumption
                == "run it again with the same input: fastctl remove --collection 'Web Pages' --missing ignore"
        )
        #expect(conclusion.remarks.contains { $0.contains("hence --missing ignore") })
    }

    @Test func `Counts that do not balance are a defect, whatever else there is`() {
        var report = StatusReport.example(removed: 2, end: .stopped(.engine(.diskFull, message: "the disk is full")))
        report.counts.accepted = 5
        #expect(FeedConclusion(report, circumstances).status == .unbalanced)
    }

    @Test func `The engine's reason is told`() {
        let report = StatusReport.example(removed: 2, end: .stopped(.engine(.diskFull, message: "the disk is full")))
        let conclusion = FeedConclusion(report, circumstances)
        #expect(conclusion.status == .inputOutput)
        #expect(conclusion.remarks.first == "stopped: the disk is full")
    }

    @Test func `Failed documents and failed output have their codes`() {
        var report = StatusReport.example(removed: 2, end: .completed)
        report.errorCount = 1
        #expect(FeedConclusion(report, circumstances).status == .documentsFailed)
        var circumstances = circumstances
        circumstances.outputFailure = "cannot write to standard output: no space"
        #expect(FeedConclusion(report, circumstances).status == .inputOutput)
    }

    @Test func `A feed that never ended is incomplete`() {
        #expect(FeedConclusion(.example(removed: 2, end: nil), circumstances).status == .incomplete)
    }
}

extension StatusReport {
    fileprivate static func example(removed: Int, end: FeedEnd?) -> StatusReport {
        var counts = FeedCounts()
        counts.accepted = removed
        counts[.removed] = removed
        return StatusReport(
            job: JobID(rawValue: "01JOB"),
            collection: "WebCollection",
            counts: counts,
            input: InputTally(),
            rejections: [],
            level: .secured,
            reachedLevel: .secured,
            errorCount: 0,
            warningCount: 0,
            sentBatches: 1,
            resentBatches: 0,
            operationsInFlight: 0,
            duration: .milliseconds(3_450),
            end: end
        )
    }
}

import FeedJobs
import FeedReports
import ReportKit
import TestSupport
import Testing
import TextKit

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
        #expect(conclusion.sentence == expected + " (3.4 s)")
        var kept = circumstances
        kept.keptJob = report.job
        #expect(FeedConclusion(report, kept).sentence == expected + " (job 01JOB, 3.4 s)")
        (kept.keptJob, kept.recordedJob) = (nil, report.job)
        #expect(FeedConclusion(report, kept).sentence == expected + " (job 01JOB, 3.4 s)")
        #expect(conclusion.status == .inputRejected)
        #expect(conclusion.lines == [conclusion.sentence])
    }

    @Test func `Updated documents that an earlier attempt may have added are reported by name`() {
        var circumstances = circumstances
        circumstances.kind = .add
        var report = StatusReport.example(removed: 0, end: .completed)
        report.counts[.updated] = 3
        report.counts.accepted = 3
        #expect(FeedConclusion(report, circumstances).remarks.isEmpty)
        report.counts.perhapsAdded = 2
        let remarks = FeedConclusion(report, circumstances).remarks
        #expect(remarks.count == 1 && remarks[0].hasPrefix("'updated' includes 2 documents that an earlier attempt"))
        // Nothing is claimed about a request that may not have been sent.
        #expect(remarks[0].contains("not known whether it was sent") && !remarks[0].contains("lost"))
    }

    @Test func `A feed with nothing to do is a success, with a sentence that reports it`() {
        let conclusion = FeedConclusion(.example(removed: 0, end: .completed), circumstances)
        #expect(conclusion.status == .done)
        #expect(conclusion.sentence == "WebCollection: nothing to do: the input contains no IDs (3.4 s)")
    }

    @Test(arguments: [
        (FeedCommand.apply, "the plan contains no operations"), (.undo, "the backup contains no changes"),
        (.add, "the input contains no documents"),
    ])
    func `The sentence about an empty input names the part that is empty`(command: FeedCommand, reason: String) {
        var circumstances = circumstances
        (circumstances.kind, circumstances.command) = (command == .apply ? .remove : .add, command)
        let conclusion = FeedConclusion(.example(removed: 0, end: .completed), circumstances)
        #expect(conclusion.sentence == "WebCollection: nothing to do: \(reason) (3.4 s)")
    }

    @Test(arguments: [
        (
            StopReason.interrupted, Optional(DocumentFailure(.attemptsExhausted, "connection refused")),
            "; nothing had succeeded for 42 s: connection refused"
        ),
        (StopReason.deadline(.seconds(60)), DocumentFailure?.none, "; the engine had not answered for 42 s"),
    ])
    func `A feed that was making no progress when it was stopped reports for how long, and why`(
        stop: StopReason,
        failure: DocumentFailure?,
        words: String
    ) {
        var report = StatusReport.example(removed: 2, end: .stopped(stop))
        #expect(!FeedConclusion(report, circumstances).remarks.contains { $0.contains("42 s") })
        report.standstill = Standstill(duration: .seconds(42), failure: failure, givesUpAfter: nil, open: 3)
        let remarks = FeedConclusion(report, circumstances).remarks
        #expect(remarks.contains { $0.hasPrefix("stopped: ") && $0.hasSuffix(words) }, "\(remarks)")
    }

    @Test func `An interrupted removal reports how to continue, and why`() {
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
        #expect(conclusion.remarks.contains { $0.contains("--missing ignore is added because") })
    }

    @Test func `A kept job is resumed, unless its collection may have been replaced, and is never started over`() {
        var circumstances = circumstances
        circumstances.keptJob = JobID(rawValue: "01JOB")
        circumstances.commandLine = CommandLineWords(["fastctl", "remove", "-c", "web", "--restart", "--", "--restart"])
        let again = "run it again: fastctl remove -c web -- --restart"
        let interrupted = StatusReport.example(removed: 2, end: .stopped(.interrupted))
        #expect(
            FeedConclusion(interrupted, circumstances).resumption
                == "resume it with: fastctl jobs resume 01JOB, or \(again)"
        )
        for code in [EngineError.Code.missingCollection, .collectionChanged] {
            let stopped = StatusReport.example(removed: 2, end: .stopped(.engine(code, message: "gone")))
            #expect(
                FeedConclusion(stopped, circumstances).resumption
                    == "when the collection is available again, \(again)"
            )
        }
    }

    @Test func `Counts that do not balance are reported as a bug, whatever else happened`() {
        var report = StatusReport.example(removed: 2, end: .stopped(.engine(.diskFull, message: "the disk is full")))
        report.counts.accepted = 5
        #expect(FeedConclusion(report, circumstances).status == .unbalanced)
    }

    @Test func `A document that still exists at the end is an error, reported before the last sentence`() {
        var tally = VerificationAccount.Tally()
        (tally.documents, tally.checked, tally.wrong, tally.named) = (3, 3, 1, ["A"])
        var circumstances = circumstances
        circumstances.verification = .done(tally)
        let conclusion = FeedConclusion(.example(removed: 3, end: .completed), circumstances)
        #expect(conclusion.status == .documentsFailed)
        #expect(conclusion.remarks.first == "'A' still exists")
        #expect(conclusion.remarks.last?.hasPrefix("not verified: 1 of 3 still exists") == true)
        #expect(conclusion.resumption == nil)
    }

    @Test func `Documents that can't be looked up or erased have their own exit codes`() {
        var circumstances = circumstances
        circumstances.verification = .brokenOff(.targetUnusable, reason: "there is no connection")
        let report = StatusReport.example(removed: 3, end: .completed)
        #expect(FeedConclusion(report, circumstances).status == .targetUnusable)
        circumstances.purgeFailure = .init(.inputOutput, "the disk is full; make room")
        let conclusion = FeedConclusion(report, circumstances)
        #expect(conclusion.status == .inputOutput)
        #expect(
            conclusion.remarks == [
                "the removed documents were not erased from the disk: the disk is full; make room",
                "not verified: there is no connection",
            ]
        )
    }

    @Test func `A feed that loses its target after its end is not a success`() {
        var circumstances = circumstances
        circumstances.lossOfTarget = .init(.targetUnusable, "a.sqlite: the file was deleted")
        let conclusion = FeedConclusion(.example(removed: 3, end: .completed), circumstances)
        #expect(conclusion.status == .targetUnusable)
        #expect(conclusion.remarks == ["a.sqlite: the file was deleted"])
    }

    @Test(arguments: [
        (
            StopReason.input(message: "cannot read 'a.gz': truncated gzip input"), false,
            "once the input can be read to its end, resume it with: fastctl jobs resume 01JOB, or run it again: "
                + "fastctl remove --collection 'Web Pages'; otherwise, cancel the job: fastctl jobs cancel 01JOB"
        ),
        (
            .input(message: "cannot read 'standard input': truncated gzip input"), true,
            "run the same command again with the whole input, or cancel the job: fastctl jobs cancel 01JOB"
        ),
        (
            .engine(.rejected, message: "'web' is an alias with a filter"), false,
            "once the cause is removed, resume it with: fastctl jobs resume 01JOB, or run it again: fastctl remove "
                + "--collection 'Web Pages'; otherwise, cancel the job: fastctl jobs cancel 01JOB"
        ),
        (
            .engine(.diskFull, message: "the disk is full"), true,
            "resume it with: fastctl jobs resume 01JOB, or run it again with the same input"
        ),
    ])
    func `A job that would stop again is resumed only under a condition`(
        reason: StopReason,
        isPipe: Bool,
        resumption: String
    ) {
        var circumstances = circumstances
        let report = StatusReport.example(removed: 2, end: .stopped(reason))
        circumstances.readsStandardInput = isPipe
        circumstances.keptJob = report.job
        #expect(FeedConclusion(report, circumstances).resumption == resumption)
        circumstances.keptJob = nil
        let words = FeedConclusion(report, circumstances).resumption ?? ""
        let isBroken = if case .input = reason { isPipe } else { false }
        #expect(words.contains(isBroken ? "run it again with the whole input: " : "run it again"), "\(words)")
    }

    @Test func `The reason that the engine gives is reported`() {
        let report = StatusReport.example(removed: 2, end: .stopped(.engine(.diskFull, message: "the disk is full")))
        let conclusion = FeedConclusion(report, circumstances)
        #expect(conclusion.status == .inputOutput)
        #expect(conclusion.remarks.first == "stopped: the disk is full")
    }

    @Test(arguments: [
        (
            StopReason.gaveUp(after: .seconds(900), last: "cannot connect to es1:9200: connection refused"),
            "stopped: nothing has succeeded for 15 min (last error: cannot connect to es1:9200: connection refused)"
        ),
        (.gaveUp(after: .milliseconds(90_500), last: ""), "stopped: nothing has succeeded for 1 min 30.5 s"),
        (
            .deadline(.seconds(5400)),
            "stopped: the --deadline of 1 h 30 min has passed; all requests in flight were answered"
        ),
        (
            .halted(errors: 1, settled: 1),
            "stopped: the first document of this run had an error, which reaches the --halt limit; all requests in "
                + "flight were answered"
        ),
        (
            .halted(errors: 120, settled: 1000),
            "stopped: 120 of the first 1000 documents of this run had an error, which reaches the --halt limit; all "
                + "requests in flight were answered"
        ),
    ])
    func `A feed that stopped because of a limit or an error reports the reason, its progress and how to continue`(
        reason: StopReason,
        remark: String
    ) {
        var report = StatusReport.example(removed: 4000, end: .stopped(reason))
        report.counts.accepted = 10_000
        report.counts.open = 6000
        report.errorCount = 1
        let conclusion = FeedConclusion(report, circumstances)
        #expect(conclusion.status == .incomplete)
        #expect(
            conclusion.lines == [
                remark,
                "--missing ignore is added because the removed documents will be missing next time",
                "WebCollection: 4000 removed, 6000 open of 10000 accepted (3.4 s)",
                "run it again: fastctl remove --collection 'Web Pages' --missing ignore",
            ]
        )
    }

    @Test(arguments: [
        (FlowChange.limit(1), "at most 1 batch in flight from now on"),
        (.limit(6), "at most 6 batches in flight from now on"),
        (
            .waiting(DocumentFailure(.attemptsExhausted, "connection refused"), for: .seconds(2)),
            "the engine is not working; next attempt in 2.0 s: connection refused"
        ),
        (.answering, "the engine is working again"),
        (
            .held(open: 119, for: .seconds(90)),
            "waiting: 119 operations are open; an earlier request for their documents got no answer and may still arrive, "
                + "so sending continues in at most 1 min 30 s"
        ),
    ])
    func `A change in the state of a feed is reported as a sentence`(change: FlowChange, sentence: String) {
        #expect(FlowSentence(change).text == sentence)
    }

    @Test func `Failed documents and failed output have their own exit codes`() {
        var report = StatusReport.example(removed: 2, end: .completed)
        report.errorCount = 1
        #expect(FeedConclusion(report, circumstances).status == .documentsFailed)
        var circumstances = circumstances
        circumstances.outputFailures = ["cannot write to standard output: no space"]
        #expect(FeedConclusion(report, circumstances).status == .inputOutput)
    }

    @Test func `A feed that never ended is incomplete`() {
        #expect(FeedConclusion(.example(removed: 2, end: nil), circumstances).status == .incomplete)
    }
}

extension StatusReport {
    static func example(removed: Int, end: FeedEnd?) -> StatusReport {
        var counts = FeedCounts()
        counts.accepted = removed
        counts[.removed] = removed
        var report = StatusReport(collection: "WebCollection", counts: counts, end: end)
        report.job = JobID(rawValue: "01JOB")
        report.sentBatches = 1
        report.duration = .milliseconds(3_450)
        return report
    }
}

struct LostIssuesTests {
    /// A report with fewer errors than it counts would be mistaken for a complete one.
    @Test(arguments: [OutputForm.text, .json]) func `A list that can't be read back is a failure`(
        format: OutputForm
    ) async throws {
        let folder = try TemporaryFolder()
        let long = String(repeating: "x", count: 60_000)
        let operations = try (1...200).map { ContentOperation.remove(try DocumentID("FAKE\($0)\(long)")) }
        let result = await RenderedFeed(operations: operations, spillDirectory: folder.path("")).run()
        #expect(result.report.errorCount == 200)
        OpenFiles.makeUnreadable(below: folder.path(""))
        let circumstances = FeedCircumstances(kind: .remove, target: "sqlite:x", commandLine: CommandLineWords(["x"]))
        #expect(throws: SpillError.self) {
            var bytes: [UInt8] = []
            try FeedTranscript(format).append(result, circumstances, to: &bytes) { $0.removeAll() }
        }
    }
}

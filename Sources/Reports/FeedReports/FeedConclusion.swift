package import ContentFeeding
package import FeedJobs
import ReportKit
package import TextKit

/// The conclusion of a feed: exit code, final sentence and instructions for resuming, derived together so that they
/// cannot disagree.
package struct FeedConclusion: Sendable {
    package let status: ExitStatus
    /// One line with the result.
    package let sentence: String
    /// The reason for an early end and other remarks about the run, one line each, to be printed before the sentence.
    package let remarks: [String]
    /// The line that explains how to resume, printed last; `nil` if there is nothing left to do.
    package let resumption: String?

    /// All lines to print at the end.
    package var lines: [String] { remarks + [sentence] + [resumption].compactMap(\.self) }

    package init(_ report: StatusReport, _ circumstances: FeedCircumstances) {
        let stop: StopReason? = if case .stopped(let reason) = report.end { reason } else { nil }
        var statuses: [ExitStatus] = []
        if !report.counts.isBalanced { statuses.append(.unbalanced) }
        if let stop { statuses.append(ExitStatus(stop)) }
        if stop == nil, report.end == nil || report.counts.open > 0 || circumstances.isInputPartial {
            statuses.append(.incomplete)
        }
        if !circumstances.outputFailures.isEmpty { statuses.append(.inputOutput) }
        let isEmpty = report.counts.accepted == 0 && circumstances.failsOnEmpty
        if report.input.rejected > 0 || circumstances.unwritableNames > 0 || isEmpty { statuses.append(.inputRejected) }
        if report.hasDocumentErrors { statuses.append(.documentsFailed) }
        if circumstances.notTakenBack != nil { statuses.append(.documentsFailed) }
        let late = [circumstances.lossOfTarget, circumstances.purgeFailure].map { $0?.status }
        statuses += (late + [circumstances.verification?.status]).compactMap(\.self)
        status = .first(of: statuses)
        sentence = Self.sentence(on: report, circumstances)
        remarks = Self.remarks(on: report, stop, circumstances)
        resumption = Self.isFinished(report) ? circumstances.completion : circumstances.resumption(after: stop)
    }

    private static func remarks(
        on report: StatusReport,
        _ stop: StopReason?,
        _ circumstances: FeedCircumstances
    ) -> [String] {
        var lines: [String] = []
        if !report.counts.isBalanced {
            lines.append("the counts do not balance: please report this, with the status report (--report FILE)")
        }
        lines += circumstances.outputFailures
        if circumstances.unwritableNames > 0 {
            lines.append(NameEnd.refusal(of: circumstances.unwritableNames))
        }
        if report.counts[.gone] > 0, circumstances.kind == .remove {
            lines.append(
                circumstances.repeatedRun.map { run in
                    "'gone' means removed by the run that ended on \(UTCTimestamp(since1970: run.endedAt)), and still absent"
                } ?? "'gone' means absent now; it is not known whether the document existed before"
            )
        }
        if report.counts.perhapsAdded > 0 {
            let documents = Quantity(report.counts.perhapsAdded, "document", "documents")
            lines.append(
                "'updated' includes \(documents) that an earlier attempt of this job may have added: no answer to it "
                    + "is recorded, so it is not known whether it was sent, or whether they existed before"
            )
        }
        if let left = circumstances.notTakenBack { lines.append(left.sentence) }
        if let failure = circumstances.lossOfTarget { lines.append(failure.sentence) }
        if let failure = circumstances.purgeFailure {
            lines.append("the removed documents were not erased from the disk: \(failure.sentence)")
        }
        lines += circumstances.verification?.lines(of: circumstances.kind) ?? []
        if let stop { lines.append("stopped: \(stop.explanation)\(standstill(before: stop, report))") }
        if !isFinished(report), circumstances.keptJob == nil, circumstances.kind == .remove,
            !circumstances.findsItsInput, report.counts[.removed] + report.counts[.gone] > 0
        {
            lines.append("--missing ignore is added because the removed documents will be missing next time")
        }
        return lines
    }

    /// Returns the time without progress before the feed was stopped, and the reason, as the end of a sentence.
    private static func standstill(before stop: StopReason, _ report: StatusReport) -> String {
        switch stop {
        case .interrupted, .terminated, .deadline: break
        case .gaveUp, .halted, .engine, .input, .source, .storage: return ""
        }
        guard let standstill = report.standstill else { return "" }
        let duration = ShortDuration(chosen: .seconds(standstill.duration.components.seconds))
        return standstill.failure.map { "; nothing had succeeded for \(duration): \($0.message)" }
            ?? "; the engine had not answered for \(duration)"
    }

    private static func isFinished(_ report: StatusReport) -> Bool {
        report.end == .completed && report.counts.open == 0
    }

    /// Returns
    /// `WebCollection: 119980 removed, 48 missing, 3 failed of 120031 accepted; 1 line rejected (job 01J…, 3.4 s)`.
    private static func sentence(on report: StatusReport, _ circumstances: FeedCircumstances) -> String {
        let count = report.input.rejected
        let rejected = count == 0 ? "" : "; \(Quantity(count, "line", "lines")) rejected"
        let duplicates =
            report.input.duplicates == 0
            ? "" : "; \(Quantity(report.input.duplicates, "duplicate", "duplicates")) in the input"
        // Another command can refer to a job by its ID only if the job is kept, or records the backup.
        let kept = (circumstances.keptJob ?? circumstances.recordedJob).map { "job \($0), " } ?? ""
        let job = "(\(kept)\(ShortDuration(report.duration)))"
        let account =
            report.counts.accepted == 0
            ? nothing(in: report, circumstances)
            : "\(outcomes(of: report.counts, circumstances.kind)) of \(report.counts.accepted) accepted"
        return "\(report.collection): \(account)\(duplicates)\(rejected) \(job)"
    }

    private static func nothing(in report: StatusReport, _ circumstances: FeedCircumstances) -> String {
        guard report.input.rejected == 0, report.end == .completed else { return "nothing accepted" }
        if circumstances.findsItsInput { return "nothing to do: no document was found" }
        switch circumstances.command {
        case .apply: return "nothing to do: the plan contains no operations"
        case .undo: return "nothing to do: the backup contains no changes"
        case .add, .update, .remove, .copy:
            return "nothing to do: the input contains no \(circumstances.kind == .remove ? "IDs" : "documents")"
        }
    }

    /// Returns the outcomes with their counts; if there are no outcomes, or a removal removed nothing, the requested
    /// outcome is listed with 0.
    private static func outcomes(of counts: FeedCounts, _ kind: ContentOperation.Kind) -> String {
        var parts = Outcome.allCases.filter { counts[$0] > 0 }.map { "\(counts[$0]) \($0.name)" }
        if parts.isEmpty || (kind == .remove && counts[.removed] == 0 && counts[.gone] == 0) {
            let wanted: Outcome =
                switch kind {
                case .add: .added
                case .update: .updated
                case .remove: .removed
                }
            parts.insert("0 \(wanted.name)", at: 0)
        }
        if counts.open > 0 { parts.append("\(counts.open) open") }
        return parts.joined(separator: ", ")
    }
}

extension FeedCircumstances {
    /// The line that explains how to feed the rest of an interrupted input; `nil` if there is none.
    fileprivate var completion: String? {
        guard isInputPartial, let keptJob else { return nil }
        return "the run was interrupted before the pipe ended: run the same command again with the whole input "
            + "or, if the input was complete, cancel the job: fastctl jobs cancel \(keptJob)"
    }

    /// The line that explains how to resume.
    package var resumption: String { resumption(after: nil) }

    /// Returns the line that explains how to resume after a stop.
    ///
    /// Without a journal, removals that are already done must not count as errors in the next run.
    fileprivate func resumption(after stop: StopReason?) -> String {
        // Starting the command again would feed the same documents a second time.
        let commandLine = commandLine.removing("--restart")
        if keptJob != nil, case .engine(let code, _)? = stop, [.missingCollection, .collectionChanged].contains(code) {
            // The job can't be resumed with a different collection of that name; the same command then begins a new
            // job.
            let again = readsStandardInput ? "run it again with the same input" : "run it again: \(commandLine)"
            return "when the collection is available again, \(again)"
        }
        // Input from a pipe can't be repaired.
        let isPipeBroken = if case .input? = stop { readsStandardInput } else { false }
        if let keptJob {
            let cancellation = "cancel the job: fastctl jobs cancel \(keptJob)"
            if isPipeBroken { return "run the same command again with the whole input, or \(cancellation)" }
            let condition = stop.flatMap(\.condition)
            let end = condition == nil ? "" : "; otherwise, \(cancellation)"
            let resume = "\(condition.map { "\($0), " } ?? "")resume it with: "
            if commandLine.words.dropFirst().starts(with: ["jobs", "resume"]) {
                return resume + "\(commandLine)\(end)"
            }
            let again = readsStandardInput ? "or run it again with the same input" : "or run it again: \(commandLine)"
            return resume + "fastctl jobs resume \(keptJob), \(again)\(end)"
        }
        let again =
            isPipeBroken
            ? "run it again with the whole input"
            : "\(stop.flatMap(\.condition).map { "\($0), " } ?? "")run it again"
                + (readsStandardInput ? " with the same input" : "")
        guard kind == .remove else { return "\(again): \(commandLine)" }
        if findsItsInput { return "run it again to find the remaining documents: \(commandLine)" }
        let words = commandLine.setting("--missing", to: "ignore")
        return "\(again): \(words)"
    }
}

extension StopReason {
    /// The condition without which another run would stop for the same reason, as the beginning of a sentence; `nil` if
    /// there is none.
    fileprivate var condition: String? {
        switch self {
        case .input: "once the input can be read to its end"
        case .engine(let code, _) where ExitStatus(code) == .configuration: "once the cause is removed"
        default: nil
        }
    }

    fileprivate var explanation: String {
        switch self {
        case .interrupted: "interrupted; all requests in flight were answered"
        case .terminated: "terminated by a signal; all requests in flight were answered"
        case .gaveUp(let time, ""): "nothing has succeeded for \(ShortDuration(chosen: time))"
        case .gaveUp(let time, let last):
            "nothing has succeeded for \(ShortDuration(chosen: time)) (last error: \(last))"
        case .deadline(let time):
            "the --deadline of \(ShortDuration(chosen: time)) has passed; all requests in flight were answered"
        case .halted(let errors, let settled):
            // The final line also counts later responses, and the operations of earlier runs.
            "\(settled == 1 ? "the first document" : "\(errors) of the first \(settled) documents") of this run had an "
                + "error, which reaches the --halt limit; all requests in flight were answered"
        case .engine(_, let message), .source(_, let message), .input(let message), .storage(let message): message
        }
    }
}

/// Facts that the conclusion needs, but that the feed's report does not contain.
package struct FeedCircumstances: Sendable {
    package var kind: ContentOperation.Kind
    package var command: FeedCommand
    /// The engine's address, without secrets.
    package var target: String
    /// The command line that the user typed.
    package var commandLine: CommandLineWords
    /// Whether some or all of the input came from a pipe, and the user must supply it again.
    package var readsStandardInput = false
    /// Whether an input without any operations is a failure (`--fail-if-none`).
    package var failsOnEmpty = false
    /// Whether the input comes from a search in a collection, which does not find removed documents again.
    package var findsItsInput = false
    /// The conditions that selected the documents (`--where`, `--query`); `nil` if there were none.
    package var selection: SearchQuery?
    /// Whether the input is only the part that came through a pipe before its reader was interrupted.
    package var isInputPartial = false
    /// The job kept in the journal, which the same command resumes; `nil` without a journal.
    package var keptJob: JobID?
    /// The job that records the backup of a run that can't be resumed, but can be undone; `nil` for any other run.
    package var recordedJob: JobID?
    /// The earlier run of the job whose operations were sent again; `nil` if there is none.
    package var repeatedRun: RepeatedRun?
    /// The time at which the command was started, since 1970.
    package var startedAt = Duration.zero
    /// Failures of the outputs, one sentence each; the feed itself continued.
    package var outputFailures: [String] = []
    /// The result of reading the documents again; `nil` if not requested.
    package var verification: VerificationAccount?
    /// The reason removed documents were not erased (`--erase`), with its exit code.
    package var purgeFailure: LateFailure?
    /// The reason the writes are no longer in the target, with its exit code, if this was detected after the feed's
    /// end.
    package var lossOfTarget: LateFailure?
    /// The changes that an undo can't revert, because they are missing from the job's backup; `nil` if there are none.
    package var notTakenBack: NotTakenBack?

    /// The changes of a job that are missing from its backup.
    package struct NotTakenBack: Hashable, Sendable {
        /// The job.
        package let job: JobID
        /// The number of changes; `nil` if the number is also missing from the backup, because the backup was edited.
        package let changes: Int?

        package init(_ job: JobID, changes: Int?) { (self.job, self.changes) = (job, changes) }

        fileprivate var sentence: String {
            let subject = changes.map { "\(Quantity($0, "change", "changes"))" } ?? "an unknown number of changes"
            return "\(subject) of job \(job) could not be undone, because the backup is incomplete"
        }
    }

    /// The number of IDs that `-o name` could not write, because they contain a line end or begin with a byte-order
    /// mark.
    package var unwritableNames = 0

    /// A failure of a step that should have followed the completed feed.
    package struct LateFailure: Hashable, Sendable {
        package let status: ExitStatus
        /// A sentence with the failure and the next step.
        package let sentence: String

        package init(_ status: ExitStatus, _ sentence: String) { (self.status, self.sentence) = (status, sentence) }
    }

    /// `command` defaults to the usual one for the kind of operation.
    package init(
        kind: ContentOperation.Kind,
        _ command: FeedCommand? = nil,
        target: String,
        commandLine: CommandLineWords
    ) {
        self.kind = kind
        self.command = command ?? FeedCommand(kind)
        self.target = target
        self.commandLine = commandLine
    }
}

extension VerificationAccount {
    /// The contribution to the exit code.
    package var status: ExitStatus? {
        switch self {
        case .notRun: nil
        case .brokenOff(let status, _): status
        case .done(let tally): tally.unproven > 0 ? .documentsFailed : nil
        }
    }

    /// Returns the lines that report the result.
    package func lines(of kind: ContentOperation.Kind) -> [String] {
        switch self {
        case .notRun: ["nothing was verified, because the run did not finish"]
        case .brokenOff(_, let reason): ["not verified: \(reason)"]
        case .done(let tally): tally.lines(isRemoval: kind == .remove)
        }
    }
}

extension VerificationAccount.Tally {
    fileprivate func lines(isRemoval: Bool) -> [String] {
        guard unproven > 0 else {
            if documents == 0 { return ["nothing to verify: no operation succeeded"] }
            let all = Quantity(documents, "document", "documents")
            let subject = checked == documents ? "\(all)" : "\(checked) of \(all), chosen at random,"
            let rest = (isRemoval ? "" : uncomparedWords) + (reservation.map { ", \($0)" } ?? "")
            return ["verified: \(subject) \(result(isRemoval: isRemoval))\(rest)"]
        }
        let (one, several) = isRemoval ? ("still exists", "still exist") : ("does not exist", "do not exist")
        let advice =
            isRemoval ? "not removed, or added again by another client" : "not written, or removed by another client"
        return lines(wrong, named.map { "'\($0)' \(one)" }, one, several, advice)
            + lines(
                differing,
                namedDiffering.map { "'\($0.id)' differs from what was fed\(Self.words(for: $0.keys))" },
                "differs from what was fed",
                "differ from what was fed",
                "the engine stores it differently, or it has changed since; see 'fastctl reconcile'"
            )
            + lines(
                demandsContents ? uncompared : 0,
                [],
                "exists, but its contents were not compared",
                "exist, but their contents were not compared",
                uncomparedReason
            )
    }

    /// The keys by which a document differs, as the end of a sentence, in the notation of a dry run.
    private static func words(for keys: KeyDifference) -> String {
        let words = PreviewLines.words(for: keys)
        return words.isEmpty ? "" : ": \(words)"
    }

    private func result(isRemoval: Bool) -> String {
        if isRemoval { return checked == 1 ? "is absent" : "are absent" }
        if comparesContents { return checked == 1 ? "matches what was fed" : "match what was fed" }
        return checked == 1 ? "exists" : "exist"
    }

    /// The contents that were not compared, and the reason, as the end of a sentence; empty if everything was compared.
    private var uncomparedWords: String {
        guard uncompared > 0 else { return "" }
        guard comparesContents else { return "; contents were not compared: \(uncomparedReason)" }
        return "; the contents of \(uncompared) were not compared: \(uncomparedReason)"
    }

    private var uncomparedReason: String {
        if let obstacle { return obstacle }
        return comparesUpdates
            ? "an update with operators depends on the stored document"
            : "an update sends only a part of a document, which --verify=content compares"
    }

    private func lines(
        _ count: Int,
        _ named: [String],
        _ one: String,
        _ several: String,
        _ advice: String
    ) -> [String] {
        guard count > 0 else { return [] }
        return named + ["not verified: \(count) of \(checked) \(count == 1 ? one : several): \(advice)"]
    }
}

/// The command behind a feed or a dry run, as named in the report.
///
/// The command is more specific than the kind of operation: both a plan and an undo add and remove documents.
package enum FeedCommand: String, Hashable, Sendable, CaseIterable {
    case add
    case update
    case remove
    case copy
    case apply
    case undo

    /// The command that performs only this kind of operation.
    package init(_ kind: ContentOperation.Kind) {
        switch kind {
        case .add: self = .add
        case .update: self = .update
        case .remove: self = .remove
        }
    }
}

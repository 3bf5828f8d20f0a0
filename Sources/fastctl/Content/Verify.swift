import ArgumentParsing
import ContentFeeding
import JobJournal
import ReportRendering

struct Verify: Command {
    static let configuration = CommandConfiguration(
        "verify",
        group: "Content",
        summary: "Look again whether the documents are as a job left them.",
        discussion: """
            Reads the job's input once more and looks up each document: one that was removed and is there again, one that \
            was added or updated and is gone, or is not as the job left it. That finds late copies and removals, and what \
            others have changed since; who wrote it is not known. Of a document that the input names several times, the \
            last operation counts; operations that failed are left out. What the job has not sent is counted, and not looked \
            at; the same goes for what was sent without an answer before it was killed. Then the exit code is 75.

            The input must be as the job read it. What came through a pipe is gone when the job has ended.
            """,
        examples: [
            .init("fastctl verify K7Z3VQ8M1T5R9XBC --after 10m", "Wait ten minutes first"),
            .init("fastctl verify K7Z3 -o name", "The IDs of documents that are not as the job left them"),
        ]
    )

    @OptionGroup("Target") var place: JobPlaceOptions
    @OptionGroup("Output") var output: RowOptions<OutputFormat>
    @OptionGroup("Output") var quiet: QuietOptions
    @OptionGroup("Output") var progress: ProgressOptions

    @Option("--after", value: "DURATION", help: "Wait this long first")
    var delay = Duration.zero

    @Argument("JOB", completion: .jobs, help: "The job; the beginning of its name is enough")
    var name: String

    func run() async throws -> ExitCode {
        let origin = try await JobOrigin(of: name, in: JobPlace(target: place.target, folder: place.folder))
        let progress = SecondLookProgress()
        let input = try JobInput(of: origin, noting: progress)
        try origin.enterFolder()
        try await input.check()
        if delay > .zero {
            let end = UTCTimestamp(since1970: ProcessEnvironment.now + delay)
            quiet.say(["waiting until \(end); Ctrl-C ends it, nothing is changed"])
            try await Task.sleep(for: delay)
        }
        let engine = try await origin.engine()
        let printer = FindingPrinter(output, in: engine.collection)
        let display = ProgressDisplay(self.progress.style, printsLines: output.format != .json) { progress.count }
        defer { display.finish() }
        var tally = SecondLookTally()
        for try await states in input {
            let found = try await engine.versions(at: states.map(\.key))
            guard found.count == states.count else {
                throw EngineError(.unusable, "the engine answered for \(found.count) of \(states.count) IDs")
            }
            var findings: [SecondLookFinding] = []
            for (operation, document) in zip(states, found) {
                let finding = SecondLookFinding(operation, document, in: engine.capabilities)
                tally.note(finding)
                if finding.difference != nil { findings.append(finding) }
            }
            progress.note(differences: tally.wrong)
            try printer.print(findings)
        }
        display.finish()
        try printer.finish()
        let reservation = await engine.lookupReservation()
        tally.rest = progress.rest
        var statuses = tally.statuses
        var lines = [tally.sentence(of: origin.job.id, in: engine.collection, reservation)]
        if origin.job.record.stage.isUnfinished, origin.job.holder == nil {
            lines.append("the job is unfinished; resume it with: fastctl jobs resume \(origin.job.id)")
        }
        quiet.say(lines, .first(of: statuses))
        if printer.unwritableNames > 0 { statuses.append(.inputRejected) }
        return ExitCode(.first(of: statuses))
    }
}

/// A printer of what a second look finds, in the requested form.
///
/// A class, because what it has printed decides how it ends.
private final class FindingPrinter {
    private let output = StandardOutput()
    private var bytes: [UInt8] = []
    private var transcript: SecondLookTranscript

    init(_ options: RowOptions<OutputFormat>, in collection: CollectionName) {
        transcript = SecondLookTranscript(options.format, nameEnd: options.nameEnd, in: collection)
    }

    var unwritableNames: Int { transcript.unwritableNames }

    func print(_ findings: [SecondLookFinding]) throws {
        for finding in findings { transcript.append(finding, to: &bytes) }
        try output.drainOrStop(&bytes)
    }

    func finish() throws {
        transcript.end(in: &bytes)
        try output.drainOrStop(&bytes)
        if unwritableNames > 0 { StandardError.say(NameEnd.refusal(of: unwritableNames)) }
    }
}

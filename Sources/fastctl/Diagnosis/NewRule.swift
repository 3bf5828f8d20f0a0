import ArgumentParsing
import LogDiagnosis
import ReportRendering
import Threads
import ULSLog

struct NewRule: Command {
    static let configuration = CommandConfiguration(
        "new",
        summary: "Begin a rule with a row of a log: writes FSnnnn.yaml and FSnnnn.tests.yaml.",
        discussion: """
            The row becomes the rule's first test. What is to be filled in is said in the files. Files that are there \
            are not written over.
            """,
        examples: [
            .init(
                "fastctl rules new --from WFE1-20240311-1003.log:12 --id FS5001 --dir my-rules",
                "A rule of your own"
            ),
            .init("fastctl rules test --rules my-rules --rule FS5001 --mutate", "And what its tests do not see yet"),
        ]
    )

    @Option("--from", value: "FILE:LINE", completion: .files, help: "The row that shows the failure")
    var place: LogPlace

    @Option("--id", value: "ID", completion: ArgumentCompletion.none, help: "The rule's ID; FS5001 to FS8999 are yours")
    var id: RuleID?

    @Option("--dir", value: "DIR", completion: .files, help: "The folder that the files go to")
    var folder = "."

    @OptionGroup("Reading") var reading: LogReadingOptions

    func run() async throws -> ExitCode {
        let reader = try reading.reader(of: [place.file], LogSelectionOptions(), example: "")
        let line = place.line
        let explanation = try await onOwnThread { Result { try reader.explanation(ofLine: line) } }.get()
        guard let event = explanation.event else {
            throw CommandFailure(
                .inputRejected,
                "\(place.argumentText) is no row: \(explanation.kind)",
                advice: "see how lines are read: fastctl logs --explain-parse \(place.argumentText)"
            )
        }
        let id = try id ?? freeID()
        let skeleton = RuleSkeleton(event: event, id: id)
        try NewFile.write(skeleton.rule.text, to: "\(folder)/\(id).yaml")
        try NewFile.write(skeleton.tests.text, to: "\(folder)/\(id).tests.yaml")
        var bytes = Array("\(folder)/\(id).yaml\n\(folder)/\(id).tests.yaml\n".utf8)
        try StandardOutput().drainOrStop(&bytes)
        StandardError.say("fill them in, then: fastctl rules test --rules \(folder) --rule \(id) --mutate")
        return .success
    }

    /// The first number that is left to users, and free in the folder.
    private func freeID() throws -> RuleID {
        for number in 5001...8999 {
            if let id = RuleID("FS\(number)"), !NewFile.exists("\(folder)/\(id).yaml") { return id }
        }
        throw CommandFailure(.refused, "there are rules FS5001 to FS8999 already", advice: "name one with --id")
    }
}

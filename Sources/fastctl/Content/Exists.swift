import ArgumentParsing
import ContentFeeding
import ReportRendering

struct Exists: Command {
    static let configuration = CommandConfiguration(
        "exists",
        group: "Content",
        summary: "Say by the exit code whether documents are there.",
        discussion: "The exit code is 0 when all of them are there, and 1 when any is not.",
        examples: [.init("fastctl exists -c WebCollection https://example.com/ && echo yes", "Ask for one")]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Collection") var collection: CollectionOptions
    @OptionGroup("Input") var input: IDOptions

    @Argument("ID", completion: ArgumentCompletion.none, help: "IDs to look up; '-' is standard input")
    var ids: [String]

    func run() async throws -> ExitCode {
        let sources = try input.sources(with: ids, example: "fastctl exists --collection WebCollection ID")
        let lookup = Lookup(
            engine: try await collection.open(at: target),
            input: FeedInputPlan(sources: sources, format: input.inputFormat, limits: input.limits)
        )
        return try await lookup.check()
    }
}

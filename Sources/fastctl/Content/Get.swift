import ArgumentParsing
import ContentFeeding
import FeedFormats
import ReportRendering

struct Get: Command {
    static let configuration = CommandConfiguration(
        "get",
        group: "Content",
        summary: "Print documents by ID.",
        discussion: """
            Text is each document's own JSON, on a line; -o json and -o ndjson add its ID, its collection and its \
            version. A document that does not exist is named on standard error, and the exit code is 1.
            """,
        examples: [
            .init("fastctl get -c WebCollection https://example.com/", "Print one document"),
            .init(
                "fastctl get -c WebCollection --from ids.txt -o ndjson > saved.jsonl",
                "Save some; 'add' restores them"
            ),
        ]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Collection") var collection: CollectionOptions
    @OptionGroup("Input") var input: IDOptions
    @OptionGroup("Output") var output: ResultOptions

    @Argument("ID", completion: ArgumentCompletion.none, help: "IDs to look up; '-' is standard input")
    var ids: [String]

    func run() async throws -> ExitCode {
        let sources = try input.sources(with: ids, example: "fastctl get --collection WebCollection ID")
        let lookup = Lookup(
            engine: try await collection.open(at: target),
            input: FeedInputPlan(sources: sources, format: input.inputFormat, limits: input.limits)
        )
        return try await lookup.print(DocumentPrinter(output, in: lookup.engine.collection))
    }
}

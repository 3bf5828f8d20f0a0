import ArgumentParsing
import ContentFeeding

struct Update: Command {
    static let configuration = CommandConfiguration(
        "update",
        group: "Content",
        summary: "Merge top-level keys into documents.",
        discussion: """
            Each line is a JSON object with the document's ID and the keys that change; null removes a key. \
            A document that does not exist is an error of that document.

            In a .csv or .tsv file a cell without a byte leaves its key as it is. In an .xml file, an <add> message \
            of Solr, update="set" is what happens to each field; null="true" removes it.
            """,
        examples: [
            .init("fastctl update -c WebCollection changes.jsonl", "Apply the changes of a file"),
            .init(
                #"echo '{"id":"A","title":"New"}' | fastctl update -c WebCollection"#,
                "Give one document another title"
            ),
        ]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Collection") var collection: CollectionOptions
    @OptionGroup("Input") var input: DocumentOptions
    @OptionGroup("Guards") var guards: FeedGuards
    @OptionGroup("Feeding") var feeding: FeedingOptions
    @OptionGroup("Output") var output: OutputOptions

    @Option("--missing", value: "POLICY", help: "What a document that does not exist is")
    var missing = MissingPolicy.error

    @Argument("FILE", completion: .files, help: "Files of documents; '-' or none is standard input")
    var files: [String]

    func run() async throws -> ExitCode {
        let plan = try input.plan(of: files, example: "fastctl update --collection WebCollection pages.jsonl")
        let target = try target.plan(collection: collection.name)
        let collection = try collection.required(in: target)
        try guards.protection.require(target, to: "update documents in it")
        return try await FeedRun(
            kind: .update,
            collection: collection,
            target: target,
            input: plan,
            options: feeding.options(missing: missing),
            output: output,
            verification: guards.verification
        ).run()
    }
}

import ArgumentParsing
import ContentFeeding

struct Add: Command {
    static let configuration = CommandConfiguration(
        "add",
        group: "Content",
        summary: "Add documents, or replace them whole.",
        discussion: """
            A document is a JSON object on a line; its key 'id' is its ID. What 'fastctl get -o ndjson' and \
            'fastctl remove --backup' write can be added as it is.

            In a .csv or .tsv file the first row names the keys, and all values are strings; a cell without a byte \
            is a key that the document does not have, two quotes are an empty string. An .xml file is an <add> \
            message of Solr.
            """,
        examples: [
            .init("fastctl add -c WebCollection pages.jsonl", "Add the documents of a file"),
            .init("fastctl add -c WebCollection --field url < pages.jsonl", "Take the key 'url' for the ID"),
            .init("fastctl add -c WebCollection pages.csv", "Add the rows of a table"),
        ]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Collection") var collection: CollectionOptions
    @OptionGroup("Input") var input: DocumentOptions
    @OptionGroup("Guards") var guards: FeedGuards
    @OptionGroup("Feeding") var feeding: FeedingOptions
    @OptionGroup("Output") var output: OutputOptions

    @Argument("FILE", completion: .files, help: "Files of documents; '-' or none is standard input")
    var files: [String]

    func run() async throws -> ExitCode {
        let plan = try input.plan(of: files, example: "fastctl add --collection WebCollection pages.jsonl")
        let target = try target.plan(collection: collection.name)
        let collection = try collection.required(in: target)
        try guards.protection.require(target, to: "add to it")
        return try await FeedRun(
            kind: .add,
            collection: collection,
            target: target,
            input: plan,
            options: feeding.options(missing: .error),
            output: output,
            verification: guards.verification
        ).run()
    }
}

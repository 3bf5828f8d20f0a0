import ArgumentParsing
import ContentFeeding

struct ListCollections: Command {
    static let configuration = CommandConfiguration(
        "list",
        summary: "List the collections.",
        examples: [.init("fastctl collections list -o name", "Only their names")]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Output") var output: ResultOptions

    func run() async throws -> ExitCode {
        let collections = try await target.open().list()
        try CollectionPrinter(output).print(collections)
        if collections.isEmpty {
            StandardError.say("there is no collection yet: fastctl collections create NAME")
        }
        return .success
    }
}

struct ShowCollection: Command {
    static let configuration = CommandConfiguration(
        "show",
        summary: "Show a collection: its documents, what waits to be merged, its size.",
        examples: [.init("fastctl collections show WebCollection", "Show one")]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Output") var output: ResultOptions
    @Argument("NAME", completion: .collections, help: "The collection") var name: String

    func run() async throws -> ExitCode {
        let plan = try target.plan()
        let collection = try await plan.open().show(plan.collection(name).engineName)
        try CollectionPrinter(output).show(collection)
        return .success
    }
}

import ArgumentParsing
import ContentFeeding

struct CreateCollection: Command {
    static let configuration = CommandConfiguration(
        "create",
        summary: "Make a collection, and the store if there is none.",
        examples: [.init("fastctl collections create WebCollection", "Make one")]
    )

    @OptionGroup("Target") var target: TargetOptions
    @Argument("NAME", completion: ArgumentCompletion.none, help: "The collection's name") var name: String

    func run() async throws -> ExitCode {
        let store = try await target.create()
        try await store.create(CollectionName(name), settings: [])
        StandardError.say("\(name) created in \(store.target)")
        return .success
    }
}

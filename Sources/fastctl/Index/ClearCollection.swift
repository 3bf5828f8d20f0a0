import ArgumentParsing
import ContentFeeding
import ReportRendering

struct ClearCollection: Command {
    static let configuration = CommandConfiguration(
        "clear",
        summary: "Remove all documents of a collection, and keep the collection.",
        discussion: "Asks for the collection's name, on the terminal or with --confirm.",
        examples: [.init("fastctl collections clear WebCollection --confirm WebCollection", "Empty it, in a script")]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Guards") var confirmation: ConfirmationOptions
    @Argument("NAME", completion: .collections, help: "The collection") var name: String

    func run() async throws -> ExitCode {
        let plan = try target.plan()
        try confirmation.requireContext(of: plan, to: "clear", collection: name)
        let store = try await plan.open()
        let collection = try await store.show(plan.collection(name).engineName)
        try confirmation.require(collection, named: name, of: plan, to: "clear")
        let count = try await Interruption.stopping("it may be empty in part") {
            try await store.clear(collection.name)
        }
        StandardError.say("\(name): \(Quantity(count, "document", "documents")) removed; the collection is empty")
        return .success
    }
}

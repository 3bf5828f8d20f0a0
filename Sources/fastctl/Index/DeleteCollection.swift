import ArgumentParsing
import ContentFeeding
import ReportRendering

struct DeleteCollection: Command {
    static let configuration = CommandConfiguration(
        "delete",
        summary: "Remove a collection with all its documents.",
        discussion: "Asks for the collection's name, on the terminal or with --confirm.",
        examples: [.init("fastctl collections delete WebCollection --confirm WebCollection", "Delete it, in a script")]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Guards") var confirmation: ConfirmationOptions
    @Argument("NAME", completion: .collections, help: "The collection") var name: String

    func run() async throws -> ExitCode {
        let plan = try target.plan()
        try confirmation.requireContext(of: plan, to: "delete", collection: name)
        let store = try await plan.open()
        let collection = try await store.show(plan.collection(name).engineName)
        try confirmation.require(collection, named: name, of: plan, to: "delete")
        let count = try await Interruption.stopping("it may be gone") { try await store.delete(collection.name) }
        StandardError.say("\(name) deleted, with \(Quantity(count, "document", "documents"))")
        return .success
    }
}

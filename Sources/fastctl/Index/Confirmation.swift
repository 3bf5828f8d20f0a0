import ArgumentParsing
import ContentFeeding
import EngineCatalog
import ReportRendering

/// Options for confirming a collection by its name, so that no slip of the fingers empties one.
struct ConfirmationOptions: OptionSetting {
    @Option(
        "--confirm",
        value: "NAME",
        completion: .collections,
        help: "The collection's name as confirmation; repeat it with the context's if that is protected"
    )
    var names: [String]

    /// Opens the target and returns it with a collection of it, once both names that protect them are confirmed.
    ///
    /// `name` is the user's name for the collection, which may differ from the engine's.
    func open(
        _ name: String,
        at options: TargetOptions,
        to action: String
    ) async throws -> (any CollectionAdministration, CollectionDescription) {
        let target = try options.resolve()
        try target.requireConfirmation(names, to: "\(action) a collection", collection: name)
        let store = try await target.open()
        let collection = try await store.show(target.collection(name).engineName)
        try require(collection, named: name, in: target, to: action)
        return (store, collection)
    }

    /// Requires the collection's name, given or typed on the terminal.
    private func require(
        _ collection: CollectionDescription,
        named name: String,
        in target: OpenableTarget,
        to action: String
    ) throws {
        let accepted = [name, collection.name.rawValue]
        let left = target.unused(names)
        guard !left.contains(where: accepted.contains) else { return }
        let given = ask(collection, to: action) ?? left.first
        guard !accepted.contains(given ?? "") else { return }
        let confirmation = (names.filter { !left.contains($0) } + [name])
            .map { "--confirm \(CommandLineWords.quoted($0))" }.joined(separator: " ")
        throw CommandFailure(
            .refused,
            given == nil
                ? "refused: this needs the collection's name as confirmation; nothing was removed"
                : "refused: '\(given ?? "")' is not the collection's name; nothing was removed",
            advice: "to \(action) it (\(documents(in: collection))): \(confirmation)"
        )
    }

    private func ask(_ collection: CollectionDescription, to action: String) -> String? {
        TypedConfirmation.ask(
            "this will \(action) \(collection.name) (\(documents(in: collection))). Type its name to continue:"
        )
    }

    private func documents(in collection: CollectionDescription) -> String {
        collection.documents.map { Quantity($0, "document", "documents").description } ?? "all its documents"
    }
}

/// Options for confirming a protected context by its name, so that nobody writes to it by mistake.
struct ProtectionOptions: OptionSetting {
    @Option(
        "--confirm",
        value: "NAME",
        completion: .contexts,
        help: "The context's name as confirmation, if it is protected"
    )
    var names: [String]
}

/// A name typed on the terminal.
enum TypedConfirmation {
    /// Returns what is typed after `question`; `nil` if nobody is there to type.
    static func ask(_ question: String) -> String? {
        guard FileDescriptor.standardInput.isTerminal, FileDescriptor.standardError.isTerminal else { return nil }
        StandardError.say(question)
        return readLine()
    }
}

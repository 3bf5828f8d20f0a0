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
        help: "The collection's name once more; again with the context's, where that is protected"
    )
    var names: [String]

    /// Requires the name of a protected context, given or typed on the terminal.
    func requireContext(of plan: TargetPlan, to action: String, collection name: String) throws {
        try ContextProtection(plan).require(names, to: "\(action) a collection", collection: name)
    }

    /// Requires the collection's name, given or typed on the terminal.
    ///
    /// `name` is the user's name for it, which may differ from the engine's.
    func require(
        _ collection: CollectionDescription,
        named name: String,
        of plan: TargetPlan,
        to action: String
    ) throws {
        let accepted = [name, collection.name.rawValue]
        let left = ContextProtection(plan).unused(names)
        guard !left.contains(where: accepted.contains) else { return }
        let given = ask(collection, to: action) ?? left.first
        guard !accepted.contains(given ?? "") else { return }
        let confirmation = (names.filter { !left.contains($0) } + [name])
            .map { "--confirm \(CommandLineWords.quoted($0))" }.joined(separator: " ")
        throw CommandFailure(
            .refused,
            given == nil
                ? "refused: this needs the collection's name once more; nothing was removed"
                : "refused: '\(given ?? "")' is not the collection's name; nothing was removed",
            advice: "to \(action) it, with \(Quantity(collection.documents, "document", "documents")): \(confirmation)"
        )
    }

    private func ask(_ collection: CollectionDescription, to action: String) -> String? {
        let documents = Quantity(collection.documents, "document", "documents")
        return TypedConfirmation.ask("this will \(action) \(collection.name) (\(documents)). Type its name to go on:")
    }
}

/// Options for confirming a protected context by its name, so that nobody writes to it by mistake.
struct ProtectionOptions: OptionSetting {
    @Option(
        "--confirm",
        value: "NAME",
        completion: .contexts,
        help: "The context's name once more, where it is protected"
    )
    var names: [String]

    /// Requires the name of a protected target, given or typed on the terminal.
    func require(_ plan: TargetPlan, to action: String) throws {
        try ContextProtection(plan).require(names, to: action)
    }
}

/// The guard of a protected context: only reading needs no confirmation.
private struct ContextProtection {
    private let plan: TargetPlan

    init(_ plan: TargetPlan) { self.plan = plan }

    /// The name to be repeated; `nil` if the target is not protected.
    private var name: String? { plan.resolved.isProtected ? plan.resolved.context?.name : nil }

    /// Requires a protected context's name, among `names` or typed on the terminal.
    ///
    /// `collection` is the name of a collection that must be repeated too.
    func require(_ names: [String], to action: String, collection: String? = nil) throws {
        guard let context = name, !names.contains(context) else { return }
        let typed = TypedConfirmation.ask("the context '\(context)' is protected. Type its name to \(action):")
        guard typed != context else { return }
        let wanted = [context, collection].compactMap(\.self).map { "--confirm \(CommandLineWords.quoted($0))" }
        let place = plan.resolved.allSettings.first { $0.key == .protected }?.origin.place ?? "the settings"
        throw CommandFailure(
            .refused,
            "refused: the context '\(context)' is protected (\(place)); nothing was sent",
            advice: "to \(action) all the same: \(wanted.joined(separator: " "))"
        )
    }

    /// Returns the `names` left for another guard: a context and a collection of the same name need it twice.
    func unused(_ names: [String]) -> [String] {
        guard let name, let index = names.firstIndex(of: name) else { return names }
        var left = names
        left.remove(at: index)
        return left
    }
}

/// A name typed on the terminal.
private enum TypedConfirmation {
    /// Returns what is typed after `question`; `nil` if nobody is there to type.
    static func ask(_ question: String) -> String? {
        guard FileDescriptor.standardInput.isTerminal, FileDescriptor.standardError.isTerminal else { return nil }
        StandardError.say(question)
        return readLine()
    }
}

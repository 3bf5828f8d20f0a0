import ArgumentParsing
import ContentFeeding
import ReportRendering

/// The name of a collection given twice, so that no slip of the fingers empties one.
struct ConfirmationOptions: OptionSetting {
    @Option(
        "--confirm",
        value: "NAME",
        completion: .collections,
        help: "The collection's name once more; again with the context's, where that is protected"
    )
    var names: [String]

    /// Passes when the name of a protected context was given, or is typed on the terminal.
    func requireContext(of plan: TargetPlan, to action: String, collection name: String) throws {
        try ContextProtection(plan).require(names, to: "\(action) a collection", collection: name)
    }

    /// Passes when the collection's name was given, or is typed on the terminal.
    ///
    /// `name` is what the user calls it, which may not be what the engine does.
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

import ArgumentParsing
import ContentFeeding
import ReportRendering

/// The name of a collection given twice, so that no slip of the fingers empties one.
struct ConfirmationOptions: OptionSetting {
    @Option("--confirm", value: "NAME", completion: .collections, help: "The collection's name once more")
    var name: String?

    /// Passes when the name was given, or is typed on the terminal.
    func require(_ collection: CollectionDescription, to action: String) throws {
        let given = name ?? (isInteractive ? ask(collection, to: action) : nil)
        guard given != collection.name.rawValue else { return }
        let confirmation = "--confirm \(CommandLineWords.quoted(collection.name.rawValue))"
        throw CommandFailure(
            .refused,
            given == nil
                ? "refused: this needs the collection's name once more; nothing was removed"
                : "refused: '\(given ?? "")' is not the collection's name; nothing was removed",
            advice: "to \(action) it, with \(Quantity(collection.documents, "document", "documents")): \(confirmation)"
        )
    }

    private var isInteractive: Bool {
        FileDescriptor.standardInput.isTerminal && FileDescriptor.standardError.isTerminal
    }

    private func ask(_ collection: CollectionDescription, to action: String) -> String? {
        let documents = Quantity(collection.documents, "document", "documents")
        StandardError.say("this will \(action) \(collection.name) (\(documents)). Type its name to go on:")
        return readLine()
    }
}

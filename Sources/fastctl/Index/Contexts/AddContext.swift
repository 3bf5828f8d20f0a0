import ArgumentParsing
import ContentFeeding
import EngineCatalog

struct AddContext: Command {
    static let configuration = CommandConfiguration(
        "add",
        summary: "Keep a target under a name.",
        discussion: """
            The first context becomes the current one. Only the place of credentials is kept, never a secret. Nothing \
            is sent; 'fastctl collections list --context NAME' tries it.
            """,
        examples: [
            .init("fastctl contexts add dev --target sqlite:store.sqlite -c WebCollection", "A store in a file"),
            .init(
                "fastctl contexts add prod --target opensearch+https://a:9200,b:9200 --map WebCollection=webcollection",
                "Two nodes, and a collection by another name"
            ),
        ]
    )

    @Option("--target", value: "ADDRESS", help: "The engine and where it is, as opensearch+https://HOST:PORT")
    var target: String

    @Option(
        "--collection",
        "-c",
        value: "NAME",
        completion: ArgumentCompletion.none,
        help: "The collection where a command names none"
    )
    var collection: String?

    @Option(
        "--map",
        value: "NAME=ENGINES-NAME",
        completion: ArgumentCompletion.none,
        help: "What the engine calls a collection; may be repeated"
    )
    var mappings: [MappingArgument]

    @Flag("--protected", help: "Writing needs the context's name once more")
    var isProtected

    @OptionGroup("Connection") var connection: ConnectionSettings

    @Argument("NAME", completion: ArgumentCompletion.none, help: "The context's name") var name: String

    func validate() throws {
        var names: Set<String> = []
        for mapping in mappings where !names.insert(mapping.name).inserted {
            throw ValidationError("--map names '\(mapping.name)' twice")
        }
    }

    func run() async throws -> ExitCode {
        // Before anything is made for it.
        let values = try values()
        let settings = try UserSettings(forWriting: true)
        let text = try settings.edit().adding(
            name,
            values,
            collections: mappings.map { ($0.name, $0.engineName) }
        )
        try settings.write(text)
        let isFirst = settings.files.user.map { $0.names.isEmpty && $0.current == nil } ?? true
        StandardError.say("context '\(name)' added to \(settings.path)" + (isFirst ? "; it is the current one" : ""))
        return .success
    }

    /// What goes into the file; its paths must not depend on where the command was run.
    private func values() throws -> [Setting] {
        var values = connection.settings
        values[.target] = try TargetAddress(target).madeAbsolute.description
        values[.collection] = collection
        for key in [ContextKey.credentialsFile, .authorityFile, .clientCertificate, .clientKey] {
            values[key] = values[key].map(AbsolutePath.of)
        }
        if isProtected { values[.protected] = "true" }
        return values.map { Setting($0, $1, .standard) }
    }
}

/// `NAME=ENGINES-NAME`.
struct MappingArgument: ArgumentValue {
    let name: String
    let engineName: String

    init(argument word: String) throws(ArgumentExpectation) {
        guard let equals = word.firstIndex(of: "="), equals > word.startIndex, word.last != "=" else {
            throw ArgumentExpectation("two names, as WebCollection=webcollection")
        }
        (name, engineName) = (String(word[..<equals]), String(word[word.index(after: equals)...]))
    }

    var argumentText: String { "\(name)=\(engineName)" }
}

/// Paths that mean the same from every folder.
private enum AbsolutePath {
    static func of(_ path: String) -> String {
        // A shell that leaves `~/` alone leaves it to us, as the settings file does.
        if path.hasPrefix("/") || path.hasPrefix("~/") { return path }
        guard let folder = ContextFiles.workingDirectory else { return path }
        let bare = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
        return (folder == "/" ? "" : folder) + "/" + bare
    }
}

extension TargetAddress {
    fileprivate var madeAbsolute: TargetAddress {
        guard case .sqlite(let path) = location else { return self }
        return TargetAddress(.sqlite(path: AbsolutePath.of(path)))
    }
}

import ArgumentParsing
import ContentFeeding
import EngineCatalog
import ReportRendering

struct Aliases: CommandGroup {
    static let configuration = CommandConfiguration(
        "alias",
        summary: "List aliases, and let one stand for another collection.",
        discussion: """
            An alias is another name for a collection. Whoever uses the alias notices nothing when it changes hands: \
            build a new collection beside the old one, fill it, then swap.

            OpenSearch, Elasticsearch and SolrCloud have aliases; a store in a file and a standalone Solr have none.
            """,
        examples: [
            .init("fastctl collections alias list", "Which alias stands for what"),
            .init("fastctl collections alias swap web web-2 --confirm web", "Let 'web' stand for 'web-2' from now on"),
        ],
        subcommands: [ListAliases.self, SwapAlias.self]
    )
}

private struct ListAliases: Command {
    static let configuration = CommandConfiguration(
        "list",
        foreignNames: ["ls", "show"],
        summary: "List the aliases, and what each stands for.",
        examples: [.init("fastctl collections alias list -o name", "Only their names")]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Output") var output: ListOptions

    func run() async throws -> ExitCode {
        try output.check()
        let store = try await target.resolve().open()
        guard let engine = store as? any AliasAdministration else {
            try output.print([AliasDisplay]())
            output.note("\(store.target) has no aliases: a store in a file has none")
            return .success
        }
        let aliases = try await engine.aliases()
        try output.print(aliases.map(AliasDisplay.init))
        if aliases.isEmpty { output.note("there are no aliases at \(store.target)") }
        return .success
    }
}

private struct SwapAlias: Command {
    static let configuration = CommandConfiguration(
        "swap",
        foreignNames: ["set", "point", "move"],
        summary: "Let an alias stand for a collection, instead of what it stood for.",
        discussion: """
            The change is one step: no search in between finds nothing, or both. An alias that does not exist is created. \
            Collections are not changed. Requires the alias's name as confirmation, on the terminal or with --confirm.

            Refused for an alias with a filter, a routing or properties of its own, which it would lose.
            """,
        examples: [.init("fastctl collections alias swap web web-2 --confirm web", "Swap in a script")]
    )

    @OptionGroup("Target") var target: TargetOptions

    @Option(
        "--confirm",
        value: "NAME",
        completion: .collections,
        help: "The alias's name as confirmation; repeat it with the context's if that is protected"
    )
    var names: [String]

    @Option("--output", "-o", value: "FORMAT", help: "The format of what is told: text, or one JSON object")
    var format = AnswerFormat.text

    @Argument("ALIAS", completion: .collections, help: "The alias") var alias: String
    @Argument("COLLECTION", completion: .collections, help: "The collection it is to stand for") var collection: String

    func run() async throws -> ExitCode {
        let target = try target.resolve()
        try target.requireConfirmation(names, to: "change an alias", collection: alias)
        let store = try await target.open()
        guard let engine = store as? any AliasAdministration else {
            throw EngineError(.unsupported, "\(store.target) has no aliases: a store in a file has none")
        }
        // An alias has the name that the engine knows; a context's names are for collections.
        let name = CollectionName(alias)
        let replacement = target.collection(collection).engineName
        try await require(name, to: replacement, in: target, engine)
        let before = try await Interruption.stopping("the alias may have changed hands") {
            try await engine.point(name, to: replacement)
        }
        let old = before.filter { $0 != replacement }.map(\.rawValue).joined(separator: ", ")
        let change = before.isEmpty ? ", a new alias" : old.isEmpty ? ", as before" : " instead of \(old)"
        StandardError.say("\(name) stands for \(replacement)\(change)")
        if format == .json {
            var bytes: [UInt8] = []
            AliasObject.append(CollectionAlias(name: name, collections: [replacement]), to: &bytes)
            bytes.append(0x0A)
            try StandardOutput().drainOrStop(&bytes)
        }
        return .success
    }

    /// Requires the alias's name, given or typed on the terminal.
    private func require(
        _ name: CollectionName,
        to collection: CollectionName,
        in target: OpenableTarget,
        _ engine: any AliasAdministration
    ) async throws {
        let left = target.unused(names)
        guard !left.contains(name.rawValue) else { return }
        let now = try await engine.aliases().first { $0.name == name }?.collections.map(\.rawValue) ?? []
        let state = now.isEmpty ? "does not exist yet" : "stands for \(now.joined(separator: ", "))"
        let typed = TypedConfirmation.ask(
            "'\(name)' \(state). Type its name to let it stand for \(collection) instead:"
        )
        guard typed != name.rawValue else { return }
        let confirmation = (names.filter { !left.contains($0) } + [name.rawValue])
            .map { "--confirm \(CommandLineWords.quoted($0))" }.joined(separator: " ")
        throw CommandFailure(
            .refused,
            "refused: this needs the alias's name as confirmation; nothing was changed",
            advice: "'\(name)' \(state); to change it: \(confirmation)"
        )
    }
}

/// An alias, as a list shows it.
private struct AliasDisplay: ListEntry {
    private let alias: CollectionAlias

    init(_ alias: CollectionAlias) { self.alias = alias }

    static let titles = ["ALIAS", "COLLECTIONS"]
    static let alignments: [TextTable.Alignment] = [.left, .left]
    static let fieldTitles = ["name", "collections"]

    var entryName: String? { alias.name.rawValue }
    var row: [String] { [alias.name.rawValue, names] }
    var fields: [String?] { [alias.name.rawValue, names] }

    func append(to bytes: inout [UInt8]) { AliasObject.append(alias, to: &bytes) }

    private var names: String { alias.collections.map(\.rawValue).joined(separator: " ") }
}

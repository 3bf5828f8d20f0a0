import ArgumentParsing
import CollectionSync
import ContentFeeding
import EngineCatalog
import ReportRendering

struct Copies: CommandGroup {
    static let configuration = CommandConfiguration(
        "copies",
        group: "Index",
        summary: "Keep offline copies of collections: search and edit them here, push the changes later.",
        discussion: """
            A copy is a collection of the embedded store that has an origin: a collection of another target, or a part \
            of one. 'find', 'get' and 'exists' read the copy; 'add', 'update' and 'remove' change the copy and queue the \
            change, and need no connection. 'pull' brings what is new at the origin, 'push' sends what is queued: each \
            change only if nobody has changed the document at the origin since it was pulled. If somebody has, that is a \
            conflict, and --on-conflict says what becomes of it.

            To copy documents into another collection once, of any engine, see 'fastctl copy'.

            'jobs issues' lists the conflicts of a push with both versions; 'jobs discard --copy NAME ID' takes back a \
            change that is not pushed yet.
            """,
        examples: [
            .init("fastctl copies create catalogue --origin prod", "Copy the collection 'catalogue' of a context"),
            .init("fastctl copies pull catalogue", "Bring what is new, after pushing what is queued"),
            .init("fastctl update -c catalogue changes.jsonl", "Change the copy, without a connection"),
            .init("fastctl copies push catalogue --on-conflict server", "Send the changes; the origin wins conflicts"),
        ],
        subcommands: [
            CreateCopy.self, ShowCopies.self, PullCopy.self, PushCopy.self, PurgeCopy.self, RemoveCopy.self,
        ]
    )
}

private struct CreateCopy: Command {
    static let configuration = CommandConfiguration(
        "create",
        summary: "Create an empty copy, and the store if there is none.",
        discussion: """
            The origin is a context, or an address such as opensearch+https://HOST:9200. Credentials are not kept: they \
            come from the context, or from the options of each command.

            A copy with --key has only these top-level keys of each document; what it pushes leaves the other keys as \
            they are.
            """,
        examples: [
            .init("fastctl copies create catalogue --origin prod", "Of the collection of the same name"),
            .init(
                "fastctl copies create german --origin prod --of catalogue --field language=de",
                "Of a part of another"
            ),
        ]
    )

    @OptionGroup("Target") var target: TargetOptions

    @Option("--origin", value: "CONTEXT|ADDRESS", completion: .contexts, help: "Where the documents come from")
    var origin: String?

    @Option(
        "--of",
        value: "NAME",
        completion: ArgumentCompletion.none,
        help: "The collection there (default: that of the copy's name)"
    )
    var original: String?

    @Option("--field", value: "NAME=VALUE", help: "Only documents whose field has this value; may be repeated")
    var fields: [FieldArgument]

    @Option(
        "--query",
        value: "EXPR",
        completion: ArgumentCompletion.none,
        help: "Only documents that match a query in the engine's own language"
    )
    var expression: String?

    @Option(
        "--key",
        value: "KEY",
        completion: ArgumentCompletion.none,
        help: "Only this top-level key of each document; may be repeated"
    )
    var keys: [String]

    @Option("--removed", value: "NAME=VALUE", help: "The field and value that mark a document as removed at the origin")
    var removedMark: FieldArgument?

    @Argument("NAME", completion: ArgumentCompletion.none, help: "The copy's name") var name: String

    func validate() throws {
        if origin?.isEmpty ?? true { throw ValidationError("--origin is missing; name a context or an address") }
        if expression?.isEmpty ?? false { throw ValidationError("--query is empty") }
    }

    func run() async throws -> ExitCode {
        let place = OriginAddress(origin ?? "")
        let from = try target.origin(place, collection: original ?? name)
        var query = SearchQuery(fields: fields.map(\.field))
        query.expression = expression
        let local = try target.resolve()
        guard local.resolved.address.nodes.isEmpty else { throw CopyOptions.notEmbedded(local) }
        guard let store = try await local.create() as? any CopyKeepingStore else {
            throw CopyOptions.notEmbedded(local)
        }
        let copy = CollectionName(name)
        let kept = CopyOrigin(
            target: place.kept,
            collection: from.collection(original ?? name).engineName,
            query: query,
            keys: keys,
            removedMark: removedMark?.field
        )
        try await store.createCopy(copy, of: kept)
        StandardError.say("\(copy) created, as a copy of \(kept.collection) at \(kept.target); it is empty")
        StandardError.say("fill it with: fastctl copies pull \(CommandLineWords.quoted(name))")
        return .success
    }
}

private struct ShowCopies: Command {
    static let configuration = CommandConfiguration(
        "show",
        foreignNames: ["list", "ls"],
        summary: "Show the copies, or one: its origin, its documents, what is queued.",
        examples: [.init("fastctl copies show catalogue", "One copy")]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Output") var output: ListOptions
    @Argument("NAME", completion: .collections, help: "The copy (default: all of them)") var names: [String]

    func run() async throws -> ExitCode {
        try output.check()
        let store = try await CopyOptions.store(at: target)
        let shown = names.isEmpty ? try await store.copies() : names.map { CollectionName($0) }
        var copies: [CopyDisplay] = []
        for name in shown { copies.append(CopyDisplay(name, try await store.copy(named: name).status())) }
        if let copy = copies.first, names.count == 1 {
            try output.show(copy, lines: copy.lines, indent: 12)
        } else {
            try output.print(copies)
        }
        if copies.isEmpty {
            output.note("there are no copies; create one: fastctl copies create NAME --origin …")
        }
        return .success
    }
}

private struct PullCopy: Command {
    static let configuration = CommandConfiguration(
        "pull",
        summary: "Push what is queued, then bring what is new at the origin, and remove what is gone there.",
        discussion: """
            What has changed since the last pull is brought, and nothing if the origin says that nothing has. If \
            documents may have been removed there, the IDs of all documents are compared. A pull that is interrupted \
            goes on where it was. If the push leaves work, nothing is pulled.
            """,
        examples: [.init("fastctl copies pull catalogue", "Bring a copy up to date")]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Guards") var options: CopyOptions
    @Argument("NAME", completion: .collections, help: "The copy") var name: String

    func run() async throws -> ExitCode {
        let run = try await CopyRun(name, at: target, options)
        let report = try await run.pushing { try await $0.pull(conflicts: $1, recordedIn: $2, observe: $3) }
        if report.push.pushed > 0 { _ = run.conclude(report.push) }
        guard !report.isUnchanged else {
            StandardError.say("\(name): nothing has changed at the origin")
            return .success
        }
        let changes = report.changes
        let compared = report.comparedAll ? "; the IDs of all documents were compared" : ""
        StandardError.say(
            "\(name): \(changes.added) added, \(changes.updated) updated, \(changes.removed) removed\(compared)"
        )
        return .success
    }
}

private struct PushCopy: Command {
    static let configuration = CommandConfiguration(
        "push",
        summary: "Send what is queued, each change only if the origin's document is as it was pulled.",
        examples: [
            .init("fastctl copies push catalogue", "Stop at the first conflict"),
            .init("fastctl copies push catalogue --on-conflict ask", "Be asked about each"),
        ]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Guards") var options: CopyOptions
    @Argument("NAME", completion: .collections, help: "The copy") var name: String

    func run() async throws -> ExitCode {
        let run = try await CopyRun(name, at: target, options)
        return run.conclude(
            try await run.pushing { try await $0.push(conflicts: $1, recordedIn: $2, observe: $3) }
        )
    }
}

private struct PurgeCopy: Command {
    static let configuration = CommandConfiguration(
        "purge",
        summary: "Push what is queued, then remove all documents from the copy; the origin keeps them.",
        examples: [.init("fastctl copies purge catalogue --force", "Also if that loses what is queued")]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Guards") var options: CopyOptions
    @Flag("--force", help: "Push nothing, and lose what is queued") var isForced
    @Argument("NAME", completion: .collections, help: "The copy") var name: String

    func run() async throws -> ExitCode {
        let run = try await CopyRun(name, at: target, options, isOffline: isForced)
        let isForced = isForced
        let count = try await run.pushing {
            try await $0.purge(conflicts: $1, recordedIn: $2, isForced: isForced, observe: $3)
        }
        StandardError.say("\(name): \(Quantity(count, "document", "documents")) removed from the copy; it is empty")
        return .success
    }
}

private struct RemoveCopy: Command {
    static let configuration = CommandConfiguration(
        "remove",
        foreignNames: ["rm", "delete"],
        summary: "Remove a copy; the origin stays as it is.",
        examples: [.init("fastctl copies remove catalogue", "Remove one that has nothing queued")]
    )

    @OptionGroup("Target") var target: TargetOptions
    @Flag("--force", help: "Also if something is queued, which is then lost") var isForced
    @Argument("NAME", completion: .collections, help: "The copy") var name: String

    func run() async throws -> ExitCode {
        let store = try await CopyOptions.store(at: target)
        let copy = try await store.copy(named: CollectionName(name))
        let lock = try copy.lock()
        defer { withExtendedLifetime(lock) {} }
        let queued = try await copy.status().queued
        guard queued == 0 || isForced else {
            throw CommandFailure(
                .refused,
                "\(Quantity(queued, "operation is", "operations are")) still queued; nothing was removed",
                advice:
                    "send them with 'fastctl copies push \(CommandLineWords.quoted(name))', or add --force to lose them"
            )
        }
        let count = try await store.removeCopy(CollectionName(name))
        StandardError.say("\(name) removed, with \(Quantity(count, "document", "documents")); the origin has its own")
        return .success
    }
}

import ArgumentParsing
import CommandKit
import ContentFeeding
import EngineCatalog
import FeedJobs
import FeedReports
import ReportKit
import Synchronization
import TextKit

struct Collections: CommandGroup {
    static let configuration = CommandConfiguration(
        "collections",
        group: "Index",
        summary: "List, create, clear and maintain collections.",
        examples: [
            .init("fastctl collections list", "List the existing collections"),
            .init("fastctl collections create WebCollection", "Create a collection, and the store if there is none"),
        ],
        subcommands: [
            ListCollections.self, ShowCollection.self, CreateCollection.self, ClearCollection.self,
            DeleteCollection.self, OptimizeCollection.self, ExportCollection.self, ImportCollection.self,
            CompareCollections.self, Aliases.self,
        ]
    ).advising([
        "copy": "Use 'fastctl copy -c NEW --source OLD' to copy the documents",
        "rename": "Create the new one, then use 'fastctl copy -c NEW --source OLD'; an alias can take the old name",
    ])
}

private struct ListCollections: ContextCommand {
    static let configuration = CommandConfiguration(
        "list",
        foreignNames: ["ls"],
        summary: "List the collections.",
        examples: [.init("fastctl collections list -o name", "Only their names")]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Output") var output: ListOptions

    var readsStandardInput: Bool { false }

    func run() async throws -> ExitCode {
        try output.check()
        let collections = try await target.resolve().open().list()
        try output.print(collections.map(CollectionDisplay.init))
        if collections.isEmpty {
            output.note("there are no collections yet; create one: fastctl collections create NAME")
        }
        if let flaw = collections.lazy.compactMap(\.flaw).first {
            StandardError.say("the counts are unknown: \(flaw)")
        }
        return .success
    }
}

private struct ShowCollection: ContextCommand {
    static let configuration = CommandConfiguration(
        "show",
        foreignNames: ["info", "describe", "count", "stats", "status"],
        summary: "Show a collection: its documents, pending merges and size.",
        examples: [
            .init("fastctl collections show WebCollection", "Show one"),
            .init("fastctl collections show web --context prod --wait-for green", "Wait for its replicas"),
        ]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Output") var output: ListOptions
    @Option("--wait-for", value: "HEALTH", help: "Wait until the engine reports this health, or a better one")
    var health: CollectionHealth?
    @Option("--timeout", value: "DURATION", help: "How long --wait-for waits (default: 10m)")
    var timeout: Duration?
    @Argument("NAME", completion: .collections, help: "The collection") var name: String

    var readsStandardInput: Bool { false }

    func validate() throws {
        if timeout != nil, health == nil { throw ValidationError("--timeout needs --wait-for") }
    }

    func run() async throws -> ExitCode {
        let target = try target.resolve()
        let store = try await target.open()
        let name = target.collection(name).engineName
        if health != nil { _ = try await store.existing(name) }
        let isHealthy = try await waitForHealth(of: name, in: store)
        let collection = try await store.existing(name)
        let display = CollectionDisplay(collection)
        try output.show(display, lines: display.lines, indent: 11)
        if let flaw = collection.flaw {
            StandardError.say("the counts are unknown: \(flaw)")
            return ExitCode(.targetUnusable)
        }
        return isHealthy ? .success : ExitCode(.incomplete)
    }

    /// Waits for the health that the user specified; returns false if the time is over before.
    private func waitForHealth(of name: CollectionName, in store: any CollectionAdministration) async throws -> Bool {
        guard let health else { return true }
        guard let engine = store.healthReporting else {
            throw EngineError(
                .unsupported,
                "\(store.target) reports no health of its collections",
                advice: "leave out --wait-for; only OpenSearch and Elasticsearch report it"
            )
        }
        let end = ContinuousClock.now + (timeout ?? .seconds(600))
        var last: CollectionHealth?
        while true {
            let now = try await engine.health(of: name)
            if now >= health { return true }
            if now != last { StandardError.say("\(name) is \(now.rawValue): waiting for \(health.rawValue)") }
            guard ContinuousClock.now < end else {
                StandardError.say("\(name) is still \(now.rawValue): run the command again to wait longer")
                return false
            }
            last = now
            try await Task.sleep(for: .milliseconds(500))
        }
    }
}

extension CollectionHealth: ArgumentValue {}

private struct CreateCollection: Command {
    static let configuration = CommandConfiguration(
        "create",
        foreignNames: ["add", "new"],
        summary: "Create a collection, and the store if there is none.",
        discussion: "Each engine has its own settings, such as number_of_shards=3 or configSet=pages.",
        examples: [
            .init("fastctl collections create WebCollection", "Create one"),
            .init("fastctl collections create web --context prod --setting number_of_shards=3", "Create one elsewhere"),
        ]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Guards") var protection: ProtectionOptions

    @Option(
        "--setting",
        value: "NAME=VALUE",
        completion: ArgumentCompletion.none,
        help: "A setting specific to the engine; may be repeated"
    )
    var settings: [SettingArgument]

    @Option(output: OutputForm.answer, help: "The output format: text, or one JSON object")
    var form
    @Argument("NAME", completion: ArgumentCompletion.none, help: "The collection's name") var name: String

    func run() async throws -> ExitCode {
        let target = try target.resolve()
        try target.requireConfirmation(protection.names, to: "create a collection")
        let collection = target.collection(name).engineName
        let store = try await target.create()
        try await store.create(collection, settings: settings.map(\.setting))
        try CollectionChange(.created, collection, at: "\(store.target)", documents: 0).print(as: form)
        StandardError.say("\(collection) created in \(store.target)")
        return .success
    }
}

/// A setting in the engine's own terms, `NAME=VALUE`.
private struct SettingArgument: ArgumentValue {
    let setting: CollectionSetting

    init(argument word: String) throws(ArgumentExpectation) {
        guard let equals = word.firstIndex(of: "="), equals > word.startIndex else {
            throw ArgumentExpectation("a setting and its value, such as number_of_shards=3")
        }
        setting = CollectionSetting(name: String(word[..<equals]), value: String(word[word.index(after: equals)...]))
    }

    var argumentText: String { "\(setting.name)=\(setting.value)" }
}

private struct ClearCollection: Command {
    static let configuration = CommandConfiguration(
        "clear",
        foreignNames: ["empty", "purge", "truncate"],
        summary: "Remove all documents from a collection, but keep the collection.",
        discussion: """
            Requires the collection's name as confirmation, on the terminal or with --confirm.

            OpenSearch and Elasticsearch remove the documents page by page, and at most --rate documents per second. \
            Solr and the embedded store empty a collection in one step, so --rate has no effect.
            """,
        examples: [.init("fastctl collections clear WebCollection --confirm WebCollection", "Clear it in a script")],
        optionAdvice: ["--force": ConfirmationOptions.adviceForForce]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Guards") var confirmation: ConfirmationOptions
    @Option("--rate", value: "RATE", help: "The maximum number of documents per second, or per minute as in 600/m")
    var rate: OperationRate?
    @Option(output: OutputForm.answer, help: "The output format: text, or one JSON object")
    var form
    @Argument("NAME", completion: .collections, help: "The collection") var name: String

    func run() async throws -> ExitCode {
        let (store, collection) = try await confirmation.open(name, at: target, to: "clear")
        let count = try await Interruption.stopping("the collection may be partly cleared") {
            guard let rate, let engine = store.pacedClearing else {
                return try await store.clear(collection.name)
            }
            let pace = Double(rate.count) / (rate.period / .seconds(1))
            return try await engine.clear(collection.name, documentsPerSecond: pace)
        }
        try CollectionChange(.cleared, collection.name, at: "\(store.target)", documents: count).print(as: form)
        StandardError.say("\(name): \(Quantity(count, "document", "documents")) removed; the collection is empty")
        return .success
    }
}

private struct DeleteCollection: Command {
    static let configuration = CommandConfiguration(
        "delete",
        foreignNames: ["rm", "remove", "drop"],
        summary: "Delete a collection and all its documents.",
        discussion: "Requires the collection's name as confirmation, on the terminal or with --confirm.",
        examples: [.init("fastctl collections delete WebCollection --confirm WebCollection", "Delete it in a script")],
        optionAdvice: ["--force": ConfirmationOptions.adviceForForce]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Guards") var confirmation: ConfirmationOptions
    @Option(output: OutputForm.answer, help: "The output format: text, or one JSON object")
    var form
    @Argument("NAME", completion: .collections, help: "The collection") var name: String

    func run() async throws -> ExitCode {
        let (store, collection) = try await confirmation.open(name, at: target, to: "delete")
        let count = try await Interruption.stopping("the collection may be deleted") {
            try await store.delete(collection.name)
        }
        try CollectionChange(.deleted, collection.name, at: "\(store.target)", documents: count).print(as: form)
        let documents = count.map { Quantity($0, "document", "documents").description } ?? "all its documents"
        StandardError.say("\(name) deleted, with \(documents)")
        return .success
    }
}

private struct OptimizeCollection: Command {
    static let configuration = CommandConfiguration(
        "optimize",
        summary: "Merge pending documents, erase removed ones, and free their space.",
        examples: [.init("fastctl collections optimize WebCollection", "Optimize one")]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Guards") var protection: ProtectionOptions
    @Option(output: OutputForm.answer, help: "The output format: text, or one JSON object")
    var form
    @Argument("NAME", completion: .collections, help: "The collection") var name: String

    func run() async throws -> ExitCode {
        let target = try target.resolve()
        try target.requireConfirmation(protection.names, to: "optimize a collection")
        let store = try await target.open()
        Interruption.leaveAtOnce(
            saying: "interrupted; merged documents stay merged; run it again: \(CommandLineWords.ofProcess)"
        )
        try await OptimizationRun(store, target.collection(name).engineName, form).run()
        return .success
    }
}

/// The optimization of a collection, and a report of the result.
package struct OptimizationRun {
    private let store: any CollectionAdministration
    private let name: CollectionName
    private let form: OutputForm

    init(_ store: any CollectionAdministration, _ name: CollectionName, _ form: OutputForm = .text) {
        self.store = store
        self.name = name
        self.form = form
    }

    /// Returns the share in percent, limited to the range from 0 to 100.
    package static func share(_ done: Int, of total: Int) -> Int {
        guard total > 0 else { return 100 }
        return Int(min(100, max(0, Double(done) * 100 / Double(total))))
    }

    func run() async throws {
        let isShown = FileDescriptor.standardError.isTerminal
        let lastShare = Atomic(-1)
        let words = isShown ? nil : Task { try await Interruption.sayThatItWaits() }
        defer { words?.cancel() }
        let report = try await store.optimize(name) { done, total in
            let share = Self.share(done, of: total)
            guard isShown, lastShare.exchange(share, ordering: .relaxed) != share else { return }
            StandardError.write("\r\u{1B}[Kmerging: \(share)%")
        }
        if isShown { StandardError.write("\r\u{1B}[K") }
        let bytes = (before: report.bytesBefore, after: report.bytesAfter)
        try CollectionChange(.optimized, name, at: "\(store.target)", documents: report.merged, bytes: bytes)
            .print(as: form)
        let sizes = "\(ShortByteCount(report.bytesBefore)), and is now \(ShortByteCount(report.bytesAfter))"
        StandardError.say("\(name): \(Quantity(report.merged, "document", "documents")) merged; the store was \(sizes)")
    }
}

extension CollectionChange {
    /// Prints the change as JSON; text is written to standard error.
    func print(as form: OutputForm) throws {
        guard form == .json else { return }
        var bytes: [UInt8] = []
        append(to: &bytes)
        try StandardOutput().drainOrStop(&bytes)
    }
}

/// A collection, as shown in lists and on single pages.
private struct CollectionDisplay: ListEntry {
    private let collection: CollectionDescription

    init(_ collection: CollectionDescription) { self.collection = collection }

    static let titles = ["NAME", "DOCUMENTS", "WAITING", "SIZE"]
    static let alignments: [TextTable.Alignment] = [.left, .right, .right, .right]
    static let fieldTitles = ["name", "documents", "waiting", "bytes"]

    var entryName: String? { collection.name.rawValue }
    var row: [String] { [collection.name.rawValue, count, "\(collection.waiting)", size] }

    var fields: [String?] {
        [
            collection.name.rawValue, collection.documents.map { "\($0)" }, "\(collection.waiting)",
            collection.bytes.map { "\($0)" },
        ]
    }

    /// The lines of a single collection's page: a title and a value each.
    var lines: [(String, String)] {
        [
            ("Name", collection.name.rawValue), ("Documents", count), ("Waiting", "\(collection.waiting)"),
            ("Size", size),
        ] + collection.settings.map { ($0.name, $0.value) }
    }

    func append(to bytes: inout [UInt8]) { CollectionObject.append(collection, to: &bytes) }

    private var count: String { collection.documents.map { "\($0)" } ?? "-" }
    private var size: String { collection.bytes.map { "\(ShortByteCount($0))" } ?? "-" }
}

struct Aliases: CommandGroup {
    static let configuration = CommandConfiguration(
        "alias",
        summary: "List aliases, and point one at another collection.",
        discussion: """
            An alias is another name for a collection. Clients that use the alias do not notice a swap: build a new \
            collection next to the old one, fill it, then swap.

            OpenSearch, Elasticsearch and SolrCloud support aliases; a store in a file and standalone Solr do not.
            """,
        examples: [
            .init("fastctl collections alias list", "List aliases and their collections"),
            .init("fastctl collections alias swap web web-2 --confirm web", "Point 'web' at 'web-2'"),
        ],
        subcommands: [ListAliases.self, SwapAlias.self]
    )
}

private struct ListAliases: Command {
    static let configuration = CommandConfiguration(
        "list",
        foreignNames: ["ls", "show"],
        summary: "List the aliases and their collections.",
        examples: [.init("fastctl collections alias list -o name", "Only their names")]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Output") var output: ListOptions

    func run() async throws -> ExitCode {
        try output.check()
        let store = try await target.resolve().open()
        guard let engine = store.aliasing else {
            try output.print([AliasDisplay]())
            output.note("\(store.target) has no aliases: a store in a file does not support them")
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
        summary: "Point an alias at another collection.",
        discussion: """
            The swap is atomic: each search sees exactly one of the collections. An alias that does not exist is \
            created. The collections are not changed. Requires the alias's name as confirmation, on the terminal or \
            with --confirm.

            A swap is refused if the alias has its own filter, routing or properties, which would be lost.
            """,
        examples: [.init("fastctl collections alias swap web web-2 --confirm web", "Swap in a script")],
        optionAdvice: ["--force": ConfirmationOptions.adviceForForce]
    )

    @OptionGroup("Target") var target: TargetOptions

    @Option(
        "--confirm",
        value: "NAME",
        completion: .collections,
        help: "The alias's name as confirmation; repeat it with the context's name if the context is protected"
    )
    var names: [String]

    @Option(output: OutputForm.answer, help: "The output format: text, or one JSON object")
    var form

    @Argument("ALIAS", completion: .collections, help: "The alias") var alias: String
    @Argument("COLLECTION", completion: .collections, help: "The collection to point the alias at")
    var collection: String

    func run() async throws -> ExitCode {
        let target = try target.resolve()
        try target.requireConfirmation(names, to: "change an alias", collection: alias)
        let store = try await target.open()
        guard let engine = store.aliasing else {
            throw EngineError(.unsupported, "\(store.target) has no aliases: a store in a file does not support them")
        }
        // An alias is named as in the engine; the names in a context are only for collections.
        let name = CollectionName(alias)
        let replacement = target.collection(collection).engineName
        try await require(name, to: replacement, in: target, engine)
        let before = try await Interruption.stopping("the alias may have been swapped") {
            try await engine.point(name, to: replacement)
        }
        let old = before.filter { $0 != replacement }.map(\.rawValue).joined(separator: ", ")
        let change = before.isEmpty ? ", a new alias" : old.isEmpty ? ", as before" : " instead of \(old)"
        StandardError.say("\(name) points at \(replacement)\(change)")
        if form == .json {
            var bytes: [UInt8] = []
            AliasObject.append(CollectionAlias(name: name, collections: [replacement]), to: &bytes)
            bytes.append(0x0A)
            try StandardOutput().drainOrStop(&bytes)
        }
        return .success
    }

    /// Requires the alias's name, given as an option or typed on the terminal.
    private func require(
        _ name: CollectionName,
        to collection: CollectionName,
        in target: OpenableTarget,
        _ engine: any AliasAdministration
    ) async throws {
        let left = try target.unused(names)
        guard !left.contains(name.rawValue) else { return }
        let now = try await engine.aliases().first { $0.name == name }?.collections.map(\.rawValue) ?? []
        let state = now.isEmpty ? "does not exist yet" : "points at \(now.joined(separator: ", "))"
        let typed = TypedConfirmation.ask("'\(name)' \(state). Type its name to point it at \(collection) instead:")
        guard typed != name.rawValue else { return }
        let confirmation = (names.filter { !left.contains($0) } + [name.rawValue])
            .map { "--confirm \(CommandLineWords.quoted($0))" }.joined(separator: " ")
        throw Failure(
            .refused,
            "refused: this needs the alias's name as confirmation; nothing was changed",
            advice: "'\(name)' \(state); to change it: \(confirmation)"
        )
    }
}

/// An alias, as shown in a list.
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

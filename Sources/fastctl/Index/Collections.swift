import ArgumentParsing
import ContentFeeding
import ReportRendering
import Synchronization
import TextSafety

struct Collections: CommandGroup {
    static let configuration = CommandConfiguration(
        "collections",
        group: "Index",
        summary: "List, create, clear and maintain collections.",
        examples: [
            .init("fastctl collections list", "See which collections exist"),
            .init("fastctl collections create WebCollection", "Create a collection, and the store if there is none"),
        ],
        subcommands: [
            ListCollections.self, ShowCollection.self, CreateCollection.self, ClearCollection.self,
            DeleteCollection.self, OptimizeCollection.self,
        ]
    )
}

private struct ListCollections: Command {
    static let configuration = CommandConfiguration(
        "list",
        foreignNames: ["ls"],
        summary: "List the collections.",
        examples: [.init("fastctl collections list -o name", "Only their names")]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Output") var output: ResultOptions

    func run() async throws -> ExitCode {
        let collections = try await target.resolve().open().list()
        try CollectionPrinter(output).print(collections)
        if collections.isEmpty {
            StandardError.say("there are no collections yet; create one: fastctl collections create NAME")
        }
        if let flaw = collections.lazy.compactMap(\.flaw).first {
            StandardError.say("the counts are not known: \(flaw)")
        }
        return .success
    }
}

private struct ShowCollection: Command {
    static let configuration = CommandConfiguration(
        "show",
        summary: "Show a collection: its documents, what is waiting to be merged, its size.",
        examples: [.init("fastctl collections show WebCollection", "Show one")]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Output") var output: ResultOptions
    @Argument("NAME", completion: .collections, help: "The collection") var name: String

    func run() async throws -> ExitCode {
        let target = try target.resolve()
        let collection = try await target.open().show(target.collection(name).engineName)
        try CollectionPrinter(output).show(collection)
        guard let flaw = collection.flaw else { return .success }
        StandardError.say("the counts are not known: \(flaw)")
        return ExitCode(.targetUnusable)
    }
}

private struct CreateCollection: Command {
    static let configuration = CommandConfiguration(
        "create",
        summary: "Create a collection, and the store if there is none.",
        discussion: "A --setting is specific to the engine, such as number_of_shards=3 or configSet=pages.",
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

    @Argument("NAME", completion: ArgumentCompletion.none, help: "The collection's name") var name: String

    func run() async throws -> ExitCode {
        let target = try target.resolve()
        try target.requireConfirmation(protection.names, to: "create a collection")
        let collection = target.collection(name).engineName
        let store = try await target.create()
        try await store.create(collection, settings: settings.map(\.setting))
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
        summary: "Remove all documents from a collection, but keep the collection.",
        discussion: "Requires the collection's name as confirmation, on the terminal or with --confirm.",
        examples: [.init("fastctl collections clear WebCollection --confirm WebCollection", "Clear it in a script")]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Guards") var confirmation: ConfirmationOptions
    @Argument("NAME", completion: .collections, help: "The collection") var name: String

    func run() async throws -> ExitCode {
        let (store, collection) = try await confirmation.open(name, at: target, to: "clear")
        let count = try await Interruption.stopping("the collection may be partly cleared") {
            try await store.clear(collection.name)
        }
        StandardError.say("\(name): \(Quantity(count, "document", "documents")) removed; the collection is empty")
        return .success
    }
}

private struct DeleteCollection: Command {
    static let configuration = CommandConfiguration(
        "delete",
        foreignNames: ["rm", "remove"],
        summary: "Delete a collection and all its documents.",
        discussion: "Requires the collection's name as confirmation, on the terminal or with --confirm.",
        examples: [.init("fastctl collections delete WebCollection --confirm WebCollection", "Delete it in a script")]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Guards") var confirmation: ConfirmationOptions
    @Argument("NAME", completion: .collections, help: "The collection") var name: String

    func run() async throws -> ExitCode {
        let (store, collection) = try await confirmation.open(name, at: target, to: "delete")
        let count = try await Interruption.stopping("the collection may be deleted") {
            try await store.delete(collection.name)
        }
        let documents = count.map { Quantity($0, "document", "documents").description } ?? "all its documents"
        StandardError.say("\(name) deleted, with \(documents)")
        return .success
    }
}

private struct OptimizeCollection: Command {
    static let configuration = CommandConfiguration(
        "optimize",
        summary: "Merge what is waiting, erase what was removed, and free the space.",
        examples: [.init("fastctl collections optimize WebCollection", "Optimize one")]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Guards") var protection: ProtectionOptions
    @Argument("NAME", completion: .collections, help: "The collection") var name: String

    func run() async throws -> ExitCode {
        let target = try target.resolve()
        try target.requireConfirmation(protection.names, to: "optimize a collection")
        let store = try await target.open()
        Interruption.leaveAtOnce(
            saying: "interrupted; what is merged stays merged, run it again: \(CommandLineWords.ofProcess)"
        )
        try await OptimizationRun(store, target.collection(name).engineName).run()
        return .success
    }
}

/// The optimization of a collection, and a report of the result.
struct OptimizationRun {
    private let store: any CollectionAdministration
    private let name: CollectionName

    init(_ store: any CollectionAdministration, _ name: CollectionName) {
        self.store = store
        self.name = name
    }

    /// Returns the share in percent, from 0 to 100 whatever the engine reports.
    static func share(_ done: Int, of total: Int) -> Int {
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
            StandardError.write("\r\u{1B}[Kmerging: \(share) %")
        }
        if isShown { StandardError.write("\r\u{1B}[K") }
        let sizes = "\(ShortByteCount(report.bytesBefore)), now \(ShortByteCount(report.bytesAfter))"
        StandardError.say("\(name): \(Quantity(report.merged, "document", "documents")) merged; the store was \(sizes)")
    }
}

/// A printer of collections in the requested form.
private struct CollectionPrinter {
    private let options: ResultOptions

    init(_ options: ResultOptions) { self.options = options }

    /// Prints a list of collections: a table, an array or lines.
    func print(_ collections: [CollectionDescription]) throws {
        var bytes: [UInt8] = []
        switch options.format {
        case .json, .ndjson:
            var list = JSONList(isArray: options.format == .json)
            for collection in collections { list.append(to: &bytes) { CollectionObject.append(collection, to: &$0) } }
            list.end(in: &bytes)
        case .name: for collection in collections { _ = options.nameEnd.append(collection.name.rawValue, to: &bytes) }
        case .text where collections.isEmpty: break
        case .text: table(of: collections).append(to: &bytes, width: ProcessEnvironment.width)
        }
        try StandardOutput().drainOrStop(&bytes)
    }

    /// Prints one collection: a list of its properties, or an object.
    func show(_ collection: CollectionDescription) throws {
        var bytes: [UInt8] = []
        switch options.format {
        case .json, .ndjson:
            CollectionObject.append(collection, to: &bytes)
            bytes.append(0x0A)
        case .name: _ = options.nameEnd.append(collection.name.rawValue, to: &bytes)
        case .text:
            for (title, value) in rows(of: collection) {
                let padding = String(repeating: " ", count: max(1, 11 - title.count))
                bytes.append(contentsOf: (title + padding + SafeText.escaping(value) + "\n").utf8)
            }
        }
        try StandardOutput().drainOrStop(&bytes)
    }

    private func table(of collections: [CollectionDescription]) -> TextTable {
        var table = TextTable(["NAME", "DOCUMENTS", "WAITING", "SIZE"], alignments: [.left, .right, .right, .right])
        for collection in collections {
            table.append([
                collection.name.rawValue, count(of: collection), "\(collection.waiting)", size(of: collection),
            ])
        }
        return table
    }

    private func rows(of collection: CollectionDescription) -> [(String, String)] {
        [
            ("Name", collection.name.rawValue), ("Documents", count(of: collection)),
            ("Waiting", "\(collection.waiting)"), ("Size", size(of: collection)),
        ] + collection.settings.map { ($0.name, $0.value) }
    }

    private func count(of collection: CollectionDescription) -> String {
        collection.documents.map { "\($0)" } ?? "-"
    }

    private func size(of collection: CollectionDescription) -> String {
        collection.bytes.map { "\(ShortByteCount($0))" } ?? "-"
    }
}

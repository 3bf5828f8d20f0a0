import ArgumentParsing
import CollectionSync
import CommandKit
import ContentFeeding
import EngineCatalog
import FeedJobs
import FeedReports
import Files
import JSONText
import JobJournal
import ReportKit
import Synchronization
import TextKit

struct Copies: CommandGroup {
    static let configuration = CommandConfiguration(
        "replicas",
        formerNames: ["copies"],
        group: "Index",
        summary: "Keep offline copies of collections: search and edit them locally, and push the changes later.",
        discussion: """
            A copy is a collection in the embedded store that has an origin: all or part of a collection on another \
            target. 'find', 'get' and 'exists' read the copy; 'add', 'update' and 'remove' change the copy and queue \
            the change; none of them needs a connection. 'pull' fetches changes from the origin, and 'push' sends \
            queued changes, each only if the document has not changed at the origin since it was pulled. If it has, \
            there is a conflict, which --on-conflict resolves.

            To copy documents once, into a collection on any engine, see 'fastctl copy'.

            'jobs issues' lists the conflicts of a push with both versions; 'jobs discard --copy NAME ID' undoes a \
            change that has not been pushed.
            """,
        examples: [
            .init("fastctl replicas create catalogue --origin prod", "Copy the collection 'catalogue' from a context"),
            .init("fastctl replicas pull catalogue", "Push queued changes, then fetch new ones"),
            .init("fastctl update -c catalogue changes.jsonl", "Change the copy, without a connection"),
            .init(
                "fastctl replicas push catalogue --on-conflict server",
                "Send the changes; the origin wins conflicts"
            ),
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

            A copy with --key holds only these top-level keys of each document; a push leaves the other keys unchanged.
            """,
        examples: [
            .init("fastctl replicas create catalogue --origin prod", "Copy the collection of the same name"),
            .init(
                "fastctl replicas create german --origin prod --collection-at-origin catalogue --where language=de",
                "Copy part of another collection"
            ),
        ],
        optionAdvice: [
            "-c": original, "--collection": original, "--from": "--origin CONTEXT names where the documents come from",
        ]
    )

    private static let original =
        "NAME is an argument; the name of the collection at the origin, if it differs, is --collection-at-origin NAME"

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Guards") var protection: ProtectionOptions

    @Option("--origin", value: "CONTEXT|ADDRESS", completion: .contexts, help: "Where the documents come from")
    var origin: String?

    @Option(
        "--collection-at-origin",
        formerly: "--of",
        value: "NAME",
        completion: ArgumentCompletion.none,
        help: "The collection at the origin (default: the copy's name)"
    )
    var original: String?

    @Option(
        "--where",
        formerly: "--field",
        value: "NAME=VALUE",
        help: "Only documents whose field has this value; may be repeated"
    )
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
        try place.refuseCollectionInContext()
        let from = try target.origin(place, collection: original ?? name)
        try place.refuseCollection(in: from.resolved.address)
        var query = SearchQuery(fields: fields.map(\.field))
        query.expression = expression
        let local = try target.resolve()
        guard local.resolved.address.nodes.isEmpty else { throw CopyOptions.notEmbedded(local) }
        try local.requireConfirmation(protection.names, to: "create a copy in it")
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
        StandardError.say("\(copy) created as a copy of \(kept.collection) at \(kept.target); it is empty")
        if let hint = place.hint(on: from.resolved.address) { StandardError.say(hint) }
        StandardError.say("fill it with: fastctl replicas pull \(CommandLineWords.quoted(name))")
        return .success
    }
}

private struct ShowCopies: Command {
    static let configuration = CommandConfiguration(
        "show",
        foreignNames: ["list", "ls", "status"],
        summary: "Show all copies, or one: its origin, documents and queued changes.",
        examples: [.init("fastctl replicas show catalogue", "One copy")]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Output") var output: ListOptions
    @Argument("NAME", completion: .copies, help: "The copy (default: all of them)") var names: [String]

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
            output.note("there are no copies; create one: fastctl replicas create NAME --origin …")
        }
        return .success
    }
}

private struct PullCopy: Command {
    static let configuration = CommandConfiguration(
        "pull",
        foreignNames: ["sync", "update", "refresh"],
        summary: "Push queued changes, then fetch new documents from the origin and remove those that are gone there.",
        discussion: """
            Only documents that have changed since the last pull are fetched, and none if the origin reports no \
            change. If documents may have been removed there, the IDs of all documents are compared. An interrupted \
            pull resumes where it stopped. If the push leaves changes queued, nothing is pulled. If the origin lacks \
            changes that were pulled earlier, because it was restored from a backup, all documents are compared by \
            content. If the query may depend on the time (because it contains the word 'now'), the IDs of all \
            documents are compared with each pull.
            """,
        examples: [.init("fastctl replicas pull catalogue", "Bring a copy up to date")]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Guards") var options: CopyOptions
    @Argument("NAME", completion: .copies, help: "The copy") var name: String

    func run() async throws -> ExitCode {
        let run = try await CopyRun(name, at: target, options)
        let report = try await run.pushing { try await $0.pull(conflicts: $1, recordedIn: $2, observe: $3) }
        if report.push.pushed > 0 { _ = run.conclude(report.push) }
        guard !report.isUnchanged else {
            options.quiet.say(["\(name): nothing has changed at the origin"])
            return .success
        }
        let changes = report.changes
        let compared = report.comparison.map { "; \($0)" } ?? ""
        options.quiet.say([
            "\(name): \(changes.added) added, \(changes.updated) updated, \(changes.removed) removed\(compared)"
        ])
        return .success
    }
}

private struct PushCopy: Command {
    static let configuration = CommandConfiguration(
        "push",
        summary: "Send queued changes, each only if the document has not changed at the origin since it was pulled.",
        examples: [
            .init("fastctl replicas push catalogue", "Stop at the first conflict"),
            .init("fastctl replicas push catalogue --on-conflict ask", "Ask about each conflict"),
        ]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Guards") var options: CopyOptions
    @Argument("NAME", completion: .copies, help: "The copy") var name: String

    func run() async throws -> ExitCode {
        let run = try await CopyRun(name, at: target, options)
        return run.conclude(try await run.pushing { try await $0.push(conflicts: $1, recordedIn: $2, observe: $3) })
    }
}

private struct PurgeCopy: Command {
    static let configuration = CommandConfiguration(
        "empty",
        formerNames: ["purge"],
        summary: "Push queued changes, then remove all documents from the copy; the origin keeps them.",
        examples: [.init("fastctl replicas empty catalogue --force", "Empty it even if queued changes are lost")]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Guards") var options: CopyOptions
    @Flag("--force", help: "Push nothing, and discard the queued changes") var isForced
    @Argument("NAME", completion: .copies, help: "The copy") var name: String

    func run() async throws -> ExitCode {
        let run = try await CopyRun(name, at: target, options, isOffline: isForced)
        let isForced = isForced
        let count = try await run.pushing {
            try await $0.purge(conflicts: $1, recordedIn: $2, isForced: isForced, observe: $3)
        }
        options.quiet.say(["\(name): \(Quantity(count, "document", "documents")) removed from the copy; it is empty"])
        return .success
    }
}

private struct RemoveCopy: Command {
    static let configuration = CommandConfiguration(
        "remove",
        foreignNames: ["rm", "delete"],
        summary: "Remove a copy; the origin stays as it is.",
        examples: [.init("fastctl replicas remove catalogue", "Remove a copy without queued changes")]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Guards") var protection: ProtectionOptions
    @Flag("--force", help: "Remove the copy even if changes are queued; they are lost") var isForced
    @Argument("NAME", completion: .copies, help: "The copy") var name: String

    func run() async throws -> ExitCode {
        let store = try await CopyOptions.store(at: target, protection.names, to: "remove a copy from it")
        let copy = try await store.copy(named: CollectionName(name))
        let lock = try copy.lock()
        defer { withExtendedLifetime(lock) {} }
        let queued = try await copy.status().queued
        guard queued == 0 || isForced else {
            throw Failure(
                .refused,
                "\(Quantity(queued, "operation is", "operations are")) still queued; nothing was removed",
                advice:
                    "send them with 'fastctl replicas push \(CommandLineWords.quoted(name))', or add --force to discard them"
            )
        }
        let count = try await store.removeCopy(CollectionName(name))
        StandardError.say("\(name) removed, with \(Quantity(count, "document", "documents")); the origin keeps its own")
        return .success
    }
}

/// The policy for resolving conflicts.
enum ConflictChoice: String, CaseIterable, ArgumentValue {
    case client
    case server
    case cancel
    case ask
}

/// Options for pushing a copy.
struct CopyOptions: OptionSetting {
    @Option(
        "--on-conflict",
        value: "POLICY",
        help:
            "The side that wins if a document was changed both here and at the origin; 'cancel' leaves this change and later ones queued"
    )
    var policy = ConflictChoice.cancel

    @Option(
        "--confirm",
        value: "NAME",
        completion: .contexts,
        help: "The context's name as confirmation, if the context of the origin or of the copy is protected"
    )
    var names: [String]

    @Flag("--new-origin", help: "Accept that the origin was re-created, and attach the copy to the new collection")
    var acceptsNewOrigin

    @OptionGroup("Output") var quiet: QuietOptions
    @OptionGroup("Output") var progress: ProgressOptions

    /// Opens the embedded store that a target names, for reading.
    static func store(at target: TargetOptions) async throws -> any CopyKeepingStore & JobKeepingStore {
        try await store(at: target.resolve())
    }

    /// Opens the embedded store that a target names; a protected context must be confirmed first.
    static func store(
        at target: TargetOptions,
        _ names: [String],
        to action: String
    ) async throws -> any CopyKeepingStore & JobKeepingStore {
        let local = try target.resolve()
        if local.resolved.address.nodes.isEmpty { try local.requireConfirmation(names, to: action) }
        return try await store(at: local)
    }

    private static func store(at local: OpenableTarget) async throws -> any CopyKeepingStore & JobKeepingStore {
        guard local.resolved.address.nodes.isEmpty else { throw notEmbedded(local) }
        let opened: any CollectionAdministration
        do {
            opened = try await local.open()
        } catch {
            // A collection name alone would not identify a copy.
            guard error.code == .missingTarget else { throw error }
            throw EngineError(
                error.code,
                error.message,
                advice: "create one with: fastctl replicas create NAME --origin CONTEXT|ADDRESS"
            )
        }
        guard let store = opened as? any CopyKeepingStore & JobKeepingStore else { throw notEmbedded(local) }
        return store
    }

    static func notEmbedded(_ target: OpenableTarget) -> Failure {
        Failure(
            .configuration,
            "copies are kept in an embedded store, but the target is \(target.resolved.address)",
            advice:
                "leave out --context, because a copy records its origin, or specify a store with --target sqlite:PATH"
        )
    }
}

/// The origin of a copy as named by the user: a context or an address.
struct OriginAddress: Hashable, Sendable {
    private let text: String

    init(_ text: String) { self.text = text }

    private var isAddress: Bool { text.utf8.contains(UInt8(ascii: ":")) }

    /// The origin in the form that is stored with the copy: a path does not depend on the current folder.
    var kept: String {
        guard isAddress, let address = try? TargetAddress(text), case .sqlite(let path) = address.location,
            !path.hasPrefix("/")
        else { return text }
        return "sqlite:\(ProcessFacts.currentFolder)/\(path)"
    }

    /// Refuses a store's address that ends with a collection, as a source's address does, because it would be
    /// interpreted as a path below the store's file.
    func refuseCollection(in address: TargetAddress) throws {
        guard isAddress, case .sqlite(let path) = address.location, let slash = path.lastIndex(of: "/") else { return }
        let (store, collection) = (String(path[..<slash]), String(path[path.index(after: slash)...]))
        // Only a folder can also be named with a trailing `/.`.
        guard NewFile.exists(store), !NewFile.exists(store + "/.") else { return }
        let option = collection.isEmpty ? "" : " --collection-at-origin \(CommandLineWords.quoted(collection))"
        throw ArgumentError(
            "--origin: '\(store)' is a file, so nothing can be below it",
            advice: "Use --origin \(CommandLineWords.quoted("sqlite:" + store))\(option)"
        )
    }

    /// Refuses a context that is followed by a collection, as in a source's address: a context's name has no slash.
    func refuseCollectionInContext() throws {
        guard !isAddress, let slash = text.firstIndex(of: "/") else { return }
        let (context, collection) = (String(text[..<slash]), String(text[text.index(after: slash)...]))
        guard !context.isEmpty, !collection.isEmpty else { return }
        throw ArgumentError(
            "--origin: '\(text)' contains a collection, which has its own option",
            advice: "Use --origin \(CommandLineWords.quoted(context)) --collection-at-origin "
                + CommandLineWords.quoted(collection)
        )
    }

    /// Returns a hint about the path in a server address, if it has one; a path in a context is deliberate.
    func hint(on address: TargetAddress) -> String? {
        isAddress ? address.pathHint(option: "--collection-at-origin") : nil
    }

    func resolve(_ resolver: inout TargetResolver) {
        if isAddress { resolver.options[.target] = text } else { resolver.context = text }
    }
}

/// One pull, push or purge of a copy.
struct CopyRun: Sendable {
    private let name: String
    private let options: CopyOptions
    private let store: any CopyKeepingStore & JobKeepingStore
    private let copy: any LocalCopy
    private let synced: SyncedCollection
    private let status: CopyStatus

    /// Opens the copy; `isOffline` is true for actions that do not need the origin.
    init(_ name: String, at target: TargetOptions, _ options: CopyOptions, isOffline: Bool = false) async throws {
        (self.name, self.options) = (name, options)
        store = try await CopyOptions.store(at: target, options.names, to: "change a copy in it")
        copy = try await store.copy(named: CollectionName(name))
        let status = try await copy.status()
        self.status = status
        if options.policy == .ask, !FileDescriptor.standardInput.isTerminal || !FileDescriptor.standardError.isTerminal
        {
            throw Failure(
                .refused,
                "refused: --on-conflict ask needs a terminal; nothing was sent",
                advice: "use --on-conflict client, server or cancel"
            )
        }
        let origin = OriginAddress(status.origin.target)
        let from = try target.origin(origin, collection: status.origin.collection.rawValue)
        if status.queued > 0, !isOffline { try from.requireConfirmation(options.names, to: "push to it") }
        let collection = CollectionChoice(name: status.origin.collection.rawValue, engineName: status.origin.collection)
        synced = SyncedCollection(copy) {
            do {
                return try await from.open(collection).engine
            } catch let error as EngineError where [.missingCollection, .missingTarget].contains(error.code) {
                // Creating an empty collection at the origin would lose the contents of the copy.
                let copy = CommandLineWords.quoted(name)
                let nearest = error.advice.flatMap { $0.hasPrefix("did you mean ") ? "\($0) " : nil } ?? ""
                throw EngineError(
                    error.code,
                    error.message,
                    advice: nearest + "to use another origin, run 'fastctl replicas remove \(copy)', and then "
                        + "'fastctl replicas create \(copy) --origin CONTEXT|ADDRESS --collection-at-origin COLLECTION'"
                )
            }
        }
        Interruption.leaveAtOnce(saying: "interrupted; nothing is lost; run it again: \(CommandLineWords.ofProcess)")
    }

    typealias Observer = @Sendable (SyncEvent) -> Void

    /// Runs `body` with everything that a push needs, and keeps its conflicts and failures with a job.
    func pushing<Report>(
        _ body: (SyncedCollection, any ConflictDelegate, JobID?, @escaping Observer) async throws -> Report
    ) async throws -> Report {
        if options.acceptsNewOrigin { try await synced.adoptOrigin() }
        let delegate: any ConflictDelegate =
            switch options.policy {
            case .client: ConflictPolicy.client
            case .server: ConflictPolicy.server
            case .cancel: ConflictPolicy.cancel
            case .ask: AskingDelegate()
            }
        let job = try await PushJob(of: copy, status, in: store.jobs)
        let recorded = job.map { RecordedDelegate(delegate, in: $0) as any ConflictDelegate } ?? delegate
        let printer = SyncPrinter()
        let progress = SyncProgressDisplay(options.progress.style, queued: status.queued)
        defer { progress.finish() }
        do {
            let report = try await body(synced, recorded, job?.id) { event in
                printer.print(event)
                progress.note(event)
                job?.note(event)
            }
            try await job?.end()
            progress.finish()
            return report
        } catch {
            try? await job?.end()
            throw error
        }
    }

    /// Reports the result of a push, and returns its exit code.
    func conclude(_ report: PushReport) -> ExitCode {
        if report.pushed + report.conflicts + report.failed + report.left == 0 {
            options.quiet.say(["\(name): nothing is queued"])
            return .success
        }
        if report.originWentBack {
            StandardError.say("the origin lacks changes that were pulled earlier, so each document was compared first")
        }
        var words = "\(name): \(report.pushed) pushed"
        if report.conflicts > 0 { words += ", \(Quantity(report.conflicts, "conflict", "conflicts"))" }
        if report.failed > 0 { words += ", \(report.failed) failed" }
        let status: ExitStatus = report.left == 0 ? .done : report.stop == nil ? .documentsFailed : .incomplete
        options.quiet.say([words + ", \(report.left) still queued"], status)
        if let end = report.end { StandardError.say("the push ended early: \(SafeText.escaping(end))") }
        guard report.left > 0 else { return .success }
        for line in report.advice(on: CollectionName(name)) { StandardError.say(line) }
        return ExitCode(status)
    }
}

/// A printer of the outcomes of single operations.
private struct SyncPrinter: Sendable {
    func print(_ event: SyncEvent) {
        switch event {
        case .pushed, .pulled: return
        case .flow(let change):
            let sentence = FlowSentence(change)
            if sentence.isAboutWaiting { StandardError.say(sentence.text) }
        case .conflict(let conflict, let resolution):
            let fate =
                switch resolution {
                case .client, .document: "the local change is sent"
                case .server: "the origin's version is kept"
                case .cancel: "not resolved"
                }
            StandardError.say("conflict on '\(SafeText.escaping(conflict.documentID.text))': \(fate)")
        case .failed(let operation, let failure):
            let id = SafeText.escaping(operation.documentID.text)
            StandardError.say("'\(id)' stays queued: \(SafeText.escaping(failure.message))")
        }
    }
}

/// The display of the progress of a push, and then of a pull.
private struct SyncProgressDisplay: Sendable {
    private final class Tally: Sendable {
        let pushed = Atomic(0)
        let pulled = Atomic(0)
        let failed = Atomic(0)
    }

    private let tally: Tally
    private let display: ProgressDisplay

    /// Starts the display; `queued` operations are pushed first.
    init(_ style: ProgressStyle, queued: Int) {
        let tally = Tally()
        self.tally = tally
        display = ProgressDisplay(style) {
            let pulled = tally.pulled.load(ordering: .relaxed)
            var count = ProgressCount(of: pulled > 0 ? .pulled : .pushed)
            count.items = pulled > 0 ? pulled : tally.pushed.load(ordering: .relaxed)
            count.totalItems = pulled > 0 ? nil : queued
            count.errors = tally.failed.load(ordering: .relaxed)
            return count
        }
    }

    func note(_ event: SyncEvent) {
        switch event {
        case .pushed: tally.pushed.wrappingAdd(1, ordering: .relaxed)
        case .pulled(let count): tally.pulled.wrappingAdd(count, ordering: .relaxed)
        case .failed: tally.failed.wrappingAdd(1, ordering: .relaxed)
        case .conflict, .flow: break
        }
    }

    func finish() { display.finish() }
}

/// A delegate that lets the user resolve conflicts at the terminal.
private struct AskingDelegate: ConflictDelegate {
    func resolve(_ conflict: SyncConflict) async throws -> SyncConflict.Resolution {
        let id = SafeText.escaping(conflict.documentID.text)
        let again = conflict.occurrence > 1 ? " again" : ""
        StandardError.say("'\(id)' was changed both here and at the origin\(again):")
        StandardError.say("  here:   \(words(conflict.localDifference))")
        StandardError.say("  origin: \(words(conflict.originDifference))")
        while true {
            switch TypedConfirmation.ask("which version wins? [h]ere, [o]rigin, or [s]top and leave it queued:")?
                .lowercased()
            {
            case "h", "here": return .client
            case "o", "origin": return .server
            case "s", "stop", nil: return .cancel
            default: continue
            }
        }
    }

    private func words(_ json: [UInt8]?) -> String {
        guard let json else { return "removed" }
        return SafeText.escaping(String(decoding: json.prefix(2_000), as: UTF8.self)) + (json.count > 2_000 ? " …" : "")
    }
}

/// A copy and its status.
struct CopyDisplay: ListEntry {
    private let name: CollectionName
    private let status: CopyStatus

    init(_ name: CollectionName, _ status: CopyStatus) { (self.name, self.status) = (name, status) }

    static let titles = ["NAME", "ORIGIN", "DOCUMENTS", "QUEUED", "PULLED"]
    static let alignments: [TextTable.Alignment] = [.left, .left, .right, .right, .left]
    static let fieldTitles = ["name", "target", "collection", "documents", "known", "queued", "pulledAt", "isComplete"]

    var fields: [String?] {
        [
            name.rawValue, status.origin.target, status.origin.collection.rawValue, "\(status.documents)",
            "\(status.known)", "\(status.queued)", status.pulledAt.map { "\(UTCTimestamp(since1970: $0))" },
            "\(isComplete)",
        ]
    }

    var row: [String] {
        [
            name.rawValue, "\(status.origin.collection) at \(status.origin.target)", "\(status.documents)",
            "\(status.queued)", pulled,
        ]
    }

    var lines: [(String, String)] {
        let origin = status.origin
        var lines = [("Name", name.rawValue), ("Origin", origin.target), ("Collection", origin.collection.rawValue)]
        for field in origin.query.fields { lines.append(("Only", "\(field.name)=\(field.value)")) }
        if let expression = origin.query.expression { lines.append(("Query", expression)) }
        if !origin.isWhole { lines.append(("Keys", origin.keys.joined(separator: ", "))) }
        if let mark = origin.removedMark { lines.append(("Removed", "\(mark.name)=\(mark.value)")) }
        lines += [("Documents", "\(status.documents)"), ("Queued", "\(status.queued)"), ("Pulled", pulled)]
        return lines
    }

    var entryName: String? { name.rawValue }

    private var isComplete: Bool { status.bookmark?.isComplete ?? false }

    private var pulled: String {
        let time = status.pulledAt.map { "\(UTCTimestamp(since1970: $0))" }
        return isComplete ? time ?? "-" : time.map { "\($0), and partly since then" } ?? "never"
    }

    /// Appends `fastctl.copy/1`, without a line end.
    func append(to bytes: inout [UInt8]) {
        var writer = JSONWriter()
        let origin = status.origin
        writer.object { writer in
            writer.member("schema", "fastctl.copy/1")
            writer.member("name", name.rawValue)
            writer.object("origin") { writer in
                writer.member("target", origin.target)
                writer.member("collection", origin.collection.rawValue)
                writer.object("fields") { writer in
                    for field in origin.query.fields { writer.member(field.name, field.value) }
                }
                writer.member("query", origin.query.expression)
                writer.member("keys", origin.keys)
                writer.member("identity", status.bookmark?.identity)
            }
            writer.member("documents", status.documents)
            writer.member("known", status.known)
            writer.member("queued", status.queued)
            writer.member("pulledAt", status.pulledAt.map { "\(UTCTimestamp(since1970: $0))" })
            writer.member("isComplete", isComplete)
        }
        bytes += writer.takeBytes()
    }
}

import ArgumentParsing
import CollectionSync
import ContentFeeding
import EngineCatalog
import JobJournal
import ReportRendering
import Synchronization
import TextSafety

/// How conflicts are decided.
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
            "What wins if a document was changed here and at the origin; 'cancel' leaves it queued, with all that follow"
    )
    var policy = ConflictChoice.cancel

    @Option(
        "--confirm",
        value: "NAME",
        completion: .contexts,
        help: "The origin's context as confirmation, if it is protected"
    )
    var names: [String]

    @Flag("--new-origin", help: "Accept that the origin was created anew, and make the copy one of the new collection")
    var acceptsNewOrigin

    @OptionGroup("Output") var progress: ProgressOptions

    /// Opens the embedded store that a target names.
    static func store(at target: TargetOptions) async throws -> any CopyKeepingStore & JobKeepingStore {
        let local = try target.resolve()
        guard local.resolved.address.nodes.isEmpty else { throw notEmbedded(local) }
        let opened: any CollectionAdministration
        do {
            opened = try await local.open()
        } catch {
            // A collection would be no copy.
            guard error.code == .missingTarget else { throw error }
            throw EngineError(error.code, error.message, advice: "fastctl copies create NAME --origin CONTEXT|ADDRESS")
        }
        guard let store = opened as? any CopyKeepingStore & JobKeepingStore else { throw notEmbedded(local) }
        return store
    }

    static func notEmbedded(_ target: OpenableTarget) -> CommandFailure {
        CommandFailure(
            .configuration,
            "copies are kept in an embedded store, but the target is \(target.resolved.address)",
            advice: "name a store with --target sqlite:PATH"
        )
    }
}

/// The origin of a copy as the user names it: a context, or an address.
struct OriginAddress: Hashable, Sendable {
    private let text: String

    init(_ text: String) { self.text = text }

    private var isAddress: Bool { text.utf8.contains(UInt8(ascii: ":")) }

    /// The origin as it is kept with the copy: a path is the same in every folder.
    var kept: String {
        guard isAddress, let address = try? TargetAddress(text), case .sqlite(let path) = address.location,
            !path.hasPrefix("/")
        else { return text }
        return "sqlite:\(ProcessEnvironment.currentFolder)/\(path)"
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

    /// Opens the copy; `isOffline` for what needs no origin.
    init(_ name: String, at target: TargetOptions, _ options: CopyOptions, isOffline: Bool = false) async throws {
        (self.name, self.options) = (name, options)
        store = try await CopyOptions.store(at: target)
        copy = try await store.copy(named: CollectionName(name))
        let status = try await copy.status()
        self.status = status
        if options.policy == .ask, !FileDescriptor.standardInput.isTerminal || !FileDescriptor.standardError.isTerminal
        {
            throw CommandFailure(
                .refused,
                "refused: --on-conflict ask needs a terminal; nothing was sent",
                advice: "use --on-conflict client, server or cancel"
            )
        }
        let origin = OriginAddress(status.origin.target)
        let from = try target.origin(origin, collection: status.origin.collection.rawValue)
        if status.queued > 0, !isOffline { try from.requireConfirmation(options.names, to: "push to it") }
        let collection = CollectionChoice(name: status.origin.collection.rawValue, engineName: status.origin.collection)
        synced = SyncedCollection(copy) { try await from.open(collection).engine }
        Interruption.leaveAtOnce(saying: "interrupted; nothing is lost, run it again: \(CommandLineWords.ofProcess)")
    }

    typealias Observer = @Sendable (SyncEvent) -> Void

    /// Runs `body` with what a push needs, and keeps its conflicts and failures with a job.
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

    /// Says how a push ended, and returns its exit code.
    func conclude(_ report: PushReport) -> ExitCode {
        if report.pushed + report.conflicts + report.failed + report.left == 0 {
            StandardError.say("\(name): nothing is queued")
            return .success
        }
        var words = "\(name): \(report.pushed) pushed"
        if report.conflicts > 0 { words += ", \(Quantity(report.conflicts, "conflict", "conflicts"))" }
        if report.failed > 0 { words += ", \(report.failed) failed" }
        StandardError.say(words + ", \(report.left) still queued")
        if let end = report.end { StandardError.say("the push ended early: \(SafeText.escaping(end))") }
        guard report.left > 0 else { return .success }
        StandardError.say(
            "decide conflicts with --on-conflict, or take a change back: "
                + "fastctl jobs discard --copy \(CommandLineWords.quoted(name)) ID"
        )
        return ExitCode(report.stop == nil ? .documentsFailed : .incomplete)
    }
}

/// A printer of what happens to single operations.
private struct SyncPrinter: Sendable {
    func print(_ event: SyncEvent) {
        switch event {
        case .pushed, .pulled: return
        case .flow(.standstill(let standstill)): StandardError.say(FlowSentence(.standstill(standstill)).text)
        case .flow: return
        case .conflict(let conflict, let resolution):
            let fate =
                switch resolution {
                case .client, .document: "what was done here goes"
                case .server: "the origin's stays"
                case .cancel: "not decided"
                }
            StandardError.say("conflict on '\(SafeText.escaping(conflict.documentID.text))': \(fate)")
        case .failed(let operation, let failure):
            let id = SafeText.escaping(operation.documentID.text)
            StandardError.say("'\(id)' stays queued: \(SafeText.escaping(failure.message))")
        }
    }
}

/// The display of how far a push is, and then a pull.
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

/// A person who decides conflicts at the terminal.
private struct AskingDelegate: ConflictDelegate {
    func resolve(_ conflict: SyncConflict) async throws -> SyncConflict.Resolution {
        let id = SafeText.escaping(conflict.documentID.text)
        let again = conflict.occurrence > 1 ? " once more" : ""
        StandardError.say("'\(id)' was changed here and, meanwhile, at the origin\(again):")
        StandardError.say("  here:   \(words(conflict.localDifference))")
        StandardError.say("  origin: \(words(conflict.originDifference))")
        while true {
            switch TypedConfirmation.ask("which one goes? [h]ere, [o]rigin, or [s]top and leave it queued:")?
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

package import ContentFeeding
import Digests
package import DocumentSources
public import FeedFormats
import Files
import Synchronization
import TextKit

/// An input that can be opened later.
public struct PendingInput: Sendable {
    /// The files and pipes to read, in this order.
    public var sources: [InputSource]
    /// The format of the input.
    public var format: InputFormat
    /// The dialect of the format.
    public var dialect = InputDialect()
    /// The limits on records.
    public var limits: InputLimits
    /// The routing value of operations for which the input specifies none.
    package var routing: Routing?
    /// Whether an input without operations is a failure.
    public var failsOnEmpty = false
    /// The collection from which the input comes, instead of sources.
    package private(set) var collection: (any CollectionInput)?
    /// The time when the feed began, as the time since 1970.
    public var startedAt = ProcessFacts.now

    /// Creates an input from files, standard input or arguments.
    public init(
        sources: [InputSource],
        format: InputFormat,
        dialect: InputDialect = InputDialect(),
        limits: InputLimits = InputLimits(),
        failsOnEmpty: Bool = false
    ) {
        (self.sources, self.format, self.dialect, self.limits) = (sources, format, dialect, limits)
        self.failsOnEmpty = failsOnEmpty
    }

    /// Creates an input of IDs to remove.
    public init(ids: [String]) { self.init(sources: [.arguments(ids)], format: .lines()) }

    /// Creates an input from a collection, or from another source of documents.
    package init(_ collection: some CollectionInput) {
        self.init(sources: [], format: .jsonLines())
        self.collection = collection
    }

    package var readsStandardInput: Bool { sources.contains(.standardInput) }

    /// The files from which the input is read.
    package var files: [String] {
        sources.compactMap { if case .file(let file) = $0 { file } else { nil } } + (collection?.files ?? [])
    }

    /// Whether the input begins with lines from a file or a pipe, each being an ID.
    package var readsLines: Bool {
        guard collection == nil, case .lines = format else { return false }
        if case .arguments? = sources.first { return false }
        return true
    }

    /// Whether a part of the input, such as a pipe, can be read only once.
    package var comesOnce: Bool { sources.contains { !$0.canBeReadAgain } }

    /// The same input, in which parts that can be read only once are replaced by their stored copies.
    package var kept: PendingInput {
        var kept = self
        kept.sources = sources.map { $0.canBeReadAgain ? $0 : .standardInput }
        return kept
    }

    /// Opens the input; with a memory, the input can be read again from the end of any chunk.
    ///
    /// `keepsRouting` is whether the target supports the routing values of a collection's documents.
    package func open(
        for kind: ContentOperation.Kind,
        _ observer: any FeedObserver,
        _ memory: InputMemory? = nil,
        keepsRouting: Bool = true
    ) async throws -> FeedInput {
        if let collection {
            let input = try await collection.open(memory ?? InputMemory(), keepsRouting: keepsRouting, observer)
            return input.routed(to: routing)
        }
        let input = try await FeedInput.open(
            sources,
            for: kind,
            format: format,
            dialect: dialect,
            limits: limits,
            memory: memory
        ) { note in
            observer.remark("\(note)")
        }
        return input.routed(to: routing)
    }
}

/// The documents of a source, or their IDs, as the input of a feed.
///
/// A resumed job continues at the page where it stopped: a chunk's offset counts pages and entries, and its digest
/// contains the position in the source's own format. Entries that an earlier run has read after that position must be
/// unchanged when they are read again.
package struct SourceInput: CollectionInput {
    let source: OpenableSource
    let kind: ContentOperation.Kind
    let configuration: FeedConfiguration

    package init(source: OpenableSource, kind: ContentOperation.Kind, configuration: FeedConfiguration) {
        (self.source, self.kind, self.configuration) = (source, kind, configuration)
    }

    package var identity: [String] { ["source"] + source.identity }
    package var files: [String] { source.files }
    package var findsWhatIsLeft: Bool { false }

    package func open(
        _ memory: InputMemory,
        keepsRouting: Bool,
        _ observer: any FeedObserver
    ) async throws -> FeedInput {
        let documents = PatientSource(try await source.open(), configuration, observer)
        if kind != .remove, !documents.traits.hasDocuments {
            throw SourceError(.unsupported, "'\(documents.name)' lists documents, but does not contain them")
        }
        if kind == .add, let (target, choice) = source.collectionChoice {
            try SourceCollection.refusePart(of: try await target.open(choice).engine, named: documents.name)
        }
        if kind == .add, documents.traits.isPartial, !configuration.addsOnlyNew {
            throw SourceError(
                .unsupported,
                "'\(documents.name)' has only some keys of its documents, and these documents would replace whole ones",
                advice: "add only documents that do not exist yet with --op-type create, or update the existing ones: "
                    + "fastctl reconcile --source SOURCE --plan FILE"
            )
        }
        guard memory.digest != SourcePages.end else { return FeedInput.drawn { nil } }
        guard let (place, steps) = SourceTrail.split(memory.digest) else { throw changed(documents) }
        let start = SourcePlace(rawValue: String(decoding: place, as: UTF8.self))
        let reader = try await reader(of: documents, from: start)
        let trail = SourceTrail()
        let pages = SourcePages(reader, of: kind, keepsRouting: keepsRouting, from: memory.offset, noting: trail)
        guard try await pages.recognise(steps) else { throw changed(documents) }
        return FeedInput.drawn(noted: trail.noted) { [name = documents.name] in
            do {
                let chunk = try await pages.next()
                if chunk == nil { await SourceCollection.remark(unrouted: pages.unrouted, observer) }
                return chunk
            } catch let error as EngineError where error.code != .cancelled {
                throw EngineError(error.code, "cannot read '\(name)': \(error.message)", advice: error.advice)
            }
        }
    }

    private func changed(_ documents: any DocumentSource) -> InputError {
        InputError(.changed, source: documents.name, reason: "the part that was read has since changed")
    }
}

extension SourceInput {
    /// Opens the source at a position; if the source has changed since an earlier run, the input counts as a different
    /// one.
    private func reader(of documents: any DocumentSource, from place: SourcePlace) async throws -> any SourceReader {
        do throws(SourceError) {
            return try await documents.reader(of: kind == .remove ? .versions : .documents, from: place)
        } catch {
            guard error.code == .changed, place != .beginning else { throw error }
            throw InputError(.changed, source: documents.name, reason: error.description)
        }
    }
}

/// The pages of a source, converted to operations.
private actor SourcePages {
    private let reader: any SourceReader
    private let kind: ContentOperation.Kind
    private let keepsRouting: Bool
    private var offset: InputOffset
    private let trail: SourceTrail
    /// Pages that were read for comparison with an earlier run, and have not been returned yet.
    private var recognised: ArraySlice<OperationChunk> = []
    /// A substitute for the position after the last page, for sources without a position there.
    static let end: [UInt8] = [0]
    private var rejectionsLeft = InputLimits().rejections
    /// The number of entries whose routing was omitted.
    private(set) var unrouted = 0

    init(
        _ reader: any SourceReader,
        of kind: ContentOperation.Kind,
        keepsRouting: Bool,
        from offset: InputOffset,
        noting trail: SourceTrail
    ) {
        (self.reader, self.kind, self.keepsRouting, self.offset) = (reader, kind, keepsRouting, offset)
        self.trail = trail
    }

    /// Reads the entries that an earlier run has read, and returns whether they are the same; their division into pages
    /// does not matter.
    func recognise(_ steps: [SourceTrail.Step]) async throws -> Bool {
        var operations: ArraySlice<ContentOperation> = []
        for step in steps {
            while operations.count < step.count, let chunk = try await read() {
                recognised.append(chunk)
                operations += chunk.operations
            }
            guard operations.count >= step.count, SourceTrail.Step(operations.prefix(step.count)) == step else {
                return false
            }
            operations.removeFirst(step.count)
        }
        return true
    }

    func next() async throws(EngineError) -> OperationChunk? {
        if let chunk = recognised.popFirst() { return chunk }
        do throws(SourceError) { return try await read() } catch { throw EngineError(error) }
    }

    /// Reads a page, and immediately records its contents.
    private func read() async throws(SourceError) -> OperationChunk? {
        guard let page = try await reader.next() else { return nil }
        var rejections = page.rejections
        var operations: [ContentOperation] = []
        operations.reserveCapacity(page.entries.count)
        for entry in page.entries {
            if entry.routing != nil, !keepsRouting { unrouted += 1 }
            if let operation = operation(entry) {
                operations.append(operation)
            } else {
                rejections.append(InputRejection(source: entry.id.text, line: 0, reason: "the source has no document"))
            }
        }
        let rejected = rejections.count + page.unnamedRejections
        rejections.removeLast(max(0, rejections.count - rejectionsLeft))
        rejectionsLeft -= rejections.count
        offset = InputOffset(source: offset.source + 1, byte: offset.byte + UInt64(page.entries.count))
        trail.note(operations, to: offset)
        return OperationChunk(
            operations: operations,
            end: offset,
            input: InputTally(
                lines: operations.count + rejected,
                rejected: rejected,
                bytes: operations.reduce(0) { $0 + $1.byteCount }
            ),
            rejections: rejections,
            digest: page.next == .beginning ? Self.end : Array(page.next.rawValue.utf8)
        )
    }

    private func operation(_ entry: SourceEntry) -> ContentOperation? {
        let routing = keepsRouting ? entry.routing : nil
        guard kind != .remove else { return .remove(DocumentKey(entry.id, routing: routing)) }
        return entry.json.map { .add(Document(id: entry.id, json: $0, routing: routing)) }
    }
}

extension EngineError {
    /// Converts a source's failure to the failure of a feed's dependency.
    package init(_ error: SourceError) {
        let code: Code =
            switch error.code {
            case .unreachable: .unreachable
            case .permission: .permission
            case .invalidAddress, .unsupported: .unsupported
            case .missing, .unusable, .changed: .unusable
            case .inputOutput: .inputOutput
            case .cancelled: .cancelled
            }
        self.init(code, error.message, advice: error.advice)
    }
}

/// A record of the entries that a run has read after the position at which a later run would resume: the number and the
/// digest of their operations, page by page.
///
/// The job identifies settled operations by their numbers. If the source changes, the same numbers refer to other
/// operations, which would be mistaken for settled operations. Therefore, each batch records, in the job, the entries
/// that were read.
final class SourceTrail: Sendable {
    /// The operations of a page, and their digest.
    struct Step: Hashable {
        let count: Int
        let digest: [UInt8]

        init(_ operations: ArraySlice<ContentOperation>) {
            count = operations.count
            var running = RunningBLAKE2b()
            for operation in operations {
                for part in [Array(operation.documentID.text.utf8), Array((operation.routing?.text ?? "").utf8)] {
                    running.update(SourceTrail.bytes(of: part.count).span)
                    running.update(part.span)
                }
                if operation.kind != .remove { running.update(operation.json.span) }
            }
            digest = Array(running.digestSoFar().bytes.prefix(Self.digestBytes))
        }

        fileprivate static let digestBytes = 16
        fileprivate static let byteCount = 4 + digestBytes

        fileprivate init(_ bytes: ArraySlice<UInt8>) {
            count = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            digest = Array(bytes.dropFirst(4))
        }

        fileprivate var bytes: [UInt8] { Array(SourceTrail.bytes(of: count).suffix(4)) + digest }
    }

    private let steps = Mutex<[(end: InputOffset, step: Step)]>([])

    /// Records the operations of a page, and the position at its end, before any of them is sent.
    func note(_ operations: [ContentOperation], to end: InputOffset) {
        let step = Step(operations[...])
        steps.withLock { $0.append((end, step)) }
    }

    /// Adds to the progress the entries that were read after its position.
    func noted(in progress: FeedProgress) -> FeedProgress {
        let behind = steps.withLock { steps in
            // A job never moves backward, so steps before its position are no longer needed.
            steps.removeFirst(steps.prefix { $0.end <= progress.offset }.count)
            return steps.flatMap(\.step.bytes)
        }
        guard !behind.isEmpty else { return progress }
        var progress = progress
        progress.inputDigest += [Self.separator] + behind
        return progress
    }

    /// A byte that positions never contain, because they are text.
    private static let separator: UInt8 = 0

    /// Splits a job's digest of its input into the position and the steps after it; returns `nil` if the digest is
    /// damaged.
    static func split(_ digest: [UInt8]) -> (place: [UInt8], steps: [Step])? {
        guard let end = digest.firstIndex(of: separator) else { return (digest, []) }
        let behind = digest[(end + 1)...]
        guard behind.count.isMultiple(of: Step.byteCount) else { return nil }
        let starts = stride(from: behind.startIndex, to: behind.endIndex, by: Step.byteCount)
        return (Array(digest[..<end]), starts.map { Step(behind[$0..<($0 + Step.byteCount)]) })
    }

    private static func bytes(of number: Int) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
}

/// A source whose requests are retried while they may succeed, with the same pauses and limits as in feeding.
package struct PatientSource: DocumentSource {
    private let base: any DocumentSource
    private let configuration: FeedConfiguration
    private let observer: any FeedObserver

    package init(_ base: any DocumentSource, _ configuration: FeedConfiguration, _ observer: any FeedObserver) {
        (self.base, self.configuration, self.observer) = (base, configuration, observer)
    }

    package var name: String { base.name }
    package var traits: SourceTraits { base.traits }

    package func reader(
        of contents: SourceContents,
        from place: SourcePlace
    ) async throws(SourceError) -> any SourceReader {
        PatientReader(try await base.reader(of: contents, from: place), configuration, observer)
    }
}

private actor PatientReader: SourceReader {
    private let base: any SourceReader
    private let configuration: FeedConfiguration
    private let observer: any FeedObserver

    init(_ base: any SourceReader, _ configuration: FeedConfiguration, _ observer: any FeedObserver) {
        (self.base, self.configuration, self.observer) = (base, configuration, observer)
    }

    func next() async throws(SourceError) -> SourcePage? {
        let base = base
        var failure: SourceError?
        var lookUp = PatientLookUp(configuration, observer)
        do {
            return try await lookUp.answer(
                to: { () async throws(EngineError) in
                    do throws(SourceError) {
                        return try await base.next()
                    } catch {
                        failure = error
                        throw EngineError(error)
                    }
                },
                unless: { Task.isCancelled }
            )
        } catch {
            throw failure ?? SourceError(.cancelled, "interrupted")
        }
    }
}

/// A lookup that is retried while the engine does not respond, with the same pauses and limits as in feeding.
///
/// Waiting is reported after two seconds, and then every thirty seconds.
package struct PatientLookUp {
    private let clock: FeedClock
    private let retry: RetryPolicy
    /// The time without a reply after which the lookup fails; `nil` for no limit.
    private let giveUpAfter: Duration?
    private let observer: any FeedObserver
    private var random = SystemRandomNumberGenerator()

    private static let firstWord = Duration.seconds(2)
    private static let nextWord = Duration.seconds(30)
    /// The maximum time until a request to stop is noticed during a pause.
    private static let step = Duration.milliseconds(200)

    package init(
        _ configuration: FeedConfiguration,
        _ observer: any FeedObserver,
        clock: FeedClock = FeedClock(ContinuousClock())
    ) {
        self.clock = clock
        self.observer = observer
        retry = configuration.retry
        giveUpAfter = configuration.giveUpAfter
    }

    /// Returns the result of `body` when the engine responds; `isStopped` is polled, and ends the wait when it returns
    /// true.
    package mutating func answer<Answer>(
        to body: () async throws(EngineError) -> Answer,
        unless isStopped: () -> Bool
    ) async throws -> Answer {
        let start = clock.now()
        var nextWord = start + Self.firstWord
        var failures = 0
        while true {
            let failure: EngineError
            do throws(EngineError) { return try await body() } catch { failure = error }
            let now = clock.now()
            guard [.unreachable, .locked].contains(failure.code), !isStopped() else { throw failure }
            let end = giveUpAfter.map { start + $0 } ?? .never
            guard now < end else { throw failure }
            if now >= nextWord {
                nextWord = now + Self.nextWord
                let rest = giveUpAfter.map { "; giving up in \(ShortDuration(start + $0 - now))" } ?? ""
                observer.remark(
                    "waiting: a look-up has not been answered for \(ShortDuration(now - start)): \(failure.message)\(rest)"
                )
            }
            failures += 1
            let resumption = min(now + retry.pause(after: failures, using: &random), end)
            while !isStopped(), case let now = clock.now(), now < resumption {
                try await clock.sleep(min(now + Self.step, resumption))
            }
        }
    }
}

// MARK: Text in place of IDs

/// The output of 'find' with more than IDs, passed instead of IDs: as text, with a document's ID and title on each
/// line, as JSON, or as a table.
package enum FoundText {
    /// The maximum number of lines that are examined, and of positions in each at which its title may begin.
    private static let (mostLines, mostPlaces) = (10, 4)
    /// The spaces that 'find' prints between an ID and a title.
    private static let gap = Array("  ".utf8)

    /// Refuses input that begins like the output of 'find': no line with a gap is the ID of a document, but the text
    /// before a gap is.
    ///
    /// An ID may also contain a gap, so the collection is queried; if the query fails, nothing is refused.
    ///
    /// Examining only the beginning of the input is enough, even if it is short, has no titles, or is only one of
    /// several files: an overlooked line does not remove another document, because its whole text is taken as the ID,
    /// which counts as missing.
    package static func refuse(_ first: OperationChunk, in engine: any CollectionEngine) async throws(FeedJobError) {
        let lines = first.operations.prefix(mostLines).map(\.documentID)
        var titled = lines.map { (line: $0, shorter: shorterIDs(of: $0)) }
        titled.removeAll { $0.shorter.isEmpty }
        guard !titled.isEmpty else { return }
        var found: DocumentID?
        for (line, shorter) in titled {
            let keys = ([line] + shorter).map { DocumentKey($0) }
            guard let answers = try? await engine.exists(at: keys), answers.count == keys.count, !answers[0],
                let place = answers.firstIndex(of: true)
            else { return }
            found = found ?? keys[place].id
        }
        guard let found else { return }
        throw FeedJobError(
            .inputRejected,
            "the input is the text that 'fastctl find' prints, not a list of IDs: '\(titled[0].line)' is the ID "
                + "'\(found)' and a title; nothing was sent",
            advice: "make it print only IDs: fastctl find … -o name | fastctl remove …"
        )
    }

    /// Returns a remark about input that may be the text output of 'find'; `nil` if no line at its beginning has a gap.
    package static func doubt(about first: OperationChunk) -> String? {
        guard first.operations.prefix(mostLines).contains(where: { !shorterIDs(of: $0.documentID).isEmpty }) else {
            return nil
        }
        return "if the input is the text that 'fastctl find' prints, the run refuses it: see --dry-run=server, or make "
            + "it print only IDs: fastctl find … -o name | fastctl remove …"
    }

    /// Returns a remark about input that begins with JSON, or about a table from a pipe; `nil` for any other input.
    ///
    /// Nothing is refused, because an ID may also look like this.
    package static func remark(on first: OperationChunk, of input: PendingInput) -> String? {
        guard let line = first.operations.first?.documentID.text else { return nil }
        let isPiped = input.sources.first == .standardInput
        let (form, advice) =
            switch line.drop(while: { $0 == " " || $0 == "\t" }) {
            case let text where text.hasPrefix("{") && text.hasSuffix("}"):
                ("JSON", "to read the IDs in it, use --format jsonl")
            case let text where text.hasPrefix("[{") || text == "{":
                ("JSON", "to read the IDs in it, use --format json")
            case let text where isPiped && text.hasPrefix("["):
                ("a JSON array", "for an array of IDs, put jq -r '.[]' before this command")
            case let text where isPiped && text.hasPrefix("id,"):
                ("a table", "to read its ID column, use --format csv --column id")
            default: ("", "")
            }
        return form.isEmpty ? nil : "the input looks like \(form), but is read as one ID per line; \(advice)"
    }

    /// Returns the text before each gap in a line, as IDs.
    private static func shorterIDs(of line: DocumentID) -> [DocumentID] {
        let bytes = Array(line.text.utf8)
        let places = bytes.indices.dropFirst().filter { bytes[$0...].starts(with: gap) }
        return places.prefix(mostPlaces).compactMap { place in
            try? DocumentID(String(decoding: bytes[..<place], as: UTF8.self))
        }
    }
}

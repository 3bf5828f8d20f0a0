import ContentFeeding
import FeedFormats
import ReportRendering
import Sources

/// The documents of a source, or their IDs, as the input of a feed.
///
/// A resumed job goes on at the page where it stopped: a chunk's offset counts pages and entries, and its digest holds the
/// place in the source's own form. What an earlier run has read behind that place must come again as it was.
struct SourceInput: CollectionInput {
    let source: OpenableSource
    let kind: ContentOperation.Kind
    let configuration: FeedConfiguration

    var identity: [String] { ["source"] + source.identity }
    var files: [String] { source.files }
    var findsWhatIsLeft: Bool { false }

    func open(_ memory: InputMemory, keepsRouting: Bool) async throws -> FeedInput {
        let documents = PatientSource(try await source.open(), configuration)
        if kind != .remove, !documents.traits.hasDocuments {
            throw SourceError(
                .unsupported,
                "'\(documents.name)' tells which documents there are, but does not hold them"
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
                if chunk == nil { await SourceCollection.sayUnrouted(pages.unrouted) }
                return chunk
            } catch let error as EngineError where error.code != .cancelled {
                throw EngineError(error.code, "cannot read '\(name)': \(error.message)", advice: error.advice)
            }
        }
    }

    private func changed(_ documents: any DocumentSource) -> InputError {
        InputError(.changed, source: documents.name, reason: "what was read of it has changed since")
    }
}

extension SourceInput {
    /// Opens the source at a place; if it has changed since an earlier run was there, it is another input.
    private func reader(of documents: any DocumentSource, from place: SourcePlace) async throws -> any SourceReader {
        do throws(SourceError) {
            return try await documents.reader(of: kind == .remove ? .versions : .documents, from: place)
        } catch {
            guard error.code == .changed, place != .beginning else { throw error }
            throw InputError(.changed, source: documents.name, reason: error.description)
        }
    }
}

/// The pages of a source, as operations.
private actor SourcePages {
    private let reader: any SourceReader
    private let kind: ContentOperation.Kind
    private let keepsRouting: Bool
    private var offset: InputOffset
    private let trail: SourceTrail
    /// Pages that were read to recognise them, and are not handed over yet.
    private var recognised: ArraySlice<OperationChunk> = []
    /// What stands for the place after the last page of a source that has none to go on from.
    static let end: [UInt8] = [0]
    private var rejectionsLeft = InputLimits().rejections
    /// Entries whose routing was left out.
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

    /// Reads what an earlier run has read, and returns whether it is the same; how it comes in pages does not matter.
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

    /// Reads a page, and notes at once what it has.
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
    /// Words a source's failure as that of what a feed depends on.
    init(_ error: SourceError) {
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

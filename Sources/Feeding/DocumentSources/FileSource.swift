public import CollectionSync
public import ContentFeeding
public import FeedFormats
import Synchronization
import TextKit

/// The documents in a file: JSON lines, or the rows of a table.
///
/// Compressed files and encodings other than UTF-8 are supported, as for all inputs. When reading resumes, the part
/// already read is read again first, and a ``SourceError`` is thrown if that part has changed.
public struct FileSource: DocumentSource {
    /// The format of the file, which must be specified: it is never guessed.
    public enum Format: String, Hashable, Sendable {
        case jsonLines = "jsonl"
        case csv, tsv
    }

    /// The options for reading the file's documents.
    public struct Options: Hashable, Sendable {
        /// The key or column that holds a document's ID.
        public var idKey = "id"
        /// The key or column that holds a document's version; `nil` if documents have no version.
        public var versionKey: String?
        /// The key or column that holds a document's routing.
        public var routingKey: String?
        /// The name of the encoding of text without a byte-order mark; `nil` for UTF-8.
        public var encoding: String?
        /// The delimiter between the cells of a table; `nil` for the format's default.
        public var delimiter: UInt8?
        /// The number of lines before a table that are skipped.
        public var skippedLines = 0
        /// The columns of a table that become keys, and their types; `nil` if all columns become keys with string
        /// values.
        public var columns: TableColumns?
        /// The longest document, in bytes.
        public var largestDocument = Document.maximumByteCount

        /// Creates the options for a file whose documents have their ID in `id` and have no version.
        public init() {}
    }

    /// The source's address.
    public let name: String
    private let path: String
    private let format: InputFormat
    private let dialect: InputDialect
    private let limits: InputLimits
    private let versionKey: String?
    private let hasFixedKeys: Bool
    private let remark: @Sendable (String) -> Void

    /// Creates a source that opens the file only when it is read; `remark` receives remarks about the file for the
    /// user.
    ///
    /// - Throws: A ``SourceError`` if the encoding is unknown.
    public init(
        _ path: String,
        _ format: Format,
        _ options: Options = Options(),
        named name: String? = nil,
        remark: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(SourceError) {
        (self.path, self.remark) = (path, remark)
        self.name = name ?? "\(format.rawValue):\(path)"
        versionKey = options.versionKey
        hasFixedKeys = format != .jsonLines
        let column = InputColumn.named(options.idKey)
        let routing = options.routingKey.map { InputColumn.named($0) }
        switch format {
        case .jsonLines: self.format = .jsonLines(field: options.idKey, routing: options.routingKey)
        case .csv: self.format = .csv(column: column, routing: routing)
        case .tsv: self.format = .tsv(column: column, routing: routing)
        }
        var dialect = InputDialect()
        dialect.delimiter = options.delimiter
        dialect.skippedLines = options.skippedLines
        dialect.columns = options.columns
        dialect.encoding = try options.encoding.map { name throws(SourceError) in try TextEncoding(source: name) }
        self.dialect = dialect
        var limits = InputLimits()
        limits.document = min(options.largestDocument, Document.maximumByteCount)
        self.limits = limits
    }

    /// The traits of the source's entries.
    public var traits: SourceTraits {
        var traits = SourceTraits()
        traits.versionKey = versionKey
        traits.hasFixedKeys = hasFixedKeys
        return traits
    }

    /// Opens the file.
    public func reader(
        of contents: SourceContents,
        from place: SourcePlace
    ) async throws(SourceError) -> any SourceReader {
        let memory = try SavedPlace(place).memory
        let end = FileEnd()
        let input = try await SourceError.wrapping { () async throws in
            try await FeedInput.open(
                [.file(path)],
                for: .add,
                format: format,
                dialect: dialect,
                limits: limits,
                memory: memory
            ) { [remark] note in
                guard case .trailingBytes = note else { return remark("\(note)") }
                end.isFollowed.store(true, ordering: .relaxed)
            }
        }
        return FileReader(input, path: path, contents, versionKey: versionKey, from: place, end)
    }
}

/// The end of a compressed file, which may be followed by unreadable data.
private final class FileEnd: Sendable {
    let isFollowed = Atomic(false)
}

/// A position in a file: the number of bytes before it, and their digest.
private struct SavedPlace {
    private let byte: UInt64
    private let digest: [UInt8]

    init(byte: UInt64, digest: [UInt8]) { (self.byte, self.digest) = (byte, digest) }

    init(_ place: SourcePlace) throws(SourceError) {
        guard place != .beginning else {
            self.init(byte: 0, digest: [])
            return
        }
        let parts = place.rawValue.split(separator: ":")
        guard parts.count == 2, let byte = UInt64(parts[0]), let digest = [UInt8](hexadecimal: parts[1]) else {
            throw SourceError(.changed, "'\(place.rawValue)' is not a position in a file")
        }
        self.init(byte: byte, digest: digest)
    }

    var place: SourcePlace { SourcePlace(rawValue: "\(byte):\(digest.hexadecimal)") }

    var memory: InputMemory {
        var memory = InputMemory()
        memory.offset = InputOffset(source: 0, byte: byte)
        memory.digest = digest
        return memory
    }
}

private actor FileReader: SourceReader {
    private let path: String
    private let contents: SourceContents
    private let versionKey: String?
    private var input: FeedInput.Iterator
    private var place: SourcePlace
    private let end: FileEnd

    init(
        _ input: FeedInput,
        path: String,
        _ contents: SourceContents,
        versionKey: String?,
        from place: SourcePlace,
        _ end: FileEnd
    ) {
        self.input = input.makeAsyncIterator()
        (self.path, self.contents, self.versionKey) = (path, contents, versionKey)
        (self.place, self.end) = (place, end)
    }

    func next() async throws(SourceError) -> SourcePage? {
        let chunk = try await SourceError.wrapping { () async throws in
            // A property can't be mutated across a suspension.
            var input = self.input
            defer { self.input = input }
            return try await input.next()
        }
        guard let chunk else {
            guard end.isFollowed.exchange(false, ordering: .relaxed) else { return nil }
            let reason = "the bytes after the compressed data are damaged or in another format, and were not read"
            let rejection = InputRejection(source: path, line: 0, reason: reason)
            return SourcePage(entries: [], rejections: [rejection], next: place)
        }
        place = SavedPlace(byte: chunk.end.byte, digest: chunk.digest).place
        var page = SourcePage(entries: [], rejections: chunk.rejections, next: place)
        page.unnamedRejections = chunk.input.rejected - chunk.rejections.count
        page.entries.reserveCapacity(chunk.operations.count)
        for operation in chunk.operations {
            guard operation.kind == .add else {
                let reason = "removes '\(operation.documentID)', which a list of documents can't do; omit it"
                page.rejections.append(InputRejection(source: path, line: 0, reason: reason))
                continue
            }
            page.entries.append(
                SourceEntry(
                    id: operation.documentID,
                    version: versionKey.flatMap { JSONKey($0).text(in: operation.json) },
                    routing: operation.routing,
                    json: contents == .documents ? operation.json : nil
                )
            )
        }
        return page
    }
}

/// The documents of a collection in any engine.
///
/// Documents written during the reading are also read. When only versions are read, for a comparison, no document may
/// occur twice, so a change to the collection during the reading is an error.
public struct CollectionSource: DocumentSource {
    /// The source's address.
    public let name: String
    private let engine: any VersionedEngine
    private let origin: CopyOrigin
    private let versionKey: String?

    /// Creates a source of a collection's documents.
    ///
    /// - Parameters:
    ///   - engine: The collection.
    ///   - origin: The selection of documents to read, and of the keys to read from them.
    ///   - versionKey: The key that holds a document's version; `nil` for the engine's own version, which is valid only
    ///     in this collection.
    ///   - name: The source's address.
    public init(_ engine: any VersionedEngine, _ origin: CopyOrigin, versionKey: String? = nil, named name: String) {
        (self.engine, self.origin, self.versionKey, self.name) = (engine, origin, versionKey, name)
    }

    /// The traits of the source's entries.
    public var traits: SourceTraits {
        var traits = SourceTraits()
        traits.versionKey = versionKey
        traits.isPartial = !(origin.keys.isEmpty && engine.capabilities.onlyKeys.isEmpty)
        traits.keepsDocumentBytes = engine.capabilities.keepsDocumentBytes
        traits.ownKeys = engine.capabilities.keptKeys
        return traits
    }

    /// Opens the collection.
    public func reader(
        of contents: SourceContents,
        from place: SourcePlace
    ) async throws(SourceError) -> any SourceReader {
        let start = try CollectionPlace(place)
        let reader: CollectionReader?
        do throws(EngineError) {
            reader = try await CollectionReader.open(
                engine,
                of: origin,
                keepsRouting: true,
                from: start.offset,
                expecting: start.digest
            )
        } catch {
            throw SourceError(error)
        }
        guard let reader else {
            throw SourceError(
                .changed,
                "'\(name)' has changed in the part that was already read",
                advice: "read it again from the start"
            )
        }
        return CollectionEntries(reader, contents, versionKey: versionKey, name: name)
    }
}

/// A position in a collection: the part, the progress within that part, and the digest of the collection's state.
private struct CollectionPlace {
    let offset: InputOffset
    let digest: [UInt8]

    init(offset: InputOffset, digest: [UInt8]) { (self.offset, self.digest) = (offset, digest) }

    init(_ place: SourcePlace) throws(SourceError) {
        guard place != .beginning else {
            self.init(offset: .start, digest: [])
            return
        }
        let parts = place.rawValue.split(separator: ":")
        guard parts.count == 3, let part = Int(parts[0]), part >= 0, let read = UInt64(parts[1]),
            let digest = [UInt8](hexadecimal: parts[2])
        else { throw SourceError(.changed, "'\(place.rawValue)' is not a position in a collection") }
        self.init(offset: InputOffset(source: part, byte: read), digest: digest)
    }

    var place: SourcePlace { SourcePlace(rawValue: "\(offset.source):\(offset.byte):\(digest.hexadecimal)") }
}

private actor CollectionEntries: SourceReader {
    private let reader: CollectionReader
    private let contents: SourceContents
    private let versionKey: String?
    private let name: String

    init(_ reader: CollectionReader, _ contents: SourceContents, versionKey: String?, name: String) {
        (self.reader, self.contents, self.versionKey, self.name) = (reader, contents, versionKey, name)
    }

    func next() async throws(SourceError) -> SourcePage? {
        let page: CollectionReader.Page?
        do throws(EngineError) { page = try await reader.nextPage() } catch { throw SourceError(error) }
        if contents == .versions, await reader.hasChanged {
            throw SourceError(
                .changed,
                "'\(name)' changed while it was being read",
                advice: "run the command again when it is not being fed"
            )
        }
        guard let page else { return nil }
        return SourcePage(
            entries: page.documents.map { document in
                SourceEntry(
                    id: document.id,
                    version: versionKey.map { JSONKey($0).text(in: document.json) } ?? document.version.rawValue,
                    routing: document.routing,
                    json: contents == .documents ? document.json : nil
                )
            },
            rejections: page.rejections,
            next: CollectionPlace(offset: page.end, digest: page.digest).place
        )
    }
}

extension SourceError {
    /// Converts an engine error to a source error.
    init(_ error: EngineError) {
        let code: Code =
            switch error.code {
            case .unreachable, .locked: .unreachable
            case .permission: .permission
            case .missingCollection, .missingTarget: .missing
            case .collectionChanged: .changed
            case .unsupported, .invalidName, .rejected: .unsupported
            case .diskFull, .inputOutput, .exhausted: .inputOutput
            case .cancelled: .cancelled
            default: .unusable
            }
        self.init(code, error.message, advice: error.advice)
    }
}

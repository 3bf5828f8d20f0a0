public import ContentFeeding
import FeedFormats
import Gzip
import JSONText
public import TextKit

/// A source of documents that a collection is fed from or compared with: a storage account, a folder, a sitemap, a
/// database, or another collection.
public protocol DocumentSource: Sendable {
    /// The source's address, without secrets.
    var name: String { get }

    /// The traits of the source's entries.
    var traits: SourceTraits { get }

    /// Opens the source for reading, from its beginning or from a position that an earlier reader returned.
    ///
    /// Throws a ``SourceError`` if the source can't be read at all, before anything is sent to the collection.
    func reader(of contents: SourceContents, from place: SourcePlace) async throws(SourceError) -> any SourceReader
}

/// The entries of a source, page by page, in constant memory.
///
/// Readers are actors, because each of them runs in its own task.
public protocol SourceReader: Actor {
    /// Returns the next entries, or `nil` at the end, when every entry has been read.
    ///
    /// Throws if a page is missing or truncated, or if an entry is incomplete, so partial data is never mistaken for
    /// complete data. After a temporary error, the method can be called again: no entry was skipped.
    func next() async throws(SourceError) -> SourcePage?
}

/// The parts of each entry that are read.
public enum SourceContents: Hashable, Sendable {
    /// Only the ID and the version, if the source can omit the rest.
    case versions
    /// The ID, the version and the document.
    case documents
}

/// The traits of a source's entries.
public struct SourceTraits: Hashable, Sendable {
    /// Whether IDs are in ascending order of their bytes.
    public var isOrdered = false
    /// The top-level key of documents that also holds the version, such as `etag`; `nil` if entries have no version.
    public var versionKey: String?
    /// Whether entries have documents; a sitemap whose pages are not fetched has none.
    public var hasDocuments = true
    /// Whether the entries' documents have only some of the keys that the collection's documents should have, as in a
    /// sitemap.
    public var isPartial = false
    /// Whether all entries have the same keys, like the rows of a table.
    ///
    /// Keys that the source lacks should therefore not be removed from the documents of a collection.
    public var hasFixedKeys = false
    /// Whether documents are returned as they were written; otherwise, only their meaning is the same, as in Solr.
    public var keepsDocumentBytes = true
    /// The keys that the source itself sets in documents.
    public var ownKeys: [String] = []

    /// Creates the traits of a source whose entries have documents but no versions, and are in no particular order.
    public init() {}

    /// Returns the comparison of this source's documents with those of an engine; it is the same in both directions.
    package func comparison(with engine: EngineCapabilities, idKeys: [String]) -> ContentFingerprint {
        var both = engine
        both.keepsDocumentBytes = engine.keepsDocumentBytes && keepsDocumentBytes
        both.keptKeys += ownKeys
        return ContentFingerprint(for: both, idKeys: idKeys)
    }
}

/// An entry of a source.
public struct SourceEntry: Hashable, Sendable {
    /// The ID of its document.
    public let id: DocumentID
    /// The source's own identifier of the entry's current state, such as an ETag or a time; `nil` if the source has
    /// none.
    public let version: String?
    /// The routing value that determines the document's shard; `nil` if the ID determines it.
    public let routing: Routing?
    /// One JSON object; `nil` if only versions were requested.
    public let json: [UInt8]?

    /// Creates an entry.
    public init(id: DocumentID, version: String? = nil, routing: Routing? = nil, json: [UInt8]? = nil) {
        self.id = id
        self.version = version
        self.routing = routing
        self.json = json
    }
}

/// Some entries of a source, and the position after them.
public struct SourcePage: Sendable {
    /// The entries, in the source's order.
    public var entries: [SourceEntry]
    /// The unreadable entries, identified by position, because their IDs are unknown.
    public var rejections: [InputRejection]
    /// The number of rejections beyond those listed individually.
    public var unnamedRejections = 0
    /// The position at which reading continues after this page.
    public var next: SourcePlace

    /// Creates a page.
    public init(entries: [SourceEntry], rejections: [InputRejection] = [], next: SourcePlace) {
        self.entries = entries
        self.rejections = rejections
        self.next = next
    }

    /// The total number of rejections.
    public var rejected: Int { rejections.count + unnamedRejections }
}

/// A position between two pages of a source, in the source's own format, such as a continuation token.
public struct SourcePlace: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The position before the first page.
    public static let beginning = SourcePlace(rawValue: "")
}

/// The reason why a source can't be read, or why reading ended early.
public struct SourceError: Error, Hashable, Sendable {
    /// The kind of failure, for programs to act on.
    public enum Code: Hashable, Sendable {
        /// The address does not refer to a readable source.
        case invalidAddress
        /// Nothing exists at the address.
        case missing
        /// The credentials are insufficient or missing.
        case permission
        /// The source does not respond, perhaps only temporarily.
        case unreachable
        /// The source responds with unexpected or damaged data.
        case unusable
        /// The source changed in a way that makes a consistent reading impossible.
        case changed
        /// The source does not support the request.
        case unsupported
        /// The operating system failed to read.
        case inputOutput
        /// The requesting task was canceled.
        case cancelled
    }

    /// The kind of failure.
    public let code: Code
    /// The description of the failure and the object affected, as a fragment that can follow `error: `.
    public let message: String
    /// The suggested next step; `nil` if there is none.
    public let advice: String?

    /// Creates an error.
    public init(_ code: Code, _ message: String, advice: String? = nil) {
        self.code = code
        self.message = message
        self.advice = advice
    }
}

extension SourceError: CustomStringConvertible {
    public var description: String { message + (advice.map { "; \($0)" } ?? "") }
}

extension SourceError {
    /// Runs a function that reads input, and converts its errors to a ``SourceError``.
    static func wrapping<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async throws(SourceError) -> Result {
        do {
            return try await body()
        } catch let error as InputError {
            throw SourceError(error)
        } catch let error as SourceError {
            throw error
        } catch is CancellationError {
            throw SourceError(.cancelled, "interrupted")
        } catch {
            throw SourceError(.inputOutput, "\(error)")
        }
    }

    private init(_ error: InputError) {
        let code: Code =
            switch error.code {
            case .missing: .missing
            case .permission: .permission
            case .directory, .unknownColumn, .malformedHeader, .wrongFormat: .unusable
            case .changed: .changed
            case .exhausted, .cannotOpen, .cannotRead, .spoolFull, .spoolFailed: .inputOutput
            }
        self.init(code, error.description, advice: Self.advice(code))
    }

    /// Returns the next step if a file or folder of a source can't be opened for this reason; `nil` for other reasons.
    static func advice(_ code: Code) -> String? {
        switch code {
        case .missing: "check the path in the source's address; a relative path begins in the current folder"
        case .permission: "allow this user to read it, or name a copy that this user may read"
        default: nil
        }
    }
}

extension TextEncoding {
    /// Finds the encoding named in an address.
    init(source name: String) throws(SourceError) {
        do throws(UnknownEncoding) {
            self = try TextEncoding(of: name)
        } catch {
            throw SourceError(.invalidAddress, "unknown encoding '\(error.name)'", advice: error.advice)
        }
    }
}

/// The reason why gzip data can't be decompressed.
struct GzipFlaw: Error {
    let words: String
    /// Whether the decompressed data exceed the limit.
    var isTooLong = false

    /// Returns the decompressed data, which may have several members, up to a limit.
    static func expanded(_ bytes: [UInt8], limit: Int) throws(GzipFlaw) -> [UInt8] {
        guard let expander = GzipExpander() else { throw GzipFlaw(words: "out of memory") }
        var expanded: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 256 << 10)
        var offset = 0
        var isWhole = false
        // When all input has been used, there may still be output.
        while offset < bytes.count || !isWhole {
            let step = bytes.withUnsafeBytes { input in
                piece.withUnsafeMutableBytes { output in
                    expander.expand(UnsafeRawBufferPointer(rebasing: input[offset...]), into: output)
                }
            }
            offset += step.used
            expanded += piece.prefix(step.produced)
            guard expanded.count <= limit else {
                throw GzipFlaw(words: "it is longer than \(limit) bytes, decompressed", isTooLong: true)
            }
            if case .damaged(let words) = step.state { throw GzipFlaw(words: words) }
            isWhole = step.state == .memberEnded
            if step.used == 0, step.produced == 0 { break }
        }
        guard isWhole, offset == bytes.count else { throw GzipFlaw(words: "it is cut off") }
        return expanded
    }
}

/// A top-level key of documents whose value is used as text, such as a version or an ID.
struct JSONKey: Hashable, Sendable {
    private let name: String

    init(_ name: String) { self.name = name }

    /// Returns the text of a string value, or the JSON notation of any other value; `nil` if the key is missing or
    /// null.
    func text(in json: [UInt8]) -> String? { try? value(in: json) }

    private func value(in json: [UInt8]) throws(JSONError) -> String? {
        var scanner = JSONScanner(json.span)
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            guard scanner.isEqual(key, name) else {
                _ = try scanner.skipValue()
                continue
            }
            switch try scanner.kind() {
            case .string: return try scanner.stringText()
            case .null: return nil
            default: return scanner.rawText(try scanner.skipValue())
            }
        }
        return nil
    }
}

// MARK: - For people

extension SourceError: AdvisedError {
    /// The error as shown to the user, with its exit status.
    public var failure: Failure {
        Failure(ExitStatus(code), message, advice: advice)
    }
}

extension ExitStatus {
    fileprivate init(_ code: SourceError.Code) {
        self =
            switch code {
            case .invalidAddress: .usage
            case .missing: .inputNotOpened
            case .permission: .permission
            case .unreachable, .unusable, .changed: .targetUnusable
            case .unsupported: .configuration
            case .inputOutput: .inputOutput
            case .cancelled: .interrupted
            }
    }
}

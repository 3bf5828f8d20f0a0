public import ContentFeeding
import FeedFormats
import JSONText
public import TextKit

/// A source of documents from which a collection is fed, or with which it is compared: a storage account, a folder, a
/// sitemap, a database, another collection.
public protocol DocumentSource: Sendable {
    /// The source's address, without secrets.
    var name: String { get }

    /// The traits of the source's entries.
    var traits: SourceTraits { get }

    /// Opens the source for reading, from its beginning or from the end of an earlier reader's page.
    ///
    /// Throws a ``SourceError`` if the source can't be read at all, so that nothing is sent.
    func reader(of contents: SourceContents, from place: SourcePlace) async throws(SourceError) -> any SourceReader
}

/// The entries of a source, page by page, in constant memory.
///
/// An actor, because each reader runs in a task of its own.
public protocol SourceReader: Actor {
    /// Returns the next entries; `nil` at the end, which comes only after every entry was read.
    ///
    /// A page that is missing or cut, or an entry that the source does not give whole, throws: a part is never taken for
    /// the whole. May be called again after an error that is worth another try; nothing was passed over.
    func next() async throws(SourceError) -> SourcePage?
}

/// The parts of each entry that are read.
public enum SourceContents: Hashable, Sendable {
    /// The ID and the version only, if the source can omit the rest.
    case versions
    /// Its document too.
    case documents
}

/// The traits of a source's entries.
public struct SourceTraits: Hashable, Sendable {
    /// Whether IDs come in ascending order of their bytes.
    public var isOrdered = false
    /// The top-level key of the documents that holds the version too, as in `etag`; `nil` if entries have no version.
    public var versionKey: String?
    /// Whether entries have documents; a sitemap whose pages are not fetched has none.
    public var hasDocuments = true
    /// Whether the entries' documents have only some keys of the intended documents, as those of a sitemap do.
    public var isPartial = false
    /// Whether all entries have the same keys, as the rows of a table do: other keys of a document in a collection are
    /// beyond the source, which does not show that they are to go.
    public var hasFixedKeys = false

    /// Creates the traits of a source whose entries have documents in any order, and no version.
    public init() {}
}

/// An entry of a source.
public struct SourceEntry: Hashable, Sendable {
    /// The ID of its document.
    public let id: DocumentID
    /// The identifier of this state of the entry in the source's own terms: an ETag, a time; `nil` if there is none.
    public let version: String?
    /// The routing that places the document; `nil` if its ID places it.
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

/// Some entries of a source, and the place after them.
public struct SourcePage: Sendable {
    /// The entries, in the source's order.
    public var entries: [SourceEntry]
    /// Unreadable entries with their places; their IDs are unknown.
    public var rejections: [InputRejection]
    /// The number of further ones that are not listed individually, because there are too many.
    public var unnamedRejections = 0
    /// The place at which reading continues after this page.
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

/// A place between two pages of a source, in the source's own form, such as a continuation token.
public struct SourcePlace: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The place before the first page.
    public static let beginning = SourcePlace(rawValue: "")
}

/// The reason a source can't be read, or not to its end.
public struct SourceError: Error, Hashable, Sendable {
    /// The kind of failure, for programs to act on.
    public enum Code: Hashable, Sendable {
        /// The address names no source that can be read.
        case invalidAddress
        /// Nothing exists at the address.
        case missing
        /// The credentials don't allow it, or there are none.
        case permission
        /// The source does not answer, or not for now.
        case unreachable
        /// The source answers with foreign or damaged data.
        case unusable
        /// The source changed in a way that makes one reading of it impossible.
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
    /// What happened and to what, as a fragment that can follow `error: `.
    public let message: String
    /// The next step; `nil` if there is none.
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
    /// Runs a reading of input, and converts its failure to that of a source.
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
        self.init(code, error.description)
    }
}

extension TextEncoding {
    /// Finds the encoding that an address names.
    init(source name: String) throws(SourceError) {
        do throws(UnknownEncoding) {
            self = try TextEncoding(of: name)
        } catch {
            throw SourceError(.invalidAddress, "unknown encoding '\(error.name)'", advice: error.advice)
        }
    }
}

/// A top-level key of documents whose value is used as text: a version, an ID.
struct JSONKey: Hashable, Sendable {
    private let name: String

    init(_ name: String) { self.name = name }

    /// Returns a string's text, or the notation of any other value; `nil` if the key is missing or null.
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
    /// The error for people, with its exit status.
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

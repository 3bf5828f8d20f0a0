public import CollectionSync
public import ContentFeeding

/// The documents of a collection, of any engine.
///
/// What is written to it meanwhile is read too. Where only versions are read, to compare, a document must not come twice:
/// there a collection that changes is an error.
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
    ///   - origin: Which of its documents are read, and which of their keys.
    ///   - versionKey: The key that holds a document's version; `nil` for the engine's own, which is good for this
    ///     collection only.
    ///   - name: The source's address.
    public init(_ engine: any VersionedEngine, _ origin: CopyOrigin, versionKey: String? = nil, named name: String) {
        (self.engine, self.origin, self.versionKey, self.name) = (engine, origin, versionKey, name)
    }

    /// What can be expected of its entries.
    public var traits: SourceTraits {
        var traits = SourceTraits()
        traits.versionKey = versionKey
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
            throw SourceError(.changed, "'\(name)' has changed since it was read up to there", advice: "read it anew")
        }
        return CollectionEntries(reader, contents, versionKey: versionKey, name: name)
    }
}

/// A place in a collection: the part and what was read of it, and the digest of what the collection was.
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
        else { throw SourceError(.changed, "'\(place.rawValue)' is no place in a collection") }
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
                "'\(name)' changed while it was read",
                advice: "run the command again when nothing is fed into it"
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
            next: CollectionPlace(offset: page.end, digest: page.digest).place
        )
    }
}

extension SourceError {
    /// Words an engine's failure as that of a source.
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

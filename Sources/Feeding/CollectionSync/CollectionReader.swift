public import ContentFeeding
import Digests
import JSONText

/// A reader of a collection's documents as input for a feed into another collection, part by part, in the order of each
/// part's history.
///
/// The collection may change while it is being read: a document that is written again moves to the end of its part, so
/// reading continues there until there are no more changes. Reading never ends silently before all documents have been
/// read.
///
/// This is an actor, because a feed requests the next chunk from its own task.
public actor CollectionReader {
    private let engine: any VersionedEngine
    private let origin: CopyOrigin
    private let contents: DocumentContents
    private let keepsRouting: Bool
    private let keepsVersions: Bool
    /// Whether the collection is read from its beginning, which allows the number of documents to be checked.
    private let isWhole: Bool
    /// The digest of the collection's state when reading began, which is used as the digest of every chunk.
    private let digest: [UInt8]
    private var state: CollectionState
    /// The number of previous passes; each pass after the first reads the changes made during the previous one.
    private var pass = 0
    /// The part that is being read, and the position in it.
    private var part: Int
    private var place: Int64
    /// The position in each part at which the next pass starts.
    private var reached: [String: Int64] = [:]
    private var isAtEnd = false
    /// The end of the last page of the current pass; `nil` if the pass has had no page since its last pause.
    private var endOfPage: InputOffset?

    /// The number of documents read, including repeated ones.
    public private(set) var documents = 0
    /// The number of documents whose routing was omitted.
    public private(set) var unrouted = 0

    /// Whether the collection is known to have changed since reading began.
    public var hasChanged: Bool { pass > 0 }

    /// The maximum number of passes after the first: a collection that is fed continuously never stops changing.
    private static let maximumPasses = 10
    /// The number of passes after which reading pauses until everything read has been fed; the other passes are shorter,
    /// so that a collection that is fed slowly can still be read to its end.
    private static let maximumPauses = 5
    /// The time after which a write that was in progress is expected to be readable.
    private static let writeTime = Duration.milliseconds(200)

    private init(
        _ engine: any VersionedEngine,
        _ origin: CopyOrigin,
        keepsRouting: Bool,
        keepsVersions: Bool,
        _ state: CollectionState,
        _ digest: [UInt8],
        from offset: InputOffset
    ) {
        (self.engine, self.origin) = (engine, origin)
        (self.keepsRouting, self.keepsVersions) = (keepsRouting, keepsVersions)
        (self.state, self.digest) = (state, digest)
        contents = DocumentContents(origin)
        isWhole = offset == .start
        part = offset.source
        place = Int64(clamping: offset.byte) + CollectionPart.beginning
    }

    /// Opens the collection for reading from the end of an earlier reader's chunk.
    ///
    /// - Parameters:
    ///   - engine: The collection.
    ///   - origin: The selection of documents and keys to read.
    ///   - keepsRouting: Whether the target supports routing values.
    ///   - keepsVersions: Whether documents keep their version numbers, so they don't replace newer documents.
    ///   - offset: The end of that chunk; `.start` to read from the beginning.
    ///   - digest: The digest of that chunk; empty if there was none.
    /// - Returns: The reader; `nil` if positions in the collection no longer refer to the same documents as they did
    ///   for the earlier reader.
    /// - Throws: An `EngineError` if the collection's response is incomplete, or if documents can't be read as they
    ///   were written.
    public static func open(
        _ engine: any VersionedEngine,
        of origin: CopyOrigin,
        keepsRouting: Bool,
        keepsVersions: Bool = false,
        from offset: InputOffset = .start,
        expecting digest: [UInt8] = []
    ) async throws(EngineError) -> CollectionReader? {
        let state = try await engine.state()
        guard !state.parts.isEmpty else {
            throw EngineError(.unreachable, "'\(origin.collection)' did not report any of its parts")
        }
        let now = Self.digest(of: state, origin)
        guard digest.isEmpty || digest == now else { return nil }
        try await engine.settle()
        return CollectionReader(
            engine,
            origin,
            keepsRouting: keepsRouting,
            keepsVersions: keepsVersions,
            state,
            now,
            from: offset
        )
    }

    /// A group of documents in the collection, and the position after them.
    public struct Page: Sendable {
        /// The documents, with the requested keys and their routing values.
        public let documents: [VersionedDocument]
        /// The documents that can't be read, as rejections with their IDs.
        public let rejections: [InputRejection]
        /// The position at which a later reader continues.
        public let end: InputOffset
        /// The digest for the later reader to check.
        public let digest: [UInt8]
    }

    /// Returns the next documents as operations that add them; `nil` at the end.
    ///
    /// After each of the first passes, an empty chunk requests a pause until everything has been fed, so changes made
    /// until then are found. This method can be called again after an error, because no document was skipped.
    public func next() async throws(EngineError) -> OperationChunk? {
        guard let page = try await nextPage(pausing: true) else { return nil }
        let operations = try page.documents.map { document throws(EngineError) in try operation(document) }
        if !keepsRouting { unrouted += page.documents.count { $0.routing != nil } }
        let bytes = operations.reduce(0) { $0 + $1.byteCount }
        var chunk = OperationChunk(
            operations: operations,
            end: page.end,
            input: InputTally(
                lines: operations.count + page.rejections.count,
                rejected: page.rejections.count,
                bytes: bytes
            ),
            rejections: page.rejections,
            digest: page.digest
        )
        chunk.precedesPause = operations.isEmpty && page.rejections.isEmpty
        return chunk
    }

    private func operation(_ document: VersionedDocument) throws(EngineError) -> ContentOperation {
        let routing = keepsRouting ? document.routing : nil
        let addition = ContentOperation.add(Document(id: document.id, json: document.json, routing: routing))
        guard keepsVersions else { return addition }
        guard let number = document.number, number >= 0 else {
            throw EngineError(
                .unsupported,
                "'\(document.id)' of '\(origin.collection)' has no version number that a copy could keep",
                advice: "copy without --version-type"
            )
        }
        return addition.only(.olderThan(number))
    }

    /// Returns the next documents; `nil` at the end.
    ///
    /// A document that has been written again in the meantime is returned again. This method can be called again after
    /// an error, because no document was skipped.
    public func nextPage() async throws(EngineError) -> Page? { try await nextPage(pausing: false) }

    /// Returns the next documents; with `pausing`, an empty page at the end of a pass requests a pause.
    private func nextPage(pausing: Bool) async throws(EngineError) -> Page? {
        while !isAtEnd {
            guard part < state.parts.count else {
                if pausing, pass < Self.maximumPauses, let end = endOfPage {
                    endOfPage = nil
                    return Page(documents: [], rejections: [], end: end, digest: digest)
                }
                try await beginPass()
                continue
            }
            let current = state.parts[part]
            guard place < current.readable else {
                reached[current.name] = min(current.readable, current.settled)
                part += 1
                place = start(of: part)
                continue
            }
            let page = try await engine.changes(of: origin.query, in: current, after: place)
            guard page.isLast || page.place > place else {
                throw EngineError(.unusable, "'\(origin.collection)' returned a page without a continuation")
            }
            let read = try page.documents.map { document throws(EngineError) in try projected(document) }
            place = page.isLast ? current.readable : page.place
            guard !read.isEmpty || !page.unreadable.isEmpty else { continue }
            documents += read.count + page.unreadable.count
            let source = pass * state.parts.count + part
            let end = InputOffset(source: source, byte: UInt64(max(0, place - CollectionPart.beginning)))
            endOfPage = end
            return Page(
                documents: read,
                rejections: page.unreadable.map { document in
                    let reason = "'\(document.key.id)' can't be read: \(document.failure.message)"
                    return InputRejection(source: origin.collection.rawValue, line: 0, reason: reason)
                },
                end: end,
                digest: digest
            )
        }
        return nil
    }

    private func projected(_ document: VersionedDocument) throws(EngineError) -> VersionedDocument {
        do throws(JSONError) {
            var document = document
            document.json = try contents.projected(document.json)
            return document
        } catch {
            throw EngineError(.unusable, "'\(document.id)' of '\(origin.collection)' is not a JSON object: \(error)")
        }
    }

    private func start(of part: Int) -> Int64 {
        guard pass > 0, part < state.parts.count else { return CollectionPart.beginning }
        return reached[state.parts[part].name] ?? CollectionPart.beginning
    }

    /// Ends reading if the collection is unchanged and all of its changes have been read; otherwise, begins a pass over
    /// the rest.
    private func beginPass() async throws(EngineError) {
        var now = try await engine.state()
        try requireSame(now)
        if Self.digest(of: now, origin) == Self.digest(of: state, origin) {
            guard !state.isReadable else {
                try await requireAll()
                isAtEnd = true
                return
            }
            // Writes were in progress, which take milliseconds.
            if !now.isReadable {
                try? await Task.sleep(for: Self.writeTime)
                now = try await engine.state()
                try requireSame(now)
            }
        }
        guard pass < Self.maximumPasses else {
            throw EngineError(
                .collectionChanged,
                "'\(origin.collection)' kept changing: changes since the copy started may be missing",
                advice: "run the command again when the collection is not being fed"
            )
        }
        try await engine.settle()
        pass += 1
        state = now
        part = 0
        place = start(of: part)
    }

    /// Throws if the collection or the history of a part may no longer be the one with which reading began.
    private func requireSame(_ now: CollectionState) throws(EngineError) {
        let before = state.parts.map { [$0.name, $0.history] }
        guard now.identity == state.identity, now.parts.map({ [$0.name, $0.history] }) == before else {
            throw EngineError(
                .collectionChanged,
                "'\(origin.collection)' was replaced by another collection while it was being read, so the copy is not complete",
                advice: "run the command again"
            )
        }
    }

    /// Throws if the collection has not changed but reports more or fewer documents than were read.
    private func requireAll() async throws(EngineError) {
        guard isWhole, pass == 0, let count = try await engine.count(of: origin.query), count != documents else {
            return
        }
        throw EngineError(
            .unusable,
            "'\(origin.collection)' reports \(count) matching documents, but \(documents) were read, so the copy is not "
                + "complete",
            advice: "check that all of its parts answer, then run the command again"
        )
    }

    /// Returns the digest of all properties that determine the meaning of positions in the collection.
    private static func digest(of state: CollectionState, _ origin: CopyOrigin) -> [UInt8] {
        let json = JSONWriter.object { writer in
            writer.member("origin", raw: origin.json)
            writer.member("identity", state.identity)
            writer.member("contents", state.contents)
            writer.array("parts") { writer in
                for part in state.parts { writer.value([part.name, part.history, String(part.last)]) }
            }
        }
        var function = SHA256()
        return function.digest(of: json).bytes
    }
}

/// A comparison of two versions of a document by their top-level keys.
struct DocumentContents: Hashable, Sendable {
    /// The key that may hold the document's ID, which engines may add or omit.
    let idKey: String
    /// The top-level keys to compare; empty for all keys.
    let keys: [String]

    init(_ origin: CopyOrigin) { (idKey, keys) = (origin.idKey, origin.keys) }

    /// Returns whether a top-level field has the given value, compared as in searches.
    func has(_ field: SearchQuery.Field, _ json: [UInt8]) -> Bool {
        (try? JSONStrings.field(field.name, of: json.span, equals: field.value)) ?? false
    }

    /// Returns whether both are the same document, or both are `nil`.
    func areEqual(_ left: [UInt8]?, _ right: [UInt8]?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left == right || (try? changedKeys(from: left, to: right).isEmpty) == true
    }

    /// Returns the keys whose values differ, in the order of the second document, followed by the keys that only the
    /// first document has.
    func changedKeys(from old: [UInt8], to new: [UInt8]) throws(JSONError) -> [String] {
        let (before, after) = (try Members(of: old, self), try Members(of: new, self))
        var changed: [String] = []
        for member in after.ordered {
            guard let other = before[member.key] else {
                changed.append(member.key)
                continue
            }
            if !JSONTokens.areEqual(old, other.value, new, member.value) { changed.append(member.key) }
        }
        return changed + before.ordered.map(\.key).filter { after[$0] == nil }
    }

    /// Returns the merge patch that converts the first document to the second as closely as possible; `null` removes a
    /// key.
    func patch(from old: [UInt8], to new: [UInt8]) throws(JSONError) -> [UInt8] {
        let after = try Members(of: new, self)
        let changed = try changedKeys(from: old, to: new)
        return JSONWriter.object { writer in
            for key in changed {
                writer.key(key)
                if let member = after[key] { writer.raw(Array(new[member.value])) } else { writer.null() }
            }
        }
    }

    /// Returns the document with only the keys that are compared.
    func projected(_ json: [UInt8]) throws(JSONError) -> [UInt8] {
        guard !keys.isEmpty else { return json }
        return excerpt(of: json, try Members(of: json, self).ordered)
    }

    /// Returns an object with some keys of a document.
    func excerpt(of json: [UInt8], keys: [String]) throws(JSONError) -> [UInt8] {
        let members = try Members(of: json, self)
        return excerpt(of: json, keys.compactMap { members[$0] })
    }

    private func excerpt(of json: [UInt8], _ members: [JSONMembers.Member]) -> [UInt8] {
        JSONWriter.object { writer in
            for member in members { writer.member(member.key, raw: Array(json[member.value])) }
        }
    }
}

/// The relevant members of a document; if a key occurs twice, the last member with that key counts.
///
/// Keys are compared by their bytes.
private struct Members {
    private(set) var ordered: [JSONMembers.Member] = []
    private var places: [[UInt8]: Int] = [:]

    init(of json: [UInt8], _ contents: DocumentContents) throws(JSONError) {
        let wanted = Set(contents.keys.map { Array($0.utf8) })
        let all = try JSONMembers(of: json.span).all.filter { member in
            let key = Array(member.key.utf8)
            return !key.elementsEqual(contents.idKey.utf8) && (wanted.isEmpty || wanted.contains(key))
        }
        let last = Dictionary(all.enumerated().map { (Array($1.key.utf8), $0) }) { $1 }
        for (place, member) in all.enumerated() where last[Array(member.key.utf8)] == place {
            places[Array(member.key.utf8)] = ordered.count
            ordered.append(member)
        }
    }

    subscript(key: String) -> JSONMembers.Member? { places[Array(key.utf8)].map { ordered[$0] } }
}

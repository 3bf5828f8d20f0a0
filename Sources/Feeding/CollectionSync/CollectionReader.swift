public import ContentFeeding
import Digests
import JSONText

/// The documents of a collection as the input of a feed into another one, part by part, in the order of each part's
/// history.
///
/// The collection may change meanwhile: a document that was written again has moved to the end of its part, so reading
/// continues there until nothing changes any more. It never ends silently before all documents are read.
///
/// An actor, because a feed asks for the next chunk from a task of its own.
public actor CollectionReader {
    private let engine: any VersionedEngine
    private let origin: CopyOrigin
    private let contents: DocumentContents
    private let keepsRouting: Bool
    private let keepsVersions: Bool
    /// Whether it was read from its beginning, so that what was read can be counted.
    private let isWhole: Bool
    /// The state of the collection when reading began: the digest of every place in it.
    private let digest: [UInt8]
    private var state: CollectionState
    /// The passes before this one; each but the first brings what changed during the one before.
    private var pass = 0
    /// The part that is read, and how far.
    private var part: Int
    private var place: Int64
    /// The start of the next pass in each part.
    private var reached: [String: Int64] = [:]
    private var isAtEnd = false

    /// The documents that were read, each as often as it was.
    public private(set) var documents = 0
    /// The number of documents whose routing was left out.
    public private(set) var unrouted = 0

    /// Whether the collection has changed since reading began, as far as was noticed.
    public var hasChanged: Bool { pass > 0 }

    /// The most passes after the first: a collection that is fed all the time never stands still.
    private static let maximumPasses = 10

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

    /// Opens the collection to be read from a place that an earlier reader's chunk had as its end.
    ///
    /// - Parameters:
    ///   - engine: The collection.
    ///   - origin: Which of its documents are read, and which of their keys.
    ///   - keepsRouting: Whether documents go where they can have a routing.
    ///   - keepsVersions: Whether documents keep the numbers of their versions, so that none replaces a newer one.
    ///   - offset: The end of that chunk; `.start` to read from the beginning.
    ///   - digest: The digest of that chunk; empty if there was none.
    /// - Returns: The reader; `nil` if the collection is not as it was then: its places mean other documents.
    /// - Throws: An `EngineError` if the collection does not answer whole, or can't be read as it was written.
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

    /// Some documents of the collection, and the place after them.
    public struct Page: Sendable {
        /// The documents, with the keys that were asked for, and with their routing.
        public let documents: [VersionedDocument]
        /// Documents that can't be read, as rejections with their IDs.
        public let rejections: [InputRejection]
        /// The place at which a later reader continues.
        public let end: InputOffset
        /// The digest that it then has to expect.
        public let digest: [UInt8]
    }

    /// Returns the next documents as operations that add them; `nil` at the end.
    ///
    /// May be called again after an error: nothing was skipped.
    public func next() async throws(EngineError) -> OperationChunk? {
        guard let page = try await nextPage() else { return nil }
        let operations = try page.documents.map { document throws(EngineError) in try operation(document) }
        if !keepsRouting { unrouted += page.documents.count { $0.routing != nil } }
        let bytes = operations.reduce(0) { $0 + $1.byteCount }
        return OperationChunk(
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
    /// One that was written again meanwhile comes again. May be called again after an error: nothing was skipped.
    public func nextPage() async throws(EngineError) -> Page? {
        while !isAtEnd {
            guard part < state.parts.count else {
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
            let byte = UInt64(max(0, place - CollectionPart.beginning))
            return Page(
                documents: read,
                rejections: page.unreadable.map { document in
                    let reason = "'\(document.key.id)' can't be read: \(document.failure.message)"
                    return InputRejection(source: origin.collection.rawValue, line: 0, reason: reason)
                },
                end: InputOffset(source: source, byte: byte),
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

    /// Ends the reading if the collection is as it was, or else begins to read what has changed.
    private func beginPass() async throws(EngineError) {
        let now = try await engine.state()
        try requireSame(now)
        guard Self.digest(of: now, origin) != Self.digest(of: state, origin) else {
            try await requireAll()
            isAtEnd = true
            return
        }
        guard pass < Self.maximumPasses else {
            throw EngineError(
                .collectionChanged,
                "'\(origin.collection)' kept changing: changes since the copy began may be missing",
                advice: "run the command again when the collection is not being fed"
            )
        }
        try await engine.settle()
        pass += 1
        state = now
        part = 0
        place = start(of: part)
    }

    /// Throws if what is read may be another collection, or a part of it another history, than reading began with.
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

    /// Throws if the collection, which did not change, reports more or fewer documents than were read.
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

    /// Returns the digest of what makes places in the collection mean the same documents.
    private static func digest(of state: CollectionState, _ origin: CopyOrigin) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("origin", raw: origin.json)
            writer.member("identity", state.identity)
            writer.member("contents", state.contents)
            writer.array("parts") { writer in
                for part in state.parts { writer.value([part.name, part.history, String(part.last)]) }
            }
        }
        var function = SHA256()
        return function.digest(of: writer.takeBytes()).bytes
    }
}

/// Comparisons of two versions of a document, by top-level keys.
struct DocumentContents: Hashable, Sendable {
    /// The key that may hold the document's ID: engines add it or leave it out.
    let idKey: String
    /// The top-level keys that count; empty for all of them.
    let keys: [String]

    init(_ origin: CopyOrigin) { (idKey, keys) = (origin.idKey, origin.keys) }

    /// Whether a top-level field has a value, as a search compares them.
    func has(_ field: SearchQuery.Field, _ json: [UInt8]) -> Bool {
        (try? JSONStrings.field(field.name, of: json.span, equals: field.value)) ?? false
    }

    /// Whether both are the same document, or both are none.
    func areEqual(_ left: [UInt8]?, _ right: [UInt8]?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left == right || (try? changedKeys(from: left, to: right).isEmpty) == true
    }

    /// Returns the keys whose values differ, in the order of the second document, followed by those that only the first
    /// has.
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

    /// Returns the merge patch that makes the second document of the first, as far as a patch can: `null` removes a key.
    func patch(from old: [UInt8], to new: [UInt8]) throws(JSONError) -> [UInt8] {
        let after = try Members(of: new, self)
        let changed = try changedKeys(from: old, to: new)
        var writer = JSONWriter()
        writer.object { writer in
            for key in changed {
                writer.key(key)
                if let member = after[key] { writer.raw(Array(new[member.value])) } else { writer.null() }
            }
        }
        return writer.takeBytes()
    }

    /// Returns the document with the keys that count.
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
        var writer = JSONWriter()
        writer.object { writer in
            for member in members { writer.member(member.key, raw: Array(json[member.value])) }
        }
        return writer.takeBytes()
    }
}

/// The members of a document that count; if a key occurs twice, the last.
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

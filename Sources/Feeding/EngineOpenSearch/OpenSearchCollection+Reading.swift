import ContentFeeding
import EngineHTTP
import JSONText
import TextKit

extension OpenSearchCollection {
    /// The number of IDs in the first request, when the size of the documents is still unknown.
    private static let firstSlice = 16
    /// The maximum number of IDs in one request.
    static let largestSlice = 1_000
    /// The approximate target size of a reply in bytes, judging by the average size of the previous documents.
    private static let sliceBytes = 8 << 20

    /// Reads the documents of the first of `keys` in order, up to the document at which the total reaches
    /// `maximumBytes`, but at least those of one key.
    ///
    /// Reads the current state, whether or not it is visible to searches.
    func read(
        _ keys: ArraySlice<DocumentKey>,
        upTo maximumBytes: Int
    ) async throws(RequestFailure) -> [MultiGetReply.Entry] {
        var documents: [MultiGetReply.Entry] = []
        var (rest, bytes, slice) = (keys, 0, Self.firstSlice)
        while !rest.isEmpty, documents.isEmpty || bytes < maximumBytes {
            let part = rest.prefix(slice)
            let found: [MultiGetReply.Entry]
            do throws(RequestFailure) {
                found = try await multiGet(part)
            } catch {
                // The reply may have been too large, but never because of a single document.
                guard error.isReplyLost, part.count > 1 else { throw error }
                slice = 1
                continue
            }
            rest = rest.dropFirst(part.count)
            for document in found where documents.isEmpty || bytes < maximumBytes {
                documents.append(document)
                bytes += document.byteCount
            }
            let room = min(Self.sliceBytes, maximumBytes - min(bytes, maximumBytes))
            let average = max(1, bytes / documents.count)
            slice = max(1, min(Self.largestSlice, room / average, slice * 8))
        }
        return documents
    }

    private func multiGet(_ keys: ArraySlice<DocumentKey>) async throws(RequestFailure) -> [MultiGetReply.Entry] {
        // Don't filter the reply: a filtered reply is rewritten, but a document's bytes must not change.
        var path = placingPath(to: "_mget")
        if cluster.omitsVectors { path = path.with("_source_exclude_vectors", "false") }
        return try await entries(EngineRequest.reading(path, Self.body(of: keys)), of: keys)
    }

    /// Checks which of `keys` exist, without reading their contents.
    func presence(of keys: ArraySlice<DocumentKey>) async throws(RequestFailure) -> [MultiGetReply.Entry] {
        var path = placingPath(to: "_mget").with("_source", "false")
        path = path.with("filter_path", "docs._id,docs.found,docs.error.type,docs.error.reason,docs.error.caused_by")
        return try await entries(.reading(path, Self.body(of: keys)), of: keys)
    }

    private func entries(
        _ request: EngineRequest,
        of keys: ArraySlice<DocumentKey>
    ) async throws(RequestFailure) -> [MultiGetReply.Entry] {
        let reply = try await cluster.reply(to: request)
        let entries: [MultiGetReply.Entry]
        do throws(JSONError) {
            entries = try MultiGetReply.entries(in: reply.body, to: keys.map(\.id)[...])
        } catch {
            throw RequestFailure.unreadable(reply, "it does not match the requested IDs: \(error)")
        }
        for case .failed(let type, let reason) in entries {
            let error = ErrorReply(ErrorReply.kind(of: type, 503), type: type, reason: reason)
            // A problem with one document does not affect the others, but a problem with the index affects all of them.
            if error.kind == .missingCollection || error.kind == .closed { throw RequestFailure.refused(reply, error) }
        }
        return entries.map { entry in
            guard case .failed(let type, let reason) = entry else { return entry }
            return .failed(type: type, reason: reply.cleaned(reason))
        }
    }

    private static func body(of keys: ArraySlice<DocumentKey>) -> [UInt8] {
        let isRouted = keys.contains { $0.routing != nil }
        return JSONWriter.object { writer in
            writer.array(isRouted ? "docs" : "ids") { writer in
                for key in keys {
                    guard isRouted else {
                        writer.value(utf8: key.id.utf8)
                        continue
                    }
                    writer.object { writer in
                        writer.key("_id")
                        writer.value(utf8: key.id.utf8)
                        if let routing = key.routing { writer.member("routing", routing.text) }
                    }
                }
            }
        }
    }
}

extension Cluster {
    /// Whether the engine omits vectors from a source by default, as Elasticsearch does since 9.2.
    ///
    /// Documents read for an update or a backup would lose their vectors, so they must be requested; older engines
    /// refuse the parameter.
    var omitsVectors: Bool {
        guard product == .elasticsearch, let version else { return false }
        return version >= EngineVersion(9, 2)
    }
}

/// A reader of `_mget` replies, which have one entry for each ID, in the order of the IDs.
enum MultiGetReply {
    /// One entry of the reply.
    enum Entry: Hashable, Sendable {
        case found(RevisedDocument)
        /// A document whose contents are not JSON.
        case unreadable(UnreadableDocument)
        case absent
        /// An existing document whose contents are not in the reply.
        case foundWithoutSource
        /// A document that the engine could not read.
        case failed(type: String, reason: String)
    }

    /// The description of ``Entry/foundWithoutSource``: rewriting or returning such a document would lose its contents.
    static let withoutSource = "the index stores no source: its documents can't be updated or read back"

    /// Returns one entry for each of `ids`, and throws if the reply is about other documents.
    static func entries(in body: [UInt8], to ids: ArraySlice<DocumentID>) throws(JSONError) -> [Entry] {
        var scanner = JSONScanner(body.span)
        var entries: [Entry] = []
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            if scanner.isEqual(key, "docs"), entries.isEmpty {
                entries = try scanner.entries(in: body, to: ids)
            } else {
                try scanner.skipValue()
            }
        }
        try scanner.end()
        guard entries.count == ids.count else {
            throw JSONError(offset: 0, message: "\(entries.count) of \(ids.count) IDs answered")
        }
        return entries
    }
}

extension JSONScanner {
    fileprivate mutating func entries(
        in body: [UInt8],
        to ids: ArraySlice<DocumentID>
    ) throws(JSONError) -> [MultiGetReply.Entry] {
        var entries: [MultiGetReply.Entry] = []
        entries.reserveCapacity(ids.count)
        try enterArray()
        while try nextElement() {
            let place = ids.startIndex + entries.count
            guard place < ids.endIndex else { throw JSONError(offset: offset, message: "more answers than IDs") }
            entries.append(try entry(in: body, of: ids[place]))
        }
        return entries
    }

    private mutating func entry(in body: [UInt8], of id: DocumentID) throws(JSONError) -> MultiGetReply.Entry {
        let start = offset
        let hit = try hit()
        guard let token = hit.id, isEqual(token, utf8: id.utf8) else {
            throw JSONError(offset: start, message: "the answer is about another document")
        }
        if let error = hit.error { return .failed(try JSONValue(Array(body[error]))) }
        guard hit.isFound else { return .absent }
        guard let source = hit.source else { return .foundWithoutSource }
        if let flaw = hit.flaw {
            let key = DocumentKey(id, routing: hit.routing)
            return .unreadable(UnreadableDocument(key, bytes: Array(body[source]), reason: "\(flaw)"))
        }
        return .found(
            RevisedDocument(
                json: Array(body[source]),
                version: hit.version,
                revision: hit.revision,
                routing: hit.routing
            )
        )
    }
}

// MARK: - One document of a reply

/// A document as described in the engine's replies, with `found` or `error` in a reply to a lookup, and `sort` in a
/// reply to a search.
struct ReplyHit {
    /// The ID as it appears in the reply.
    var id: JSONStringToken?
    var isFound = false
    var version: Int64?
    var routing: Routing?
    /// The ranges of values in the reply.
    var (source, sort, error): (Range<Int>?, Range<Int>?, Range<Int>?)
    /// The reason why the source is not valid JSON; `nil` if it is valid.
    var flaw: JSONError?
    fileprivate var (sequenceNumber, primaryTerm): (Int?, Int?)

    /// The revision; `nil` if the reply has none.
    var revision: Revision? {
        guard let sequenceNumber, let primaryTerm else { return nil }
        return Revision(sequenceNumber: sequenceNumber, primaryTerm: primaryTerm)
    }
}

extension JSONScanner {
    /// Reads the object of one document; irrelevant members are skipped.
    mutating func hit() throws(JSONError) -> ReplyHit {
        var hit = ReplyHit()
        try enterObject()
        while let key = try nextKey() {
            if isEqual(key, "_id") {
                hit.id = try string()
            } else if isEqual(key, "found") {
                hit.isFound = try bool()
            } else if isEqual(key, "_source") {
                let kept = try skipKeptObject()
                (hit.source, hit.flaw) = (kept.range, kept.flaw)
            } else if isEqual(key, "_routing") {
                hit.routing = Routing(try stringText())
            } else if isEqual(key, "_version") {
                hit.version = Int64(try int())
            } else if isEqual(key, "_seq_no") {
                hit.sequenceNumber = try int()
            } else if isEqual(key, "_primary_term") {
                hit.primaryTerm = try int()
            } else if isEqual(key, "sort") {
                hit.sort = try skipValue()
            } else if isEqual(key, "error") {
                hit.error = try skipValue()
            } else {
                try skipValue()
            }
        }
        return hit
    }
}

extension MultiGetReply.Entry {
    /// Creates the entry of a document that the engine could not read.
    fileprivate static func failed(_ error: JSONValue) -> Self {
        let type = error["type"].text ?? "error"
        // Elasticsearch 7 fails while creating this error, because documents no longer have the type that the error
        // should mention.
        let isRoutingMissing = type == "null_pointer_exception" && error["reason"].text == "type must not be null"
        return .failed(type: isRoutingMissing ? ErrorReply.routingMissing : type, reason: ErrorReply.reason(of: error))
    }
}

/// A document as stored by the engine, with its revision.
struct RevisedDocument: Hashable, Sendable {
    let json: [UInt8]
    let version: Int64?
    /// The revision; `nil` if the engine reports none, so a change can't be conditional.
    let revision: Revision?
    /// The routing value that determines the document's shard; `nil` if the ID determines it.
    var routing: Routing?
}

/// Lookups by ID at the places determined by IDs and routing values and, for documents with routing values unknown to
/// the caller, at the places found by a search.
extension OpenSearchCollection {
    func get(_ ids: ArraySlice<DocumentID>, maximumBytes: Int) async throws(EngineError) -> DocumentPage {
        let page = try await get(at: ids.map { DocumentKey($0) }[...], maximumBytes: maximumBytes)
        return DocumentPage(documents: page.documents, looked: page.answers.count)
    }

    func exists(_ ids: [DocumentID]) async throws(EngineError) -> [Bool] {
        try await exists(at: ids.map { DocumentKey($0) })
    }

    func get(at keys: ArraySlice<DocumentKey>, maximumBytes: Int) async throws(EngineError) -> LookupPage {
        guard !keys.isEmpty else { return LookupPage(documents: [], answers: []) }
        try requireLookUp()
        let keys = Array(keys.prefix(Self.largestSlice))
        let entries: [KeyEntries]
        do throws(RequestFailure) {
            entries = try await self.entries(of: keys, upTo: maximumBytes)
        } catch {
            throw await cluster.error(error, about: collection)
        }
        var page = LookupPage(documents: [], answers: [])
        for entry in entries {
            let documents = try documents(of: entry)
            page.documents += documents.map {
                StoredDocument(id: entry.key.id, version: $0.version, routing: $0.routing, json: $0.json)
            }
            for case .unreadable(let document) in entry.entries { page.unreadable.append(document) }
            page.answers.append(entry.entries.contains(where: \.isThere))
        }
        return page
    }

    /// If several documents have the ID of a key without a routing value, the one at the place determined by the ID
    /// takes precedence, followed by the one whose routing value is first in alphabetical order.
    func versions(at keys: [DocumentKey]) async throws(EngineError) -> [VersionAnswer] {
        let entries: [KeyEntries]
        do throws(RequestFailure) {
            entries = try await self.entries(of: keys, upTo: .max)
        } catch {
            throw await cluster.error(error, about: collection)
        }
        return try entries.map { entry throws(EngineError) -> VersionAnswer in
            let found = try documents(of: entry)
            // If several documents have the ID, the unreadable one may be the one intended.
            for case .unreadable(let document) in entry.entries { return .unreadable(document) }
            guard let first = found.min(by: { ($0.routing?.text ?? "") < ($1.routing?.text ?? "") }) else {
                return .absent
            }
            guard let revision = first.revision else { throw Self.withoutRevisions }
            return .found(
                VersionedDocument(
                    id: entry.key.id,
                    routing: first.routing,
                    version: revision.version,
                    json: first.json
                )
            )
        }
    }

    func exists(at keys: [DocumentKey]) async throws(EngineError) -> [Bool] {
        guard !keys.isEmpty else { return [] }
        try requireLookUp()
        var answers: [Bool] = []
        var rest = keys[...]
        while !rest.isEmpty {
            let slice = Array(rest.prefix(Self.largestSlice))
            let found: [KeyEntries]
            do throws(RequestFailure) {
                found = try await presence(ofEach: slice)
            } catch {
                throw await cluster.error(error, about: collection)
            }
            for entry in found {
                try check(entry)
                answers.append(!entry.isMissed)
            }
            rest = rest.dropFirst(slice.count)
        }
        return answers
    }

    func lookupReservation() async -> String? {
        guard !routing.scope.isOneShard else { return nil }
        if routing.isStale, !routing.isForbidden {
            return
                "where searches show them; a recently written document with its own routing may "
                + "have been overlooked, because the engine refused to refresh '\(collection)'"
        }
        guard routing.isForbidden else { return nil }
        return "at the places determined by their IDs; documents with their own routing were not searched for, "
            + "because these credentials may not search '\(collection)'"
    }

    /// Returns the keys whose documents a lookup finds at their places.
    func present(_ keys: [DocumentKey]) async throws(RequestFailure) -> Set<DocumentKey> {
        guard !keys.isEmpty else { return [] }
        return Set(zip(keys, try await presence(of: keys[...])).filter { $0.1.isThere }.map(\.0))
    }

    private func presence(ofEach keys: [DocumentKey]) async throws(RequestFailure) -> [KeyEntries] {
        let places = keys.map { DocumentKey($0.id, routing: $0.routing ?? routing.scope.byDefault) }
        var found = zip(keys, try await presence(of: places[...])).map { KeyEntries(key: $0, entries: [$1]) }
        var missed = found.indices.filter { found[$0].isMissed }
        var routes = try await routes(ofMissed: missed.map { found[$0] })
        for isFirst in [true, false] {
            guard let searched = routes else { break }
            let there = try await present(missed.flatMap { searched.keys(for: keys[$0]) })
            for place in missed where searched.keys(for: keys[place]).contains(where: there.contains) {
                found[place].entries = [.foundWithoutSource]
            }
            missed = missed.filter { found[$0].isMissed }
            if isFirst { routes = try await self.routes(ofMoved: missed.map { found[$0] }, from: searched) }
        }
        return found
    }

    /// Reads the documents of the first of `keys`: at the places determined by their keys and, if a document is missing
    /// there, at any other possible place.
    private func entries(of keys: [DocumentKey], upTo maximumBytes: Int) async throws(RequestFailure) -> [KeyEntries] {
        let routes = try await routes(of: keys)
        let found = try await entries(of: keys, routes ?? .byID(routing.scope), upTo: maximumBytes)
        let missed = found.filter(\.isMissed)
        let others =
            if let routes { try await self.routes(ofMoved: missed, from: routes) } else {
                try await self.routes(ofMissed: missed)
            }
        guard let others else { return found }
        return try await entries(of: keys, others, upTo: maximumBytes)
    }

    /// Reads the documents of the first of `keys`: for each key, either all documents with its ID or none.
    private func entries(
        of keys: [DocumentKey],
        _ routes: BatchRoutes,
        upTo maximumBytes: Int
    ) async throws(RequestFailure) -> [KeyEntries] {
        let places = keys.map { routes.keys(for: $0) }
        let all = places.flatMap(\.self)
        var found = try await read(all[...], upTo: maximumBytes)
        var entries: [KeyEntries] = []
        var start = 0
        for (key, place) in zip(keys, places) where start < found.count {
            let end = start + place.count
            if end > found.count { found += try await read(all[found.count..<end], upTo: .max) }
            entries.append(KeyEntries(key: key, entries: Array(found[start..<end])))
            start = end
        }
        return entries
    }

    /// Searches for documents whose routing is unknown; returns `nil` if every document is at the place determined by
    /// its ID.
    private func routes(of keys: [DocumentKey]) async throws(RequestFailure) -> BatchRoutes? {
        guard keys.contains(where: { $0.routing == nil }) else { return nil }
        guard routing.isCustom || !routing.scope.isOneShard, case .custom = try await routing.use(in: cluster) else {
            return nil
        }
        return try await searched(keys)
    }

    /// Searches for documents that were not found at the places determined by their IDs; returns `nil` if no other
    /// place is possible.
    private func routes(ofMissed missed: [KeyEntries]) async throws(RequestFailure) -> BatchRoutes? {
        guard missed.contains(where: { $0.key.routing == nil }) else { return nil }
        let isDemanded = missed.contains { $0.entries.contains(where: \.needsRouting) }
        guard try await isWorthAnotherLook(isDemanded: isDemanded) else { return nil }
        return try await searched(missed.map(\.key))
    }

    /// Searches again for documents that were missing where a search had found them; returns `nil` if none was missing.
    ///
    /// The earlier search may have found documents that were already removed, and missed their replacements.
    private func routes(
        ofMoved missed: [KeyEntries],
        from routes: BatchRoutes
    ) async throws(RequestFailure) -> BatchRoutes? {
        let ids = missed.filter { $0.key.routing == nil && routes.isFound($0.key.id) }.map(\.key.id)
        guard !ids.isEmpty else { return nil }
        return routes.replacing(try await lookup.freshRoutings(of: ids), of: ids)
    }

    private func searched(_ keys: [DocumentKey]) async throws(RequestFailure) -> BatchRoutes? {
        let ids = keys.filter { $0.routing == nil }.map(\.id)
        do throws(RequestFailure) {
            return BatchRoutes(found: try await lookup.routings(of: ids), byDefault: routing.scope.byDefault)
        } catch {
            guard routing.isForbidden else { throw error }
            return nil
        }
    }

    private func documents(of found: KeyEntries) throws(EngineError) -> [RevisedDocument] {
        try check(found)
        var documents: [RevisedDocument] = []
        for entry in found.entries {
            switch entry {
            case .found(let document): documents.append(document)
            case .foundWithoutSource:
                throw EngineError(
                    .unsupported,
                    "'\(collection)': \(MultiGetReply.withoutSource)",
                    advice: "see _source in \(collection)/_mapping"
                )
            case .unreadable, .absent, .failed: continue
            }
        }
        return documents
    }

    /// Throws an error if a document could not be looked up; a document counts as absent if a required routing value is
    /// missing.
    private func check(_ found: KeyEntries) throws(EngineError) {
        for case .failed(let type, let reason) in found.entries where type != ErrorReply.routingMissing {
            throw unreadable(found.key.id, type, reason)
        }
    }
}

/// The entries found for one key, one for each place where its document may be.
private struct KeyEntries {
    let key: DocumentKey
    var entries: [MultiGetReply.Entry]

    /// Whether none of the places has a document.
    var isMissed: Bool { entries.allSatisfy { $0 == .absent || $0.needsRouting } }
}

extension MultiGetReply.Entry {
    /// Whether the engine can't look the document up without its routing value.
    fileprivate var needsRouting: Bool {
        if case .failed(ErrorReply.routingMissing, _) = self { true } else { false }
    }

    /// The size of the document's contents, in bytes.
    fileprivate var byteCount: Int {
        switch self {
        case .found(let document): document.json.count
        case .unreadable(let document): document.bytes.count
        case .absent, .failed, .foundWithoutSource: 0
        }
    }

    fileprivate var isThere: Bool {
        switch self {
        case .found, .foundWithoutSource, .unreadable: true
        case .absent, .failed: false
        }
    }
}

/// The rules of an index's mapping about the parts of fed documents that are kept, and about a document's ID as a
/// field.
struct SourceRules: Hashable, Sendable {
    /// Whether the index stores no source at all.
    private(set) var isDisabled = false
    /// Whether the index rebuilds documents from their fields.
    private(set) var isSynthetic = false
    /// The patterns of fields that are not kept in the source.
    private(set) var excluded: [String] = []
    /// The patterns of the fields that are kept in the source; empty if all are kept.
    private(set) var included: [String] = []
    /// Whether the mapping refuses the key that holds the ID, because it refuses all undeclared fields, or because the
    /// engine itself has a field of that name.
    private(set) var refusesIDKey = false
    /// Whether the mapping is visible; if not, all the properties above are unknown.
    private(set) var isSeen = true

    init() {}

    /// Returns the rules to assume for a mapping that is not visible.
    fileprivate static func unseen(key: String) -> SourceRules {
        var rules = SourceRules(.null, key: key)
        rules.isSeen = false
        return rules
    }

    /// Parses the response about the mappings of one or more indices, and their settings if visible; `key` is the key
    /// that holds the ID.
    ///
    /// Elasticsearch used to define the mode in the mapping; since 8.17, the mode is a setting, whose default for logs
    /// and time series is `synthetic` (documentation of 8.17: migrating-8.17, mapping-source-field).
    init(_ answer: JSONValue, key: String, settings: [CollectionSetting] = []) {
        let mode = settings.first { $0.name == "index.mapping.source.mode" }?.value.lowercased()
        let kind = settings.first { $0.name == "index.mode" }?.value.lowercased()
        isDisabled = mode == "disabled"
        refusesIDKey = key == IDMember.metadataField
        isSynthetic = mode == "synthetic" || mode == nil && ["logsdb", "time_series"].contains(kind)
        for index in answer.members {
            let mappings = index.value["mappings"]
            let source = mappings["_source"]
            if source["enabled"].isFalse || source["mode"].text == "disabled" { isDisabled = true }
            if source["mode"].text == "synthetic" { isSynthetic = true }
            excluded += source["excludes"].texts
            included += source["includes"].texts
            if mappings["dynamic"].text?.hasPrefix("strict") == true, mappings["properties"][key] == .null {
                refusesIDKey = true
            }
        }
    }

    /// The reason why a document read back differs from the document that was fed; `nil` if both are the same.
    var loss: String? {
        if isDisabled { return MultiGetReply.withoutSource }
        if !excluded.isEmpty { return "the index does not keep \(excluded.named) (_source.excludes)" }
        if !included.isEmpty { return "the index keeps only \(included.named) (_source.includes)" }
        if isSynthetic {
            return "the index does not keep documents, but rebuilds them from their fields (synthetic _source)"
        }
        return nil
    }
}

extension JSONValue {
    fileprivate var isFalse: Bool { bool == false || text == "false" }

    /// The value as one or more strings.
    fileprivate var texts: [String] { text.map { [$0] } ?? elements.compactMap(\.text) }
}

extension [String] {
    fileprivate var named: String {
        prefix(5).map { "'\($0)'" }.joined(separator: ", ") + (count > 5 ? ", …" : "")
    }
}

extension Cluster {
    /// Returns the rules in the mapping of a collection, if the mapping is visible.
    func sourceRules(
        of name: CollectionName,
        key: String,
        _ settings: [CollectionSetting]
    ) async throws(EngineError) -> SourceRules {
        var parts = ["*.mappings._source", "*.mappings.dynamic"]
        // A name with other characters could be a pattern; such a key is treated as undeclared.
        let isPlain = key.utf8.allSatisfy { $0.isLetterOrDigit || "_-".utf8.contains($0) }
        if isPlain { parts.append("*.mappings.properties.\(key)") }
        let path = EnginePath(name.rawValue, "_mapping").with("filter_path", parts.joined(separator: ","))
        do throws(RequestFailure) {
            return SourceRules(try await ask(EngineRequest(.get, path)), key: key, settings: settings)
        } catch {
            // A proxy or a role may prevent this request.
            guard let status = error.status, [400, 403, 404, 405].contains(status) else {
                throw await self.error(error, about: name)
            }
            return .unseen(key: key)
        }
    }
}

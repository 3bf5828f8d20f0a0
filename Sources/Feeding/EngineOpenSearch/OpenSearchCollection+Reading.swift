import ContentFeeding
import EngineHTTP
import JSONText

extension OpenSearchCollection {
    /// IDs in the first request, while nothing is known of how large documents are.
    private static let firstSlice = 16
    /// The most IDs in one request.
    static let largestSlice = 1_000
    /// The approximate target size of a reply in bytes, judged by the average of the documents before.
    private static let sliceBytes = 8 << 20

    /// Reads the documents of the first of `keys`, in their order: up to the one that reaches `maximumBytes`, and of at
    /// least one key.
    ///
    /// Reads the current state, whether or not searches see it.
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
                // The reply may have been larger than allowed: one document alone is not.
                guard error.isReplyLost, part.count > 1 else { throw error }
                slice = 1
                continue
            }
            rest = rest.dropFirst(part.count)
            for document in found where documents.isEmpty || bytes < maximumBytes {
                documents.append(document)
                if case .found(let document) = document { bytes += document.json.count }
            }
            let room = min(Self.sliceBytes, maximumBytes - min(bytes, maximumBytes))
            let average = max(1, bytes / documents.count)
            slice = max(1, min(Self.largestSlice, room / average, slice * 8))
        }
        return documents
    }

    private func multiGet(_ keys: ArraySlice<DocumentKey>) async throws(RequestFailure) -> [MultiGetReply.Entry] {
        // No filter: a filtered reply is written anew, and a document's bytes are to stay as they are.
        var path = placingPath(to: "_mget")
        if cluster.omitsVectors { path = path.with("_source_exclude_vectors", "false") }
        return try await entries(EngineRequest.reading(path, Self.body(of: keys)), of: keys)
    }

    /// Checks which of `keys` exist, without reading their contents.
    func presence(of keys: ArraySlice<DocumentKey>) async throws(RequestFailure) -> [MultiGetReply.Entry] {
        var path = placingPath(to: "_mget").with("_source", "false")
        path = path.with("filter_path", "docs._id,docs.found,docs.error.type,docs.error.reason")
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
            // A problem with one document is that one's alone; a problem with the index is not.
            if error.kind == .missingCollection || error.kind == .closed { throw RequestFailure.refused(reply, error) }
        }
        return entries.map { entry in
            guard case .failed(let type, let reason) = entry else { return entry }
            return .failed(type: type, reason: reply.cleaned(reason))
        }
    }

    private static func body(of keys: ArraySlice<DocumentKey>) -> [UInt8] {
        let isRouted = keys.contains { $0.routing != nil }
        var writer = JSONWriter()
        writer.object { writer in
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
        return writer.takeBytes()
    }
}

extension Cluster {
    /// Whether the engine leaves vectors out of a source unless asked for them: Elasticsearch since 9.2.
    ///
    /// Documents read to be changed or kept would lose them; older engines refuse parameters that they don't know.
    var omitsVectors: Bool {
        guard product == .elasticsearch, let version else { return false }
        return version >= EngineVersion(9, 2)
    }
}

/// A reader of `_mget` replies: one entry for each ID, in their order.
enum MultiGetReply {
    /// One entry of the reply.
    enum Entry: Hashable, Sendable {
        case found(RevisedDocument)
        case absent
        /// An existing document whose contents are not in the reply.
        case foundWithoutSource
        /// A document that the engine could not read.
        case failed(type: String, reason: String)
    }

    /// The meaning of ``Entry/foundWithoutSource``: rewriting a document, or returning it, would lose its contents.
    static let withoutSource = "the index stores no source: its documents can't be updated or read back"

    /// Returns one entry for each of `ids`, or throws: a reply about other documents says nothing about ours.
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
        var (isOurs, isFound) = (false, false)
        var source: Range<Int>?
        var error: JSONValue?
        var routing: Routing?
        var (version, sequenceNumber, primaryTerm): (Int?, Int?, Int?)
        try enterObject()
        while let key = try nextKey() {
            if isEqual(key, "_id") {
                let token = try string()
                isOurs = isEqual(token, utf8: id.utf8)
            } else if isEqual(key, "found") {
                isFound = try bool()
            } else if isEqual(key, "_source") {
                source = try skipValue()
            } else if isEqual(key, "_routing") {
                routing = Routing(try stringText())
            } else if isEqual(key, "_version") {
                version = try int()
            } else if isEqual(key, "_seq_no") {
                sequenceNumber = try int()
            } else if isEqual(key, "_primary_term") {
                primaryTerm = try int()
            } else if isEqual(key, "error") {
                let place = try skipValue()
                error = try JSONValue(Array(body[place]))
            } else {
                try skipValue()
            }
        }
        guard isOurs else { throw JSONError(offset: start, message: "the answer is about another document") }
        if let error { return .failed(error) }
        guard isFound else { return .absent }
        guard let source else { return .foundWithoutSource }
        let revision: Revision? =
            if let sequenceNumber, let primaryTerm {
                Revision(sequenceNumber: sequenceNumber, primaryTerm: primaryTerm)
            } else {
                nil
            }
        return .found(
            RevisedDocument(
                json: Array(body[source]),
                version: version.map { Int64($0) },
                revision: revision,
                routing: routing
            )
        )
    }
}

extension MultiGetReply.Entry {
    /// Creates the entry of a document that the engine could not read.
    fileprivate static func failed(_ error: JSONValue) -> Self {
        let (type, reason) = (error["type"].text ?? "error", error["reason"].text ?? "")
        // Elasticsearch 7 fails while it makes this error: the type of a document, which it has no longer, is missing.
        let isRoutingMissing = type == "null_pointer_exception" && reason == "type must not be null"
        return .failed(type: isRoutingMissing ? ErrorReply.routingMissing : type, reason: reason)
    }
}

/// A document as the engine has it, and its revision.
struct RevisedDocument: Hashable, Sendable {
    let json: [UInt8]
    let version: Int64?
    /// The revision; `nil` if the engine reports none, so that a change can't be conditional.
    let revision: Revision?
    /// The routing that places the document; `nil` if its ID does.
    var routing: Routing?
}

import ContentFeeding
import EngineHTTP
import JSONText

extension OpenSearchCollection {
    /// The first slice of a reading, when nothing is known of how large documents are.
    static let firstSlice = 16
    /// The most IDs in a request.
    static let largestSlice = 1_000
    /// What a reply should weigh about, in bytes, by the average of the documents before.
    static let sliceBytes = 8 << 20

    /// What is there of the first of `ids`, in their order: up to the document that makes it `maximumBytes`, and of
    /// one ID at least.
    ///
    /// Reads what is there now, whether or not searches see it.
    func read(
        _ ids: ArraySlice<DocumentID>,
        upTo maximumBytes: Int
    ) async throws(RequestTrouble) -> [MultiGetReply.Entry] {
        var documents: [MultiGetReply.Entry] = []
        var (rest, bytes, slice) = (ids, 0, Self.firstSlice)
        while !rest.isEmpty, documents.isEmpty || bytes < maximumBytes {
            let part = rest.prefix(slice)
            let found: [MultiGetReply.Entry]
            do throws(RequestTrouble) {
                found = try await multiGet(part)
            } catch {
                // It may have been more than a reply may weigh: a document alone is not.
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

    private func multiGet(_ ids: ArraySlice<DocumentID>) async throws(RequestTrouble) -> [MultiGetReply.Entry] {
        // Without a filter: what is filtered is written anew, and a document's bytes are to stay as they are.
        var path = path(to: "_mget")
        if cluster.omitsVectors { path = path.with("_source_exclude_vectors", "false") }
        return try await entries(EngineRequest.reading(path, Self.body(of: ids)), of: ids)
    }

    /// Which of `ids` are there, without what is in them.
    func presence(of ids: ArraySlice<DocumentID>) async throws(RequestTrouble) -> [MultiGetReply.Entry] {
        var path = path(to: "_mget").with("_source", "false")
        path = path.with("filter_path", "docs._id,docs.found,docs.error.type,docs.error.reason")
        return try await entries(.reading(path, Self.body(of: ids)), of: ids)
    }

    private func entries(
        _ request: EngineRequest,
        of ids: ArraySlice<DocumentID>
    ) async throws(RequestTrouble) -> [MultiGetReply.Entry] {
        let reply = try await cluster.reply(to: request)
        let entries: [MultiGetReply.Entry]
        do throws(JSONError) {
            entries = try MultiGetReply.entries(in: reply.body, to: ids)
        } catch {
            throw RequestTrouble(.unreadable(reply, "an answer that is not to the IDs asked for: \(error)"))
        }
        for case .failed(let type, let reason) in entries {
            let complaint = EngineComplaint(EngineComplaint.kind(of: type, 503), type: type, reason: reason)
            // What is wrong with one document is that one's alone; what is wrong with the index is not.
            if complaint.kind == .missingCollection { throw RequestTrouble(.refused(reply, complaint)) }
        }
        return entries
    }

    private static func body(of ids: ArraySlice<DocumentID>) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.array("ids") { writer in
                for id in ids { writer.value(utf8: id.utf8) }
            }
        }
        return writer.takeBytes()
    }
}

extension Cluster {
    /// Whether the engine leaves vectors out of a source unless it is asked for them: Elasticsearch since 9.2.
    ///
    /// What is read to be changed, or to be kept, would lose them; older ones refuse what they don't know.
    var omitsVectors: Bool {
        guard product == .elasticsearch, let version else { return false }
        return version >= EngineVersion(9, 2)
    }
}

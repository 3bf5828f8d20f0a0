import ContentFeeding
import EngineHTTP
import JSONText

/// Asks Solr, and tells its successes from everything else.
struct SolrClient: Sendable {
    let connection: EngineConnection

    /// A success: HTTP and Solr both say so, and nothing of it is missing.
    struct Reply {
        let body: [UInt8]
        let header: ReplyHeader?
        let http: EngineReply

        /// The reply as values.
        func tree() throws(SolrTrouble) -> JSONValue {
            do {
                return try JSONValue(body)
            } catch {
                throw SolrTrouble(.unreadable(http, "the reply is not what Solr says here: \(error)"))
            }
        }
    }

    func send(_ request: EngineRequest) async throws(SolrTrouble) -> Reply {
        let reply: EngineReply
        do {
            reply = try await connection.send(request)
        } catch {
            throw SolrTrouble(.noReply(error))
        }
        return try Self.success(reply)
    }

    /// Asks with a form; it only reads.
    func ask(_ path: EnginePath, _ form: FormBody) async throws(SolrTrouble) -> Reply {
        var request = EngineRequest(.post, path, body: form.bytes)
        request.contentType = FormBody.contentType
        request.isReading = true
        return try await send(request)
    }

    /// Asks, and reads the answer as values.
    func tree(_ path: EnginePath, timeout: Duration? = nil) async throws(SolrTrouble) -> JSONValue {
        var request = EngineRequest(.get, path.with("wt", "json"))
        request.timeout = timeout
        return try await send(request).tree()
    }

    private static func success(_ reply: EngineReply) throws(SolrTrouble) -> Reply {
        guard reply.isSuccess else { throw SolrTrouble(.refused(reply, EngineComplaint(solr: reply))) }
        let header: ReplyHeader?
        do {
            header = try ReplyHeader.read(reply.body)
        } catch {
            throw SolrTrouble(.unreadable(reply, "the reply is not Solr's: \(error)"))
        }
        if let header, header.status != 0 {
            throw SolrTrouble(.unreadable(reply, "Solr reports status \(header.status) in a reply that says success"))
        }
        if header?.isPartial == true {
            throw SolrTrouble(.unreadable(reply, "a part of the collection did not answer"))
        }
        return Reply(body: reply.body, header: header, http: reply)
    }
}

/// What stands in the place of a success.
struct SolrTrouble: Error {
    let trouble: EngineTrouble

    init(_ trouble: EngineTrouble) { self.trouble = trouble }

    /// The HTTP status of a refusal.
    var refusal: Int? {
        guard case .refused(let reply, _) = trouble else { return nil }
        return reply.status
    }

    /// What Solr itself says in a refusal.
    var complaint: EngineComplaint? {
        guard case .refused(_, let complaint) = trouble else { return nil }
        return complaint
    }

    /// The reply was larger than we take, or was no HTTP: less may do.
    var isTooLarge: Bool {
        guard case .noReply(let failure) = trouble, !failure.isNotSent else { return false }
        return error.code == .unusable
    }

    /// The same as an error of administration and of reading.
    var error: EngineError { EngineError(trouble) }
}

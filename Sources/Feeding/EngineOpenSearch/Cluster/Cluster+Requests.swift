import ContentFeeding
import EngineHTTP
import JSONText

extension Cluster {
    /// Sends a request and gives the reply if it is a success.
    func reply(to request: EngineRequest) async throws(RequestTrouble) -> EngineReply {
        let reply: EngineReply
        do throws(EngineFailure) {
            reply = try await connection.send(request)
        } catch {
            throw RequestTrouble(.noReply(error))
        }
        guard reply.isSuccess else { throw RequestTrouble(.refused(reply, EngineComplaint(in: reply))) }
        return reply
    }

    /// Sends a request and gives what a small reply says.
    func ask(_ request: EngineRequest) async throws(RequestTrouble) -> JSONValue {
        let reply = try await reply(to: request)
        do throws(JSONError) {
            return try JSONValue(reply.body)
        } catch {
            throw RequestTrouble(.unreadable(reply, "an answer that is not the engine's own: \(error)"))
        }
    }

    /// Sends a request about one collection and gives what a small reply says.
    func ask(_ request: EngineRequest, about name: CollectionName) async throws(EngineError) -> JSONValue {
        do throws(RequestTrouble) {
            return try await ask(request)
        } catch {
            throw await self.error(error, about: name)
        }
    }

    /// What trouble means for a request about one collection.
    ///
    /// A refusal of rights stays one: it is never taken for a collection that is not there.
    func error(_ trouble: RequestTrouble, about name: CollectionName) async -> EngineError {
        if trouble.complaint?.kind == .missingCollection { return await missing(name) }
        return EngineError(trouble.trouble)
    }
}

extension EngineRequest {
    /// A request that only reads although it is a POST, so that another node may be asked as well.
    static func reading(_ path: EnginePath, _ body: [UInt8]? = nil) -> EngineRequest {
        var request = EngineRequest(.post, path, body: body)
        request.isReading = true
        return request
    }
}

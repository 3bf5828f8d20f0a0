import Glibc
import TestSupport

@testable import EngineHTTP

/// What tests of connections have in common.
enum Connections {
    /// A closed port of the loopback.
    static func closedPort() throws -> NodeAddress { try node(Socket.listening().port) }

    static func node(_ port: UInt16, path: String = "") -> NodeAddress {
        NodeAddress(scheme: .http, host: "127.0.0.1", port: Int(port), path: path)
    }

    static func server(_ answer: String = "ok") throws -> ScriptedServer {
        try ScriptedServer { client, _ in while client.nextRequest() != nil { client.answer(answer) } }
    }

    static func connection(
        to nodes: [NodeAddress],
        _ change: (inout ConnectionOptions) -> Void = { _ in }
    ) async throws -> EngineConnection {
        var options = ConnectionOptions()
        options.requestTimeout = .seconds(20)
        change(&options)
        return try await EngineConnection(to: nodes, options: options)
    }

    static let batch = EngineRequest(.post, EnginePath("_bulk"), body: Array("body".utf8))
    static let reading = EngineRequest(.get, EnginePath())

    static func failure(
        of request: EngineRequest,
        on connection: EngineConnection
    ) async -> EngineFailure? {
        do throws(EngineFailure) {
            _ = try await connection.send(request)
            return nil
        } catch {
            return error
        }
    }
}

extension ScriptedServer {
    /// A server that answers the first request of each connection with these bytes, and closes.
    static func replying(_ bytes: String) throws -> ScriptedServer {
        try ScriptedServer { client, _ in
            if client.nextRequest() != nil { client.send(bytes) }
        }
    }
}

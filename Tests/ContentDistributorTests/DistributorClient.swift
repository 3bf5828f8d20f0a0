import ConsolePages
import ContentFeeding
import EngineSQLite
import Foundation
import HTTPService
import JSONText
import Schedules
import TestSupport
import Threads

@testable import ContentDistributor

/// A distributor that listens on a port, for tests that must go through real requests.
final class LiveDistributor: Sendable {
    let folder: TemporaryFolder
    let server: HTTPServer
    let tokens: AccessTokens
    let distributor: ContentDistributor

    /// Starts a server with collections, each with the rules of its verbs.
    init(
        _ collections: [String: [AccessVerb: String]],
        limits: (inout DistributorLimits) -> Void = { _ in },
        server change: (inout ServerConfiguration) -> Void = { _ in },
        behind console: Console? = nil,
        clock: any ScheduleClock = MachineClock()
    ) async throws {
        folder = try TemporaryFolder()
        var settings = DistributorSettings(state: folder.path("state"))
        settings.target = "sqlite:" + folder.path("store.sqlite")
        settings.collections = try collections.mapValues { rules in
            var all = CollectionRules()
            for (verb, text) in rules { all.rules[verb] = try AccessRule(text) }
            return all
        }
        limits(&settings.limits)
        try FileManager.default.createDirectory(atPath: settings.state, withIntermediateDirectories: true)
        let store = try await SQLiteEngine.create(path: folder.path("store.sqlite"))
        for name in collections.keys { try await store.create(CollectionName(rawValue: name), settings: []) }
        tokens = try AccessTokens(path: settings.state + "/access.sqlite")
        distributor = try await ContentDistributor(settings, clock: clock) { _ in }
        var configuration = ServerConfiguration()
        configuration.limits = settings.limits.ofServer
        change(&configuration)
        var router = distributor.router
        if let console { router.useFirst(console.middleware) }
        server = try HTTPServer(configuration, router: router)
    }

    /// The methods and paths of all routes.
    var paths: [(method: RequestMethod, path: String)] { distributor.router.paths }

    /// The bytes of the bodies that the server is receiving.
    var receivingBytes: Int { distributor.bodies.sum }

    /// Ends the server and its feeds.
    func end() async {
        await server.shutDown(within: .zero)
        await distributor.drain()
        folder.remove()
    }

    func token(_ role: AccessToken.Role, _ claims: [String: String] = [:]) async throws -> String {
        try await tokens.create("test", role, claims: claims, at: .seconds(1)).secret
    }

    /// Runs a client on a separate thread, because its socket blocks.
    func client<Value: Sendable>(_ body: @escaping @Sendable (DistributorClient) throws -> Value) async throws -> Value
    {
        let port = server.port
        return try await onOwnThread { Result { try body(DistributorClient(Socket.connected(to: port))) } }.get()
    }
}

/// A client with one persistent connection.
final class DistributorClient: Sendable {
    let socket: Socket

    init(_ socket: Socket) { self.socket = socket }

    struct Closed: Error {}

    struct Answer: Sendable {
        let status: Int
        let head: String
        let text: String

        var json: JSONValue { (try? JSONValue(Array(text.utf8))) ?? .null }

        /// The header fields by their names in lowercase.
        var fields: [String: String] {
            head.split(separator: "\r\n").dropFirst().reduce(into: [:]) { fields, line in
                let parts = line.split(separator: ":", maxSplits: 1)
                fields[parts[0].lowercased()] = parts.count > 1 ? parts[1].trimmingPrefix(" ").description : ""
            }
        }
    }

    /// Sends a request, and waits for its response.
    func send(
        _ method: String,
        _ target: String,
        _ body: String? = nil,
        token: String?,
        headers: [(String, String)] = []
    ) throws -> Answer {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: x\r\n"
        if let token { head += "Authorization: Bearer \(token)\r\n" }
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if let body {
            let isTyped = headers.contains { $0.0 == "Content-Type" }
            head += isTyped ? "" : "Content-Type: application/x-ndjson\r\n"
            head += "Content-Length: \(body.utf8.count)\r\n"
        }
        guard socket.send(Array((head + "\r\n" + (body ?? "")).utf8)) else { throw Closed() }
        return try answer()
    }

    /// Receives a response with a declared length.
    func answer() throws -> Answer {
        var bytes: [UInt8] = []
        let end = Array("\r\n\r\n".utf8)
        var start: Int?
        while start == nil {
            guard let more = socket.receive() else { throw Closed() }
            let from = max(0, bytes.count - end.count)
            bytes += more
            start = bytes.indices.dropFirst(from).first { bytes[$0...].starts(with: end) }.map { $0 + end.count }
        }
        let head = String(decoding: bytes[..<(start ?? 0)], as: UTF8.self)
        let partial = Answer(status: Int(head.dropFirst(9).prefix(3)) ?? 0, head: head, text: "")
        let length = Int(partial.fields["content-length"] ?? "0") ?? 0
        var body = Array(bytes[(start ?? 0)...])
        while body.count < length {
            guard let more = socket.receive() else { throw Closed() }
            body += more
        }
        return Answer(status: partial.status, head: head, text: String(decoding: body, as: UTF8.self))
    }
}

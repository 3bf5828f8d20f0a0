import HTTPService
import Synchronization
import TestSupport
import Testing
import Threads

/// Runs a server with these routes while the body runs.
func withServer(
    _ change: (inout ServerConfiguration) -> Void = { _ in },
    routes: (inout HTTPRouter) -> Void,
    _ body: (HTTPServer) async throws -> Void
) async throws {
    var router = HTTPRouter()
    routes(&router)
    var configuration = ServerConfiguration()
    configuration.instance = "test"
    change(&configuration)
    let server = try HTTPServer(configuration, router: router)
    do {
        try await body(server)
    } catch {
        await server.shutDown(within: .zero)
        throw error
    }
    await server.shutDown(within: .zero)
}

extension HTTPServer {
    /// Sends bytes on a new connection, and returns everything received until the server closes it.
    func talk(_ text: String) async throws -> String {
        try await client { client in
            client.send(text.utf8)
            return client.receiveText()
        }
    }

    /// Runs a client on a separate thread, because its socket blocks.
    func client<Value: Sendable>(_ body: @escaping @Sendable (Socket) throws -> Value) async throws -> Value {
        try await onOwnThread { [port] in Result { try body(Socket.connected(to: port)) } }.get()
    }
}

extension Socket {
    func receiveText() -> String { String(decoding: receiveAll(), as: UTF8.self) }

    /// Receives until a given text has arrived, and returns everything received so far, which may be more.
    @discardableResult
    func receive(until text: String) -> String {
        var all: [UInt8] = []
        while !String(decoding: all, as: UTF8.self).contains(text), let bytes = receive() { all += bytes }
        return String(decoding: all, as: UTF8.self)
    }
}

/// A gate at which tasks wait until it opens, and which counts the tasks that have arrived.
final class TestGate: Sendable {
    private let (openings, opening) = AsyncStream.makeStream(of: Void.self)
    private let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)

    func open() { opening.finish() }

    /// Waits at the gate as one of the counted tasks.
    func pass() async {
        arrival.yield()
        for await _ in openings {}
    }

    func arrive() { arrival.yield() }

    /// Waits on the other side until the given number of tasks have arrived.
    func waitForArrivals(_ count: Int = 1) async {
        for await _ in arrivals.prefix(count) {}
    }
}

/// Waits until a number remains the same for a while, and returns it.
func settled(_ number: () -> Int) async throws -> Int {
    var (last, same) = (-1, 0)
    while same < 10 {
        try await Task.sleep(for: .milliseconds(30))
        let now = number()
        same = now == last && now > 0 ? same + 1 : 0
        last = now
    }
    return last
}

let getRoot = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
let getRootAndClose = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

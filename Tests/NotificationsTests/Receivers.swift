import Foundation
import HTTPService
import Notifications
import Synchronization
import TestSupport
import TextKit

/// A server that receives notifications, and responds as required by the test.
final class Receiver: Sendable {
    struct Received: Sendable {
        let headers: HeaderFields
        let body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    private let server: HTTPServer
    private let box: Box

    var received: [Received] { box.received }
    var url: String { "http://127.0.0.1:\(server.port)/hook" }

    /// Starts a server; `answer` receives the number of each request, counted from 0.
    init(
        address: String = "127.0.0.1",
        _ answer: @escaping @Sendable (Int) async throws -> ServedResponse = { _ in .text("") }
    ) throws {
        var router = HTTPRouter()
        let received = Box()
        router.on(.post, "/hook") { request in
            let body = try await request.body.collect(upTo: 1 << 20)
            let number = received.add(Received(headers: request.headers, body: body))
            return try await answer(number)
        }
        var configuration = ServerConfiguration()
        (configuration.address, configuration.port) = (address, 0)
        server = try HTTPServer(configuration, router: router)
        box = received
    }

    private final class Box: Sendable {
        private let all = Mutex<[Received]>([])

        var received: [Received] { all.withLock { $0 } }

        func add(_ one: Received) -> Int {
            all.withLock { all in
                all.append(one)
                return all.count - 1
            }
        }
    }

    func end() async { await server.shutDown(within: .zero) }
}

/// An outbox and its notifier, with their log messages.
final class Sender: Sendable {
    let folder: TemporaryFolder
    let outbox: Outbox
    let notifier: Notifier
    private let lines: Lines

    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    init(isValid: @escaping @Sendable (String) async -> Bool = { _ in true }) throws {
        folder = try TemporaryFolder()
        outbox = try Outbox(path: folder.path("notifications.sqlite"))
        let lines = Lines()
        self.lines = lines
        notifier = Notifier(outbox, isValid: isValid) { line in lines.all.withLock { $0.append(line) } }
    }

    var log: [String] { lines.all.withLock { $0 } }

    func end() async {
        await notifier.drain()
        folder.remove()
    }
}

struct NotReached: Error {}

/// Waits until a condition is true, for at most a minute, because hundreds of tests share the processors.
func eventually(_ isSo: () async throws -> Bool) async throws {
    let end = ContinuousClock.now.advanced(by: .seconds(60))
    while try await !isSo() {
        guard ContinuousClock.now < end else { throw NotReached() }
        try await Task.sleep(for: .milliseconds(10))
    }
}

extension ServerEvent {
    static func sample(_ message: String = "3 of 10 operations failed", _ kind: Kind = .jobFailed) -> ServerEvent {
        ServerEvent(
            kind,
            at: .seconds(1_700_000_000),
            collection: "Wiki",
            subject: "session 3f2a",
            message: message,
            details: ["errors": "3"]
        )
    }
}

extension NotificationTarget {
    /// Returns a webhook with short pauses between attempts.
    static func webhook(
        _ url: String,
        _ name: String = "hook",
        secret: String? = nil,
        by guardian: AddressGuard = AddressGuard(allowing: ["127.0.0.1"]),
        attempts: Int = 4,
        timeLimit: Duration = .seconds(5)
    ) throws -> NotificationTarget {
        guard let url = TargetURL(url) else { throw NotReached() }
        let webhook = Webhook(
            url,
            secret: secret.map { Array($0.utf8) },
            by: guardian,
            over: GuardedTransport(timeLimit: timeLimit)
        )
        var target = NotificationTarget(name, Set(ServerEvent.Kind.allCases), .webhook(webhook))
        target.retries.attempts = attempts
        target.retries.firstPause = .milliseconds(20)
        return target
    }
}

/// A server that reads the request of each connection to its end, and then responds with the given bytes.
///
/// A connection that is closed with unread bytes is reset, and the reset can reach the client before the response.
final class ScriptedBytes: Sendable {
    let port: UInt16
    private let count = Atomic(0)

    var requests: Int { count.load(ordering: .relaxed) }

    init(_ answers: [String]) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 8) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard isBound else { throw NotReached() }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in
            for answer in answers {
                let connection = accept(listener, nil, nil)
                Self.readRequest(from: connection)
                count.add(1, ordering: .relaxed)
                _ = send(connection, answer, answer.utf8.count, Int32(MSG_NOSIGNAL))
                close(connection)
            }
            close(listener)
        }
    }

    private static func readRequest(from connection: Int32) {
        var (request, bytes) = ("", [UInt8](repeating: 0, count: 1 << 16))
        while true {
            let parts = request.components(separatedBy: "\r\n\r\n")
            let length = parts[0].lowercased().firstMatch(of: /content-length: ([0-9]+)/).flatMap { Int($0.1) }
            if parts.count > 1, parts[1].utf8.count >= length ?? 0 { return }
            let count = recv(connection, &bytes, bytes.count, 0)
            guard count > 0 else { return }
            request += String(decoding: bytes[..<count], as: UTF8.self)
        }
    }
}

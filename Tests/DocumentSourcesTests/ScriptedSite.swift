import ContentFeeding
import DocumentSources
import Synchronization
import TestSupport

@testable import EngineHTTP

/// A web server whose response to each request is determined by the test.
final class ScriptedSite: Sendable {
    /// The parts of a request that tests need.
    struct Request: Sendable {
        /// The number of the request, counted from 1 over all connections.
        let number: Int
        let path: String
        /// The unescaped parameters.
        let query: [String: String]
        let head: String

        init(_ text: String, number: Int) {
            self.number = number
            head = text
            let target = text.split(separator: " ")[1]
            let parts = target.split(separator: "?", maxSplits: 1)
            path = parts[0].removingEscapes
            query = parts.dropFirst().joined().split(separator: "&").reduce(into: [:]) { query, part in
                let name = part.prefix { $0 != "=" }
                query[name.removingEscapes] = part.dropFirst(name.count + 1).removingEscapes
            }
        }

        /// Returns a header's value, ignoring the case of its name.
        func header(_ name: String) -> String? {
            head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name + ": ") }
                .map { String($0.dropFirst(name.count + 2)) }
        }
    }

    /// The response to a request.
    enum Reply: Sendable {
        case answer(status: Int = 200, headers: [String: String] = [:], [UInt8])
        /// A head that declares a longer body than it has.
        case cut([UInt8])
        /// No response at all.
        case hangUp

        static func text(_ text: String, status: Int = 200, _ headers: [String: String] = [:]) -> Reply {
            .answer(status: status, headers: headers, Array(text.utf8))
        }
    }

    private let server: ScriptedServer
    private let log: Log

    init(_ answer: @escaping @Sendable (Request) -> Reply) throws {
        let log = Log()
        self.log = log
        server = try ScriptedServer { client, _ in
            while let text = client.nextRequest() {
                let request = log.next(text)
                switch answer(request) {
                case .answer(let status, let headers, let body):
                    let lines = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
                    client.send("HTTP/1.1 \(status) S\r\n\(lines)Content-Length: \(body.count)\r\n\r\n")
                    client.send(body)
                case .cut(let body):
                    client.send("HTTP/1.1 200 S\r\nContent-Length: \(body.count + 100)\r\n\r\n")
                    client.send(body)
                    return
                case .hangUp: return
                }
            }
        }
    }

    /// The received requests, in order.
    private final class Log: Sendable {
        private let requests = Mutex<[Request]>([])

        func next(_ text: String) -> Request {
            requests.withLock { requests in
                let request = Request(text, number: requests.count + 1)
                requests.append(request)
                return request
            }
        }

        var all: [Request] { requests.withLock { $0 } }
    }

    var requests: [Request] { log.all }
    var url: String { String(server.url.dropLast()) }
}

extension StringProtocol {
    /// The text with `%XX` resolved.
    fileprivate var removingEscapes: String {
        var bytes: [UInt8] = []
        var rest = Array(utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A clock that never waits, but records the requested durations.
final class TirelessClock: Clock, Sendable {
    private let time = Mutex(ContinuousClock.now)
    private let slept = Mutex<[Duration]>([])

    var now: ContinuousClock.Instant { time.withLock { $0 } }
    var minimumResolution: Duration { .zero }
    var pauses: [Duration] { slept.withLock { $0 } }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let pause = now.duration(to: deadline)
        slept.withLock { $0.append(pause) }
        time.withLock { $0 = max($0, deadline) }
    }
}

extension HTTPAccess {
    /// Returns a source access with the usual number of attempts, which never waits.
    static func tireless(_ clock: TirelessClock = TirelessClock(), credentials: String? = nil) -> HTTPAccess {
        var connection = ConnectionOptions()
        connection.credentials = credentials.map { .helper(command: "echo '\($0)'") }
        connection.requestTimeout = .seconds(20)
        var access = HTTPAccess(connection)
        access.clock = clock
        access.seed = 1
        return access
    }
}

/// The pages that a reader returned before it ended or failed.
struct Reading: Sendable {
    var entries: [SourceEntry] = []
    var rejections: [String] = []
    var pages = 0
    /// The positions after the pages.
    var places: [SourcePlace] = []
    var error: SourceError?

    var ids: [String] { entries.map(\.id.text) }

    /// Reads a source from a position to its end, or to its first failure.
    init(_ source: some DocumentSource, _ contents: SourceContents, from place: SourcePlace = .beginning) async {
        do throws(SourceError) {
            let reader = try await source.reader(of: contents, from: place)
            await goOn(reader)
        } catch {
            self.error = error
        }
    }

    /// Continues reading to the end, or to the next failure.
    mutating func goOn(_ reader: any SourceReader) async {
        error = nil
        do throws(SourceError) {
            while let page = try await reader.next() {
                entries += page.entries
                rejections += page.rejections.map(\.reason)
                places.append(page.next)
                pages += 1
            }
        } catch {
            self.error = error
        }
    }
}

import Foundation
import Glibc
import HTTPClient
import TestSupport
import Testing

/// The content distributor is killed repeatedly while clients feed through it.
///
/// An acknowledged batch is never lost, nothing is done twice, and the order of each document's operations is kept.
@Suite(.enabled(if: DistributorProcess.binary != nil), .timeLimit(.minutes(5)))
struct DistributorKillTests {
    private static let rounds = 25

    @Test func `Acknowledged batches survive kills, in order and each exactly once`() async throws {
        let folder = try TemporaryFolder()
        let place = try DistributorProcess.Place(folder)
        let client = try place.client()
        var random = SystemRandomNumberGenerator()
        var server: DistributorProcess? = try await place.start()
        let id = try await client.session(on: try #require(server))
        var next: UInt64 = 1
        var batch = 0
        for round in 0..<Self.rounds {
            let running: DistributorProcess
            if let server { running = server } else { running = try await place.start() }
            let end = ContinuousClock.now.advanced(by: .milliseconds(Int.random(in: 5...250, using: &random)))
            let process = running.process
            let killer = Task.detached {
                try? await Task.sleep(until: end, clock: .continuous)
                kill(process, SIGKILL)
            }
            // A client that receives no response sends the same batch to the next server.
            while ContinuousClock.now < end {
                let body = Self.body(of: batch + 1)
                guard let answer = try? await client.put(body, "/v1/sessions/\(id)/batches/\(batch + 1)", to: running)
                else {
                    break
                }
                try #require(answer.status == 202, "round \(round): \(String(decoding: answer.body, as: UTF8.self))")
                let first = try #require(DistributorProcess.number("firstOperation", in: answer.body))
                #expect(first == next, "round \(round), batch \(batch + 1)")
                next = first + UInt64(Self.operations)
                batch += 1
            }
            _ = await killer.value
            _ = running.wait()
            server = nil
        }
        // On a busy machine, few batches are acknowledged before a kill.
        try #require(batch > Self.rounds / 5, "only \(batch) batches in \(Self.rounds) rounds")
        let last = try await place.start()
        // The last batch without a response may have been accepted; its client sends it again.
        let again = try await client.put(Self.body(of: batch + 1), "/v1/sessions/\(id)/batches/\(batch + 1)", to: last)
        try #require(again.status == 202)
        batch += 1
        let state = try await client.settled(id, on: last)
        // Each batch adds one unique document and replaces one that all batches share.
        #expect(DistributorProcess.number("settledThrough", in: state) == UInt64(batch * Self.operations))
        let shared = try await client.get("/v1/collections/Web/documents/shared", on: last)
        #expect(String(decoding: shared.body, as: UTF8.self) == #"{"id":"shared","batch":\#(batch)}"#)
        let text = String(decoding: state, as: UTF8.self)
        #expect(DistributorProcess.number("added", in: state) == UInt64(batch + 1), "\(text)")
        #expect(DistributorProcess.number("errors", in: state) == 0, "\(text)")
        for number in [1, batch / 2, batch] {
            let own = try await client.get("/v1/collections/Web/documents/own-\(number)", on: last)
            #expect(own.status == 200)
        }
        kill(last.process, SIGTERM)
        #expect(last.wait() == 0)
    }

    private static let operations = 2

    private static func body(of batch: Int) -> String {
        "{\"id\":\"own-\(batch)\"}\n{\"id\":\"shared\",\"batch\":\(batch)}\n"
    }
}

/// The content distributor under test, as a process.
private final class DistributorProcess: Sendable {
    /// The program in the same folder as the tested command.
    static let binary: String? = ChildProgram.fastctl.flatMap { fastctl in
        let path = fastctl.deletingLastPathComponent().appending(path: "content-distributor").path
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }

    private let child: ChildProgram
    let url: String

    var process: Int32 { child.process }

    private init(_ child: ChildProgram, _ url: String) { (self.child, self.url) = (child, url) }

    func wait() -> Int32 { child.wait() }

    /// Returns the value of a member of a flat JSON response.
    static func number(_ name: String, in json: [UInt8]) -> UInt64? {
        let text = String(decoding: json, as: UTF8.self)
        guard let name = text.range(of: "\"\(name)\":") else { return nil }
        return UInt64(text[name.upperBound...].prefix(while: \.isNumber))
    }

    /// A folder with the settings, the store and the state.
    struct Place: Sendable {
        let folder: TemporaryFolder

        init(_ folder: TemporaryFolder) throws {
            self.folder = folder
            let settings = """
                listen: 127.0.0.1:0
                state: state
                target: sqlite:\(folder.path("store.sqlite"))
                collections:
                  Web: {read: application-key, insert: application-key, update: application-key, delete: application-key}
                """
            try settings.write(toFile: folder.path("d.yaml"), atomically: true, encoding: .utf8)
            let fastctl = try #require(ChildProgram.fastctl)
            let created = try ChildProgram.run(
                fastctl.path,
                ["collections", "create", "Web", "--target", "sqlite:" + folder.path("store.sqlite")],
                in: folder.path(""),
                environment: ["HOME": folder.path("")]
            )
            try #require(created.status == 0, "\(created.errors)")
        }

        /// Starts the server, and waits until it listens.
        func start() async throws -> DistributorProcess {
            let output = folder.path("out")
            try? FileManager.default.removeItem(atPath: output)
            let file = open(output, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            let errors = open(folder.path("log"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            defer {
                close(file)
                close(errors)
            }
            let child = try ChildProgram(
                try #require(DistributorProcess.binary),
                ["run", "d.yaml"],
                in: folder.path(""),
                environment: ["HOME": folder.path("")],
                output: file,
                errors: errors
            )
            for _ in 0..<500 {
                let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
                if let line = text.split(separator: "\n").last, line.hasPrefix("listening on ") {
                    return DistributorProcess(child, String(line.dropFirst("listening on ".count)))
                }
                try #require(
                    child.status == nil,
                    "it ended: \((try? String(contentsOfFile: folder.path("log"), encoding: .utf8)) ?? "")"
                )
                try await Task.sleep(for: .milliseconds(20))
            }
            throw NotListening()
        }

        struct NotListening: Error {}

        /// Returns a client with its own token.
        func client() throws -> Client {
            let created = try ChildProgram.run(
                try #require(DistributorProcess.binary),
                ["tokens", "create", "test", "d.yaml", "--role", "application"],
                in: folder.path(""),
                environment: ["HOME": folder.path("")]
            )
            try #require(created.status == 0, "\(created.errors)")
            return Client(token: created.output.split(separator: "\n").first.map(String.init) ?? "")
        }
    }

    /// A client of the server.
    struct Client: Sendable {
        let token: String
        private let transport = HTTPTransport()

        init(token: String) { self.token = token }

        private func send(
            _ method: HTTPRequest.Method,
            _ path: String,
            _ body: String?,
            to server: DistributorProcess
        ) async throws -> HTTPResponse {
            let headers = [
                HTTPHeader("Authorization", "Bearer " + token), HTTPHeader("Content-Type", "application/x-ndjson"),
            ]
            let request = HTTPRequest(method, server.url + path, headers: headers, body: body.map { Array($0.utf8) })
            return try await transport.send(request)
        }

        func put(_ body: String, _ path: String, to server: DistributorProcess) async throws -> HTTPResponse {
            try await send(.put, path, body, to: server)
        }

        func get(_ path: String, on server: DistributorProcess) async throws -> HTTPResponse {
            try await send(.get, path, nil, to: server)
        }

        func session(on server: DistributorProcess) async throws -> String {
            let answer = try await send(.post, "/v1/collections/Web/sessions", "", to: server)
            let text = String(decoding: answer.body, as: UTF8.self)
            let match = text.firstMatch(of: /"session":"([^"]+)"/)
            return String(try #require(match, "\(text)").1)
        }

        /// Returns the state once all operations are settled.
        func settled(_ session: String, on server: DistributorProcess) async throws -> [UInt8] {
            for _ in 0..<10 {
                let answer = try await get("/v1/sessions/\(session)?wait=secured&timeout=5", on: server)
                let (all, done) = (
                    DistributorProcess.number("operations", in: answer.body),
                    DistributorProcess.number("settledThrough", in: answer.body)
                )
                if all == done { return answer.body }
            }
            throw Place.NotListening()
        }
    }
}

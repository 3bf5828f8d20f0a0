import ContentFeeding
import Foundation
import HTTPService
import JSONText
import SQLiteStore
import Synchronization
import TestSupport
import Testing
import Threads

@testable import ContentDistributor
@testable import ServerSecurity

// MARK: - Reloading

extension DistributorTests {
    private func rules(_ text: String) throws -> CollectionRules {
        var rules = CollectionRules()
        for verb in AccessVerb.allCases { rules.rules[verb] = try AccessRule(text) }
        return rules
    }

    @Test func `Reloaded settings take effect as a whole, from the next request onward`() async throws {
        let place = try await Place(rules: "admins") { $0.requestsPerSecond = 1_000 }
        let server = try await place.server()
        let token = try await place.token(.application)
        let path = "/v1/collections/Web/documents/a"
        #expect(try await send(.put, path, "{}", token: token, to: server).status == 403)
        var settings = place.settings
        settings.collections["Web"] = try rules("application-key")
        settings.origins = ["https://app.example"]
        settings.limits.batchOperations = 1
        settings.limits.body = 1_000
        try server.reload(settings, from: "d.yaml")
        let origin = [("Origin", "https://app.example")]
        let answer = try await send(.put, path, "{}", token: token, headers: origin, to: server)
        #expect(answer.status == 201)
        #expect(answer.headers["Access-Control-Allow-Origin"] == "https://app.example")
        #expect(server.maximumBody == 1_000)
        let id = try await session(token, on: server)
        let two = "{\"id\":\"a\"}\n{\"id\":\"b\"}"
        #expect(try await send(.put, "/v1/sessions/\(id)/batches/1", two, token: token, to: server).status == 413)
        await server.drain()
    }

    @Test(arguments: [
        "listen", "tls", "state", "target", "connections", "connections-per-address", "header-bytes", "header-fields",
        "target-bytes", "sessions", "console",
    ])
    func `A changed key that requires a restart is refused by name, and nothing is applied`(
        key: String
    ) async throws {
        let place = try await Place(rules: "admins")
        let server = try await place.server()
        let token = try await place.token(.application)
        var settings = place.settings
        settings.collections["Web"] = try rules("application-key")
        switch key {
        case "listen": settings.port += 1
        case "tls": settings.tls = ("c.pem", "k.pem")
        case "console": settings.console.isWritable = true
        case "state": settings.state += "2"
        case "target": settings.target += "2"
        case "connections-per-address": settings.limits.connectionsPerAddress = 5
        case "header-bytes": settings.limits.headerBytes += 1
        case "header-fields": settings.limits.headerFields += 1
        case "target-bytes": settings.limits.targetBytes += 1
        case "sessions": settings.limits.sessions += 1
        default: settings.limits.connections += 1
        }
        #expect {
            try server.reload(settings, from: "d.yaml")
        } throws: { error in
            (error as? SettingsError)?.message.hasPrefix("d.yaml: '\(key)' can't change") ?? false
        }
        #expect(try await send(.put, "/v1/collections/Web/documents/a", "{}", token: token, to: server).status == 403)
    }

    @Test func `A settings file with a defect is not applied, and the log names the line`() async throws {
        let place = try await Place(rules: "admins")
        let lines = Mutex<[String]>([])
        let server = try await ContentDistributor(place.settings) { line in lines.withLock { $0.append(line) } }
        let file = place.folder.path("d.yaml")
        let head = """
            state: \(place.settings.state)
            target: \(place.settings.target)
            origins: [https://app.example]

            """
        try (head + "limits: {body: 0}\n").write(toFile: file, atomically: true, encoding: .utf8)
        #expect(!server.reload(from: file))
        #expect(server.settings.origins.isEmpty)
        #expect(lines.withLock { $0.last?.contains("d.yaml:4:16: the limit must be at least 1") } == true)
        try (head + "limits: {body: 7}\n").write(toFile: file, atomically: true, encoding: .utf8)
        #expect(server.reload(from: file))
        #expect(server.settings.origins == ["https://app.example"] && server.maximumBody == 7)
        #expect(!server.reload(from: nil))
        #expect(server.maximumBody == 7)
    }

    @Test func `Requests with invalid tokens count as one client per address`() async throws {
        let place = try await Place { $0.requestsPerSecond = 1 }
        let server = try await place.server()
        let token = try await place.token(.application)
        let path = "/v1/collections/Web/documents/a"
        var refused = 0
        for number in 0..<40 {
            let status = try await send(.get, path, token: "fcd_\(number)", to: server).status
            if status == 429 { refused += 1 } else { #expect(status == 401) }
        }
        #expect(refused > 0)
        #expect(try await send(.get, path, token: token, to: server).status == 404)
    }

    // MARK: Stopping

    @Test func `Every session stops when the server ends, and the next server feeds the remaining operations`()
        async throws
    {
        let place = try await Place()
        let token = try await place.token(.application)
        let lines = Mutex<[String]>([])
        let first = try await ContentDistributor(place.settings) { line in lines.withLock { $0.append(line) } }
        let ids = [try await session(token, on: first), try await session(token, on: first)]
        for batch in 1...10 {
            for (number, id) in ids.enumerated() {
                let body = (0..<200).map { "{\"id\":\"\(number)-\(batch)-\($0)\"}" }.joined(separator: "\n")
                let path = "/v1/sessions/\(id)/batches/\(batch)"
                #expect(try await send(.put, path, body, token: token, to: first).status == 202)
            }
        }
        await first.drain()
        // A session that stops on request has not failed.
        #expect(lines.withLock { $0.filter { $0.contains("waits") && $0.contains("interrupted") } } == [])
        let next = try await place.server()
        for id in ids {
            let state = try await send(.get, "/v1/sessions/\(id)?wait=secured&timeout=60", token: token, to: next)
            #expect(state.json["settledThrough"].int == 2_000, "\(state.text)")
            #expect(state.json["outcomes"]["added"].int == 2_000, "\(state.text)")
        }
        await next.drain()
    }

    @Test func `A session whose engine becomes unavailable resumes automatically when the engine is back`()
        async throws
    {
        let place = try await Place()
        let server = try await place.server()
        let token = try await place.token(.application)
        let begun = try await send(.post, "/v1/collections/Web/sessions?outcomes=all", token: token, to: server)
        let path = try #require(begun.headers["Location"])
        _ = try await send(.put, path + "/batches/1", "{\"id\":\"a\"}", token: token, to: server)
        _ = try await send(.get, path + "?wait=secured&timeout=30", token: token, to: server)
        let (store, elsewhere) = (place.folder.path("store.sqlite"), place.folder.path("elsewhere"))
        try FileManager.default.moveItem(atPath: store, toPath: elsewhere)
        _ = try await send(.put, path + "/batches/2", "{\"id\":\"b\"}", token: token, to: server)
        // The request is answered as soon as the batch has outcomes, or can't get any for now.
        let waiting = try await send(.get, path + "/batches/2?timeout=60", token: token, to: server)
        #expect(waiting.json["failure"].text != nil && waiting.json["outcomes"] == .null, "\(waiting.text)")
        let stuck = try await send(.get, path, token: token, to: server).json
        #expect(stuck["standstill"]["message"] == stuck["failure"] && stuck["standstill"]["since"].text != nil)
        try FileManager.default.moveItem(atPath: elsewhere, toPath: store)
        let state = try await send(.get, path + "?wait=secured&timeout=60", token: token, to: server)
        #expect(state.json["settledThrough"].int == 2 && state.json["outcomes"]["added"].int == 2, "\(state.text)")
        await server.drain()
    }

    @Test func `A stop reaches every feed, including feeds that start later, even if other feeds fail`() async {
        let stops = StopBroadcast()
        // A feed that has failed ends only its own stream.
        let failed = Task { for await _ in stops.reasons() {} }
        failed.cancel()
        await failed.value
        let feeds = [stops.reasons(), stops.reasons()]
        #expect(!stops.isStopped)
        stops.stop(.terminated)
        stops.stop(.interrupted)
        for feed in feeds + [stops.reasons()] {
            var reasons: [StopReason] = []
            for await reason in feed { reasons.append(reason) }
            #expect(reasons == [.terminated])
        }
        #expect(stops.isStopped)
    }

    // MARK: The disk

    @Test func `A batch is refused while the disk is full, and accepted once there is room`() async throws {
        let place = try await Place()
        let server = try await place.server()
        let token = try await place.token(.application)
        let id = try await session(token, on: server)
        let path = "/v1/sessions/\(id)/batches/1"
        let body = "{\"id\":\"a\",\"text\":\"\(String(repeating: "x", count: 200_000))\"}"
        // The smallest limit that SQLite accepts is the current size of the file.
        _ = try await server.batches.database.run { try $0.integer("PRAGMA max_page_count = 1") }
        for _ in 0..<2 {
            let full = try await send(.put, path, body, token: token, to: server)
            #expect(full.status == 503 && full.json["code"].text == "notStored", "\(full.text)")
            #expect(full.headers["Retry-After"] != nil)
        }
        #expect(try await send(.get, "/v1/sessions/\(id)", token: token, to: server).json["nextBatch"].int == 1)
        #expect(await server.batches.waitingBytes == 0)
        #expect(await server.answers())
        _ = try await server.batches.database.run { try $0.integer("PRAGMA max_page_count = 1000000") }
        let accepted = try await send(.put, path, body, token: token, to: server)
        #expect(accepted.status == 202 && accepted.json["isRepeated"].bool == false, "\(accepted.text)")
        let state = try await send(.get, "/v1/sessions/\(id)?wait=secured&timeout=30", token: token, to: server)
        #expect(state.json["outcomes"]["added"].int == 1)
        await server.drain()
    }

    @Test func `The count of waiting bytes matches the file`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("sessions.sqlite")
        let store = try BatchStore(path: path)
        for id in ["s", "t"] {
            let session = BatchStore.Session(
                id: id,
                collection: CollectionName(rawValue: "Web"),
                owner: "o",
                missing: .error,
                job: nil,
                lastBatch: 0,
                operations: 0,
                isClosed: false
            )
            try await store.create(session)
        }
        func accept(_ number: UInt64, of session: String, bytes: Int) async throws {
            let body = [UInt8](repeating: 1, count: bytes)
            let batch = BatchStore.Batch(number: number, kind: .add, first: 0, count: 1, body: body)
            guard case .accepted = try await store.accept(batch, of: session, digest: [UInt8(bytes)]) else {
                throw CancellationError()
            }
        }
        for session in ["s", "t"] {
            for number in 1...4 { try await accept(UInt64(number), of: session, bytes: 10 * number) }
            // The same batch is not counted again when it is resent.
            try await accept(2, of: session, bytes: 20)
        }
        #expect(await store.waitingBytes == 200)
        #expect(try await BatchStore(path: path).waitingBytes == 200)
        for _ in 0..<2 { try await store.release(through: 2, of: "s") }
        #expect(await store.waitingBytes == 170)
        try await store.end("t", at: .seconds(1))
        #expect(try await store.forget(endedBefore: .seconds(2)) == ["t"])
        #expect(await store.waitingBytes == 70)
        #expect(try await BatchStore(path: path).waitingBytes == 70)
    }

    // MARK: Metrics

    @Test func `The metrics of buckets, routes and operations add up`() async throws {
        let place = try await Place()
        let server = try await place.server()
        let (token, admin) = (try await place.token(.application), try await place.token(.admin))
        let id = try await session(token, on: server)
        let path = "/v1/sessions/\(id)/batches/1"
        let body = "{\"id\":\"a\"}\n{\"id\":\"b\"}\n{\"remove\":\"none\"}"
        for _ in 0..<2 { #expect(try await send(.put, path, body, token: token, to: server).status == 202) }
        _ = try await send(.get, "/v1/sessions/\(id)?wait=secured&timeout=30", token: token, to: server)
        #expect(try await send(.get, "/v1/sessions/none", token: token, to: server).status == 404)
        let page = try await send(.get, "/metrics", token: admin, to: server)
        var samples: [String: Double] = [:]
        for line in page.text.split(separator: "\n") where !line.hasPrefix("#") {
            let blank = try #require(line.lastIndex(of: " "))
            #expect(
                samples.updateValue(try #require(Double(line[blank...].dropFirst())), forKey: String(line[..<blank]))
                    == nil
            )
        }
        let route = "route=\"PUT /v1/sessions/{session}/batches/{batch}\""
        let name = "distributor_request_duration_seconds"
        let expected: [String: Double] = [
            "content_distributor_build_info{version=\"\(ContentDistributor.version)\"}": 1,
            "distributor_operations_accepted_total": 3, "distributor_operations_settled_total": 3,
            "distributor_operation_errors_total": 1, "distributor_requests_total{status=\"202\"}": 2,
            "distributor_requests_total{status=\"404\"}": 1, "distributor_audit_lines_total": 2,
            "\(name)_count{\(route)}": 2,
        ]
        #expect(samples.filter { expected[$0.key] != nil } == expected)
        #expect(try #require(samples["\(name)_sum{\(route)}"]) > 0)
        let buckets = ["0.005", "0.05", "0.5", "5", "+Inf"].compactMap {
            samples["\(name)_bucket{\(route),le=\"\($0)\"}"]
        }
        #expect(buckets.count == 5 && buckets == buckets.sorted() && buckets.last == 2)
        await server.drain()
    }
}

// MARK: - The audit log

extension AuditLogTests {
    @Test func `Simultaneous actions share disk syncs, and each action is recorded once`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("audit.log")
        let log = try AuditLog(path: path)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<300 {
                group.addTask { try await log.append(Self.entry(subject: "ID\(number)"), at: .seconds(number)) }
            }
            try await group.waitForAll()
        }
        let appended = await log.appended
        #expect(appended.lines == 300 && appended.syncs < 300)
        #expect(try AuditLog.verify(path).lines == 300)
        #expect(try AuditLog.verify(path).defect == nil)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect((0..<300).allSatisfy { text.contains("\"subject\":\"ID\($0)\"") })
    }

    @Test(arguments: ["whole", "cut", "first", "last"])
    func `A long log can be continued by reading only its end, and is verified as a whole`(kind: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("audit.log")
        let log = try AuditLog(path: path)
        let subject = String(repeating: "s", count: 10_000)
        for number in 0..<250 { try await log.append(Self.entry(subject: subject), at: .seconds(number)) }
        var bytes = try Data(contentsOf: URL(filePath: path))
        #expect(bytes.count > 2 << 20)
        switch kind {
        case "cut": bytes.removeLast(5_000)
        case "first": bytes[5_000] = UInt8(ascii: "t")
        case "last": bytes[bytes.count - 5_000] = UInt8(ascii: "t")
        default: break
        }
        try bytes.write(to: URL(filePath: path))
        if kind == "last" {
            #expect(throws: AuditError.self) { try AuditLog(path: path) }
            #expect(try AuditLog.verify(path).defect == AuditLog.Defect(line: 250, isCut: false))
            return
        }
        try await AuditLog(path: path).append(Self.entry(subject: "end"), at: .seconds(999))
        let report = try AuditLog.verify(path)
        if kind == "first" {
            #expect(report.defect == AuditLog.Defect(line: 1, isCut: false))
        } else {
            #expect(report.lines == (kind == "cut" ? 250 : 251) && report.defect == nil)
        }
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        #expect(lines.last?.contains("\"number\":\(kind == "cut" ? 250 : 251),") == true)
    }

    @Test func `While the disk is full, every action fails with an error`() async throws {
        let log = try AuditLog(path: "/dev/full")
        for _ in 0..<2 {
            await #expect(throws: AuditError.self) { try await log.append(Self.entry(subject: "a"), at: .seconds(1)) }
        }
        #expect(await log.appended.lines == 0)
        #expect(ServiceProblem(of: AuditError(path: "/dev/full", code: ENOSPC)).status.code == 503)
    }
}

// MARK: - The supervisor

struct SupervisorTests {
    /// A socket like a supervisor's.
    private final class Inbox: Sendable {
        let descriptor: CInt

        init(_ name: [UInt8]) throws {
            descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
            let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
            let status = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
            }
            try #require(status == 0)
        }

        deinit { close(descriptor) }

        /// Returns the next message; returns `nil` if none arrives within the time limit.
        func next(within limit: Duration) async -> String? {
            await onOwnThread { [descriptor] in
                var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&waiting, 1, CInt(limit / .milliseconds(1))) == 1 else { return nil }
                var bytes = [UInt8](repeating: 0, count: 200)
                let count = recv(descriptor, &bytes, bytes.count, 0)
                return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
            }
        }
    }

    @Test(arguments: [false, true])
    func `A supervisor is notified when the service is ready, reloads and ends`(isAbstract: Bool) async throws {
        let folder = try TemporaryFolder()
        let name = isAbstract ? "@content-distributor-test-\(UInt64.random(in: 0 ... .max))" : folder.path("notify")
        let inbox = try Inbox(isAbstract ? [0] + Array(name.utf8.dropFirst()) : Array(name.utf8))
        let supervisor = Supervisor { $0 == "NOTIFY_SOCKET" ? name : nil }
        #expect(supervisor.patience == nil)
        supervisor.isReady()
        #expect(await inbox.next(within: .seconds(60)) == "READY=1")
        supervisor.isReloading()
        let reloading = try #require(await inbox.next(within: .seconds(60)))
        let parts = reloading.split(separator: "\n")
        #expect(parts.first == "RELOADING=1" && parts.last?.hasPrefix("MONOTONIC_USEC=") == true)
        #expect(parts.last.flatMap { Int($0.dropFirst("MONOTONIC_USEC=".count)) } ?? 0 > 0)
        supervisor.isStopping()
        #expect(await inbox.next(within: .seconds(60)) == "STOPPING=1")
    }

    @Test func `Watchdog messages are sent only while the service responds`() async throws {
        let folder = try TemporaryFolder()
        let inbox = try Inbox(Array(folder.path("notify").utf8))
        let variables = ["NOTIFY_SOCKET": folder.path("notify"), "WATCHDOG_USEC": "20000", "WATCHDOG_PID": "7"]
        #expect(Supervisor({ variables[$0] }, process: 8).patience == nil)
        let supervisor = Supervisor({ variables[$0] }, process: 7)
        #expect(supervisor.patience == .milliseconds(20))
        let isAlive = Mutex(false)
        let watch = Task { await supervisor.watch { isAlive.withLock { $0 } } }
        #expect(await inbox.next(within: .milliseconds(300)) == nil)
        isAlive.withLock { $0 = true }
        for _ in 0..<3 { #expect(await inbox.next(within: .seconds(60)) == "WATCHDOG=1") }
        watch.cancel()
        await watch.value
    }

    @Test(arguments: [nil, "", "relative", "@", "/" + String(repeating: "a", count: 200)])
    func `Without a supervisor, no notification is sent`(address: String?) {
        let supervisor = Supervisor { $0 == "NOTIFY_SOCKET" ? address : "1000" }
        #expect(supervisor.patience == nil)
        supervisor.isReady()
    }

    private static let unit = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Packaging/content-distributor.service")

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze")))
    func `systemd finds no errors in the unit file`() throws {
        let folder = try TemporaryFolder()
        var lines = try String(contentsOf: Self.unit, encoding: .utf8).split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
        // The program is not installed where the tests run.
        let start = try #require(lines.firstIndex { $0.hasPrefix("ExecStart=") })
        #expect(lines[start].hasSuffix("/bin/content-distributor run /etc/content-distributor.yaml"))
        lines[start] = "ExecStart=/bin/true"
        let path = folder.path("content-distributor.service")
        try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
        let output = open(folder.path("report"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(output) }
        let arguments = ["verify", "--man=no", path]
        let status = try ChildProgram("systemd-analyze", arguments, output: output, errors: output).wait()
        let report = try String(contentsOfFile: folder.path("report"), encoding: .utf8)
        // It reports unknown keys, but still exits with 0.
        #expect(status == 0 && report.isEmpty, "\(report)")
    }
}

// MARK: - Sessions and their followers

extension DistributorTests {
    @Test func `Sessions on an embedded store share one connection to it`() async throws {
        let place = try await Place()
        let server = try await place.server()
        let token = try await place.token(.application)
        for number in 1...10 {
            let id = try await session(token, on: server)
            let path = "/v1/sessions/\(id)"
            _ = try await send(.put, "\(path)/batches/1", "{\"id\":\"\(number)\"}", token: token, to: server)
            let state = try await send(.get, "\(path)?wait=secured&timeout=20", token: token, to: server)
            #expect(state.json["outcomes"]["added"].int == 1, "\(state.text)")
        }
        let store = try #require(realpath(place.folder.path("store.sqlite"), nil).map { String(cString: $0) })
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { number in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")) == store
        }
        // One file for all sessions and one for readers; SQLite keeps a few closed ones open for the next connection.
        #expect((1...5).contains(open))
        await server.drain()
    }
}

struct SessionSignalTests {
    @Test func `A task wakes at its own timeout, regardless of other tasks, and all tasks wake at a change`()
        async throws
    {
        let signal = ChangeSignal()
        async let patient = signal.change(after: 0, until: .now.advanced(by: .seconds(3_600)))
        let end = ContinuousClock.now.advanced(by: .milliseconds(20))
        #expect(await signal.change(after: 0, until: end) == false)
        #expect(ContinuousClock.now >= end)
        async let other = signal.change(after: 0, until: .now.advanced(by: .seconds(3_600)))
        signal.notify()
        #expect(await patient)
        #expect(await other)
        #expect(await signal.change(after: 1, until: .now) == false)
        let leaving = Task { await signal.change(after: 1, until: .now.advanced(by: .seconds(3_600))) }
        leaving.cancel()
        #expect(await leaving.value == false)
    }

    @Test func `Followers at the same position share the same bytes until the next change`() async throws {
        let events = FollowedEvents()
        let made = Mutex(0)
        let place = FollowedEvents.Place(done: 0, isEventStream: false)
        func page(at version: UInt64) async throws -> Int {
            try await events.page(after: place, at: version) {
                let number = made.withLock { made in
                    made += 1
                    return made
                }
                if number == 3 { throw CancellationError() }
                return FollowedEvents.Page(done: number)
            }.done
        }
        events.begin()
        events.begin()
        #expect(try await page(at: 1) == 1)
        #expect(try await page(at: 1) == 1)
        #expect(try await page(at: 2) == 2)
        // A follower that has seen an older state gets the newer one.
        #expect(try await page(at: 1) == 2)
        await #expect(throws: CancellationError.self) { try await page(at: 3) }
        // A failure is not kept.
        #expect(try await page(at: 3) == 4)
        events.end()
        #expect(try await page(at: 3) == 4)
        // After the last follower has left, nothing is kept.
        events.end()
        #expect(try await page(at: 3) == 5)
    }
}

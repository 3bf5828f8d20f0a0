import Foundation
import Glibc
import Synchronization
import Threads

/// A real engine that runs on this machine during the tests.
///
/// `FASTCTL_ENGINES` is the folder of scripts that start engines. Each configuration is started once, at its first use,
/// and stopped when this process ends in any way. Instead, a single plain node may already be running elsewhere:
/// `FASTCTL_SOLR_URL=http://localhost:8983/solr`.
public final class LiveEngine: Sendable {
    public enum Product: String, Sendable, CaseIterable {
        case openSearch = "opensearch"
        case elasticsearch
        case solr
        /// Azure Storage's emulator, with blobs at its address, and tables two ports higher.
        case azurite
    }

    public struct Failure: Error, CustomStringConvertible {
        public let description: String

        public init(description: String) { self.description = description }
    }

    public let product: Product
    /// The addresses, one for each node, without a trailing slash.
    public let urls: [String]
    /// The folder of the engine's data, its logs and, if it is secure, `tls/ca.pem`.
    public let folder: String

    private init(_ product: Product, urls: [String], folder: String) {
        (self.product, self.urls, self.folder) = (product, urls, folder)
    }

    /// The reason engines can't be started here; `nil` if they can.
    public static var absence: String? {
        scripts == nil ? "FASTCTL_ENGINES does not name the folder of engines" : nil
    }

    /// Whether engines of every configuration can be started here.
    public static var isAvailable: Bool { absence == nil }

    /// Returns whether one plain node is available, here or at an address.
    public static func isAvailable(_ product: Product) -> Bool { isAvailable || address(of: product) != nil }

    /// Returns the value of `FASTCTL_OPENSEARCH_URL`, `FASTCTL_ELASTICSEARCH_URL`, `FASTCTL_SOLR_URL` or
    /// `FASTCTL_AZURITE_URL`.
    private static func address(of product: Product) -> String? {
        ProcessInfo.processInfo.environment["FASTCTL_\(product.rawValue.uppercased())_URL"]
            .flatMap { $0.isEmpty ? nil : $0 }
    }

    private static var scripts: String? {
        ProcessInfo.processInfo.environment["FASTCTL_ENGINES"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the engine that all tests of this process share in this configuration.
    public static func shared(_ product: Product, nodes: Int = 1, secure: Bool = false) async throws -> LiveEngine {
        if nodes == 1, !secure, let address = address(of: product) {
            return LiveEngine(product, urls: [address], folder: "")
        }
        let key = "\(product.rawValue)-\(nodes)\(secure ? "-secure" : "")"
        let task = running.withLock { running in
            if let task = running[key] { return task }
            let task = Task { try await start(product, nodes: nodes, secure: secure) }
            running[key] = task
            return task
        }
        return try await task.value
    }

    private static let running = Mutex<[String: Task<LiveEngine, any Error>]>([:])

    /// The parent of the engines' folders.
    ///
    /// It is in memory if there is plenty and programs can be loaded from it, because engines wait for a disk at each
    /// write.
    private static let place: URL = {
        var memory = statvfs()
        // `ST_NOEXEC` is hidden by the header.
        let forbidsPrograms: UInt = 8
        let isUsable =
            statvfs("/dev/shm", &memory) == 0 && memory.f_flag & forbidsPrograms == 0
            && UInt64(memory.f_bavail) * UInt64(memory.f_frsize) >= 8 << 30
        return isUsable ? URL(filePath: "/dev/shm") : FileManager.default.temporaryDirectory
    }()

    /// Returns a separate engine, for tests that break it.
    public static func start(_ product: Product, nodes: Int = 1, secure: Bool = false) async throws -> LiveEngine {
        guard let scripts else { throw Failure(description: absence ?? "") }
        let folder = place.appending(path: "fastctl-engine-" + UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let script = "\(scripts)/\(product.rawValue)/engine"
        let removal = Self.removal(of: folder, nodes: nodes, by: script)
        try await watch(removal)
        var lastWords = ""
        // Another process may take the ports before the engine does.
        for _ in 0..<3 {
            var arguments = ["start", folder, "--port", "\(try freePort(nodes: nodes))", "--nodes", "\(nodes)"]
            if secure { arguments.append("--secure") }
            let result = try await run(script, arguments)
            if result.status == 0 {
                let urls = result.output.split(separator: "\n").map { String($0) }.filter { $0.hasPrefix("http") }
                return LiveEngine(product, urls: urls, folder: folder)
            }
            lastWords = result.output
            _ = try await run(script, ["stop", folder])
        }
        throw Failure(description: "\(product.rawValue) did not start: \(lastWords)")
    }

    /// Stops a separate engine without waiting for it; its test is over, and its nodes would slow down the next test.
    public func stop() {
        guard let scripts = Self.scripts else { return }
        let script = "\(scripts)/\(product.rawValue)/engine"
        let command = Self.removal(of: folder, nodes: urls.count, by: script)
        _ = system("(\(command)) </dev/null >/dev/null 2>&1 &")
    }

    /// Returns the commands that end an engine and remove its folder.
    ///
    /// The nodes are killed, because closing their data properly would take time from other tests.
    private static func removal(of folder: String, nodes: Int, by script: String) -> String {
        let kills = (1...nodes).map { "'\(script)' node '\(folder)' \($0) kill & " }.joined()
        return kills + "wait; '\(script)' stop '\(folder)'; rm -rf '\(folder)'"
    }

    public enum NodeAction: String, Sendable { case start, kill, pause, resume }

    /// Performs an action on a node; nodes are counted from 1.
    public func node(_ number: Int, _ action: NodeAction) async throws {
        let script = "\(Self.scripts ?? "")/\(product.rawValue)/engine"
        let result = try await Self.run(script, ["node", folder, "\(number)", action.rawValue])
        guard result.status == 0 else { throw Failure(description: "\(action) of node \(number): \(result.output)") }
    }

    /// Runs the commands that remove an engine once this process has ended.
    private static func watch(_ removal: String) async throws {
        let wait = "trap '' INT TERM; while kill -0 \(getpid()) 2>/dev/null; do sleep 1; done"
        let watcher = "(\(wait); \(removal)) </dev/null >/dev/null 2>&1 &"
        _ = await onOwnThread { system(watcher) }
    }

    /// The options of every Java process.
    ///
    /// Using only the quick compiler halves the time until an engine is ready, and servers that run for a minute do not
    /// benefit from the other one. Verifying the engines' own code would take a fifth of the rest. A lost node of a
    /// SolrCloud is detected after five seconds instead of fifteen.
    private static let javaOptions =
        "-XX:TieredStopAtLevel=1 -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote -DzkClientTimeout=5000"

    private static func run(_ script: String, _ arguments: [String]) async throws -> (status: Int32, output: String) {
        let output = FileManager.default.temporaryDirectory.appending(path: "fastctl-engine-" + UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: output) }
        let words = ([script] + arguments).map { "'\($0)'" }.joined(separator: " ")
        let command = "export JAVA_TOOL_OPTIONS='\(javaOptions)'; \(words)"
        // A file instead of a pipe, because the nodes keep inherited files open. Foundation's `Process` spins while a
        // grandchild runs.
        let status = await onOwnThread { system("(\(command)) </dev/null >'\(output.path)' 2>&1") }
        return (status, try String(contentsOf: output, encoding: .utf8))
    }

    /// Returns a port that is free, as are the ports that follow it, and the engine's internal ports from 99 on.
    private static func freePort(nodes: Int) throws -> Int {
        for _ in 0..<100 {
            let port = Int.random(in: 100...280) * 100
            var ports = [port + 1, port + 2]
            for node in port..<port + nodes { ports += [node, node + 99, node + 100] }
            if ports.allSatisfy({ (try? Socket.connected(to: UInt16($0))) == nil }) { return port }
        }
        throw Failure(description: "no free ports")
    }
}

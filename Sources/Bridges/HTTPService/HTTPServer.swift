import CHTTPDaemon
import Files
import Glibc
import Synchronization
package import TextKit
import Threads

/// An HTTP/1.1 server that runs from its creation until ``shutDown(within:)``.
package final class HTTPServer: Sendable {
    private let daemon: HTTPDaemon
    private let bodyLimit: BodyLimit
    /// The port that the server listens on.
    package let port: UInt16

    /// Starts listening.
    package init(
        _ configuration: ServerConfiguration = ServerConfiguration(),
        router: HTTPRouter
    ) throws(ServerStartError) {
        let bodyLimit = BodyLimit(configuration.limits.body)
        daemon = try HTTPDaemon(
            configuration,
            respond: router.answering { bodyLimit.bytes },
            complete: router.completion
        )
        self.bodyLimit = bodyLimit
        port = daemon.port
    }

    deinit {
        guard !daemon.connections.isClosing else { return }
        // The last reference may be released on any thread, and waiting for the event loops blocks.
        startThread { [daemon] in _ = daemon.close() }
    }

    /// The maximum number of bytes in a body, unless the route has another limit; a change applies to future requests.
    package var maximumBody: Int {
        get { bodyLimit.bytes }
        set { bodyLimit.bytes = newValue }
    }

    /// The number of open connections.
    package var connections: Int { daemon.connections.count }

    /// The number of requests without a complete response.
    package var activeRequests: Int { daemon.connections.exchanges.count }

    /// Stops accepting connections, ends endless streams, waits at most `limit` for everything else, then closes.
    ///
    /// Returns how many requests were aborted. A second call immediately closes the connections for which the first one
    /// is still waiting.
    @discardableResult
    package func shutDown(within limit: Duration = .seconds(10)) async -> Int {
        daemon.stopAccepting()
        let deadline = ContinuousClock.now + limit
        while activeRequests > 0, ContinuousClock.now < deadline, !Task.isCancelled, !daemon.connections.isClosing {
            try? await Task.sleep(for: .milliseconds(10))
        }
        return await onOwnThread { [daemon] in daemon.close() }
    }
}

/// The maximum number of bytes in a body, which may change while requests arrive.
private final class BodyLimit: Sendable {
    private let limit: Atomic<Int>

    init(_ bytes: Int) { limit = Atomic(bytes) }

    var bytes: Int {
        get { limit.load(ordering: .relaxed) }
        set { limit.store(newValue, ordering: .relaxed) }
    }
}

// MARK: - Settings

/// The settings of a server: its address, its TLS files, and its identification.
package struct ServerConfiguration: Sendable {
    /// A numeric address.
    package var address = "127.0.0.1"
    /// The port; 0 lets the kernel choose one, which ``HTTPServer/port`` then returns.
    package var port: UInt16 = 0
    package var eventLoops = 1
    package var limits = ServerLimits()
    /// The files for TLS 1.2 and 1.3; `nil` for plain HTTP.
    package var tls: ServerTLSFiles?
    /// The first part of all request IDs, which differs from server to server and from run to run.
    package var instance = UInt64.random(in: 0...(.max)).padded(to: 16, radix: 16)
    /// A function that is called at the end of every request, including those that reach no handler.
    ///
    /// The function runs on an event loop, so it has to be quick.
    package var observer: (@Sendable (ExchangeRecord) -> Void)?

    package init() {}
}

/// The limits of a server.
package struct ServerLimits: Hashable, Sendable {
    /// The maximum number of simultaneous connections; any others wait in the kernel.
    package var connections = 2_048
    /// The maximum number of connections from one address; 0 for no limit.
    package var connectionsPerAddress = 0
    /// The number of open files that the process needs in addition to its connections.
    package var otherFiles = 128
    /// The time limit for the first request head of a connection, and the grace period for a body.
    package var headerDeadline = Duration.seconds(10)
    /// The minimum average rate of a body, in bytes per second, after the grace period.
    package var bodyRate = 1_024
    /// The time for which a connection may be idle, in whole seconds.
    package var idle = Duration.seconds(30)
    /// The memory for a request line and its header fields.
    package var headerMemory = 32 * 1_024
    /// The maximum number of bytes in a request target, including its query.
    package var target = 8 * 1_024
    package var headerFields = 100
    /// The maximum number of bytes in a body, unless the route has another limit.
    package var body = 16 * 1_024 * 1_024
    /// The maximum number of bytes in a body that are buffered until its handler reads them, or discarded if no handler
    /// does.
    package var bodyWindow = 256 * 1_024
    /// The maximum number of bytes in a streamed response that are buffered until the client reads them.
    package var responseWindow = 64 * 1_024

    package init() {}
}

/// The PEM files of a server's certificate, including those of its issuers, and of its key.
package struct ServerTLSFiles: Hashable, Sendable {
    package var certificate: String
    package var key: String

    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}

/// An error because a server could not start.
package struct ServerStartError: AdvisedError, CustomStringConvertible {
    package let description: String
    package let advice: String

    package var failure: Failure { Failure(.configuration, description, advice: advice) }
}

/// A request that has ended, for logs and counters.
package struct ExchangeRecord: Sendable {
    package let requestID: String
    /// The numeric address at the other end of the connection.
    package let peerAddress: String
    package internal(set) var method = RequestMethod(rawValue: "")
    package internal(set) var path = ""
    /// The status of the response; nil if the client disconnected first.
    package internal(set) var status: ResponseStatus?
    package internal(set) var bytesReceived = 0
    package internal(set) var bytesSent = 0
    package internal(set) var duration = Duration.zero
    /// Whether the whole response was passed to the system.
    package internal(set) var isComplete = false
    /// The error of a handler that is hidden from the client.
    package internal(set) var failure: String?

    init(requestID: String, peerAddress: String) {
        self.requestID = requestID
        self.peerAddress = peerAddress
    }
}

// MARK: - The library's daemon

/// The library's event loops, and the state that their callbacks need.
final class HTTPDaemon: Sendable {
    let limits: ServerLimits
    let isSecure: Bool
    let respond: @Sendable (ServedRequest) async -> HTTPRouter.Answer
    let complete: AnswerCompletion
    let connections = ConnectionTable()
    private let configuration: ServerConfiguration
    private let requests = Atomic<UInt64>(0)
    private let handle = Mutex<DaemonHandle?>(nil)

    var port: UInt16 { handle.withLock { $0.map { http_daemon_port($0.pointer) } ?? 0 } }

    init(
        _ configuration: ServerConfiguration,
        respond: @escaping @Sendable (ServedRequest) async -> HTTPRouter.Answer,
        complete: @escaping AnswerCompletion
    ) throws(ServerStartError) {
        self.configuration = configuration
        (self.respond, self.complete) = (respond, complete)
        limits = configuration.limits
        isSecure = configuration.tls != nil
        try Self.raiseDescriptorLimit(for: limits.connections, limits.otherFiles)
        let certificate = try configuration.tls.map { files throws(ServerStartError) in try Self.pem(files.certificate)
        }
        let key = try configuration.tls.map { files throws(ServerStartError) in try Self.pem(files.key) }
        let started = try start(certificate, key)
        handle.withLock { $0 = started }
        connections.startWatching(limits) { [isSecure, weak self] exchange, message in
            guard !isSecure, let self else { return nil }
            let problem = ServiceProblem(.requestTimeout, "tooSlow", message, advice: "send it again, faster")
            let response = exchange?.answerOutsideTheLibrary(with: problem) ?? problem.response(to: nextRequestID())
            return response.lastWords
        }
    }

    func nextRequestID() -> String {
        "\(configuration.instance)-\(requests.add(1, ordering: .relaxed).newValue)"
    }

    func observe(_ record: ExchangeRecord) { configuration.observer?(record) }

    // MARK: Starting

    /// Raises the soft limit of open files to the hard limit: Swift's runtime terminates a process that runs out of
    /// descriptors.
    private static func raiseDescriptorLimit(for connections: Int, _ others: Int) throws(ServerStartError) {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        let needed = rlim_t(connections + others)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        guard limit.rlim_max >= needed, setrlimit(resource, &limit) == 0 else {
            throw ServerStartError(
                description:
                    "\(connections) connections need \(needed) open files, but the system allows only \(limit.rlim_max)",
                advice: "raise the limit (ulimit -Hn), or allow fewer connections"
            )
        }
    }

    private static func pem(_ path: String) throws(ServerStartError) -> String {
        do throws(FileError) {
            return String(decoding: try SmallFile.read(path, maximum: 1_048_576), as: UTF8.self)
        } catch {
            throw ServerStartError(
                description: "cannot read '\(path)': \(error.reason)",
                advice: "specify a PEM file that the server can read"
            )
        }
    }

    private func start(_ certificate: String?, _ key: String?) throws(ServerStartError) -> DaemonHandle {
        let (daemon, reason) = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { reason in
            reason.initialize(repeating: 0)
            let daemon = configuration.address.withCString { address in
                withCString(certificate) { certificate in
                    withCString(key) { open(address, certificate, $0, reason) }
                }
            }
            return (daemon.map(DaemonHandle.init), reason.baseAddress.map { String(cString: $0) } ?? "")
        }
        if let daemon { return daemon }
        throw ServerStartError(
            description: reason,
            advice: "choose a different address, port or certificate, or different limits"
        )
    }

    private func open(
        _ address: UnsafePointer<CChar>,
        _ certificate: UnsafePointer<CChar>?,
        _ key: UnsafePointer<CChar>?,
        _ reason: UnsafeMutableBufferPointer<CChar>
    ) -> OpaquePointer? {
        var options = http_daemon_options(
            address: address,
            port: configuration.port,
            threads: UInt32(configuration.eventLoops),
            connection_limit: UInt32(limits.connections),
            connections_per_ip: UInt32(limits.connectionsPerAddress),
            idle_seconds: UInt32(max(1, (limits.idle + .milliseconds(999)).components.seconds)),
            memory_per_connection: limits.headerMemory,
            certificate_pem: certificate,
            private_key_pem: key,
            context: Unmanaged.passUnretained(self).toOpaque(),
            on_request: onRequest,
            on_completed: onCompleted,
            on_connection: onConnection
        )
        return http_daemon_start(&options, reason.baseAddress, reason.count)
    }

    // MARK: Stopping

    /// Closes the listening socket and idle connections, and asks endless streams to end.
    func stopAccepting() {
        handle.withLock { handle in
            guard let handle, !connections.isDraining else { return }
            http_daemon_stop_listening(handle.pointer)
        }
        connections.drain()
    }

    /// Aborts requests that are still running, then waits until the event loops have stopped; returns their number.
    ///
    /// The library would terminate the process if a connection were still suspended.
    func close() -> Int {
        let broken = connections.abandonAll()
        if let handle = handle.withLock({ $0.take() }) { http_daemon_stop(handle.pointer) }
        connections.stopWatching()
        return broken
    }
}

private func withCString<Result>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
    guard let text else { return body(nil) }
    return text.withCString { body($0) }
}

// MARK: Handles

// The library's objects are plain pointers, which are not `Sendable`. These two wrappers are the only types in this
// module that are `@unchecked Sendable`. This is safe, because the library locks its own state in the functions called
// through them from other threads (suspend, resume, stop), and because an exchange forgets its connection, under its
// lock, before the library frees it.

struct DaemonHandle: @unchecked Sendable {
    let pointer: OpaquePointer
}

struct ConnectionHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    func suspend() { http_connection_suspend(pointer) }
    func resume() { http_connection_resume(pointer) }
}

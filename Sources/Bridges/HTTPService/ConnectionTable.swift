import CHTTPDaemon
import Glibc
import Synchronization
import Threads

/// The state of a connection for monitoring deadlines.
///
/// The library's timeout detects only idle connections; this type must also detect a client that sends a byte now and
/// then.
final class ServedConnection: Sendable, Hashable {
    fileprivate enum Phase {
        /// The server is waiting for a complete head, and has been for this long.
        case awaitingRequest(Duration)
        /// The server is waiting for the body, has been for this long, and has received this many bytes.
        case receivingBody(Duration, bytes: Int)
        /// The response was sent bypassing the library, and the server is waiting for the client to disconnect.
        case lingering(Duration)
        case busy
        /// The client was refused bypassing the library, which must no longer send its own response.
        case refused
    }

    private struct State {
        var phase = Phase.awaitingRequest(.zero)
        var hadRequest = false
        var exchange: HTTPExchange?

        /// Enters a phase; returns false if the client was refused, after which there are no further phases.
        mutating func enter(_ next: Phase) -> Bool {
            if case .refused = phase { return false }
            phase = next
            return true
        }
    }

    let socket: Int32
    let peerAddress: String
    private let state = Mutex(State())
    private let isReadToItsEnd = Atomic(false)

    init(socket: Int32, peerAddress: String) {
        self.socket = socket
        self.peerAddress = peerAddress
    }

    var exchange: HTTPExchange? { state.withLock { $0.exchange } }

    static func == (left: ServedConnection, right: ServedConnection) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    // MARK: Phases

    /// Begins an exchange; returns false if the client was refused just before.
    func begin(_ exchange: HTTPExchange) -> Bool {
        state.withLock { state in
            (state.hadRequest, state.exchange) = (true, exchange)
            return state.enter(.busy)
        }
    }

    func end() {
        state.withLock { state in
            state.exchange = nil
            _ = state.enter(.awaitingRequest(.zero))
        }
    }

    func receiveBody() {
        state.withLock { _ = $0.enter(.receivingBody(.zero, bytes: 0)) }
    }

    func received(_ count: Int) {
        state.withLock { state in
            guard case .receivingBody(let time, let bytes) = state.phase else { return }
            state.phase = .receivingBody(time, bytes: bytes + count)
        }
    }

    /// Ends the wait for the body; returns false if the client was refused just before, so no response may follow.
    @discardableResult
    func bodyReceived() -> Bool { state.withLock { $0.enter(.busy) } }

    /// Sends a response, bypassing the library, and waits for the client to disconnect; returns false if the client was
    /// refused just before.
    func linger(after words: [UInt8]) -> Bool {
        state.withLock { state in
            guard state.enter(.lingering(.zero)) else { return false }
            sendLastWords(words)
            return true
        }
    }

    /// Sends a refusal, bypassing the library, unless the client's late bytes have arrived in the meantime.
    fileprivate func refuse(with words: [UInt8]?) -> Bool {
        state.withLock { state in
            switch state.phase {
            case .awaitingRequest, .receivingBody: break
            case .lingering, .busy, .refused: return false
            }
            state.phase = .refused
            if let words { sendLastWords(words) }
            return true
        }
    }

    // MARK: Deadlines

    enum Verdict {
        case kept
        /// The connection must be closed without a response.
        case closed
        /// The client was too slow, and may get a response that reports this.
        case late(String)
    }

    /// Counts the time since the last tick.
    ///
    /// The library can miss a client that sends half a request and closes immediately: with its edge-triggered polling,
    /// it waits after a short read for another edge, which never comes. This function therefore also checks for clients
    /// that have disconnected.
    func tick(_ interval: Duration, _ limits: ServerLimits) -> Verdict {
        // While the server itself is slow, time does not count against the client.
        let isParked = exchange?.isSuspended ?? false
        return state.withLock { state in
            switch state.phase {
            case .awaitingRequest(let time):
                state.phase = .awaitingRequest(time + interval)
                if time > .zero, clientHasLeft { return .closed }
                // Between requests, a connection may be idle up to the library's own limit.
                if state.hadRequest { return time >= max(limits.idle, limits.headerDeadline) ? .closed : .kept }
                return time >= limits.headerDeadline ? .late("the head of the request arrived too slowly") : .kept
            case .receivingBody(let time, let bytes):
                guard !isParked else { return .kept }
                state.phase = .receivingBody(time + interval, bytes: bytes)
                if time > .zero, clientHasLeft { return .closed }
                let allowed = limits.headerDeadline + .milliseconds(bytes * 1_000 / max(1, limits.bodyRate))
                return time >= allowed ? .late("the body arrived too slowly") : .kept
            case .lingering(let time):
                state.phase = .lingering(time + interval)
                return time >= limits.headerDeadline || clientHasLeft ? .closed : .kept
            case .busy, .refused:
                return .kept
            }
        }
    }

    var clientHasLeft: Bool { http_peer_has_left(socket, isReadToItsEnd.load(ordering: .sequentiallyConsistent)) }

    // MARK: The socket

    /// Sends bytes if the socket accepts them immediately, and closes the sending direction.
    ///
    /// This is only for connections without TLS on which no response has begun: the library can send a response only at
    /// two points, and a body that is too long or too slow reaches neither of them.
    private func sendLastWords(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes {
            Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        Glibc.shutdown(socket, Int32(SHUT_WR))
    }

    /// Stops reading after the bytes that have already arrived: an idle connection closes, but a request that has just
    /// begun still gets its response.
    fileprivate func endReading() {
        isReadToItsEnd.store(true, ordering: .sequentiallyConsistent)
        Glibc.shutdown(socket, Int32(SHUT_RD))
    }

    fileprivate func hangUp() {
        Glibc.shutdown(socket, Int32(SHUT_RDWR))
    }
}

// MARK: - The table

/// All open connections, and the thread that monitors them.
final class ConnectionTable: Sendable {
    private struct State {
        var connections: Set<ServedConnection> = []
        var isStopped = false
    }

    // This lock is taken in callbacks of the library, so code that holds it must not acquire an exchange's lock.
    private let state = Mutex(State())
    private let draining = Atomic(false)
    private let closing = Atomic(false)

    var isDraining: Bool { draining.load(ordering: .sequentiallyConsistent) }
    /// Whether exchanges are no longer allowed to wait.
    var isClosing: Bool { closing.load(ordering: .sequentiallyConsistent) }
    var count: Int { state.withLock { $0.connections.count } }
    var exchanges: [HTTPExchange] { state.withLock { Array($0.connections) }.compactMap(\.exchange) }

    func insert(_ connection: ServedConnection) {
        state.withLock { _ = $0.connections.insert(connection) }
    }

    /// Removes a connection; the library closes its socket only afterward, so all sockets in the table are open while
    /// the lock is held.
    func remove(_ connection: ServedConnection) {
        state.withLock { _ = $0.connections.remove(connection) }
    }

    // MARK: Ending

    /// Ends endless streams and idle connections; new responses will have `Connection: close`.
    func drain() {
        draining.store(true, ordering: .sequentiallyConsistent)
        state.withLock { state in
            for connection in state.connections where connection.exchange == nil { connection.endReading() }
        }
        for exchange in exchanges { exchange.endStream() }
    }

    /// Aborts all current and future exchanges; returns the number of current ones.
    func abandonAll() -> Int {
        closing.store(true, ordering: .sequentiallyConsistent)
        let rest = exchanges
        for exchange in rest { exchange.abandon() }
        return rest.count
    }

    // MARK: Watching

    /// Starts a thread that closes connections that have exceeded their time; `answer` returns the response for a
    /// client that was too slow, or nil if nothing can be sent.
    func startWatching(_ limits: ServerLimits, answer: @escaping @Sendable (HTTPExchange?, String) -> [UInt8]?) {
        let shortest = min(limits.headerDeadline, limits.idle)
        let interval = max(.milliseconds(50), min(.seconds(1), shortest / 4))
        let parts = interval.components
        let pause = timespec(tv_sec: Int(parts.seconds), tv_nsec: Int(parts.attoseconds / 1_000_000_000))
        startThread { [self] in
            while !state.withLock({ $0.isStopped }) {
                var rest = pause
                nanosleep(&rest, nil)
                enforce(limits, interval, answer)
            }
        }
    }

    func stopWatching() {
        state.withLock { $0.isStopped = true }
    }

    /// Closes connections that have exceeded their time, and resumes suspended ones whose client has disconnected: the
    /// library does not monitor the socket of a suspended connection.
    private func enforce(
        _ limits: ServerLimits,
        _ interval: Duration,
        _ answer: (HTTPExchange?, String) -> [UInt8]?
    ) {
        var gone: [ServedConnection] = []
        var late: [(connection: ServedConnection, words: [UInt8]?)] = []
        for connection in state.withLock({ $0.connections }) {
            switch connection.tick(interval, limits) {
            case .kept: continue
            case .closed: gone.append(connection)
            case .late(let message): late.append((connection, answer(connection.exchange, message)))
            }
        }
        let left = state.withLock { state in
            for connection in gone where state.connections.contains(connection) { connection.hangUp() }
            for (connection, words) in late
            where state.connections.contains(connection) && connection.refuse(with: words) { connection.hangUp() }
            return state.connections.filter(\.clientHasLeft)
        }
        for connection in left { connection.exchange?.abandonIfParked() }
    }
}

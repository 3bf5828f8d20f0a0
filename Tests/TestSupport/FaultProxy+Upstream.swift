import Dispatch
import Glibc
import Synchronization
import Threads

extension FaultProxy {
    /// Sends the request to the server, once, and reads its reply.
    func ask(_ exchange: inout Exchange) -> ProxiedReply? {
        guard deliver(&exchange), let reply = exchange.server?.reply(to: exchange.request) else {
            hangUp(&exchange)
            return nil
        }
        change(exchange.number) { $0.serverStatus = reply.status }
        if reply.closes { hangUp(&exchange) }
        return reply
    }

    /// Sends the request, or so many bytes of it and then a reset.
    @discardableResult
    func deliver(_ exchange: inout Exchange, upTo limit: Int = .max) -> Bool {
        if exchange.server == nil, let socket = try? Socket.connected(to: upstream) {
            track(socket)
            exchange.server = FaultStream(socket)
        }
        guard let server = exchange.server else { return false }
        let bytes = exchange.request.bytes
        let isWhole = limit >= bytes.count
        // Before it is sent: the server may act on it before this thread runs again.
        change(exchange.number) { $0.seen = isWhole ? .whole : limit > 0 ? .part : .nothing }
        let isSent = server.socket.send(bytes.prefix(limit))
        if !isWhole {
            server.socket.resetOnClose()
            hangUp(&exchange)
        }
        return isSent
    }

    /// Sends the request on a connection of its own when its client is long gone.
    ///
    /// Whatever held the client's socket here would keep it open.
    func deliverLate(_ request: ProxiedRequest, _ number: Int, after pause: Duration) {
        startThread { [self] in
            var late = Exchange(number: number, request: request)
            sleep(for: pause)
            _ = ask(&late)
            hangUp(&late)
            change(number) { $0.isOver = true }
        }
    }

    private func hangUp(_ exchange: inout Exchange) {
        if let server = exchange.server { untrack(server.socket) }
        exchange.server = nil
    }

    /// Gives up this reply for that of another request.
    ///
    /// The first of two waits for the second.
    func swap(_ reply: ProxiedReply) -> ProxiedReply {
        let (own, other) = state.withLock { state in
            if let other = state.waitingForSwap {
                state.waitingForSwap = nil
                return (ReplySwap?.none, other.exchange(for: reply))
            }
            let own = ReplySwap(reply)
            state.waitingForSwap = own
            if state.isStopped { own.other.signal() }
            return (own, reply)
        }
        guard let own else { return other }
        _ = own.other.wait(timeout: .now() + .seconds(5))
        return state.withLock { state in
            if state.waitingForSwap === own { state.waitingForSwap = nil }
            return own.reply
        }
    }

    func change(_ number: Int, _ body: (inout Record) -> Void) {
        state.withLock { body(&$0.records[number]) }
    }

    /// Pauses this thread; in steps, so that `stop` is heard.
    func sleep(for pause: Duration) {
        let end = ContinuousClock.now + pause
        while ContinuousClock.now < end, !state.withLock(\.isStopped) {
            usleep(UInt32(min(max(0, (end - .now) / .microseconds(1)), 5_000)))
        }
    }
}

/// A reply that waits to be given away for another.
final class ReplySwap: Sendable {
    private let content: Mutex<ProxiedReply>
    let other = DispatchSemaphore(value: 0)

    init(_ reply: ProxiedReply) { content = Mutex(reply) }

    var reply: ProxiedReply { content.withLock { $0 } }

    func exchange(for theirs: ProxiedReply) -> ProxiedReply {
        defer { other.signal() }
        return content.withLock { content in
            defer { content = theirs }
            return content
        }
    }
}

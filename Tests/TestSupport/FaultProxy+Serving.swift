import Synchronization
import Threads

extension FaultProxy {
    /// How a connection goes on after a request.
    private enum Continuation { case kept, closed, reset }

    /// Serves one client until one of them has had enough.
    func serve(_ client: Socket) {
        var requests = FaultStream(client)
        var server: FaultStream?
        var continuation = Continuation.kept
        while continuation == .kept, let request = requests.request() {
            let (number, fault) = begin(request)
            var exchange = Exchange(number: number, request: request, server: server)
            continuation = carry(&exchange, to: client, fault)
            server = exchange.server
            if case .deliverLate = fault { continue }
            change(number) { $0.isOver = true }
        }
        if let server { untrack(server.socket) }
        if continuation == .reset { client.resetOnClose() } else { client.shutDown() }
    }

    private func begin(_ request: ProxiedRequest) -> (number: Int, fault: Fault) {
        state.withLock { state in
            var fault = Fault.pass
            if state.plan.filter.matches(request) {
                fault = state.plan.fault(state.matched)
                state.matched += 1
            }
            state.records.append(Record(method: request.method, target: request.target, fault: fault.name))
            return (state.records.count - 1, fault)
        }
    }

    private func carry(_ exchange: inout Exchange, to client: Socket, _ fault: Fault) -> Continuation {
        switch fault {
        case .resetBeforeServer: return .reset
        case .resetWithinRequest(let count):
            deliver(&exchange, upTo: count)
            return .reset
        case .deliverLate(let pause):
            deliverLate(exchange.request, exchange.number, after: pause)
            return .reset
        case .delayRequest(let pause):
            sleep(for: pause)
        case .answer(let reply): return pass(reply, in: exchange, to: client)
        case .raw(let bytes):
            client.send(bytes)
            return .closed
        default: break
        }
        guard let reply = ask(&exchange) else { return .reset }
        return pass(reply, in: exchange, to: client, fault)
    }

    /// The reply reaches the client as the fault wants it.
    private func pass(_ reply: ProxiedReply, in exchange: Exchange, to client: Socket, _ fault: Fault) -> Continuation {
        switch fault {
        case .resetAfterServer: return .reset
        case .stallReply(let pause):
            sleep(for: pause)
            return pass(reply, in: exchange, to: client)
        case .truncateReply(let count):
            return pass(reply, in: exchange, to: client, upTo: count) == .reset ? .reset : .closed
        case .breakReply(let count):
            _ = pass(reply, in: exchange, to: client, upTo: count)
            return .reset
        case .dripReply(let size, let pause): return drip(reply, in: exchange, to: client, size: size, every: pause)
        case .edit(let edit):
            var edited = reply
            edit.apply(&edited)
            return pass(edited, in: exchange, to: client)
        case .swapReplies: return pass(swap(reply), in: exchange, to: client)
        case .answerAfterServer(let other): return pass(other, in: exchange, to: client)
        default: return pass(reply, in: exchange, to: client)
        }
    }

    private func pass(
        _ reply: ProxiedReply,
        in exchange: Exchange,
        to client: Socket,
        upTo limit: Int = .max
    ) -> Continuation {
        let (head, body) = reply.bytes(to: exchange.request)
        let bytes = head + body.prefix(limit)
        guard client.send(bytes) else { return .reset }
        change(exchange.number) { $0.replyBytes += bytes.count }
        return reply.closes ? .closed : .kept
    }

    private func drip(
        _ reply: ProxiedReply,
        in exchange: Exchange,
        to client: Socket,
        size: Int,
        every pause: Duration
    ) -> Continuation {
        let (head, body) = reply.bytes(to: exchange.request)
        var rest = (head + body)[...]
        while !rest.isEmpty {
            guard client.send(rest.prefix(size)), !state.withLock(\.isStopped) else { return .reset }
            change(exchange.number) { $0.replyBytes += rest.prefix(size).count }
            rest = rest.dropFirst(size)
            sleep(for: pause)
        }
        return .kept
    }
}

/// A request between its two sides.
struct Exchange {
    let number: Int
    let request: ProxiedRequest
    /// Kept for the client's next request.
    var server: FaultStream?
}

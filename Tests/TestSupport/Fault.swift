/// What the proxy does to one request.
///
/// The first word on each is what the *server* saw: that decides what the outcome has to be.
public enum Fault: Sendable {
    /// Seen and answered: passes everything on.
    case pass

    /// Unseen: the request is read whole, and the connection reset.
    case resetBeforeServer
    /// Seen in part: this many bytes, of the head and then of the body, before both connections are reset.
    case resetWithinRequest(after: Int)
    /// Seen later: the client's connection is reset at once, and the request goes to the server after the pause.
    case deliverLate(after: Duration)
    /// Seen later: the request goes to the server after the pause, also when the client no longer waits.
    case delayRequest(Duration)

    /// Seen and answered: the connection is reset, and nothing of the reply passed on.
    case resetAfterServer
    /// Seen and answered: the reply is kept for this long.
    case stallReply(Duration)
    /// Seen and answered: so many bytes of the reply's body, then the connection ends in good order.
    case truncateReply(after: Int)
    /// Seen and answered: so many bytes of the reply's body, then the connection is reset.
    case breakReply(after: Int)
    /// Seen and answered: the reply comes in pieces of `bytes`, with a pause after each.
    case dripReply(bytes: Int, every: Duration)
    /// Seen and answered: another reply, made from the server's.
    case edit(ReplyEdit)
    /// Seen and answered: the reply of the next request with this fault, which gets this one's; its own after 5 seconds.
    case swapReplies

    /// Unseen: somebody else's answer.
    case answer(ProxiedReply)
    /// Seen and answered: somebody else's answer in place of the server's.
    case answerAfterServer(ProxiedReply)
    /// Unseen: exactly these bytes, then the connection ends.
    case raw([UInt8])

    /// The word for it in records and in the names of tests.
    public var name: String {
        switch self {
        case .pass: "pass"
        case .resetBeforeServer: "resetBeforeServer"
        case .resetWithinRequest: "resetWithinRequest"
        case .deliverLate: "deliverLate"
        case .delayRequest: "delayRequest"
        case .resetAfterServer: "resetAfterServer"
        case .stallReply: "stallReply"
        case .truncateReply: "truncateReply"
        case .breakReply: "breakReply"
        case .dripReply: "dripReply"
        case .edit(let edit): edit.name
        case .swapReplies: "swapReplies"
        case .answer(let reply): "answer \(reply.status)"
        case .answerAfterServer(let reply): "answer \(reply.status) afterServer"
        case .raw: "raw"
        }
    }
}

extension Fault: CustomStringConvertible {
    public var description: String { name }
}

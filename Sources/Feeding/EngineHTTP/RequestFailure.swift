public import HTTPClient

/// A failed request: what stands in place of a result, before its meaning for the caller is decided.
public enum RequestFailure: Error, Sendable {
    /// No whole reply.
    case noReply(NoReply)
    /// An unsuccessful reply and the engine's error in it; `nil` if nothing in it is the engine's own.
    case refused(EngineReply, ErrorReply?)
    /// A successful reply that can't be understood: not JSON, the wrong number of items, items for other documents.
    case unreadable(EngineReply, String)

    /// The status of a refusal.
    public var status: Int? {
        if case .refused(let reply, _) = self { reply.status } else { nil }
    }

    /// The engine's own error in a refusal.
    public var errorReply: ErrorReply? {
        if case .refused(_, let error) = self { error } else { nil }
    }

    /// The engine's reason for a refusal, fit to show: ``ErrorReply/reason`` may quote our own secrets.
    package var shownReason: String? {
        if case .refused(let reply, let error?) = self { reply.cleaned(error.reason) } else { nil }
    }

    /// Whether a request that was sent got no whole reply: it took too long, or the reply was too large.
    public var isReplyLost: Bool {
        if case .noReply(let failure) = self { !failure.isNotSent } else { false }
    }
}

/// The reason why there is no whole reply.
public struct NoReply: Error, Sendable {
    public let node: NodeAddress
    public let cause: HTTPFailure

    /// Whether nothing of the request has left this process.
    public var isNotSent: Bool { cause.delivery == .notSent }

    public init(node: NodeAddress, cause: HTTPFailure) {
        self.node = node
        self.cause = cause
    }
}

extension NoReply: CustomStringConvertible {
    public var description: String { "\(node): \(cause.message)" }
}

/// An engine's own error in the body of an unsuccessful reply.
///
/// Only a body recognized as the engine's own yields one: a proxy's page is not the engine's word.
public struct ErrorReply: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// Too much at once; try later.
        case throttled
        /// No writes until someone acts: a full disk, a block on the collection.
        case blocked
        /// The collection is closed: neither writes nor searches until someone opens it.
        case closed
        case missingCollection
        /// A request larger than the engine accepts.
        case tooLarge
        /// A request that is partly unreadable, and fails as a whole because of that.
        case malformed
        case conflict
        case forbidden
        case other

        /// Classifies by status alone, if the engine's own name for the failure is unknown.
        public init(status: Int) {
            self =
                switch status {
                case 400: .malformed
                case 401, 403: .forbidden
                case 409: .conflict
                case 413: .tooLarge
                case 429: .throttled
                default: .other
                }
        }
    }

    public let kind: Kind
    /// The engine's own name for the failure, such as `index_not_found_exception`.
    public let type: String
    /// The engine's own words, at most ``maximumReasonLength`` characters of them and an ellipsis.
    ///
    /// They may quote the request, with our secrets: what is shown goes through ``EngineReply/cleaned(_:)``.
    public let reason: String

    /// The longest reason to pass on, in characters; some errors quote a whole document.
    public static let maximumReasonLength = 500

    public init(_ kind: Kind, type: String, reason: String) {
        self.kind = kind
        self.type = type
        let start = reason.prefix(Self.maximumReasonLength)
        self.reason = start.endIndex == reason.endIndex ? reason : start + "…"
    }
}

import ContentFeeding
import HTTPClient

extension FailureRow {
    /// There is no whole reply.
    ///
    /// What was not sent is definite, whatever the reason; what may have been sent is ambiguous. Only what would fail
    /// at every further attempt stops the job.
    init(_ failure: EngineFailure) {
        let node = failure.node
        let words = ReplyExcerpt.short(failure.cause.message)
        let unclear: BatchFailure.Kind = failure.isNotSent ? .definite(isCharged: false) : .ambiguous
        switch failure.cause.reason {
        case .cancelled, .transportClosed:
            self.init(
                kind: unclear,
                code: .cancelled,
                what: "the request to \(node) was cancelled",
                advice: "run it again"
            )
        case .invalidRequest:
            self.init(stop: .unusable, "no request can be made for \(node)", FailureAdvice.address)
        case .hostNotFound:
            self.init(
                kind: unclear,
                code: .unreachable,
                what: "no host is found for \(node)",
                advice: FailureAdvice.name
            )
        case .connectionRefused:
            self.init(
                kind: unclear,
                code: .unreachable,
                what: "there is no connection to \(node)",
                advice: FailureAdvice.running
            )
        case .proxyRefused(let status):
            self.init(
                kind: unclear,
                code: .unreachable,
                what: "the proxy refused the connection to \(node) (\(status)): \(words)",
                advice: FailureAdvice.proxy
            )
        case .certificateRefused:
            self.init(
                stop: .unusable,
                "the certificate of \(node) is not trusted: \(words)",
                FailureAdvice.certificate(words)
            )
        case .pinMismatch:
            self.init(stop: .unusable, "the key of \(node) is not the one that is pinned", FailureAdvice.pin)
        case .unusableCertificateFile:
            self.init(stop: .unusable, "TLS with \(node) lacks a file: \(words)", FailureAdvice.certificateFiles)
        case .tlsFailed:
            self.init(
                kind: unclear,
                code: .unreachable,
                what: "there is no TLS with \(node): \(words)",
                advice: failure.isNotSent ? FailureAdvice.https : FailureAdvice.clientCertificate
            )
        case .connectionLost:
            self.init(
                kind: unclear,
                code: .unreachable,
                what: "the connection to \(node) was lost before the whole reply",
                advice: failure.mayLackTLS ? FailureAdvice.plainText : FailureAdvice.log
            )
        case .timedOut:
            let what = failure.isNotSent ? "there was no connection to" : "there was no whole reply from"
            self.init(
                kind: unclear,
                code: .unreachable,
                what: "\(what) \(node) within the time limit",
                advice: failure.isNotSent ? FailureAdvice.running : FailureAdvice.time
            )
        case .responseTooLarge:
            self.init(
                kind: unclear,
                code: .unusable,
                what: "the reply of \(node) is larger than allowed",
                advice: FailureAdvice.less
            )
        case .malformedResponse:
            self.init(
                kind: unclear,
                code: .unusable,
                what: "what \(node) says is not HTTP, or not all of it: \(words)",
                advice: FailureAdvice.rightTarget
            )
        case .other:
            self.init(
                kind: unclear,
                code: .unreachable,
                what: "the request to \(node) failed: \(words)",
                advice: FailureAdvice.log
            )
        }
    }

    /// Nothing further will succeed before somebody has changed something.
    init(stop code: EngineError.Code, _ what: String, _ advice: String) {
        self.init(kind: .stop(code), code: code, what: what, advice: advice, disposition: .operatorAction)
    }
}

extension EngineFailure {
    /// Whether it is as when a port that wants TLS is spoken to without: it hangs up, and says not a word.
    fileprivate var mayLackTLS: Bool { node.scheme == .http && !isNotSent && cause.status == nil }
}

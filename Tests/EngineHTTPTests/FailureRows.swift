import ContentFeeding
import EngineHTTP
import HTTPClient
import Testing

/// What the table of failures must say: the rows without a whole reply.
enum FailureRows {
    static let all = unsentRows + sentRows + tlsRows + stopRows + otherRows

    static let node = NodeAddress(scheme: .https, host: "es1", port: 9200)

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let trouble: EngineTrouble
        let kind: BatchFailure.Kind
        let code: EngineError.Code
        let words: [String]
        var disposition = DocumentFailure.Disposition.retryable
        var testDescription: String { name }
    }

    static func unsent(_ reason: HTTPFailure.Reason, _ words: String = "words") -> EngineTrouble {
        .noReply(EngineFailure(node: node, cause: HTTPFailure(reason, .notSent, words)))
    }

    static func sent(_ reason: HTTPFailure.Reason, _ words: String = "words") -> EngineTrouble {
        .noReply(EngineFailure(node: node, cause: HTTPFailure(reason, .maybeSent, words)))
    }

    static let definite = BatchFailure.Kind.definite(isCharged: false)

    static let unsentRows = [
        Row(
            name: "host not found",
            trouble: unsent(.hostNotFound),
            kind: definite,
            code: .unreachable,
            words: ["no host", "name"]
        ),
        Row(
            name: "connection refused",
            trouble: unsent(.connectionRefused),
            kind: definite,
            code: .unreachable,
            words: ["no connection to https://es1:9200", "runs"]
        ),
        Row(
            name: "connect time-out",
            trouble: unsent(.timedOut),
            kind: definite,
            code: .unreachable,
            words: ["no connection", "time limit"]
        ),
        Row(
            name: "connection lost before sending",
            trouble: unsent(.connectionLost),
            kind: definite,
            code: .unreachable,
            words: ["lost"]
        ),
        Row(
            name: "proxy refused",
            trouble: unsent(.proxyRefused(status: 407)),
            kind: definite,
            code: .unreachable,
            words: ["proxy", "407", "--proxy", "no_proxy"]
        ),
        Row(
            name: "no TLS",
            trouble: unsent(.tlsFailed),
            kind: definite,
            code: .unreachable,
            words: ["no TLS", "http://"]
        ),
        Row(
            name: "cancelled in time",
            trouble: unsent(.cancelled),
            kind: definite,
            code: .cancelled,
            words: ["cancelled"]
        ),
        Row(
            name: "closed in time",
            trouble: unsent(.transportClosed),
            kind: definite,
            code: .cancelled,
            words: ["cancelled"]
        ),
        Row(
            name: "unknown code, unsent",
            trouble: unsent(.other(code: 99)),
            kind: definite,
            code: .unreachable,
            words: ["failed"]
        ),
    ]

    static let sentRows = [
        Row(
            name: "connection lost",
            trouble: sent(.connectionLost),
            kind: .ambiguous,
            code: .unreachable,
            words: ["lost"]
        ),
        Row(
            name: "no reply in time",
            trouble: sent(.timedOut),
            kind: .ambiguous,
            code: .unreachable,
            words: ["--request-timeout"]
        ),
        Row(
            name: "reply too large",
            trouble: sent(.responseTooLarge),
            kind: .ambiguous,
            code: .unusable,
            words: ["larger"]
        ),
        Row(
            name: "no HTTP",
            trouble: sent(.malformedResponse),
            kind: .ambiguous,
            code: .unusable,
            words: ["not HTTP", "right kind of target"]
        ),
        Row(
            name: "TLS alert after sending",
            trouble: sent(.tlsFailed),
            kind: .ambiguous,
            code: .unreachable,
            words: ["--client-cert"]
        ),
        Row(
            name: "cancelled too late",
            trouble: sent(.cancelled),
            kind: .ambiguous,
            code: .cancelled,
            words: ["cancelled"]
        ),
        Row(
            name: "unknown code, sent",
            trouble: sent(.other(code: 99)),
            kind: .ambiguous,
            code: .unreachable,
            words: ["failed"]
        ),
        Row(
            name: "success that can't be read",
            trouble: .unreadable(EngineReply(status: 200, from: node), "3 items for 4 operations"),
            kind: .ambiguous,
            code: .unusable,
            words: ["can't be understood", "3 items for 4", "right kind of target"]
        ),
    ]

    static func stop(
        _ name: String,
        _ trouble: EngineTrouble,
        _ code: EngineError.Code,
        _ words: String...
    ) -> Row {
        Row(name: name, trouble: trouble, kind: .stop(code), code: code, words: words, disposition: .operatorAction)
    }

    static let tlsRows = [
        stop(
            "unknown authority",
            unsent(.certificateRefused, "self-signed certificate"),
            .unusable,
            "self-signed",
            "--ca-file"
        ),
        stop(
            "expired",
            unsent(.certificateRefused, "certificate has expired"),
            .unusable,
            "expired",
            "new certificate"
        ),
        stop("not yet valid", unsent(.certificateRefused, "certificate is not yet valid"), .unusable, "clocks"),
        stop(
            "other host",
            unsent(.certificateRefused, "no alternative certificate subject name matches"),
            .unusable,
            "use the name"
        ),
        stop("other key", unsent(.pinMismatch), .unusable, "pinned", "--pin"),
        stop("certificate file", unsent(.unusableCertificateFile, "error setting /x"), .unusable, "/x", "--ca-file"),
        stop("bad address", unsent(.invalidRequest), .unusable, "address"),
    ]
}

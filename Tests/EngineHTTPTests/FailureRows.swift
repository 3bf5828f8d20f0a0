import ContentFeeding
import EngineHTTP
import HTTPClient
import Testing

/// The expected table of failures: the rows without a complete reply.
enum FailureRows {
    static let all = unsentRows + sentRows + tlsRows + stopRows + otherRows

    static let node = NodeAddress(scheme: .https, host: "es1", port: 9200)

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let failure: RequestFailure
        let kind: BatchFailure.Kind
        let code: EngineError.Code
        let words: [String]
        var disposition = DocumentFailure.Disposition.retryable
        var testDescription: String { name }
    }

    static func unsent(_ reason: HTTPFailure.Reason, _ words: String = "words") -> RequestFailure {
        .noReply(NoReply(node: node, cause: HTTPFailure(reason, .notSent, words)))
    }

    static func sent(_ reason: HTTPFailure.Reason, _ words: String = "words") -> RequestFailure {
        .noReply(NoReply(node: node, cause: HTTPFailure(reason, .maybeSent, words)))
    }

    static let definite = BatchFailure.Kind.definite(isCharged: false)

    static let unsentRows = [
        Row(
            name: "host not found",
            failure: unsent(.hostNotFound),
            kind: definite,
            code: .unreachable,
            words: ["host of https://es1:9200 was not found", "name"]
        ),
        Row(
            name: "connection refused",
            failure: unsent(.connectionRefused),
            kind: definite,
            code: .unreachable,
            words: ["can't connect to https://es1:9200", "running"]
        ),
        Row(
            name: "connect time-out",
            failure: unsent(.timedOut),
            kind: definite,
            code: .unreachable,
            words: ["could not connect", "time limit"]
        ),
        Row(
            name: "connection lost before sending",
            failure: unsent(.connectionLost),
            kind: definite,
            code: .unreachable,
            words: ["lost"]
        ),
        Row(
            name: "proxy refused",
            failure: unsent(.proxyRefused(status: 407)),
            kind: definite,
            code: .unreachable,
            words: ["proxy", "407", "--proxy", "no_proxy"]
        ),
        Row(
            name: "no TLS",
            failure: unsent(.tlsFailed),
            kind: definite,
            code: .unreachable,
            words: ["TLS with https://es1:9200 failed", "+http://"]
        ),
        Row(
            name: "canceled in time",
            failure: unsent(.cancelled),
            kind: definite,
            code: .cancelled,
            words: ["canceled"]
        ),
        Row(
            name: "closed in time",
            failure: unsent(.transportClosed),
            kind: definite,
            code: .cancelled,
            words: ["canceled"]
        ),
        Row(
            name: "unknown code, unsent",
            failure: unsent(.other(code: 99)),
            kind: definite,
            code: .unreachable,
            words: ["failed"]
        ),
    ]

    static let sentRows = [
        Row(
            name: "connection lost",
            failure: sent(.connectionLost),
            kind: .ambiguous,
            code: .unreachable,
            words: ["lost"]
        ),
        Row(
            name: "no reply in time",
            failure: sent(.timedOut),
            kind: .ambiguous,
            code: .unreachable,
            words: ["--request-timeout"]
        ),
        Row(
            name: "reply too large",
            failure: sent(.responseTooLarge),
            kind: .ambiguous,
            code: .unusable,
            words: ["larger"]
        ),
        Row(
            name: "no HTTP",
            failure: sent(.malformedResponse),
            kind: .ambiguous,
            code: .unusable,
            words: ["not HTTP", "right kind of target"]
        ),
        Row(
            name: "TLS alert after sending",
            failure: sent(.tlsFailed),
            kind: .ambiguous,
            code: .unreachable,
            words: ["--client-cert"]
        ),
        Row(
            name: "canceled too late",
            failure: sent(.cancelled),
            kind: .ambiguous,
            code: .cancelled,
            words: ["canceled"]
        ),
        Row(
            name: "unknown code, sent",
            failure: sent(.other(code: 99)),
            kind: .ambiguous,
            code: .unreachable,
            words: ["failed"]
        ),
        Row(
            name: "success that can't be read",
            failure: .unreadable(EngineReply(status: 200, from: node), "3 items for 4 operations"),
            kind: .ambiguous,
            code: .unusable,
            words: ["can't be understood", "3 items for 4", "right kind of target"]
        ),
    ]

    static func stop(_ name: String, _ failure: RequestFailure, _ code: EngineError.Code, _ words: String...) -> Row {
        Row(name: name, failure: failure, kind: .stop(code), code: code, words: words, disposition: .operatorAction)
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

/// The rows with an unsuccessful reply.
extension FailureRows {
    static let file = CredentialSource.file(path: "/etc/secret")

    static func refused(
        _ status: Int,
        _ error: ErrorReply.Kind? = nil,
        body: String = "",
        mediaType: String = "",
        retryAfter: Duration? = nil,
        location: String? = nil,
        credentials: CredentialSource? = nil
    ) -> RequestFailure {
        let reply = EngineReply(
            status: status,
            body: Array(body.utf8),
            from: node,
            mediaType: mediaType,
            retryAfter: retryAfter,
            location: location,
            credentials: credentials
        )
        return .refused(reply, error.map { ErrorReply($0, type: "some_exception", reason: "its words") })
    }

    static let page = "<html><head><title>502 Bad Gateway</title></head></html>"

    static let stopRows = [
        stop(
            "401 without credentials",
            refused(401),
            .permission,
            "requires credentials",
            "--credentials-file",
            "user:password"
        ),
        stop(
            "401 with credentials",
            refused(401, .forbidden, credentials: file),
            .permission,
            "refused the credentials from the file '/etc/secret'",
            "its words",
            "put the correct credentials"
        ),
        stop(
            "403 without credentials",
            refused(403, .forbidden),
            .permission,
            "without credentials",
            "--credentials-file"
        ),
        stop(
            "403 with credentials",
            refused(403, .forbidden, credentials: file),
            .permission,
            "'/etc/secret' don't allow this",
            "its words"
        ),
        stop("403 of a proxy", refused(403, body: "<html>no", mediaType: "text/html"), .permission, "a web page: 'no'"),
        stop(
            "missing collection",
            refused(404, .missingCollection),
            .missingCollection,
            "its words",
            "collections list"
        ),
        stop(
            "404 that is not the engine's",
            refused(404, body: page),
            .unusable,
            "'502 Bad Gateway'",
            "right kind of target"
        ),
        stop("404 without a body", refused(404), .unusable, "an empty reply", "right kind of target"),
        stop("404 of another kind", refused(404, .other), .unusable, "its words", "right kind of target"),
        stop("400 that is not the engine's", refused(400, body: "no"), .unusable, "'no'", "right kind of target"),
        stop("405", refused(405, .other), .unusable, "right kind of target"),
        stop("407", refused(407), .unusable, "407", "--proxy"),
        stop("409 that is not the engine's", refused(409), .unusable, "right kind of target"),
        stop("418", refused(418), .unusable, "418", "right kind of target"),
        stop("501", refused(501), .unusable, "right kind of target"),
        stop("505", refused(505), .unusable, "right kind of target"),
        stop("511", refused(511, body: page), .unusable, "right kind of target"),
        stop(
            "redirect to a path",
            refused(301, location: "/login"),
            .missingTarget,
            "to another path: /login",
            "not followed"
        ),
        stop(
            "redirect to the same server",
            refused(302, location: "https://es1:9200/login"),
            .missingTarget,
            "to another path"
        ),
        stop(
            "redirect elsewhere",
            refused(307, location: "https://evil.example/"),
            .missingTarget,
            "another server, to which nothing was sent: https://evil.example/"
        ),
        stop(
            "redirect to a longer name",
            refused(307, location: "https://es1:92000/"),
            .missingTarget,
            "another server"
        ),
        stop("redirect without a place", refused(308), .missingTarget, "without a location"),
    ]

    static func slow(_ name: String, _ failure: RequestFailure, _ pause: Duration, _ words: String...) -> Row {
        Row(name: name, failure: failure, kind: .slowDown(pause), code: .unreachable, words: words)
    }

    static func blocked(_ name: String, _ failure: RequestFailure, _ pause: Duration, _ words: String...) -> Row {
        Row(
            name: name,
            failure: failure,
            kind: .slowDown(pause),
            code: .rejected,
            words: words,
            disposition: .operatorAction
        )
    }

    static func unclear(_ status: Int, _ failure: RequestFailure, _ words: String...) -> Row {
        Row(name: "\(status)", failure: failure, kind: .ambiguous, code: .unreachable, words: words + ["\(status)"])
    }

    static func split(_ status: Int, _ kind: ErrorReply.Kind) -> Row {
        Row(
            name: "\(status) \(kind)",
            failure: refused(status, kind),
            kind: .split(mayHaveApplied: true),
            code: .rejected,
            words: ["its words"],
            disposition: .permanent
        )
    }

    static func tooLarge(_ name: String, _ failure: RequestFailure) -> Row {
        Row(name: name, failure: failure, kind: .tooLarge, code: .rejected, words: ["request less"])
    }

    static let otherRows = [
        slow("429", refused(429, .throttled), .zero, "busy", "its words"),
        slow("429 of a proxy", refused(429, body: page), .zero, "busy"),
        slow("429 with a pause", refused(429, retryAfter: .seconds(7)), .seconds(7), "busy"),
        slow(
            "429 with a pause without end",
            refused(429, retryAfter: .seconds(Int(UInt32.max))),
            .seconds(300),
            "busy"
        ),
        slow("503 with a pause", refused(503, retryAfter: .seconds(7)), .seconds(7), "busy"),
        slow("throttled, whatever the status", refused(500, .throttled), .zero, "busy"),
        blocked("blocked", refused(403, .blocked), .seconds(30), "accepts no writes", "its words", "free space"),
        blocked("blocked, as 429", refused(429, .blocked), .seconds(30), "accepts no writes"),
        blocked(
            "blocked, with a longer pause",
            refused(429, .blocked, retryAfter: .seconds(60)),
            .seconds(60),
            "accepts no writes"
        ),
        blocked("507", refused(507), .seconds(30), "507", "free space"),
        unclear(408, refused(408)),
        unclear(500, refused(500, .other), "its words"),
        unclear(502, refused(502, body: page, mediaType: "text/html"), "a web page with the title '502 Bad Gateway'"),
        unclear(503, refused(503, .other), "its words"),
        unclear(504, refused(504, body: "upstream timed out"), "'upstream timed out'"),
        unclear(599, refused(599)),
        split(400, .malformed), split(400, .other), split(409, .conflict), split(422, .malformed),
        tooLarge("413", refused(413)), tooLarge("413 of the engine", refused(413, .tooLarge)),
        tooLarge("too large, as 400", refused(400, .tooLarge)),
        Row(
            name: "a success as a refusal",
            failure: refused(200),
            kind: .ambiguous,
            code: .unusable,
            words: ["right kind of target"]
        ),
    ]
}

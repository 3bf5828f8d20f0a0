package import ContentFeeding
package import HTTPClient
import TextKit

extension BatchFailure {
    /// Creates the failure of a batch without results.
    package init(_ failure: RequestFailure) {
        let row = FailureRow(failure)
        // A message is shown only if all retries fail, so every message must be complete on its own.
        let message = "\(row.what); \(row.advice)"
        let isOfEngine =
            switch row.kind {
            case .definite, .ambiguous: false
            default: true
            }
        let code: DocumentFailure.Code = isOfEngine ? .rejectedByEngine : .attemptsExhausted
        self.init(row.kind, DocumentFailure(code, message, disposition: row.disposition))
    }
}

extension EngineError {
    /// Creates the error of a request that is not a batch.
    package init(_ failure: RequestFailure) {
        let row = FailureRow(failure)
        self.init(row.code, row.what, advice: row.advice)
    }

    /// Returns the error with advice that names the rights that the request needs, if the credentials lack rights.
    package func needing(_ rights: String...) -> EngineError {
        guard code == .permission else { return self }
        let names = rights.map { "'\($0)'" }.joined(separator: " and ")
        let need = "the user needs the right\(rights.count > 1 ? "s" : "") \(names)"
        return EngineError(code, message, advice: advice.map { "\(need); \($0)" } ?? need, cause: cause)
    }
}

/// A row of the failure table: the meaning of one failure for a batch and for a single request.
private struct FailureRow {
    /// The feeder's reaction.
    let kind: BatchFailure.Kind
    /// The error code of a single request.
    let code: EngineError.Code
    /// A description of the failure and of the node affected.
    let what: String
    /// Advice about the next step.
    let advice: String
    var disposition = DocumentFailure.Disposition.retryable
}

extension FailureRow {
    /// The pause between attempts while writes are blocked until an operator intervenes.
    static let pauseWhenBlocked = Duration.seconds(30)
    /// The longest pause that a server can request.
    static let longestPause = Duration.seconds(300)

    /// Determines the meaning of a failure, which no other code does.
    init(_ failure: RequestFailure) {
        switch failure {
        case .noReply(let failure): self.init(failure)
        case .refused(let reply, let error): self.init(reply, error)
        case .unreadable(let reply, let what):
            self.init(
                kind: .ambiguous,
                code: .unusable,
                what: ReplyExcerpt.isPage(reply)
                    ? ReplySentences(reply, nil).answer
                    : "the reply from \(reply.node) can't be understood: \(ReplyExcerpt.short(reply.cleaned(what)))",
                advice: FailureAdvice.rightTarget
            )
        case .unanswerable(let what, let advice):
            self.init(
                kind: .split(mayHaveApplied: false),
                code: .rejected,
                what: what,
                advice: advice,
                disposition: .permanent
            )
        }
    }

    /// Creates the row for a failure without a complete reply.
    ///
    /// A request that was not sent has definitely failed, regardless of the reason; the result of a request that may
    /// have been sent is ambiguous. The job is stopped only if every further attempt would fail in the same way.
    init(_ failure: NoReply) {
        let silence = Silence(failure)
        let words = ReplyExcerpt.short(failure.cause.message)
        let (code, what, advice) = silence.meaning(node: "\(failure.node)", words: words)
        if silence.isFinal {
            self.init(stop: code, what, advice)
        } else {
            let kind: BatchFailure.Kind = failure.isNotSent ? .definite(isCharged: false) : .ambiguous
            self.init(kind: kind, code: code, what: what, advice: advice)
        }
    }

    /// Creates the row for an unsuccessful reply.
    ///
    /// The engine's own error takes precedence over the status. Only that error can report a missing collection or a
    /// malformed request: a proxy's page with the same status indicates a wrong address.
    init(_ reply: EngineReply, _ error: ErrorReply?) {
        let words = ReplySentences(reply, error)
        let pause = min(reply.retryAfter ?? .zero, Self.longestPause)
        switch (reply.status, error?.kind) {
        case (401, _) where reply.hasWrongClock, (403, _) where reply.hasWrongClock:
            self.init(stop: .permission, words.wrongClock, FailureAdvice.clock)
        case (401, _): self.init(stop: .permission, words.unauthenticated, FailureAdvice.credentials(reply.credentials))
        case (407, _): self.init(stop: .unusable, words.answer, FailureAdvice.proxy)
        case (_, .missingCollection): self.init(stop: .missingCollection, words.answer, FailureAdvice.collections)
        case (_, .blocked):
            self.init(
                kind: .slowDown(max(pause, Self.pauseWhenBlocked)),
                code: .rejected,
                what: "\(reply.node) accepts no writes (\(reply.status)): \(words.said)",
                advice: FailureAdvice.blocked,
                disposition: .operatorAction
            )
        case (_, .closed):
            self.init(stop: .rejected, "the index is closed: \(words.said)", FailureAdvice.closed)
        case (429, _), (_, .throttled):
            self.init(kind: .slowDown(pause), code: .unreachable, what: words.busy, advice: FailureAdvice.later)
        case (403, _), (_, .forbidden):
            self.init(stop: .permission, words.forbidden, FailureAdvice.rights(reply.credentials))
        case (413, _), (_, .tooLarge):
            self.init(kind: .tooLarge, code: .rejected, what: words.answer, advice: FailureAdvice.less)
        case (300...399, _): self.init(stop: .missingTarget, words.redirect, FailureAdvice.redirect(reply))
        case (503, _) where reply.retryAfter != nil:
            self.init(kind: .slowDown(pause), code: .unreachable, what: words.busy, advice: FailureAdvice.later)
        case (507, _):
            self.init(
                kind: .slowDown(max(pause, Self.pauseWhenBlocked)),
                code: .rejected,
                what: words.answer,
                advice: FailureAdvice.blocked,
                disposition: .operatorAction
            )
        case (501, _), (505, _), (511, _): self.init(stop: .unusable, words.answer, FailureAdvice.rightTarget)
        case (408, _), (500..., _):
            self.init(kind: .ambiguous, code: .unreachable, what: words.answer, advice: FailureAdvice.log)
        case (400, .some), (409, .some), (422, .some):
            self.init(
                kind: .split(mayHaveApplied: true),
                code: .rejected,
                what: words.answer,
                advice: FailureAdvice.request,
                disposition: .permanent
            )
        case (200...299, _):
            self.init(kind: .ambiguous, code: .unusable, what: words.answer, advice: FailureAdvice.rightTarget)
        default: self.init(stop: .unusable, words.answer, FailureAdvice.rightTarget)
        }
    }

    /// Creates a row that stops the job, because no request will succeed until the user changes something.
    init(stop code: EngineError.Code, _ what: String, _ advice: String) {
        self.init(kind: .stop(code), code: code, what: what, advice: advice, disposition: .operatorAction)
    }
}

/// The kinds of failure without a complete reply, distinguished by the reactions that they require.
private enum Silence: Hashable {
    case cancelled, invalidRequest, hostNotFound, proxyNotFound, refused, proxyUnreachable
    case proxyRefused(Int)
    case certificateRefused, pinMismatch, unusableCertificateFile, tlsNotBegun, tlsBroken
    case lost, lostWithoutTLS, connectionTimedOut, replyTimedOut, replyTooLarge, malformedReply, other

    init(_ failure: NoReply) {
        self =
            switch failure.cause.reason {
            case .cancelled, .transportClosed: .cancelled
            case .invalidRequest: .invalidRequest
            case .hostNotFound: failure.isOfProxy ? .proxyNotFound : .hostNotFound
            case .connectionRefused: failure.isOfProxy ? .proxyUnreachable : .refused
            case .proxyRefused(let status): .proxyRefused(status)
            case .certificateRefused: .certificateRefused
            case .pinMismatch: .pinMismatch
            case .unusableCertificateFile: .unusableCertificateFile
            case .tlsFailed: failure.isNotSent ? .tlsNotBegun : .tlsBroken
            case .connectionLost: failure.mayLackTLS ? .lostWithoutTLS : .lost
            case .timedOut: failure.isNotSent ? .connectionTimedOut : .replyTimedOut
            case .responseTooLarge: .replyTooLarge
            case .malformedResponse: .malformedReply
            case .other: .other
            }
    }

    /// Whether every further attempt would fail in the same way.
    var isFinal: Bool {
        [.invalidRequest, .certificateRefused, .pinMismatch, .unusableCertificateFile].contains(self)
    }

    /// Returns the error code for a single request, the message, and the next step.
    func meaning(node: String, words: String) -> (EngineError.Code, what: String, advice: String) {
        typealias Advice = FailureAdvice
        let lost = "the connection to \(node) was lost before the whole reply arrived"
        return switch self {
        case .cancelled: (.cancelled, "the request to \(node) was canceled", "run it again")
        case .invalidRequest: (.unusable, "no valid request can be made for \(node)", Advice.address)
        case .hostNotFound: (.unreachable, "the host of \(node) was not found", Advice.name)
        case .proxyNotFound: (.unreachable, "the host of the proxy for \(node) was not found", Advice.proxy)
        case .refused: (.unreachable, "can't connect to \(node)", Advice.running)
        case .proxyUnreachable: (.unreachable, "can't connect to the proxy for \(node): \(words)", Advice.proxy)
        case .proxyRefused(let status):
            (.unreachable, "the proxy refused the connection to \(node) (\(status)): \(words)", Advice.proxy)
        case .certificateRefused:
            (.unusable, "the certificate of \(node) is not trusted: \(words)", Advice.certificate(words))
        case .pinMismatch: (.unusable, "the public key of \(node) is not the pinned one", Advice.pin)
        case .unusableCertificateFile:
            (.unusable, "a file for TLS with \(node) can't be used: \(words)", Advice.certificateFiles)
        case .tlsNotBegun: (.unreachable, "TLS with \(node) failed: \(words)", Advice.https)
        case .tlsBroken: (.unreachable, "TLS with \(node) failed: \(words)", Advice.clientCertificate)
        case .lost: (.unreachable, lost, Advice.log)
        case .lostWithoutTLS: (.unreachable, lost, Advice.plainText)
        case .connectionTimedOut:
            (.unreachable, "could not connect to \(node) within the time limit", Advice.running)
        case .replyTimedOut:
            (.unreachable, "received no complete reply from \(node) within the time limit", Advice.time)
        case .replyTooLarge: (.unusable, "the reply from \(node) is larger than allowed", Advice.less)
        case .malformedReply:
            (.unusable, "the reply from \(node) is not HTTP, or is incomplete: \(words)", Advice.rightTarget)
        case .other: (.unreachable, "the request to \(node) failed: \(words)", Advice.log)
        }
    }
}

extension NoReply {
    /// Whether the port may require TLS: such a port silently closes a connection without TLS.
    fileprivate var mayLackTLS: Bool { node.scheme == .http && !isNotSent && cause.status == nil }

    /// Whether a proxy could not be reached, according to libcurl's message.
    fileprivate var isOfProxy: Bool {
        let host = node.host.filter { $0 != "[" && $0 != "]" }.lowercased()
        let words = cause.message.lowercased()
        return words.contains("resolve proxy")
            || words.contains("failed to connect to") && !words.contains("to \(host) port \(node.port)")
    }
}

/// Advice about the next step, as text that can follow the description of the failure.
private enum FailureAdvice {
    static let address = "check the address of the target"
    static let name = "check the name in the address, and how this machine resolves names"
    static let running = "check that the engine is running there, and that the host and port are correct"
    static let proxy = "check --proxy, or the variables http_proxy, https_proxy and no_proxy"
    static let clock = "set the clock of this machine, for example with timedatectl, and run the command again"
    static let pin = "make sure that it is the right server before you change --pin"
    static let certificateFiles = "--ca-file, --client-cert and --client-key must be PEM files that you can read"
    static let https = "if this port does not speak HTTPS, use +http:// in the address"
    static let clientCertificate =
        "if the server requires a client certificate, use --client-cert FILE --client-key FILE"
    static let log = "check whether the engine is healthy, and check its log"
    static let plainText = log + "; if this port requires HTTPS, use +https:// in the address"
    static let time = "check whether the engine is overloaded, or allow more time with --request-timeout"
    static let less = "raise the limit of the engine or of a proxy in front of it, or request less at a time"
    static let rightTarget = "check that this is the right kind of target: its scheme, port and path"
    static let collections = "list the collections: fastctl collections list"
    static let blocked = "free space on its disks, or remove the block; writes then continue"
    static let closed = "open it, with POST /INDEX/_open, or specify another; then run the command again"
    static let later = "try again later, or with fewer requests at a time"
    static let request = "the engine refuses this request: see its message"

    /// Returns advice depending on the problem with the certificate, which determines who can fix it.
    static func certificate(_ words: String) -> String {
        if words.contains("expired") { return "the server needs a new certificate" }
        if words.contains("not yet valid") { return "check the clocks of both machines" }
        if words.contains("subject name") || words.contains("mismatch") || words.contains("does not match") {
            return "in the address, use the name that the certificate was issued for"
        }
        return "trust the authority that signed it: --ca-file FILE"
    }

    static func credentials(_ source: CredentialSource?) -> String {
        source?.advice ?? "put them in a file: --credentials-file FILE (\(CredentialText.forms))"
    }

    static func rights(_ source: CredentialSource?) -> String {
        source == nil ? credentials(nil) : "ask for permission to do this, or use other credentials"
    }

    static func redirect(_ reply: EngineReply) -> String {
        reply.location == nil ? rightTarget : "redirects are not followed: use that address if you trust it"
    }
}

/// A failed request, before its meaning for the caller is determined.
package enum RequestFailure: Error, Sendable {
    /// A failure to get a complete reply.
    case noReply(NoReply)
    /// An unsuccessful reply and the engine's error in it; `nil` if the reply is not the engine's own.
    case refused(EngineReply, ErrorReply?)
    /// A successful reply that can't be understood: not JSON, the wrong number of items, items for other documents.
    case unreadable(EngineReply, String)
    /// A request that the engine cannot answer because of one of its documents, with advice about that document.
    case unanswerable(String, advice: String)

    /// The status of a refusal.
    package var status: Int? {
        if case .refused(let reply, _) = self { reply.status } else { nil }
    }

    /// The engine's own error in a refusal.
    package var errorReply: ErrorReply? {
        if case .refused(_, let error) = self { error } else { nil }
    }

    /// The engine's reason for a refusal, safe to display; ``ErrorReply/reason`` may quote our own secrets.
    package var shownReason: String? {
        if case .refused(let reply, let error?) = self { reply.cleaned(error.reason) } else { nil }
    }

    /// Whether a sent request got no complete reply, because it took too long or the reply was too large.
    package var isReplyLost: Bool {
        if case .noReply(let failure) = self { !failure.isNotSent } else { false }
    }
}

/// The reason for the missing or incomplete reply.
package struct NoReply: Error, Sendable {
    package let node: NodeAddress
    package let cause: HTTPFailure

    /// Whether no part of the request has left this process.
    package var isNotSent: Bool { cause.delivery == .notSent }

    package init(node: NodeAddress, cause: HTTPFailure) {
        self.node = node
        self.cause = cause
    }
}

extension NoReply: CustomStringConvertible {
    package var description: String { "\(node): \(cause.message)" }
}

/// An engine's own error in the body of an unsuccessful reply.
///
/// It is created only from a body recognized as the engine's own, not from a proxy's page.
package struct ErrorReply: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The engine is overloaded; retry later.
        case throttled
        /// Writes are blocked until an operator intervenes, because of a full disk or a block on the collection.
        case blocked
        /// The collection is closed: it can be neither written nor searched until it is opened.
        case closed
        case missingCollection
        /// The request is larger than the engine accepts.
        case tooLarge
        /// A part of the request can't be parsed, so the whole request fails.
        case malformed
        case conflict
        case forbidden
        case other

        /// Classifies a failure by status alone, if the engine's own name for it is unknown.
        package init(status: Int) {
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

    package let kind: Kind
    /// The engine's own name for the failure, such as `index_not_found_exception`.
    package let type: String
    /// The engine's own message, followed by its root cause, each truncated to ``maximumReasonLength`` characters and
    /// an ellipsis.
    ///
    /// It may quote the request with our secrets, so text must be passed through ``EngineReply/cleaned(_:)`` before it
    /// is displayed.
    package let reason: String

    /// The longest reason to pass on, in characters; some errors quote a whole document.
    package static let maximumReasonLength = 500

    package init(_ kind: Kind, type: String, reason: String, cause: String? = nil) {
        self.kind = kind
        self.type = type
        self.reason = Self.words(reason, cause: cause)
    }

    /// Returns a text without the excerpts of documents in it.
    ///
    /// A JSON parser in Java names the place of an error as `[Source: (byte[])"{"a":…"; line: 1, column: 5]`; only the
    /// place is kept. The excerpt is not escaped and may contain the words around it, so the last place counts; a text
    /// that ends within the excerpt has no place.
    package static func withoutSources(_ text: String) -> String {
        guard let start = text.firstRange(of: sourceStart) else { return text }
        let excerpt = text[start.upperBound...]
        let place = excerpt.indices.last { index in
            excerpt[index] == ";" && sourcePlaces.contains { isPlace(excerpt[index...], $0) }
        }
        return text[..<start.upperBound] + "…" + (place.map { excerpt[$0...] } ?? "")
    }

    private static let sourceStart = "[Source: "
    /// The words of a place, in text and in binary formats; a number follows each of them.
    private static let sourcePlaces = [["; line: ", ", column: "], ["; byte offset: #"]]

    private static func isPlace(_ text: Substring, _ words: [String]) -> Bool {
        var rest = text
        for word in words {
            guard rest.hasPrefix(word) else { return false }
            rest = rest.dropFirst(word.count).drop { $0.isNumber || $0 == "-" }
        }
        return rest.first == "]"
    }

    /// Returns a reason and its root cause, each of limited length.
    package static func words(_ reason: String, cause: String?) -> String {
        [reason, cause].compactMap { text in
            guard let text = text.map(withoutSources) else { return nil }
            let start = text.prefix(maximumReasonLength)
            return start.endIndex == text.endIndex ? text : start + "…"
        }.joined(separator: ": ")
    }
}

/// An excerpt, for messages, of a reply that is not the engine's own.
///
/// The text is only shortened to one line here; the code that prints it must sanitize it.
enum ReplyExcerpt {
    /// The longest excerpt, in characters.
    private static let longest = 120
    fileprivate static let longestError = 500
    /// The number of bytes at the start of a body to examine.
    private static let lookedAt = 16 << 10

    static func description(of reply: EngineReply) -> String {
        let start = reply.cleaned(String(start(of: reply)))[...]
        guard !start.isEmpty else { return "an empty reply" }
        if isPage(reply) {
            if let title = title(of: start) { return "a web page with the title '\(short(title))'" }
            return "a web page: '\(short(withoutTags(start)))'"
        }
        return "a reply that is not in the engine's format: '\(short(String(start)))'"
    }

    /// Returns whether a reply is a page for browsers.
    static func isPage(_ reply: EngineReply) -> Bool {
        let start = start(of: reply)
        return reply.mediaType.contains("html") || start.hasPrefix("<!") || start.prefix(5).lowercased() == "<html"
    }

    private static func start(of reply: EngineReply) -> Substring {
        let text = String(decoding: reply.body.prefix(lookedAt), as: UTF8.self)
        return text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
    }

    /// Shortens text to one line of at most `limit` characters and an ellipsis, without control characters.
    static func short(_ text: String, to limit: Int = longest) -> String {
        // One character beyond the limit indicates that there is more.
        let words = text.unicodeScalars.lazy
            .map { $0.properties.isWhitespace || $0.properties.generalCategory == .control ? " " : Character($0) }
        var line = ""
        var count = 0
        for character in words where !(character == " " && (line.isEmpty || line.last == " ")) {
            guard count < limit else { return line + "…" }
            line.append(character)
            count += 1
        }
        return line.last == " " ? String(line.dropLast()) : line
    }

    private static func title(of page: Substring) -> String? {
        let lowered = Array(page.utf8).map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
        guard let begin = lowered.firstRange(of: Array("<title".utf8)),
            let open = lowered[begin.upperBound...].firstIndex(of: UInt8(ascii: ">")),
            let end = lowered[open...].firstRange(of: Array("</title".utf8))
        else { return nil }
        let title = String(decoding: Array(page.utf8)[(open + 1)..<end.lowerBound], as: UTF8.self)
        return title.allSatisfy(\.isWhitespace) ? nil : title
    }

    private static func withoutTags(_ page: Substring) -> String {
        var isTag = false
        var text = ""
        for character in page {
            if character == "<" { isTag = true }
            if !isTag { text.append(character) }
            if character == ">" {
                isTag = false
                text.append(" ")
            }
        }
        return text
    }
}

/// Sentences about an unsuccessful reply, which name the failure and the node.
struct ReplySentences {
    let reply: EngineReply
    /// The engine's own message, or else a description of the reply.
    let said: String

    init(_ reply: EngineReply, _ error: ErrorReply?) {
        self.reply = reply
        if let error {
            let type = error.type.isEmpty || error.type == "error" ? "" : error.type + ": "
            said = ReplyExcerpt.short(reply.cleaned(type + error.reason), to: ReplyExcerpt.longestError)
        } else {
            said = ReplyExcerpt.description(of: reply)
        }
    }

    var answer: String { "\(reply.node) responded with \(reply.status): \(said)" }

    var busy: String { "\(reply.node) is busy (\(reply.status)): \(said)" }

    /// A sentence on a refused signature and a clock that may explain it.
    var wrongClock: String {
        let lead = reply.clockLead?.components.seconds ?? 0
        let difference = "\(lead.magnitude / 60) min \(lead.magnitude % 60) s"
        return "\(reply.node) refused a signed request (\(reply.status)), and this machine's clock is \(difference) "
            + "\(lead < 0 ? "behind" : "ahead of") the server's: \(said)"
    }

    var unauthenticated: String {
        guard let source = reply.credentials else { return "\(reply.node) requires credentials (401): \(said)" }
        return "\(reply.node) refused the credentials from \(source) (401): \(said)"
    }

    var forbidden: String {
        guard let source = reply.credentials else {
            return "\(reply.node) does not allow this without credentials (\(reply.status)): \(said)"
        }
        return "the credentials from \(source) don't allow this at \(reply.node) (\(reply.status)): \(said)"
    }

    /// A sentence on the target of the redirect; it mentions that nothing was sent to another server.
    var redirect: String {
        guard let location = reply.location else {
            return "\(reply.node) redirects (\(reply.status)) without a location"
        }
        let isElsewhere = RedirectTarget.isElsewhere(location, than: reply.node)
        let place = isElsewhere ? "to another server, to which nothing was sent" : "to another path"
        let shown = ReplyExcerpt.short(reply.cleaned(RedirectTarget.withoutQuery(location)))
        return "\(reply.node) redirects (\(reply.status)) \(place): \(shown)"
    }
}

/// The target of a redirect.
private enum RedirectTarget {
    /// Returns a `Location` that is safe to display, without the part after the path, which can contain a token.
    static func withoutQuery(_ location: String) -> String {
        String(location.prefix { $0 != "?" && $0 != "#" })
    }

    /// Returns whether a `Location` names a server other than this node, or another form of the node's address.
    static func isElsewhere(_ location: String, than node: NodeAddress) -> Bool {
        let lowered = location.lowercased()
        // A reference with neither a scheme nor two leading slashes is relative to the same server.
        guard lowered.hasPrefix("//") || lowered.contains("://") else { return false }
        let name = "\(node.scheme.rawValue)://\(node.host.lowercased())"
        let standardPort = node.scheme == .http ? 80 : 443
        let own = ["\(name):\(node.port)"] + (node.port == standardPort ? [name] : [])
        return !own.contains { own in
            let rest = lowered.dropFirst(own.count)
            return lowered.hasPrefix(own) && (rest.isEmpty || "/?#".contains(rest.prefix(1)))
        }
    }
}

extension EngineReply {
    /// Whether a signature may have been refused because of its time: Amazon's services tolerate five minutes.
    var hasWrongClock: Bool { clockLead.map { $0 <= .seconds(-240) || $0 >= .seconds(240) } ?? false }
}

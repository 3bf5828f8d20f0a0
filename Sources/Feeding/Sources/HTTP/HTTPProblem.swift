import ContentFeeding
import EngineHTTP
import HTTPClient
import JSONText

/// What went wrong with a request, and whether another one may go better.
struct HTTPProblem {
    let code: SourceError.Code
    let what: String
    let advice: String?
    /// Whether the same request may be answered later.
    var mayPass = false
    /// Whether there may be no such server at all.
    var isOfAddress = false
    /// The pause that the server asks for.
    var wait: Duration?

    /// Returns the error that ends reading.
    func error(after attempts: Int) -> SourceError {
        SourceError(code, attempts > 1 ? "\(what) (\(attempts) attempts)" : what, advice: advice)
    }
}

extension HTTPProblem {
    /// Decides what it means that no whole reply came.
    init(_ failure: HTTPFailure, at address: HTTPAddress) {
        let server = address.server
        let words = failure.message
        func passing(_ what: String, _ advice: String, isOfAddress: Bool = false) -> HTTPProblem {
            HTTPProblem(code: .unreachable, what: what, advice: advice, mayPass: true, isOfAddress: isOfAddress)
        }
        func final(_ code: SourceError.Code, _ what: String, _ advice: String) -> HTTPProblem {
            HTTPProblem(code: code, what: what, advice: advice)
        }
        let running = "check that the server is running, and that the host and port are correct"
        self =
            switch failure.reason {
            case .cancelled, .transportClosed:
                HTTPProblem(code: .cancelled, what: "reading \(address.name) was cancelled", advice: nil)
            case .invalidRequest: final(.invalidAddress, "'\(address.name)' can't be asked for", "check the address")
            case .hostNotFound:
                passing(
                    "the host of \(server) was not found: \(words)",
                    "check the name in the address, and the variable https_proxy",
                    isOfAddress: true
                )
            case .connectionRefused: passing("can't connect to \(server): \(words)", running, isOfAddress: true)
            case .proxyRefused(let status):
                passing(
                    "the proxy refused the connection to \(server) (\(status))",
                    "check the variables http_proxy and https_proxy"
                )
            case .certificateRefused:
                final(
                    .unusable,
                    "the certificate of \(server) is not trusted: \(words)",
                    "trust the authority that signed it: --source-ca-file FILE"
                )
            case .pinMismatch:
                final(
                    .unusable,
                    "the public key of \(server) is not the pinned one",
                    "make sure that it is the right server"
                )
            case .unusableCertificateFile:
                final(.unusable, "a file for TLS with \(server) can't be used: \(words)", "check --source-ca-file")
            case .tlsFailed:
                passing(
                    "TLS with \(server) failed: \(words)",
                    "if this port does not speak HTTPS, use +http: in the address"
                )
            case .connectionLost:
                passing("the connection to \(server) was lost before the whole reply arrived", "try again later")
            case .timedOut:
                passing(
                    "received no complete reply from \(server) within the time limit",
                    "try again when it is less busy"
                )
            case .responseTooLarge:
                final(.unusable, "the reply to \(address.name) is larger than allowed", "is this the right address?")
            case .malformedResponse:
                passing("the reply from \(server) is not HTTP, or is incomplete: \(words)", "check scheme and port")
            case .other: passing("the request to \(server) failed: \(words)", "try again later")
            }
    }
}

/// An unsuccessful reply: what its status and the server's own words mean.
struct Refusal {
    private let reply: HTTPResponse
    private let address: HTTPAddress
    private let source: CredentialSource?
    /// When the signature ends that was sent, as it says itself.
    private let end: String?
    private let now: WallTime
    private let words: ServerWords

    init(_ reply: HTTPResponse, of address: HTTPAddress, source: CredentialSource?, end: String?, now: WallTime) {
        (self.reply, self.address, self.source, self.end, self.now) = (reply, address, source, end, now)
        words = ServerWords(reply)
    }

    /// Whether newer credentials may be accepted.
    ///
    /// Azure answers 403 to a signature that has ended, as it does to a lack of rights.
    var concernsCredentials: Bool { reply.status == 401 || reply.status == 403 }

    /// Decides what the reply means; `cleaned` removes secrets from what the server says.
    func problem(_ cleaned: (String) -> String) -> HTTPProblem {
        let answer = "\(address.name) answered \(reply.status)" + cleaned(words.text)
        switch reply.status {
        case 401, 403: return permission(answer)
        case 409 where words.code == "PublicAccessNotPermitted": return permission(answer)
        case 404, 410:
            // Some services say so to everybody who has no rights.
            let advice = source == nil ? "check the address; if it needs credentials, give them" : "check the address"
            return HTTPProblem(code: .missing, what: answer, advice: advice)
        case 408, 425, 429, 500, 502, 503, 504:
            return HTTPProblem(
                code: .unreachable,
                what: answer,
                advice: "try again later",
                mayPass: true,
                wait: retryAfter
            )
        case 300...399:
            let place = reply.header("location").map { Self.path($0) }.map { " to \(cleaned($0).prefix(200))" } ?? ""
            return HTTPProblem(
                code: .invalidAddress,
                what: "\(address.name) redirects (\(reply.status))\(place)",
                advice: "redirects are not followed: use that address if you trust it"
            )
        case 400:
            return HTTPProblem(code: .unusable, what: answer, advice: "check the address and its parameters")
        default: return HTTPProblem(code: .unusable, what: answer, advice: "is this the right address?")
        }
    }

    /// Returns the target of a redirect without what follows the path.
    private static func path(_ location: String) -> String { String(location.prefix { $0 != "?" && $0 != "#" }) }

    /// The pause that the server asks for, in seconds; a date would need two clocks that agree.
    private var retryAfter: Duration? {
        reply.header("retry-after").flatMap { UInt32($0) }.map { .seconds(Int($0)) }
            ?? reply.header("x-ms-retry-after-ms").flatMap { UInt32($0) }.map { .milliseconds(Int($0)) }
    }

    private func permission(_ answer: String) -> HTTPProblem {
        guard let source else {
            return HTTPProblem(
                code: .permission,
                what: answer + "; no credentials were sent",
                advice: "name a file that holds them with --source-credentials-file, or set a variable; see the README"
            )
        }
        if let lead = clockLead {
            let size = "\(lead.magnitude / 60) min \(lead.magnitude % 60) s"
            return HTTPProblem(
                code: .permission,
                what: answer + "; this machine's clock is \(size) \(lead < 0 ? "behind" : "ahead of") the server's",
                advice: "set the clock of this machine, as with timedatectl, and run it again"
            )
        }
        if let end {
            return HTTPProblem(
                code: .permission,
                what: answer + "; the SAS from \(source) says that it ends at \(end)",
                advice: "if it has ended, \(source.advice)"
            )
        }
        return HTTPProblem(
            code: .permission,
            what: answer + "; the credentials come from \(source)",
            advice: source.advice
        )
    }

    /// How far our clock is ahead of the server's, in seconds, if that may be why a signature was refused.
    private var clockLead: Int? {
        guard let time = reply.header("date").flatMap({ WallTime(httpDate: $0) }) else { return nil }
        let lead = now.seconds - time.seconds
        // Azure allows 15 minutes, and a SAS may begin at any moment.
        return abs(lead) >= 240 ? lead : nil
    }
}

/// What a server says about a failure: Azure's code, and the first line of its message.
private struct ServerWords {
    /// The service's name for the failure; `nil` if it gives none.
    let code: String?
    /// Worded to follow the status; empty if the server says nothing that is its own.
    let text: String

    /// The longest message to pass on, in characters.
    private static let maximumLength = 300

    init(_ reply: HTTPResponse) {
        let body = String(decoding: reply.body.prefix(16 << 10), as: UTF8.self)
        let json = try? JSONValue(reply.body)
        let error = json?["odata.error"] ?? .null
        code = reply.header("x-ms-error-code") ?? error["code"].text ?? Self.element("Code", of: body)
        // Azure's second line and those after it name the request, not the failure.
        let message = error["message"]["value"].text ?? Self.element("Message", of: body)
        let line = message?.split(whereSeparator: \.isNewline).first.map { String($0.prefix(Self.maximumLength)) }
        // Other details quote what was signed.
        let detail = Self.element("AuthenticationErrorDetail", of: body).flatMap {
            $0.contains("specified time frame") ? String($0.prefix(Self.maximumLength)) : nil
        }
        let parts = [code.map { String($0.prefix(100)) }, line, detail].compactMap { $0 }.filter { !$0.isEmpty }
        text = parts.isEmpty ? "" : " (\(parts.joined(separator: ": ")))"
    }

    /// Returns the text of an element of a short message, which is not worth a parser: it is only shown.
    private static func element(_ name: String, of body: String) -> String? {
        guard let start = body.firstRange(of: "<\(name)>"),
            let end = body[start.upperBound...].firstRange(of: "</\(name)>")
        else { return nil }
        return String(body[start.upperBound..<end.lowerBound])
    }
}

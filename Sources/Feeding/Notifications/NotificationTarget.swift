import Digests
import HTTPClient
import JSONText
import Synchronization
import TextKit

/// A target of notifications, with its name, the events that it receives, and its channel.
package struct NotificationTarget: Sendable {
    package enum Channel: Sendable {
        case webhook(Webhook)
        case mail(MailTarget)
        case webPush(WebPushTarget)
    }

    /// The name from the settings.
    package var name: String
    package var kinds: Set<ServerEvent.Kind>
    package var channel: Channel
    /// The text of a notification.
    package var template: NotificationTemplate
    package var retries = RetryPlan()

    package init(
        _ name: String,
        _ kinds: Set<ServerEvent.Kind>,
        _ channel: Channel,
        template: NotificationTemplate = .message
    ) {
        (self.name, self.kinds, self.channel, self.template) = (name, kinds, channel, template)
    }

    var isWebPush: Bool {
        if case .webPush = channel { true } else { false }
    }
}

/// The pauses between the attempts to deliver a notification.
package struct RetryPlan: Sendable, Hashable {
    /// The number of attempts after which a notification is put aside; with the pauses below, that is after more than 4
    /// hours.
    package var attempts = 14
    package var firstPause = Duration.seconds(5)
    package var longestPause = Duration.seconds(3_600)
    /// The longest pause that a target can request.
    package static let longestRequest = Duration.seconds(86_400)

    package init() {}

    /// Returns the pause after a number of failed attempts, at least as long as the target has requested.
    package func pause(after attempts: Int, requested: Duration?) -> Duration {
        let doublings = min(max(0, attempts - 1), 20)
        let pause = min(firstPause * (1 << doublings), longestPause)
        return max(pause, min(requested ?? .zero, Self.longestRequest))
    }
}

/// The result of an attempt to deliver a notification.
package enum DeliveryResult: Sendable, Hashable {
    case delivered
    /// A later attempt may succeed, but not before `after` has passed if the target has requested that.
    case failed(String, after: Duration? = nil)
    /// No attempt can succeed until an operator intervenes.
    case refused(String)
    /// The browser's subscription has ended.
    case gone
}

/// A notification on its way to a target.
package struct Delivery: Sendable, Hashable {
    /// The number of the notification, the same in all attempts.
    package let id: Int64
    package let event: ServerEvent
    package let subscription: PushSubscription?
}

// MARK: - Requests to foreign servers

/// A transport that sends requests only to checked addresses and does not follow redirects.
///
/// No connection is opened before the first request, because settings are sometimes read only to be checked.
package final class GuardedTransport: Sendable {
    private let configuration: HTTPConfiguration
    private let opened = Mutex<HTTPTransport?>(nil)

    /// Creates a transport that waits at most `limit` for a response; `authorities` are trusted instead of the system's
    /// certificate authorities.
    package init(timeLimit: Duration = .seconds(10), authorities: String? = nil) {
        var configuration = HTTPConfiguration()
        configuration.timeLimits.total = timeLimit
        configuration.timeLimits.connect = min(timeLimit, .seconds(5))
        // Only the status and the retry time of the response matter.
        configuration.limits.responseBodyBytes = 64 << 10
        configuration.userAgent = "content-distributor"
        configuration.acceptsGzip = false
        configuration.tls.authorityFile = authorities
        self.configuration = configuration
    }

    private var transport: HTTPTransport {
        opened.withLock { opened in
            let transport = opened ?? HTTPTransport(configuration)
            opened = transport
            return transport
        }
    }

    enum Answer: Sendable {
        case status(Int, after: Duration?)
        case failed(String)
        case refused(String)
    }

    func post(
        _ body: [UInt8],
        to url: TargetURL,
        _ headers: [HTTPHeader],
        by guardian: AddressGuard,
        at now: Duration
    ) async -> Answer {
        let addresses: [NetworkAddress]
        switch await guardian.addresses(of: url) {
        case .addresses(let found): addresses = found
        case .unknown: return .failed("the name \(url.host) has no address")
        case .refused(let address):
            return .refused("\(url.host) has the address \(address), which is not public; name the host in 'allow'")
        }
        var request = HTTPRequest(.post, url.text, headers: headers, body: body)
        var failure = ""
        for address in addresses {
            request.address = address.inURL
            do throws(HTTPFailure) {
                let response = try await transport.send(request)
                return .status(response.status, after: response.pause(at: now))
            } catch {
                // Only the status, which arrives first, matters, even if the response is too long or is ended by
                // closing the connection, as in HTTP/1.0, because another delivery would have the same result.
                if [.responseTooLarge, .malformedResponse].contains(error.reason), let status = error.status {
                    return .status(status, after: nil)
                }
                failure = "\(url.host): \(error.message)"
                guard error.delivery == .notSent, error.reason != .cancelled else { return .failed(failure) }
            }
        }
        return .failed(failure)
    }
}

extension HTTPResponse {
    /// The pause that the server requests, in seconds or until a date (RFC 9110, section 10.2.3).
    fileprivate func pause(at now: Duration) -> Duration? {
        guard let text = header("Retry-After") else { return nil }
        if let seconds = Int(text) { return .seconds(min(max(0, seconds), 1 << 31)) }
        return HTTPDate.time(text).map { max(.zero, $0 - now) }
    }
}

/// The date format of HTTP and mail, always in GMT.
package enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

    /// Reads a date such as `Sun, 06 Nov 1994 08:49:37 GMT`, the only form that servers may send.
    static func time(_ text: String) -> Duration? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", let day = Int(words[1]), let year = Int64(words[3]),
            let month = months.firstIndex(of: String(words[2])), (1970...9999).contains(year),
            let date = CivilDate(year: year, month: month + 1, day: day)
        else { return nil }
        let clock = words[4].split(separator: ":").compactMap { Int($0) }
        guard clock.count == 3, (0..<24).contains(clock[0]), (0..<60).contains(clock[1]), (0...60).contains(clock[2])
        else { return nil }
        return .seconds(Int(date.days) * 86_400 + clock[0] * 3_600 + clock[1] * 60 + clock[2])
    }

    /// Returns a time in the format used in mail: `Sun, 06 Nov 1994 08:49:37 +0000`.
    package static func mail(_ time: Duration) -> String {
        let seconds = time.components.seconds
        let days = seconds / 86_400
        let date = CivilDate(days: days)
        let clock = [seconds % 86_400 / 3_600, seconds / 60 % 60, seconds % 60].map { $0.padded(to: 2) }
        let day = Int64(date.day).padded(to: 2)
        let words = [day, months[date.month - 1], "\(date.year)", clock.joined(separator: ":"), "+0000"]
        return "\(weekdays[Int(days % 7)]), \(words.joined(separator: " "))"
    }
}

// MARK: - Webhooks

/// A URL to which each event is sent as JSON, signed with a secret.
package struct Webhook: Sendable {
    package var url: TargetURL
    /// The signing secret; `nil` for a target that can't check signatures.
    package var secret: [UInt8]?
    package var guardian: AddressGuard
    package var transport: GuardedTransport
    /// A template for the body, if the body is not the event itself; with its values filled in, the text is JSON.
    package var body: NotificationTemplate?

    package static let signatureHeader = "Fastctl-Signature"

    package init(_ url: TargetURL, secret: [UInt8]?, by guardian: AddressGuard, over transport: GuardedTransport) {
        (self.url, self.secret, self.guardian, self.transport) = (url, secret, guardian, transport)
    }

    /// Returns the header that authenticates the time and the body: `t=SECONDS,v1=HMAC`.
    package static func signature(of body: [UInt8], with secret: [UInt8], at now: Duration) -> String {
        let seconds = now.components.seconds
        var function = HMACSHA256(key: secret)
        let digest = function.digest(of: Array("\(seconds).".utf8) + body)
        return "t=\(seconds),v1=\(digest.hexadecimal)"
    }

    func deliver(_ delivery: Delivery, for target: NotificationTarget, at now: Duration) async -> DeliveryResult {
        let body = content(delivery, target)
        var headers = [
            HTTPHeader("Content-Type", "application/json"), HTTPHeader("Fastctl-Event", delivery.event.kind.rawValue),
            HTTPHeader("Fastctl-Delivery", "\(delivery.id)"),
        ]
        if let secret {
            headers.append(HTTPHeader(Self.signatureHeader, Self.signature(of: body, with: secret, at: now)))
        }
        switch await transport.post(body, to: url, headers, by: guardian, at: now) {
        case .status(200...299, _): return .delivered
        case .status(410, _): return .refused("\(url.host) responds with status 410: it accepts no more notifications")
        case .status(let status, let pause):
            let reason = (300...399).contains(status) ? "; redirects are not followed" : ""
            return .failed("\(url.host) responds with status \(status)\(reason)", after: pause)
        case .failed(let reason): return .failed(reason)
        case .refused(let reason): return .refused(reason)
        }
    }

    private func content(_ delivery: Delivery, _ target: NotificationTarget) -> [UInt8] {
        if let body { return Array(body.text(of: delivery.event, for: target.name, on: .json).utf8) }
        return JSONWriter.object { object in
            object.member("id", Int(delivery.id))
            delivery.event.write(to: &object)
            object.member("text", target.template.text(of: delivery.event, for: target.name, on: .text))
        }
    }
}

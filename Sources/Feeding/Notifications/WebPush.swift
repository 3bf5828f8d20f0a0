package import Digests
import HTTPClient
package import JSONText
import TextKit

/// A browser's subscription: the URL of its push service, and the keys for its messages (RFC 8291).
package struct PushSubscription: Sendable, Hashable {
    package let endpoint: TargetURL
    /// The browser's public key, an uncompressed point on P-256.
    package let key: [UInt8]
    /// The browser's secret, 16 bytes.
    package let secret: [UInt8]

    /// The reason why a subscription can't be used.
    package struct Defect: Error, Hashable {
        package let field: String
        package let message: String
    }

    package init(endpoint: TargetURL, key: [UInt8], secret: [UInt8]) {
        (self.endpoint, self.key, self.secret) = (endpoint, key, secret)
    }

    /// Reads the result of a browser's `subscription.toJSON()`.
    package init(_ json: JSONValue) throws(Defect) {
        guard let endpoint = json["endpoint"].text.flatMap({ TargetURL($0) }) else {
            throw Defect(field: "endpoint", message: "it is not a URL of at most \(TargetURL.maximumBytes) bytes")
        }
        guard let key = json["keys"]["p256dh"].text.flatMap(Self.bytes), P256PrivateKey().secret(with: key) != nil
        else {
            throw Defect(field: "keys.p256dh", message: "it is not a point on P-256 in base64url")
        }
        guard let secret = json["keys"]["auth"].text.flatMap(Self.bytes), secret.count == 16 else {
            throw Defect(field: "keys.auth", message: "it does not have 16 bytes in base64url")
        }
        self.init(endpoint: endpoint, key: key, secret: secret)
    }

    /// Some browsers add the padding that the standard omits.
    private static func bytes(_ text: String) -> [UInt8]? {
        Base64.urlBytes(String(text.prefix { $0 != "=" }))
    }
}

/// The subscribed browsers, and the key that identifies the sender to their push services (VAPID, RFC 8292).
package struct WebPushTarget: Sendable {
    package var key: P256PrivateKey
    /// A way to reach the operator: `mailto:` or `https:`.
    package var subject: String
    package var guardian: AddressGuard
    package var transport: GuardedTransport

    /// The time for which a push service keeps a message for a browser that is not running.
    private static let timeToLive = Duration.seconds(86_400)
    /// The time for which a token is valid; the standard allows 24 hours.
    private static let tokenAge = Duration.seconds(12 * 3_600)

    package init(
        _ key: P256PrivateKey,
        subject: String,
        by guardian: AddressGuard,
        over transport: GuardedTransport
    ) {
        (self.key, self.subject, self.guardian, self.transport) = (key, subject, guardian, transport)
    }

    /// The public key in the form in which pages pass it to `pushManager.subscribe`.
    package var applicationServerKey: String { Base64.urlText(key.publicKey) }

    /// Returns the credentials for a push service: a token for its origin, and the key that verifies it.
    package func authorization(for endpoint: TargetURL, at now: Duration) -> String {
        let claims = JSONWriter.object { object in
            object.member("aud", endpoint.origin)
            object.member("exp", Int((now + Self.tokenAge).components.seconds))
            object.member("sub", subject)
        }
        let header = Base64.urlText(Array(#"{"typ":"JWT","alg":"ES256"}"#.utf8))
        let signed = "\(header).\(Base64.urlText(claims))"
        return "vapid t=\(signed).\(Base64.urlText(key.signature(of: Array(signed.utf8)))), k=\(applicationServerKey)"
    }

    func deliver(_ delivery: Delivery, for target: NotificationTarget, at now: Duration) async -> DeliveryResult {
        guard let subscription = delivery.subscription else { return .gone }
        let payload = PushMessage.payload(
            delivery.event,
            text: target.template.text(of: delivery.event, for: target.name, on: .text)
        )
        guard let message = PushMessage.encrypted(payload, for: subscription) else {
            return .refused("the browser's key is not a point on P-256")
        }
        let headers = [
            HTTPHeader("Content-Type", "application/octet-stream"), HTTPHeader("Content-Encoding", "aes128gcm"),
            HTTPHeader("TTL", "\(Self.timeToLive.components.seconds)"), HTTPHeader("Urgency", "normal"),
            HTTPHeader("Authorization", authorization(for: subscription.endpoint, at: now)),
        ]
        let host = subscription.endpoint.host
        switch await transport.post(message, to: subscription.endpoint, headers, by: guardian, at: now) {
        case .status(200...299, _): return .delivered
        case .status(404, _), .status(410, _): return .gone
        case .status(let status, let pause) where [408, 429].contains(status) || status >= 500:
            return .failed("\(host) responds with status \(status)", after: pause)
        case .status(let status, _): return .refused("\(host) responds with status \(status)")
        case .failed(let reason): return .failed(reason)
        case .refused(let reason): return .refused(reason)
        }
    }
}

/// A message that only the subscribed browser can read (RFC 8291, with the content coding of RFC 8188).
package enum PushMessage {
    /// The maximum size of a message that every push service accepts: 4096 bytes with the header, the padding and the
    /// tag.
    package static let maximumBytes = 3_993

    /// Returns an event in the form that the page's service worker receives; long text is shortened.
    package static func payload(_ event: ServerEvent, text: String) -> [UInt8] {
        // In the worst case, one byte becomes six bytes in JSON.
        for limit in [2_400, 1_200, 400] {
            let bytes = JSONWriter.object { object in
                object.member("kind", event.kind.rawValue)
                object.member("at", UTCTimestamp(since1970: event.at).description)
                object.member("collection", event.collection?.prefix(utf8Bytes: limit / 8))
                object.member("subject", event.subject.prefix(utf8Bytes: limit / 8))
                object.member("text", text.prefix(utf8Bytes: limit))
            }
            if bytes.count <= maximumBytes || limit == 400 { return bytes }
        }
        return []
    }

    /// Returns the encrypted message; `nil` if the browser's key is not a point on the curve.
    ///
    /// The key and the salt are used only once; tests pass the values from the standard.
    package static func encrypted(
        _ payload: [UInt8],
        for subscription: PushSubscription,
        with key: P256PrivateKey = P256PrivateKey(),
        salt: [UInt8] = randomBytes(16)
    ) -> [UInt8]? {
        precondition(payload.count <= maximumBytes, "a push message has one record")
        guard let shared = key.secret(with: subscription.key) else { return nil }
        let material = HKDF.key(
            shared,
            salt: subscription.secret,
            info: Array("WebPush: info".utf8) + [0] + subscription.key + key.publicKey,
            count: 32
        )
        let contentKey = HKDF.key(
            material,
            salt: salt,
            info: Array("Content-Encoding: aes128gcm".utf8) + [0],
            count: 16
        )
        let nonce = HKDF.key(material, salt: salt, info: Array("Content-Encoding: nonce".utf8) + [0], count: 12)
        // The record size, 4096, and the key that the browser needs; a byte with the value 2 ends the last record.
        let header = salt + [0, 0, 0x10, 0] + [UInt8(key.publicKey.count)] + key.publicKey
        return header + AES128GCM.seal(payload + [2], key: contentKey, nonce: nonce)
    }

    package static func randomBytes(_ count: Int) -> [UInt8] {
        var system = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &system) }
    }
}

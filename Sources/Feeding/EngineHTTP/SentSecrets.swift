import ContentFeeding
import Glibc
package import HTTPClient
import TextKit

/// The secrets of a request's authentication, which must be removed from the server's messages, because some servers
/// quote requests.
///
/// Secrets are found in the forms in which a server may quote them: as they were sent, in base64, escaped for JSON,
/// HTML or an address, or truncated.
package struct SentSecrets: Sendable {
    private let credentials: HTTPCredentials?
    private let headers: [HTTPHeader]
    private let url: String
    private let proxy: HTTPConfiguration.Proxy?

    package init(_ request: HTTPRequest) {
        (credentials, headers, url, proxy) = (request.credentials, request.headers, request.url, request.proxy)
    }

    /// The replacement for a secret.
    private static let mask = Array("…".utf8)

    /// Returns a server's message without the secrets.
    package func cleaned(_ words: String) -> String {
        let forms = secrets.flatMap(\.forms)
        guard !forms.isEmpty else { return words }
        let text = Array(words.utf8)
        var output: [UInt8] = []
        var place = 0
        while place < text.count {
            let length = forms.lazy.map { $0.length(in: text, at: place) }.max() ?? 0
            if length > 0 {
                output += Self.mask
                place += length
            } else {
                output.append(text[place])
                place += 1
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private var secrets: [Secret] {
        var secrets: [Secret] = []
        switch credentials?.kind {
        case .basic(let user, let password): secrets += Secret.basic(user, password)
        case .bearer(let token): secrets.append(Secret(token, isWord: false))
        case .apiKey(let key):
            secrets.append(Secret(key, isWord: false))
            // Elasticsearch's keys are `ID:KEY` in base64.
            if let bytes = Base64.bytes(key), let colon = bytes.firstIndex(of: UInt8(ascii: ":")) {
                secrets.append(Secret(String(decoding: bytes[(colon + 1)...], as: UTF8.self), isWord: false))
            }
        case nil: break
        }
        for header in headers { secrets += Secret.ofHeader(header) }
        for part in url.drop(while: { $0 != "?" }).dropFirst().split(separator: "&") where part.hasPrefix("sig=") {
            let signature = String(part.dropFirst(4))
            secrets += [signature, Self.unescaped(signature)].map { Secret($0, isWord: false) }
        }
        for address in [url] + proxies { secrets += Secret.ofAddress(address) }
        return secrets.filter { !$0.bytes.isEmpty }
    }

    private var proxies: [String] {
        switch proxy {
        case .url(let address): return [address]
        case .environment: return Self.proxyVariables.compactMap { getenv($0).map { String(cString: $0) } }
        default: return []
        }
    }

    private static let proxyVariables: [String] = [
        "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",
    ]

    fileprivate static func unescaped(_ text: String) -> String {
        String(decoding: Percent.decoded(text.utf8), as: UTF8.self)
    }
}

/// Hides the secrets in every printed form.
extension SentSecrets: CustomStringConvertible, CustomReflectable {
    package var description: String { "(secrets)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A secret, or a sent value that contains it.
private struct Secret {
    /// One of the forms in which a secret may be quoted.
    struct Form {
        let bytes: [UInt8]
        /// The minimum length of a prefix that is recognized as the secret.
        let least: Int

        /// Returns the number of bytes of the secret at a position in text; 0 if the match may be a coincidence.
        func length(in text: [UInt8], at place: Int) -> Int {
            guard text[place] == bytes[0] else { return 0 }
            var length = 1
            while length < bytes.count, place + length < text.count, text[place + length] == bytes[length] {
                length += 1
            }
            if length < bytes.count {
                // Truncated text may still contain the beginning.
                let rest = text[(place + length)...]
                let isCut = rest.isEmpty || rest.starts(with: "…".utf8) || rest.starts(with: "...".utf8)
                return length >= least || isCut && length >= Secret.leastAtEnd ? length : 0
            }
            // A very short secret is replaced only if it is a separate word.
            guard bytes.count < Secret.leastAtEnd else { return length }
            let isWord = !Self.isAlphanumeric(text, place - 1) && !Self.isAlphanumeric(text, place + length)
            return isWord ? length : 0
        }

        private static func isAlphanumeric(_ text: [UInt8], _ place: Int) -> Bool {
            guard text.indices.contains(place) else { return false }
            let scalar = Unicode.Scalar(text[place])
            return scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
        }
    }

    let bytes: [UInt8]
    /// Whether a person chose the secret, so its beginning may be an ordinary word.
    private let isWord: Bool

    /// The minimum length of a secret's prefix that is recognized at the end of text, or of a short secret within a
    /// word.
    fileprivate static let leastAtEnd = 4
    /// The minimum length of a token's prefix that is recognized anywhere.
    private static let leastOfToken = 8
    /// The minimum length of a secret whose prefixes are recognized.
    private static let leastToCut = 12

    init(_ text: String, isWord: Bool) { (bytes, self.isWord) = (Array(text.utf8), isWord) }

    static func basic(_ user: String, _ password: String) -> [Secret] {
        let pair = Base64.text(Array("\(user):\(password)".utf8))
        return [Secret(password, isWord: true), Secret(pair, isWord: false)]
    }

    /// Returns the secret parts of a header.
    static func ofHeader(_ header: HTTPHeader) -> [Secret] {
        switch header.name.lowercased() {
        case "authorization", "proxy-authorization":
            // `Bearer TOKEN`, `SharedKey account:SIGNATURE`, `AWS4-HMAC-SHA256 …, Signature=SIGNATURE`.
            let last = header.value.split(whereSeparator: \.isWhitespace).last ?? ""
            let value = last.firstRange(of: "Signature=").map { last[$0.upperBound...] } ?? last
            return [Secret(String(value.split(separator: ":").last ?? value), isWord: false)]
        case "x-amz-security-token", "cookie", "x-api-key": return [Secret(header.value, isWord: false)]
        default: return []
        }
    }

    /// Returns the password in an address such as `http://user:password@host`.
    static func ofAddress(_ address: String) -> [Secret] {
        let start = address.firstRange(of: "://").map { address[$0.upperBound...] } ?? address[...]
        let authority = start.prefix { !"/?#".contains($0) }
        guard let at = authority.lastIndex(of: "@"), let colon = authority[..<at].firstIndex(of: ":") else { return [] }
        let (user, password) = (authority[..<colon], authority[authority.index(after: colon)..<at])
        let plain = [user, password].map { SentSecrets.unescaped(String($0)) }
        return basic(plain[0], plain[1]) + [Secret(String(password), isWord: true)]
    }

    /// The forms in which a server may quote the secret.
    var forms: [Form] {
        func escaped(_ escape: (UInt8) -> String?) -> [UInt8] {
            bytes.flatMap { byte in escape(byte).map { Array($0.utf8) } ?? [byte] }
        }
        func json(_ byte: UInt8) -> String? {
            "\"\\".utf8.contains(byte) ? "\\" + String(UnicodeScalar(byte)) : nil
        }
        let entities: [UInt8: String] = [
            UInt8(ascii: "&"): "&amp;", UInt8(ascii: "<"): "&lt;", UInt8(ascii: ">"): "&gt;",
        ]
        let quotes: [UInt8: String] = [UInt8(ascii: "\""): "&quot;", UInt8(ascii: "'"): "&#39;"]
        let unicode: [UInt8: String] = [
            UInt8(ascii: "&"): "\\u0026", UInt8(ascii: "<"): "\\u003c", UInt8(ascii: ">"): "\\u003e",
            UInt8(ascii: "+"): "\\u002b", UInt8(ascii: "="): "\\u003d", UInt8(ascii: "'"): "\\u0027",
        ]
        let all: [[UInt8]] = [
            bytes, escaped(json), escaped { $0 == UInt8(ascii: "/") ? "\\/" : json($0) },
            escaped { unicode[$0] ?? json($0) }, escaped { entities[$0] }, escaped { entities[$0] ?? quotes[$0] },
            Array(Percent.encoded(bytes).utf8), Array(Percent.encoded(bytes, uppercase: false).utf8),
        ]
        let least = isWord ? max(Self.leastOfToken, bytes.count / 2) : Self.leastOfToken
        return Set(all).map { Form(bytes: $0, least: bytes.count >= Self.leastToCut ? least : .max) }
    }
}

import Digests
import HTTPClient

/// The keys with which requests to Amazon's services are signed.
struct AWSKeys: Hashable, Sendable {
    /// The public part, which goes into each request.
    let accessKeyID: String
    /// The secret part, which never leaves this process.
    let secretAccessKey: String
    /// What proves that temporary keys are genuine; `nil` for keys that last.
    let sessionToken: String?

    /// `nil` if a part is empty or could not be in a header.
    init?(accessKeyID: String, secretAccessKey: String, sessionToken: String?) {
        let parts = [accessKeyID, secretAccessKey, sessionToken ?? "-"]
        guard parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } }) else { return nil }
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
    }
}

/// Hides the secrets in every printed form.
extension AWSKeys: CustomStringConvertible, CustomReflectable {
    var description: String { "(keys)" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

/// What a signature is good for, besides its day.
struct SigningScope: Hashable, Sendable {
    let region: String
    let service: String
}

/// A signer of requests by AWS's Signature Version 4.
///
/// The signature covers the method, the path, the query, the body, and the headers that say what the body is and for
/// whom.
struct RequestSigner {
    let keys: AWSKeys
    let scope: SigningScope
    let time: WallTime

    private static let algorithm = "AWS4-HMAC-SHA256"

    /// Adds the headers of a signature to a request that is complete otherwise.
    func sign(_ request: inout HTTPRequest) {
        let url = RequestURL(request.url)
        let payload = Self.hash(request.body ?? [])
        // libcurl would choose the same host; what is signed must be what is sent.
        request.headers.append(HTTPHeader("Host", url.host))
        request.headers.append(HTTPHeader("X-Amz-Date", time.stamp))
        // Serverless collections insist on it.
        request.headers.append(HTTPHeader("X-Amz-Content-Sha256", payload))
        if let token = keys.sessionToken { request.headers.append(HTTPHeader("X-Amz-Security-Token", token)) }
        let authorization = authorization(request.method, url, request.headers, payload: payload)
        request.headers.append(HTTPHeader("Authorization", authorization))
    }

    /// Returns the value of the header that carries the signature over all `headers`.
    func authorization(
        _ method: HTTPRequest.Method,
        _ url: RequestURL,
        _ headers: [HTTPHeader],
        payload: String
    ) -> String {
        let lines = headers.map { (name: $0.name.lowercased(), value: Self.trimmed($0.value)) }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        let names = lines.map(\.name).joined(separator: ";")
        let canonical = [
            method.rawValue, url.canonicalPath, url.canonicalQuery,
            lines.map { "\($0.name):\($0.value)\n" }.joined(), names, payload,
        ]
        .joined(separator: "\n")
        let stamp = time.stamp
        let place = "\(stamp.prefix(8))/\(scope.region)/\(scope.service)/aws4_request"
        let text = [Self.algorithm, stamp, place, Self.hash(Array(canonical.utf8))].joined(separator: "\n")
        var function = HMACSHA256(key: key(ofDay: String(stamp.prefix(8))))
        let signature = function.digest(of: text.utf8).hexadecimal
        return "\(Self.algorithm) Credential=\(keys.accessKeyID)/\(place), SignedHeaders=\(names), "
            + "Signature=\(signature)"
    }

    /// Returns the key of one day, region and service: whoever learns it can't sign for any other.
    private func key(ofDay day: String) -> [UInt8] {
        [day, scope.region, scope.service, "aws4_request"].reduce(Array("AWS4\(keys.secretAccessKey)".utf8)) {
            key,
            part in
            var function = HMACSHA256(key: key)
            return function.digest(of: part.utf8).bytes
        }
    }

    static func hash(_ bytes: [UInt8]) -> String {
        var function = SHA256()
        return function.digest(of: bytes).hexadecimal
    }

    /// Returns a header's value without spaces at its ends, and with one in place of several.
    private static func trimmed(_ value: String) -> String {
        value.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
    }
}

/// The parts of a URL that a signature covers, in the one form that both sides compute.
struct RequestURL {
    /// The value of the `Host` header: without the port that the scheme has anyway.
    let host: String
    private let path: Substring
    private let query: Substring

    init(_ url: String) {
        let start = url.firstRange(of: "://")
        let rest = start.map { url[$0.upperBound...] } ?? url[...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let standardPort = url.hasPrefix("https:") ? ":443" : ":80"
        host = String(authority.hasSuffix(standardPort) ? authority.dropLast(standardPort.count) : authority)
        let target = rest.dropFirst(authority.count)
        path = target.prefix { $0 != "?" }
        query = target.dropFirst(path.count).dropFirst()
    }

    /// The path, escaped once more: every service but S3 signs what it sees in the request line as if it were a name.
    var canonicalPath: String {
        var segments: [Substring] = []
        for segment in path.split(separator: "/") {
            switch segment {
            case ".": continue
            case "..": _ = segments.popLast()
            default: segments.append(segment)
            }
        }
        let end = path.hasSuffix("/") && !segments.isEmpty ? "/" : ""
        return "/" + segments.map { Self.escaped($0.utf8) }.joined(separator: "/") + end
    }

    /// The parameters in the order of their names and values, each escaped in the one way that counts here.
    var canonicalQuery: String {
        query.split(separator: "&").map { pair -> (String, String) in
            let name = pair.prefix { $0 != "=" }
            let value = pair.dropFirst(name.count).dropFirst()
            return (Self.escaped(Self.unescaped(name)), Self.escaped(Self.unescaped(value)))
        }
        .sorted { $0.0 == $1.0 ? Self.isBefore($0.1, $1.1) : Self.isBefore($0.0, $1.0) }
        .map { "\($0.0)=\($0.1)" }
        .joined(separator: "&")
    }

    private static func isBefore(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    /// Escapes all but RFC 3986's unreserved characters.
    private static func escaped(_ bytes: some Sequence<UInt8>) -> String {
        var result: [UInt8] = []
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                result.append(byte)
            case _ where "-_.~".utf8.contains(byte): result.append(byte)
            default: result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func unescaped(_ text: Substring) -> [UInt8] {
        var result: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let hexadecimal = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), hexadecimal.utf8.count == 2, let value = UInt8(hexadecimal, radix: 16) {
                result.append(value)
                rest = rest.dropFirst(2)
            } else {
                result.append(byte)
            }
        }
        return result
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
}

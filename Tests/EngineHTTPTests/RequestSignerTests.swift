import Digests
import Foundation
import HTTPClient
import Testing

@testable import EngineHTTP

struct RequestSignerTests {
    /// The example in AWS's documentation ("Create a signed AWS API request"): GET ListUsers of IAM.
    @Test func `The published example has the published signature`() throws {
        let time = try #require(WallTime(iso8601: "2015-08-30T12:36:00Z"))
        let scope = SigningScope(region: "us-east-1", service: "iam")
        let headers = [
            HTTPHeader("Content-Type", "application/x-www-form-urlencoded; charset=utf-8"),
            HTTPHeader("Host", "iam.amazonaws.com"), HTTPHeader("X-Amz-Date", time.stamp),
        ]
        let authorization = RequestSigner(keys: try Self.keys(), scope: scope, time: time).authorization(
            .get,
            RequestURL("https://iam.amazonaws.com:443/?Version=2010-05-08&Action=ListUsers"),
            headers,
            payload: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        )
        #expect(
            authorization == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, "
                + "SignedHeaders=content-type;host;x-amz-date, "
                + "Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"
        )
    }

    @Test(arguments: [
        ("https://h:443/web/_bulk", "h", "/web/_bulk", ""), ("https://h:9200", "h:9200", "/", ""),
        ("http://[::1]:80/", "[::1]", "/", ""),
        // The escapes in the request line are escaped again.
        ("https://h:1/web/_doc/a%2Fb%20%C3%BC", "h:1", "/web/_doc/a%252Fb%2520%25C3%25BC", ""),
        ("https://h:1/a,b/_search", "h:1", "/a%2Cb/_search", ""),
        ("https://h:1/a/./b/../c//d/", "h:1", "/a/c/d/", ""),
        ("https://h:1/?b=2&a=y,z&a=%2A&B", "h:1", "/", "B=&a=%2A&a=y%2Cz&b=2"),
        ("https://h:1/?a=1+1%25", "h:1", "/", "a=1%2B1%25"),
    ])
    func `Each URL has a single canonical form for signing`(url: String, host: String, path: String, query: String) {
        let parts = RequestURL(url)
        #expect(parts.host == host)
        #expect(parts.canonicalPath == path)
        #expect(parts.canonicalQuery == query)
    }

    @Test(arguments: [
        ("2015-08-30T12:36:00Z", "20150830T123600Z"), ("1970-01-01T00:00:00Z", "19700101T000000Z"),
        ("2024-02-29T23:59:59.123Z", "20240229T235959Z"), ("2026-03-01T00:30:00+01:00", "20260228T233000Z"),
        ("2100-03-01T00:00:00-00:30", "21000301T003000Z"),
    ])
    func `Timestamps are parsed and written`(text: String, stamp: String) {
        #expect(WallTime(iso8601: text)?.stamp == stamp)
    }

    @Test(arguments: ["", "2026-13-01T00:00:00Z", "2026-01-01T00:00:00", "2026-01-01T25:00:00Z", "1767225600", "soon"])
    func `Text that is not a time is not parsed`(text: String) {
        #expect(WallTime(iso8601: text) == nil)
    }

    @Test func `A server's date is parsed`() {
        #expect(WallTime(httpDate: "Sun, 06 Nov 1994 08:49:37 GMT")?.stamp == "19941106T084937Z")
        for text in ["", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT"] {
            #expect(WallTime(httpDate: text) == nil)
        }
    }

    @Test func `Keys are not printed`() throws {
        var dumped = ""
        dump(LoadedCredentials(.aws(try Self.keys(token: "TOKEN"))), to: &dumped)
        #expect(!dumped.contains("wJalr") && !dumped.contains("TOKEN") && !dumped.contains("AKID"))
    }

    static func keys(token: String? = nil) throws -> AWSKeys {
        let secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
        return try #require(AWSKeys(accessKeyID: "AKIDEXAMPLE", secretAccessKey: secret, sessionToken: token))
    }
}

/// The verifying side of a signature, based on AWS's description for services, which starts from the received bytes.
struct SignatureCheck {
    let secret: String

    /// Returns the defect of a request's signature; `nil` if it is valid.
    func problem(of request: String) -> String? {
        guard let split = request.range(of: "\r\n\r\n") else { return "no head" }
        let lines = request[..<split.lowerBound].components(separatedBy: "\r\n")
        let body = String(request[split.upperBound...])
        let start = lines[0].components(separatedBy: " ")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(
                in: .whitespaces
            )
        }
        guard let authorization = headers["authorization"], let date = headers["x-amz-date"] else { return "unsigned" }
        func part(_ name: String) -> String {
            let rest = authorization.components(separatedBy: name + "=").dropFirst().first ?? ""
            return rest.components(separatedBy: ",")[0]
        }
        let names = part("SignedHeaders").components(separatedBy: ";")
        for name in ["host", "x-amz-date"] + headers.keys.filter({ $0.hasPrefix("x-amz-") }) where !names.contains(name)
        {
            return "\(name) is not signed"
        }
        guard headers["x-amz-content-sha256"] == sha256(body) else { return "another body" }
        let scope = part("Credential").components(separatedBy: "/").dropFirst()
        guard scope.first == String(date.prefix(8)) else { return "another day" }
        let target = start[1].components(separatedBy: "?")
        let path = target[0].addingPercentEncoding(withAllowedCharacters: Self.unreserved.union(["/"])) ?? ""
        let query = target.dropFirst().joined().components(separatedBy: "&").filter { !$0.isEmpty }.map { pair in
            let sides = pair.components(separatedBy: "=").map {
                ($0.removingPercentEncoding ?? "").addingPercentEncoding(withAllowedCharacters: Self.unreserved) ?? ""
            }
            return sides[0] + "=" + (sides.count > 1 ? sides[1] : "")
        }
        let canonical =
            [start[0], path, query.sorted().joined(separator: "&")] + names.map { "\($0):\(headers[$0] ?? "")" }
            + ["", names.joined(separator: ";"), sha256(body)]
        let text =
            "AWS4-HMAC-SHA256\n\(date)\n\(scope.joined(separator: "/"))\n"
            + sha256(canonical.joined(separator: "\n"))
        var key = Array("AWS4\(secret)".utf8)
        for part in scope { key = hmac(key, part) }
        let signature = hmac(key, text).map { String(format: "%02x", $0) }.joined()
        return signature == part("Signature") ? nil : "another signature"
    }

    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"
    )

    private func sha256(_ text: String) -> String {
        var function = SHA256()
        return function.digest(of: text.utf8).hexadecimal
    }

    private func hmac(_ key: [UInt8], _ text: String) -> [UInt8] {
        var function = HMACSHA256(key: key)
        return function.digest(of: text.utf8).bytes
    }
}

import ContentFeeding
import Digests
import Glibc
import HTTPClient
import TextKit

/// The settings for signing requests to an Amazon service: the source of the keys, the region and the service.
public struct AWSSigning: Hashable, Sendable {
    /// The source of the keys.
    public enum Origin: Hashable, Sendable {
        /// The first of the following sources that has keys.
        case first
        /// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`.
        case environment
        /// A section of `~/.aws/credentials`; `nil` for the section that `AWS_PROFILE` names, or `default` if that
        /// variable is not set.
        case profile(String?)
        /// The endpoint that a container's `AWS_CONTAINER_CREDENTIALS_…` variables name.
        case container
        /// The role of the machine that this process runs on.
        case instance
    }

    /// An Amazon service that accepts signed requests.
    public enum Service: String, CaseIterable, Sendable {
        /// Domains of Amazon OpenSearch Service.
        case es
        /// Collections of OpenSearch Serverless.
        case aoss
    }

    public var origin: Origin
    /// The region; `nil` to take it from the host name, or else from the environment or the profile.
    public var region: String?
    /// The service; `nil` to derive it from the host name; an unknown host name is assumed to be the custom name of a
    /// domain.
    public var service: Service?

    public init(_ origin: Origin, region: String? = nil, service: Service? = nil) {
        (self.origin, self.region, self.service) = (origin, region, service)
    }

    /// The accepted names of key sources in options and settings, for messages.
    public static let expectation = "'default', 'environment', 'profile', 'profile:NAME', 'container' or 'instance'"

    /// Returns the source of keys that an option or a setting names; `nil` if the text is invalid.
    public static func origin(_ text: String) -> Origin? {
        switch text {
        case "default": return .first
        case "environment": return .environment
        case "profile": return .profile(nil)
        case "container": return .container
        case "instance": return .instance
        default:
            let prefix = "profile:"
            guard text.hasPrefix(prefix), AWSProfiles.isName(text.dropFirst(prefix.count)) else { return nil }
            return .profile(String(text.dropFirst(prefix.count)))
        }
    }

    /// Returns whether the text can be a region's name.
    public static func isRegion(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isLowercase || $0.isDigit || $0 == UInt8(ascii: "-") }
    }
}

extension AWSSigning: CustomStringConvertible {
    /// The source of the keys, as a phrase that can follow `the credentials from`.
    public var description: String {
        switch origin {
        case .first: "AWS's variables, profile, container or instance"
        case .environment: "the variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        case .profile(let name?): "the AWS profile '\(name)'"
        case .profile(nil): "the AWS profile in AWS_PROFILE, or 'default'"
        case .container: "the container's AWS endpoint"
        case .instance: "the instance's AWS role"
        }
    }

    /// Advice about wrong keys.
    var advice: String {
        switch origin {
        case .first: "see which one is used with 'aws configure list', or specify one: --credentials-aws profile:NAME"
        case .environment: "set these variables to valid keys, and AWS_SESSION_TOKEN if they are temporary"
        case .profile: "renew its keys, for example with 'aws configure' or 'aws sso login'"
        case .container, .instance: "check that its role may be used, and that the role has the permissions"
        }
    }
}

extension AWSSigning {
    /// Returns the scope for signing requests to a node.
    ///
    /// A setting takes precedence over the host name, and the host name over the environment and the profile, which are
    /// unrelated to the target.
    func scope(of node: NodeAddress, _ surroundings: AWSSurroundings) throws(EngineError) -> SigningScope {
        let told = Self.told(by: node.host)
        let service = service ?? told?.service ?? .es
        var known = region ?? told?.region
        if known == nil { known = try surroundings.region(for: origin) }
        guard let region = known else {
            throw EngineError(
                .rejected,
                "the AWS region of \(node) is not known: its name is not one of Amazon's",
                advice: "use --aws-region REGION, or set AWS_REGION"
            )
        }
        guard Self.isRegion(region) else {
            throw EngineError(
                .rejected,
                "the AWS region for \(node) is not a valid name",
                advice: "use --aws-region REGION, such as eu-central-1"
            )
        }
        return SigningScope(region: region, service: service.rawValue)
    }

    /// Returns the region and service in an Amazon host name: `search-NAME-ID.REGION.es.amazonaws.com`,
    /// `ID.REGION.aoss.amazonaws.com` (with `.cn` in China), `NAME-ID.aos.REGION.on.aws`.
    static func told(by host: String) -> (region: String, service: Service)? {
        var labels = host.lowercased().split(separator: ".", omittingEmptySubsequences: false)
        if labels.last == "" { labels.removeLast() }
        if labels.last == "cn" { labels.removeLast() }
        if labels.count >= 5, labels.suffix(2) == ["amazonaws", "com"],
            let service = Service(rawValue: String(labels[labels.count - 3]))
        {
            return (String(labels[labels.count - 4]), service)
        }
        if labels.count >= 5, labels.suffix(2) == ["on", "aws"], labels[labels.count - 4] == "aos" {
            return (String(labels[labels.count - 3]), .es)
        }
        return nil
    }
}

/// The keys for signing requests to Amazon's services.
struct AWSKeys: Hashable, Sendable {
    /// The public part, which is included in each request.
    let accessKeyID: String
    /// The secret part, which never leaves this process.
    let secretAccessKey: String
    /// The token that proves that temporary keys are genuine; `nil` for permanent keys.
    let sessionToken: String?

    /// Creates keys; `nil` if a part is empty or invalid in a header.
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

/// The region and service for which a signature is valid.
struct SigningScope: Hashable, Sendable {
    let region: String
    let service: String
}

/// Signs requests with AWS Signature Version 4.
///
/// The signature covers the method, the path, the query, the body, and the headers that describe the body and the
/// recipient.
struct RequestSigner {
    let keys: AWSKeys
    let scope: SigningScope
    let time: WallTime

    private static let algorithm = "AWS4-HMAC-SHA256"

    /// Adds the headers of a signature to a request that is otherwise complete.
    func sign(_ request: inout HTTPRequest) {
        let url = RequestURL(request.url)
        let payload = Self.hash(request.body ?? [])
        // libcurl would add the same header, but it is set explicitly because the signed value must be exactly the
        // value sent.
        request.headers.append(HTTPHeader("Host", url.host))
        request.headers.append(HTTPHeader("X-Amz-Date", time.stamp))
        // Serverless collections require it.
        request.headers.append(HTTPHeader("X-Amz-Content-Sha256", payload))
        if let token = keys.sessionToken { request.headers.append(HTTPHeader("X-Amz-Security-Token", token)) }
        let authorization = authorization(request.method, url, request.headers, payload: payload)
        request.headers.append(HTTPHeader("Authorization", authorization))
    }

    /// Returns the value of the `Authorization` header, with a signature that covers all `headers`.
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

    /// Returns the signing key for one day, region and service, which is useless for any other.
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

    /// Returns a header's value without leading and trailing spaces, and with consecutive spaces collapsed into one.
    private static func trimmed(_ value: String) -> String {
        value.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
    }
}

/// The parts of a URL that a signature covers, in canonical form.
struct RequestURL {
    /// The value of the `Host` header, without the scheme's default port.
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

    /// The path, escaped a second time: every service except S3 escapes the path of the request line again before
    /// signing.
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
        return "/" + segments.map { Percent.encoded($0.utf8) }.joined(separator: "/") + end
    }

    /// The parameters, sorted by name and value, with canonical escaping.
    var canonicalQuery: String {
        query.split(separator: "&").map { pair -> (String, String) in
            let name = pair.prefix { $0 != "=" }
            let value = pair.dropFirst(name.count).dropFirst()
            return (Self.reescaped(name), Self.reescaped(value))
        }
        .sorted { $0.0 == $1.0 ? Self.isBefore($0.1, $1.1) : Self.isBefore($0.0, $1.0) }
        .map { "\($0.0)=\($0.1)" }
        .joined(separator: "&")
    }

    private static func isBefore(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    /// Returns the text with all characters escaped except those that RFC 3986 calls unreserved.
    private static func reescaped(_ text: Substring) -> String {
        Percent.encoded(Percent.decoded(text.utf8))
    }
}

/// A point in calendar time, in whole seconds since the beginning of 1970 UTC.
///
/// Signatures and the expiry of credentials use calendar time, which monotonic clocks don't provide.
package struct WallTime: Hashable, Comparable, Sendable {
    package let seconds: Int

    package init(seconds: Int) { self.seconds = seconds }

    package static func now() -> WallTime { WallTime(seconds: time(nil)) }

    package static func < (left: Self, right: Self) -> Bool { left.seconds < right.seconds }
}

extension WallTime {
    /// Parses a time in ISO 8601 notation, such as `2026-11-23T15:00:00Z` or `2026-11-23T16:00:00+01:00`.
    package init?(iso8601 text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard (20...40).contains(bytes.count), [UInt8(ascii: "T"), UInt8(ascii: "t"), 0x20].contains(bytes[10]),
            bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"), bytes[13] == UInt8(ascii: ":"),
            bytes[16] == UInt8(ascii: ":"),
            let year = Self.number(bytes[0..<4]), let month = Self.number(bytes[5..<7]),
            let day = Self.number(bytes[8..<10]), let hour = Self.number(bytes[11..<13]),
            let minute = Self.number(bytes[14..<16]), let second = Self.number(bytes[17..<19])
        else { return nil }
        var rest = bytes[19...]
        if rest.first == UInt8(ascii: ".") { rest = rest.dropFirst().drop(while: \.isDigit) }
        guard let offset = Self.offset(rest) else { return nil }
        self.init(year, month, day, hour, minute, second, offset: offset)
    }

    /// Parses the value of an HTTP `Date` header, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    package init?(httpDate text: some StringProtocol) {
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", let month = Self.months.firstIndex(of: String(words[2])),
            let day = Self.number(Array(words[1].utf8)[...]), let year = Self.number(Array(words[3].utf8)[...])
        else { return nil }
        let clock = words[4].split(separator: ":").map { Self.number(Array($0.utf8)[...]) }
        guard clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2] else { return nil }
        self.init(year, month + 1, day, hour, minute, second, offset: 0)
    }

    /// The time in the format of Amazon's signatures: `20150830T123600Z`.
    var stamp: String {
        let date = date
        return date.year.padded(to: 4) + date.month.padded(to: 2) + date.day.padded(to: 2) + "T" + clock.joined() + "Z"
    }

    /// The value of an HTTP `Date` header, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    package var httpDate: String {
        let date = date
        return "\(Self.weekdays[date.weekday]), \(date.day.padded(to: 2)) \(Self.months[date.month - 1]) "
            + "\(date.year.padded(to: 4)) \(clock.joined(separator: ":")) GMT"
    }

    /// The calendar day.
    private var date: CivilDate { CivilDate(days: Int64(seconds).flooredQuotient(by: 86_400)) }

    /// The hours, minutes and seconds, with two digits each.
    private var clock: [String] {
        let rest = Int64(seconds).flooredRemainder(by: 86_400)
        return [rest / 3_600, rest / 60 % 60, rest % 60].map { $0.padded(to: 2) }
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Creates a time; `nil` if the date does not exist.
    private init?(_ year: Int, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int, _ second: Int, offset: Int) {
        guard (1970...9999).contains(year), (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60,
            second <= 60
        else { return nil }
        let days = Int(CivilDate.days(year: Int64(year), month: month, day: day))
        self.init(seconds: days * 86_400 + hour * 3_600 + minute * 60 + second - offset)
    }

    /// Returns the seconds by which a time zone such as `Z` or `-05:30` is ahead of UTC.
    private static func offset(_ zone: ArraySlice<UInt8>) -> Int? {
        if zone.elementsEqual("Z".utf8) || zone.elementsEqual("z".utf8) { return 0 }
        guard zone.count == 6, let sign = zone.first, "+-".utf8.contains(sign),
            zone[zone.startIndex + 3] == UInt8(ascii: ":"), let hours = number(zone.dropFirst().prefix(2)),
            let minutes = number(zone.suffix(2)), hours < 24, minutes < 60
        else { return nil }
        return (hours * 60 + minutes) * (sign == UInt8(ascii: "+") ? 60 : -60)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard (1...4).contains(digits.count), digits.allSatisfy(\.isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}

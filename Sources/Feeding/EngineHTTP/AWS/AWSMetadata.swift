import ContentFeeding
import Files
import HTTPClient

/// The services of a container or a machine that give out the keys of its role.
struct AWSMetadata {
    private let surroundings: AWSSurroundings

    init(_ surroundings: AWSSurroundings) { self.surroundings = surroundings }

    /// Such a service is next door: whatever takes longer is not there.
    private static let connectLimit = Duration.seconds(1)
    private static let totalLimit = Duration.seconds(5)

    private static let containerHost = "http://169.254.170.2"
    private static let instanceHost = "http://169.254.169.254"

    /// Reads the keys of a container's role; `nil` if this is none of Amazon's.
    func containerKeys() async throws(EngineError) -> LoadedCredentials? {
        guard let url = try containerURL() else { return nil }
        var headers: [HTTPHeader] = []
        if let token = try containerToken() { headers.append(HTTPHeader("Authorization", token)) }
        let reply = try await send(HTTPRequest(.get, url, headers: headers), to: "the container's AWS endpoint")
        return try AWSKeyText.keys(reply.body, token: "Token", from: "the container's AWS endpoint")
    }

    private func containerURL() throws(EngineError) -> String? {
        if let path = surroundings["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] {
            guard path.hasPrefix("/") else { throw unusable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") }
            return Self.containerHost + path
        }
        guard let url = surroundings["AWS_CONTAINER_CREDENTIALS_FULL_URI"] else { return nil }
        guard Self.isTrusted(url) else { throw unusable("AWS_CONTAINER_CREDENTIALS_FULL_URI") }
        return url
    }

    /// Whether keys may come from there: whoever answers chooses for whom documents are sent.
    static func isTrusted(_ url: String) -> Bool {
        if url.hasPrefix("https://") { return true }
        guard url.hasPrefix("http://") else { return false }
        let authority = url.dropFirst("http://".count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        // A user before the host would be part of no name of this machine.
        guard !authority.contains("@") else { return false }
        let host =
            authority.hasPrefix("[")
            ? String(authority.prefix { $0 != "]" }) + "]" : String(authority.prefix { $0 != ":" })
        return NodeAddress(scheme: .http, host: host, port: 80).isLoopback
            || ["169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"].contains(host.lowercased())
    }

    private func containerToken() throws(EngineError) -> String? {
        guard let path = surroundings["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] else {
            return surroundings["AWS_CONTAINER_AUTHORIZATION_TOKEN"]
        }
        do throws(FileError) {
            let bytes = try SmallFile.read(path, maximum: CredentialText.maximumByteCount)
            return String(decoding: bytes.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
        } catch {
            throw EngineError(
                .permission,
                "'\(path)', which AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE names, can't be read: \(error.reason)",
                advice: "check its owner and its permissions"
            )
        }
    }

    /// Reads the keys of this machine's role, in the way that a forged request could not (IMDSv2).
    func instanceKeys() async throws(EngineError) -> LoadedCredentials {
        guard surroundings["AWS_EC2_METADATA_DISABLED"]?.lowercased() != "true" else {
            throw EngineError(
                .permission,
                "AWS_EC2_METADATA_DISABLED forbids asking the instance for credentials",
                advice: "remove that variable"
            )
        }
        let host = try instanceAddress()
        let name = "the instance's metadata service"
        let lifetime = HTTPHeader("X-aws-ec2-metadata-token-ttl-seconds", "21600")
        let token = try await send(HTTPRequest(.put, host + "/latest/api/token", headers: [lifetime]), to: name)
        let proof = [HTTPHeader("X-aws-ec2-metadata-token", String(decoding: token.body, as: UTF8.self))]
        let path = host + "/latest/meta-data/iam/security-credentials/"
        let roles = try await send(HTTPRequest(.get, path, headers: proof), to: name)
        let role = String(decoding: roles.body.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
        guard !role.isEmpty, role.utf8.allSatisfy(Self.isRoleByte) else {
            throw EngineError(
                .permission,
                "\(name) names no role of this machine",
                advice: "attach a role to the instance, or name another place of credentials"
            )
        }
        let reply = try await send(HTTPRequest(.get, path + role, headers: proof), to: name)
        return try AWSKeyText.keys(reply.body, token: "Token", from: name)
    }

    private func instanceAddress() throws(EngineError) -> String {
        guard var url = surroundings["AWS_EC2_METADATA_SERVICE_ENDPOINT"] else { return Self.instanceHost }
        guard url.hasPrefix("http://") || url.hasPrefix("https://") else {
            throw unusable("AWS_EC2_METADATA_SERVICE_ENDPOINT")
        }
        while url.hasSuffix("/") { url.removeLast() }
        return url
    }

    /// The characters that the name of a role may have.
    private static func isRoleByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "+=,.@-_".utf8.contains(byte)
        }
    }

    private func send(_ request: HTTPRequest, to name: String) async throws(EngineError) -> HTTPResponse {
        var configuration = HTTPConfiguration()
        configuration.timeLimits.connect = Self.connectLimit
        configuration.timeLimits.total = Self.totalLimit
        configuration.limits.responseBodyBytes = AWSKeyText.maximumByteCount
        configuration.proxy = .none
        let transport = HTTPTransport(configuration)
        defer { transport.close() }
        let reply: HTTPResponse
        do throws(HTTPFailure) {
            reply = try await transport.send(request)
        } catch {
            if error.reason == .cancelled { throw EngineError(.cancelled, "cancelled before \(name) answered") }
            throw EngineError(
                .permission,
                "\(name) does not answer: \(ReplyExcerpt.short(error.message))",
                advice: "this machine may have none; name another place of credentials"
            )
        }
        guard reply.status == 200 else {
            // The body may quote a token.
            throw EngineError(
                .permission,
                "\(name) answered \(reply.status)",
                advice: "check that a role is attached, and that the service allows tokens (IMDSv2)"
            )
        }
        return reply
    }

    private func unusable(_ variable: String) -> EngineError {
        EngineError(
            .permission,
            "\(variable) is not an address that credentials may come from",
            advice: "expected https, this machine, or the container's own endpoint"
        )
    }
}

import ContentFeeding
import Files
import Glibc
import HTTPClient
import JSONText
import TextKit
import Threads

/// Reads the keys for signing requests from their source.
struct AWSKeyRing {
    let signing: AWSSigning
    var surroundings = AWSSurroundings.ofProcess
    /// Whether the waiting task was canceled, so a command that prints keys can be stopped.
    var isCancelled: @Sendable () -> Bool = { false }

    /// Reads the keys from their source again, without caching.
    func load() async throws(EngineError) -> LoadedCredentials {
        switch signing.origin {
        case .environment:
            guard let keys = try environmentKeys() else { throw missing("AWS_ACCESS_KEY_ID is not set") }
            return keys
        case .profile(let name):
            let name = name ?? surroundings.profile
            guard let keys = try await profileKeys(name) else {
                throw missing("unknown profile '\(name)'", advice: "list the profiles: aws configure list-profiles")
            }
            return keys
        case .container:
            guard let keys = try await AWSMetadata(surroundings).containerKeys() else {
                throw missing("no variable AWS_CONTAINER_CREDENTIALS_… is set, as it would be in an Amazon container")
            }
            return keys
        case .instance: return try await AWSMetadata(surroundings).instanceKeys()
        case .first: return try await firstKeys()
        }
    }

    /// Returns the keys from the first source that provides any.
    ///
    /// A source with invalid keys ends the search, because Amazon's tools would use that source, too.
    private func firstKeys() async throws(EngineError) -> LoadedCredentials {
        if let keys = try environmentKeys() { return keys }
        if let keys = try await profileKeys(surroundings.profile) { return keys }
        if surroundings["AWS_PROFILE"] != nil {
            throw missing("AWS_PROFILE specifies the unknown profile '\(surroundings.profile)'")
        }
        if surroundings["AWS_WEB_IDENTITY_TOKEN_FILE"] != nil {
            throw missing("a web identity is not supported", advice: Self.other)
        }
        if let keys = try await AWSMetadata(surroundings).containerKeys() { return keys }
        do throws(EngineError) {
            return try await AWSMetadata(surroundings).instanceKeys()
        } catch {
            if error.code == .cancelled { throw error }
            throw missing("no variable, profile or container provides any; for an instance: \(error.message)")
        }
    }

    private func environmentKeys() throws(EngineError) -> LoadedCredentials? {
        guard let id = surroundings["AWS_ACCESS_KEY_ID"] else { return nil }
        guard let secret = surroundings["AWS_SECRET_ACCESS_KEY"] else {
            throw missing("AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY is not")
        }
        return try keys(id, secret, surroundings["AWS_SESSION_TOKEN"], "the variables AWS_…")
    }

    private func profileKeys(_ name: String) async throws(EngineError) -> LoadedCredentials? {
        var section: [String: String]?
        if let path = surroundings.credentialsFile { section = try AWSProfiles.credentials(path)?[name] }
        if let section, let id = section["aws_access_key_id"] {
            guard let secret = section["aws_secret_access_key"] else {
                throw missing("the profile '\(name)' has an aws_access_key_id, but no aws_secret_access_key")
            }
            return try keys(id, secret, section["aws_session_token"], "the profile '\(name)'")
        }
        let configuration = try surroundings.configuration(of: name)
        let settings = (configuration ?? [:]).merging(section ?? [:]) { $1 }
        if let command = settings["credential_process"] { return try await printedKeys(command, name) }
        guard section != nil || configuration != nil else { return nil }
        // A section that contains only a region has no keys.
        guard let key = ["sso_session", "sso_start_url", "role_arn"].first(where: { settings[$0] != nil }) else {
            return nil
        }
        throw missing("the profile '\(name)' has '\(key)', which is not supported", advice: Self.other)
    }

    /// The advice about keys that only Amazon's own tools can get.
    private static let other =
        "get them with the AWS CLI: in a profile in ~/.aws/config, set 'credential_process = "
        + "aws configure export-credentials --profile NAME'"

    /// Runs a profile's command, which prints keys as JSON.
    private func printedKeys(_ command: String, _ profile: String) async throws(EngineError) -> LoadedCredentials {
        let form = "keys as JSON, as Amazon's own tools expect them"
        let helper = CredentialHelper(command: command, expectation: form, isCancelled: isCancelled)
        let result = await onOwnThread { () -> Result<[UInt8], EngineError> in
            do throws(EngineError) { return .success(try helper.run()) } catch { return .failure(error) }
        }
        return try AWSKeyText.keys(
            try result.get(),
            token: "SessionToken",
            from: "the credential_process of the profile '\(profile)'"
        )
    }

    private func keys(
        _ id: String,
        _ secret: String,
        _ token: String?,
        _ place: String
    ) throws(EngineError) -> LoadedCredentials {
        guard let keys = AWSKeys(accessKeyID: id, secretAccessKey: secret, sessionToken: token) else {
            throw AWSKeyText.unusable(place)
        }
        return LoadedCredentials(.aws(keys))
    }

    private func missing(_ reason: String, advice: String? = nil) -> EngineError {
        EngineError(
            .permission,
            "no credentials in \(signing): \(reason)",
            advice: advice ?? "set them, or specify another source: --credentials-aws \(AWSSigning.expectation)"
        )
    }
}

/// Keys in the JSON format shared by containers, instances and commands.
enum AWSKeyText {
    /// The longest valid text with keys, in bytes.
    static let maximumByteCount = 64 << 10

    /// Parses keys; errors never quote the text.
    static func keys(_ bytes: [UInt8], token: String, from place: String) throws(EngineError) -> LoadedCredentials {
        guard bytes.count <= maximumByteCount, let json = try? JSONValue(bytes),
            let id = json["AccessKeyId"].text, let secret = json["SecretAccessKey"].text,
            let keys = AWSKeys(accessKeyID: id, secretAccessKey: secret, sessionToken: json[token].text)
        else { throw unusable(place) }
        guard let end = json["Expiration"].text else { return LoadedCredentials(.aws(keys)) }
        guard let time = WallTime(iso8601: end) else { throw unusable(place) }
        return LoadedCredentials(.aws(keys), end: time)
    }

    static func unusable(_ place: String) -> EngineError {
        EngineError(
            .permission,
            "the AWS credentials from \(place) are not in a recognized format",
            advice: "expected a key ID and a secret key, without spaces, and a token if they are temporary"
        )
    }
}

/// The metadata services of a container or a machine that provide the keys of its role.
struct AWSMetadata {
    private let surroundings: AWSSurroundings

    init(_ surroundings: AWSSurroundings) { self.surroundings = surroundings }

    /// The time limit for connecting: the service is local, so if connecting takes longer, it does not exist.
    private static let connectLimit = Duration.seconds(1)
    private static let totalLimit = Duration.seconds(5)

    private static let containerHost = "http://169.254.170.2"
    private static let instanceHost = "http://169.254.169.254"

    /// Reads the keys of a container's role; `nil` if this is not an Amazon container.
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

    /// Returns whether keys from this URL can be trusted, because the server's keys determine the account that receives
    /// the documents.
    static func isTrusted(_ url: String) -> Bool {
        if url.hasPrefix("https://") { return true }
        guard url.hasPrefix("http://") else { return false }
        let authority = url.dropFirst("http://".count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        // An address of this machine never has a user name before the host.
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
                "'\(path)', specified by AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE, can't be read: \(error.reason)",
                advice: "check its owner and its permissions"
            )
        }
    }

    /// Reads the keys of this machine's role with IMDSv2, which is protected against forged requests.
    func instanceKeys() async throws(EngineError) -> LoadedCredentials {
        guard surroundings["AWS_EC2_METADATA_DISABLED"]?.lowercased() != "true" else {
            throw EngineError(
                .permission,
                "AWS_EC2_METADATA_DISABLED forbids asking the instance for credentials",
                advice: "unset that variable"
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
                "\(name) lists no role for this machine",
                advice: "attach a role to the instance, or specify another source of credentials"
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

    /// Returns whether a byte is allowed in the name of a role.
    private static func isRoleByte(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || "+=,.@-_".utf8.contains(byte)
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
            if error.reason == .cancelled { throw EngineError(.cancelled, "canceled before \(name) answered") }
            throw EngineError(
                .permission,
                "\(name) does not answer: \(ReplyExcerpt.short(error.message))",
                advice: "this machine may have none; specify another source of credentials"
            )
        }
        guard reply.status == 200 else {
            // The body may quote a token.
            throw EngineError(
                .permission,
                "\(name) responded with \(reply.status)",
                advice: "check that a role is attached, and that the service allows tokens (IMDSv2)"
            )
        }
        return reply
    }

    private func unusable(_ variable: String) -> EngineError {
        EngineError(
            .permission,
            "\(variable) is not an allowed address for credentials",
            advice: "expected https, this machine, or the container's own endpoint"
        )
    }
}

/// The sections of the files that Amazon's own tools keep: `~/.aws/credentials` and `~/.aws/config`.
struct AWSProfiles {
    /// The settings of each section, by section name.
    private var sections: [String: [String: String]] = [:]

    /// The largest file, in bytes.
    private static let maximumByteCount = 1 << 20
    private static let maximumNameBytes = 256

    /// Parses the text of such a file; invalid lines are skipped, as in Amazon's tools.
    ///
    /// If `isConfiguration`, sections other than `default` must be named `profile NAME`, and all others are ignored.
    init(_ text: String, isConfiguration: Bool = false) {
        var name: String?
        for line in text.split(whereSeparator: \.isNewline) {
            // An indented line belongs to a nested setting.
            guard let first = line.first, !first.isWhitespace, first != "#", first != ";" else { continue }
            if first == "[" {
                let words = line.dropFirst().prefix { $0 != "]" }.split(whereSeparator: \.isWhitespace)
                name = Self.name(words, isConfiguration)
            } else if let name, let equals = line.firstIndex(of: "=") {
                let key = line[..<equals].trimmed.lowercased()
                sections[name, default: [:]][key] = String(line[line.index(after: equals)...].trimmed)
            }
        }
    }

    private static func name(_ words: [Substring], _ isConfiguration: Bool) -> String? {
        if isConfiguration, words.count > 1, words[0] == "profile" {
            return words.dropFirst().joined(separator: " ").unquoted
        }
        let name = words.joined(separator: " ").unquoted
        return isConfiguration && name != "default" ? nil : name
    }

    /// Returns the settings of one section; `nil` if the section does not exist.
    subscript(name: String) -> [String: String]? { sections[name] }

    /// Returns whether the text can name a section.
    static func isName(_ text: Substring) -> Bool {
        (1...maximumNameBytes).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != "]" }
    }

    /// Reads a file with keys, which must not be open to others; `nil` if it does not exist.
    static func credentials(_ path: String) throws(EngineError) -> AWSProfiles? {
        guard let bytes = try CredentialFile.readIfPresent(path, maximum: maximumByteCount) else { return nil }
        return try AWSProfiles(text(bytes, of: path))
    }

    /// Reads a file without keys; `nil` if it does not exist.
    static func configuration(_ path: String) throws(EngineError) -> AWSProfiles? {
        do throws(FileError) {
            let bytes = try SmallFile.read(path, maximum: maximumByteCount)
            return AWSProfiles(String(decoding: bytes, as: UTF8.self), isConfiguration: true)
        } catch {
            if error.isMissing { return nil }
            throw EngineError(
                .permission,
                "'\(path)' can't be read: \(error.reason)",
                advice: "check its owner, or specify another with AWS_CONFIG_FILE"
            )
        }
    }

    private static func text(_ bytes: [UInt8], of path: String) throws(EngineError) -> String {
        guard bytes.count <= maximumByteCount, let text = String(validating: bytes, as: UTF8.self) else {
            throw EngineError(
                .permission,
                "'\(path)' is not an AWS credentials file: it is larger than \(maximumByteCount) bytes, or not UTF-8",
                advice: "check it, or specify another with AWS_SHARED_CREDENTIALS_FILE"
            )
        }
        return text
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var rest = drop(while: \.isWhitespace)
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return rest
    }
}

extension String {
    fileprivate var unquoted: String {
        guard count >= 2, let first, first == last, first == "\"" || first == "'" else { return self }
        return String(dropFirst().dropLast())
    }
}

/// The parts of this process's environment that Amazon's own tools use.
struct AWSSurroundings: Sendable {
    /// Returns the value of an environment variable.
    let variable: @Sendable (String) -> String?

    static let ofProcess = AWSSurroundings { name in getenv(name).flatMap { String(validatingCString: $0) } }

    /// The value of a variable; `nil` if it is not set or empty.
    subscript(name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }

    /// The section of the files to use if no section is named.
    var profile: String { self["AWS_PROFILE"] ?? "default" }

    var credentialsFile: String? { self["AWS_SHARED_CREDENTIALS_FILE"] ?? home.map { $0 + "/.aws/credentials" } }

    private var configurationFile: String? { self["AWS_CONFIG_FILE"] ?? home.map { $0 + "/.aws/config" } }

    private var home: String? { self["HOME"] }

    /// Reads the settings of a profile other than its keys; `nil` if the profile does not exist.
    func configuration(of profile: String) throws(EngineError) -> [String: String]? {
        guard let path = configurationFile else { return nil }
        return try AWSProfiles.configuration(path)?[profile]
    }

    /// Returns the region for hosts that don't name theirs; `nil` if it is not set.
    func region(for origin: AWSSigning.Origin) throws(EngineError) -> String? {
        let named: String? = if case .profile(let name) = origin { name } else { nil }
        if let region = self["AWS_REGION"] ?? self["AWS_DEFAULT_REGION"] { return region }
        return try configuration(of: named ?? profile)?["region"]
    }
}

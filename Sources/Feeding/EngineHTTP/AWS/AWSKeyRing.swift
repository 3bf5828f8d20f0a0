import ContentFeeding
import JSONText
import Threads

/// A reader of the keys with which requests are signed, from wherever they are to come.
struct AWSKeyRing {
    let signing: AWSSigning
    var surroundings = AWSSurroundings.ofProcess
    /// Whether nobody is waiting any more, so that a command that prints keys is stopped.
    var isCancelled: @Sendable () -> Bool = { false }

    /// Reads the keys afresh.
    func load() async throws(EngineError) -> LoadedCredentials {
        switch signing.origin {
        case .environment:
            guard let keys = try environmentKeys() else { throw missing("AWS_ACCESS_KEY_ID is not set") }
            return keys
        case .profile(let name):
            let name = name ?? surroundings.profile
            guard let keys = try await profileKeys(name) else {
                throw missing(
                    "there is no profile '\(name)'",
                    advice: "see which there are: aws configure list-profiles"
                )
            }
            return keys
        case .container:
            guard let keys = try await AWSMetadata(surroundings).containerKeys() else {
                throw missing("no variable AWS_CONTAINER_CREDENTIALS_… is set, as it is in a container of Amazon's")
            }
            return keys
        case .instance: return try await AWSMetadata(surroundings).instanceKeys()
        case .first: return try await firstKeys()
        }
    }

    /// A place that has keys, but none that work, ends the search: Amazon's tools would use that place, too.
    private func firstKeys() async throws(EngineError) -> LoadedCredentials {
        if let keys = try environmentKeys() { return keys }
        if let keys = try await profileKeys(surroundings.profile) { return keys }
        if surroundings["AWS_PROFILE"] != nil {
            throw missing("there is no profile '\(surroundings.profile)', which AWS_PROFILE names")
        }
        if surroundings["AWS_WEB_IDENTITY_TOKEN_FILE"] != nil {
            throw missing("a web identity is not supported", advice: Self.other)
        }
        if let keys = try await AWSMetadata(surroundings).containerKeys() { return keys }
        do throws(EngineError) {
            return try await AWSMetadata(surroundings).instanceKeys()
        } catch {
            if error.code == .cancelled { throw error }
            throw missing("no variable, profile or container has any, and for an instance: \(error.message)")
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
        // A section that only has a region is none of keys.
        guard let key = ["sso_session", "sso_start_url", "role_arn"].first(where: { settings[$0] != nil }) else {
            return nil
        }
        throw missing("the profile '\(name)' has '\(key)', which is not supported", advice: Self.other)
    }

    /// What to do about keys that only Amazon's own tools know how to get.
    private static let other =
        "let the AWS command line get them: in a profile of ~/.aws/config, 'credential_process = "
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
            "there are no credentials in \(signing): \(reason)",
            advice: advice ?? "set them, or name another place: --credentials-aws \(AWSSigning.expectation)"
        )
    }
}

/// Keys as JSON, in the form that containers, instances and commands share.
enum AWSKeyText {
    /// The longest text that counts as keys, in bytes.
    static let maximumByteCount = 64 << 10

    /// Reads keys; no error quotes what was read.
    static func keys(
        _ bytes: [UInt8],
        token: String,
        from place: String
    ) throws(EngineError) -> LoadedCredentials {
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
            "the AWS credentials of \(place) are not in a known form",
            advice: "expected a key ID and a secret key, without spaces, and a token if they are temporary"
        )
    }
}

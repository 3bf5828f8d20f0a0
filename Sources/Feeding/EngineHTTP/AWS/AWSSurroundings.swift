import ContentFeeding
import Glibc

/// What this process is given by whoever started it, as far as Amazon's own tools heed it.
struct AWSSurroundings: Sendable {
    /// Returns the value of an environment variable.
    let variable: @Sendable (String) -> String?

    static let ofProcess = AWSSurroundings { name in getenv(name).flatMap { String(validatingCString: $0) } }

    /// The value of a variable; `nil` if it is not set or empty.
    subscript(name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }

    /// The section of the files to use if none is named.
    var profile: String { self["AWS_PROFILE"] ?? "default" }

    var credentialsFile: String? { self["AWS_SHARED_CREDENTIALS_FILE"] ?? home.map { $0 + "/.aws/credentials" } }

    private var configurationFile: String? { self["AWS_CONFIG_FILE"] ?? home.map { $0 + "/.aws/config" } }

    private var home: String? { self["HOME"] }

    /// Reads the settings of a profile that are no keys; `nil` if there is no such profile.
    func configuration(of profile: String) throws(EngineError) -> [String: String]? {
        guard let path = configurationFile else { return nil }
        return try AWSProfiles.configuration(path)?[profile]
    }

    /// Returns the region for hosts that don't name theirs; `nil` if nothing says it.
    func region(for origin: AWSSigning.Origin) throws(EngineError) -> String? {
        let named: String? = if case .profile(let name) = origin { name } else { nil }
        if let region = self["AWS_REGION"] ?? self["AWS_DEFAULT_REGION"] { return region }
        return try configuration(of: named ?? profile)?["region"]
    }
}

import EngineHTTP

/// The value of a setting, and who gave it.
///
/// A value is a place or a choice: credentials are named by where they are. Only a helper's command may hold a secret.
public struct Setting: Hashable, Sendable {
    public var key: ContextKey
    public var value: String
    public var origin: SettingOrigin

    public init(_ key: ContextKey, _ value: String, _ origin: SettingOrigin) {
        self.key = key
        self.value = value
        self.origin = origin
    }

    /// The value as it may be shown: of a helper only its name.
    public var shownValue: String {
        key == .credentialsHelper ? CredentialSource.shownText(ofHelper: value) : value
    }
}

/// Where the value of a setting was given.
public enum SettingOrigin: Hashable, Sendable {
    case option(String)
    /// A variable of the environment.
    case environment(String)
    /// The project's file, and a line of it.
    case projectFile(path: String, line: Int)
    /// The user's file, and a line of it.
    case userFile(path: String, line: Int)
    /// Nobody gave one.
    case standard

    /// The kind, as data has it.
    public var name: String {
        switch self {
        case .option: "option"
        case .environment: "environment"
        case .projectFile: "project-file"
        case .userFile: "user-file"
        case .standard: "default"
        }
    }

    /// The option, the variable, or file and line; `nil` for a default.
    public var place: String? {
        switch self {
        case .option(let name), .environment(let name): name
        case .projectFile(let path, let line), .userFile(let path, let line): "\(path):\(line)"
        case .standard: nil
        }
    }
}

extension SettingOrigin: CustomStringConvertible {
    /// As messages name it: `user file /home/u/.config/fastctl/config.yaml:4`.
    public var description: String {
        switch self {
        case .option(let name): name
        case .environment(let name): "environment \(name)"
        case .projectFile(let path, let line): "project file \(path):\(line)"
        case .userFile(let path, let line): "user file \(path):\(line)"
        case .standard: "default"
        }
    }
}

import ArgumentParsing
import ContentFeeding
public import EngineHTTP
import TextKit
import YAML

/// A setting's value and its origin.
///
/// A value never contains credentials, but may specify their location. Only the command of a helper may contain a
/// secret.
public struct Setting: Hashable, Sendable {
    /// The key of the setting.
    public var key: ContextKey
    /// The value, as text.
    public var value: String
    /// The origin of the value.
    public var origin: SettingOrigin

    /// Creates a setting.
    public init(_ key: ContextKey, _ value: String, _ origin: SettingOrigin) {
        self.key = key
        self.value = value
        self.origin = origin
    }

    /// The value for display, which for a helper is only the helper's name.
    public var shownValue: String {
        key == .credentialsHelper ? CommandLineWords.shownHelper(value) : value
    }
}

/// The origin of a setting's value.
public enum SettingOrigin: Hashable, Sendable {
    case option(String)
    /// An environment variable.
    case environment(String)
    /// The project's file, and the line in it.
    case projectFile(path: String, line: Int)
    /// The user's file, and the line in it.
    case userFile(path: String, line: Int)
    /// The default, because no value was given.
    case standard

    /// The name of the kind of origin in machine-readable output.
    public var name: String {
        switch self {
        case .option: "option"
        case .environment: "environment"
        case .projectFile: "project-file"
        case .userFile: "user-file"
        case .standard: "default"
        }
    }

    /// The option, the variable, or the file and line that set the value; `nil` for a default.
    public var place: String? {
        switch self {
        case .option(let name), .environment(let name): name
        case .projectFile(let path, let line), .userFile(let path, let line): "\(path):\(line)"
        case .standard: nil
        }
    }
}

extension SettingOrigin: CustomStringConvertible {
    /// The origin as written in messages: `user file /home/u/.config/fastctl/config.yaml:4`.
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

/// A setting of a context, by its key in the settings file; the command-line option has the same name.
public enum ContextKey: String, CodingKey, CaseIterable, Sendable {
    case target
    case profile
    case collection
    case collections
    case credentialsFile = "credentials-file"
    case credentialsVariable = "credentials-env"
    case credentialsHelper = "credentials-helper"
    case credentialsAWS = "credentials-aws"
    case regionAWS = "aws-region"
    case serviceAWS = "aws-service"
    case authorityFile = "ca-file"
    case clientCertificate = "client-cert"
    case clientKey = "client-key"
    case pin
    case proxy
    case requestTimeout = "request-timeout"
    case protected

    /// The keys whose value is a single string, which may also come from an option.
    static let texts = allCases.filter { $0 != .collections && $0 != .protected }

    /// The sources of credentials; only one of them is used.
    static let credentials: [ContextKey] = [
        .credentialsFile, .credentialsVariable, .credentialsHelper, .credentialsAWS,
    ]

    /// Whether the value is the path of a file.
    fileprivate var isPath: Bool {
        switch self {
        case .credentialsFile, .authorityFile, .clientCertificate, .clientKey: true
        default: false
        }
    }

    /// Whether a project's file must not contain the key.
    ///
    /// A project's file is written by other people, and these keys refer to secrets, trusted servers, or commands to
    /// run.
    var isPersonal: Bool {
        switch self {
        case .credentialsFile, .credentialsVariable, .credentialsHelper, .credentialsAWS, .authorityFile,
            .clientCertificate, .clientKey:
            true
        default: false
        }
    }

    /// Whether the key determines the destination of requests, the collection, or the trusted servers.
    var leadsElsewhere: Bool {
        switch self {
        case .target, .collection, .collections, .authorityFile, .pin, .proxy: true
        default: isPersonal
        }
    }
}

/// The settings from one source: the command line, the environment, or a file.
struct SettingLayer {
    private(set) var settings: [ContextKey: Setting] = [:]

    init(_ settings: [Setting]) {
        for setting in settings { self.settings[setting.key] = setting }
    }

    /// Creates a layer from a context in a file; its paths are relative to the file's folder, or to `home` if they
    /// begin with `~/`.
    init(_ entry: ContextEntry, of file: ContextFile, home: String?) {
        for (key, text) in entry.texts {
            let value = FilePaths(folder: file.folder, home: home).absolute(text.value, of: key)
            settings[key] = Setting(key, value, file.origin(text.place))
        }
        if let mark = entry.isProtected {
            settings[.protected] = Setting(.protected, mark.value ? "true" : "false", file.origin(mark.place))
        }
    }

    /// The groups of related settings; if a layer has one setting in a group, all settings of the group in lower layers
    /// are ignored.
    private static let groups = [ContextKey.credentials, [.clientCertificate, .clientKey]]

    /// Returns the combined settings of several layers, in which the first layer that has a setting takes precedence.
    static func merged(_ layers: [SettingLayer]) -> [ContextKey: Setting] {
        var result: [ContextKey: Setting] = [:]
        for layer in layers {
            let hidden = groups.filter { group in group.contains { result[$0] != nil } }.joined()
            for (key, setting) in layer.settings where result[key] == nil && !hidden.contains(key) {
                result[key] = setting
            }
            // A layer can't remove the protection that another layer has set.
            if layer.settings[.protected]?.value == "true" { result[.protected] = result[.protected].raised(to: layer) }
        }
        return result
    }
}

extension Setting? {
    fileprivate func raised(to layer: SettingLayer) -> Setting? {
        self?.value == "true" ? self : layer.settings[.protected]
    }
}

/// The paths in a settings file.
struct FilePaths {
    let folder: String
    let home: String?

    func absolute(_ text: String, of key: ContextKey) -> String {
        if key.isPath { return absolute(text) }
        let scheme = "sqlite:"
        guard key == .target, text.lowercased().hasPrefix(scheme), text.count > scheme.count else { return text }
        return scheme + absolute(String(text.dropFirst(scheme.count)))
    }

    /// Returns an absolute path.
    func absolute(_ path: String) -> String {
        if path.hasPrefix("/") || path.isEmpty { return path }
        if path.hasPrefix("~/"), let home { return home + path.dropFirst() }
        return folder + "/" + path
    }
}

extension ContextFile {
    /// The folder of the file.
    var folder: String {
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        return slash == path.startIndex ? "" : String(path[..<slash])
    }
}

/// The choice of a proxy, as written in options and settings files.
public enum ProxyText {
    /// The default value: the environment variables are used in the same way as in curl.
    public static let environment = "environment"

    /// The form of a proxy, for error messages.
    public static let expectation =
        "'none', 'environment', or an address without a password such as http://proxy:3128 or socks5h://proxy:1080"

    private static let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

    /// Returns the choice described by the text; `nil` if the text is invalid, or contains a user or a password.
    public static func choice(_ text: String) -> ProxyChoice? {
        if text == "none" { return ProxyChoice.none }
        if text == environment { return .environment }
        let parts = text.split(by: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, schemes.contains(String(parts[0])), !parts[1].isEmpty, text.utf8.count <= 1024,
            parts[1].utf8.allSatisfy({ 0x21...0x7E ~= $0 && !"@?#\\\"".utf8.contains($0) })
        else { return nil }
        return .url(text)
    }
}

/// The pins for a server's public key, in curl's notation.
public enum PinText {
    /// The form of a pin, for error messages.
    public static let expectation = "sha256//BASE64 of the server's public key, several separated by ';'"

    /// The maximum number of pins in one setting.
    private static let maximumPins = 16

    /// Returns whether each pin is a SHA-256 hash in base64: 43 characters followed by `=`.
    public static func isValid(_ text: String) -> Bool {
        let pins = text.split(separator: ";", omittingEmptySubsequences: false)
        return pins.count <= maximumPins && pins.allSatisfy(isPin)
    }

    private static func isPin(_ text: Substring) -> Bool {
        guard text.hasPrefix("sha256//"), text.hasSuffix("="), text.utf8.count == 8 + 44 else { return false }
        return text.utf8.dropFirst(8).dropLast().allSatisfy { $0.isLetterOrDigit || "+/".utf8.contains($0) }
    }
}

/// The name of an environment variable, as written in settings.
public enum VariableText {
    /// The form of a name, for error messages.
    public static let expectation = "a variable name: letters, digits and '_', not starting with a digit"

    /// Returns whether the text is a valid variable name.
    public static func isValid(_ text: String) -> Bool {
        guard let first = text.utf8.first, !first.isDigit else { return false }
        return text.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "_") }
    }
}

/// The command of a credential helper, as written in settings.
public enum HelperText {
    /// The form of a helper, for error messages.
    public static let expectation =
        "a command name without a slash, or a full path: a relative path depends on the current folder"

    /// Returns whether the text is a command that does not depend on the current folder.
    public static func isValid(_ text: String) -> Bool {
        // The words before a command may set environment variables.
        let words = text.split(whereSeparator: \.isWhitespace).drop { word in
            word.firstIndex(of: "=").map { VariableText.isValid(String(word[..<$0])) } ?? false
        }
        guard let command = words.first?.drop(while: { "'\"".contains($0) }) else { return false }
        return !command.contains("/") || ["/", "~/", "$HOME/"].contains { command.hasPrefix($0) }
    }
}

extension ConnectionOptions {
    /// Creates connection options from settings; options that are not set keep their defaults.
    init(_ settings: [ContextKey: Setting]) throws(EngineError) {
        self.init()
        if let variable = settings[.credentialsVariable], !VariableText.isValid(variable.value) {
            let expected = "expected \(VariableText.expectation)"
            throw Self.refusal(of: variable, "is not a valid name", advice: expected, isShown: false)
        }
        if let helper = settings[.credentialsHelper], !HelperText.isValid(helper.value) {
            let expected = "expected \(HelperText.expectation)"
            throw Self.refusal(of: helper, "begins with a relative path", advice: expected, isShown: false)
        }
        credentials = try Self.credentials(settings)
        tls.authorityFile = settings[.authorityFile]?.value
        tls.clientCertificateFile = settings[.clientCertificate]?.value
        tls.clientKeyFile = settings[.clientKey]?.value
        if let key = settings[.clientKey], settings[.clientCertificate] == nil {
            throw Self.refusal(of: key, "needs a certificate", advice: "set client-cert, too")
        }
        if let pin = settings[.pin] {
            guard PinText.isValid(pin.value) else {
                throw Self.refusal(of: pin, "is not a valid pin", advice: "expected \(PinText.expectation)")
            }
            tls.pinnedPublicKey = pin.value
        }
        if let text = settings[.proxy] {
            guard let choice = ProxyText.choice(text.value) else {
                // The value may contain a password, so it is not quoted.
                throw Self.refusal(
                    of: text,
                    "is not a valid proxy",
                    advice: "expected \(ProxyText.expectation)",
                    isShown: false
                )
            }
            proxy = choice
        }
        if let text = settings[.requestTimeout] {
            guard let limit = try? Duration(argument: text.value), limit > .zero else {
                throw Self.refusal(
                    of: text,
                    "is not a valid time limit",
                    advice: "expected a duration such as 30s or 5m"
                )
            }
            requestTimeout = limit
        }
    }

    private static func credentials(_ settings: [ContextKey: Setting]) throws(EngineError) -> CredentialSource? {
        if let path = settings[.credentialsFile] { return .file(path: path.value) }
        if let name = settings[.credentialsVariable] { return .environment(variable: name.value) }
        if let command = settings[.credentialsHelper] { return .helper(command: command.value) }
        return try AWSSigning(settings).map { .aws($0) }
    }

    private static func refusal(
        of setting: Setting,
        _ problem: String,
        advice: String,
        isShown: Bool = true
    ) -> EngineError {
        let value = isShown ? " '\(setting.value)'" : ""
        return EngineError(
            .rejected,
            "\(setting.origin): the value\(value) of \(setting.key.rawValue) \(problem)",
            advice: advice
        )
    }
}

/// The settings of signed requests, as written in options and settings files.
public enum AWSText {
    /// The sources of keys that do not need a name in addition.
    public static let sources = ["default", "environment", "profile", "container", "instance"]

    /// The allowed values for the source of keys, for error messages.
    public static let sourceExpectation = AWSSigning.expectation
    /// The allowed values for a region, for error messages.
    public static let regionExpectation = "a region such as eu-central-1"

    /// The services for which requests are signed.
    public static let services = AWSSigning.Service.allCases.map(\.rawValue)

    /// Returns whether the text is a valid source of keys.
    public static func isSource(_ text: String) -> Bool { AWSSigning.origin(text) != nil }

    /// Returns whether the text could be the name of a region.
    public static func isRegion(_ text: String) -> Bool { AWSSigning.isRegion(text) }
}

extension AWSSigning {
    /// Reads the settings for signing requests; `nil` if requests are not signed.
    init?(_ settings: [ContextKey: Setting]) throws(EngineError) {
        guard let setting = settings[.credentialsAWS] else { return nil }
        guard let origin = AWSSigning.origin(setting.value) else {
            // The value is not quoted, because it may be a key that was entered by mistake.
            throw EngineError(
                .rejected,
                "\(setting.origin): the value of \(setting.key.rawValue) is not a source of AWS credentials",
                advice: "expected \(AWSSigning.expectation)"
            )
        }
        self.init(origin)
        if let setting = settings[.regionAWS] {
            guard AWSSigning.isRegion(setting.value) else { throw setting.refusal(AWSText.regionExpectation) }
            region = setting.value
        }
        if let setting = settings[.serviceAWS] {
            service = Service(rawValue: setting.value)
            guard service != nil else { throw setting.refusal(AWSText.services.joined(separator: " or ")) }
        }
    }
}

extension Setting {
    fileprivate func refusal(_ expectation: String) -> EngineError {
        EngineError(
            .rejected,
            "\(origin): the value '\(value)' of \(key.rawValue) is not valid",
            advice: "expected \(expectation)"
        )
    }
}

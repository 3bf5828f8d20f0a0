/// What can be said of a context, by the key of the settings file; the option of the command line is called the same.
public enum ContextKey: String, CodingKey, CaseIterable, Sendable {
    case target
    case collection
    case collections
    case credentialsFile = "credentials-file"
    case credentialsVariable = "credentials-env"
    case credentialsHelper = "credentials-helper"
    case authorityFile = "ca-file"
    case clientCertificate = "client-cert"
    case clientKey = "client-key"
    case pin
    case proxy
    case requestTimeout = "request-timeout"
    case protected

    /// Those that are one text, and may come from an option too.
    static let texts = allCases.filter { $0 != .collections && $0 != .protected }

    /// Of these, one counts: where credentials come from.
    static let credentials: [ContextKey] = [.credentialsFile, .credentialsVariable, .credentialsHelper]

    /// Those whose text is the path of a file.
    var isPath: Bool {
        switch self {
        case .credentialsFile, .authorityFile, .clientCertificate, .clientKey: true
        default: false
        }
    }

    /// Those that a project's file may not have: what it says is other people's word, and these are secrets of ours,
    /// or commands that would run.
    var isPersonal: Bool {
        switch self {
        case .credentialsFile, .credentialsVariable, .credentialsHelper, .clientCertificate, .clientKey: true
        default: false
        }
    }

    /// Those that decide where requests go, to which collection, and whom they trust.
    var leadsElsewhere: Bool {
        switch self {
        case .target, .collection, .collections, .authorityFile, .pin, .proxy: true
        default: isPersonal
        }
    }
}

/// Where credentials come from: never from an argument, which every user of the machine can read.
///
/// A description shows the place and never the secret. What is found there is one line in one of three forms:
///
/// - `user:password` for basic authentication; the password begins after the first colon;
/// - `Bearer TOKEN`;
/// - `ApiKey KEY`, as Elasticsearch wants it.
public enum CredentialSource: Hashable, Sendable {
    /// A file that only its owner can read.
    case file(path: String)
    /// A variable of the environment.
    case environment(variable: String)
    /// A command for `/bin/sh` that prints them.
    ///
    /// It gets no input; its messages go where ours go.
    case helper(command: String)

    /// The variable that is asked where nothing else is said.
    public static let standardVariable = "FASTCTL_CREDENTIALS"

    /// Whether asking again can give something else.
    var canChange: Bool {
        switch self {
        case .file, .helper: true
        case .environment: false
        }
    }

    /// What to do about wrong ones.
    var advice: String {
        switch self {
        case .file(let path): "put the right ones into '\(path)'"
        case .environment(let variable): "set \(variable) to the right ones"
        case .helper: "make the helper print the right ones"
        }
    }
}

/// Of a helper only its name is shown: what follows may be a secret, as may a variable that is set before it.
extension CredentialSource: CustomStringConvertible, CustomReflectable {
    /// The place, as it can follow `the credentials of`.
    public var description: String {
        switch self {
        case .file(let path): "the file '\(path)'"
        case .environment(let variable): "the variable \(variable)"
        case .helper(let command): "the helper '\(Self.name(of: command))'"
        }
    }

    public var customMirror: Mirror { Mirror(self, children: []) }

    /// A helper's command as it may be shown: its name, and `…` for what follows.
    public static func shownText(ofHelper command: String) -> String {
        let name = name(of: command)
        return name == command ? command : "\(name) …"
    }

    private static func name(of command: String) -> Substring {
        command.prefix { !$0.isWhitespace && $0 != "=" }.prefix(shownLength)
    }

    /// In characters of a helper's name.
    private static let shownLength = 60
}

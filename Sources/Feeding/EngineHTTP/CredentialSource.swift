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

extension CredentialSource: CustomStringConvertible {
    /// The place, as it can follow `the credentials of`.
    public var description: String {
        switch self {
        case .file(let path): "the file '\(path)'"
        case .environment(let variable): "the variable \(variable)"
        case .helper(let command): "the helper '\(command.prefix(Self.shownCommandLength))'"
        }
    }

    private static let shownCommandLength = 60
}

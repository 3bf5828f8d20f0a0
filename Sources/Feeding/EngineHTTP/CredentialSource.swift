/// Where credentials come from: never from an argument, which every user of the machine can read.
///
/// A description shows the place and never the secret.
public enum CredentialSource: Hashable, Sendable {
    /// A file that only its owner can read.
    case file(path: String)
    /// A variable of the environment.
    case environment(variable: String)
    /// A command that prints them.
    case helper(command: String)
}

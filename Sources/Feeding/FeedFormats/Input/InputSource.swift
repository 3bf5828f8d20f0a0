/// Where IDs or documents come from.
public enum InputSource: Hashable, Sendable {
    /// Given on the command line: for `remove` each is an ID, else each is a document in JSON. The format doesn't count.
    case arguments([String])
    /// A regular file, a named pipe, or a device like `/dev/stdin`.
    case file(String)
    case standardInput

    /// What a rejection and a message call it.
    public var name: String {
        switch self {
        case .arguments: "argument"
        case .file(let path): path
        case .standardInput: "standard input"
        }
    }
}

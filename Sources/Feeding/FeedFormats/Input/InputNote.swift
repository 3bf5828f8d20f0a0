/// Something about an input that its owner should know, and that is no error.
public enum InputNote: Hashable, Sendable {
    /// The input starts with a UTF-16 byte-order mark and is read as UTF-16; PowerShell's `>` writes such files.
    case transcodedFromUTF16(source: String)
}

extension InputNote: CustomStringConvertible {
    public var description: String {
        switch self {
        case .transcodedFromUTF16(let source): "\(source) is UTF-16; it is read as such"
        }
    }
}

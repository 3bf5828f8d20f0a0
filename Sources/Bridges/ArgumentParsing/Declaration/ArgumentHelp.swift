/// What help says of one argument: `help: "Remove from this collection"`.
public struct ArgumentHelp: Sendable, ExpressibleByStringInterpolation {
    public var text: String
    /// Works, but no help, manual or completion tells of it.
    public var isHidden = false

    public init(stringLiteral text: String) { self.text = text }

    /// For what exists but is not for everyone: `help: .hidden("Keep temporary files")`.
    public static func hidden(_ text: String) -> Self {
        var help = Self(stringLiteral: text)
        help.isHidden = true
        return help
    }
}

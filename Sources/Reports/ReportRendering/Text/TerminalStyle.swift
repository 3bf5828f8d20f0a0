/// How words look on a terminal: one of the eight basic colors, bold or not.
///
/// A color never says what the words don't say, because half of the readers don't see it.
public struct TerminalStyle: Hashable, Sendable {
    /// The parameters of the sequence that switches it on; empty for none.
    let parameters: String

    public static let plain = TerminalStyle(parameters: "")
    public static let bold = TerminalStyle(parameters: "1")
    public static let red = TerminalStyle(parameters: "31")
    public static let boldRed = TerminalStyle(parameters: "1;31")
    public static let yellow = TerminalStyle(parameters: "33")
    public static let boldYellow = TerminalStyle(parameters: "1;33")
    public static let cyan = TerminalStyle(parameters: "36")
}

extension [UInt8] {
    /// Appends what `body` appends, in a style if the layout has any.
    mutating func append(_ style: TerminalStyle, _ layout: TextLayout, _ body: (inout [UInt8]) -> Void) {
        guard layout.isColored, style != .plain else { return body(&self) }
        append(text: "\u{1B}[\(style.parameters)m")
        body(&self)
        append(text: "\u{1B}[0m" as StaticString)
    }
}

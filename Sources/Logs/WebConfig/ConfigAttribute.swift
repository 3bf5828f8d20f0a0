/// An attribute of an element, and where its value stands.
public struct ConfigAttribute: Sendable, Hashable {
    /// As written, with its prefix.
    public var name: String
    /// With references such as `&amp;` resolved.
    public var value: String
    /// Where the value's first character stands, behind the quote: line and column, in characters, from 1.
    public var line: Int
    public var column: Int

    public init(name: String, value: String, line: Int, column: Int) {
        self.name = name
        self.value = value
        self.line = line
        self.column = column
    }
}

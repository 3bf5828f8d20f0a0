/// An attribute: what it says, and which bytes its value is.
public struct SourceAttribute: Hashable, Sendable {
    /// As written, with its prefix.
    public var name: String
    /// The value with its references resolved.
    public var text: String
    /// The bytes of the value as it is written, without the quotes.
    public var value: Range<Int>
    public var isDoubleQuoted: Bool

    public init(name: String, text: String, value: Range<Int>, isDoubleQuoted: Bool) {
        self.name = name
        self.text = text
        self.value = value
        self.isDoubleQuoted = isDoubleQuoted
    }
}

extension SourceAttribute {
    /// Whether it declares a namespace and is no attribute to those who know about namespaces.
    public var isNamespaceDeclaration: Bool { name == "xmlns" || name.hasPrefix("xmlns:") }
}

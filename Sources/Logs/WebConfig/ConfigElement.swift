/// An element of a web.config.
public struct ConfigElement: Sendable, Hashable {
    /// Local names from below `configuration`, without `location`: `system.web/trace`.
    public var path: String
    /// The `path` of the `location` element it stands in; `nil` outside of one, empty for a location without path.
    public var location: String?
    /// As written, without declarations of namespaces.
    public var attributes: [ConfigAttribute]
    /// Where its start tag begins: line and column, in characters, from 1.
    public var line: Int
    public var column: Int
    /// Where its start tag ends: the last character's place.
    public var lineEnd: Int
    public var columnEnd: Int

    public init(
        path: String,
        location: String? = nil,
        attributes: [ConfigAttribute] = [],
        line: Int,
        column: Int,
        lineEnd: Int,
        columnEnd: Int
    ) {
        self.path = path
        self.location = location
        self.attributes = attributes
        self.line = line
        self.column = column
        self.lineEnd = lineEnd
        self.columnEnd = columnEnd
    }

    /// The value of an attribute; `nil` when it is not there.
    public subscript(attribute: String) -> String? { attributes.first { $0.name == attribute }?.value }
}

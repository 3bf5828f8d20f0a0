/// A start tag: what it says, and which bytes of the file it is.
public struct SourceElement: Hashable, Sendable {
    /// As written, with its prefix.
    public var name: String
    /// From its `<` to behind its `>`.
    public var tag: Range<Int>
    /// How many elements it stands in; 0 for the root.
    public var depth: Int
    /// In the order in which they are written.
    public var attributes: [SourceAttribute]

    public init(name: String, tag: Range<Int>, depth: Int, attributes: [SourceAttribute]) {
        self.name = name
        self.tag = tag
        self.depth = depth
        self.attributes = attributes
    }
}

/// What one web.config says, element by element, each with its place.
public struct WebConfigFile: Sendable, Hashable {
    public var source: WebConfigSource

    /// All elements below `configuration`, in document order.
    public var elements: [ConfigElement]

    public init(source: WebConfigSource, elements: [ConfigElement]) {
        self.source = source
        self.elements = elements
    }

    /// The elements with a path such as `system.web/trace`, inside of `location` elements too.
    ///
    /// Section and element names are compared as they are written: .NET's configuration is case-sensitive.
    public func elements(at path: String) -> [ConfigElement] { elements.filter { $0.path == path } }
}

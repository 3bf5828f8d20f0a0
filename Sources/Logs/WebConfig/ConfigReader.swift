import XMLStream

/// Turns the tags of a document into the elements of a configuration.
struct ConfigReader {
    private let map: SourceMap
    /// The elements that are open below the root: their local names, `nil` for `location`.
    private var names: [String?] = []
    private var location: String?
    private var elements: [ConfigElement] = []
    private var pathBytes = 0

    /// The most bytes of all paths together: a hostile file has long names, deep down, many times.
    private static let maximumPathBytes = 64 << 20

    private init(_ map: SourceMap) { self.map = map }

    /// Returns the elements below `configuration`.
    static func elements(of bytes: [UInt8], source: WebConfigSource) throws(WebConfigError) -> [ConfigElement] {
        let map: SourceMap
        do {
            map = try SourceMap(bytes)
        } catch {
            throw WebConfigError(error, source: source)
        }
        guard let root = map.elements.first, root.localName == "configuration" else {
            let place = map.elements.first.map { map.place(of: $0.tag.lowerBound) }
            throw WebConfigError(
                code: .notWebConfig,
                source: source,
                line: place?.line,
                column: place?.column,
                message: "its root element is '\(map.elements.first?.name.prefix(80) ?? "")', not 'configuration'",
                advice: "give a web.config"
            )
        }
        var reader = ConfigReader(map)
        for element in map.elements.dropFirst() {
            reader.add(element)
            guard reader.pathBytes <= maximumPathBytes else {
                throw WebConfigError(
                    code: .tooLarge,
                    source: source,
                    line: map.place(of: element.tag.lowerBound).line,
                    message: "the names of its elements are too long",
                    advice: "check that this is a web.config"
                )
            }
        }
        return reader.elements
    }

    private mutating func add(_ element: SourceElement) {
        let level = element.depth - 1
        names.removeSubrange(max(0, min(level, names.count))...)
        if level == 0 { location = nil }
        // .NET knows `location` right below the root only; elsewhere it is a name like any other.
        if level == 0, element.localName == "location" {
            location = element.attributes.first { $0.name == "path" }?.text ?? ""
            return names.append(nil)
        }
        names.append(element.localName)
        let (first, last) = (map.place(of: element.tag.lowerBound), map.lastPlace(of: element))
        let path = names.compactMap(\.self).joined(separator: "/")
        pathBytes += path.utf8.count
        elements.append(
            ConfigElement(
                path: path,
                location: location,
                attributes: element.attributes.compactMap(attribute),
                line: first.line,
                column: first.column,
                lineEnd: last.line,
                columnEnd: last.column
            )
        )
    }

    private func attribute(_ attribute: SourceAttribute) -> ConfigAttribute? {
        guard !attribute.isNamespaceDeclaration else { return nil }
        let place = map.place(of: attribute.value.lowerBound)
        return ConfigAttribute(name: attribute.name, value: attribute.text, line: place.line, column: place.column)
    }
}

extension SourceElement {
    /// The name without its prefix: which prefix stands for .NET's namespace is the author's to choose.
    fileprivate var localName: String { name.split(separator: ":").last.map(String.init) ?? name }
}

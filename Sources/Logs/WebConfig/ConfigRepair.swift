import Files
import XMLStream

/// A value to be written in place of another.
public struct ConfigChange: Sendable, Hashable {
    /// The element that is changed.
    public var element: ConfigElement
    /// The attribute as it is written now.
    public var attribute: ConfigAttribute
    /// The new value.
    public var value: String

    /// Creates a change of an attribute.
    public init(element: ConfigElement, attribute: ConfigAttribute, value: String) {
        self.element = element
        self.attribute = attribute
        self.value = value
    }
}

/// A web.config with other values: no byte differs but those of the values.
public struct ConfigRepair: Sendable {
    /// The file.
    public let source: WebConfigSource
    /// The bytes as they are.
    public let original: [UInt8]
    /// The bytes as they will be.
    public let repaired: [UInt8]
    /// The changes, from the beginning of the file.
    public let changes: [Change]

    /// A change, with its start tag before and after it.
    public struct Change: Sendable, Hashable {
        /// The change.
        public let change: ConfigChange
        /// The tag as written, with secrets left out.
        public let before: String
        /// The line afterwards.
        public let after: String
    }

    /// Reads a file and plans what `changes` names.
    ///
    /// What comes out is read again: unless it differs in these values alone, the file is refused.
    public init(
        _ source: WebConfigSource,
        changing changes: (WebConfigFile) throws(WebConfigError) -> [ConfigChange]
    ) throws(WebConfigError) {
        self.source = source
        do throws(FileError) {
            original = try SmallFile.read(source.path, maximum: WebConfigFile.maximumBytes)
        } catch {
            throw WebConfigError(error, source: source)
        }
        let file = try WebConfigFile(original, source: source)
        let wanted = try changes(file)
        let map: SourceMap
        do {
            map = try SourceMap(original)
        } catch {
            throw WebConfigError(error, source: source)
        }
        var replacements: [(SourceAttribute, String)] = []
        var planned: [Change] = []
        for change in wanted {
            guard let (element, attribute) = map.find(change) else { throw Self.lost(change, source) }
            replacements.append((attribute, change.value))
            planned.append(
                Change(
                    change: change,
                    before: map.text(of: element, as: change.element, [:]),
                    after: map.text(of: element, as: change.element, [attribute.name: change.value])
                )
            )
        }
        self.changes = planned.sorted {
            ($0.change.attribute.line, $0.change.attribute.column)
                < ($1.change.attribute.line, $1.change.attribute.column)
        }
        repaired = map.replacingValues(replacements)
        guard try WebConfigFile(repaired, source: source).has(only: wanted, since: file) else {
            throw Self.lost(wanted.first, source)
        }
    }

    private static func lost(_ change: ConfigChange?, _ source: WebConfigSource) -> WebConfigError {
        WebConfigError(
            code: .refused,
            source: source,
            line: change?.attribute.line,
            column: change?.attribute.column,
            message: "this value can't be changed alone; nothing was written",
            advice: "change it by hand, and report this file"
        )
    }
}

extension SourceMap {
    /// Returns the element and the attribute that a change is about, by their places.
    fileprivate func find(_ change: ConfigChange) -> (SourceElement, SourceAttribute)? {
        for element in elements where place(of: element.tag.lowerBound) == (change.element.line, change.element.column)
        {
            let attribute = element.attributes.first { attribute in
                attribute.name == change.attribute.name
                    && place(of: attribute.value.lowerBound) == (change.attribute.line, change.attribute.column)
            }
            if let attribute { return (element, attribute) }
        }
        return nil
    }

    /// Returns a start tag for people: its attributes in their order, with other values, and without secrets.
    fileprivate func text(of element: SourceElement, as config: ConfigElement, _ values: [String: String]) -> String {
        let attributes = element.attributes.map { attribute in
            let written = ConfigAttribute(name: attribute.name, value: attribute.text, line: 0, column: 0)
            let value = config.isSecret(written) ? "…" : values[attribute.name] ?? attribute.text
            return " \(attribute.name)=\"\(value)\""
        }
        return "<\(element.name)\(attributes.joined())>"
    }
}

extension WebConfigFile {
    /// Whether this is another file with these changes made, and nothing else.
    fileprivate func has(only changes: [ConfigChange], since other: WebConfigFile) -> Bool {
        guard elements.count == other.elements.count else { return false }
        return zip(elements, other.elements).allSatisfy { new, old in
            let wanted = changes.filter { $0.element == old }
            return new.path == old.path && new.location == old.location
                && new.attributes.count == old.attributes.count
                && zip(new.attributes, old.attributes).allSatisfy { now, before in
                    let change = wanted.first { $0.attribute == before }
                    return now.name == before.name && now.value == change?.value ?? before.value
                }
        }
    }
}

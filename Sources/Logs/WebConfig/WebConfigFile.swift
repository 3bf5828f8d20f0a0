import Files
import XMLStream

/// The content of one web.config, element by element, each with its place.
public struct WebConfigFile: Sendable, Hashable {
    /// Where the file is from.
    public var source: WebConfigSource

    /// All elements below `configuration`, in document order.
    public var elements: [ConfigElement]

    /// Creates a file of elements that were read elsewhere.
    public init(source: WebConfigSource, elements: [ConfigElement]) {
        self.source = source
        self.elements = elements
    }

    /// Returns the elements with a path such as `system.web/trace`, including those inside `location` elements.
    ///
    /// Section and element names are compared as written: .NET's configuration is case-sensitive.
    public func elements(at path: String) -> [ConfigElement] { elements.filter { $0.path == path } }

    /// Returns whether elements with a path may be in a section that this file does not show; see
    /// ``ConfigElement/isElsewhere``.
    public func hidesElements(at path: String) -> Bool {
        elements.contains { $0.isElsewhere && path.hasPrefix($0.path + "/") }
    }
}

extension WebConfigFile {
    /// The largest file that is read, in bytes; IIS itself accepts 250 KB by default.
    public static let maximumBytes = 16 << 20

    /// Reads a file.
    public static func read(_ source: WebConfigSource) throws(WebConfigError) -> WebConfigFile {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try SmallFile.read(source.path, maximum: maximumBytes)
        } catch {
            throw WebConfigError(error, source: source)
        }
        return try WebConfigFile(bytes, source: source)
    }

    /// Reads the bytes of a file.
    ///
    /// A file that has a DOCTYPE, is in an unknown encoding or is not well-formed is refused.
    public init(_ bytes: [UInt8], source: WebConfigSource) throws(WebConfigError) {
        self.init(source: source, elements: try ConfigReader.elements(of: bytes, source: source))
        try refuseWrongCase()
    }

    /// Throws if a known section or attribute is written in the wrong case.
    ///
    /// ASP.NET refuses such a file, so it is not as if the setting were absent.
    private func refuseWrongCase() throws(WebConfigError) {
        for element in elements {
            let path = element.path.lowercased()
            guard let known = ConfigSetting.known.first(where: { $0.element.lowercased() == path }) else { continue }
            if element.path != known.element {
                throw wrongCase(element.path, known.element, line: element.line, column: element.column)
            }
            // Sections of others, such as SharePoint's, have readers of their own.
            guard known.element.hasPrefix("system.web/") else { continue }
            let names = ConfigSetting.attributes(of: known.element)
            for attribute in element.attributes where !names.contains(attribute.name) {
                guard let name = names.first(where: { $0.lowercased() == attribute.name.lowercased() }) else {
                    continue
                }
                throw wrongCase(attribute.name, name, line: attribute.line, column: attribute.column)
            }
        }
    }

    private func wrongCase(_ found: String, _ name: String, line: Int, column: Int) -> WebConfigError {
        WebConfigError(
            code: .refused,
            source: source,
            line: line,
            column: column,
            message: "'\(found.prefix(80))' is in the wrong case: ASP.NET refuses the file",
            advice: "write '\(name)'"
        )
    }
}

extension WebConfigFile {
    /// The known settings: each where it is written, and its default where the file does not set it outside `location`.
    public var settings: [ConfigSettingValue] {
        ConfigSetting.known.flatMap { setting -> [ConfigSettingValue] in
            let written = elements(at: setting.element).compactMap { ConfigSettingValue(setting, in: $0) }
            let isSet = elements(at: setting.element).contains { element in
                element.isForWholeSite && ConfigSettingValue(setting, in: element) != nil
            }
            if setting.isMachineWide || isSet { return written }
            return [ConfigSettingValue(setting: setting, value: setting.defaultValue, isWritten: false)] + written
        }
    }
}

extension ConfigSettingValue {
    /// Creates the value that an element gives a setting; `nil` if it gives none.
    fileprivate init?(_ setting: ConfigSetting, in element: ConfigElement) {
        let elsewhere = ["configSource": "external", "configProtectionProvider": "encrypted"]
        if let attribute = element.attributes.first(where: { elsewhere[$0.name] != nil }) {
            self.init(setting, in: element, value: elsewhere[attribute.name] ?? "", at: attribute)
        } else if setting.element == MachineKey.element {
            let summary = MachineKey.summary(of: element)
            self.init(setting, in: element, value: summary.value, at: summary.attribute)
        } else if let attribute = element.attributes.first(where: { $0.name == setting.attribute }) {
            self.init(setting, in: element, value: attribute.value, at: attribute)
        } else {
            return nil
        }
    }

    private init(_ setting: ConfigSetting, in element: ConfigElement, value: String, at attribute: ConfigAttribute?) {
        self.init(
            setting: setting,
            location: element.location,
            value: value,
            isWritten: true,
            line: attribute?.line ?? element.line,
            column: attribute?.column ?? element.column
        )
    }
}

/// A reader that turns the tags of a document into the elements of a configuration.
private struct ConfigReader {
    private let map: SourceMap
    /// Local names of the elements open below the root; `nil` for `location`.
    private var names: [String?] = []
    private var location: String?
    private var elements: [ConfigElement] = []
    private var pathBytes = 0

    /// The most bytes in all paths together: a hostile file has long names, deeply nested, many times over.
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
                advice: "use a web.config"
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
        // .NET recognizes `location` only directly below the root; elsewhere it is a name like any other.
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
    /// The name without its prefix: authors may choose any prefix for .NET's namespace.
    fileprivate var localName: String { name.split(separator: ":").last.map(String.init) ?? name }
}

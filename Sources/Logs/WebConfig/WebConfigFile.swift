import Files
import TextKit
import XMLStream

/// The contents of a web.config file: its elements, each with its place.
public struct WebConfigFile: Sendable, Hashable {
    /// The source of the file.
    public var source: WebConfigSource

    /// All elements below `configuration`, in document order.
    public var elements: [ConfigElement]

    /// Creates a file from elements that were read elsewhere.
    public init(source: WebConfigSource, elements: [ConfigElement]) {
        self.source = source
        self.elements = elements
    }

    /// Returns the elements with a path such as `system.web/trace`, including those inside `location` elements.
    ///
    /// Section and element names are compared as written, because .NET's configuration is case-sensitive.
    public func elements(at path: String) -> [ConfigElement] { elements.filter { $0.path == path } }

    /// Returns whether elements with a path may be in a section whose contents this file does not show; see
    /// ``ConfigElement/isElsewhere``.
    public func hidesElements(at path: String) -> Bool {
        elements.contains { $0.isElsewhere && path.hasPrefix($0.path + "/") }
    }
}

extension WebConfigFile {
    /// The maximum size of a file that is read, in bytes; IIS itself accepts 250 KB by default.
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
    /// A file that has a DOCTYPE, is in an unknown encoding or is not well-formed is rejected.
    public init(_ bytes: [UInt8], source: WebConfigSource) throws(WebConfigError) {
        self.init(source: source, elements: try ConfigReader.elements(of: bytes, source: source))
        try refuseWrongCase()
    }

    /// Throws an error if a known section or attribute is written in the wrong case.
    ///
    /// ASP.NET rejects the file in this case, so the error is not the same as an absent setting.
    private func refuseWrongCase() throws(WebConfigError) {
        for element in elements {
            let path = element.path.lowercased()
            guard let known = ConfigSetting.known.first(where: { $0.element.lowercased() == path }) else { continue }
            if element.path != known.element {
                throw wrongCase(element.path, known.element, line: element.line, column: element.column)
            }
            // Sections of other products, such as SharePoint, have their own readers.
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
            message: "'\(found.prefix(80))' is in the wrong case; ASP.NET refuses the file",
            advice: "write '\(name)'"
        )
    }
}

extension WebConfigFile {
    /// The known settings: each place where a setting is written, and its default if the file does not set it outside
    /// of any `location`.
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
    /// Creates the value that an element gives a setting; `nil` if there is none.
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
    /// The local names of the elements that are open below the root; `nil` for `location`.
    private var names: [String?] = []
    private var location: String?
    private var elements: [ConfigElement] = []
    private var pathBytes = 0

    /// The maximum number of bytes in all paths together, because a hostile file may contain many deeply nested long
    /// names.
    private static let maximumPathBytes = 64 << 20

    private static let transformNamespace = "http://schemas.microsoft.com/XML-Document-Transform"

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
        // A server's web.config has no use for this namespace, regardless of the element that declares it.
        if map.elements.contains(where: { $0.attributes.contains { $0.text == transformNamespace } }) {
            throw WebConfigError(
                code: .notWebConfig,
                source: source,
                line: map.place(of: root.tag.lowerBound).line,
                message: "it is a transformation (XDT), which changes a web.config, not a server's web.config",
                advice: "use a server's web.config"
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
        // .NET recognizes `location` only directly below the root; elsewhere, it is an ordinary name.
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
    /// The name without its prefix, because authors may choose any prefix for .NET's namespace.
    fileprivate var localName: String { name.split(separator: ":").last.map(String.init) ?? name }
}

/// An element of a web.config file.
public struct ConfigElement: Sendable, Hashable {
    /// The local names below `configuration`, without `location`, as in `system.web/trace`.
    public var path: String
    /// The `path` of the enclosing `location` element; `nil` outside of any, and empty for a location without a path.
    public var location: String?
    /// The attributes as written, without namespace declarations.
    public var attributes: [ConfigAttribute]
    /// The line of the start tag's first character, counted from 1.
    public var line: Int
    /// The column of its first character, in characters counted from 1.
    public var column: Int
    /// The line of the start tag's last character.
    public var lineEnd: Int
    /// The column after its last character.
    public var columnEnd: Int

    /// Creates an element.
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

    /// Whether the element is outside of any `location`, or in one that covers the entire site.
    public var isForWholeSite: Bool { location.map { ["", "."].contains($0) } ?? true }

    /// Whether the element's content is in another file (`configSource`) or encrypted.
    public var isElsewhere: Bool { attributes.contains { Self.elsewhere.contains($0.name) } }

    private static let elsewhere = ["configSource", "configProtectionProvider"]

    /// Returns the value of an attribute; `nil` if it is absent.
    public subscript(attribute: String) -> String? { attributes.first { $0.name == attribute }?.value }
}

extension ConfigElement {
    /// Returns whether an attribute's value is a key, a password or a connection string, which no report may show.
    ///
    /// In `<add key="ApiKey" value="…"/>`, the other attribute shows that the value is secret; the value itself may
    /// also show this. In case of doubt, the value counts as secret, because omitted values can still be requested.
    public func isSecret(_ attribute: ConfigAttribute) -> Bool {
        if Self.soundsSecret(attribute.name) || Self.looksSecret(attribute.value) { return true }
        guard attribute.name.lowercased() == "value" else { return false }
        return ["key", "name"].contains { self[$0].map(Self.soundsSecret) ?? false }
    }

    /// Returns whether a name denotes a secret: `validationKey`, `connectionString`, `smtpPassword`.
    private static func soundsSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        // This is the public half of a signature, which is part of every assembly's name.
        guard name != "publickeytoken", name != "publickey" else { return false }
        return name != "key" && name.hasSuffix("key") || secretWords.contains { name.contains($0) }
    }

    /// Returns whether a value contains a password.
    private static func looksSecret(_ value: String) -> Bool {
        let value = value.lowercased().filter { !$0.isWhitespace }
        return secretFields.contains { value.contains($0) }
    }

    private static let secretWords = [
        "password", "passwd", "passphrase", "pwd", "secret", "token", "credential", "connectionstring", "apikey",
        "accesskey", "accountkey", "privatekey", "sharedkey", "validationkey", "decryptionkey", "encryptionkey",
    ]

    private static let secretFields = ["password=", "pwd=", "accountkey=", "sharedaccesskey=", "sharedsecret="]
}

/// An attribute of an element, and the place of its value.
public struct ConfigAttribute: Sendable, Hashable {
    /// The name as written, with its prefix.
    public var name: String
    /// The value, with references such as `&amp;` resolved.
    public var value: String
    /// The line of the value's first character, after the quote, counted from 1.
    public var line: Int
    /// The column of its first character, in characters counted from 1.
    public var column: Int

    /// Creates an attribute.
    public init(name: String, value: String, line: Int, column: Int) {
        self.name = name
        self.value = value
        self.line = line
        self.column = column
    }
}

/// A summary of the keys that sign and encrypt view state, without the keys themselves.
enum MachineKey {
    static let element = "system.web/machineKey"
    static let absent = "absent"

    /// Returns whether the keys are written in the file or generated by each server, which is .NET's default for each
    /// key.
    static func summary(of element: ConfigElement) -> (value: String, attribute: ConfigAttribute?) {
        let explicit = element.attributes.first { attribute in
            ["validationKey", "decryptionKey"].contains(attribute.name)
                && !attribute.value.lowercased().contains("autogenerate")
        }
        return (explicit == nil ? "generated" : "explicit", explicit)
    }
}

/// A setting that is relevant to the problems of a site, and .NET's default for it.
public struct ConfigSetting: Sendable, Hashable {
    /// The setting's common name.
    public var name: String
    /// The path of its element, such as `system.web/trace`.
    public var element: String
    /// The attribute; `nil` if several attributes determine the value together.
    public var attribute: String?
    /// The value that applies if the setting is not written.
    public var defaultValue: String
    /// Whether only machine.config can contain the setting, so that its absence is not significant.
    public var isMachineWide: Bool

    private init(
        _ name: String,
        _ element: String,
        _ attribute: String?,
        default value: String,
        isMachineWide: Bool = false
    ) {
        self.name = name
        self.element = element
        self.attribute = attribute
        defaultValue = value
        self.isMachineWide = isMachineWide
    }
}

extension ConfigSetting {
    /// All known settings.
    ///
    /// The defaults are those documented by Microsoft: "trace Element", "compilation Element", "customErrors Element",
    /// "machineKey Element" and "deployment Element", each in "ASP.NET Settings Schema"; `SafeMode` in "Working with
    /// Web.config Files" of the SharePoint SDK.
    public static let known = [
        ConfigSetting("ASP.NET tracing", "system.web/trace", "enabled", default: "false"),
        ConfigSetting("trace output on pages", "system.web/trace", "pageOutput", default: "false"),
        ConfigSetting("trace viewer on the server only", "system.web/trace", "localOnly", default: "true"),
        ConfigSetting("debug compilation", "system.web/compilation", "debug", default: "false"),
        ConfigSetting("custom errors", "system.web/customErrors", "mode", default: "RemoteOnly"),
        ConfigSetting("call stack on error pages", "SharePoint/SafeMode", "CallStack", default: "false"),
        ConfigSetting("machine key", MachineKey.element, nil, default: MachineKey.absent),
        ConfigSetting("retail deployment", "system.web/deployment", "retail", default: "false", isMachineWide: true),
    ]
}

extension ConfigSetting {
    /// Returns the names of an element's attributes that settings depend on.
    static func attributes(of element: String) -> [String] {
        known.filter { $0.element == element }
            .flatMap { $0.attribute.map { [$0] } ?? ["validationKey", "decryptionKey"] }
    }
}

/// The value of a setting in a single place in a file.
public struct ConfigSettingValue: Sendable, Hashable {
    /// The setting.
    public var setting: ConfigSetting
    /// The `path` of the `location` that it applies to; `nil` outside of any.
    public var location: String?
    /// The value as written; `external` if it is in another file, `encrypted` if it cannot be read; for a machine key,
    /// only `explicit`, `generated` or `absent`.
    public var value: String
    /// Whether the file sets the value; otherwise, the value is the default, which a file at a higher level may have
    /// changed.
    public var isWritten: Bool
    /// The line where the value is written, counted from 1; `nil` if it is not written.
    public var line: Int?
    /// The column where the value is written; `nil` if it is not written.
    public var column: Int?

    /// Creates a setting's value.
    public init(
        setting: ConfigSetting,
        location: String? = nil,
        value: String,
        isWritten: Bool,
        line: Int? = nil,
        column: Int? = nil
    ) {
        self.setting = setting
        self.location = location
        self.value = value
        self.isWritten = isWritten
        self.line = line
        self.column = column
    }

    /// The attribute's name.
    public var name: String { setting.name }
    /// The element's path.
    public var element: String { setting.element }
}

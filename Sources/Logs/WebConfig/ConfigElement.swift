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

extension ConfigElement {
    /// Whether an attribute's value is a key, a password or a connection string, which no report may show.
    ///
    /// In `<add key="ApiKey" value="…"/>` it is the neighbour's text that tells, and a value may betray itself. In doubt
    /// it is secret: a report that shows too little can be asked again.
    public func isSecret(_ attribute: ConfigAttribute) -> Bool {
        if Self.soundsSecret(attribute.name) || Self.looksSecret(attribute.value) { return true }
        guard attribute.name.lowercased() == "value" else { return false }
        return ["key", "name"].contains { self[$0].map(Self.soundsSecret) ?? false }
    }

    /// Whether a name is that of a secret: `validationKey`, `connectionString`, `smtpPassword`.
    private static func soundsSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        // A signature's public half; it stands in every assembly's name.
        guard name != "publickeytoken", name != "publickey" else { return false }
        return name != "key" && name.hasSuffix("key") || secretWords.contains { name.contains($0) }
    }

    /// Whether a value holds a password in the midst of other things.
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

/// What is said of the keys that sign and encrypt view state: never the keys.
enum MachineKey {
    static let element = "system.web/machineKey"
    static let absent = "absent"

    /// Whether the keys are written out, or made by each server for itself, which is .NET's default for each of them.
    static func summary(of element: ConfigElement) -> (value: String, attribute: ConfigAttribute?) {
        let explicit = element.attributes.first { attribute in
            ["validationKey", "decryptionKey"].contains(attribute.name)
                && !attribute.value.lowercased().contains("autogenerate")
        }
        return (explicit == nil ? "generated" : "explicit", explicit)
    }
}

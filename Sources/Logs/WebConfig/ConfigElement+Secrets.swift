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

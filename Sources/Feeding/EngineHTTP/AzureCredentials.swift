import ContentFeeding

/// The proof of who we are to an account of Azure Storage.
package struct AzureCredentials: Hashable, Sendable {
    enum Secret: Hashable {
        /// The account's key, with which requests are signed; it is never sent.
        case key([UInt8])
        /// A shared access signature: parameters that are sent with each request.
        case signature(String)
    }

    /// The account's name, if it was said; else the address tells.
    let account: String?
    let secret: Secret

    /// The form of the credentials, as advice names it.
    package static let forms = "a connection string, AccountKey=KEY or a SAS such as sv=…&sig=…"

    /// The environment variables that Azure's own tools read, the first that is set counting.
    package static let variables = [
        "AZURE_STORAGE_CONNECTION_STRING", "AZURE_STORAGE_KEY", "AZURE_STORAGE_SAS_TOKEN",
    ]

    /// Returns the text of a variable in the form of this type: one of the variables holds a bare key.
    static func text(_ value: [UInt8], ofVariable variable: String) -> [UInt8] {
        variable == "AZURE_STORAGE_KEY" ? Array("AccountKey=".utf8) + value : value
    }

    /// Reads a connection string, a part of it, or the parameters of a signature.
    ///
    /// `nil` if the line is nothing of that kind; throws if it is, and can't be used.
    init?(_ line: Substring) throws(Problem) {
        var fields: [String: Substring] = [:]
        for part in line.split(separator: ";") {
            guard let sign = part.firstIndex(of: "=") else { continue }
            fields[part[..<sign].lowercased().filter { $0 != " " }] = part[part.index(after: sign)...]
        }
        account = fields["accountname"].map(String.init)
        if let text = fields["accountkey"] {
            guard let key = Base64.bytes(text), (1...256).contains(key.count) else {
                throw Problem(words: "contain an account's key that is not base64")
            }
            secret = .key(key)
        } else if let text = fields["sharedaccesssignature"] ?? (Self.isSignature(line) ? line : nil) {
            let text = text.first == "?" ? text.dropFirst() : text
            guard Self.isSignature(text) else { throw Problem(words: "contain a SAS without sv or sig") }
            secret = .signature(String(text))
        } else {
            return nil
        }
        guard account.map(Self.isAccount) ?? true else {
            throw Problem(words: "contain an account's name that is not valid")
        }
    }

    /// What is wrong with credentials, worded to follow where they come from.
    struct Problem: Error { let words: String }

    private static func isSignature(_ text: Substring) -> Bool {
        let text = text.first == "?" ? text.dropFirst() : text
        // A `#` would hide what follows it.
        guard text.utf8.count <= 4_096, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x23 }) else {
            return false
        }
        let names = text.split(separator: "&").map { $0.prefix { $0 != "=" } }
        return names.contains("sv") && names.contains("sig")
            && names.allSatisfy { $0.utf8.count <= 6 && $0.utf8.allSatisfy { (0x61...0x7A).contains($0) } }
    }

    private static func isAccount(_ text: String) -> Bool {
        (3...24).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
    }

    /// When a signature ends, as it says itself.
    var end: String? {
        guard case .signature(let query) = secret else { return nil }
        guard let part = query.split(separator: "&").first(where: { $0.hasPrefix("se=") }) else { return nil }
        return String(part.dropFirst(3)).replacing("%3A", with: ":").replacing("%3a", with: ":")
    }
}

/// Hides the secret in every printed form.
extension AzureCredentials: CustomStringConvertible, CustomReflectable {
    package var description: String { "(credentials)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

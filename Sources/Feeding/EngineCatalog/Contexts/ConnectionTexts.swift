public import EngineHTTP

/// Through which proxy, as options and settings files write it.
public enum ProxyText {
    /// What the variables of the environment say, as curl reads them: the default.
    public static let environment = "environment"

    public static let expectation =
        "'none', 'environment', or an address without a password such as http://proxy:3128 or socks5h://proxy:1080"

    private static let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

    /// What the text means; `nil` where it means nothing, or holds a user or a password.
    public static func choice(_ text: String) -> ProxyChoice? {
        if text == "none" { return ProxyChoice.none }
        if text == environment { return .environment }
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, schemes.contains(String(parts[0])), !parts[1].isEmpty, text.utf8.count <= 1024,
            parts[1].utf8.allSatisfy({ 0x21...0x7E ~= $0 && !"@?#\\\"".utf8.contains($0) })
        else { return nil }
        return .url(text)
    }
}

/// The pins of a server's public key, as curl writes them.
public enum PinText {
    public static let expectation = "sha256//BASE64 of the server's public key, several separated by ';'"

    /// The most pins of one setting.
    private static let maximumPins = 16

    /// A pin is a SHA-256 in base64: 43 characters and a `=`.
    public static func isValid(_ text: String) -> Bool {
        let pins = text.split(separator: ";", omittingEmptySubsequences: false)
        return pins.count <= maximumPins && pins.allSatisfy(isPin)
    }

    private static func isPin(_ text: Substring) -> Bool {
        guard text.hasPrefix("sha256//"), text.hasSuffix("="), text.utf8.count == 8 + 44 else { return false }
        return text.utf8.dropFirst(8).dropLast().allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"): true
            default: false
            }
        }
    }
}

/// The name of a variable of the environment, as settings write it.
public enum VariableText {
    public static let expectation = "the name of a variable: letters, digits and '_', no digit first"

    public static func isValid(_ text: String) -> Bool {
        guard let first = text.utf8.first, !isDigit(first) else { return false }
        return text.utf8.allSatisfy { isDigit($0) || $0 == UInt8(ascii: "_") || isLetter($0) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}

/// The command of a credential helper, as settings write it.
public enum HelperText {
    public static let expectation =
        "a command that is found by its name alone, or its whole path: a relative one is another in each folder"

    public static func isValid(_ text: String) -> Bool {
        // What stands before a command may set its environment.
        let words = text.split(whereSeparator: \.isWhitespace).drop { word in
            word.firstIndex(of: "=").map { VariableText.isValid(String(word[..<$0])) } ?? false
        }
        guard let command = words.first?.drop(while: { "'\"".contains($0) }) else { return false }
        return !command.contains("/") || ["/", "~/", "$HOME/"].contains { command.hasPrefix($0) }
    }
}

import ContentFeeding
import HTTPClient

/// Reads the one line that a ``CredentialSource`` gives.
enum CredentialText {
    /// The longest text that is taken for credentials, in bytes.
    static let maximumByteCount = 16 << 10

    /// The forms, as advice names them.
    static let forms = "one line: user:password, Bearer TOKEN or ApiKey KEY"

    /// No error quotes what was read.
    static func credentials(_ bytes: [UInt8], from source: CredentialSource) throws(EngineError) -> HTTPCredentials {
        guard bytes.count <= maximumByteCount else {
            throw refusal(source, "are longer than \(maximumByteCount) bytes")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw refusal(source, "are not UTF-8") }
        let line = withoutLineEnd(text)
        guard !line.isEmpty else { throw refusal(source, "are empty") }
        guard line.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw refusal(source, "are more than one line, or hold a control character")
        }
        if let token = rest(of: line, after: "bearer ") {
            return .bearer(token: try word(token, "token", source))
        }
        if let key = rest(of: line, after: "apikey ") { return .apiKey(try word(key, "key", source)) }
        guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            throw refusal(source, "are in none of the known forms")
        }
        let (user, password) = (line[..<colon], line[line.utf8.index(after: colon)...])
        guard !user.isEmpty, !password.isEmpty else { throw refusal(source, "lack the user or the password") }
        return .basic(user: String(user), password: String(password))
    }

    /// Editors and `echo` end a line; nobody's password ends with one.
    private static func withoutLineEnd(_ text: String) -> Substring {
        var bytes = text.utf8[...]
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return Substring(bytes)
    }

    private static func rest(of line: Substring, after scheme: String) -> Substring? {
        line.prefix(scheme.count).lowercased() == scheme ? line.dropFirst(scheme.count) : nil
    }

    /// A token or a key stands in a header as it is.
    private static func word(
        _ text: Substring,
        _ name: String,
        _ source: CredentialSource
    ) throws(EngineError) -> String {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw refusal(source, "hold a \(name) that is empty, or has characters that no \(name) has")
        }
        return String(text)
    }

    private static func refusal(_ source: CredentialSource, _ problem: String) -> EngineError {
        EngineError(.permission, "the credentials of \(source) \(problem)", advice: "expected \(forms)")
    }
}

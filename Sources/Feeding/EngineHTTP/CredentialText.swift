import ContentFeeding
import Files
import HTTPClient

/// A parser of the one line that a ``CredentialSource`` yields.
enum CredentialText {
    /// The longest text that counts as credentials, in bytes.
    static let maximumByteCount = 16 << 10

    /// The forms, as advice names them.
    static let forms = "one line: user:password, Bearer TOKEN or ApiKey KEY"

    /// Parses credentials; no error quotes what was read.
    static func credentials(_ bytes: [UInt8], from source: CredentialSource) throws(EngineError) -> LoadedCredentials {
        guard bytes.count <= maximumByteCount else {
            throw refusal(source, "are longer than \(maximumByteCount) bytes")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw refusal(source, "are not UTF-8") }
        let (line, end) = try split(withoutLineEnd(text), source)
        guard !line.isEmpty else { throw refusal(source, "are empty") }
        guard line.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw refusal(source, "are more than one line or contain a control character")
        }
        guard rest(of: line, after: "authorization:") == nil else {
            throw refusal(source, "are a whole header; leave out 'Authorization:'")
        }
        if let token = rest(of: line, after: "bearer ") {
            return LoadedCredentials(.sent(.bearer(token: try word(token, "token", source))), end: end)
        }
        if let key = rest(of: line, after: "apikey ") {
            return LoadedCredentials(.sent(.apiKey(try word(key, "key", source))))
        }
        do throws(AzureCredentials.Problem) {
            if let azure = try AzureCredentials(line) { return LoadedCredentials(.azure(azure), end: end) }
        } catch {
            throw refusal(source, error.words, expected: AzureCredentials.forms)
        }
        guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            throw refusal(source, "are not in a known form")
        }
        let (user, password) = (line[..<colon], line[line.utf8.index(after: colon)...])
        guard !user.isEmpty, !password.isEmpty else { throw refusal(source, "lack a user or a password") }
        return LoadedCredentials(.sent(.basic(user: String(user), password: String(password))), end: end)
    }

    /// Separates the credentials from a second line that says when they end, if there is one.
    private static func split(
        _ text: Substring,
        _ source: CredentialSource
    ) throws(EngineError) -> (line: Substring, end: WallTime?) {
        guard let place = text.utf8.firstIndex(of: UInt8(ascii: "\n")) else { return (text, nil) }
        guard let value = rest(of: text[text.utf8.index(after: place)...], after: "expires: ") else {
            return (text, nil)
        }
        guard let end = WallTime(iso8601: value) else {
            throw refusal(source, "end at a time that can't be read", expected: "expires: 2026-11-23T15:00:00Z")
        }
        return (withoutLineEnd(text[...place]), end)
    }

    /// Removes a line end: editors and `echo` add one; nobody's password ends with one.
    private static func withoutLineEnd(_ text: some StringProtocol) -> Substring {
        var bytes = Substring(text).utf8
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return Substring(bytes)
    }

    private static func rest(of line: Substring, after scheme: String) -> Substring? {
        line.prefix(scheme.count).lowercased() == scheme ? line.dropFirst(scheme.count) : nil
    }

    /// Checks a token or a key, which goes into a header as it is.
    private static func word(
        _ text: Substring,
        _ name: String,
        _ source: CredentialSource
    ) throws(EngineError) -> String {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw refusal(source, "contain a \(name) that is empty or has invalid characters")
        }
        return String(text)
    }

    private static func refusal(
        _ source: CredentialSource,
        _ problem: String,
        expected: String = forms
    ) -> EngineError {
        EngineError(.permission, "the credentials from \(source) \(problem)", advice: "expected \(expected)")
    }
}

/// A reader of credentials files that are not open to others.
enum CredentialFile {
    /// Permissions allowed besides the owner's: the group may read a file that root owns.
    private static func allowedForOthers(_ file: SmallFile) -> UInt32 { file.owner == 0 ? 0o040 : 0 }

    /// Reads the file, or enough of it to show that it is too large.
    static func read(_ path: String) throws(EngineError) -> [UInt8] {
        let file: SmallFile
        do throws(FileError) { file = try SmallFile(path) } catch { throw failure(error) }
        return try read(file, path, maximum: CredentialText.maximumByteCount)
    }

    /// Reads a file as ``read(_:)`` does; returns `nil` if there is none.
    static func readIfPresent(_ path: String, maximum: Int) throws(EngineError) -> [UInt8]? {
        let file: SmallFile
        do throws(FileError) {
            file = try SmallFile(path)
        } catch {
            if error.isMissing { return nil }
            throw failure(error)
        }
        return try read(file, path, maximum: maximum)
    }

    private static func read(_ file: SmallFile, _ path: String, maximum: Int) throws(EngineError) -> [UInt8] {
        let others = file.permissions & 0o077 & ~allowedForOthers(file)
        guard others == 0 else {
            let mode = String(file.permissions & 0o777, radix: 8)
            throw EngineError(
                .permission,
                "the credentials file '\(path)' is open to other users (mode 0\(mode))",
                advice: "make it private: chmod 600 '\(path)'"
            )
        }
        do throws(FileError) {
            return try file.prefix(maximum + 1)
        } catch { throw failure(error) }
    }

    private static func failure(_ error: FileError) -> EngineError {
        guard error.code != nil else {
            return EngineError(
                .permission,
                "'\(error.path)' can't hold credentials: it is not a regular file",
                advice: "use a regular file, or a command with --credentials-helper"
            )
        }
        return EngineError(
            .permission,
            "the credentials file '\(error.path)' can't be read: \(error.reason)",
            advice: "check its path and its owner"
        )
    }
}

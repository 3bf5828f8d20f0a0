import ContentFeeding
import Files

/// The sections of the files that Amazon's own tools keep: `~/.aws/credentials` and `~/.aws/config`.
struct AWSProfiles {
    /// The settings of each section, by its name.
    private var sections: [String: [String: String]] = [:]

    /// The largest file, in bytes.
    private static let maximumByteCount = 1 << 20
    private static let maximumNameBytes = 256

    /// Reads the text of such a file; lines that mean nothing are passed over, as Amazon's tools do.
    ///
    /// `isConfiguration`: sections but `default` are called `profile NAME`, and others are of no account.
    init(_ text: String, isConfiguration: Bool = false) {
        var name: String?
        for line in text.split(whereSeparator: \.isNewline) {
            // An indented line belongs to a setting that has parts.
            guard let first = line.first, !first.isWhitespace, first != "#", first != ";" else { continue }
            if first == "[" {
                let words = line.dropFirst().prefix { $0 != "]" }.split(whereSeparator: \.isWhitespace)
                name = Self.name(words, isConfiguration)
            } else if let name, let equals = line.firstIndex(of: "=") {
                let key = line[..<equals].trimmed.lowercased()
                sections[name, default: [:]][key] = String(line[line.index(after: equals)...].trimmed)
            }
        }
    }

    private static func name(_ words: [Substring], _ isConfiguration: Bool) -> String? {
        if isConfiguration, words.count > 1, words[0] == "profile" {
            return words.dropFirst().joined(separator: " ").unquoted
        }
        let name = words.joined(separator: " ").unquoted
        return isConfiguration && name != "default" ? nil : name
    }

    /// Returns the settings of one section; `nil` if there is no such section.
    subscript(name: String) -> [String: String]? { sections[name] }

    /// Returns whether the text can name a section.
    static func isName(_ text: Substring) -> Bool {
        (1...maximumNameBytes).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != "]" }
    }

    /// Reads a file with keys, which must not be open to others; `nil` if it does not exist.
    static func credentials(_ path: String) throws(EngineError) -> AWSProfiles? {
        guard let bytes = try CredentialFile.readIfPresent(path, maximum: maximumByteCount) else { return nil }
        return try AWSProfiles(text(bytes, of: path))
    }

    /// Reads a file without keys; `nil` if it does not exist.
    static func configuration(_ path: String) throws(EngineError) -> AWSProfiles? {
        do throws(FileError) {
            let bytes = try SmallFile.read(path, maximum: maximumByteCount)
            return AWSProfiles(String(decoding: bytes, as: UTF8.self), isConfiguration: true)
        } catch {
            if error.isMissing { return nil }
            throw EngineError(
                .permission,
                "'\(path)' can't be read: \(error.reason)",
                advice: "check its owner, or name another with AWS_CONFIG_FILE"
            )
        }
    }

    private static func text(_ bytes: [UInt8], of path: String) throws(EngineError) -> String {
        guard bytes.count <= maximumByteCount, let text = String(validating: bytes, as: UTF8.self) else {
            throw EngineError(
                .permission,
                "'\(path)' is no file of AWS credentials: it is larger than \(maximumByteCount) bytes, or not UTF-8",
                advice: "check it, or name another with AWS_SHARED_CREDENTIALS_FILE"
            )
        }
        return text
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var rest = drop(while: \.isWhitespace)
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return rest
    }
}

extension String {
    fileprivate var unquoted: String {
        guard count >= 2, let first, first == last, first == "\"" || first == "'" else { return self }
        return String(dropFirst().dropLast())
    }
}

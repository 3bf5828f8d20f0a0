import ArgumentParsing
public import ContentFeeding
import Files
import Glibc
import YAML

/// A settings file: its contexts, and which of them is current.
public struct ContextFile: Sendable {
    /// The author of a settings file.
    public enum Owner: Hashable, Sendable {
        /// This user: `config.yaml` below `XDG_CONFIG_HOME`.
        case user
        /// The author of the folder that we are in: `fastctl.yaml`.
        case project
    }

    /// The path of the file.
    public let path: String
    /// Whose contexts the file has.
    public let owner: Owner
    /// The text as it is in the file, for edits that change nothing else.
    public let text: String
    let document: ContextDocument

    /// Reads a file; returns `nil` if it does not exist.
    static func read(_ path: String, owner: Owner) throws(EngineError) -> ContextFile? {
        guard let source = try ConfigurationText.read(path) else { return nil }
        if owner == .project, !source.isOwn {
            throw EngineError(
                .rejected,
                "'\(path)' belongs to someone else, and may lead to a target of theirs",
                advice: "use --target to name the target, or become the owner of the file"
            )
        }
        let file = try ContextFile(path: path, owner: owner, text: source.text)
        let risk =
            if source.isWritableForAll {
                "\(path): everyone can change this file, and so lead you anywhere"
            } else if source.isWritableForOthers, let helper = file.helper {
                "\(path):\(helper.place): others can change this file, and it names a command to run"
            } else {
                String?.none
            }
        if let risk {
            throw EngineError(.permission, risk, advice: "remove that permission: chmod go-w '\(path)'")
        }
        return file
    }

    init(path: String, owner: Owner, text: String) throws(EngineError) {
        self.path = path
        self.owner = owner
        self.text = text
        let lines = text.split(whereSeparator: \.isNewline)
        if lines.allSatisfy({ $0.drop(while: \.isWhitespace).first.map { $0 == "#" } ?? true }) {
            document = ContextDocument()
            return
        }
        do throws(YAMLError) {
            document = try YAMLDecoder().decode(from: text)
        } catch {
            throw EngineError(
                .rejected,
                "\(path):\(error)",
                advice: "correct that line; nothing was sent",
                cause: error
            )
        }
        for entry in contexts {
            try checkName(entry.key)
            for collection in entry.value.collections?.entries ?? [] { try checkName(collection.key) }
            try check(entry.value, named: entry.key.value)
        }
        for profile in profiles { try checkName(profile.key) }
    }

    var contexts: [YAMLMapping<ContextEntry>.Entry] { document.contexts?.entries ?? [] }

    /// The names of its contexts, in the file's order.
    public var names: [String] { document.contexts?.keys ?? [] }

    /// The name of the context used if none is named.
    public var current: String? { document.current?.value }

    func origin(_ place: Place) -> SettingOrigin {
        owner == .user ? .userFile(path: path, line: place.line) : .projectFile(path: path, line: place.line)
    }

    private var helper: Located<String>? { contexts.lazy.compactMap { $0.value.texts[.credentialsHelper] }.first }

    /// Refuses names of a project's file that mean something to a shell: completion would offer them, and advice
    /// would show them to copy.
    private func checkName(_ name: Located<String>) throws(EngineError) {
        guard owner == .project, !PlainName.isPlain(name.value) else { return }
        throw EngineError(
            .rejected,
            "\(path):\(name.place): a project's file cannot have the name '\(name.value)'",
            advice: "others wrote that file, and a shell may run such a name: \(PlainName.expectation)"
        )
    }

    private func check(_ entry: ContextEntry, named name: String) throws(EngineError) {
        let credentials = ContextKey.credentials.filter { entry.texts[$0] != nil }
        if credentials.count > 1, let place = entry.texts[credentials[1]]?.place {
            let names = credentials.map(\.rawValue).joined(separator: " and ")
            throw EngineError(
                .rejected,
                "\(path):\(place): the context '\(name)' has \(names)",
                advice: "credentials come from one place only: keep one of them"
            )
        }
        guard owner == .project else { return }
        for key in ContextKey.allCases where key.isPersonal {
            guard let value = entry.texts[key] else { continue }
            throw EngineError(
                .rejected,
                "\(path):\(value.place): a project's file cannot have '\(key.rawValue)'",
                advice: "otherwise the author of this folder would choose which secrets are read, who is trusted, and "
                    + "what runs: set it in your own file with 'fastctl contexts add', or use --\(key.rawValue)"
            )
        }
    }
}

/// A context as written in a settings file: texts, each with its place.
struct ContextEntry: Equatable, Decodable {
    /// The settings that are a single text, by key.
    var texts: [ContextKey: Located<String>] = [:]
    /// The user's names for collections, with the engine's.
    var collections: YAMLMapping<Located<String>>?
    var isProtected: Located<Bool>?

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ContextKey.self)
        for key in ContextKey.texts {
            texts[key] = try container.decodeIfPresent(Located<String>.self, forKey: key)
        }
        collections = try container.decodeIfPresent(YAMLMapping<Located<String>>.self, forKey: .collections)
        isProtected = try container.decodeIfPresent(Located<Bool>.self, forKey: .protected)
    }

    /// Returns the place of `key`, if the context sets it.
    func place(of key: ContextKey) -> Place? {
        switch key {
        case .collections: collections?.entries.first?.key.place
        case .protected: isProtected?.place
        default: texts[key]?.place
        }
    }

    /// The context without its places, for comparing two.
    var meaning: [String] {
        texts.map { "\($0.key.rawValue)=\($0.value.value)" }.sorted()
            + (collections?.entries.map { "\($0.key.value)>\($0.value.value)" } ?? [])
            + ["\(isProtected?.value ?? false)"]
    }
}

/// The contents of a whole settings file.
struct ContextDocument: Decodable {
    var current: Located<String>?
    var contexts: YAMLMapping<ContextEntry>?
    var profiles: YAMLMapping<ProfileEntry>?
}

/// The rules for a context's name.
public enum ContextName {
    /// The longest name, in bytes.
    public static let maximumByteCount = 64

    /// Throws if a name would be hard to type, or to tell from an option or a path.
    public static func check(_ name: String) throws(EngineError) {
        guard !isValid(name) else { return }
        throw EngineError(
            .invalidName,
            "'\(name.prefix(maximumByteCount))' is not a valid context name",
            advice: "use letters, digits, '.', '-' and '_', at most \(maximumByteCount) of them, no '-' first"
        )
    }

    static func isValid(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= maximumByteCount && name.utf8.first != UInt8(ascii: "-")
            && name.utf8.allSatisfy(isPlain)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: ".-_".utf8.contains(byte)
        }
    }
}

/// The text of a settings file: bounded, from a regular file, and with the facts about its owner and permissions.
private struct ConfigurationText {
    let text: String
    /// Whether someone other than its owner can change it, at least its group.
    let isWritableForOthers: Bool
    /// Whether everyone can change it.
    let isWritableForAll: Bool
    /// Whether it belongs to this user or to root.
    let isOwn: Bool

    /// The largest settings file, in bytes.
    static let maximumByteCount = 1 << 20

    /// Reads a file; returns `nil` if it does not exist.
    static func read(_ path: String) throws(EngineError) -> ConfigurationText? {
        let file: SmallFile
        let bytes: [UInt8]
        do throws(FileError) {
            file = try SmallFile(path)
            bytes = try file.bytes(maximum: maximumByteCount)
        } catch {
            if error.isMissing { return nil }
            throw failure(error)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw EngineError(.rejected, "\(path): not UTF-8", advice: "save it as UTF-8")
        }
        return ConfigurationText(
            text: text,
            isWritableForOthers: file.permissions & 0o022 != 0,
            isWritableForAll: file.permissions & 0o002 != 0,
            isOwn: file.owner == geteuid() || file.owner == 0
        )
    }

    private static func failure(_ error: FileError) -> EngineError {
        let path = error.path
        if error.isShortage { return EngineError(.exhausted, "cannot read '\(path)': \(error.reason)") }
        return switch error.reason {
        case .system(let code):
            EngineError(
                code == EACCES || code == EPERM ? .permission : .inputOutput,
                "cannot read '\(path)': \(error.reason)",
                advice: "make it readable, or name the target with --target ADDRESS"
            )
        case .tooLarge: EngineError(.rejected, "\(path): larger than \(maximumByteCount) bytes")
        default: EngineError(.rejected, "'\(path)' is not a settings file", advice: "move it out of the way")
        }
    }
}

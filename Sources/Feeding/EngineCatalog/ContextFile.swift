import ArgumentParsing
public import ContentFeeding
import Files
import Glibc
import TextKit
import YAML

/// A settings file: its contexts, and the name of the current one.
public struct ContextFile: Sendable {
    /// The author of a settings file.
    public enum Owner: Hashable, Sendable {
        /// The current user: the file is `config.yaml` below `XDG_CONFIG_HOME`.
        case user
        /// The author of the current project: the file is `fastctl.yaml` in the project's folder.
        case project
    }

    /// The path of the file.
    public let path: String
    /// The author of the file.
    public let owner: Owner
    /// The text of the file, for edits that leave the rest of the file unchanged.
    public let text: String
    let document: ContextDocument

    /// Reads a file; returns `nil` if the file does not exist.
    static func read(_ path: String, owner: Owner) throws(EngineError) -> ContextFile? {
        guard let source = try ConfigurationText.read(path, owner) else { return nil }
        if owner == .project, !source.isOwn {
            throw EngineError(
                .rejected,
                "'\(path)' belongs to another user, and may specify that user's target",
                advice: "use --target to specify the target, or become the owner of the file"
            )
        }
        let file = try ContextFile(path: path, owner: owner, text: source.text)
        let risk =
            if source.isWritableForAll {
                "\(path): everyone can change this file, and so redirect you to any target"
            } else if source.isWritableForOthers, let helper = file.helper {
                "\(path):\(helper.place): others can change this file, and it specifies a command to run"
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
            // A link may refer to any file, and error messages quote the file's contents.
            let isLink = FileLink.isOne(path)
            let masked = "\(error.place): not a settings file; it is a link, so its contents are not quoted"
            throw EngineError(
                .rejected,
                "\(path):\(isLink ? masked : "\(error)")",
                advice: "correct that line; nothing was sent",
                cause: isLink ? nil : error
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

    /// The names of the contexts, in the file's order.
    public var names: [String] { document.contexts?.keys ?? [] }

    /// The name of the context that is used if none is specified.
    public var current: String? { document.current?.value }

    func origin(_ place: Place) -> SettingOrigin {
        owner == .user ? .userFile(path: path, line: place.line) : .projectFile(path: path, line: place.line)
    }

    private var helper: Located<String>? { contexts.lazy.compactMap { $0.value.texts[.credentialsHelper] }.first }

    /// Rejects names in a project's file that contain shell metacharacters, because completion would offer such names,
    /// and users would copy them from advice.
    private func checkName(_ name: Located<String>) throws(EngineError) {
        guard owner == .project, !PlainName.isPlain(name.value) else { return }
        throw EngineError(
            .rejected,
            "\(path):\(name.place): a project file cannot use the name '\(name.value)'",
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
                advice: "credentials can come from only one source: keep one of them"
            )
        }
        guard owner == .project else { return }
        for key in ContextKey.allCases where key.isPersonal {
            guard let value = entry.texts[key] else { continue }
            throw EngineError(
                .rejected,
                "\(path):\(value.place): a project file cannot set '\(key.rawValue)'",
                advice:
                    "otherwise the author of this folder would choose which secrets are read, which servers are trusted, and "
                    + "which commands run: set it in your own file with 'fastctl contexts add', or use --\(key.rawValue)"
            )
        }
    }
}

/// A context in its written form in a settings file: values, each with its position.
struct ContextEntry: Equatable, Decodable {
    /// The settings with a single value, by key.
    var texts: [ContextKey: Located<String>] = [:]
    /// The user's names for collections, each with the engine's name.
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

    /// Returns the position of `key`, if the context sets it.
    func place(of key: ContextKey) -> Place? {
        switch key {
        case .collections: collections?.entries.first?.key.place
        case .protected: isProtected?.place
        default: texts[key]?.place
        }
    }

    /// The context without positions, for comparisons.
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
    /// The maximum length of a name, in bytes.
    public static let maximumByteCount = 64

    /// Throws if a name would be hard to type or could be confused with an option or a path.
    public static func check(_ name: String) throws(EngineError) {
        guard !isValid(name) else { return }
        throw EngineError(
            .invalidName,
            "'\(name.prefix(maximumByteCount))' is not a valid context name",
            advice: "use at most \(maximumByteCount) letters, digits, '.', '-' and '_', not starting with '-'"
        )
    }

    static func isValid(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= maximumByteCount && name.utf8.first != UInt8(ascii: "-")
            && name.utf8.allSatisfy(isPlain)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || ".-_".utf8.contains(byte)
    }
}

/// The text of a settings file: limited in size, read from a regular file, with its owner and permissions.
private struct ConfigurationText {
    let text: String
    /// Whether users other than the owner, at least those in the group, can change the file.
    let isWritableForOthers: Bool
    /// Whether all users can change the file.
    let isWritableForAll: Bool
    /// Whether the file is owned by this user or by root.
    let isOwn: Bool

    /// The maximum size of a settings file, in bytes.
    static let maximumByteCount = 1 << 20

    /// Reads a file; returns `nil` if the file does not exist.
    ///
    /// A project's file is read automatically, and errors and commands quote it. It must not be a symbolic link,
    /// because a link may refer to any file, whose contents could end up in a build log.
    static func read(_ path: String, _ owner: ContextFile.Owner) throws(EngineError) -> ConfigurationText? {
        let file: SmallFile
        let bytes: [UInt8]
        do throws(FileError) {
            file = try SmallFile(path, followsLinks: owner == .user)
            bytes = try file.bytes(maximum: maximumByteCount)
        } catch {
            if error.isMissing { return nil }
            throw failure(error, owner)
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

    private static func failure(_ error: FileError, _ owner: ContextFile.Owner) -> EngineError {
        let path = error.path
        if error.isShortage { return EngineError(.exhausted, "cannot read '\(path)': \(error.reason)") }
        return switch error.reason {
        case .system(ELOOP) where owner == .project:
            EngineError(
                .rejected,
                "'\(path)' is a link, and a project file is not read through a link",
                advice: "replace the link with the file itself"
            )
        case .system(let code):
            EngineError(
                code == EACCES || code == EPERM ? .permission : .inputOutput,
                "cannot read '\(path)': \(error.reason)",
                advice: "make it readable, or specify the target with --target ADDRESS"
            )
        case .tooLarge: EngineError(.rejected, "\(path): larger than \(maximumByteCount) bytes")
        default: EngineError(.rejected, "'\(path)' is not a settings file", advice: "move it out of the way")
        }
    }
}

/// The settings files in effect: the user's and the project's.
public struct ContextFiles: Sendable {
    /// The user's own file; `nil` if there is none.
    public let user: ContextFile?
    /// The file in the folder or in the nearest folder above it; `nil` if there is none.
    public let project: ContextFile?

    /// Reads both files; the project's file is the first `fastctl.yaml` found from `directory` upward, as far as the
    /// home folder or the root.
    public init(environment: [String: String], directory: String?) throws(EngineError) {
        user = try Self.userPath(environment).flatMap { path throws(EngineError) in
            try ContextFile.read(path, owner: .user)
        }
        project = try directory.flatMap { directory throws(EngineError) in
            try Self.project(from: directory, home: environment["HOME"])
        }
    }

    init(user: ContextFile?, project: ContextFile?) {
        self.user = user
        self.project = project
    }

    /// Returns the path of the user's file, whether it exists or not; `nil` if the environment does not define one.
    public static func userPath(_ environment: [String: String]) -> String? {
        // According to the XDG specification, a relative path must be ignored.
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") { return folder + "/fastctl/config.yaml" }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return home + "/.config/fastctl/config.yaml"
    }

    /// The working directory of this process; `nil` if it no longer exists.
    public static var workingDirectory: String? {
        guard let path = getcwd(nil, 0) else { return nil }
        defer { free(path) }
        return String(validatingCString: path)
    }

    private static func project(from directory: String, home: String?) throws(EngineError) -> ContextFile? {
        var folder = directory
        while folder.hasPrefix("/") {
            let path = (folder == "/" ? "" : folder) + "/fastctl.yaml"
            if let file = try ContextFile.read(path, owner: .project) { return file }
            guard folder != "/", folder != home, let slash = folder.lastIndex(of: "/") else { return nil }
            folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
        }
        return nil
    }

    /// The files in order of precedence, highest first.
    fileprivate var all: [ContextFile] { [project, user].compactMap(\.self) }

    /// The names of all contexts, without duplicates.
    public var names: [String] {
        var names: [String] = []
        for name in all.flatMap(\.names) where !names.contains(name) { names.append(name) }
        return names
    }

    /// The name of the context that is used if none is specified.
    public var currentName: String? { current?.name }

    /// The context that is used if none is specified, and the file that sets it.
    var current: (name: String, file: ContextFile, origin: SettingOrigin)? {
        for file in all {
            if let current = file.document.current { return (current.value, file, file.origin(current.place)) }
        }
        return nil
    }
}

/// The parts of one context from all files: the project's settings take precedence, and the user's settings complement
/// them.
struct ContextParts {
    private let name: String
    private let parts: [(file: ContextFile, entry: ContextEntry, line: Int)]

    init(_ name: String, in files: ContextFiles) throws(EngineError) {
        self.name = name
        parts = files.all.flatMap { file in
            file.contexts.filter { $0.key.value == name }.map { (file, $0.value, $0.key.place.line) }
        }
        guard !parts.isEmpty else { throw Self.unknown(name, files) }
        try refuseLeadingElsewhere()
    }

    /// The positions at which the context begins in the files.
    var place: String { parts.map { "\($0.file.path):\($0.line)" }.joined(separator: " and ") }

    func layers(home: String?) -> [SettingLayer] {
        parts.map { SettingLayer($0.entry, of: $0.file, home: home) }
    }

    /// The collections, which only one of the parts may define.
    var collections: [CollectionMapping] {
        parts.flatMap { part in
            (part.entry.collections?.entries ?? []).map { entry in
                CollectionMapping(
                    name: entry.key.value,
                    engineName: entry.value.value,
                    origin: part.file.origin(entry.value.place)
                )
            }
        }
    }

    /// Throws if a project's file would redirect the user's credentials to another server or to other documents.
    private func refuseLeadingElsewhere() throws(EngineError) {
        guard let project = parts.first(where: { $0.file.owner == .project }),
            let user = parts.first(where: { $0.file.owner == .user })
        else { return }
        for key in ContextKey.allCases where key.leadsElsewhere {
            guard let place = project.entry.place(of: key) else { continue }
            throw EngineError(
                .rejected,
                "\(project.file.path):\(place): '\(key.rawValue)' of '\(name)' can only be set in \(user.file.path):\(user.line)",
                advice: "a project file must not redirect the user's context: rename this one"
            )
        }
    }

    private static func unknown(_ name: String, _ files: ContextFiles) -> EngineError {
        let names = files.names
        let nearest = name.prefix(ContextName.maximumByteCount).description.nearest(in: names)
        let advice =
            if let nearest {
                "did you mean '\(nearest)'? 'fastctl contexts list' shows them all"
            } else if names.isEmpty {
                "add it: fastctl contexts add \(ContextName.isValid(name) ? name : "NAME") --target ADDRESS"
            } else {
                "list the contexts: fastctl contexts list"
            }
        return EngineError(.missingTarget, "unknown context '\(name)'", advice: advice)
    }
}

/// A change to the user's settings file that leaves all other lines unchanged, including comments.
///
/// The text is changed line by line and then read again. If the result differs from the intended settings, it is
/// rejected, so a file with unusual formatting is never damaged.
public struct ContextEdit: Sendable {
    let file: ContextFile
    var lines: [String]

    /// Creates an edit of an existing file or a new one.
    public init(_ file: ContextFile?, path: String) throws(EngineError) {
        if let file {
            self.file = file
        } else {
            self.file = try ContextFile(path: path, owner: .user, text: "")
        }
        // The text is split by bytes, because a carriage return followed by a line feed is a single `Character`.
        lines = self.file.text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        // The empty string after the last newline is not a line.
        if lines.last == "" { lines.removeLast() }
    }

    private static let head = [
        "# Contexts of fastctl: named targets. Only the locations of credentials are kept here."
    ]

    /// Adds a context at the end; the first context becomes the current one.
    public func adding(
        _ name: String,
        _ settings: [Setting],
        collections: [(name: String, engineName: String)] = []
    ) throws(EngineError) -> String {
        try ContextName.check(name)
        if let entry = entry(name) {
            throw EngineError(
                .collectionExists,
                "\(file.path):\(entry.key.place.line): the context '\(name)' already exists",
                advice: "remove it first: fastctl contexts remove \(name)"
            )
        }
        var copy = self
        if copy.lines.isEmpty { copy.lines = Self.head }
        let makesCurrent = file.current == nil && file.names.isEmpty
        let place = copy.placeForEntry(after: file.contexts.last?.key.place, in: "contexts")
        let block = copy.block(name, settings, collections, indentation: place.indentation)
        copy.lines.insert(contentsOf: block, at: place.line)
        if makesCurrent { copy.setCurrent(name) }
        return try copy.checked { document in
            guard let entry = document.contexts.first(where: { $0.key.value == name })?.value else { return false }
            let expected = settings.filter { $0.key != .protected }.map { "\($0.key.rawValue)=\($0.value)" }.sorted()
            let marks = ["\(settings.contains { $0.key == .protected && $0.value == "true" })"]
            let mappings = collections.map { "\($0.name)>\($0.engineName)" }
            return entry.meaning == expected + mappings + marks && document.hasOthers(of: file, except: name)
                && document.current == (makesCurrent ? name : file.current)
        }
    }

    /// Makes a context the current one.
    public func using(_ name: String) throws(EngineError) -> String {
        var copy = self
        copy.setCurrent(name)
        return try copy.checked { $0.hasOthers(of: file, except: nil) && $0.current == name }
    }

    /// Removes a context; if it is the current one, no context is current afterward.
    public func removing(_ name: String) throws(EngineError) -> String {
        guard let entry = entry(name) else { throw missing(name) }
        var copy = self
        copy.lines.removeSubrange(copy.block(from: entry.key.place))
        let isLast = file.names.count == 1
        if isLast, let line = copy.line(ofKey: "contexts") { copy.lines.remove(at: line) }
        if file.current == name, let line = copy.line(ofKey: "current") { copy.lines.remove(at: line) }
        return try copy.checked { document in
            document.hasOthers(of: file, except: name) && !document.names.contains(name)
                && document.current == (file.current == name ? nil : file.current)
        }
    }

    /// Renames a context; the current context remains current.
    public func renaming(_ old: String, to new: String) throws(EngineError) -> String {
        try ContextName.check(new)
        guard let entry = entry(old) else { throw missing(old) }
        if let other = self.entry(new) {
            throw EngineError(
                .collectionExists,
                "\(file.path):\(other.key.place.line): the context '\(new)' already exists",
                advice: "use another name"
            )
        }
        var copy = self
        let (line, margin) = (entry.key.place.line - 1, entry.key.place.column - 1)
        let text = lines[line].dropFirst(margin)
        for key in [old, old.yamlQuoted, "'\(old)'"] where text.hasPrefix(key + ":") {
            copy.lines[line] = lines[line].prefix(margin) + YAMLText.scalar(new) + text.dropFirst(key.count)
        }
        let isCurrent = file.current == old
        if isCurrent { copy.setCurrent(new) }
        return try copy.checked { document in
            let renamed = document.contexts.first { $0.key.value == new }
            return renamed?.value.meaning == entry.value.meaning && document.entry(old) == nil
                && document.meanings(except: new) == file.meanings(except: old)
                && document.current == (isCurrent ? new : file.current)
        }
    }

    /// Protects a context; returns `nil` if it is already protected.
    public func protecting(_ name: String) throws(EngineError) -> String? {
        guard let entry = entry(name) else { throw missing(name) }
        guard entry.value.isProtected?.value != true else { return nil }
        var copy = self
        let block = block(from: entry.key.place)
        let own = block.dropFirst().filter { !lines[$0].isBlankOrComment }
        let margin = own.first.map { lines[$0].indentation } ?? entry.key.place.column + 1
        let setting = String(repeating: " ", count: margin) + "protected: true"
        if let line = own.first(where: {
            lines[$0].indentation == margin && lines[$0].dropFirst(margin).hasPrefix("protected:")
        }) {
            copy.lines[line] = setting + lines[line].comment
        } else {
            copy.lines.insert(setting, at: block.upperBound)
        }
        return try copy.checked { document in
            guard let changed = document.entry(name)?.value else { return false }
            return changed.meaning == entry.value.meaning.dropLast() + ["true"]
                && document.hasOthers(of: file, except: name) && document.current == file.current
        }
    }

    private func missing(_ name: String) -> EngineError {
        EngineError(
            .missingTarget,
            "\(file.path) has no context '\(name)'",
            advice: "list the contexts: fastctl contexts list"
        )
    }

    private func entry(_ name: String) -> YAMLMapping<ContextEntry>.Entry? {
        file.entry(name)
    }

    /// Returns the changed text, after verifying that it is read as intended.
    func checked(_ isAsWanted: (ContextFile) -> Bool) throws(EngineError) -> String {
        let text = lines.map { $0 + "\n" }.joined()
        guard let changed = try? ContextFile(path: file.path, owner: .user, text: text), isAsWanted(changed) else {
            throw EngineError(
                .unsupported,
                "'\(file.path)' is written in a form that this command cannot change safely; it was left unchanged",
                advice: "edit it by hand: each setting on its own line, without { and }"
            )
        }
        return text
    }
}

// The editing of lines.
extension ContextEdit {
    /// Returns the line of a top-level key.
    func line(ofKey key: String) -> Int? { lines.firstIndex { $0.hasPrefix(key + ":") } }

    private mutating func setCurrent(_ name: String) {
        let text = "current: " + YAMLText.scalar(name)
        if let line = line(ofKey: "current") {
            lines[line] = text + lines[line].comment
        } else {
            let first = lines.firstIndex { !$0.isBlankOrComment } ?? lines.endIndex
            lines.insert(text, at: first)
        }
    }

    /// Returns the position for a new entry in a section: after the last entry, with the same indentation.
    mutating func placeForEntry(after last: Place?, in section: String) -> (line: Int, indentation: Int) {
        if let last { return (block(from: last).upperBound, last.column - 1) }
        if let line = line(ofKey: section) {
            lines[line] = section + ":" + lines[line].comment
            return (line + 1, 2)
        }
        lines.append(section + ":")
        return (lines.endIndex, 2)
    }

    /// Returns the lines of an entry in a mapping, without the blank lines and comments after it.
    func block(from place: Place) -> Range<Int> {
        let start = min(place.line - 1, lines.endIndex)
        var end = min(start + 1, lines.endIndex)
        for index in lines.indices.dropFirst(start + 1) where !lines[index].isBlankOrComment {
            guard lines[index].indentation >= place.column else { break }
            end = index + 1
        }
        return start..<end
    }

    private func block(
        _ name: String,
        _ settings: [Setting],
        _ collections: [(name: String, engineName: String)],
        indentation: Int
    ) -> [String] {
        let margin = String(repeating: " ", count: indentation)
        var block = [margin + YAMLText.scalar(name) + ":"]
        for key in ContextKey.allCases {
            if key == .collections, !collections.isEmpty {
                block.append(margin + "  collections:")
                block += collections.map {
                    margin + "    \(YAMLText.scalar($0.name)): \(YAMLText.scalar($0.engineName))"
                }
            }
            guard let value = settings.first(where: { $0.key == key })?.value else { continue }
            block.append("\(margin)  \(key.rawValue): \(key == .protected ? value : YAMLText.scalar(value))")
        }
        return block
    }
}

extension ContextFile {
    /// Returns whether the file has the same contexts and profiles as `other`, except for the given ones.
    func hasOthers(of other: ContextFile, except name: String? = nil, exceptProfile profile: String? = nil) -> Bool {
        meanings(except: name, exceptProfile: profile) == other.meanings(except: name, exceptProfile: profile)
    }

    /// Returns the contexts and profiles, except for the given ones, in a form that can be compared.
    fileprivate func meanings(except name: String?, exceptProfile profile: String? = nil) -> [[String]] {
        contexts.filter { $0.key.value != name }.map { [$0.key.value] + $0.value.meaning }
            + profiles.filter { $0.key.value != profile }.map { [$0.key.value] + $0.value.meaning }
    }

    fileprivate func entry(_ name: String) -> YAMLMapping<ContextEntry>.Entry? {
        contexts.first { $0.key.value == name }
    }
}

extension String {
    /// The comment, from the space before `#` to the end of the line.
    fileprivate var comment: Substring {
        utf8.firstRange(of: " #".utf8).map { self[$0.lowerBound...] } ?? ""
    }

    fileprivate var indentation: Int { prefix { $0 == " " }.count }

    fileprivate var isBlankOrComment: Bool { drop(while: \.isWhitespace).first.map { $0 == "#" } ?? true }
}

/// Functions that format text as YAML.
enum YAMLText {
    /// Returns a scalar on one line: plain if that is safe, and in double quotes otherwise.
    static func scalar(_ text: String) -> String { isPlain(text) ? text : text.yamlQuoted }

    /// Words that YAML interprets as null or as Booleans.
    private static let reserved: Set<String> = ["null", "true", "false", "yes", "no", "on", "off"]

    private static func isPlain(_ text: String) -> Bool {
        guard let first = text.utf8.first, let last = text.utf8.last, last != UInt8(ascii: ":") else { return false }
        return (first.isLetterOrDigit || first == UInt8(ascii: "/")) && !reserved.contains(text.lowercased())
            && text.utf8.allSatisfy { $0.isLetterOrDigit || "/:+.-_@,=".utf8.contains($0) }
    }
}

import Digests
import Files
import Glibc
import XMLStream

/// A value that replaces another value.
public struct ConfigChange: Sendable, Hashable {
    /// The element that is changed.
    public var element: ConfigElement
    /// The attribute as currently written.
    public var attribute: ConfigAttribute
    /// The new value.
    public var value: String

    /// Creates a change to an attribute.
    public init(element: ConfigElement, attribute: ConfigAttribute, value: String) {
        self.element = element
        self.attribute = attribute
        self.value = value
    }
}

/// A web.config file with changed values, which differs from the original only in the bytes of these values.
public struct ConfigRepair: Sendable {
    /// The file.
    public let source: WebConfigSource
    /// The current bytes.
    public let original: [UInt8]
    /// The bytes after the repair.
    public let repaired: [UInt8]
    /// The changes, from the beginning of the file.
    public let changes: [Change]

    /// A change, with the start tag before and after it.
    public struct Change: Sendable, Hashable {
        /// The change.
        public let change: ConfigChange
        /// The tag as written, with secrets left out.
        public let before: String
        /// The tag after the change, also with secrets left out.
        public let after: String
    }

    /// Reads a file and plans the given `changes`.
    ///
    /// The result is then read again, and the file is rejected unless only these values differ.
    public init(
        _ source: WebConfigSource,
        changing changes: (WebConfigFile) throws(WebConfigError) -> [ConfigChange]
    ) throws(WebConfigError) {
        self.source = source
        do throws(FileError) {
            original = try SmallFile.read(source.path, maximum: WebConfigFile.maximumBytes)
        } catch {
            throw WebConfigError(error, source: source)
        }
        let file = try WebConfigFile(original, source: source)
        let wanted = try changes(file)
        let map: SourceMap
        do {
            map = try SourceMap(original)
        } catch {
            throw WebConfigError(error, source: source)
        }
        var replacements: [(SourceAttribute, String)] = []
        var planned: [Change] = []
        for change in wanted {
            guard let (element, attribute) = map.find(change) else { throw Self.lost(change, source) }
            replacements.append((attribute, change.value))
            planned.append(
                Change(
                    change: change,
                    before: map.text(of: element, as: change.element, [:]),
                    after: map.text(of: element, as: change.element, [attribute.name: change.value])
                )
            )
        }
        self.changes = planned.sorted {
            ($0.change.attribute.line, $0.change.attribute.column)
                < ($1.change.attribute.line, $1.change.attribute.column)
        }
        repaired = map.replacingValues(replacements)
        guard try WebConfigFile(repaired, source: source).has(only: wanted, since: file) else {
            throw Self.lost(wanted.first, source)
        }
    }

    private static func lost(_ change: ConfigChange?, _ source: WebConfigSource) -> WebConfigError {
        WebConfigError(
            code: .refused,
            source: source,
            line: change?.attribute.line,
            column: change?.attribute.column,
            message: "this value cannot be changed on its own; nothing was written",
            advice: "change it by hand, and report this file"
        )
    }
}

extension SourceMap {
    /// Returns the element and the attribute of a change, which are found by their places.
    fileprivate func find(_ change: ConfigChange) -> (SourceElement, SourceAttribute)? {
        for element in elements where place(of: element.tag.lowerBound) == (change.element.line, change.element.column)
        {
            let attribute = element.attributes.first { attribute in
                attribute.name == change.attribute.name
                    && place(of: attribute.value.lowerBound) == (change.attribute.line, change.attribute.column)
            }
            if let attribute { return (element, attribute) }
        }
        return nil
    }

    /// Returns a start tag for display: its attributes in their order, with new values, and its end, without secrets.
    fileprivate func text(of element: SourceElement, as config: ConfigElement, _ values: [String: String]) -> String {
        let attributes = element.attributes.map { attribute in
            let written = ConfigAttribute(name: attribute.name, value: attribute.text, line: 0, column: 0)
            let value = config.isSecret(written) ? "…" : values[attribute.name] ?? attribute.text
            return " \(attribute.name)=\"\(value)\""
        }
        return "<\(element.name)\(attributes.joined())\(end(of: element))"
    }
}

extension WebConfigFile {
    /// Returns whether this file differs from another file only in these changes.
    fileprivate func has(only changes: [ConfigChange], since other: WebConfigFile) -> Bool {
        guard elements.count == other.elements.count else { return false }
        return zip(elements, other.elements).allSatisfy { new, old in
            let wanted = changes.filter { $0.element == old }
            return new.path == old.path && new.location == old.location
                && new.attributes.count == old.attributes.count
                && zip(new.attributes, old.attributes).allSatisfy { now, before in
                    let change = wanted.first { $0.attribute == before }
                    return now.name == before.name && now.value == change?.value ?? before.value
                }
        }
    }
}

/// A backup of a file from before a repair, kept next to the file.
///
/// The backup's name contains a digest of the repaired file; as long as the file matches the digest, the repair can be
/// undone. The name ends in `.config` because IIS does not serve files with this extension.
public enum ConfigBackup {
    private static let suffix = ".config"

    /// Writes a repair in place of its file and keeps a backup; returns the path of the backup.
    ///
    /// Even if the operation is interrupted, the file is either the old one or the new one. A file that has changed
    /// since the repair was planned is rejected.
    public static func write(_ repair: ConfigRepair) throws(WebConfigError) -> String {
        let (source, path) = (repair.source, try resolved(repair.source))
        try refuseReadOnly(path, source)
        let kept = beginning(of: path, repaired: repair.repaired) + "-" + digest(of: repair.original, 8) + suffix
        let isNew = try working(on: source) { () throws(FileError) in try keep(repair.original, at: kept) }
        do throws(WebConfigError) {
            guard try bytes(path, source) == repair.original else { throw changed(source, "it has changed since then") }
            try working(on: source) { () throws(FileError) in try AtomicFile.write(repair.repaired, to: path) }
        } catch {
            // Files that were not repaired do not need an undo.
            if isNew { unlink(kept) }
            throw error
        }
        return kept
    }

    /// Returns the number of other names (hard links) of a file, which keep the old content if the file is replaced.
    public static func otherNames(of source: WebConfigSource) -> Int {
        var status = stat()
        return stat(source.path, &status) == 0 ? max(0, Int(status.st_nlink) - 1) : 0
    }

    /// Throws an error for a read-only file, because replacing it would require only permissions for its folder.
    private static func refuseReadOnly(_ path: String, _ source: WebConfigSource) throws(WebConfigError) {
        var status = stat()
        let isReadOnly = stat(path, &status) == 0 && status.st_mode & 0o222 == 0
        guard isReadOnly || access(path, W_OK) != 0 else { return }
        throw WebConfigError(
            code: .cannotWrite,
            source: source,
            message: "it is read-only; nothing was written",
            advice: "make it writable first, or repair a copy"
        )
    }

    /// Restores a file to its state before its last repair; returns the path of the backup, which no longer exists.
    ///
    /// A file that has changed since the repair is rejected.
    public static func undo(_ source: WebConfigSource) throws(WebConfigError) -> String {
        let path = try resolved(source)
        let all = kept(of: path)
        let beginning = beginning(of: path, repaired: try bytes(path, source))
        guard let last = all.last(where: { $0.hasPrefix(beginning) }) else {
            if !all.isEmpty { throw changed(source, "it has changed since it was repaired") }
            throw WebConfigError(
                code: .nothingToUndo,
                source: source,
                message: "there is nothing to undo: no previous version was found beside it"
            )
        }
        let before = try bytes(last, source)
        try working(on: source) { () throws(FileError) in try AtomicFile.write(before, to: path) }
        unlink(last)
        return last
    }

    /// Returns the path with links resolved, so that no link is replaced by a file.
    private static func resolved(_ source: WebConfigSource) throws(WebConfigError) -> String {
        guard let resolved = realpath(source.path, nil) else {
            throw WebConfigError(FileError(.open, source.path, .system(errno)), source: source)
        }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func stem(_ path: String) -> String {
        (path.lowercased().hasSuffix(suffix) ? String(path.dropLast(suffix.count)) : path) + ".before-fastctl-"
    }

    private static func beginning(of path: String, repaired: [UInt8]) -> String {
        stem(path) + digest(of: repaired, 16)
    }

    private static func digest(of bytes: [UInt8], _ digits: Int) -> String {
        var function = SHA256()
        return String(function.digest(of: bytes).hexadecimal.prefix(digits))
    }

    /// Returns the backups of a file, oldest first.
    private static func kept(of path: String) -> [String] {
        let folder = String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex))
        let names = (try? Folder.names(folder.isEmpty ? "/" : folder, maximum: 100_000)) ?? []
        let stem = stem(path)
        return names.map { folder + "/" + $0 }.filter { $0.hasPrefix(stem) && $0.hasSuffix(suffix) }
            .map { (path: $0, at: changedAt($0)) }.sorted { $0.at < $1.at }.map(\.path)
    }

    private static func changedAt(_ path: String) -> Duration {
        var status = stat()
        guard stat(path, &status) == 0 else { return .zero }
        return .seconds(status.st_mtim.tv_sec) + .nanoseconds(status.st_mtim.tv_nsec)
    }

    private static func bytes(_ path: String, _ source: WebConfigSource) throws(WebConfigError) -> [UInt8] {
        try working(on: source) { () throws(FileError) in
            try SmallFile.read(path, maximum: WebConfigFile.maximumBytes)
        }
    }

    private static func working<Result>(
        on source: WebConfigSource,
        _ body: () throws(FileError) -> Result
    ) throws(WebConfigError) -> Result {
        do throws(FileError) {
            return try body()
        } catch {
            throw failure(error, source)
        }
    }

    /// Writes a backup; returns false if it already exists.
    private static func keep(_ bytes: [UInt8], at path: String) throws(FileError) -> Bool {
        // If a repair is repeated after an undo, the backup already exists.
        if let there = try? SmallFile.read(path, maximum: WebConfigFile.maximumBytes, followsLinks: false),
            there == bytes
        {
            return false
        }
        let file = try NewFile(path, permissions: 0o600)
        var bytes = bytes
        do throws(FileError) {
            try file.write(&bytes)
            try file.synchronize()
        } catch {
            unlink(path)
            throw error
        }
        return true
    }

    private static func changed(_ source: WebConfigSource, _ message: String) -> WebConfigError {
        WebConfigError(
            code: .changed,
            source: source,
            message: message + "; nothing was written",
            advice: "compare it with the copy beside it (web.before-fastctl-….config)"
        )
    }

    private static func failure(_ error: FileError, _ source: WebConfigSource) -> WebConfigError {
        switch error.operation {
        case .open, .read, .list: WebConfigError(error, source: source)
        case .create, .write, .replace:
            WebConfigError(
                code: .cannotWrite,
                source: source,
                message: "it cannot be replaced: \(error.reason)",
                advice: [ENOSPC, EDQUOT].contains(error.code)
                    ? "free up some disk space" : "run as a user who may write to its folder, or repair a copy"
            )
        }
    }
}

/// A comparison of the known settings of several files.
public struct ConfigComparison: Sendable, Hashable {
    /// Files whose settings have the same values, in the order in which they were given.
    public struct Group: Sendable, Hashable {
        /// The files with the same values in all settings.
        public fileprivate(set) var files: [WebConfigFile]
    }

    /// A setting in a single place: outside of any `location` element, or in the `location` with a path.
    public struct Row: Sendable, Hashable {
        /// The setting.
        public let setting: ConfigSetting
        /// The path of the `location` element; `nil` outside of one.
        public let location: String?
        /// The values in the files of each group; `nil` for files without the location.
        public let values: [ConfigSettingValue?]

        /// Whether the values are known and different.
        public var differs: Bool {
            let known = Set(values.filter { $0?.isTold ?? true }.map { $0?.comparable })
            return known.count > 1
        }
    }

    /// The files, grouped by equal settings.
    public let groups: [Group]
    /// The settings that differ.
    public let rows: [Row]

    /// Compares files with each other.
    public init(_ files: [WebConfigFile]) {
        var groups: [Group] = []
        var places: [[Key: String?]: Int] = [:]
        for file in files {
            let values = file.valuesByKey.mapValues { Optional($0.comparable) }
            if let place = places[values] {
                groups[place].files.append(file)
            } else {
                places[values] = groups.count
                groups.append(Group(files: [file]))
            }
        }
        let tables = groups.compactMap(\.files.first?.valuesByKey)
        let locations = Set(tables.flatMap(\.keys).compactMap(\.location)).sorted()
        self.groups = groups
        rows = ConfigSetting.known.flatMap { setting in
            ([nil] + locations).compactMap { location in
                let key = Key(name: setting.name, location: location)
                let values = tables.map { $0[key] }
                return values.allSatisfy { $0 == nil } ? nil : Row(setting: setting, location: location, values: values)
            }
        }
    }

    /// The identity of a row.
    fileprivate struct Key: Hashable {
        var name: String
        var location: String?
    }
}

extension WebConfigFile {
    fileprivate var valuesByKey: [ConfigComparison.Key: ConfigSettingValue] {
        Dictionary(settings.map { (ConfigComparison.Key(name: $0.name, location: $0.location), $0) }) { first, _ in
            first
        }
    }
}

extension ConfigSettingValue {
    /// Whether the file itself contains the value, which is neither encrypted nor in another file.
    public var isTold: Bool { !["external", "encrypted"].contains(value) }

    /// The value as .NET compares it, ignoring the case of Boolean values.
    fileprivate var comparable: String {
        let folded = value.lowercased()
        return ["true", "false"].contains(folded) ? folded : value
    }
}

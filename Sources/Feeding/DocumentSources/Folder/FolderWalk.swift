import Glibc

/// A walk through the files below a folder, in ascending order of the bytes of their paths.
///
/// Only the names in the folders along the current path are held. Links that lead out of the folder are not followed;
/// entries that can't be examined are reported, never silently skipped.
///
/// This is a class, because it owns open folders: those along the current path.
final class FolderWalk {
    /// A step of the walk.
    enum Step {
        case file(WalkedFile)
        /// A matching entry that can't be read: its path, and the reason.
        case flaw(path: String, reason: String)
    }

    private let patterns: [PathPattern]
    /// The path of the folder with links resolved; every path read must begin with it.
    private let root: String
    private var folders: [OpenFolder] = []
    /// The path after which the walk starts.
    private let start: [UInt8]
    /// The path of the last step.
    private(set) var path: [UInt8] = []

    private static let special = "it is a pipe, a socket or a device, not a file"

    /// The maximum nesting of folders.
    private static let maximumDepth = 64

    /// Opens a folder for a walk that begins after a path.
    init(_ path: String, _ patterns: [PathPattern], after start: [UInt8]) throws(SourceError) {
        (self.patterns, self.start) = (patterns, start)
        self.path = start
        guard let real = realpath(path, nil) else { throw SourceError(errno: errno, path) }
        defer { free(real) }
        root = String(cString: real)
        let number = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw SourceError(errno: errno, path) }
        do throws(FolderFlaw) {
            folders = [try OpenFolder(owning: number, prefix: [], patterns.map(\.start))]
        } catch {
            throw SourceError(.inputOutput, "'\(path)': \(error.reason)")
        }
    }

    /// Returns the next file that matches a pattern; `nil` at the end.
    func next() -> Step? {
        while let folder = folders.last {
            guard let name = folder.next() else {
                folders.removeLast()
                continue
            }
            let path = folder.prefix + name.bytes
            let isFolder = name.kind == .folder
            // Entries that the earlier walk has passed are skipped, but a folder only if the walk had left it.
            if isFolder ? isBehind(path + [UInt8(ascii: "/")]) : !start.lexicographicallyPrecedes(path) {
                continue
            }
            self.path = path
            if let step = step(name, path, in: folder) { return step }
        }
        return nil
    }

    /// Returns whether everything below a folder precedes the start.
    private func isBehind(_ folder: [UInt8]) -> Bool {
        folder.lexicographicallyPrecedes(start) && !start.starts(with: folder)
    }

    private func step(_ name: FolderNames.Name, _ path: [UInt8], in folder: OpenFolder) -> Step? {
        // Invalid UTF-8 is replaced, and only a wildcard matches the replacement.
        let (text, whole) = (String(decoding: name.bytes, as: UTF8.self), String(decoding: path, as: UTF8.self))
        if String(validating: path, as: UTF8.self) == nil {
            guard folder.matches(text, patterns) || folder.mayHold(text, patterns) else { return nil }
            return .flaw(path: whole, reason: "its name is not UTF-8; rename it")
        }
        switch name.kind {
        case .folder: return enter(name.bytes, text, whole, path, in: folder)
        case .file: return folder.matches(text, patterns) ? file(name.bytes, whole, in: folder) : nil
        case .link: return follow(text, whole, in: folder)
        case .other: return folder.matches(text, patterns) ? .flaw(path: whole, reason: Self.special) : nil
        }
    }

    private func enter(
        _ name: [UInt8],
        _ text: String,
        _ path: String,
        _ bytes: [UInt8],
        in folder: OpenFolder
    ) -> Step? {
        let below = zip(patterns, folder.progress).map { $0.entering(text, from: $1) }
        guard below.contains(where: { !$0.isEmpty }) else { return nil }
        guard folders.count < Self.maximumDepth else {
            return .flaw(path: path, reason: "folders are nested more than \(Self.maximumDepth) levels deep")
        }
        let number = folder.open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        guard number >= 0 else { return .flaw(path: path, reason: "the folder can't be read: \(systemText(errno))") }
        do throws(FolderFlaw) {
            folders.append(try OpenFolder(owning: number, prefix: bytes + [UInt8(ascii: "/")], below))
            return nil
        } catch {
            return .flaw(path: path, reason: "the folder can't be read: \(error.reason)")
        }
    }

    private func file(_ name: [UInt8], _ path: String, in folder: OpenFolder) -> Step? {
        var status = stat()
        guard folder.status(name, &status) else { return .flaw(path: path, reason: systemText(errno)) }
        guard status.st_mode & S_IFMT == S_IFREG else { return .flaw(path: path, reason: "it is no longer a file") }
        return .file(WalkedFile(path: path, status: status) { folder.open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) })
    }

    /// Follows a link to a file if its target is in the folder.
    ///
    /// A link to a folder is reported as a flaw: files that were read under this name before the folder was replaced by
    /// the link must not count as removed. A dangling link is also a flaw: its target may have been a folder.
    private func follow(_ name: String, _ path: String, in folder: OpenFolder) -> Step? {
        let isMeant = folder.matches(name, patterns)
        guard isMeant || folder.mayHold(name, patterns) else { return nil }
        guard let real = realpath(root + "/" + path, nil) else {
            return .flaw(path: path, reason: "the link is broken: \(systemText(errno))")
        }
        defer { free(real) }
        let place = String(cString: real)
        var status = stat()
        guard place.hasPrefix(root == "/" ? root : root + "/") else {
            return .flaw(path: path, reason: "the link points outside the folder, so it is not followed")
        }
        guard lstat(place, &status) == 0 else { return .flaw(path: path, reason: systemText(errno)) }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            return .flaw(path: path, reason: "the link points to another folder inside it, so it is not followed")
        }
        guard isMeant else { return nil }
        guard status.st_mode & S_IFMT == S_IFREG else { return .flaw(path: path, reason: Self.special) }
        return .file(
            WalkedFile(path: path, status: status) {
                open(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
            }
        )
    }
}

/// A file found by a walk.
struct WalkedFile {
    /// The path below the folder.
    let path: String
    /// The status of the entry.
    let status: stat
    /// Opens the file; returns a descriptor, or a negative number with `errno` set.
    let open: () -> CInt
}

/// The reason why a folder can't be read.
private struct FolderFlaw: Error { let reason: String }

/// A folder along the current path, open while it has unread entries.
private final class OpenFolder {
    let prefix: [UInt8]
    let progress: [PathPattern.Progress]
    private let number: CInt
    private var names: FolderNames
    private var index = 0

    init(owning number: CInt, prefix: [UInt8], _ progress: [PathPattern.Progress]) throws(FolderFlaw) {
        (self.number, self.prefix, self.progress) = (number, prefix, progress)
        do throws(FolderFlaw) { names = try FolderNames(of: number) } catch {
            close(number)
            throw error
        }
    }

    deinit { close(number) }

    func next() -> FolderNames.Name? {
        guard index < names.count else { return nil }
        defer { index += 1 }
        return names[index]
    }

    func matches(_ name: String, _ patterns: [PathPattern]) -> Bool {
        zip(patterns, progress).contains { $0.matches(name, in: $1) }
    }

    /// Returns whether a pattern may match anything below a folder with this name.
    func mayHold(_ name: String, _ patterns: [PathPattern]) -> Bool {
        zip(patterns, progress).contains { !$0.entering(name, from: $1).isEmpty }
    }

    func open(_ name: [UInt8], _ flags: CInt) -> CInt {
        withCString(name) { openat(number, $0, flags | O_CLOEXEC | O_NOCTTY) }
    }

    func status(_ name: [UInt8], _ status: inout stat) -> Bool {
        withCString(name) { fstatat(number, $0, &status, AT_SYMLINK_NOFOLLOW) == 0 }
    }
}

/// The names in a folder, sorted by their bytes; names of folders end with a slash.
private struct FolderNames {
    enum Kind: UInt8 { case file, folder, link, other }

    struct Name {
        let bytes: [UInt8]
        let kind: Kind
    }

    private struct Entry {
        let start: Int
        let count: UInt16
        let kind: Kind
    }

    /// All names, one after another in a single array: millions of arrays would take several times as much memory.
    private var bytes: [UInt8] = []
    private var entries: [Entry] = []

    /// The maximum number of names in one folder.
    private static let maximumCount = 10_000_000

    init(of number: CInt) throws(FolderFlaw) {
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0, let folder = fdopendir(copy) else {
            let failure = errno
            if copy >= 0 { close(copy) }
            throw FolderFlaw(reason: systemText(failure))
        }
        defer { closedir(folder) }
        while true {
            errno = 0
            guard let entry = readdir(folder) else {
                guard errno == 0 else { throw FolderFlaw(reason: systemText(errno)) }
                break
            }
            append(entry, of: number)
            guard entries.count <= Self.maximumCount else {
                throw FolderFlaw(reason: "it has more than \(Self.maximumCount) entries")
            }
        }
        let names = bytes
        entries.sort { Self.key($0, in: names).lexicographicallyPrecedes(Self.key($1, in: names)) }
    }

    var count: Int { entries.count }

    subscript(index: Int) -> Name {
        let entry = entries[index]
        return Name(bytes: Array(bytes[entry.start..<entry.start + Int(entry.count)]), kind: entry.kind)
    }

    private mutating func append(_ entry: UnsafeMutablePointer<dirent>, of number: CInt) {
        let start = bytes.count
        let kind = withUnsafePointer(to: &entry.pointee.d_name) { name in
            name.withMemoryRebound(to: CChar.self, capacity: 256) { name -> Kind? in
                let count = strlen(name)
                guard strcmp(name, ".") != 0, strcmp(name, "..") != 0 else { return nil }
                name.withMemoryRebound(to: UInt8.self, capacity: count) {
                    bytes.append(contentsOf: UnsafeBufferPointer(start: $0, count: count))
                }
                return Self.kind(of: name, type: CInt(entry.pointee.d_type), in: number)
            }
        }
        guard let kind else { return }
        let count = UInt16(bytes.count - start)
        // The slash is part of the sort key.
        if kind == .folder { bytes.append(UInt8(ascii: "/")) }
        entries.append(Entry(start: start, count: count, kind: kind))
    }

    private static func kind(of name: UnsafePointer<CChar>, type: CInt, in number: CInt) -> Kind {
        switch type {
        case CInt(DT_REG): return .file
        case CInt(DT_DIR): return .folder
        case CInt(DT_LNK): return .link
        case CInt(DT_UNKNOWN): break
        default: return .other
        }
        var status = stat()
        // An entry that can't be examined is treated as a link, possibly to a folder: examining it again yields the
        // reason.
        guard fstatat(number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return .link }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file
        case S_IFDIR: return .folder
        case S_IFLNK: return .link
        default: return .other
        }
    }

    private static func key(_ entry: Entry, in bytes: [UInt8]) -> ArraySlice<UInt8> {
        bytes[entry.start..<entry.start + Int(entry.count) + (entry.kind == .folder ? 1 : 0)]
    }
}

private func withCString<Result>(_ name: [UInt8], _ body: (UnsafePointer<CChar>) -> Result) -> Result {
    (name.map { CChar(truncatingIfNeeded: $0) } + [0]).withUnsafeBufferPointer { text in
        // The text ends with a NUL, so the buffer is never empty and has a base address.
        text.baseAddress.map(body) ?? "".withCString(body)
    }
}

/// Returns the system's error text as a fragment: `permission denied`.
func systemText(_ number: CInt) -> String {
    let text = strerror(number).map { String(cString: $0) } ?? "error \(number)"
    return text.prefix(1).lowercased() + text.dropFirst()
}

extension SourceError {
    /// Creates the error for a failure to open the file or folder of a source.
    init(errno number: CInt, _ path: String) {
        let code: Code =
            switch number {
            case ENOENT: .missing
            case EACCES, EPERM: .permission
            case ENOTDIR: .unusable
            default: .inputOutput
            }
        self.init(code, "cannot open '\(path)': \(systemText(number))", advice: Self.advice(code))
    }
}

/// A pattern for relative paths, as in a shell: `*` and `?` within a name, `[…]` for one of several characters, `**`
/// for any number of folders.
///
/// A name that begins with a dot is matched only by a pattern that also begins with a dot.
package struct PathPattern: Hashable, Sendable {
    private enum Part: Hashable {
        case anyFolders
        case name([Token])
    }

    private enum Token: Hashable {
        case character(Unicode.Scalar)
        case any
        case several
        case oneOf([ClosedRange<Unicode.Scalar>], isNegated: Bool)
    }

    /// The parts of the pattern that may match the next name below a folder.
    package struct Progress: Hashable, Sendable {
        fileprivate var next: Set<Int>

        /// Whether nothing below the folder can match.
        package var isEmpty: Bool { next.isEmpty }
    }

    /// The maximum length of a pattern in bytes, and the maximum number of its parts.
    private static let maximumByteCount = 4096
    private static let maximumParts = 64

    private let parts: [Part]

    /// Parses a pattern.
    ///
    /// - Throws: A ``SourceError`` that describes the defect.
    package init(_ text: String) throws(SourceError) {
        let names = text.split(separator: "/", omittingEmptySubsequences: false)
        guard !text.isEmpty, text.utf8.count <= Self.maximumByteCount, names.count <= Self.maximumParts,
            !names.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." })
        else {
            throw SourceError(
                .invalidAddress,
                "'\(text)' is not a pattern for paths in the folder",
                advice: "write it like **/*.html, without '/' at its ends and without '..'"
            )
        }
        var parts: [Part] = []
        for name in names {
            guard name != "**" else {
                if parts.last != .anyFolders { parts.append(.anyFolders) }
                continue
            }
            parts.append(.name(try Self.tokens(of: name, in: text)))
        }
        self.parts = parts
    }

    private static func tokens(of name: Substring, in text: String) throws(SourceError) -> [Token] {
        var tokens: [Token] = []
        var rest = Array(name.unicodeScalars)[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "*": if tokens.last != .several { tokens.append(.several) }
            case "?": tokens.append(.any)
            case "[":
                guard let token = set(&rest) else {
                    throw SourceError(.invalidAddress, "'\(text)': a '[' is not closed by ']'")
                }
                tokens.append(token)
            default: tokens.append(.character(scalar))
            }
        }
        return tokens
    }

    /// Reads a set of characters after its `[`; returns `nil` if the closing `]` is missing.
    private static func set(_ rest: inout ArraySlice<Unicode.Scalar>) -> Token? {
        var isNegated = false
        if rest.first == "!" || rest.first == "^" { (isNegated, rest) = (true, rest.dropFirst()) }
        var ranges: [ClosedRange<Unicode.Scalar>] = []
        var isFirst = true
        while let scalar = rest.popFirst() {
            if scalar == "]", !isFirst { return .oneOf(ranges, isNegated: isNegated) }
            isFirst = false
            var last = scalar
            if rest.first == "-", let end = rest.dropFirst().first, end != "]" {
                (last, rest) = (end, rest.dropFirst(2))
            }
            ranges.append(min(scalar, last)...max(scalar, last))
        }
        return nil
    }

    /// The state at the folder that paths are relative to.
    package var start: Progress { Progress(next: [0]) }

    /// Returns the state below a folder with this name.
    package func entering(_ name: String, from progress: Progress) -> Progress {
        var next: Set<Int> = []
        let scalars = Array(name.unicodeScalars)
        for part in reachable(progress) {
            switch parts[part] {
            case .anyFolders: if scalars.first != "." { next.insert(part) }
            case .name(let tokens):
                if part + 1 < parts.count, Self.matches(tokens, scalars) { next.insert(part + 1) }
            }
        }
        return Progress(next: next)
    }

    /// Returns whether a file with this name matches.
    package func matches(_ name: String, in progress: Progress) -> Bool {
        let scalars = Array(name.unicodeScalars)
        return reachable(progress).contains { part in
            guard part == parts.count - 1 else { return false }
            switch parts[part] {
            case .anyFolders: return scalars.first != "."
            case .name(let tokens): return Self.matches(tokens, scalars)
            }
        }
    }

    /// Returns the state extended by the parts after each `**`, which also matches zero folders.
    private func reachable(_ progress: Progress) -> Set<Int> {
        var reachable = progress.next
        for part in progress.next.sorted() {
            if parts[part] == .anyFolders, part + 1 < parts.count { reachable.insert(part + 1) }
        }
        return reachable
    }

    /// Matches a name, backtracking only to the last `*`, which is sufficient for patterns without alternatives.
    private static func matches(_ tokens: [Token], _ name: [Unicode.Scalar]) -> Bool {
        if name.first == ".", tokens.first != .character(".") { return false }
        var (token, place) = (0, 0)
        var back: (token: Int, place: Int)?
        while place < name.count {
            if token < tokens.count, tokens[token] == .several {
                back = (token, place)
                token += 1
            } else if token < tokens.count, matches(tokens[token], name[place]) {
                token += 1
                place += 1
            } else if let last = back {
                back = (last.token, last.place + 1)
                (token, place) = (last.token + 1, last.place + 1)
            } else {
                return false
            }
        }
        return tokens[token...].allSatisfy { $0 == .several }
    }

    private static func matches(_ token: Token, _ scalar: Unicode.Scalar) -> Bool {
        switch token {
        case .character(let character): character == scalar
        case .any: true
        case .several: false
        case .oneOf(let ranges, let isNegated): ranges.contains { $0.contains(scalar) } != isNegated
        }
    }
}

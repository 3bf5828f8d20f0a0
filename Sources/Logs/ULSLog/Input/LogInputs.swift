import Files
import Glibc
import TextKit
import ULSRows

/// The logs that a command line denotes, and the problems found with its arguments.
///
/// Each file is opened once, and only its beginning is read, so that all problems can be reported before the work
/// begins. Nothing is read from pipes or from the standard input unless their beginning is requested.
struct LogInputs: Sendable {
    /// The maximum number of files read in one run.
    private static let maximumSources = 100_000

    /// The logs in reading order; see ``LogSource/inReadingOrder(_:)``.
    private(set) var sources: [LogSource] = []

    /// The inputs that can't be read, in the order of the arguments; the caller decides whether to continue without
    /// them.
    private(set) var problems: [LogSourceError] = []

    private(set) var notes: [LogInputNote] = []

    private let encoding: TextEncoding?
    private let window: TimeWindow
    private let sniffBytes: Int
    private let maximumSources: Int
    private var isFull = false
    private var seen: Set<FileIdentity> = []
    private var repeated: Set<FileIdentity> = []
    private var repeatedExample = ""

    /// Finds the logs.
    ///
    /// - Parameters:
    ///   - words: Files, archives, named pipes, folders, patterns with `*`, `?` or `[…]`, or `-` for the standard
    ///     input. A pattern that is also the name of a file denotes that file. A folder denotes the logs and archives
    ///     directly in it.
    ///   - encoding: The encoding of texts without a byte-order mark; `nil` leaves their bytes unchanged.
    ///   - window: The requested times; a file that its name may place outside them is examined less closely.
    ///   - sniffBytes: The number of bytes of a text examined to determine whether it is a native log.
    ///   - maximumSources: The maximum number of logs.
    init(
        _ words: [String],
        encoding: TextEncoding? = nil,
        window: TimeWindow = .all,
        sniffBytes: Int = ReadingSizes().sniffBytes,
        maximumSources: Int = maximumSources
    ) {
        self.encoding = encoding
        self.window = window
        self.sniffBytes = sniffBytes
        self.maximumSources = maximumSources
        for word in words { add(word) }
        if !repeated.isEmpty { notes.append(.givenTwice(example: repeatedExample, count: repeated.count)) }
        sources = LogSource.inReadingOrder(sources)
    }

    /// Adds a text in memory.
    mutating func add(_ text: MemoryText) {
        sources = LogSource.inReadingOrder(sources + [LogSource(text, encoding: encoding)])
    }

    private mutating func add(_ word: String) {
        if word == "-" || InheritedDescriptor(word) == .standardInput {
            return attempt { inputs throws(LogSourceError) in try inputs.addStandardInput() }
        }
        if let status = FileStatus(path: word) {
            return attempt { inputs throws(LogSourceError) in try inputs.add(word, status) }
        }
        let failure = LogSourceError(missing: word)
        guard failure.code == .missing, let matches = LogPathPattern(word)?.matches() else {
            return problems.append(failure)
        }
        if matches.isEmpty {
            problems.append(
                LogSourceError(.nothingFound, source: word, reason: "no file matches this name", advice: failure.advice)
            )
        }
        for match in matches {
            attempt { inputs throws(LogSourceError) in try inputs.addFound(match) }
        }
    }

    private mutating func addStandardInput() throws(LogSourceError) {
        let name = LogSource.standardInputName
        let file = try OpenFile.standardInput()
        let status = try file.status()
        guard status.kind != .folder else {
            throw LogSourceError(.special, source: name, reason: "it is a folder")
        }
        guard isNew(status, name) else { return }
        if status.kind == .file, file.place == 0 {
            let head = try SourceHead(of: file)
            try head.refuseForeignFormats(source: name)
        }
        append(name, .stream(.standardInput()))
    }

    /// Returns the first `count` bytes of the standard input, or fewer if it ends earlier.
    ///
    /// Bytes taken from a pipe are kept and are the first to be read later; a file is examined without changing its
    /// position. A failure recurs, and is reported, when the rest is read.
    mutating func beginningOfStandardInput(_ count: Int) -> [UInt8] {
        guard
            let index = sources.firstIndex(where: { if case .stream(.standardInput) = $0.kind { true } else { false } }
            ),
            case .stream(.standardInput(let known)) = sources[index].kind
        else { return [] }
        if let known { return known.bytes }
        guard let file = try? OpenFile.standardInput(), let status = try? file.status() else { return [] }
        var bytes = [UInt8](repeating: 0, count: count)
        var length = 0
        if status.kind == .file, let place = file.place {
            length = (try? file.read(into: &bytes, from: 0, at: place)) ?? 0
            return Array(bytes.prefix(length))
        }
        var isWhole = false
        while length < count, !isWhole, let more = try? file.read(into: &bytes, from: length) {
            length += more
            isWhole = more == 0
        }
        let taken = ReadAhead(bytes: Array(bytes.prefix(length)), isWhole: isWhole)
        sources[index].kind = .stream(.standardInput(taken))
        return taken.bytes
    }

    /// Replaces the standard input with its whole text.
    mutating func keepStandardInput(_ bytes: [UInt8]) {
        for index in sources.indices {
            guard case .stream(.standardInput) = sources[index].kind else { continue }
            sources[index].kind = .stream(.memory(MemoryText(name: sources[index].name, bytes: bytes)))
        }
    }

    /// Adds the file, folder or pipe at a path.
    private mutating func add(_ path: String, _ status: FileStatus) throws(LogSourceError) {
        guard try hasRoom(for: path) else { return }
        switch status.kind {
        case .file: try addFile(path, status)
        case .folder: try addFolder(path)
        case .pipe:
            guard isNew(status, path) else { return }
            append(path, .stream(.path(path)))
        case .special:
            throw LogSourceError(.special, source: path, reason: "it is a device or a socket, not a file")
        }
    }

    /// Adds a path that matches a pattern or is in a folder.
    private mutating func addFound(_ path: String) throws(LogSourceError) {
        guard let status = FileStatus(path: path) else { return notes.append(.vanished(path)) }
        try add(path, status)
    }

    private mutating func addFile(_ path: String, _ status: FileStatus) throws(LogSourceError) {
        guard isNew(status, path) else { return }
        let file = try OpenFile.open(path)
        // An inherited descriptor may be past the beginning of its file, and the rest can be read only once, so not
        // now.
        guard file.place == 0 else { return append(path, .stream(.path(path))) }
        let head = try SourceHead(of: file)
        try head.refuseForeignFormats(source: path)
        guard head.isPlain(as: encoding) else { return append(path, .stream(.path(path))) }
        var source = LogSource(name: path, kind: .file(path: path, size: status.size), encoding: encoding)
        if let text = try? PlainFile(file) { look(into: text, of: &source) }
        sources.append(source)
    }

    /// Determines the facts that can't be derived from the file's name.
    private func look(into file: PlainFile, of source: inout LogSource) {
        if source.nominalStart == nil { source.nominalStart = FileTimes.first(in: file, at: 0)?.row.clock }
        // A file whose name contains a server may be ruled out without knowing more about it.
        if window.isAll || source.server == nil { source.isNative = FileTimes.isNative(file, sniffBytes) }
    }

    private mutating func addFolder(_ path: String) throws(LogSourceError) {
        let folder = try LogFolder(path)
        if let example = folder.others.first {
            notes.append(.passedOver(folder: path, example: example, count: folder.others.count))
        }
        guard !folder.logs.isEmpty else { throw folder.nothingFound }
        if let example = folder.folders.first {
            notes.append(.foldersNotSearched(folder: path, example: example, count: folder.folders.count))
        }
        for log in folder.logs {
            attempt { inputs throws(LogSourceError) in try inputs.addFound(log) }
        }
    }

    private mutating func append(_ name: String, _ kind: LogSource.Kind) {
        sources.append(LogSource(name: name, kind: kind, encoding: encoding))
    }

    /// Returns whether there is room for another file; throws the first time that there is none.
    private mutating func hasRoom(for path: String) throws(LogSourceError) -> Bool {
        guard sources.count >= maximumSources else { return true }
        guard !isFull else { return false }
        isFull = true
        let reason = "more than \(maximumSources) files were given"
        throw LogSourceError(.tooMany, source: path, reason: reason, advice: "specify fewer at once")
    }

    /// Returns whether a file is given for the first time under any name; otherwise, records it as repeated.
    private mutating func isNew(_ status: FileStatus, _ name: String) -> Bool {
        if seen.insert(status.identity).inserted { return true }
        if repeated.isEmpty { repeatedExample = name }
        repeated.insert(status.identity)
        return false
    }

    private mutating func attempt(_ body: (inout LogInputs) throws(LogSourceError) -> Void) {
        do throws(LogSourceError) {
            try body(&self)
        } catch {
            problems.append(error)
        }
    }
}

/// The contents of a folder, classified by name and file type.
struct LogFolder {
    /// The maximum number of names in a folder.
    static let maximumNames = 1_000_000

    private let path: String
    /// The paths of the logs and archives, sorted.
    private(set) var logs: [String] = []
    /// The names of other files, sorted, except hidden ones.
    private(set) var others: [String] = []
    /// The names of its subfolders, sorted, except hidden ones.
    private(set) var folders: [String] = []

    init(_ path: String) throws(LogSourceError) {
        self.path = path
        for name in try Self.names(path) where !name.hasPrefix(".") {
            let inside = path.hasSuffix("/") ? path + name : path + "/" + name
            let status = FileStatus(path: inside)
            switch (LogNameKind(name), status?.kind) {
            case (_, .folder): folders.append(name)
            // The pipe was not named explicitly, and reading it might block forever.
            case (_, .pipe), (_, .special), (.other, _): others.append(name)
            case (.log, _), (.packed, _): logs.append(inside)
            }
        }
    }

    private static func names(_ path: String) throws(LogSourceError) -> [String] {
        do throws(FileError) {
            return try Folder.names(path, maximum: maximumNames)
        } catch {
            guard let code = error.code else {
                throw LogSourceError(
                    .tooMany,
                    source: path,
                    reason: "this folder contains more than \(maximumNames) files"
                )
            }
            throw LogSourceError(errno: code, source: path)
        }
    }

    var nothingFound: LogSourceError {
        let advice =
            folders.first.map { "specify the folders in it that contain logs, such as '\($0)'" }
            ?? others.first.map { "if files such as '\($0)' are logs, name them individually" }
        return LogSourceError(.nothingFound, source: path, reason: "there are no logs in this folder", advice: advice)
    }
}

/// A path with wildcards that the shell left unexpanded.
struct LogPathPattern {
    private let text: String

    /// Creates a pattern; `nil` for a path without wildcards.
    init?(_ text: String) {
        guard text.utf8.contains(where: { Array("*?[".utf8).contains($0) }) else { return nil }
        self.text = text
    }

    /// Returns the matching paths, sorted.
    func matches() -> [String] {
        var found = unsafe glob_t()
        defer { unsafe globfree(&found) }
        guard unsafe glob(text, 0, nil, &found) == 0, let paths = unsafe found.gl_pathv else { return [] }
        return unsafe (0..<Int(found.gl_pathc)).compactMap { index in
            unsafe paths[index].map { unsafe String(cString: $0) }
        }
    }
}

/// A fact about the inputs that is worth reporting to the user but is not an error.
enum LogInputNote: Hashable, Sendable {
    /// Files that are given more than once but read only once: the name of one of them, and their number.
    case givenTwice(example: String, count: Int)
    /// Files in a folder whose names are not those of logs.
    case passedOver(folder: String, example: String, count: Int)
    /// Subfolders, which are not searched.
    case foldersNotSearched(folder: String, example: String, count: Int)
    /// A broken link, a name that isn't UTF-8, or a file that was removed after its folder was listed.
    case vanished(String)
}

extension LogInputNote: CustomStringConvertible {
    var description: String {
        switch self {
        case .givenTwice(let example, 1): "'\(example)' was given more than once and is read only once"
        case .givenTwice(let example, let count):
            "\(count) files such as '\(example)' were given more than once and are read only once"
        case .passedOver(let folder, let example, 1):
            "'\(example)' in '\(folder)' does not have a log name and is not read"
        case .passedOver(let folder, let example, let count):
            "\(count) files in '\(folder)' do not have log names and are not read, such as '\(example)'"
        case .foldersNotSearched(let folder, let example, 1):
            "the folder '\(example)' in '\(folder)' is not searched; specify it too if it contains logs"
        case .foldersNotSearched(let folder, let example, let count):
            "\(count) folders in '\(folder)' are not searched, such as '\(example)'; specify them too if they contain logs"
        case .vanished(let path): "'\(path)' cannot be found by that name and is not read"
        }
    }
}

/// A path that denotes a descriptor inherited at process start.
struct InheritedDescriptor: Hashable {
    let number: CInt

    fileprivate static let standardInput = InheritedDescriptor(number: STDIN_FILENO)

    private init(number: CInt) { self.number = number }

    init?(_ path: String) {
        if path == "/dev/stdin" {
            number = STDIN_FILENO
            return
        }
        for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
            guard let number = CInt(path.dropFirst(folder.count)), number >= 0 else { return nil }
            self.number = number
            return
        }
        return nil
    }
}

/// The facts in a log file's name: `SERVER-YYYYMMDD-HHMM.log`, possibly with a counter and a compression suffix.
///
/// A server's name may contain hyphens, so the name is split from its end.
struct LogFileName: Hashable, Sendable {
    /// The server that wrote the file, as written.
    let server: String

    /// The time when the file was created, on the server's own clock, in milliseconds since 1970-01-01T00:00:00 on that
    /// clock.
    ///
    /// The name gives only the minute, so the first row may be up to a minute later and is hardly ever earlier.
    let start: Int64

    /// Reads the last component of a path, or of an archive entry's name, whose components may be separated by `\`.
    init?(_ path: some StringProtocol) {
        let name = Self.withoutSuffixes(path.lastPathComponent)
        guard var rest = name else { return nil }
        guard var time = rest.takeLastPart() else { return nil }
        // A counter distinguishes two files from the same minute.
        if time.utf8.count != 4 || rest.lastPart?.utf8.count == 4 {
            guard time.isDigits, let before = rest.takeLastPart() else { return nil }
            time = before
        }
        guard let date = rest.takeLastPart(), !rest.isEmpty, rest.lowercased() != Self.upgrade else { return nil }
        guard let start = Self.start(date: date, time: time) else { return nil }
        server = String(rest)
        self.start = start
    }

    /// The first part of `Upgrade-YYYYMMDD-….log`, a file that the upgrade writes and whose name contains no server.
    private static let upgrade = "upgrade"

    private static func withoutSuffixes(_ name: Substring) -> Substring? {
        let unpacked = CompressionSuffix.removed(from: name) ?? name
        guard unpacked.hasSuffix(ignoringCase: ".log") else { return nil }
        return unpacked.dropLast(".log".count)
    }

    private static func start(date: Substring, time: Substring) -> Int64? {
        guard date.utf8.count == 8, time.utf8.count == 4, date.isDigits, time.isDigits else { return nil }
        guard let date = Int(date), let time = Int(time) else { return nil }
        guard
            let days = CivilDate(year: Int64(date / 10_000), month: date / 100 % 100, day: date % 100)?.days,
            (0..<24).contains(time / 100), (0..<60).contains(time % 100)
        else { return nil }
        return ((days * 24 + Int64(time / 100)) * 60 + Int64(time % 100)) * 60_000
    }
}

extension Substring {
    fileprivate var isDigits: Bool { !isEmpty && utf8.allSatisfy(\.isDigit) }

    /// The part after the last hyphen.
    fileprivate var lastPart: Substring? {
        lastIndex(of: "-").map { self[index(after: $0)...] }
    }

    fileprivate mutating func takeLastPart() -> Substring? {
        guard let dash = lastIndex(of: "-") else { return nil }
        defer { self = self[..<dash] }
        return self[index(after: dash)...]
    }
}

/// The kind of a file in a folder or an archive, judged by its name.
///
/// The service also keeps `.usage` files next to its logs; these contain no rows.
enum LogNameKind {
    case log
    /// A compressed log, or an archive that may contain several logs.
    case packed
    case other

    init(_ path: some StringProtocol) {
        let name = path.lastPathComponent
        // Hidden files, such as the `._x.log` files that macOS adds to archives, don't count as logs.
        if name.hasPrefix(".") {
            self = .other
        } else if Self.hasAny(Self.logSuffixes, name) {
            self = .log
        } else if Self.hasAny(Self.archiveSuffixes, name) {
            self = .packed
        } else if let inner = CompressionSuffix.removed(from: name), Self.hasAny(Self.logSuffixes, inner) {
            self = .packed
        } else {
            self = .other
        }
    }

    var isPacked: Bool { if case .packed = self { true } else { false } }

    private static let logSuffixes = [".log", ".txt", ".csv", ".tsv"]
    private static let archiveSuffixes =
        [".zip", ".7z", ".tar", ".tgz", ".txz", ".tbz2", ".tzst"] + CompressionSuffix.all.map { ".tar" + $0 }

    private static func hasAny(_ suffixes: [String], _ name: Substring) -> Bool {
        suffixes.contains { name.hasSuffix(ignoringCase: $0) }
    }
}

extension StringProtocol {
    /// The part after the last `/` or `\`.
    var lastPathComponent: Substring {
        let name = Substring(self)
        guard let separator = name.utf8.lastIndex(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }) else {
            return name
        }
        return name[name.utf8.index(after: separator)...]
    }
}

/// The name of one text of a stream.
struct LogTextName: Hashable, Sendable {
    /// The name to display: that of the source and, inside an archive, also that of the entry: `logs.zip:
    /// WFE1-20260101-1000.log`.
    let name: String
    /// The server that wrote the log, according to the name.
    let server: String?

    /// Creates the name of the only text in a source.
    init(_ source: LogSource) {
        name = source.name
        server = source.server
    }

    /// Creates the name of an archive entry.
    init(entry: String, in source: LogSource) {
        name = "\(source.name): \(entry)"
        server = LogFileName(entry)?.server ?? source.server
    }
}

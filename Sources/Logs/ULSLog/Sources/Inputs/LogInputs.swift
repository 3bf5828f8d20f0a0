/// What the words of a command line mean: the logs to read, and all that is wrong with the words.
///
/// Nothing is read yet but the first bytes of files, so that everything wrong can be said before the work begins. Pipes
/// and the standard input are not touched.
struct LogInputs: Sendable {
    /// The most files that are read in one run.
    static let maximumSources = 100_000

    /// In the order to read them; see ``LogSource/inReadingOrder(_:)``.
    private(set) var sources: [LogSource] = []

    /// What can't be read, in the order of the words; whether to go on without it is the caller's to decide.
    private(set) var problems: [LogSourceError] = []

    private(set) var notes: [LogInputNote] = []

    private let encoding: TextEncoding?
    private let maximumSources: Int
    private var isFull = false
    private var seen: Set<FileIdentity> = []
    private var repeated = 0
    private var repeatedExample = ""

    /// Finds the logs.
    ///
    /// - Parameters:
    ///   - words: Each a file, an archive, a named pipe, a folder, a pattern with `*`, `?` or `[…]`, or `-` for the
    ///     standard input. A pattern that is also a file's name is that file. Of a folder the logs and archives right in
    ///     it are taken.
    ///   - encoding: How texts without a byte-order mark are written; `nil` takes their bytes as they are.
    init(_ words: [String], encoding: TextEncoding? = nil) {
        self.init(words, encoding: encoding, maximumSources: Self.maximumSources)
    }

    init(_ words: [String], encoding: TextEncoding?, maximumSources: Int) {
        self.encoding = encoding
        self.maximumSources = maximumSources
        for word in words { add(word) }
        if repeated > 0 { notes.append(.givenTwice(example: repeatedExample, count: repeated)) }
        sources = LogSource.inReadingOrder(sources)
    }

    private mutating func add(_ word: String) {
        if word == "-" || InheritedDescriptor(word) == .standardInput {
            return attempt { inputs throws(LogSourceError) in try inputs.addStandardInput() }
        }
        if let status = FileStatus(path: word) {
            return attempt { inputs throws(LogSourceError) in try inputs.add(word, status) }
        }
        let failure = LogSourceError(missing: word)
        guard failure.code == .missing, let matches = PathPattern(word)?.matches() else {
            return problems.append(failure)
        }
        if matches.isEmpty {
            problems.append(
                LogSourceError(.nothingFound, source: word, reason: "no file has such a name", advice: failure.advice)
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
        append(name, .stream(.standardInput))
    }

    /// Adds what a user named.
    private mutating func add(_ path: String, _ status: FileStatus) throws(LogSourceError) {
        guard try hasRoom(for: path) else { return }
        switch status.kind {
        case .file: try addFile(path, status)
        case .folder: try addFolder(path)
        case .pipe:
            guard isNew(status, path) else { return }
            append(path, .stream(.path(path)))
        case .special:
            throw LogSourceError(.special, source: path, reason: "it is a device or a socket, and no file")
        }
    }

    /// Adds what a pattern matched, or a folder holds.
    private mutating func addFound(_ path: String) throws(LogSourceError) {
        guard let status = FileStatus(path: path) else { return notes.append(.vanished(path)) }
        try add(path, status)
    }

    private mutating func addFile(_ path: String, _ status: FileStatus) throws(LogSourceError) {
        guard isNew(status, path) else { return }
        let file = try OpenFile.open(path)
        // An inherited descriptor may stand further on: what is left of its file is read once, and not now.
        guard file.place == 0 else { return append(path, .stream(.path(path))) }
        let head = try SourceHead(of: file)
        try head.refuseForeignFormats(source: path)
        append(path, head.isPlain(as: encoding) ? .file(path: path, size: status.size) : .stream(.path(path)))
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

    /// Says once that there are too many files, and then passes over the rest.
    private mutating func hasRoom(for path: String) throws(LogSourceError) -> Bool {
        guard sources.count >= maximumSources else { return true }
        guard !isFull else { return false }
        isFull = true
        let reason = "more than \(maximumSources) files were given"
        throw LogSourceError(.tooMany, source: path, reason: reason, advice: "give fewer at once")
    }

    /// Notes a file that has been given before, by whatever name.
    private mutating func isNew(_ status: FileStatus, _ name: String) -> Bool {
        if seen.insert(status.identity).inserted { return true }
        if repeated == 0 { repeatedExample = name }
        repeated += 1
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

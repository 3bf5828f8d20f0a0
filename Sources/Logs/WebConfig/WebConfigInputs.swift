import Files
import Glibc
public import TextKit
import XMLStream

/// The files to read, as named on a command line.
public enum WebConfigInputs {
    /// The maximum number of files found in total.
    public static let maximumFiles = 1000

    /// The maximum depth searched below a folder; a site's own folders have web.config files on three levels.
    public static let maximumDepth = 8

    /// Finds the files that arguments of the form `[SERVER[/ZONE]=]PATH` denote.
    ///
    /// A folder is searched for files named `web.config`, ignoring case, in the order of their names, and each file
    /// gets the label of the argument. Links in the folder are not followed.
    public static func find(_ arguments: [String]) throws(WebConfigError) -> [WebConfigSource] {
        var sources: [WebConfigSource] = []
        for argument in arguments {
            let source = try WebConfigSource(argument: argument)
            guard FileKind(path: source.path) == .folder else {
                sources.append(source)
                continue
            }
            var search = FolderSearch(source, maximumFiles: maximumFiles, maximumDepth: maximumDepth)
            sources += try search.run()
        }
        guard sources.count <= maximumFiles else {
            throw WebConfigError(
                code: .tooLarge,
                source: sources[maximumFiles],
                message: "there are too many files; at most \(maximumFiles) are read",
                advice: "use fewer files at once"
            )
        }
        return sources
    }
}

/// A web.config file with its server and zone; a farm has one file for each combination.
public struct WebConfigSource: Sendable, Hashable {
    /// The path of the file.
    public var path: String
    /// The server from which the file was taken, if given.
    public var server: String?
    /// The zone, if given: `Default`, `Intranet`, `Internet`, `Custom` or `Extranet`.
    public var zone: String?
    /// The path below the working folder, from before ``path`` was masked, for services that use it to locate a
    /// finding.
    package var placePath: String?

    /// Creates a source.
    public init(path: String, server: String? = nil, zone: String? = nil) {
        self.path = path
        self.server = server
        self.zone = zone
    }
}

extension WebConfigSource {
    /// The names of a web application's zones in SharePoint.
    public static let zones = ["Default", "Intranet", "Internet", "Custom", "Extranet"]

    /// Reads `[SERVER[/ZONE]=]PATH`.
    ///
    /// Text before the first `=` is a label only if it looks like a label and no file has the entire argument as its
    /// name.
    public init(argument: String) throws(WebConfigError) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let names = parts[0].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, names.count <= 2, names.allSatisfy(Self.isName), FileKind(path: argument) == nil else {
            self.init(path: argument)
            return
        }
        let path = String(parts[1])
        self.init(path: path, server: String(names[0]))
        guard !path.isEmpty else {
            throw badLabel("there is no path after '\(parts[0])='", "write '\(parts[0])=web.config'", argument)
        }
        if names.count == 2 { zone = try Self.zone(String(names[1]), in: argument) }
    }

    private static func zone(_ name: String, in argument: String) throws(WebConfigError) -> String {
        if let zone = zones.first(where: { $0.lowercased() == name.lowercased() }) { return zone }
        let list = zones.joined(separator: ", ")
        throw WebConfigSource(path: argument).badLabel(
            "'\(name)' is not a zone",
            name.nearest(in: zones).map { "did you mean '\($0)'?" } ?? "the zones are \(list)",
            argument
        )
    }

    private func badLabel(_ message: String, _ advice: String, _ argument: String) -> WebConfigError {
        WebConfigError(code: .badLabel, source: WebConfigSource(path: argument), message: message, advice: advice)
    }

    /// Returns whether a text may be the name of a server or zone; `.` and `..` before a `/` are not server names.
    private static func isName(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, first.isLetterOrDigit else { return false }
        return text.utf8.allSatisfy { $0.isLetterOrDigit || "-_.".utf8.contains($0) }
    }
}

/// A search for web.config files in a folder and its subfolders.
private struct FolderSearch {
    /// The maximum number of names examined.
    private static let maximumNames = 500_000

    private let source: WebConfigSource
    private let maximumFiles: Int
    private let maximumDepth: Int
    private var found: [WebConfigSource] = []
    private var names = 0
    /// A folder that is too deep to search.
    private var tooDeep: String?

    init(_ source: WebConfigSource, maximumFiles: Int, maximumDepth: Int) {
        self.source = source
        self.maximumFiles = maximumFiles
        self.maximumDepth = maximumDepth
    }

    /// Returns the files, in the order of the names in each folder.
    mutating func run() throws(WebConfigError) -> [WebConfigSource] {
        try search(source.path, depth: 0)
        guard !found.isEmpty else {
            let depth = tooDeep.map { "; '\($0)' and deeper folders were not searched" } ?? ""
            throw WebConfigError(
                code: .notFound,
                source: source,
                message: "there is no web.config in this folder" + depth,
                advice: "use the folder of a web site, or the file"
            )
        }
        return found
    }

    private mutating func search(_ folder: String, depth: Int) throws(WebConfigError) {
        let left = Self.maximumNames - names
        let inside: [String]
        do throws(FileError) {
            inside = try Folder.names(folder, maximum: left)
        } catch {
            throw WebConfigError(error, source: source.at(folder))
        }
        names += inside.count
        for name in inside {
            let path = folder.hasSuffix("/") ? folder + name : folder + "/" + name
            switch FileKind(unlinked: path) {
            case .file where name.lowercased() == "web.config": try add(path)
            case .folder where depth < maximumDepth: try search(path, depth: depth + 1)
            case .folder: tooDeep = tooDeep ?? path
            default: break
            }
        }
    }

    private mutating func add(_ path: String) throws(WebConfigError) {
        guard found.count < maximumFiles else {
            throw WebConfigError(
                code: .tooLarge,
                source: source,
                message: "there are more than \(maximumFiles) files called web.config in this folder",
                advice: "use the folders of the web sites you want to check"
            )
        }
        found.append(source.at(path))
    }
}

extension WebConfigSource {
    /// Returns another path of the same server and zone.
    fileprivate func at(_ path: String) -> WebConfigSource { WebConfigSource(path: path, server: server, zone: zone) }
}

/// The kind of file that a path leads to.
private enum FileKind {
    case file
    case folder
    /// A pipe, a socket or a device: reading from it might block forever.
    case special

    /// Returns the kind of file at `path`; `nil`, with `errno` set, if that fails.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Returns the kind of file at `path` without following links; `nil` for a link, or if that fails.
    init?(unlinked path: String) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFLNK else { return nil }
        self.init(status)
    }

    init(_ status: stat) {
        self =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            default: .special
            }
    }
}

/// The reason why a file was rejected; its contents are never guessed.
public struct WebConfigError: Error, Sendable, Hashable {
    /// A kind of failure.
    public struct Code: Hashable, Sendable {
        private enum Wrapped {
            case cannotOpen, notFound, refused, malformed, tooLarge, notWebConfig, badLabel
            case cannotWrite, changed, nothingToUndo
        }
        private let wrapped: Wrapped

        /// The file cannot be opened or read.
        public static let cannotOpen = Code(wrapped: .cannotOpen)
        /// The folder has no web.config.
        public static let notFound = Code(wrapped: .notFound)
        /// The file has a DOCTYPE or an unsupported encoding.
        public static let refused = Code(wrapped: .refused)
        /// The file is not well-formed.
        public static let malformed = Code(wrapped: .malformed)
        /// The file is larger or more deeply nested than allowed, or there are too many files.
        public static let tooLarge = Code(wrapped: .tooLarge)
        /// The root element is not `configuration`.
        public static let notWebConfig = Code(wrapped: .notWebConfig)
        /// The label before the `=` is not SERVER or SERVER/ZONE.
        public static let badLabel = Code(wrapped: .badLabel)
        /// The file can't be replaced.
        public static let cannotWrite = Code(wrapped: .cannotWrite)
        /// The file has changed since it was read or repaired.
        public static let changed = Code(wrapped: .changed)
        /// There is no backup from a repair of the file.
        public static let nothingToUndo = Code(wrapped: .nothingToUndo)
    }

    /// The kind of failure.
    public var code: Code
    /// The file.
    public var source: WebConfigSource
    /// The line, counted from 1, if known.
    public var line: Int?
    /// The column, in characters counted from 1, if known.
    public var column: Int?
    /// The problem, without the file's name.
    public var message: String
    /// Advice on the next step.
    public var advice: String?

    /// Creates an error about a file.
    public init(
        code: Code,
        source: WebConfigSource,
        line: Int? = nil,
        column: Int? = nil,
        message: String,
        advice: String? = nil
    ) {
        self.code = code
        self.source = source
        self.line = line
        self.column = column
        self.message = message
        self.advice = advice
    }
}

extension WebConfigError: CustomStringConvertible {
    public var description: String {
        let place = line.map { line in ":\(line)" + (column.map { ":\($0)" } ?? "") } ?? ""
        return "\(source.path)\(place): \(message)" + (advice.map { "; \($0)" } ?? "")
    }
}

extension WebConfigError {
    /// Creates an error from the failure to read a web.config, or to list a folder of them.
    init(_ error: FileError, source: WebConfigSource) {
        switch error.reason {
        case .system(let number): self.init(errno: number, source: source)
        case .folder: self.init(code: .cannotOpen, source: source, message: "it is a folder", advice: "use a file")
        case .special:
            self.init(
                code: .cannotOpen,
                source: source,
                message: "it is a pipe or a device, not a file",
                advice: "use a file"
            )
        case .tooLarge:
            self.init(
                code: .tooLarge,
                source: source,
                message: "it is larger than \(WebConfigFile.maximumBytes) bytes",
                advice: "check that this is a web.config: real ones are far smaller"
            )
        case .tooMany:
            self.init(
                code: .tooLarge,
                source: source,
                message: "there are too many files in and around this folder",
                advice: "use the folders of the web sites you want to check"
            )
        }
    }

    private init(errno number: CInt, source: WebConfigSource) {
        let text = strerror(number).map { String(cString: $0) } ?? "error \(number)"
        let advice: String? =
            switch number {
            case ENOENT, ENOTDIR: "check the path"
            case EACCES, EPERM: "make it readable for this user, or copy it"
            case EIO, ESTALE: "copy it from its disk or share, and read the copy"
            case EMFILE, ENFILE: "raise the limit on open files (ulimit -n)"
            default: nil
            }
        self.init(
            code: .cannotOpen,
            source: source,
            message: text.prefix(1).lowercased() + text.dropFirst(),
            advice: advice
        )
    }
}

extension WebConfigError {
    /// Creates an error from the XML reader's error for `source`.
    init(_ error: XMLError, source: WebConfigSource) {
        let (code, advice): (Code, String?) =
            switch error.code {
            case .forbidden: (.refused, "remove the DOCTYPE: .NET does not need one in a web.config")
            case .unsupportedEncoding: (.refused, "save it as XML in UTF-8, and declare UTF-8 in its first line")
            case .tooLarge: (.tooLarge, "check that this is a web.config: real ones are far smaller")
            case .disagreement: (.refused, "save it as UTF-8, and report this file")
            default: (.malformed, "correct the XML: .NET cannot read it either")
            }
        self.init(
            code: code,
            source: source,
            line: error.line,
            column: error.column,
            message: error.message,
            advice: advice
        )
    }
}

// MARK: - Failures

extension WebConfigError: AdvisedError {
    /// The error as a message with an exit status.
    public var failure: Failure {
        // The description already includes the advice.
        Failure(ExitStatus(code), description, advice: nil)
    }
}

extension ExitStatus {
    fileprivate init(_ code: WebConfigError.Code) {
        self =
            switch code {
            case .badLabel: .usage
            case .cannotOpen, .notFound: .inputNotOpened
            case .changed, .nothingToUndo: .refused
            case .cannotWrite: .outputNotCreated
            default: .inputRejected
            }
    }
}

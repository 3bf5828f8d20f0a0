import Files
import Glibc
import XMLStream

/// The reason a file was refused; its content is never guessed.
public struct WebConfigError: Error, Sendable, Hashable {
    /// The kinds of failure.
    public struct Code: Hashable, Sendable {
        private enum Wrapped {
            case cannotOpen, notFound, refused, malformed, tooLarge, notWebConfig, badLabel
            case cannotWrite, changed, nothingToUndo
        }
        private let wrapped: Wrapped

        /// The file cannot be opened or read.
        public static let cannotOpen = Code(wrapped: .cannotOpen)
        /// There is no web.config in the folder.
        public static let notFound = Code(wrapped: .notFound)
        /// The file has a DOCTYPE or an unsupported encoding.
        public static let refused = Code(wrapped: .refused)
        /// The file is not well-formed.
        public static let malformed = Code(wrapped: .malformed)
        /// The file is larger or deeper than a web.config may be, or there are too many files.
        public static let tooLarge = Code(wrapped: .tooLarge)
        /// The root element is not `configuration`.
        public static let notWebConfig = Code(wrapped: .notWebConfig)
        /// The label before the `=` is not SERVER or SERVER/ZONE.
        public static let badLabel = Code(wrapped: .badLabel)
        /// The file can't be replaced.
        public static let cannotWrite = Code(wrapped: .cannotWrite)
        /// Somebody has changed the file since it was read or repaired.
        public static let changed = Code(wrapped: .changed)
        /// No repair of the file was kept.
        public static let nothingToUndo = Code(wrapped: .nothingToUndo)
    }

    /// The kind of failure.
    public var code: Code
    /// The file.
    public var source: WebConfigSource
    /// Line, if known, from 1.
    public var line: Int?
    /// Column in characters, if known, from 1.
    public var column: Int?
    /// The problem, without the file's name.
    public var message: String
    /// Advice on what to do next.
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
                message: "it has more than \(WebConfigFile.maximumBytes) bytes",
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
            case EMFILE, ENFILE: "raise the limit of open files (ulimit -n)"
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

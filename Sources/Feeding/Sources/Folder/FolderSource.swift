import ContentFeeding
import Digests
import Glibc
import Threads
import UnicodeText

/// The files below a folder: HTML pages, JSON objects, and text.
///
/// They come in the order of their paths. What can't be read, is too long, no text, or changes while it is read is a
/// rejection with its path, so that nobody takes it for removed.
public struct FolderSource: DocumentSource {
    /// Which files are read, and how they become documents.
    public struct Options: Hashable, Sendable {
        /// What a document's ID is.
        public enum Identity: String, CaseIterable, Hashable, Sendable {
            /// The path below the folder.
            case path
            /// The file's name; files of one name in several folders have the same ID.
            case name
            /// The path, escaped, after ``Options/base``.
            case url
        }

        /// What a document's version is.
        public enum Version: String, CaseIterable, Hashable, Sendable {
            /// The time of its last change, and its size.
            case modified
            /// A digest of its bytes, for which each file is read.
            case digest
        }

        /// The patterns of the paths that are read.
        public var patterns: [String] = ["**"]
        /// What a document's ID is.
        public var identity = Identity.path
        /// The address that the folder has on the web.
        public var base: String?
        /// What a document's version is.
        public var version = Version.modified
        /// The name of the encoding of text that does not tell its own; `nil` if it is UTF-8.
        public var encoding: String?
        /// The longest file, in bytes.
        public var largestDocument = Document.maximumByteCount

        /// Creates the options of a folder all of whose files are read.
        public init() {}
    }

    /// The source's address.
    public let name: String
    private let path: String
    private let options: Options
    private let patterns: [PathPattern]
    private let builder: FileDocument

    /// Creates a source that is opened when it is read.
    ///
    /// - Throws: A ``SourceError`` if a pattern or another option can't be used.
    public init(_ path: String, _ options: Options = Options(), named name: String? = nil) throws(SourceError) {
        (self.path, self.options) = (path, options)
        self.name = name ?? "dir:\(path)"
        patterns = try options.patterns.map { text throws(SourceError) in try PathPattern(text) }
        builder = FileDocument(
            fallback: try options.encoding.map { name throws(SourceError) in try TextEncoding(source: name) }
        )
        guard (options.identity == .url) == (options.base != nil) else {
            throw SourceError(
                .invalidAddress,
                "IDs that are addresses need the folder's own",
                advice: "id=url&base=URL"
            )
        }
    }

    /// What can be expected of its entries.
    public var traits: SourceTraits {
        var traits = SourceTraits()
        traits.isOrdered = options.identity == .path
        traits.versionKey = FileDocument.versionKey
        return traits
    }

    /// Opens the folder.
    public func reader(
        of contents: SourceContents,
        from place: SourcePlace
    ) async throws(SourceError) -> any SourceReader {
        guard let start = PercentEncoding.bytes(place.rawValue) else {
            throw SourceError(.changed, "'\(place.rawValue)' is no place in a folder")
        }
        let reader = FolderReader(contents, options, builder)
        try await reader.open { () throws(SourceError) in try FolderWalk(path, patterns, after: start) }
        return reader
    }
}

/// Reads files on a thread of its own, because a disk makes it wait.
private actor FolderReader: SourceReader {
    private nonisolated let executor = ThreadExecutor()
    private let contents: SourceContents
    private let options: FolderSource.Options
    private let builder: FileDocument
    private var walk: FolderWalk?

    private static let pageCount = 500
    private static let pageBytes = 4 << 20

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ contents: SourceContents, _ options: FolderSource.Options, _ builder: FileDocument) {
        (self.contents, self.options, self.builder) = (contents, options, builder)
    }

    func open(_ open: @Sendable () throws(SourceError) -> FolderWalk) throws(SourceError) { walk = try open() }

    func next() throws(SourceError) -> SourcePage? {
        guard let walk else { return nil }
        var page = SourcePage(entries: [], next: .beginning)
        var bytes = 0
        while page.entries.count + page.rejections.count < Self.pageCount, bytes < Self.pageBytes,
            let step = walk.next()
        {
            guard !Task.isCancelled else { throw SourceError(.cancelled, "interrupted") }
            switch step {
            case .flaw(let path, let reason): page.reject(path, reason)
            case .file(let file):
                do throws(FileFlaw) {
                    let entry = try entry(file)
                    bytes += entry.json?.count ?? 256
                    page.entries.append(entry)
                } catch {
                    page.reject(file.path, error.reason)
                }
            }
        }
        guard !page.entries.isEmpty || !page.rejections.isEmpty else { return nil }
        page.next = SourcePlace(rawValue: PercentEncoding.encoded(path: walk.path))
        return page
    }

    private func entry(_ file: WalkedFile) throws(FileFlaw) -> SourceEntry {
        guard file.status.st_size <= options.largestDocument else {
            throw FileFlaw("longer than the \(options.largestDocument) bytes allowed for a document")
        }
        let id = try id(of: file.path)
        guard contents == .documents || options.version == .digest else {
            return SourceEntry(id: id, version: FileVersion(file.status).text)
        }
        let (bytes, status) = try contentsOf(file)
        var function = SHA256()
        let version =
            options.version == .digest
            ? "sha256-\(function.digest(of: bytes).hexadecimal)" : FileVersion(status).text
        guard contents == .documents else { return SourceEntry(id: id, version: version) }
        let facts = FileDocument.Facts(
            id: id,
            path: file.path,
            lastModified: FileVersion(status).lastModified,
            version: version
        )
        let json = try builder.json(bytes, facts)
        guard json.count <= options.largestDocument else {
            throw FileFlaw("its document is longer than the \(options.largestDocument) bytes allowed")
        }
        return SourceEntry(id: id, version: version, json: json)
    }

    private func id(of path: String) throws(FileFlaw) -> DocumentID {
        let text =
            switch options.identity {
            case .path: path
            case .name: String(path.split(separator: "/").last ?? "")
            case .url: (options.base ?? "") + PercentEncoding.encoded(path: path.utf8)
            }
        do throws(InvalidDocumentID) { return try DocumentID(text) } catch {
            throw FileFlaw("its ID is not valid: \(error)")
        }
    }

    /// Reads a whole file that stays the same meanwhile.
    private func contentsOf(_ file: WalkedFile) throws(FileFlaw) -> ([UInt8], stat) {
        let number = file.open()
        guard number >= 0 else { throw FileFlaw(errno: errno) }
        defer { close(number) }
        var before = stat()
        guard fstat(number, &before) == 0 else { throw FileFlaw(errno: errno) }
        guard before.st_mode & S_IFMT == S_IFREG else { throw FileFlaw("it is no file any more") }
        let room = min(Int(before.st_size), options.largestDocument) + 1
        var bytes = [UInt8](repeating: 0, count: room)
        var count = 0
        while count < room {
            let read = bytes.withUnsafeMutableBytes { buffer in
                buffer.baseAddress.map { Glibc.read(number, $0 + count, room - count) } ?? 0
            }
            if read == 0 { break }
            guard read > 0 || errno == EINTR else { throw FileFlaw(errno: errno) }
            count += max(0, read)
        }
        var after = stat()
        guard fstat(number, &after) == 0, count == Int(before.st_size), FileVersion(before) == FileVersion(after) else {
            throw FileFlaw("it was changed while it was read")
        }
        bytes.removeLast(room - count)
        return (bytes, after)
    }
}

extension SourcePage {
    fileprivate mutating func reject(_ path: String, _ reason: String) {
        rejections.append(InputRejection(source: path, line: 0, reason: reason))
    }
}

extension FileFlaw {
    fileprivate init(errno number: CInt) {
        self.init(number == ENOENT ? "it is gone: it was removed while the folder was read" : systemText(number))
    }
}

/// What tells one state of a file from another without reading it.
private struct FileVersion: Equatable {
    private let seconds: Int
    private let nanoseconds: Int
    private let size: Int

    init(_ status: stat) {
        (seconds, nanoseconds, size) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec, Int(status.st_size))
    }

    /// The time of the last change: `2024-03-11T10:03:00.123456789Z`.
    var lastModified: String {
        var (time, parts) = (seconds, tm())
        gmtime_r(&time, &parts)
        func padded(_ number: Int, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
        }
        let date =
            "\(padded(Int(parts.tm_year) + 1900, 4))-\(padded(Int(parts.tm_mon) + 1, 2))-\(padded(Int(parts.tm_mday), 2))"
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { padded(Int($0), 2) }.joined(separator: ":")
        let fraction = nanoseconds == 0 ? "" : "." + padded(nanoseconds, 9)
        return "\(date)T\(clock)\(fraction)Z"
    }

    var text: String { "\(lastModified) \(size)" }
}

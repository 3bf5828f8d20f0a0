import ContentFeeding
import Digests
import Glibc
import JSONText
import TextKit
import Threads
import XMLStream

/// The files below a folder: HTML pages, JSON objects, and text.
///
/// They are sorted by path. A file that can't be read, is too long, is not text or changes while being read is reported
/// as a rejection with its path, so it is not mistaken for a deleted file.
public struct FolderSource: DocumentSource {
    /// The options that determine which files are read, and how they become documents.
    public struct Options: Hashable, Sendable {
        /// The kind of a document's ID.
        public enum Identity: String, CaseIterable, Hashable, Sendable {
            /// The path below the folder.
            case path
            /// The file's name; files with the same name in different folders have the same ID.
            case name
            /// The path, escaped, after ``Options/base``.
            case url
        }

        /// The kind of a document's version.
        public enum Version: String, CaseIterable, Hashable, Sendable {
            /// The time of the file's last modification, and its size.
            case modified
            /// A digest of the file's bytes, which requires reading each file.
            case digest
        }

        /// Patterns for the paths of files to read.
        public var patterns: [String] = ["**"]
        /// The kind of a document's ID.
        public var identity = Identity.path
        /// The folder's URL on the web.
        public var base: String?
        /// The kind of a document's version.
        public var version = Version.modified
        /// The name of the encoding of text that does not declare its own; `nil` for UTF-8.
        public var encoding: String?
        /// The longest file, in bytes.
        public var largestDocument = Document.maximumByteCount

        /// Creates the options for reading all files of a folder.
        public init() {}
    }

    /// The source's address.
    public let name: String
    private let path: String
    private let options: Options
    private let patterns: [PathPattern]
    private let builder: FileDocument

    /// Creates a source that opens the folder only when it is read.
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
                "to use addresses as IDs, specify the folder's address",
                advice: "id=url&base=URL"
            )
        }
    }

    /// The traits of the source's entries.
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
            throw SourceError(.changed, "'\(place.rawValue)' is not a position in a folder")
        }
        let reader = FolderReader(contents, options, builder)
        try await reader.open { () throws(SourceError) in try FolderWalk(path, patterns, after: start) }
        return reader
    }
}

/// Reads files on a separate thread, because disk access blocks its thread.
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

    /// Reads a whole file, and throws if the file changes while it is read.
    private func contentsOf(_ file: WalkedFile) throws(FileFlaw) -> ([UInt8], stat) {
        let number = file.open()
        guard number >= 0 else { throw FileFlaw(errno: errno) }
        defer { close(number) }
        var before = stat()
        guard fstat(number, &before) == 0 else { throw FileFlaw(errno: errno) }
        guard before.st_mode & S_IFMT == S_IFREG else { throw FileFlaw("it is no longer a file") }
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
            throw FileFlaw("it changed while it was being read")
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
        self.init(number == ENOENT ? "it is gone: it was removed while the folder was being read" : systemText(number))
    }
}

/// The attributes that reveal a change to a file without reading its content.
private struct FileVersion: Equatable {
    private let seconds: Int
    private let nanoseconds: Int
    private let size: Int

    init(_ status: stat) {
        (seconds, nanoseconds, size) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec, Int(status.st_size))
    }

    /// The time of the last modification, such as `2024-03-11T10:03:00.123456789Z`.
    var lastModified: String {
        var (time, parts) = (seconds, tm())
        gmtime_r(&time, &parts)
        let date = [
            (Int(parts.tm_year) + 1900).padded(to: 4), (parts.tm_mon + 1).padded(to: 2), parts.tm_mday.padded(to: 2),
        ]
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { $0.padded(to: 2) }.joined(separator: ":")
        let fraction = nanoseconds == 0 ? "" : "." + nanoseconds.padded(to: 9)
        return "\(date.joined(separator: "-"))T\(clock)\(fraction)Z"
    }

    var text: String { "\(lastModified) \(size)" }
}

/// The reason why a file can't become a document, as a complete sentence.
struct FileFlaw: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// Creates documents from files according to their extensions: HTML pages, JSON objects, or, for all other extensions,
/// text.
struct FileDocument: Hashable, Sendable {
    /// The facts about a file that are known without reading its content.
    struct Facts {
        let id: DocumentID
        let path: String
        let lastModified: String
        let version: String
    }

    /// The key that holds the version of the file that a document comes from.
    static let versionKey = "sourceVersion"

    /// The longest title taken from text, in characters.
    private static let maximumTitle = 200

    /// The encoding of text that does not declare its own; `nil` for UTF-8.
    let fallback: TextEncoding?

    /// Returns the document as JSON.
    func json(_ bytes: [UInt8], _ facts: Facts) throws(FileFlaw) -> [UInt8] {
        switch Self.ending(of: facts.path) {
        case "html", "htm", "xhtml": try page(bytes, facts)
        case "json": try object(bytes, facts)
        default: try text(bytes, facts)
        }
    }

    private static func ending(of path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        return name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
    }

    private func page(_ bytes: [UInt8], _ facts: Facts) throws(FileFlaw) -> [UInt8] {
        let encoding = try HTMLEncoding.declared(in: bytes)
        let text = try TextDecoder(encoding ?? fallback).utf8(bytes)
        let page: HTMLText
        do throws(XMLError) { page = try HTMLText(text) } catch {
            throw FileFlaw("can't be read as HTML: \(error)")
        }
        return document(facts, title: page.title ?? Self.name(of: facts.path), body: page.body) { writer in
            if let description = page.description { writer.member("description", description) }
            if let language = page.language { writer.member("language", language) }
            writer.member("links", page.links)
        }
    }

    private func text(_ bytes: [UInt8], _ facts: Facts) throws(FileFlaw) -> [UInt8] {
        let text = try TextDecoder(fallback).utf8(bytes)
        guard !text.contains(0) else { throw FileFlaw("is not text: it contains NUL bytes") }
        let body = String(decoding: text, as: UTF8.self)
        let first = body.split(whereSeparator: \.isNewline).lazy.map(\.trimmed).first { !$0.isEmpty }
        let title = first.map { String($0.prefix(Self.maximumTitle)) } ?? Self.name(of: facts.path)
        return document(facts, title: title, body: body) { _ in }
    }

    private static func name(of path: String) -> String { String(path.split(separator: "/").last ?? "") }

    private func document(
        _ facts: Facts,
        title: String,
        body: String,
        _ more: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        JSONWriter.object { writer in
            writer.member("id", facts.id.text)
            writer.member("path", facts.path)
            writer.member("title", title)
            writer.member("body", body)
            more(&writer)
            writer.member("lastModified", facts.lastModified)
            writer.member(Self.versionKey, facts.version)
        }
    }

    /// Returns the object unchanged, except that its ID and version are added if it has no members with these names.
    private func object(_ bytes: [UInt8], _ facts: Facts) throws(FileFlaw) -> [UInt8] {
        let text = try TextDecoder(fallback).utf8(bytes)
        let members: JSONMembers
        do throws(JSONError) { members = try JSONMembers(of: text.span) } catch {
            throw FileFlaw("is not a single JSON object: \(error)")
        }
        if let key = members.duplicateKey { throw FileFlaw("has the member '\(key)' twice") }
        let json = JSONWriter.object { writer in
            if members["id"] == nil { writer.member("id", facts.id.text) }
            for member in members.all { writer.member(member.key, raw: Array(text[member.value])) }
            if members[Self.versionKey] == nil { writer.member(Self.versionKey, facts.version) }
        }
        let document = Document(id: facts.id, json: json)
        do throws(MisplacedOperator) { return try ContentOperation(.add, written: document).json } catch {
            throw FileFlaw(error.reason)
        }
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var rest = self
        while let first = rest.first, first.isWhitespace { rest.removeFirst() }
        while let last = rest.last, last.isWhitespace { rest.removeLast() }
        return rest
    }
}

/// Converts the bytes of a file to UTF-8, and refuses text that the conversion would change.
struct TextDecoder {
    private let encoding: TextEncoding?

    /// Creates a decoder; `encoding` applies to text without a byte-order mark, and is `nil` for UTF-8.
    init(_ encoding: TextEncoding?) { self.encoding = encoding }

    func utf8(_ bytes: [UInt8]) throws(FileFlaw) -> [UInt8] {
        let mark = ByteOrderMark(startOf: bytes.span)
        let rest = Array(bytes.dropFirst(mark?.length ?? 0))
        guard let encoding = mark?.encoding ?? encoding, var transcoder = encoding.makeTranscoder() else {
            guard String(validating: rest, as: UTF8.self) != nil else {
                throw FileFlaw("is not UTF-8; specify its encoding, for example encoding=windows-1252")
            }
            return rest
        }
        var text: [UInt8] = []
        transcoder.transcode(rest.span, into: &text)
        transcoder.finish(into: &text)
        guard transcoder.undecodable == 0 else { throw FileFlaw("is not valid \(encoding)") }
        return text
    }
}

/// The encoding declared by an HTML page.
private enum HTMLEncoding {
    /// The number of bytes at the beginning of a page that browsers search for the declaration.
    private static let prescanned = 1024

    /// Returns the encoding in the first `<meta>` that names one; `nil` if none does.
    static func declared(in bytes: [UInt8]) throws(FileFlaw) -> TextEncoding? {
        // Names of encodings consist of ASCII characters in every encoding.
        let head = String(decoding: bytes.prefix(prescanned), as: UTF8.self).lowercased()
        var rest = head[...]
        while let meta = rest.range(of: "<meta") {
            rest = rest[meta.upperBound...]
            let tag = rest.prefix { $0 != ">" }
            guard let key = tag.range(of: "charset") else { continue }
            let value = tag[key.upperBound...].drop { $0.isWhitespace }
            guard value.first == "=" else { continue }
            let name = value.dropFirst().drop { $0.isWhitespace || $0 == "\"" || $0 == "'" }
                .prefix { !$0.isWhitespace && !"\"';/>".contains($0) }
            return try encoding(String(name))
        }
        return nil
    }

    private static func encoding(_ name: String) throws(FileFlaw) -> TextEncoding? {
        // A page whose declaration of UTF-16 is readable as ASCII is not encoded in UTF-16.
        if ["utf-16", "utf-16le", "utf-16be"].contains(name) { return nil }
        do throws(UnknownEncoding) {
            return try TextEncoding(declared: name)
        } catch {
            throw FileFlaw("declares the unknown encoding '\(name.prefix(40))'")
        }
    }
}

extension TextEncoding {
    /// Creates the encoding that a page or a header declares, with a name in lower case.
    init(declared name: String) throws(UnknownEncoding) {
        // All browsers treat these names as aliases of the code page that is a superset of these encodings.
        let latin = ["iso-8859-1", "iso8859-1", "latin1", "ascii", "us-ascii"]
        try self.init(of: latin.contains(name) ? "windows-1252" : name)
    }
}

extension Substring {
    /// Returns the range of the first occurrence of a text, compared character by character.
    fileprivate func range(of text: String) -> Range<Index>? { firstRange(of: text) }
}

/// The readable content of a page: its title, text and links.
struct HTMLText: Hashable, Sendable {
    /// The title; `nil` if the page has none.
    private(set) var title: String?
    /// The text without scripts and styles, with blanks collapsed and each block on its own line.
    private(set) var body = ""
    /// The distinct targets of links, as written in the page.
    private(set) var links: [String] = []
    /// The language that the page declares.
    private(set) var language: String?
    /// The description that the page gives to search engines.
    private(set) var description: String?

    /// The maximum number of links, and the maximum length of each in bytes.
    private static let maximumLinks = 10_000
    private static let maximumLinkBytes = 2048

    /// Reads a page in UTF-8.
    ///
    /// - Throws: An `XMLError` if the page exceeds a limit.
    init(_ utf8: [UInt8]) throws(XMLError) {
        var collector = Collector()
        try HTMLReader.read(utf8) { collector.take($0) }
        title = collector.title?.text
        body = collector.body.text
        (links, language, description) = (collector.links, collector.language, collector.description)
    }

    /// The elements whose text is not part of the page's text.
    private static let unseen: Set<String> = ["script", "style", "template", "head", "noscript", "svg", "math"]
    /// Inline elements; all others begin and end a line.
    private static let inline: Set<String> = [
        "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i",
        "img",
        "ins", "kbd", "label", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time",
        "tt",
        "u", "var", "wbr",
    ]

    private struct Collector {
        var title: Lines?
        var body = Lines()
        var links: [String] = []
        var language: String?
        var description: String?
        private var known: Set<String> = []
        /// The number of open elements whose text is not part of the page's text.
        private var unseen = 0
        private var isInTitle = false

        mutating func take(_ event: HTMLReader.Event) {
            switch event {
            case .startElement(let name, let attributes): start(name, attributes)
            case .endElement(let name): end(name)
            case .text(let bytes):
                if isInTitle { title?.append(bytes) } else if unseen == 0 { body.append(bytes) }
            case .data: break
            }
        }

        private mutating func start(_ name: String, _ attributes: [XMLReader.Attribute]) {
            func value(_ key: String) -> String? { attributes.first { $0.name == key }?.value }
            switch name {
            case "html": language = language ?? (value("lang") ?? value("xml:lang")).flatMap { $0.isEmpty ? nil : $0 }
            case "title": if title == nil { (title, isInTitle) = (Lines(), true) }
            case "meta":
                if value("name")?.lowercased() == "description", description == nil { description = value("content") }
            case "a", "area": if unseen == 0, let link = value("href") { note(link) }
            default: break
            }
            if HTMLText.unseen.contains(name) { unseen += 1 }
            if !HTMLText.inline.contains(name) { body.endLine() }
        }

        private mutating func end(_ name: String) {
            if name == "title" { isInTitle = false }
            if HTMLText.unseen.contains(name) { unseen = max(0, unseen - 1) }
            if !HTMLText.inline.contains(name) { body.endLine() }
        }

        private mutating func note(_ link: String) {
            var link = String(link.drop { $0.isWhitespace })
            while link.last?.isWhitespace ?? false { link.removeLast() }
            // A link to a fragment of the same page, or to a script, does not lead to another page.
            guard !link.isEmpty, !link.hasPrefix("#"), !link.lowercased().hasPrefix("javascript:"),
                link.utf8.count <= HTMLText.maximumLinkBytes, links.count < HTMLText.maximumLinks,
                known.insert(link).inserted
            else { return }
            links.append(link)
        }
    }

    /// A builder of text that consists of lines with collapsed blanks.
    private struct Lines {
        private var bytes: [UInt8] = []
        /// The separator between the existing text and the next piece.
        private var separator: UInt8?

        var text: String { String(decoding: bytes, as: UTF8.self) }

        mutating func append(_ piece: [UInt8]) {
            for byte in piece {
                // All blanks in HTML are ASCII characters; a no-break space is not a blank.
                if byte == 0x20 || (0x09...0x0D).contains(byte) {
                    if separator == nil { separator = 0x20 }
                } else {
                    if let separator, !bytes.isEmpty { bytes.append(separator) }
                    separator = nil
                    bytes.append(byte)
                }
            }
        }

        mutating func endLine() { separator = 0x0A }
    }
}

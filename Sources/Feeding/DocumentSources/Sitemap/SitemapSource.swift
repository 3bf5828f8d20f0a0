import ContentFeeding
import EngineHTTP
import Files
import HTTPClient
import JSONText
import TextKit
import XMLStream

/// The pages listed in a sitemap, or in all the sitemaps of a sitemap index.
///
/// The ID is the page's address, and the version is its `lastmod`. Pages are not fetched: a document has `id`, `url`,
/// `lastmod`, `changefreq` and `priority`, where the sitemap provides them.
public struct SitemapSource: DocumentSource {
    /// The source's address.
    public let name: String
    /// The traits of the source's entries.
    public let traits: SourceTraits

    private let place: Place
    private let access: HTTPAccess

    fileprivate enum Place: Hashable {
        case web(HTTPAddress)
        case file(path: String)
    }

    /// Creates the source of a sitemap on the web; nothing is sent yet.
    ///
    /// The address's parameters are part of the source's name, so they must not contain secrets.
    public init(_ url: String, access: HTTPAccess = HTTPAccess()) throws(SourceError) {
        guard let address = HTTPAddress(url), !url.contains("@") else {
            throw SourceError(
                .invalidAddress,
                "the sitemap's address is not valid",
                advice: "expected https://HOST/sitemap.xml"
            )
        }
        self.init(.web(address), named: "sitemap+" + address.url, access)
    }

    /// Creates the source of a sitemap in a file.
    public init(path: String) { self.init(.file(path: path), named: "sitemap:" + path, HTTPAccess()) }

    private init(_ place: Place, named name: String, _ access: HTTPAccess) {
        (self.place, self.name, self.access) = (place, name, access)
        var traits = SourceTraits()
        traits.versionKey = "lastmod"
        traits.isPartial = true
        self.traits = traits
    }

    /// Opens the sitemap.
    public func reader(
        of contents: SourceContents,
        from place: SourcePlace
    ) async throws(SourceError) -> any SourceReader {
        let connection: SourceConnection? =
            if case .web = self.place { try await SourceConnection(access) } else { nil }
        return try await SitemapReader(self.place, name: name, connection, contents, from: place)
    }
}

/// Reads sitemaps, one at a time, in the order in which they are listed.
private actor SitemapReader: SourceReader {
    /// A sitemap that is being read, and the position in it.
    private struct Level {
        /// The address of the sitemap; `nil` if it is the source itself.
        let address: HTTPAddress?
        let file: SitemapFile
        var position = 0
    }

    private let start: SitemapSource.Place
    private let name: String
    private let connection: SourceConnection?
    private let contents: SourceContents
    /// The indexes that lead to the sitemap being read, followed by that sitemap; empty when everything has been read.
    private var levels: [Level] = []

    /// The maximum nesting of indexes; the protocol allows one.
    private static let maximumDepth = 3
    /// The maximum number of pages that are returned at once.
    private static let entriesPerPage = 1_000

    init(
        _ start: SitemapSource.Place,
        name: String,
        _ connection: SourceConnection?,
        _ contents: SourceContents,
        from place: SourcePlace
    ) async throws(SourceError) {
        (self.start, self.name, self.connection, self.contents) = (start, name, connection, contents)
        guard place.rawValue != Self.end else { return }
        try await open(place)
        try await descend()
    }

    private static let end = "end"

    /// Opens the sitemaps that lead to a position.
    ///
    /// A position consists of the addresses of these sitemaps, which must still be listed, and a position in each of
    /// them.
    private func open(_ place: SourcePlace) async throws(SourceError) {
        var steps = place.rawValue.split(separator: "\n", omittingEmptySubsequences: false)[...]
        var address: HTTPAddress?
        repeat {
            var level = Level(address: address, file: try await file(at: address))
            let step = steps.popFirst() ?? ""
            guard let position = step.isEmpty ? 0 : Int(step), (0...level.file.items.count).contains(position) else {
                throw moved()
            }
            level.position = position
            levels.append(level)
            guard let next = steps.popFirst() else { return }
            // The saved position is already past the child sitemap that is being read.
            guard level.file.isIndex, position > 0, levels.count <= Self.maximumDepth,
                level.file.items[position - 1].location == next,
                let child = child(level.file.items[position - 1], of: address)
            else { throw moved() }
            address = child
        } while true
    }

    private func moved() -> SourceError {
        SourceError(
            .changed,
            "\(name) has changed: the position to resume from no longer exists",
            advice: "start again from the beginning"
        )
    }

    /// The position after the entries returned so far.
    private var place: SourcePlace {
        guard !levels.isEmpty else { return SourcePlace(rawValue: Self.end) }
        var words: [String] = []
        for (depth, level) in levels.enumerated() {
            words.append("\(level.position)")
            if depth + 1 < levels.count { words.append(level.file.items[level.position - 1].location) }
        }
        return SourcePlace(rawValue: words.joined(separator: "\n"))
    }

    func next() async throws(SourceError) -> SourcePage? {
        try await descend()
        guard var level = levels.popLast() else { return nil }
        let items = level.file.items[level.position...].prefix(Self.entriesPerPage)
        level.position = items.endIndex
        levels.append(level)
        var page = SourcePage(entries: [], next: place)
        let file = level.address.map { $0.name } ?? name
        for item in items {
            let isAddress = item.address != nil
            if isAddress, let id = try? DocumentID(item.location) {
                page.entries.append(
                    SourceEntry(
                        id: id,
                        version: item.lastModified.isEmpty ? nil : item.lastModified,
                        json: contents == .documents ? item.json : nil
                    )
                )
            } else {
                let shown = String(item.location.prefix(200))
                let reason = shown.isEmpty ? "an entry without <loc>" : "'\(shown)' is not a web address"
                page.rejections.append(InputRejection(source: file, line: item.line, reason: reason))
            }
        }
        return page
    }

    /// Leaves sitemaps that have been read to the end, and opens the next ones, until there are pages to return or no
    /// sitemap is left.
    private func descend() async throws(SourceError) {
        while let level = levels.last {
            if level.position == level.file.items.count {
                levels.removeLast()
                continue
            }
            guard level.file.isIndex else { return }
            let item = level.file.items[level.position]
            guard let address = child(item, of: level.address) else { throw foreign(item) }
            guard levels.count < Self.maximumDepth + 1 else {
                throw SourceError(
                    .unusable,
                    "\(name): sitemap indexes are nested more than \(Self.maximumDepth) levels deep",
                    advice: "the protocol allows an index to list only sitemaps"
                )
            }
            let file = try await file(at: address)
            // Advance only now, so the next call retries a sitemap that could not be read, instead of skipping it.
            levels[levels.count - 1].position += 1
            levels.append(Level(address: address, file: file))
        }
    }

    /// Returns the address of a sitemap listed in an index; it must be on the same server, so no unknown server is
    /// contacted.
    private func child(_ item: SitemapFile.Item, of parent: HTTPAddress?) -> HTTPAddress? {
        guard case .web(let start) = start, let address = item.address else { return nil }
        let isSame = address.node == start.node
        let isSecured =
            start.node.scheme == .http && address.node.scheme == .https && address.node.host == start.node.host
            && address.node.port == 443 && start.node.port == 80
        return isSame || isSecured ? address : nil
    }

    private func foreign(_ item: SitemapFile.Item) -> SourceError {
        let shown = item.location.prefix { $0 != "?" }.prefix(200)
        guard case .web(let start) = start else {
            return SourceError(
                .unsupported,
                "\(name) is an index, but its sitemaps can't be read from a file",
                advice: "read it where it is published: sitemap+https://…"
            )
        }
        return SourceError(
            .unusable,
            "the index \(name) lists a sitemap that is not on \(start.server): '\(shown)'",
            advice: "if you trust that server, read that sitemap from its own address"
        )
    }

    private func file(at address: HTTPAddress?) async throws(SourceError) -> SitemapFile {
        let bytes: [UInt8]
        let shown: String
        switch (start, address) {
        case (.web(let start), _):
            guard let connection else { throw moved() }
            shown = (address ?? start).name
            do throws(SourceError) {
                bytes = try await connection.get(address ?? start).body
            } catch {
                // The source itself exists, but a sitemap listed in it is missing, so the source is unusable.
                guard address != nil, [.missing, .invalidAddress].contains(error.code) else { throw error }
                throw SourceError(.unusable, error.message, advice: error.advice)
            }
        case (.file(let path), _):
            shown = path
            do throws(FileError) {
                bytes = try SmallFile.read(path, maximum: SitemapFile.maximumByteCount)
            } catch {
                throw SourceError(
                    error.isMissing ? .missing : .inputOutput,
                    "the sitemap '\(path)' can't be read: \(error.reason)"
                )
            }
        }
        do throws(SitemapFile.Problem) {
            return try SitemapFile(bytes)
        } catch {
            throw SourceError(.unusable, "\(shown) \(error.words)", advice: "is this the right address?")
        }
    }
}

/// A parsed sitemap: pages, or further sitemaps (sitemaps.org, protocol 0.9).
struct SitemapFile: Sendable {
    /// A page, or a sitemap in an index, as listed in the file.
    struct Item: Hashable, Sendable {
        var location = ""
        var lastModified = ""
        var changeFrequency = ""
        var priority = ""
        /// The number of the line on which the item ends, counted from 1.
        var line = 0
    }

    /// Whether the items are sitemaps.
    let isIndex: Bool
    let items: [Item]

    /// The maximum size of a decompressed sitemap, in bytes.
    static let maximumByteCount = 50 << 20
    /// The maximum number of items in a sitemap.
    static let maximumItemCount = 50_000

    /// The reason why a file is not a sitemap, as text that can follow the file's name.
    struct Problem: Error { let words: String }

    /// Parses a sitemap strictly, so a truncated sitemap is invalid.
    init(_ bytes: [UInt8]) throws(Problem) {
        let xml = try Self.unpacked(bytes)
        guard xml.count <= Self.maximumByteCount else { throw Self.tooLong }
        do throws(XMLError) {
            var limits = XMLReader.Limits()
            limits.bytes = Self.maximumByteCount
            // Entries for pages may also list translations, images and news.
            limits.nodes = 5_000_000
            var reader = try XMLReader(xml, limits: limits)
            var builder = Builder()
            while let event = try reader.next() {
                guard builder.take(event, line: reader.line) else { throw Builder.refusal(of: event, reader.line) }
                guard builder.items.count <= Self.maximumItemCount else {
                    throw XMLError(
                        code: .tooLarge,
                        message: "more than \(Self.maximumItemCount) entries, the most that one sitemap may have",
                        line: reader.line
                    )
                }
            }
            (isIndex, items) = (builder.isIndex, builder.items)
        } catch {
            throw Problem(words: "is not a sitemap, or is damaged or cut off: \(error)")
        }
    }

    private static var tooLong: Problem {
        Problem(words: "is longer than a sitemap may be: \(maximumByteCount) bytes, uncompressed")
    }

    /// Decompresses a file if its contents are in gzip format, regardless of its name.
    private static func unpacked(_ bytes: [UInt8]) throws(Problem) -> [UInt8] {
        guard bytes.starts(with: [0x1F, 0x8B]) else { return bytes }
        do throws(GzipFlaw) { return try GzipFlaw.expanded(bytes, limit: maximumByteCount) } catch {
            if error.isTooLong { throw tooLong }
            throw Problem(words: "can't be decompressed: \(error.words)")
        }
    }

    /// Builds items from XML elements, regardless of their namespace prefix.
    private struct Builder {
        private(set) var isIndex = false
        private(set) var items: [Item] = []
        private var path: [String] = []
        private var prefix: Substring = ""
        private var item = Item()
        private var text = ""

        /// Returns false if the document is not a sitemap.
        mutating func take(_ event: XMLReader.Event, line: Int) -> Bool {
            switch event {
            case .startElement(let name, let attributes):
                if path.isEmpty {
                    prefix = name.prefix { $0 != ":" }
                    prefix = prefix.count == name.count ? "" : name.prefix(prefix.count + 1)
                    let root = name.dropFirst(prefix.count)
                    guard root == "urlset" || root == "sitemapindex" else { return false }
                    let declaration = prefix.isEmpty ? "xmlns" : "xmlns:" + prefix.dropLast()
                    let space = attributes.first { $0.name == declaration }?.value.lowercased()
                    // Many sites omit the namespace, and old sitemaps use Google's namespace, which preceded that of
                    // sitemaps.org.
                    guard
                        space.map({ $0.contains("sitemaps.org/") || $0.contains("google.com/schemas/sitemap/") })
                            ?? true
                    else { return false }
                    isIndex = root == "sitemapindex"
                }
                path.append(name)
                if path.count == 2 { item = Item() }
                text = ""
            case .text(let piece): text += piece
            case .endElement(let name):
                end(name, line: line)
                path.removeLast()
                text = ""
            }
            return true
        }

        private mutating func end(_ name: String, line: Int) {
            // Images and translations also have locations, but with other prefixes or at a deeper level.
            guard name.hasPrefix(prefix), path.count > 1, path[1] == prefix + (isIndex ? "sitemap" : "url") else {
                return
            }
            switch (path.count, name.dropFirst(prefix.count)) {
            case (2, _):
                item.line = line
                items.append(item)
            case (3, "loc"): item.location = text.trimmed()
            case (3, "lastmod"): item.lastModified = text.trimmed()
            case (3, "changefreq"): item.changeFrequency = text.trimmed()
            case (3, "priority"): item.priority = text.trimmed()
            default: break
            }
        }

        static func refusal(of event: XMLReader.Event, _ line: Int) -> XMLError {
            let found = if case .startElement(let name, _) = event { "<\(name.prefix(60))>" } else { "text" }
            return XMLError(
                code: .malformed,
                message: "expected <urlset> or <sitemapindex> from sitemaps.org, found \(found)",
                line: line
            )
        }
    }
}

extension SitemapFile.Item {
    /// The address of the page; `nil` if it is not a web address.
    var address: HTTPAddress? {
        location.utf8.count <= Self.maximumLocation && location.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
            ? HTTPAddress(location) : nil
    }

    /// The longest address of a page, in bytes; the protocol allows 2,048 characters.
    private static let maximumLocation = 8 << 10

    /// The page as a document.
    var json: [UInt8] {
        JSONWriter.object { writer in
            writer.member("id", location)
            writer.member("url", location)
            for (key, text) in [("lastmod", lastModified), ("changefreq", changeFrequency)] where !text.isEmpty {
                writer.member(key, text)
            }
            if let priority = Double(priority), priority.isFinite { writer.member("priority", priority) }
        }
    }
}

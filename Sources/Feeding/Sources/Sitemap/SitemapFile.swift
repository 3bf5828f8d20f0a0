import ContentFeeding
import Gzip
import JSONText
import XMLStream

/// A sitemap as it was read: pages, or further sitemaps (sitemaps.org, protocol 0.9).
struct SitemapFile: Sendable {
    /// A page, or a sitemap in an index, as the file has it.
    struct Item: Hashable, Sendable {
        var location = ""
        var lastModified = ""
        var changeFrequency = ""
        var priority = ""
        /// Where it ends, counted from 1.
        var line = 0
    }

    /// Whether the items are sitemaps.
    let isIndex: Bool
    let items: [Item]

    /// The most bytes of a sitemap, unpacked.
    static let maximumByteCount = 50 << 20
    /// The most items of a sitemap.
    static let maximumItemCount = 50_000

    /// Why a file is no sitemap, worded to follow its name.
    struct Problem: Error { let words: String }

    /// Reads a sitemap, strictly: one that is cut is none.
    init(_ bytes: [UInt8]) throws(Problem) {
        let xml = try Self.unpacked(bytes)
        guard xml.count <= Self.maximumByteCount else { throw Self.tooLong }
        do throws(XMLError) {
            var limits = XMLReader.Limits()
            limits.bytes = Self.maximumByteCount
            // Pages may come with translations, pictures and news of their own.
            limits.nodes = 5_000_000
            var reader = try XMLReader(xml, limits: limits)
            var builder = Builder()
            while let event = try reader.next() {
                guard builder.take(event, line: reader.line) else { throw Builder.refusal(of: event, reader.line) }
                guard builder.items.count <= Self.maximumItemCount else {
                    throw XMLError(
                        code: .tooLarge,
                        message: "more than \(Self.maximumItemCount) entries, which one sitemap may have",
                        line: reader.line
                    )
                }
            }
            (isIndex, items) = (builder.isIndex, builder.items)
        } catch {
            throw Problem(words: "is no sitemap, or is damaged or cut: \(error)")
        }
    }

    private static var tooLong: Problem {
        Problem(words: "is longer than a sitemap may be: \(maximumByteCount) bytes, unpacked")
    }

    /// Unpacks a file whose content shows that it is gzip, whatever its name.
    private static func unpacked(_ bytes: [UInt8]) throws(Problem) -> [UInt8] {
        guard bytes.starts(with: [0x1F, 0x8B]) else { return bytes }
        guard let expander = GzipExpander() else { throw Problem(words: "can't be unpacked: out of memory") }
        var text: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 256 << 10)
        var offset = 0
        var isWhole = false
        while offset < bytes.count {
            let step = bytes.withUnsafeBytes { input in
                piece.withUnsafeMutableBytes { output in
                    expander.expand(UnsafeRawBufferPointer(rebasing: input[offset...]), into: output)
                }
            }
            offset += step.used
            text += piece.prefix(step.produced)
            guard text.count <= maximumByteCount else { throw tooLong }
            if case .damaged(let words) = step.state { throw Problem(words: "can't be unpacked: \(words)") }
            isWhole = step.state == .memberEnded
            if step.used == 0, step.produced == 0 { break }
        }
        guard isWhole, offset == bytes.count else { throw Problem(words: "can't be unpacked: it is cut") }
        return text
    }

    /// Puts items together from elements, whatever prefix they have.
    private struct Builder {
        private(set) var isIndex = false
        private(set) var items: [Item] = []
        private var path: [String] = []
        private var prefix: Substring = ""
        private var item = Item()
        private var text = ""

        /// Returns false if the document is no sitemap.
        mutating func take(_ event: XMLReader.Event, line: Int) -> Bool {
            switch event {
            case .startElement(let name, _):
                if path.isEmpty {
                    prefix = name.prefix { $0 != ":" }
                    prefix = prefix.count == name.count ? "" : name.prefix(prefix.count + 1)
                    let root = name.dropFirst(prefix.count)
                    guard root == "urlset" || root == "sitemapindex" else { return false }
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
            // Pictures and translations have locations too, under other prefixes or deeper.
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
                message: "expected <urlset> or <sitemapindex>, found \(found)",
                line: line
            )
        }
    }
}

extension SitemapFile.Item {
    /// The address of the page; `nil` if it is none on the web.
    var address: HTTPAddress? {
        location.utf8.count <= Self.maximumLocation && location.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
            ? HTTPAddress(location) : nil
    }

    /// The longest address of a page, in bytes; the protocol allows 2,048 characters.
    private static let maximumLocation = 8 << 10

    /// The page as a document.
    var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("id", location)
            writer.member("url", location)
            for (key, text) in [("lastmod", lastModified), ("changefreq", changeFrequency)] where !text.isEmpty {
                writer.member(key, text)
            }
            if let priority = Double(priority), priority.isFinite { writer.member("priority", priority) }
        }
        return writer.takeBytes()
    }
}

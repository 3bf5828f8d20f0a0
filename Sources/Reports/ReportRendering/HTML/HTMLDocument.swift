import Digests

/// A report as one page that needs nothing else: no script, no request, the same bytes for the same content.
///
/// ```swift
/// var page = HTMLDocument(title: "Requests of 11 March 2024") { $0.paragraph("…") }
/// page.section("slow", "Slowest requests") { $0.table(table) }
/// page.append(to: &bytes)
/// ```
///
/// It is at most ``maximumBytes`` long: each section has its share, and what a section does not need goes to the next
/// ones. Lists and tables end where their section's share does, and say how many are missing.
struct HTMLDocument {
    private struct Section {
        var identifier: String
        var title: String
        var share: Int
        var content: (inout HTMLWriter) -> Void
    }

    /// The title, in our own words only: it stands where nothing can be marked as untrusted.
    private let title: String
    private let head: (inout HTMLWriter) -> Void
    private var sections: [Section] = []

    /// The most bytes of a page.
    static let maximumBytes = 2_000_000
    /// Bytes for what is not in lists.
    private static let reserve = 200_000

    /// Creates a page with what stands below its title.
    init(title: String, head: @escaping (inout HTMLWriter) -> Void) {
        self.title = title
        self.head = head
    }

    /// Adds a section with an anchor and a heading; `share` is its weight when bytes are scarce.
    mutating func section(
        _ identifier: String,
        _ title: String,
        share: Int = 1,
        _ content: @escaping (inout HTMLWriter) -> Void
    ) {
        sections.append(Section(identifier: identifier, title: title, share: share, content: content))
    }

    func append(to bytes: inout [UInt8], maximum: Int = maximumBytes) {
        var page = HTMLWriter()
        page.verbatim("<!DOCTYPE html>\n")
        page.element("html", ["lang": "en"]) { page in
            writeHead(to: &page)
            page.lineEnd()
            page.element("body") { page in
                page.element("a", ["class": "skip", "href": "#report"]) { $0.text("Skip to the report") }
                page.lineEnd()
                writeHeader(to: &page)
                page.element("main", ["id": "report", "tabindex": "-1"]) { page in
                    page.lineEnd()
                    writeSections(to: &page, maximum: maximum)
                }
                page.lineEnd()
                page.element("footer") { page in
                    page.element("p") { page in
                        page.text("Made by fastctl. This file needs no network, and nothing in it runs.")
                    }
                }
                page.lineEnd()
            }
        }
        page.lineEnd()
        page.removeDeadLinks()
        bytes.append(contentsOf: page.bytes)
    }

    /// Writes the head; the policy comes first, because it counts only for what follows.
    private func writeHead(to page: inout HTMLWriter) {
        page.element("head") { page in
            page.element("meta", ["http-equiv": "Content-Security-Policy", "content": HTMLStyle.policy])
            page.element("meta", ["charset": "utf-8"])
            page.element("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
            page.element("meta", ["name": "color-scheme", "content": "light dark"])
            page.element("meta", ["name": "referrer", "content": "no-referrer"])
            // Without it, browsers ask the server for one.
            page.element("link", ["rel": "icon", "href": "data:,"])
            page.element("title") { $0.text(title) }
            page.element("style") { $0.verbatim(HTMLStyle.sheet) }
        }
    }

    private func writeHeader(to page: inout HTMLWriter) {
        page.element("header") { page in
            page.element("h1") { $0.text(title) }
            page.lineEnd()
            head(&page)
        }
        page.lineEnd()
        guard sections.count > 1 else { return }
        page.element("nav", ["aria-label": "Contents"]) { page in
            page.element("ul") { page in
                for section in sections {
                    page.element("li") { page in page.link(to: section.identifier) { $0.text(section.title) } }
                }
            }
        }
        page.lineEnd()
    }

    private func writeSections(to page: inout HTMLWriter, maximum: Int) {
        let last = max(0, maximum - Self.reserve)
        var shares = sections.reduce(0) { $0 + $1.share }
        for section in sections {
            let room = max(0, last - page.bytes.count)
            page.end = page.bytes.count + room * section.share / max(1, shares)
            shares -= section.share
            page.section(section.identifier) {
                $0.text(section.title)
            } _: {
                section.content(&$0)
            }
        }
        page.end = .max
    }
}

extension HTMLStyle {
    /// What a browser may do with the page: apply this style, and nothing else.
    static let policy: String = {
        var digest = SHA256()
        let hash = base64(digest.digest(of: sheet.utf8).bytes)
        return "default-src 'none'; style-src 'sha256-\(hash)'; img-src data:; base-uri 'none'; form-action 'none'"
    }()

    /// Returns bytes in base64 (RFC 4648).
    private static func base64(_ bytes: [UInt8]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0..<4 {
                text.append(place <= group.count ? digits[bits >> (6 * (3 - place)) & 63] : "=")
            }
        }
        return text
    }
}

import XMLStream

/// What a page says to people: its title, its text, where it leads.
struct HTMLText: Hashable, Sendable {
    /// The title; `nil` if it has none.
    private(set) var title: String?
    /// The text, without scripts and styles; blanks are one, and blocks are lines.
    private(set) var body = ""
    /// The addresses that links lead to, as written, each once.
    private(set) var links: [String] = []
    /// The language that the page says it is in.
    private(set) var language: String?
    /// What the page says of itself to search engines.
    private(set) var description: String?

    /// The most links, and the most bytes of each.
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

    /// The elements whose text is no part of the page's.
    private static let unseen: Set<String> = ["script", "style", "template", "head", "noscript", "svg", "math"]
    /// The elements that stand in a line with others; all others begin and end one.
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
        /// How many elements are open that are not seen.
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
            // A link within the page, or to a script, leads nowhere else.
            guard !link.isEmpty, !link.hasPrefix("#"), !link.lowercased().hasPrefix("javascript:"),
                link.utf8.count <= HTMLText.maximumLinkBytes, links.count < HTMLText.maximumLinks,
                known.insert(link).inserted
            else { return }
            links.append(link)
        }
    }

    /// Text in lines, whose blanks are collapsed.
    private struct Lines {
        private var bytes: [UInt8] = []
        /// What comes between what is there and what comes next.
        private var separator: UInt8?

        var text: String { String(decoding: bytes, as: UTF8.self) }

        mutating func append(_ piece: [UInt8]) {
            for byte in piece {
                // All blanks of HTML are ASCII; a no-break space is none.
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

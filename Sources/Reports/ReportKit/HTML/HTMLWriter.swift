import TextKit

/// Writes a page's elements: each element is closed, each text is escaped, and lists end when there is no space left.
package struct HTMLWriter {
    private(set) var bytes: [UInt8] = []
    /// The number of bytes at which lists end.
    package var end = Int.max
    /// The level of the current heading.
    private var level = 1
    private var identifiers = 0
    private var links: [Link] = []
    /// Sections and the number of bytes before each.
    private var anchors: [(identifier: String, place: Int)] = []

    /// A link to a section that may have to be left out for lack of space.
    private struct Link {
        var target: String
        var opening: Range<Int>
        var closing: Range<Int>
    }

    package typealias Attributes = KeyValuePairs<StaticString, String?>

    package init() {}

    /// Writes an element whose content is written by `content`; attributes that are `nil` are left out.
    package mutating func element(
        _ name: StaticString,
        _ attributes: Attributes = [:],
        _ content: (inout HTMLWriter) -> Void
    ) {
        open(name, attributes)
        bytes.append(text: ">" as StaticString)
        content(&self)
        bytes.append(text: "</" as StaticString)
        bytes.append(text: name)
        bytes.append(text: ">" as StaticString)
    }

    /// Writes an element that can have no content, such as `meta`.
    package mutating func element(_ name: StaticString, _ attributes: Attributes = [:]) {
        open(name, attributes)
        bytes.append(text: "/>" as StaticString)
    }

    private mutating func open(_ name: StaticString, _ attributes: Attributes) {
        bytes.append(text: "<" as StaticString)
        bytes.append(text: name)
        for (name, value) in attributes {
            guard let value else { continue }
            bytes.append(0x20)
            bytes.append(text: name)
            bytes.append(text: "=\"" as StaticString)
            bytes.append(html: value)
            bytes.append(UInt8(ascii: "\""))
        }
    }

    /// Writes words of this program.
    package mutating func text(_ words: String) { bytes.append(html: words) }

    /// Writes at most `maximum` bytes of untrusted text, isolated so that it can't reverse the text next to it.
    package mutating func text(
        untrusted text: String,
        keepsLines: Bool = false,
        maximum: Int = HTMLExcerpt.maximumBytes
    ) {
        let excerpt = HTMLExcerpt(text, maximum: maximum)
        bytes.append(text: "<bdi>" as StaticString)
        bytes.append(html: excerpt.text, keepsLines: keepsLines)
        bytes.append(text: "</bdi>" as StaticString)
        guard excerpt.missing > 0 else { return }
        element("span", ["class": "cut"]) {
            $0.text("… and \(Quantity(grouped: excerpt.missing, "more byte", "more bytes"))")
        }
    }

    package mutating func text(_ phrase: Phrase) {
        for piece in phrase.pieces {
            switch piece {
            case .own(let words, let style) where style == .plain: text(words)
            case .own(let words, _): element("strong") { $0.text(words) }
            case .untrusted(let text): self.text(untrusted: text)
            }
        }
    }

    package mutating func lineEnd() { bytes.append(0x0A) }

    /// Writes the program's own bytes, such as the style, unescaped.
    mutating func verbatim(_ text: String) { bytes.append(text: text) }

    /// Returns a unique name for an element.
    package mutating func identifier(_ kind: StaticString) -> String {
        identifiers += 1
        return "\(kind)-\(identifiers)"
    }
}

extension HTMLWriter {
    /// Writes a part of the page with a heading of the next level.
    package mutating func section(
        _ identifier: String,
        class name: String? = nil,
        _ title: (inout HTMLWriter) -> Void,
        _ content: (inout HTMLWriter) -> Void
    ) {
        let heading = identifier + "-title"
        anchors.append((identifier, bytes.count))
        element("section", ["id": identifier, "class": name, "aria-labelledby": heading]) { page in
            page.level += 1
            page.heading(heading, title)
            page.lineEnd()
            content(&page)
            page.level -= 1
        }
        lineEnd()
    }

    /// Writes a heading of the current level.
    private mutating func heading(_ identifier: String, _ title: (inout HTMLWriter) -> Void) {
        switch level {
        case ...2: element("h2", ["id": identifier], title)
        case 3: element("h3", ["id": identifier], title)
        default: element("h4", ["id": identifier], title)
        }
    }

    package mutating func paragraph(_ phrase: Phrase, class name: String? = nil) {
        element("p", ["class": name]) { $0.text(phrase) }
        lineEnd()
    }

    /// Writes names and values, or nothing if there are none.
    ///
    /// Consecutive values with the same name are shown below each other.
    package mutating func facts(_ facts: [(name: String, value: Phrase)]) {
        guard !facts.isEmpty else { return }
        var groups: [(name: String, values: [Phrase])] = []
        for fact in facts {
            if groups.last?.name == fact.name {
                groups[groups.count - 1].values.append(fact.value)
            } else {
                groups.append((fact.name, [fact.value]))
            }
        }
        element("dl", ["class": "facts"]) { page in
            for group in groups {
                page.element("div") { page in
                    page.element("dt") { $0.text(group.name) }
                    for value in group.values { page.element("dd") { $0.text(value) } }
                }
            }
        }
        lineEnd()
    }

    /// Writes content that is collapsed until the reader opens it, or prints the page.
    package mutating func details(_ summary: Phrase, _ content: (inout HTMLWriter) -> Void) {
        element("details") { page in
            page.element("summary") { $0.text(summary) }
            content(&page)
        }
        lineEnd()
    }

    /// Writes a link to another place of this page.
    package mutating func link(to identifier: String, _ content: (inout HTMLWriter) -> Void) {
        let start = bytes.count
        open("a", ["href": "#\(identifier)"])
        bytes.append(text: ">" as StaticString)
        let inner = bytes.count
        content(&self)
        let end = bytes.count
        bytes.append(text: "</a>" as StaticString)
        links.append(Link(target: identifier, opening: start..<inner, closing: end..<bytes.count))
    }

    /// Replaces links to sections that were left out for lack of space with plain text; this must be called last.
    mutating func removeDeadLinks() {
        let targets = Set(anchors.map(\.identifier))
        let dead = links.filter { !targets.contains($0.target) }
        guard !dead.isEmpty else { return }
        var kept: [UInt8] = []
        kept.reserveCapacity(bytes.count)
        var start = 0
        for tag in dead.flatMap({ [$0.opening, $0.closing] }) {
            kept.append(contentsOf: bytes[start..<tag.lowerBound])
            start = tag.upperBound
        }
        kept.append(contentsOf: bytes[start...])
        bytes = kept
        (links, anchors) = ([], [])
    }

    /// Writes a reference, as a link if the address is a plain web address.
    package mutating func reference(_ title: String, _ url: String?) {
        guard let url, WebAddress.isPlain(url) else {
            text(untrusted: title)
            guard let url else { return }
            text(": ")
            return text(untrusted: url)
        }
        element("a", ["href": url, "rel": "noopener noreferrer nofollow"]) { $0.text(untrusted: title) }
        element("span", ["class": "address"]) { $0.text(untrusted: " \(url)") }
    }

    /// Writes text that is meant to be typed or compared letter by letter.
    package mutating func code(_ text: String) { element("code") { $0.text(untrusted: text) } }

    /// Writes text of several lines unchanged, after a line that describes it.
    package mutating func excerpt(_ text: String, isTruncated: Bool = false) {
        element("pre") { page in
            page.text(untrusted: text, keepsLines: true)
            if isTruncated { page.text("…") }
        }
    }

    /// Writes a log's message; a long one is collapsed after its beginning, so that the next row remains in view.
    package mutating func message(_ text: String) {
        let head = HTMLExcerpt(text, maximum: Self.longestHead)
        guard head.missing > Self.longestHead / 2 else {
            return element("span", ["class": "message"]) { $0.text(untrusted: text, keepsLines: true) }
        }
        let end = head.text.suffix(Self.longestWord).lastIndex(where: \.isWhitespace) ?? head.text.endIndex
        element("span", ["class": "message"]) { page in
            page.text(untrusted: String(text[..<end]), keepsLines: true)
            page.element("span", ["class": "more"]) { $0.text(" …") }
        }
        details("\(Quantity(grouped: text[end...].utf8.count, "more byte", "more bytes"))") { page in
            page.element("span", ["class": "message"]) { $0.text(untrusted: String(text[end...]), keepsLines: true) }
        }
    }

    /// The number of bytes of a long message that are always shown.
    private static let longestHead = 320
    private static let longestWord = 80

    /// Writes at most `maximum` items, until there is no space for the next one, and returns how many were left out.
    package mutating func items<Items: Collection>(
        _ items: Items,
        maximum: Int = .max,
        _ write: (inout HTMLWriter, Items.Element) -> Void
    ) -> Int {
        var written = 0
        let limit = end
        for item in items.prefix(maximum) {
            let before = bytes.count
            // The contents of an item must end early enough for the item to be closed.
            end = limit - Self.reserve
            write(&self, item)
            end = limit
            guard bytes.count <= limit else {
                bytes.removeLast(bytes.count - before)
                links.removeAll { $0.opening.lowerBound >= before }
                anchors.removeAll { $0.place >= before }
                break
            }
            written += 1
        }
        return items.count - written
    }

    /// Writes the number of missing items, and the command that prints them all.
    package mutating func rest(_ count: Int, _ one: String, _ several: String, command: String?) {
        guard count > 0 else { return }
        element("p", ["class": "rest"]) { page in
            page.text("and \(Quantity(grouped: count, "more \(one)", "more \(several)"))")
            guard let command else { return }
            page.text(": ")
            page.code(command)
            page.text(" lists them all")
        }
        lineEnd()
    }

    /// The number of bytes reserved for closing an item.
    private static let reserve = 1024
}

extension [UInt8] {
    /// Appends text as the content of an element or within an attribute's double quotes; all text on a page is written
    /// by this function.
    ///
    /// Invisible and control characters become a symbol (`␛`, `‹U+202E›`), then markup is escaped. Line ends are kept
    /// in a block of text, and become `↵` within a line.
    package mutating func append(html text: String, keepsLines: Bool = false) {
        let text = text.utf8.span
        var safe: [UInt8] = []
        safe.reserveCapacity(text.count)
        var start = 0
        for index in text.indices {
            let byte = text[index]
            guard byte == 0x0A || byte == 0x0D || byte == 0x09 else { continue }
            SafeText.append(text.extracting(start..<index), in: .symbols, to: &safe)
            start = index + 1
            if byte == 0x09 {
                safe.append(0x20)
            } else if byte == 0x0D, start < text.count, text[start] == 0x0A {
                continue
            } else if keepsLines {
                safe.append(0x0A)
            } else {
                safe.append(contentsOf: " ↵ ".utf8)
            }
        }
        SafeText.append(text.extracting(start..<text.count), in: .symbols, to: &safe)
        for byte in safe {
            switch byte {
            case UInt8(ascii: "&"): append(text: "&amp;" as StaticString)
            case UInt8(ascii: "<"): append(text: "&lt;" as StaticString)
            case UInt8(ascii: ">"): append(text: "&gt;" as StaticString)
            case UInt8(ascii: "\""): append(text: "&quot;" as StaticString)
            case UInt8(ascii: "'"): append(text: "&#39;" as StaticString)
            default: append(byte)
            }
        }
    }
}

/// The part of an untrusted text that a page shows.
package struct HTMLExcerpt {
    package let text: String
    /// The number of bytes that were cut.
    package let missing: Int

    /// The maximum number of bytes of a text in a page.
    package static let maximumBytes = 2048

    package init(_ text: String, maximum: Int = maximumBytes) {
        let bytes = text.utf8
        guard bytes.count > maximum else {
            self.text = text
            missing = 0
            return
        }
        var end = bytes.index(bytes.startIndex, offsetBy: maximum)
        while end > bytes.startIndex, end.samePosition(in: text.unicodeScalars) == nil {
            end = bytes.index(before: end)
        }
        self.text = String(text[..<end])
        missing = bytes.distance(from: end, to: bytes.endIndex)
    }
}

/// Addresses given by an author, which readers may follow.
package enum WebAddress {
    /// Returns whether an address is a web address that consists only of plain characters.
    ///
    /// Source of the characters: RFC 3986, section 2, without the quote, square brackets and `*`, which is Markdown
    /// markup.
    package static func isPlain(_ url: String) -> Bool {
        guard url.hasPrefix("https://") || url.hasPrefix("http://"), url.utf8.count <= maximumLength else {
            return false
        }
        return url.utf8.allSatisfy { $0.isLetterOrDigit || "-._~:/?#@!$&()+,;=%".utf8.contains($0) }
    }

    /// The maximum length in bytes; anything longer does not count as an address.
    private static let maximumLength = 2000
}

/// A few words of a reply that is not the engine's own, for messages.
///
/// Whoever prints them makes them safe; here they only become short and one line.
enum ReplyExcerpt {
    /// In characters.
    static let longest = 120
    static let longestComplaint = 500
    /// How much of a body is looked at, in bytes.
    static let lookedAt = 16 << 10

    static func description(of reply: EngineReply) -> String {
        let start = start(of: reply)
        guard !start.isEmpty else { return "an empty answer" }
        if isPage(reply) {
            if let title = title(of: start) { return "a web page with the title '\(short(title))'" }
            return "a web page: '\(short(withoutTags(start)))'"
        }
        return "an answer that is not the engine's own: '\(short(String(start)))'"
    }

    /// Whether it is made for a browser.
    static func isPage(_ reply: EngineReply) -> Bool {
        let start = start(of: reply)
        return reply.mediaType.contains("html") || start.hasPrefix("<!") || start.prefix(5).lowercased() == "<html"
    }

    private static func start(of reply: EngineReply) -> Substring {
        let text = String(decoding: reply.body.prefix(lookedAt), as: UTF8.self)
        return text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
    }

    /// One line, without what controls a terminal, and no longer than this.
    static func short(_ text: String, to limit: Int = longest) -> String {
        // One more than is shown tells that there is more.
        let words = text.unicodeScalars.lazy
            .map { $0.properties.isWhitespace || $0.properties.generalCategory == .control ? " " : Character($0) }
        var line = ""
        var count = 0
        for character in words where !(character == " " && (line.isEmpty || line.last == " ")) {
            guard count < limit else { return line + "…" }
            line.append(character)
            count += 1
        }
        return line.last == " " ? String(line.dropLast()) : line
    }

    private static func title(of page: Substring) -> String? {
        let lowered = Array(page.utf8).map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
        guard let begin = lowered.firstRange(of: Array("<title".utf8)),
            let open = lowered[begin.upperBound...].firstIndex(of: UInt8(ascii: ">")),
            let end = lowered[open...].firstRange(of: Array("</title".utf8))
        else { return nil }
        let title = String(decoding: Array(page.utf8)[(open + 1)..<end.lowerBound], as: UTF8.self)
        return title.allSatisfy(\.isWhitespace) ? nil : title
    }

    private static func withoutTags(_ page: Substring) -> String {
        var isTag = false
        var text = ""
        for character in page {
            if character == "<" { isTag = true }
            if !isTag { text.append(character) }
            if character == ">" {
                isTag = false
                text.append(" ")
            }
        }
        return text
    }
}

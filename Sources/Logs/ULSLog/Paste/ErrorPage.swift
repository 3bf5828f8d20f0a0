/// An error page of ASP.NET that was copied as text: title, description, exception, place in the source and stack trace
/// are paragraphs, and one failure.
///
/// The words of a page are translated. But the exception stands on it twice, `Exception Details: Ns.Type: message` and
/// `[Type: message]`, and its message often once more, as the title.
enum ErrorPage {
    /// Returns paragraphs with those of each page put together.
    static func joined(_ paragraphs: [OpenMessage]) -> [OpenMessage] {
        let texts = paragraphs.map(\.record.message)
        var joined: [OpenMessage] = []
        var next = 0
        for index in texts.indices where index >= next {
            guard let details = Details(texts[index]), let page = page(around: index, details, texts, from: next) else {
                continue
            }
            joined += paragraphs[next..<page.lowerBound]
            joined.append(paragraphs[page].dropFirst().reduce(into: paragraphs[page.lowerBound]) { $0.append($1) })
            next = page.upperBound
        }
        return joined + paragraphs[next...]
    }

    /// Returns the paragraphs of the page whose details are at `index`; `nil` if nothing repeats them.
    private static func page(around index: Int, _ details: Details, _ texts: [[UInt8]], from first: Int) -> Range<Int>?
    {
        let before = max(first, index - reach)..<index
        let title = before.last { texts[$0].count >= shortestTitle && details.message.starts(with: texts[$0]) }
        let behind = index..<min(texts.count, index + 2 * reach)
        let trace = behind.first { texts[$0].contains(details.bracketed, in: texts[$0].indices) }
        guard title != nil || trace != nil else { return nil }
        var start = title ?? index
        if start > first, isHeading(texts[start - 1]) { start -= 1 }
        var end = (trace ?? index) + 1
        while end < texts.count, texts[end].first == UInt8(ascii: "[") || isVersion(texts[end]) { end += 1 }
        return start..<end
    }

    /// Whether a text is like the first line of a page, which names the application's path.
    private static func isHeading(_ text: [UInt8]) -> Bool {
        text.count < 120 && text.contains(UInt8(ascii: "/")) && !text.contains(0x0A)
    }

    private static func isVersion(_ text: [UInt8]) -> Bool {
        text.contains(Array("asp.net version:".utf8), in: text.indices)
    }

    /// How many paragraphs there may be between the title and the details; twice as many to the stack trace.
    private static let reach = 4
    private static let shortestTitle = 12

    /// A paragraph of a heading, the type of an exception and its message.
    private struct Details {
        let message: ArraySlice<UInt8>
        /// The type as it stands above its frames, in lowercase: `[type: `.
        let bracketed: [UInt8]

        init?(_ text: [UInt8]) {
            let colon = UInt8(ascii: ":")
            guard let heading = text.prefix(60).firstIndex(of: colon) else { return nil }
            let type = text.blanks(from: heading + 1, to: text.count).end
            let end = text.endOfWord(from: type, to: min(text.count, type + 200))
            guard end - type > 4, text[end - 1] == colon, let dot = text[type..<end].lastIndex(of: UInt8(ascii: ".")),
                text[type..<(end - 1)].allSatisfy({
                    $0.isDigit || $0.lowercased.isSmallLetter || Self.nameBytes.contains($0)
                })
            else { return nil }
            message = text[text.trimmed(end..<text.count)]
            bracketed = [UInt8(ascii: "[")] + text[(dot + 1)..<end].map(\.lowercased)
        }

        private static let nameBytes = Set("._+`".utf8)
    }
}

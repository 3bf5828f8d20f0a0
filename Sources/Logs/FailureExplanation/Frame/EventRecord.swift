import TextKit

/// The level, the source and the message of a record that its program logged as an error.
///
/// The record is one of the Windows event log, as Event Viewer, PowerShell and wevtutil write it, or a line of a log
/// that begins with a time, a level in capitals and a class, such as `2024-03-11 10:03:22 ERROR (qtp-7) o.a.s.Handler`.
package struct EventRecord: Sendable, Equatable {
    /// The level: `Error` or `Critical`.
    package var level: String
    /// The program, component or class that wrote the record.
    package var source: String
    /// The number of the event; `nil` if there is none.
    package var number: String?
    /// The first sentence of the message; `nil` if there is none.
    package var message: String?

    /// The maximum number of bytes that are read, and the maximum length of a label and of a message.
    private static let (maximum, longestLabel, longestMessage) = (4096, 24, 200)

    package init(level: String, source: String, number: String?, message: String) {
        (self.level, self.source, self.number) = (level, source, number)
        self.message = Self.sentence(Array(message.utf8)[...])
    }

    /// Reads a text; `nil` if it is not a record of an error, or does not name its source.
    package init?(_ text: String) {
        let bytes = Array(text.utf8.prefix(Self.maximum))
        var values: [Field: ArraySlice<UInt8>] = [:]
        for place in bytes.indices where Self.mayBegin(bytes, at: place) {
            guard let (field, value) = Self.field(bytes[place...]), values[field] == nil else { continue }
            values[field] = value
        }
        if values[.level] == nil { values = Self.columns(bytes) ?? Self.line(bytes) ?? values }
        guard let level = values[.level].flatMap({ Self.levels[Self.word($0).lowercased()] }),
            let source = values[.source].map(Self.word)
        else { return nil }
        (self.level, self.source, number) = (level, source, values[.number].map(Self.word))
        message = values[.message].flatMap(Self.sentence)
    }

    /// The level, the source and the number, as the beginning of a sentence.
    package var words: String {
        "the record itself is at level \(level), from \(source)" + (number.map { ", event \($0)" } ?? "")
    }

    // MARK: Fields with labels

    private enum Field { case level, source, number, message }

    private static let levels = [
        "error": "Error", "fehler": "Error", "erreur": "Error", "severe": "Error", "2": "Error", "critical": "Critical",
        "kritisch": "Critical", "critique": "Critical", "fatal": "Critical", "1": "Critical",
    ]

    private static let labels: [String: Field] = [
        "level": .level, "leveldisplayname": .level, "entrytype": .level, "event type": .level, "type": .level,
        "severity": .level, "ebene": .level, "niveau": .level, "source": .source, "event source": .source,
        "providername": .source, "provider name": .source, "quelle": .source, "logger": .source, "event id": .number,
        "eventid": .number, "id": .number, "ereignis-id": .number, "instanceid": .number, "description": .message,
        "message": .message, "beschreibung": .message,
    ]

    /// Returns whether a label may begin at a place: after a mark, a line end or two blanks.
    private static func mayBegin(_ bytes: [UInt8], at place: Int) -> Bool {
        guard bytes[place] > 0x20 else { return false }
        guard place > 0, bytes[place - 1] != 0x0A else { return true }
        return "\t,;<{\"".utf8.contains(bytes[place - 1])
            || bytes[place - 1] == 0x20 && (place == 1 || " ,;{\n".utf8.contains(bytes[place - 2]))
    }

    /// Returns the field whose label begins a text: `Level: Error`, `"level":"ERROR"`, `<Level>2</Level>`.
    private static func field(_ text: ArraySlice<UInt8>) -> (Field, ArraySlice<UInt8>)? {
        let label = text.prefix(longestLabel).prefix { $0 >= 0x20 && !":=>".utf8.contains($0) }
        guard label.endIndex < text.endIndex, ":=>".utf8.contains(text[label.endIndex]),
            let field = labels[word(label).lowercased()]
        else { return nil }
        let rest = text[(label.endIndex + 1)...]
        if field == .message {
            let message = rest.drop { $0 <= 0x20 }
            guard message.first == 0x22 else { return (field, message) }
            return (field, message.dropFirst().prefix { $0 != 0x22 })
        }
        let value = rest.drop { $0 == 0x20 || $0 == 0x22 || $0 == 0x27 }
        let end = value.indices.first { place in
            value[place] < 0x20 || "\",;<}'".utf8.contains(value[place])
                || value[place...].starts(with: [0x20, 0x20])
        }
        let found = value[..<(end ?? value.endIndex)]
        // Numbers of levels are those of the event log only in its XML.
        let isOther = field == .level && found.first?.isDigit == true && text[label.endIndex] != UInt8(ascii: ">")
        return found.isEmpty || isOther ? nil : (field, found)
    }

    /// Returns the text without blanks and quotes around it.
    private static func word(_ text: ArraySlice<UInt8>) -> String {
        var text = text.drop { $0 <= 0x20 || $0 == 0x22 }
        while let last = text.last, last <= 0x20 || last == 0x22 { text.removeLast() }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the first sentence of a message, on one line and without the full stop.
    private static func sentence(_ text: ArraySlice<UInt8>) -> String? {
        let line = text.drop { $0 <= 0x20 }.prefix(longestMessage).prefix { $0 != 0x0A && $0 != 0x0D }
        let stop = line.indices.first { line[$0] == UInt8(ascii: ".") && (line[($0 + 1)...].first ?? 0x20) <= 0x20 }
        let words = word(line[..<(stop ?? line.endIndex)])
        let isCut = stop == nil && line.count == longestMessage
        return words.utf8.count < 8 ? nil : isCut ? String(words.prefix { $0 != "\u{FFFD}" }) + "…" : words
    }

    // MARK: Columns

    /// Returns the columns of a line of Event Viewer: level, time, source, number and category, with tabs between them.
    private static func columns(_ bytes: [UInt8]) -> [Field: ArraySlice<UInt8>]? {
        let columns = bytes.prefix { $0 != 0x0A }.split(separator: 0x09, omittingEmptySubsequences: false)
        guard columns.count >= 4, levels[word(columns[0]).lowercased()] != nil, columns[3].first?.isDigit == true,
            columns[3].allSatisfy({ $0.isDigit || $0 <= 0x20 }), columns[1].contains(UInt8(ascii: ":"))
        else { return nil }
        return [.level: columns[0], .source: columns[2], .number: columns[3]]
    }

    /// Returns the parts of a line that begins with a time, followed by a level in capitals and the name of a class.
    private static func line(_ bytes: [UInt8]) -> [Field: ArraySlice<UInt8>]? {
        let line = bytes.prefix { $0 != 0x0A }
        let words = line.prefix(240).split { $0 <= 0x20 || "[]()|".utf8.contains($0) }.prefix(12)
        guard let first = words.first, first.count >= 8, first.first?.isDigit == true,
            let place = words.firstIndex(where: { ["ERROR", "FATAL", "SEVERE"].contains(word($0)) }), place < 6,
            let name = words[(place + 1)...].first(where: isClass)
        else { return nil }
        var message = line[name.endIndex...].drop { $0 <= 0x20 || "]):-".utf8.contains($0) }
        // The name of a node.
        if message.first == UInt8(ascii: "[") { message = message.drop { $0 != UInt8(ascii: "]") }.dropFirst() }
        return [.level: words[place], .source: name.filter { $0 != UInt8(ascii: ":") }[...], .message: message]
    }

    /// Returns whether a word is the name of a class, which may be abbreviated: `o.a.s.h.RequestHandlerBase`.
    private static func isClass(_ word: ArraySlice<UInt8>) -> Bool {
        guard word.first?.isLetter == true, let dot = word.lastIndex(of: UInt8(ascii: ".")) else { return false }
        return dot + 1 < word.endIndex && word[dot + 1].isUppercase
            && word.allSatisfy { $0.isOfWord || ".$:-".utf8.contains($0) }
    }
}

/// Rows about items, such as those of a crawl log.
enum ItemRows {
    private static let successes = """
        success succeeded successful crawled_successfully indexed_successfully erfolgreich succès
        """.wordSet
    private static let items = "crawled indexed item document title page file".wordSet

    /// Returns whether each line is a row about an item, such as one of a crawl log, whose first or last cell reports
    /// success; the title of the item proves nothing.
    static func reportSuccess(_ bytes: ArraySlice<UInt8>) -> Bool {
        let lines = bytes.split(separator: 0x0A).filter { line in line.contains { $0 > 0x20 } }
        return !lines.isEmpty
            && lines.allSatisfy { line in
                let text = String(decoding: line, as: UTF8.self).lowercased().replacing(" - ", with: "|")
                let cells = text.split { "\t|,;\r".contains($0) }.map { $0.split { " .:".contains($0) } }
                let isItem = cells.first?.first.map { Self.items.contains(String($0)) } == true
                guard cells.count >= 3 || cells.count == 2 && (isItem || text.contains("://")) else { return false }
                let isColumns = text.contains { "\t|".contains($0) }
                return [isColumns ? cells[0] : [], cells[cells.count - 1]].contains { cell in
                    // `Status: Success`
                    let isLabeled = ["status", "result", "outcome", "state"].contains(cell.first)
                    return Self.successes.contains(cell.dropFirst(isLabeled ? 1 : 0).joined(separator: "_"))
                }
            }
    }
}

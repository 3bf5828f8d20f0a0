import JSONText
import SQLiteStore

/// What the engine asks of a document's JSON.
enum DocumentJSON {
    /// Stands between two strings of a document, so that no phrase reaches from one into the next.
    ///
    /// A private-use character, because the tokenizer takes those for letters: a word that nobody searches for.
    static let separator: Unicode.Scalar = "\u{F000}"

    struct NotAnObject: Error {}

    /// All strings of the document, decoded, for the full-text index.
    ///
    /// What was indexed can only be taken out of the index with the same text, so a change here needs a migration that
    /// builds the index anew.
    static func text(of json: [UInt8]) throws -> UTF8Text {
        guard json.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == UInt8(ascii: "{") else {
            throw NotAnObject()
        }
        // A NUL in a string is no character that anybody searches for; it ends the string like any other end.
        var text: [UInt8] = []
        text.reserveCapacity(json.count)
        try JSONStrings.append(json.span, separator: 0, to: &text)
        separate(&text)
        return UTF8Text(text)
    }

    /// Puts the separator in the place of each NUL; from the back, because a second copy of a large document would be
    /// one too many.
    private static func separate(_ text: inout [UInt8]) {
        var read = text.count
        let separators = text.count { $0 == 0 }
        text.append(contentsOf: repeatElement(0, count: separators * (wordBetweenStrings.count - 1)))
        var write = text.count
        while write > read {
            read -= 1
            if text[read] == 0 {
                write -= wordBetweenStrings.count
                for (index, byte) in wordBetweenStrings.enumerated() { text[write + index] = byte }
            } else {
                write -= 1
                text[write] = text[read]
            }
        }
    }

    private static let wordBetweenStrings = Array(" \(separator) ".utf8)

    /// The document with the top-level keys of `patch`; `nil` when nothing changes.
    static func merged(_ base: [UInt8], _ patch: [UInt8]) throws(JSONError) -> [UInt8]? {
        try JSONMerge.merged(base: base, patch: patch)
    }

    /// Whether the top-level field has this value: a string's text, or a number, true or false as it is written.
    static func field(_ name: String, equals value: String, in json: [UInt8]) -> Bool {
        (try? JSONStrings.field(name, of: json.span, equals: value)) ?? false
    }
}

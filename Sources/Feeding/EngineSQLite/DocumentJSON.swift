import SQLiteStore

/// What the engine asks of a document's JSON.
///
/// All three questions are here, so that the JSON module can answer them instead.
enum DocumentJSON {
    struct NotAnObject: Error {}

    /// Stands between two strings of a document, so that no phrase reaches from one into the next.
    ///
    /// A private-use character, because the tokenizer takes those for letters: a word that nobody searches for.
    static let separator: Unicode.Scalar = "\u{F000}"

    /// All strings of the document, decoded, for the full-text index.
    ///
    /// What was indexed can only be taken out of the index with the same text, so a change here needs a migration that
    /// builds the index anew.
    static func text(of json: [UInt8]) throws -> UTF8Text {
        UTF8Text(try JSONScratch.strings(of: json, separator: Array(String(separator).utf8)))
    }

    /// The document with the top-level keys of `patch`; `nil` when nothing changes.
    static func merged(_ base: [UInt8], _ patch: [UInt8]) throws -> [UInt8]? {
        try JSONScratch.merged(base, patch)
    }

    /// Whether the top-level field has this value: a string's text, or else the JSON as it stands there.
    static func field(_ name: String, equals value: String, in json: [UInt8]) -> Bool {
        (try? JSONScratch.field(Array(name.utf8), equals: Array(value.utf8), in: json)) ?? false
    }
}

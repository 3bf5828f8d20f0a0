/// A detailed error page of IIS, copied as text: its status and its fields.
///
/// Every such page also lists causes and remedies that are common for its status ("Most likely causes", "Things you can
/// try"). They are not evidence of this failure, so they are not read.
package struct ServerPage {
    /// The status as the page writes it: `500.19`.
    package private(set) var status = ""
    /// The values by label, each on one line.
    package private(set) var fields: [String: String] = [:]
    /// The text with blanks in place of all other lines, so that positions stay the same.
    package private(set) var evidence = ""

    private static let labels = [
        "Module", "Notification", "Handler", "Error Code", "Config Error", "Config File", "Requested URL",
        "Physical Path", "Logon Method", "Logon User",
    ]

    /// Reads a text; `nil` if it is not such a page.
    package init?(_ text: String) {
        guard text.contains("HTTP Error ") else { return nil }
        var (label, lines): (String, [[UInt8]]) = ("", [])
        for line in Array(text.utf8).withPlainMarks.split(separator: 0x0A, omittingEmptySubsequences: false) {
            let words = line.split { $0 <= 0x20 }.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
            lines.append(Array(line))
            if words.hasPrefix("HTTP Error "), status.isEmpty {
                status = String(words.dropFirst("HTTP Error ".count).prefix { $0.isNumber || $0 == "." })
            } else if let next = Self.labels.first(where: { label in
                words.hasPrefix(label) && [nil, " ", ":"].contains(words.dropFirst(label.count).first)
            }) {
                label = next
                fields[label] = String(words.dropFirst(label.count).drop { $0 == ":" || $0 == " " })
            } else if let value = fields[label], !words.isEmpty, !words.hasSuffix(":"),
                value.isEmpty || label == "Config Error"
            {
                // The next cell of a table, or the rest of a sentence.
                fields[label] = value.isEmpty ? words : "\(value) \(words)"
            } else {
                if !words.isEmpty || fields[label] != "" { label = "" }
                lines[lines.count - 1] = [UInt8](repeating: 0x20, count: line.count)
            }
        }
        guard status.count >= 3, fields.count >= 2 else { return nil }
        evidence = String(decoding: Array(lines.joined(separator: [0x0A])), as: UTF8.self)
    }
}

/// The tags of HTML that a copied page contains.
private let htmlTags = """
    !doctype html head title meta link style script body h1 h2 h3 h4 p div span br hr table tr td th ul li b font pre
    """.wordSet

extension ArraySlice<UInt8> {
    /// Returns the end of a tag of HTML that begins at a position, such as `</title>`, which divides sentences.
    package func tagEnd(at open: Int) -> Int? {
        let name = self[(open + 1)...].prefix(12).drop { $0 == 0x2F }.prefix { $0.isOfWord || $0 == 0x21 }
        guard htmlTags.contains(String(decoding: name, as: UTF8.self).lowercased()) else { return nil }
        return self[open...].firstIndex(of: 0x3E).map { $0 + 1 }
    }
}

import TextKit

/// A detailed error page of IIS, copied as text: its status and its fields.
///
/// Every such page also lists causes and remedies that are common for its status ("Most likely causes", "Things you can
/// try"). They are no evidence of what happened, so they are not read.
struct ServerPage {
    /// The status as the page writes it: `500.19`.
    private(set) var status = ""
    /// The values by label, each on one line.
    private(set) var fields: [String: String] = [:]
    /// The text with blanks in place of all other lines, so that positions stay the same.
    private(set) var evidence = ""

    private static let labels = [
        "Module", "Notification", "Handler", "Error Code", "Config Error", "Config File", "Requested URL",
        "Physical Path", "Logon Method", "Logon User",
    ]

    /// Reads a text; `nil` if it is not such a page.
    init?(_ text: String) {
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

    /// Returns the failure as a sentence without a full stop: the status, the module, and its own error or the code.
    func sentence(_ codes: [FoundCode]) -> String {
        let module = fields["Module"].map { " from the module '\($0)'" } ?? ""
        let error = fields["Config Error"].map { $0[...].parts(around: ". ").map { String($0.0) } ?? $0 }
        let code = codes.first { $0.code.space != .http && $0.evidence == .number }?.code.title
        let reason = error ?? code ?? codes.first { $0.code.space == .http }?.code.name
        return "HTTP \(status)\(module)" + (reason.map { ": \($0.hasSuffix(".") ? String($0.dropLast()) : $0)" } ?? "")
    }
}

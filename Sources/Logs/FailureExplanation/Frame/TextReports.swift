import TextKit

extension ServerPage {
    /// Returns the failure as a sentence without a full stop: the status, the module, and its own error or the code.
    func sentence(_ codes: [FoundCode]) -> String {
        let module = fields["Module"].map { " from the module '\($0)'" } ?? ""
        let error = fields["Config Error"].map { $0[...].parts(around: ". ").map { String($0.0) } ?? $0 }
        let code = codes.first { $0.code.space != .http && $0.evidence == .number }?.code.title
        let reason = error ?? code ?? codes.first { $0.code.space == .http }?.code.name
        return "HTTP \(status)\(module)" + (reason.map { ": \($0.hasSuffix(".") ? String($0.dropLast()) : $0)" } ?? "")
    }
}

extension FrameText {
    /// Returns whether a quotation mark begins or ends a cell of a report in CSV: of a row with a cell that begins like
    /// a status of failure, and another one with a sentence.
    mutating func isCell(at position: Int) -> Bool {
        if position == 0 || bytes[position - 1] == 0x0A {
            let line = bytes[position...].prefix { $0 != 0x0A }
            let cells = String(decoding: line.dropFirst(), as: UTF8.self).lowercased().split(by: "\",\"")
            let isReport =
                cells.contains { $0.utf8.count < 32 && ($0.hasPrefix("failed") || $0.hasPrefix("error")) }
                && cells.contains { $0.utf8.count(where: { $0 == 0x20 }) >= 3 }
            rowEnd = cells.count >= 3 && isReport ? line.endIndex : 0
        }
        return position < rowEnd
    }

    /// Words of clauses that address the reader or hold in general.
    private static let general = """
        you your we our should how why note please example typically usually always recommended
        """.wordSet
    /// Words that point at an object of an event.
    private static let pointing = "this current specified specifying given".wordSet
    private static let products = ["SharePoint", "PowerShell", "OneDrive", "OneNote", "InfoPath", "JavaScript"]

    /// Returns whether a clause is about an event rather than the general behavior of a product: it has a name or an
    /// identifier, or points at an object, and it does not address the reader.
    func reportsEvent(_ clause: Int) -> Bool {
        let words = words.filter { $0.clause == clause }.map(\.text)
        guard !words.contains(where: Self.general.contains) else { return false }
        return words.contains(where: Self.pointing.contains) || names.contains { $0.clause == clause }
            || identifiers.contains { name, place in
                place < self.words.count && self.words[place].clause == clause && !Self.products.contains(name)
                    && !FrameTables.isCmdlet(name)
            }
    }
}

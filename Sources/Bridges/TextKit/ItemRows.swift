/// Rows about items, such as those of a crawl log.
package enum ItemRows {
    private static let successes = """
        success succeeded successful crawled_successfully indexed_successfully erfolgreich succès
        """.wordSet
    private static let items = "crawled indexed item document title page file".wordSet

    /// Returns whether each line is a row about an item, such as one of a crawl log, whose first or last cell reports
    /// success; the title of the item proves nothing.
    package static func reportSuccess(_ bytes: ArraySlice<UInt8>) -> Bool {
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

/// Counts of different columns, summed up by each of them.
struct ColumnCounts {
    private var levels: [String: Int] = [:]
    private var areas: [String: Int] = [:]
    private var categories: [String: Int] = [:]
    private var eventIDs: [String: Int] = [:]

    /// The name for what a full table could not tell apart.
    static let other = "(other)"

    init(_ columns: ColumnTable, _ counts: [Int]) {
        for (number, count) in counts.enumerated() where count > 0 {
            let texts =
                number == 0
                ? Array(repeating: Self.other, count: 4)
                : columns[number].split(separator: 0x09, omittingEmptySubsequences: false).map(Self.text)
            guard texts.count == 4 else { continue }
            areas[texts[0], default: 0] += count
            categories[texts[1], default: 0] += count
            eventIDs[texts[2], default: 0] += count
            levels[texts[3], default: 0] += count
        }
    }

    func fill(_ summary: inout LogSummary) {
        summary.areas = Self.sorted(areas)
        summary.categories = Self.sorted(categories)
        summary.eventIDs = Self.sorted(eventIDs)
        summary.levels = Self.sorted(levels).sorted { ULSLevel($0.value).rank < ULSLevel($1.value).rank }
    }

    private static func sorted(_ counts: [String: Int]) -> [LogSummary.Count] {
        counts.map { LogSummary.Count(value: $0.key, count: $0.value) }
            .sorted { $0.count != $1.count ? $0.count > $1.count : $0.value < $1.value }
    }

    private static func text(_ column: ArraySlice<UInt8>) -> String {
        var padded = Array(column)
        padded.append(contentsOf: repeatElement(0, count: ByteWindow.slack))
        return String(decoding: ByteWindow(padded.span).validText(0..<column.count), as: UTF8.self)
    }
}

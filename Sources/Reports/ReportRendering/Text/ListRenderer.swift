/// What one entry of a list shows: a collection, a context, a job.
public protocol ListEntry {
    /// Titles and alignments of the table for people.
    static var titles: [String] { get }
    static var alignments: [TextTable.Alignment] { get }
    /// The cells of its row.
    var row: [String] { get }
    /// Titles of the table for programs: keys of the JSON object.
    static var fieldTitles: [String] { get }
    /// The fields of its row there, exact and without units; `nil` for a value that is not known.
    var fields: [String?] { get }
    /// The name that other commands take; `nil` if it has none.
    var entryName: String? { get }
    /// Appends its JSON object, without a line end.
    func append(to bytes: inout [UInt8])
}

/// Lists in all of their formats.
public enum ListRenderer {
    /// Appends the entries in the given order, and returns the number of names that cannot be a line of output.
    ///
    /// As a list, JSON is an array however many entries there are; otherwise each is an object of its own. `width` is
    /// that of the table for people, of which there is none without entries.
    @discardableResult
    public static func append<Entry: ListEntry>(
        _ entries: [Entry],
        as format: ListFormat,
        isList: Bool = true,
        nameEnd: NameEnd = .line,
        csv: CSVStyle = CSVStyle(),
        width: Int,
        to bytes: inout [UInt8]
    ) -> Int {
        switch format {
        case .text:
            guard !entries.isEmpty else { break }
            var table = TextTable(Entry.titles, alignments: Entry.alignments)
            for entry in entries { table.append(entry.row) }
            table.append(to: &bytes, width: width)
        case .json, .ndjson:
            var list = JSONList(isArray: isList && format == .json)
            for entry in entries { list.append(to: &bytes) { entry.append(to: &$0) } }
            list.end(in: &bytes)
        case .name:
            return entries.compactMap(\.entryName).count { !nameEnd.append($0, to: &bytes) }
        case .csv:
            let table = CSVText(Entry.fieldTitles, csv, to: &bytes)
            for entry in entries { table.append(entry.fields, to: &bytes) }
        case .markdown: markdownTable(of: entries).appendMarkdown(to: &bytes)
        }
        return 0
    }

    /// Returns the table with numbers as they are, and all other cells as text that may be anybody's.
    private static func markdownTable<Entry: ListEntry>(of entries: [Entry]) -> TextTable {
        var table = TextTable(Entry.titles, alignments: Entry.alignments)
        for entry in entries {
            table.append(
                entry.row.enumerated().map { column, text in
                    let isNumber = Entry.alignments.indices.contains(column) && Entry.alignments[column] == .right
                    return TextTable.Cell(text: text, isOwn: isNumber || text.isEmpty)
                }
            )
        }
        return table
    }
}

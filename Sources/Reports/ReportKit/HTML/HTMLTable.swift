import TextKit

/// A table of a page, in one or several orders, whose rows may be filtered by level.
///
/// A page has no script, so each order is written out as a separate table; radio buttons select the one that is shown,
/// printed and read aloud.
package struct HTMLTable {
    package struct Column {
        package var title: Phrase
        package var isNumber: Bool
        /// Whether the column contains sentences and gets the remaining width.
        package var isWide: Bool

        package init(title: Phrase, isNumber: Bool = false, isWide: Bool = false) {
            (self.title, self.isNumber, self.isWide) = (title, isNumber, isWide)
        }
    }

    /// The content of a cell.
    package struct Cell {
        package var content: (inout HTMLWriter) -> Void
        package var style: String?

        package init(content: @escaping (inout HTMLWriter) -> Void, style: String? = nil) {
            (self.content, self.style) = (content, style)
        }
    }

    package struct Row {
        package var cells: [Cell]
        /// The rank of the row's level, if rows are filtered by level.
        package var rank: Int?
        package var style: String?

        package init(_ cells: [Cell], rank: Int? = nil, style: String? = nil) {
            self.cells = cells
            self.rank = rank
            self.style = style
        }
    }

    /// An order: its name on the button, and the indices of the rows.
    package struct Order {
        package var name: String
        package var rows: [Int]
    }

    /// The description of the table; a screen reader reads it first.
    package var caption: Phrase
    package var columns: [Column]
    package var rows: [Row] = []
    /// Orders in addition to that of ``rows``, which is called ``orderName``.
    var orders: [Order] = []
    package var orderName = "as listed"
    /// Rows that are not in the table, and the command that prints all rows.
    package var omitted = 0
    package var command: String?
    /// The nouns for one row and for several.
    package var nouns = ("row", "rows")

    package init(_ caption: Phrase, _ columns: [Column]) {
        self.caption = caption
        self.columns = columns
    }

    package mutating func append(_ cells: [Cell], rank: Int? = nil, style: String? = nil) {
        rows.append(Row(cells, rank: rank, style: style))
    }

    /// Adds an order by a value of each row, the greatest first.
    package mutating func order<Value: Comparable>(_ name: String, by values: [Value]) {
        guard values.count == rows.count, rows.count > 1 else { return }
        let order = rows.indices.sorted { values[$0] != values[$1] ? values[$0] > values[$1] : $0 < $1 }
        orders.append(Order(name: name, rows: order))
    }
}

extension HTMLTable.Cell {
    package static func phrase(_ phrase: Phrase, _ style: String? = nil) -> Self {
        Self(content: { $0.text(phrase) }, style: style)
    }
    package static func count(_ count: Int) -> Self { phrase("\(Quantity(grouped: count))") }
    package static func duration(_ duration: Duration?) -> Self {
        phrase("\(duration.map { "\(ShortDuration(measured: $0))" } ?? "–")")
    }
    package static func untrusted(_ text: String?) -> Self { text.map { .phrase("\(untrusted: $0)") } ?? .phrase("–") }
    /// Returns a cell with something short to copy, such as an event ID.
    package static func code(_ text: String?) -> Self {
        guard let text, !text.isEmpty else { return .phrase("–") }
        return Self(content: { $0.code(text) })
    }
    /// Returns a cell with a file, or a line in it, which may be broken anywhere.
    package static func place(_ text: String) -> Self { Self(content: { $0.code(text) }, style: "place") }
}

extension HTMLTable {
    /// Creates a table from one that is shown as text in another form.
    package init(_ table: TextTable, _ caption: Phrase) {
        let shown = table.columns.indices.filter { !table.columns[$0].isDecoration }
        self.init(
            caption,
            shown.map { number in
                let column = table.columns[number]
                return Column(title: "\(Self.sentence(column.title))", isNumber: column.alignment == .right)
            }
        )
        for row in table.rows {
            append(
                shown.filter { $0 < row.count }.map { column in
                    let cell = row[column]
                    let phrase: Phrase = cell.isOwn ? "\(cell.text)" : "\(untrusted: cell.text)"
                    return .phrase(phrase, cell.style.name)
                }
            )
        }
    }
}

extension HTMLTable {
    /// Returns the title of a column as written on pages: `Event ID` for `EVENT ID`.
    private static func sentence(_ title: String) -> String {
        let words = title.split(separator: " ").enumerated().map { number, word in
            if word == "ID" { return String(word) }
            return number == 0 ? word.prefix(1) + word.dropFirst().lowercased() : word.lowercased()
        }
        return words.joined(separator: " ")
    }
}

extension TerminalStyle {
    /// The name of the style in a page.
    package var name: String? {
        switch self {
        case .boldRed, .red: "bad"
        case .boldMagenta, .magenta: "warn"
        default: nil
        }
    }
}

extension HTMLWriter {
    /// Writes a table, or nothing if it has no rows.
    package mutating func table(_ table: HTMLTable) {
        guard !table.rows.isEmpty else { return }
        let all = Array(table.rows.indices)
        guard !table.orders.isEmpty else { return write(table, all, isFirst: true) }
        let group = identifier("order")
        element("div", ["class": "orders"]) { page in
            page.element("span", ["class": "label"]) { $0.text("Order") }
            let orders =
                [HTMLTable.Order(name: table.orderName, rows: all)] + table.orders.prefix(HTMLTable.maximumOrders - 1)
            for (number, order) in orders.enumerated() {
                let button = "\(group)-\(number + 1)"
                page.element(
                    "input",
                    [
                        "type": "radio", "name": group, "id": button, "class": "o\(number + 1)",
                        "checked": number == 0 ? "checked" : nil,
                    ]
                )
                page.element("label", ["for": button]) { $0.text(order.name) }
            }
            for (number, order) in orders.enumerated() {
                page.element("div", ["class": "order o\(number + 1)"]) {
                    $0.write(table, order.rows, isFirst: number == 0)
                }
            }
        }
        lineEnd()
    }

    private mutating func write(_ table: HTMLTable, _ order: [Int], isFirst: Bool) {
        let caption = identifier("table")
        var left = 0
        // A table that is wider than the screen can be scrolled separately, even with the keyboard.
        element("div", ["class": "scroll", "role": "group", "aria-labelledby": caption, "tabindex": "0"]) { page in
            page.element("table", ["class": table.rows.contains { $0.rank != nil } ? "levels" : nil]) { page in
                page.element("caption", ["id": caption]) { $0.text(table.caption) }
                page.element("thead") { page in
                    page.element("tr") { page in
                        for column in table.columns {
                            page.element("th", ["scope": "col", "class": column.style]) { $0.text(column.title) }
                        }
                    }
                }
                page.lineEnd()
                page.element("tbody") { page in
                    left = page.items(order) { page, index in
                        page.write(table.rows[index], table.columns)
                    }
                }
            }
        }
        lineEnd()
        rest(left + table.omitted, table.nouns.0, table.nouns.1, command: table.command)
    }

    private mutating func write(_ row: HTMLTable.Row, _ columns: [HTMLTable.Column]) {
        let names = [row.rank.map { "l\($0)" }, row.style].compactMap(\.self)
        element("tr", ["class": names.isEmpty ? nil : names.joined(separator: " ")]) { page in
            for (column, cell) in zip(columns, row.cells) {
                let names = [column.style, cell.style].compactMap(\.self)
                page.element("td", ["class": names.isEmpty ? nil : names.joined(separator: " ")], cell.content)
            }
        }
        lineEnd()
    }
}

extension HTMLTable {
    /// The maximum number of orders of a table.
    fileprivate static let maximumOrders = 5
}

extension HTMLTable.Column {
    fileprivate var style: String? { isNumber ? "number" : isWide ? "wide" : nil }
}

import TextKit

/// The content of a readable report, section by section, independent of how it is shown.
package struct Page {
    package enum Block {
        case heading(String)
        case sentence(Phrase)
        case table(TextTable)
        /// Lines of the program, such as a histogram; any untrusted text in them has been made safe.
        case figure([UInt8])
    }

    package private(set) var blocks: [Block] = []

    package init() {}

    package mutating func heading(_ text: String) { blocks.append(.heading(text)) }
    package mutating func sentence(_ phrase: Phrase) { blocks.append(.sentence(phrase)) }
    /// Adds the content of another page.
    package mutating func append(_ page: Page) { blocks += page.blocks }
    package mutating func figure(_ lines: [UInt8]) { blocks.append(.figure(lines)) }

    /// Adds a table under its heading; adds nothing if there are no rows.
    package mutating func table(_ table: TextTable, under heading: String? = nil) {
        guard !table.rows.isEmpty else { return }
        if let heading { self.heading(heading) }
        blocks.append(.table(table))
    }

    package func append(to bytes: inout [UInt8], _ layout: TextLayout) {
        for (index, block) in blocks.enumerated() {
            switch block {
            case .heading(let text):
                if index > 0 { bytes.append(0x0A) }
                bytes.append(.bold, layout) { $0.append(text: text) }
                bytes.append(0x0A)
            case .sentence(let phrase): phrase.appendLines(to: &bytes, layout)
            case .table(let table): table.append(to: &bytes, layout)
            case .figure(let lines): bytes.append(contentsOf: lines)
            }
        }
    }

    /// Appends the page under a title, as a complete report that a runner may print without executing anything in it.
    package func appendMarkdown(to bytes: inout [UInt8], under title: String) {
        let start = bytes.count
        bytes.append(text: "# \(title)\n\n")
        appendMarkdown(to: &bytes)
        bytes.breakRunnerCommands(from: start)
    }

    package func appendMarkdown(to bytes: inout [UInt8]) {
        for (index, block) in blocks.enumerated() {
            if index > 0 { bytes.append(0x0A) }
            switch block {
            case .heading(let text): bytes.append(text: "## \(text)\n")
            case .sentence(let phrase):
                phrase.appendMarkdown(to: &bytes)
                bytes.append(0x0A)
            case .table(let table): table.appendMarkdown(to: &bytes)
            case .figure(let lines): bytes.append(markdownFence: lines)
            }
        }
    }
}

/// Text wrapped to a number of columns.
package enum Paragraph {
    /// Returns the lines of an untrusted text, made safe; a word that is longer than a line is not cut.
    ///
    /// If the layout neutralizes runner commands, wrapping does not create a line that begins with one.
    package static func lines(of text: String, columns: Int, _ layout: TextLayout) -> [String] {
        var lines: [String] = []
        var (line, width) = ("", 0)
        for word in lineText(text, layout).split(separator: " ") {
            let wordWidth = SafeText.width(String(word))
            if width > 0, width + 1 + wordWidth > columns {
                lines.append(line)
                (line, width) = ("", 0)
            }
            if width > 0 {
                line += " "
                width += 1
            }
            // The word begins a line and is made safe again, because it did not begin the text.
            let piece = width == 0 ? lineText(String(word), layout) : String(word)
            line += piece
            width += wordWidth
        }
        if width > 0 { lines.append(line) }
        return lines
    }
}

extension [UInt8] {
    /// Appends a label of this program and, from column `indent` on, an untrusted text in as many lines as needed.
    ///
    /// If the label reaches this column, the text begins farther to the right, after a gap.
    package mutating func append(
        label: String,
        _ style: TerminalStyle = .plain,
        indent: Int,
        paragraph text: String,
        _ layout: TextLayout
    ) {
        append(style, layout) { $0.append(text: label) }
        var used = SafeText.width(label)
        let indent = Swift.max(indent, label.isEmpty || label.hasSuffix(" ") ? used : used + 1)
        let columns = Swift.max(16, (layout.width ?? TextLayout.pipeWidth) - indent)
        let lines = Paragraph.lines(of: text, columns: columns, layout)
        for line in lines {
            // A long word, such as a path to copy, may begin farther to the left, but not next to the label.
            let missing = layout.width == nil ? 0 : Swift.max(0, SafeText.width(line) - columns)
            let start = Swift.max(0, indent - missing)
            if used > 0, missing > 0 {
                append(0x0A)
                used = 0
            }
            append(blanks: start - used)
            append(text: line)
            append(0x0A)
            used = 0
        }
        // If there is no text, the label is alone on its line.
        if lines.isEmpty { append(0x0A) }
    }
}

/// A sentence of this program, with untrusted words in it: `"No event of \(untrusted: server)."`.
///
/// The text form makes the untrusted words safe; the Markdown form also formats them as code, where `@name` and `<b>`
/// have no effect.
package struct Phrase: Hashable, Sendable {
    package enum Piece: Hashable, Sendable {
        case own(String, TerminalStyle)
        case untrusted(String)
    }

    package fileprivate(set) var pieces: [Piece] = []

    package static func + (one: Self, other: Self) -> Self { Self(pieces: one.pieces + other.pieces) }

    private init(pieces: [Piece]) { self.pieces = pieces }
}

extension Phrase: ExpressibleByStringInterpolation {
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var pieces: [Piece] = []

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) {
            if !literal.isEmpty { pieces.append(.own(literal, .plain)) }
        }
        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            appendLiteral(value.description)
        }
        package mutating func appendInterpolation(_ phrase: Phrase) { pieces += phrase.pieces }
        package mutating func appendInterpolation(_ text: String, _ style: TerminalStyle) {
            pieces.append(.own(text, style))
        }
        package mutating func appendInterpolation(untrusted text: String) { pieces.append(.untrusted(text)) }
    }

    package init(stringLiteral value: String) { pieces = [.own(value, .plain)] }
    package init(stringInterpolation: StringInterpolation) { pieces = stringInterpolation.pieces }
}

extension Phrase {
    package func append(to bytes: inout [UInt8], _ layout: TextLayout) {
        for piece in pieces {
            switch piece {
            case .own(let text, let style): bytes.append(style, layout) { $0.append(text: text) }
            case .untrusted(let text): bytes.append(line: text, layout)
            }
        }
    }

    /// Appends the sentence in as many lines as needed on a terminal, and in one line elsewhere; each line is ended.
    ///
    /// The sentence begins at a column of the current line; further lines are indented. A word that is longer than a
    /// line is not cut.
    package func appendLines(to bytes: inout [UInt8], _ layout: TextLayout, from column: Int = 0, indent: Int = 2) {
        guard let width = layout.width else {
            append(to: &bytes, layout)
            return bytes.append(0x0A)
        }
        // Spaces before the first word are its indentation.
        let words = words(layout)
        let leading = words.prefix { $0.isEmpty }.count
        bytes.append(blanks: leading)
        var used = column + leading
        let further = indent + leading
        var isFirst = true
        for word in words.dropFirst(leading) {
            let wordWidth = word.reduce(0) { $0 + SafeText.width($1.text) }
            if used + (isFirst ? 0 : 1) + wordWidth > width, used > 0 {
                bytes.append(0x0A)
                used = max(0, min(further, width - wordWidth))
                bytes.append(blanks: used)
            } else if !isFirst {
                bytes.append(0x20)
                used += 1
            }
            isFirst = false
            for (index, part) in word.enumerated() {
                // The start of a line is made safe again, because it was not the start of the text.
                let text = index == 0 ? lineText(part.text, layout) : part.text
                bytes.append(part.style, layout) { $0.append(text: text) }
            }
            used += wordWidth
        }
        bytes.append(0x0A)
    }

    /// Returns the words, each as parts of one style; there is an empty word between two consecutive spaces.
    private func words(_ layout: TextLayout) -> [[(text: String, style: TerminalStyle)]] {
        var words: [[(text: String, style: TerminalStyle)]] = [[]]
        for piece in pieces {
            let (text, style) =
                switch piece {
                case .own(let text, let style): (text, style)
                case .untrusted(let text): (lineText(text, layout), TerminalStyle.plain)
                }
            for (index, word) in text.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
                if index > 0 { words.append([]) }
                if !word.isEmpty { words[words.count - 1].append((String(word), style)) }
            }
        }
        return words
    }

    package func appendMarkdown(to bytes: inout [UInt8]) {
        for piece in pieces {
            switch piece {
            case .own(let text, _): bytes.append(text: text)
            case .untrusted(let text): bytes.append(markdownCode: text)
            }
        }
    }

    /// Returns the sentence on one line, for standard error.
    package func text(_ layout: TextLayout) -> String {
        var bytes: [UInt8] = []
        append(to: &bytes, layout)
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Rows of text in columns that are as wide as their widest cell, two spaces apart.
///
/// Cells are made safe. If a row is wider than the terminal, the columns that may shrink are cut; by default, that is
/// the last column. If that is not enough, each row is folded into several lines, between columns.
package struct TextTable {
    /// The alignment of a column's cells.
    package enum Alignment: Sendable { case left, right }

    /// The title and behavior of a column.
    package struct Column {
        package var title: String
        package var alignment: Alignment
        /// The minimum width in terminal columns; `nil` if the column is never cut.
        package var minimum: Int?
        /// Whether the title is the program's own text; Markdown shows other text as code.
        package var isOwn: Bool
        /// Whether the column is purely visual, such as a bar, and is left out if it could not be aligned.
        package var isDecoration: Bool
        /// Whether a cell moves to a separate line below its row if the row would not fit; it is never cut.
        package var movesBelow: Bool

        package init(
            title: String,
            alignment: Alignment = .left,
            minimum: Int? = nil,
            isOwn: Bool = true,
            isDecoration: Bool = false,
            movesBelow: Bool = false
        ) {
            (self.title, self.alignment, self.minimum) = (title, alignment, minimum)
            (self.isOwn, self.isDecoration, self.movesBelow) = (isOwn, isDecoration, movesBelow)
        }
    }

    /// The content of one column in a row.
    package struct Cell {
        package var text: String
        package var style: TerminalStyle
        /// Whether the text is the program's own words or numbers; Markdown shows other text as code.
        package var isOwn: Bool

        package init(text: String, style: TerminalStyle = .plain, isOwn: Bool = true) {
            (self.text, self.style, self.isOwn) = (text, style, isOwn)
        }
    }

    package let columns: [Column]
    private(set) var rows: [[Cell]] = []

    package init(columns: [Column]) { self.columns = columns }

    package init(_ titles: [String], alignments: [Alignment] = []) {
        columns = titles.enumerated().map { index, title in
            Column(
                title: title,
                alignment: index < alignments.count ? alignments[index] : .left,
                minimum: index == titles.count - 1 ? 8 : nil
            )
        }
    }

    package mutating func append(_ cells: [String]) { append(cells.map { Cell(text: $0) }) }

    package mutating func append(_ cells: [Cell]) { rows.append(cells) }

    package func append(to bytes: inout [UInt8], width: Int) {
        append(to: &bytes, width: width, TextLayout())
    }
}

extension TextTable.Cell: ExpressibleByStringInterpolation {
    package init(stringLiteral value: String) { self.init(text: value) }

    /// Creates a cell with a count, which has digit separators in readable form.
    package static func count(_ count: Int) -> Self { Self(text: "\(Quantity(grouped: count))") }

    /// Creates a cell with untrusted text.
    package static func untrusted(_ text: String?, _ style: TerminalStyle = .plain) -> Self {
        Self(text: text ?? "-", style: style, isOwn: text == nil)
    }
}

extension TextTable {
    /// Appends the table, aligned: cut or folded for a terminal, complete for a pipe, a file or `--wide`.
    package func append(to bytes: inout [UInt8], _ layout: TextLayout) {
        append(to: &bytes, width: layout.cutWidth, layout)
    }

    private func append(to bytes: inout [UInt8], width: Int?, _ layout: TextLayout) {
        let cells = rows.map { row in row.map { lineText($0.text, layout) } }
        let folding = Folding(columns, cells, width: width)
        folding.append(columns.map(\.title), styles: columns.map { _ in .bold }, to: &bytes, layout)
        for (line, row) in zip(cells, rows) { folding.append(line, styles: row.map(\.style), to: &bytes, layout) }
    }

    /// The place of each column: in the row's only line, or in one of several lines if the terminal is too narrow.
    private struct Folding {
        private struct Place {
            var column: Int
            var width: Int
        }

        private let columns: [Column]
        /// The columns of each line; lines after the first are indented.
        private var lines: [[Place]]
        private let isCut: Bool

        /// The number of columns between two cells, and before all lines of a row except the first.
        private static let space = 2
        /// Without a terminal, a longer cell shifts only the rest of its own row to the right, and not that of other
        /// rows.
        private static let widestWhole = 60

        init(_ columns: [Column], _ cells: [[String]], width: Int?) {
            self.columns = columns
            isCut = width != nil
            let natural = columns.indices.map { index in
                cells.reduce(SafeText.width(columns[index].title)) { widest, row in
                    index < row.count ? max(widest, SafeText.width(row[index])) : widest
                }
            }
            guard let width else {
                lines = [columns.indices.map { Place(column: $0, width: min(natural[$0], Self.widestWhole)) }]
                return
            }
            let least = columns.indices.map { min(natural[$0], columns[$0].minimum ?? .max) }
            lines = []
            let isNarrow = least.reduce(Self.space * (least.count - 1), +) > width
            let below = columns.indices.filter { isNarrow && columns[$0].movesBelow }
            var used = 0
            for index in columns.indices where !below.contains(index) {
                let indent = lines.count > 1 ? Self.space : 0
                if lines.isEmpty || indent + used + Self.space + least[index] > width {
                    lines.append([])
                    used = 0
                } else {
                    used += Self.space
                }
                lines[lines.count - 1].append(Place(column: index, width: natural[index]))
                used += least[index]
            }
            for index in below { lines.append([Place(column: index, width: natural[index])]) }
            for index in lines.indices {
                Self.shrink(&lines[index], to: width - (index > 0 ? Self.space : 0), least)
            }
        }

        /// Reduces columns that may be cut, widest first, until the line fits.
        private static func shrink(_ line: inout [Place], to width: Int, _ least: [Int]) {
            var excess = line.reduce(space * (line.count - 1)) { $0 + $1.width } - width
            while excess > 0 {
                let shrinkable = line.indices.filter { line[$0].width > least[line[$0].column] }
                guard let widest = shrinkable.max(by: { line[$0].width < line[$1].width }) else { break }
                line[widest].width -= 1
                excess -= 1
            }
        }

        func append(_ cells: [String], styles: [TerminalStyle], to bytes: inout [UInt8], _ layout: TextLayout) {
            for (number, line) in lines.enumerated() {
                let places = line.filter { $0.column < cells.count }
                // Empty lines of a folded row are left out.
                if number > 0, places.allSatisfy({ cells[$0.column].isEmpty }) { continue }
                if number > 0 { bytes.append(blanks: Self.space) }
                for place in places {
                    let isLast = place.column == line.last?.column
                    append(cells[place.column], styles[place.column], place, isLast: isLast, to: &bytes, layout)
                }
                // Trailing cells may be empty.
                while bytes.last == 0x20 { bytes.removeLast() }
                bytes.append(0x0A)
            }
        }

        private func append(
            _ text: String,
            _ style: TerminalStyle,
            _ place: Place,
            isLast: Bool,
            to bytes: inout [UInt8],
            _ layout: TextLayout
        ) {
            var cell = text
            if isCut, SafeText.width(cell) > place.width { cell = lineText(cell, columns: place.width, layout) }
            let padding = place.width - SafeText.width(cell)
            if columns[place.column].alignment == .right { bytes.append(blanks: padding) }
            bytes.append(cell.isEmpty ? .plain : style, layout) { $0.append(text: cell) }
            if isLast { return }
            if columns[place.column].alignment == .left { bytes.append(blanks: padding) }
            bytes.append(blanks: Self.space)
        }
    }
}

extension TextTable {
    /// Appends the table in GitHub's Markdown; untrusted text is code.
    package func appendMarkdown(to bytes: inout [UInt8]) {
        let shown = columns.indices.filter { !columns[$0].isDecoration }
        for column in shown.map({ columns[$0] }) {
            bytes.append(text: "| " as StaticString)
            if column.isOwn { bytes.append(text: column.title) } else { bytes.append(markdownCode: column.title) }
            bytes.append(0x20)
        }
        bytes.append(text: "|\n" as StaticString)
        for index in shown { bytes.append(text: columns[index].alignment == .right ? "| ---: " : "| --- ") }
        bytes.append(text: "|\n" as StaticString)
        for row in rows {
            for index in shown where index < row.count {
                bytes.append(text: "| " as StaticString)
                if row[index].isOwn {
                    bytes.append(text: row[index].text)
                } else {
                    bytes.append(markdownCode: row[index].text)
                }
                bytes.append(0x20)
            }
            bytes.append(text: "|\n" as StaticString)
        }
    }
}

public import TerminalScreen
import TextSafety
import ULSLog

/// What is on the screen: lines from the top, and the place of the cursor if somebody types.
public struct ViewerScreen: Hashable, Sendable {
    public var lines: [[StyledText]] = []
    /// The column of the cursor in the last line.
    public var cursor: Int?

    /// The lines without their looks.
    var text: [String] { lines.map { $0.map(\.text).joined() } }
}

extension ViewerState {
    /// Draws the state: as many lines as the screen has, none wider than it.
    public func screen(_ source: some ViewerRows) -> ViewerScreen {
        var screen = ViewerScreen()
        switch view {
        case .list: screen.lines = list(source)
        case .page(let page): screen.lines = scrolled(page.lines(columns: columns, layout), page.top, title: "ROW")
        case .help(let top):
            screen.lines = scrolled(ViewerHelp.lines(columns: columns, layout), top, title: "KEYS")
        }
        while screen.lines.count < listRows + 1 { screen.lines.append([]) }
        if let prompt {
            let label = prompt.purpose == .filter ? "/" : "time: "
            let text = label + SafeText.escaping(prompt.text)
            // The end is what somebody types at.
            var shown = text
            while SafeText.width(shown) >= columns { shown.removeFirst() }
            screen.lines.append([StyledText(shown)])
            screen.cursor = SafeText.width(shown)
        } else {
            screen.lines.append([bar(status(source), isKeysLine: true)])
        }
        screen.lines = Array(screen.lines.suffix(rows))
        return screen
    }

    private func scrolled(_ lines: [[StyledText]], _ top: Int, title: String) -> [[StyledText]] {
        [[bar(title)]] + lines.dropFirst(top).prefix(listRows)
    }

    /// A line in reverse, as wide as the screen.
    private func bar(_ text: String, isKeysLine: Bool = false) -> StyledText {
        let hint = "? keys  q quit"
        var line = lineText(text, columns: columns, layout)
        var blanks = columns - SafeText.width(line)
        if isKeysLine, blanks > hint.utf8.count + 2, case .list = view {
            line += String(repeating: " ", count: blanks - hint.utf8.count) + hint
            blanks = 0
        }
        return StyledText(line + String(repeating: " ", count: max(0, blanks)), isReversed: true)
    }

    private func status(_ source: some ViewerRows) -> String {
        if let remark { return remark }
        switch view {
        case .page(let page):
            let count = page.lines(columns: columns, layout).count
            return page.top + listRows < count ? "Esc back  space: more" : "Esc back"
        case .help: return "Esc back"
        case .list: break
        }
        var words: [String] = []
        if source.count > 0 {
            words.append("\(Quantity(grouped: selected + 1)) of \(Quantity(grouped: source.count))")
            if let date = source.events(selected..<selected + 1).first??.time.isoDate { words.append(date) }
        } else {
            words.append(source.isComplete ? "no rows" : "no rows so far")
        }
        if let filter = filter.words { words.append(filter) }
        if !source.isComplete { words.append("reading, \(source.percent) %") }
        if isFollowing { words.append("following") }
        return words.joined(separator: "  ")
    }
}

extension ViewerState {
    private func list(_ source: some ViewerRows) -> [[StyledText]] {
        let range = top..<min(source.count, top + listRows)
        let events = range.isEmpty ? [] : source.events(range)
        let shown = ViewerColumns(events, columns: columns)
        var lines = [[bar(shown.title)]]
        for (row, event) in zip(range, events) {
            let isSelected = row == selected
            guard let event else {
                let text = "  (this row is no longer in its file)"
                lines.append([StyledText(lineText(text, columns: columns, layout), isReversed: isSelected)])
                continue
            }
            lines.append(shown.line(of: event, isSelected: isSelected, layout))
        }
        return lines
    }
}

/// The columns of the list, as the screen's width allows.
private struct ViewerColumns {
    private let columns: Int
    private let time: Int
    private let server: Int
    private let level: Int
    private let category: Int

    init(_ events: [ULSEvent?], columns: Int) {
        self.columns = columns
        let isNarrow = columns < 60
        time = isNarrow ? 8 : 12
        level = isNarrow ? 4 : 11
        let names = Set(events.compactMap { $0?.server })
        let widest = names.map { SafeText.width(SafeText.escaping($0)) }.max() ?? 0
        server = isNarrow || widest == 0 ? 0 : max(6, min(widest, columns < 100 ? 10 : 16))
        category = columns < 100 ? 0 : columns < 120 ? 16 : 22
    }

    private var widths: [(title: String, width: Int)] {
        [("TIME", time), ("SERVER", server), ("LEVEL", level), ("CATEGORY", category)].filter { $0.1 > 0 }
    }

    var title: String {
        widths.reduce("  ") { $0 + $1.title.prefix($1.width).padded(to: $1.width + 2) } + "MESSAGE"
    }

    func line(of event: ULSEvent, isSelected: Bool, _ layout: TextLayout) -> [StyledText] {
        var clock: [UInt8] = []
        if event.time.quality != .none { event.time.appendTimeOfDay(to: &clock) }
        let clockText = String(decoding: clock.prefix(time), as: UTF8.self)
        var before = (isSelected ? "> " : "  ") + clockText.padded(to: time + 2)
        if server > 0 {
            before += lineText(event.server ?? "-", columns: server, layout).padded(to: server + 2)
        }
        let word = event.level.word
        let level = StyledText(
            level < 11 ? String(lineText(word, layout).prefix(level)) : lineText(word, columns: level, layout),
            color: event.level.rank <= 2 ? .red : event.level.rank <= 4 ? .magenta : nil,
            isBold: event.level.rank <= 3 || event.level.rank == 5,
            isReversed: isSelected
        )
        var after = String(repeating: " ", count: max(0, self.level + 2 - SafeText.width(level.text)))
        if category > 0 {
            let text = event.text(.category)
            after += lineText(text.isEmpty ? "-" : text, columns: category, layout).padded(to: category + 2)
        }
        let used = SafeText.width(before) + SafeText.width(level.text) + SafeText.width(after)
        var message: [UInt8] = []
        message.append(line: event[.message], columns: max(0, columns - used), layout)
        after += String(decoding: message, as: UTF8.self)
        if isSelected { after = after.padded(to: columns - SafeText.width(before) - SafeText.width(level.text)) }
        return [StyledText(before, isReversed: isSelected), level, StyledText(after, isReversed: isSelected)]
    }
}

extension StringProtocol {
    /// The text with spaces up to so many columns.
    fileprivate func padded(to width: Int) -> String {
        let text = String(self)
        return text + String(repeating: " ", count: Swift.max(0, width - SafeText.width(text)))
    }
}

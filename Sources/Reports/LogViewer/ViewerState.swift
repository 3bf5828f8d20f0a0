import LogReports
package import ReportKit
package import TerminalScreen
import TextKit
import ULSLog

/// The log viewer as a value, which receives keys, and returns the actions to perform and the lines to draw.
package struct ViewerState: Sendable {
    /// An action that the state cannot perform itself.
    package enum Effect: Hashable, Sendable {
        case quit
        /// Ctrl-C.
        case interrupt
        /// Search for the rows that match this filter.
        case filter(ViewerFilter)
        /// Read a row and its request, and show them with ``ViewerState/show(_:)``.
        case open(row: Int)
    }

    enum View: Sendable {
        case list
        case page(ViewerPage)
        case help(top: Int)
    }

    /// A line of typed input.
    struct Prompt: Sendable {
        enum Purpose: Sendable { case filter, time }

        var purpose: Purpose
        var text = ""
    }

    package private(set) var filter = ViewerFilter()
    /// Whether new rows are shown as they arrive.
    package private(set) var isFollowing = false
    var view = View.list
    private(set) var prompt: Prompt?
    /// A remark in the status line, shown until the next key is pressed.
    private(set) var remark: String?
    /// The selected row, and the first row shown.
    package private(set) var selected = 0
    package private(set) var top = 0
    private(set) var rows: Int
    private(set) var columns: Int
    let layout: TextLayout
    /// The filter before the input began.
    private var filterBefore = ViewerFilter()
    /// The time to which the selection moves while rows of a new filter arrive.
    private var anchor: Int64?

    package init(rows: Int, columns: Int, layout: TextLayout) {
        self.rows = rows
        self.columns = columns
        self.layout = layout
    }

    package mutating func resize(rows: Int, columns: Int) {
        self.rows = rows
        self.columns = columns
    }

    /// The number of rows in the list, without its title and the status line.
    var listRows: Int { max(1, rows - 2) }

    /// Whether the page on the screen shows a request that is still being read.
    package var awaitsRequest: Bool { if case .page(let page) = view { page.isReading } else { false } }

    /// Shows the page of a row, or the part that is known so far.
    package mutating func show(_ page: ViewerPage) {
        if case .page(let shown) = view {
            view = .page(page.scrolled(to: shown.top))
        } else {
            view = .page(page)
        }
    }

    /// Shows a message in the status line.
    package mutating func say(_ remark: String) { self.remark = remark }

    /// Updates the selection for rows that have been added or replaced.
    package mutating func update(_ source: some ViewerRows) {
        let last = max(0, source.count - 1)
        if isFollowing {
            selected = last
        } else if let anchor {
            selected = min(source.firstRow(atOrAfter: anchor), last)
            if source.isComplete { self.anchor = nil }
        }
        selected = min(max(0, selected), last)
        scroll(last)
    }

    private mutating func scroll(_ last: Int) {
        if selected < top { top = selected }
        if selected >= top + listRows { top = selected - listRows + 1 }
        top = max(0, min(top, last - listRows + 1))
    }

    /// Processes a key and returns the action that it requires.
    package mutating func take(_ key: ScreenKey, _ source: some ViewerRows) -> Effect? {
        remark = nil
        if key == .control("c") { return .interrupt }
        let effect: Effect?
        if prompt != nil {
            effect = typed(key, source)
        } else {
            switch view {
            case .list: effect = takeInList(key, source)
            case .page(var page):
                effect = nil
                if Self.leaves(key) {
                    view = .list
                } else {
                    page.move(key, rows: listRows, columns: columns, layout)
                    view = .page(page)
                }
            case .help(let top):
                effect = nil
                let help = ViewerHelp.lines(columns: columns, layout)
                view =
                    Self.leaves(key) || key == .character("?")
                    ? .list : .help(top: Self.moved(top, by: key, page: listRows, count: help.count) ?? top)
            }
        }
        // The rows of the new filter are not available yet.
        if case .filter? = effect { return effect }
        update(source)
        return effect
    }

    private static func leaves(_ key: ScreenKey) -> Bool { [.escape, .character("q"), .left].contains(key) }

    /// Returns the position that a key scrolls a list to; `nil` if the key does not scroll.
    static func moved(_ top: Int, by key: ScreenKey, page: Int, count: Int) -> Int? {
        let place: Int
        switch key {
        case .up, .character("k"): place = top - 1
        case .down, .character("j"): place = top + 1
        case .pageUp, .character("b"): place = top - page
        case .pageDown, .character(" "): place = top + page
        case .home, .character("g"): place = 0
        case .end, .character("G"): place = count
        default: return nil
        }
        return max(0, min(place, count - page))
    }

    private mutating func takeInList(_ key: ScreenKey, _ source: some ViewerRows) -> Effect? {
        switch key {
        case .up, .character("k"): select(selected - 1)
        case .down, .character("j"): select(selected + 1)
        case .pageUp, .character("b"): select(selected - listRows)
        case .pageDown, .character(" "): select(selected + listRows)
        case .home, .character("g"): select(0)
        case .end, .character("G"): select(.max)
        case .character("n"): selectProblem(isForward: true, source)
        case .character("N"), .character("p"): selectProblem(isForward: false, source)
        case .character("/"):
            filterBefore = filter
            prompt = Prompt(purpose: .filter, text: filter.text)
        case .character("t"): prompt = Prompt(purpose: .time)
        case .character("f"): isFollowing.toggle()
        case .character("?"): view = .help(top: 0)
        case .character("q"): return .quit
        case .escape where filter != ViewerFilter(): return change(ViewerFilter(), source)
        case .enter, .right: return source.count > 0 ? .open(row: selected) : nil
        case .character(let digit): return digit.isASCII ? changeLevel(digit, source) : nil
        default: break
        }
        return nil
    }

    private mutating func select(_ row: Int) {
        (selected, anchor, isFollowing) = (max(0, row), nil, false)
    }

    private mutating func selectProblem(isForward: Bool, _ source: some ViewerRows) {
        if let row = source.problem(from: selected, isForward: isForward) { return select(row) }
        let rest = source.isComplete || !isForward ? "" : " so far"
        remark = isForward ? "no problem below\(rest)" : "no problem above"
    }

    /// The levels by the digits that select them.
    static let levels: [Character: ULSLevel?] = [
        "0": nil, "1": ULSLevel("Unexpected"), "2": ULSLevel("Monitorable"), "3": ULSLevel("High"),
        "4": ULSLevel("Medium"),
    ]

    private mutating func changeLevel(_ digit: Character, _ source: some ViewerRows) -> Effect? {
        guard let level = Self.levels[digit] else { return nil }
        var changed = filter
        changed.level = level
        return change(changed, source)
    }

    private mutating func change(_ filter: ViewerFilter, _ source: some ViewerRows) -> Effect? {
        guard filter != self.filter else { return nil }
        if anchor == nil { anchor = source.instant(ofRow: selected) }
        self.filter = filter
        return .filter(filter)
    }

    /// Processes a key for the line of input.
    private mutating func typed(_ key: ScreenKey, _ source: some ViewerRows) -> Effect? {
        guard var prompt else { return nil }
        switch key {
        case .escape:
            self.prompt = nil
            return prompt.purpose == .filter ? change(filterBefore, source) : nil
        case .enter:
            self.prompt = nil
            if prompt.purpose == .time { goTo(prompt.text, source) }
            return nil
        case .backspace: if !prompt.text.isEmpty { prompt.text.removeLast() }
        case .control("u"): prompt.text = ""
        case .character(let character) where prompt.text.utf8.count < Self.maximumText: prompt.text.append(character)
        default: return nil
        }
        self.prompt = prompt
        guard prompt.purpose == .filter else { return nil }
        var changed = filter
        changed.text = prompt.text
        return change(changed, source)
    }

    /// The maximum number of bytes in the line of input.
    private static let maximumText = 200

    private mutating func goTo(_ text: String, _ source: some ViewerRows) {
        guard source.count > 0, let time = source.events(selected..<selected + 1).first??.time,
            let instant = ViewerTime.instant(text, beside: time)
        else {
            remark = "'\(text)' is not a time: type 11:03, 11:03:02 or 2024-03-11 11:03"
            return
        }
        let row = source.firstRow(atOrAfter: instant)
        select(row)
        if row >= source.count { remark = "this time is after the last row\(source.isComplete ? "" : " so far")" }
    }
}

/// Contents of the screen: lines from the top, and the place of the cursor during input.
package struct ViewerScreen: Hashable, Sendable {
    package var lines: [[StyledText]] = []
    /// The column of the cursor in the last line.
    package var cursor: Int?

    /// The lines without their styles.
    package var text: [String] { lines.map { $0.map(\.text).joined() } }
}

extension ViewerState {
    /// Returns the lines to draw: as many as the screen has, none of them wider than the screen.
    package func screen(_ source: some ViewerRows) -> ViewerScreen {
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
            // The user types at the end of the line.
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

    /// Returns a line in reverse video, as wide as the screen.
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
        if !source.isComplete { words.append("reading, \(source.percent)%") }
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

/// The columns of the list, depending on the screen's width.
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
    /// Returns the text, padded with spaces to `width` columns.
    fileprivate func padded(to width: Int) -> String {
        let text = String(self)
        return text + String(repeating: " ", count: Swift.max(0, width - SafeText.width(text)))
    }
}

import CNcurses
import Glibc

/// A full-screen terminal, drawn line by line, and its keyboard input.
///
/// Only one screen can exist at a time, and it must be used on one thread. The previous contents of the terminal are
/// restored when the screen is closed.
package final class TerminalScreen {
    private var screen: OpaquePointer?

    /// The reason the screen can't be opened.
    package enum Failure: Error, Hashable, Sendable {
        /// Standard input or standard output is not a terminal.
        case noTerminal
        /// The terminal type in `TERM` is unknown, or the terminal cannot move its cursor.
        case unsuitable(String)
    }

    /// Opens the terminal of standard input and standard output.
    package init() throws(Failure) {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { throw .noTerminal }
        let name = getenv("TERM").map { String(cString: $0) } ?? ""
        guard !name.isEmpty, name != "dumb" else { throw .unsuitable(name) }
        // Widths of characters depend on the locale.
        setlocale(LC_CTYPE, "")
        guard let screen = cncurses_open() else { throw .unsuitable(name) }
        set_term(screen)
        guard cncurses_can_move() != 0 else {
            endwin()
            delscreen(screen)
            throw .unsuitable(name)
        }
        self.screen = screen
        raw()
        noecho()
        cncurses_keypad()
        set_escdelay(25)
        curs_set(0)
        if has_colors() {
            start_color()
            use_default_colors()
            for color in StyledText.Color.allCases { init_pair(color.pair, color.number, -1) }
        }
    }

    deinit { close() }

    /// Restores the terminal.
    package func close() {
        guard let screen else { return }
        endwin()
        delscreen(screen)
        self.screen = nil
    }

    package var rows: Int { Int(cncurses_rows()) }
    package var columns: Int { Int(cncurses_columns()) }

    /// Draws these lines from the top, and clears the rest of the screen; `cursor` is the column in the last line where
    /// the cursor is shown.
    ///
    /// The text must be safe to print on a terminal, and no line may be wider than the screen.
    package func draw(_ lines: [[StyledText]], cursor: Int? = nil) {
        guard screen != nil else { return }
        erase()
        for (row, line) in lines.prefix(rows).enumerated() {
            move(CInt(row), 0)
            for part in line {
                cncurses_attributes(CInt(part.color?.pair ?? 0), part.isBold ? 1 : 0, part.isReversed ? 1 : 0)
                addnstr(part.text, -1)
            }
        }
        cncurses_attributes(0, 0, 0)
        curs_set(cursor == nil ? 0 : 1)
        if let cursor { move(CInt(min(rows, lines.count) - 1), CInt(min(cursor, columns - 1))) }
        refresh()
    }

    /// Waits for a key up to the time limit, and returns `nil` if none was pressed.
    package func nextKey(within limit: Duration) -> ScreenKey? {
        let key = cncurses_key(CInt(limit / .milliseconds(1)))
        return key < 0 ? ScreenKey(character: UInt32(-key)) : key > 0 ? ScreenKey(code: key) : nil
    }
}

/// Text with a uniform style.
package struct StyledText: Hashable, Sendable {
    /// Colors that are legible on both black and white.
    package enum Color: Hashable, Sendable, CaseIterable {
        case red, magenta

        fileprivate var number: CShort { self == .red ? CShort(COLOR_RED) : CShort(COLOR_MAGENTA) }
        fileprivate var pair: CShort { self == .red ? 1 : 2 }
    }

    package var text: String
    package var color: Color?
    package var isBold: Bool
    package var isReversed: Bool

    package init(_ text: String, color: Color? = nil, isBold: Bool = false, isReversed: Bool = false) {
        self.text = text
        self.color = color
        self.isBold = isBold
        self.isReversed = isReversed
    }
}

/// A key, or a change of the terminal's size.
package enum ScreenKey: Hashable, Sendable {
    case up, down, left, right, pageUp, pageDown, home, end
    case enter, escape, tab, backspace
    /// A letter pressed with Control, as in `control("c")`.
    case control(Character)
    case character(Character)
    case resize
    /// Any other key.
    case other

    fileprivate init(character value: UInt32) {
        switch value {
        case 0x0A, 0x0D: self = .enter
        case 0x1B: self = .escape
        case 0x09: self = .tab
        case 0x08, 0x7F: self = .backspace
        case 0x01...0x1A: self = .control(Character(Unicode.Scalar(UInt8(value) + 0x60)))
        default: self = Unicode.Scalar(value).map { .character(Character($0)) } ?? .other
        }
    }

    fileprivate init(code: CInt) {
        self =
            switch code {
            case KEY_UP: .up
            case KEY_DOWN: .down
            case KEY_LEFT: .left
            case KEY_RIGHT: .right
            case KEY_PPAGE: .pageUp
            case KEY_NPAGE: .pageDown
            case KEY_HOME: .home
            case KEY_END: .end
            case KEY_ENTER: .enter
            case KEY_BACKSPACE, KEY_DC: .backspace
            case KEY_RESIZE: .resize
            default: .other
            }
    }
}

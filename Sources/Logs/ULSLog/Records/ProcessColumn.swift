/// The process column: `w3wp.exe (0x1790)`, or `w3wp.exe (SERVER:0x1790)` in merged logs.
struct ProcessColumn: Equatable {
    /// The program, with a service behind `#` if there is one.
    var name: Range<Int>
    var server: Range<Int>?
    /// `0x1790`.
    var id: Range<Int>?

    /// Takes a column apart; `range` is without padding.
    ///
    /// What has no id in brackets at its end is a name as a whole: names are cut at 31 characters.
    static func parse(_ window: borrowing ByteWindow, _ range: Range<Int>) -> ProcessColumn {
        guard range.count > 2, window[range.upperBound - 1] == UInt8(ascii: ")") else {
            return ProcessColumn(name: range)
        }
        var open = range.upperBound - 1
        while open > range.lowerBound, window[open] != UInt8(ascii: "(") { open -= 1 }
        guard window[open] == UInt8(ascii: "(") else { return ProcessColumn(name: range) }
        let inside = open + 1..<range.upperBound - 1
        var column = ProcessColumn(name: window.trimmed(range.lowerBound..<open))
        // From the right: an id holds no colon, the name of a server might.
        var colon = inside.upperBound - 1
        while colon > inside.lowerBound, window[colon] != UInt8(ascii: ":") { colon -= 1 }
        if inside.contains(colon), window[colon] == UInt8(ascii: ":") {
            let server = window.trimmed(inside.lowerBound..<colon)
            column.server = server.isEmpty ? nil : server
            column.id = window.trimmed(colon + 1..<inside.upperBound)
        } else {
            column.id = window.trimmed(inside)
        }
        return column
    }
}

/// Tells a native log from a paste by its beginning.
enum NativeText {
    /// Whether the beginning of a text has a row of the service's own layouts: a time, and seven tabs.
    ///
    /// Where nothing follows (`isWhole`), the last line may lack its end.
    static func isNative(_ text: Span<UInt8>, isWhole: Bool) -> Bool {
        var padded: [UInt8] = []
        padded.reserveCapacity(text.count + ByteWindow.slack)
        padded.append(copying: text)
        padded.append(contentsOf: repeatElement(0, count: ByteWindow.slack))
        let window = ByteWindow(padded.span)
        var rows = RowStartReader()
        var start = 0
        if text.count >= 3, window[0] == 0xEF, window[1] == 0xBB, window[2] == 0xBF { start = 3 }
        while start < text.count {
            var end = start
            while end < text.count, window[end] != 0x0A { end += 1 }
            guard end < text.count || isWhole else { return false }
            if let row = rows.read(window, at: start, end: end) {
                var tab = row.tab
                var count = 1
                while count < 7, tab < end {
                    tab = window.firstTab(from: tab + 1, to: end)
                    if tab < end { count += 1 }
                }
                if count == 7 { return true }
            }
            start = end + 1
        }
        return false
    }
}

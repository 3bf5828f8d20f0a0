/// Looks at the beginning and the end of a plain file without reading what is between.
enum FileTimes {
    /// Bytes that are looked at for a row: more than most records have.
    private static let lookBytes = 64 << 10

    /// The start of the first row, if there is one in the first bytes of a plain file.
    static func first(of source: LogSource) -> RowStart? {
        guard case .file(let path, _) = source.kind, let file = try? PlainFile(path: path) else { return nil }
        return first(in: file, at: 0)?.row
    }

    /// The first row that begins at or behind a place in a file.
    static func first(in file: PlainFile, at place: Int64) -> (row: RowStart, place: Int64)? {
        let from = place == 0 ? file.textStart : place - 1
        guard let (bytes, count) = read(file, from) else { return nil }
        let window = ByteWindow(bytes.span)
        var rows = RowStartReader()
        var start = 0
        if place > 0 {
            while start < count, window[start] != 0x0A { start += 1 }
            start += 1
        }
        while start < count {
            if let row = rows.read(window, at: start, end: count) { return (row, from + Int64(start)) }
            while start < count, window[start] != 0x0A { start += 1 }
            start += 1
        }
        return nil
    }

    /// The start of the last row of a plain file.
    static func last(of source: LogSource) -> RowStart? {
        guard case .file(let path, let size) = source.kind, let file = try? PlainFile(path: path) else { return nil }
        let from = max(file.textStart, size - Int64(lookBytes))
        guard let (bytes, count) = read(file, from) else { return nil }
        let window = ByteWindow(bytes.span)
        var rows = RowStartReader()
        var end = count
        while end > 0 {
            var start = end - 1
            while start > 0, window[start - 1] != 0x0A { start -= 1 }
            if start > 0 || from == file.textStart, let row = rows.read(window, at: start, end: count) { return row }
            end = start
        }
        return nil
    }

    /// Whether a plain file is a native log, as far as its beginning tells.
    static func isNative(_ source: LogSource, _ sizes: ReadingSizes) -> Bool {
        for count in [min(lookBytes, sizes.sniffBytes), sizes.sniffBytes] {
            guard let head = try? source.peek(count) else { return false }
            if NativeText.isNative(head.span, isWhole: head.count < count) { return true }
            if head.count < count { return false }
        }
        return false
    }

    private static func read(_ file: PlainFile, _ place: Int64) -> (bytes: [UInt8], count: Int)? {
        var bytes = [UInt8](repeating: 0, count: lookBytes)
        guard let count = try? file.read(into: &bytes, at: place) else { return nil }
        for index in count..<bytes.count { bytes[index] = 0 }
        bytes.append(contentsOf: repeatElement(0, count: ByteWindow.slack))
        return (bytes, count)
    }
}

/// Says why a line is in no record.
enum StrayLine {
    static func explanation(of source: LogSource, line wanted: Int) throws -> ParseExplanation {
        let line = try text(of: source, line: wanted)
        var bytes = line
        bytes.append(contentsOf: repeatElement(0, count: ByteWindow.slack))
        let window = ByteWindow(bytes.span)
        let range = 0..<line.count
        var kind = "not understood"
        var notes: [String] = []
        var rows = RowStartReader()
        if window.isBlank(range) {
            kind = "blank line"
        } else if HeaderLine.isHeader(window, range) {
            kind = "header"
        } else if rows.read(window, at: 0, end: line.count) != nil {
            let tabs = line.count { $0 == 0x09 }
            notes.append("it begins with a time, but has \(tabs + 1) columns instead of 8 or 9")
        } else {
            notes.append("it begins with no time, and no row above it can hold it")
        }
        return ParseExplanation(file: source.name, line: wanted, kind: kind, fields: [], notes: notes, event: nil)
    }

    private static func text(of source: LogSource, line wanted: Int) throws -> [UInt8] {
        do throws(LogSourceError) {
            var stream = try LogStream(source)
            var buffer = [UInt8](repeating: 0, count: 256 << 10)
            var number = 1
            var line: [UInt8] = []
            while try stream.nextText() != nil {
                while case let count = try stream.read(into: &buffer), count > 0 {
                    for byte in buffer[..<count] {
                        if byte == 0x0A {
                            if number == wanted { return line }
                            number += 1
                        } else if number == wanted, line.count < LogLimit.rowBytes.maximum {
                            line.append(byte)
                        }
                    }
                }
                if number == wanted { return line }
            }
            return line
        } catch {
            throw LogError(code: .cannotRead, message: error.message, advice: error.advice)
        }
    }
}

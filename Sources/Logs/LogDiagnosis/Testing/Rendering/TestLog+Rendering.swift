import ULSLog

extension TestLog {
    /// What a log of rows is called; it says the server: TEST.
    static let fileName = "TEST-20260302-1000.log"
    /// What a pasted text is called, which says nothing.
    static let pasteName = "paste.txt"

    /// A reader of the log, which reads it as it would read a file.
    var reader: LogReader {
        switch self {
        case .rows: LogReader(text: Array(text.utf8), name: Self.fileName)
        case .paste: LogReader(text: Array(text.utf8), name: Self.pasteName)
        }
    }

    /// The log as a file has it.
    var text: String {
        switch self {
        case .rows(let rows): NativeRow.header + rows.map(\.text).joined()
        case .paste(let text): text
        }
    }
}

extension TestRow {
    /// The rows that the service would write, a long message split, with another thread's row between its parts.
    fileprivate var text: String {
        let parts = messageParts
        guard parts.count > 1 else { return NativeRow(row: self, message: message).text }
        var foreign = self
        foreign.threadID = "0x0FFF"
        foreign.eventID = "zzzz"
        foreign.level = "Verbose"
        foreign.correlation = TestCorrelation.guid("another request")
        let between = NativeRow(row: foreign, message: "A row of another request").text
        return parts.indices.map { index in
            let head = index == 0 ? "" : "..."
            let tail = index == parts.count - 1 ? "" : "..."
            return NativeRow(row: self, message: head + parts[index] + tail, isContinuation: index > 0).text
        }.joined(separator: between)
    }

    private var messageParts: [Substring] {
        var parts: [Substring] = []
        var rest = message[...]
        while !rest.isEmpty {
            parts.append(rest.prefix(split))
            rest = rest.dropFirst(split)
        }
        return parts
    }
}

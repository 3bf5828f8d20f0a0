import TestSupport

@testable import ULSLog

/// One row of a ``GeneratedLog``.
struct GeneratedRow {
    enum Layout: CaseIterable { case padded, unpadded, utc, loose, wide, noBreakSpaces, timeUnpadded }

    enum NoCorrelation: CaseIterable { case blank, empty, zeros, missing }

    var layout: Layout
    var clock: Int64
    var process: String
    var processID: String
    /// The server in the process column, or the file's.
    var server: String?
    var writesServer: Bool
    var thread: String
    var area: String
    var category: String
    var eventID: String
    var level: String
    var message: String
    var correlation: CorrelationID
    var form: Int
    var isMarked = false
    /// Whether the message is written in Windows-1252.
    var isANSI = false

    init(clock: Int64, server: String?, _ random: inout SeededGenerator) {
        func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }
        layout = Bool.random(using: &random) ? .padded : pick(Layout.allCases)
        self.clock = clock
        process = pick(["w3wp.exe", "OWSTIMER.EXE", "w3wp.exe#DiskCache", "NodeRunnerContent1-c5596cf9-a02"])
        processID = pick(["0x1790", "0x0A18"])
        writesServer = Int.random(in: 0..<5, using: &random) == 0
        self.server = writesServer ? pick(["WFE1", "APP-2"]) : server
        thread = pick(["0x0EB8", "0x3C", "0x12345"])
        area = pick([
            "SharePoint Foundation", "", "Search", "Área", "Windows SharePoint Services is an area that overflows",
        ])
        category = pick(["General", "0xEB2D003", "Claims Authentication", "End-to-end Office Performance T", "Café"])
        eventID = pick(["b4ly", "nasq", "8nca", "0000", "8311", "ajmmu", "xyzzyxyz"])
        level = pick(["High", "Medium", "Unexpected", "Monitorable", "Verbose", "VerboseEx", "Odd", "ErrorCritical"])
        correlation = CorrelationID(
            high: UInt64(Int.random(in: 0...3, using: &random)) << 32 | 0xAB9F_0000_0000_0001,
            low: 0xDEAD_BEEF_0000_0001
        )
        form = Int.random(in: 0..<12, using: &random)
        message = Self.message(&random)
        isANSI = message.contains("é") && !message.contains("日") && Bool.random(using: &random)
        if layout == .wide {
            process = "Microsoft.Office.Web.WebOneNoteWatchdog.exe"
            level = "UnexpectedByEveryone"
        }
    }

    private static func message(_ random: inout SeededGenerator) -> String {
        let words = [
            "Failed", "to", "open", "C:\\x.resx", "(0x80070005)", "at line\r\n   at A.B()", "\nand\n\nmore", "\tTab",
            "é!",
            "日本", "...", "Leaving Monitored Scope (A). Execution Time=12.5", "end.", "{0}", "0x0EB8\tw3wp.exe",
            "a\u{A0}b",
            "ab9f0000-0000-0001-dead-beef00000001", "10:00:00.00", "03/04/2021 10:00:00.00 \tw3wp.exe",
        ]
        let isLong = Int.random(in: 0..<10, using: &random) == 0
        let count = Int.random(in: isLong ? 60...200 : 0...8, using: &random)
        var text = (0..<count).map { _ in words.randomElement(using: &random) ?? "" }.joined(separator: " ")
        switch Int.random(in: 0..<12, using: &random) {
        case 0: text += "..."
        case 1: text = "..." + text
        case 2: text += "...."
        case 3: text = "..." + text + "..."
        case 4: text = String(repeating: ".", count: Int.random(in: 1...9, using: &random))
        case 5: text = "Name=Request (GET:http://wfe1/a) " + text + "z"
        case 6: text = "Leaving Monitored Scope (Request (GET:http://wfe1/a)). Execution Time=3.5 " + text + "z"
        default: text += "z"
        }
        // Its ends are no blanks, which a reader takes for padding, and no line of its begins as a row does.
        return text.first.map { $0.isWhitespace } ?? true ? "x" + text : text
    }

    /// The rows in which the service writes a message that it cuts after so many characters.
    func split(at cut: Int) -> [GeneratedRow] {
        var rest = Array(message.unicodeScalars)
        var rows: [GeneratedRow] = []
        while !rest.isEmpty {
            var row = self
            let count = min(cut, rest.count)
            row.message =
                (rows.isEmpty ? "" : "...") + Self.text(rest.prefix(count)) + (count < rest.count ? "..." : "")
            row.isMarked = !rows.isEmpty
            rows.append(row)
            rest.removeFirst(count)
            // Parts have the time of the first.
        }
        return rows
    }

    private static func text(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars)
        return text
    }
}

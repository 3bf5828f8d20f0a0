import TestSupport
import TextKit

@testable import ULSLog
@testable import ULSRows

/// A log of random events in any of the forms in which logs occur, together with the expected events.
struct GeneratedLog {
    private(set) var bytes: [UInt8] = []
    private(set) var rows: [ModelRow] = []
    private(set) var quality = ReadQuality()
    /// Messages that are split by the service's rules, each on its own thread, which the reader must join again.
    private(set) var wholeMessages: [String] = []
    let lineEnd: String
    private var random: SeededGenerator
    private var clock = GeneratedLog.start
    private var line = 0
    /// Rows still to be placed between others: the remaining parts of split messages.
    private var pending: [[GeneratedRow]] = []
    private let server: String?
    /// The number of characters after which messages are split.
    private let cut: Int

    /// The time 2021-03-04 10:00.
    static let start: Int64 = 1_614_852_000_000

    init(seed: UInt64, events: Int, server: String? = nil, cut: Int = 800, hasMark: Bool? = nil) {
        random = SeededGenerator(seed: seed)
        self.server = server
        self.cut = cut
        lineEnd = Bool.random(using: &random) ? "\r\n" : "\n"
        if hasMark ?? (Int.random(in: 0..<4, using: &random) == 0) { bytes = [0xEF, 0xBB, 0xBF] }
        if Bool.random(using: &random) { appendHeader() }
        if Int.random(in: 0..<6, using: &random) == 0 { appendStray("Logged by hand, not by the service") }
        for number in 0..<events { appendEvent(number) }
        while !pending.isEmpty { appendPending() }
        // Without its line end, an empty line would not be a line.
        if Int.random(in: 0..<3, using: &random) == 0,
            !bytes.suffix(4).elementsEqual((lineEnd + lineEnd).utf8.suffix(4)),
            !bytes.suffix(2).elementsEqual([0x0A, 0x0A])
        {
            bytes.removeLast(lineEnd.utf8.count)
        }
    }

    /// Returns the expected events.
    func events(file: String) -> [ModelEvent] { ModelEvent.join(rows, file: file) }

    private mutating func appendEvent(_ number: Int) {
        while !pending.isEmpty, Bool.random(using: &random) { appendPending() }
        if Int.random(in: 0..<20, using: &random) == 0 { appendHeader() }
        clock += [0, 0, 10, 30, 990, 1200].randomElement(using: &random) ?? 0
        var row = GeneratedRow(clock: clock, server: server, &random)
        let length = row.message.count
        if length > cut || Int.random(in: 0..<8, using: &random) == 0, length > 4 {
            row.thread = "0x\(String(0x10_0000 + number, radix: 16))"
            let parts = row.split(at: length > cut ? cut : Int.random(in: 1..<length, using: &random))
            if !row.message.hasPrefix("...") { wholeMessages.append(row.message) }
            append(parts[0])
            pending.append(Array(parts.dropFirst()))
        } else {
            append(row)
        }
        if Int.random(in: 0..<12, using: &random) == 0 { appendBlank() }
    }

    /// Appends the next row of an unfinished message.
    private mutating func appendPending() {
        let index = Int.random(in: 0..<pending.count, using: &random)
        guard let row = pending[index].first else { return }
        append(row)
        pending[index].removeFirst()
        if pending[index].isEmpty { pending.remove(at: index) }
    }

    private mutating func append(_ row: GeneratedRow) {
        let text = row.bytes
        let lines = 1 + text.count { $0 == 0x0A }
        var model = row.model
        model.line = line + 1
        model.lineEnd = line + lines
        rows.append(model)
        appendLine(text)
        line += lines
        quality.lines += lines
        quality.records += 1
        quality.continuations += lines - 1
    }

    private mutating func appendHeader() {
        appendLine(
            Array(
                "Timestamp              \tProcess \tTID   \tArea\tCategory\tEventID\tLevel\tMessage\tCorrelation".utf8
            )
        )
        line += 1
        quality.lines += 1
        quality.headers += 1
    }

    private mutating func appendBlank() {
        appendLine(Array(["", "   ", "\t"].randomElement(using: &random)?.utf8 ?? "".utf8))
        line += 1
        quality.lines += 1
        quality.blank += 1
    }

    private mutating func appendStray(_ text: String) {
        appendLine(Array(text.utf8))
        line += 1
        quality.lines += 1
        quality.notUnderstood += 1
    }

    private mutating func appendLine(_ text: [UInt8]) {
        bytes += text
        bytes += lineEnd.utf8
    }
}

/// One row of a ``GeneratedLog``.
struct GeneratedRow {
    enum Layout: CaseIterable { case padded, unpadded, utc, loose, wide, noBreakSpaces, timeUnpadded }

    enum NoCorrelation: CaseIterable { case blank, empty, zeros, missing }

    var layout: Layout
    var clock: Int64
    var process: String
    var processID: String
    /// The server in the process column, or otherwise the file's server.
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
        // It does not begin or end with spaces, which a reader would treat as padding, and none of its lines begins
        // like a row.
        return text.first.map { $0.isWhitespace } ?? true ? "x" + text : text
    }

    /// Returns the rows of a message that the service splits after this many characters.
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
            // All parts have the time of the first one.
        }
        return rows
    }

    private static func text(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars)
        return text
    }
}

extension GeneratedRow {
    /// The row as written, without its line end.
    var bytes: [UInt8] {
        var bytes = Array((columns.joined(separator: "\t") + "\t").utf8)
        if isANSI {
            bytes += message.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        } else {
            bytes += message.utf8
        }
        return bytes + tail.utf8
    }

    /// The row that the reader should return.
    var model: ModelRow {
        let hasCorrelation = form > 3
        return ModelRow(
            columns: [
                process, processID, thread, area, category, eventID, level, message,
                hasCorrelation ? correlation.description : "",
            ],
            server: server,
            clock: clock,
            isUTC: layout == .utc,
            isMarked: isMarked,
            key: columns.dropFirst().joined(separator: "\t")
                + (hasCorrelation ? correlation.description : "") + (server ?? "")
        )
    }

    /// The first seven columns, with padding.
    private var columns: [String] {
        let id = writesServer ? "\(process) (\(server ?? ""):\(processID))" : "\(process) (\(processID))"
        let texts = [id, thread, area, category, eventID, level]
        let widths = [40, 6, 30, 30, 0, 8]
        switch layout {
        case .padded, .wide, .timeUnpadded:
            return [time] + zip(texts, widths).map { Self.padded($0, $1, " ") }
        case .noBreakSpaces:
            return [time] + zip(texts, widths).map { Self.padded($0, $1, "\u{A0}") }
        case .unpadded, .utc, .loose: return [time] + texts
        }
    }

    private static func padded(_ text: String, _ width: Int, _ blank: Character) -> String {
        text + String(repeating: blank, count: max(0, width - text.utf8.count))
    }

    private var time: String {
        let days = clock.flooredQuotient(by: CivilDate.dayLength)
        let date = CivilDate(days: days)
        let rest = clock.flooredRemainder(by: CivilDate.dayLength)
        let (hour, minute, second) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60)
        let hundredths = rest / 10 % 100
        let clockText = "\(Self.two(minute)):\(Self.two(second))"
        switch layout {
        case .utc:
            let day = "\(date.year)-\(Self.two(Int64(date.month)))-\(Self.two(Int64(date.day)))"
            return "\(day) \(Self.two(hour)):\(clockText).\(Self.two(hundredths))" + (isMarked ? "*" : "")
        case .loose:
            return "\(date.month)/\(date.day)/\(date.year) \(hour):\(clockText),\(Self.two(hundredths))0"
                + (isMarked ? " *" : " ")
        default:
            let day = "\(Self.two(Int64(date.month)))/\(Self.two(Int64(date.day)))/\(date.year)"
            let mark = isMarked ? "*" : layout == .timeUnpadded ? "" : " "
            return "\(day) \(Self.two(hour)):\(clockText).\(Self.two(hundredths))" + mark
        }
    }

    private static func two(_ number: Int64) -> String { (number < 10 ? "0" : "") + String(number) }

    /// The last column in one of its forms, with the tab before it.
    private var tail: String {
        switch form {
        case 0: "\t "
        case 1: "\t"
        case 2: "\t00000000-0000-0000-0000-000000000000"
        // The column may be missing, unless the end of the message would be mistaken for it.
        case 3: message.hasSuffix("\u{A0}") ? "\t" : ""
        case 4: "\t\(correlation.description.uppercased())"
        case 5: "\t{\(correlation.description)}"
        case 6: "\t \(correlation.description) "
        case 7: "\t{\(correlation.description.uppercased())} "
        default: "\t\(correlation.description)"
        }
    }
}

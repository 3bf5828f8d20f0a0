import TextKit

/// A scan of text that isn't a native log: a ``PasteReader`` reads it, and its records are handed on as rows.
///
/// A unit ends after the line with which it reaches its size, however the text was read.
struct PasteScan<Sink: UnitSink> {
    private let text: LogText
    private let scan: UnitScan<Sink>
    private var reader = PasteReader()
    private var parser = RowParser()
    private var sink: Sink
    private var line: [UInt8] = []
    private var records: [PastedRecord] = []
    /// The account of earlier units.
    private var counted = PasteQuality()
    private var inferred = 0
    /// Bytes of the unit's lines so far, line ends included.
    private var bytes: Int64 = 0
    /// The position of the next record in the unit: no two have the same.
    private var position: Int64 = 0

    init(_ text: LogText, scan: UnitScan<Sink>) {
        self.text = text
        self.scan = scan
        sink = scan.makeSink(text)
        reader.messageTest = sink.messageTest
    }

    /// Reads to the end of the text, beginning with the part already read.
    ///
    /// - Returns: Whether more is wanted.
    mutating func run(
        beginning head: [UInt8],
        _ emit: (UnitOutput<Sink.Payload>) -> Bool,
        read: (inout [UInt8]) throws -> Int,
        remark: () -> TextRemark?
    ) throws -> Bool {
        let pieceBytes = scan.sizes.pieceBytes
        var piece = head
        var count = head.count
        while count > 0 {
            guard take(piece.span.extracting(first: count), emit) else { return false }
            if let payload = sink.drain(), !emit(UnitOutput(text: text, payload: payload)) { return false }
            if piece.count != pieceBytes { piece = Array(repeating: 0, count: pieceBytes) }
            count = try read(&piece)
        }
        if !line.isEmpty { endLine() }
        _ = reader.finish(into: &records)
        handOn()
        var remarks = [remark()].compactMap(\.self)
        if reader.quality.records == 0, reader.quality.notUnderstood > 0 {
            remarks.append(TextRemark(foreign: ForeignText(startOf: head)))
        }
        return emit(endUnit(isTextEnd: true, remarks: remarks))
    }

    private mutating func take(_ piece: Span<UInt8>, _ emit: (UnitOutput<Sink.Payload>) -> Bool) -> Bool {
        var index = 0
        while index < piece.count {
            let byte = piece[index]
            index += 1
            bytes += 1
            if byte == 0x0A {
                endLine()
                if reader.ignoresEmptyLines { passEmptyLines(piece, from: &index) }
                if bytes >= scan.sizes.unitBytes, !emit(endUnit(isTextEnd: false)) { return false }
            } else if line.count < reader.limits.line {
                line.append(byte)
            }
        }
        return true
    }

    /// Passes over the empty lines that begin at `index`, as far as the unit goes: there may be millions of them.
    private mutating func passEmptyLines(_ piece: Span<UInt8>, from index: inout Int) {
        let start = index
        var lines = 0
        let end = min(piece.count, start + Int(clamping: max(0, scan.sizes.unitBytes - bytes)))
        while index < end {
            if piece[index] == 0x0A {
                index += 1
            } else if piece[index] == 0x0D, index + 1 < end, piece[index + 1] == 0x0A {
                index += 2
            } else {
                break
            }
            lines += 1
        }
        guard lines > 0 else { return }
        bytes += Int64(index - start)
        reader.count(emptyLines: lines)
    }

    private mutating func endLine() {
        var ended: [UInt8] = []
        swap(&ended, &line)
        position = max(position, bytes)
        reader.append(line: ended.span, into: &records)
        ended.removeAll(keepingCapacity: true)
        swap(&ended, &line)
        handOn()
    }

    private mutating func handOn() {
        for record in records {
            if record.isInferred { inferred += 1 }
            let row = PastedRow(record)
            var fields = row.fields
            // A record may have begun in an earlier unit.
            fields.line -= counted.lines
            fields.position = position
            position += 1
            parser.complete(ByteWindow(row.bytes.span), &fields)
            sink.take(ByteWindow(row.bytes.span), fields)
        }
        records.removeAll(keepingCapacity: true)
    }

    /// Ends the unit; a record still open goes to the next one.
    private mutating func endUnit(isTextEnd: Bool, remarks: [TextRemark] = []) -> UnitOutput<Sink.Payload> {
        let paste = reader.quality
        var quality = ReadQuality()
        quality.lines = paste.lines - counted.lines
        quality.records = paste.records - counted.records
        quality.continuations = paste.continuations - counted.continuations
        quality.headers = paste.headers - counted.headers
        quality.blank = paste.blank - counted.blank
        quality.notUnderstood = paste.notUnderstood - counted.notUnderstood
        quality.inferred = inferred
        quality.reach(.rowBytes, times: paste.cutRecords - counted.cutRecords)
        var end = UnitEnd(quality: quality, bytes: bytes, isTextEnd: isTextEnd)
        for remark in remarks { end.add(remark) }
        let payload = sink.finish(parser)
        counted = paste
        (inferred, bytes, position) = (0, 0, 0)
        parser = RowParser()
        sink = scan.makeSink(text)
        return UnitOutput(text: text, payload: payload, end: end)
    }
}

/// A record of a paste, laid out as a row.
struct PastedRow {
    private(set) var bytes: [UInt8] = []
    /// The fields, complete except for the columns' numbers, which the parser assigns.
    private(set) var fields = RowFields()

    init(_ record: PastedRecord) {
        fields.timeEnd = end(record.time)
        fields.processEnd = end(record.process)
        fields.threadEnd = end(record.thread)
        fields.areaEnd = end(record.area)
        fields.categoryEnd = end(record.category)
        fields.eventEnd = end(record.eventID)
        fields.levelEnd = end(record.level)
        fields.messageEnd = end(record.message)
        bytes.append(contentsOf: record.correlation)
        fields.end = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: ByteWindow.slack))

        var read = fields
        read.isMarked = record.isContinuation
        read.isInferred = record.isInferred
        read.line = record.firstLine - 1
        read.lineCount = record.lastLine - record.firstLine + 1
        Self.setTime(ByteWindow(bytes.span), of: &read)
        fields = read
    }

    /// Lays out an event as a row.
    init(_ event: borrowing ULSEvent) {
        let server = event.server.map { "\($0):" } ?? ""
        fields.timeEnd = end([])
        fields.processEnd = end(Array("\(event.text(.process)) (\(server)\(event.text(.processID)))".utf8))
        fields.threadEnd = end(Array(event.text(.threadID).utf8))
        fields.areaEnd = end(Array(event.text(.area).utf8))
        fields.categoryEnd = end(Array(event.text(.category).utf8))
        fields.eventEnd = end(Array(event.text(.eventID).utf8))
        fields.levelEnd = end(Array(event.text(.level).utf8))
        fields.messageEnd = end(Array(event.text(.message).utf8))
        bytes.append(copying: event[.correlation])
        fields.end = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: ByteWindow.slack))
        fields.clock = event.time.clock
        fields.isUTC = event.isUTCLayout
        fields.isJoined = true
        fields.isInferred = event.isInferred
        if event.time.quality == .timeOnly || event.time.quality == .none { fields.timeQuality = event.time.quality }
    }

    /// Appends a column and its tab, and returns the tab's offset.
    private mutating func end(_ column: [UInt8]) -> Int {
        bytes.append(contentsOf: column)
        bytes.append(0x09)
        return bytes.count - 1
    }

    /// Sets the time, which is local unless it ends with `Z`: exports write ISO 8601 without a zone.
    private static func setTime(_ window: borrowing ByteWindow, of fields: inout RowFields) {
        var text = TimestampText(window, from: 0, to: fields.timeEnd)
        if let (clock, _) = text.timestamp() {
            fields.isUTC = text.offset > 0 && window[text.offset - 1] == UInt8(ascii: "Z")
            fields.clock = clock + text.halfOfDay(of: clock)
            return
        }
        var timeOnly = TimestampText(window, from: 0, to: fields.timeEnd)
        if let clock = timeOnly.timeOfDay() {
            fields.clock = clock + timeOnly.halfOfDay(of: clock)
            fields.timeQuality = .timeOnly
        } else {
            fields.timeQuality = LogTime.Quality.none
        }
    }
}

/// One record of a paste: the columns found, as text without padding.
package struct PastedRecord: Equatable, Sendable {
    /// The form of a record in the paste.
    package enum Shape: Sendable {
        /// A row whose columns were recognized by their content.
        case row
        /// A block of `Key : value` lines.
        case block
        /// A row below a header: comma- or tab-separated values, or a console's table.
        case delimited
        /// A paragraph without columns.
        case message
    }

    package var shape: Shape

    /// The time as written, `09/26/2011 10:39:40.52` or `15:54:30.25`; empty for a placeholder such as `<Date> <Time>`.
    package var time: [UInt8] = []
    /// The process as written, `w3wp.exe (0x1790)`; without its ID if that is a placeholder.
    package var process: [UInt8] = []
    /// The thread as written, `0x0EB8`; empty for a placeholder.
    package var thread: [UInt8] = []
    package var area: [UInt8] = []
    var category: [UInt8] = []
    var eventID: [UInt8] = []
    package var level: [UInt8] = []
    package var message: [UInt8] = []
    package var correlation: [UInt8] = []

    /// The first physical line, counted from 1.
    var firstLine: Int
    package var lastLine: Int

    /// Whether a `*` follows the time: the row continues a message that was cut.
    var isContinuation = false

    /// Whether columns were inferred: always for rows and messages.
    package var isInferred: Bool

    package init(shape: Shape, line: Int) {
        self.shape = shape
        firstLine = line
        lastLine = line
        isInferred = shape == .row || shape == .message
    }
}

/// A column of a log row, identified by the names that exports give it.
enum PasteColumn: Hashable {
    case time
    case process
    case thread
    case area
    case category
    case eventID
    case level
    case message
    case correlation
    /// `True` or `False` in the output of `Get-SPLogEvent`: whether the row continues a message that was cut.
    case continuation
    /// The first line of a copy from the event log of Windows, and the one after its description.
    case logName
    case eventXML
    /// A column that exports have but records don't.
    case ignored

    /// Finds the column with this name; nil if no export is known to have it.
    ///
    /// Case, spaces, `_`, `-`, and the full stop of an abbreviation don't matter.
    init?(name: some Sequence<UInt8>) {
        guard let letters = Self.letters(of: name), let column = Self.names[letters] ?? EventLogWords.fields[letters]
        else { return nil }
        self = column
    }

    private static func letters(of name: some Sequence<UInt8>) -> [UInt8]? {
        var letters: [UInt8] = []
        for byte in name where !isJoint(byte) && byte != UInt8(ascii: ".") {
            guard letters.count < maximumName else { return nil }
            letters.append(byte.lowercased)
        }
        return letters
    }

    /// Letters of some languages have two or three bytes.
    private static let maximumName = 40

    /// Whether a name may hold the byte; those of other languages have letters outside ASCII.
    static func isOfName(_ byte: UInt8) -> Bool { byte.lowercased.isLowercase || isJoint(byte) || byte >= 0x80 }

    private static func isJoint(_ byte: UInt8) -> Bool { byte == 0x20 || "_-".utf8.contains(byte) }

    /// Names from the service's own files, `Get-SPLogEvent`, the viewers, Event Viewer's copy in English, and people's own
    /// writing.
    private static let names: [[UInt8]: PasteColumn] = {
        let names: KeyValuePairs<PasteColumn, [String]> = [
            .time: ["timestamp", "timestamputc", "time", "datetime", "date", "dateandtime"],
            .process: ["process", "processname"],
            .thread: ["tid", "thread", "threadid"],
            .area: ["area", "product", "produce", "source", "eventsource"],
            .category: ["category", "taskcategory", "eventcategory"],
            .eventID: ["eventid", "event", "tag", "tagid"],
            .level: ["level", "severity", "eventtype", "eventlevel"],
            .message: ["message", "description", "eventdescription", "eventmessage"],
            .correlation: ["correlation", "correlationid"],
            .continuation: ["continuation"],
            .logName: ["logname"],
            .eventXML: ["eventxml"],
            .ignored: ["context", "server", "computer", "keywords", "user", "opcode"],
        ]
        var columns: [[UInt8]: PasteColumn] = [:]
        for (column, all) in names {
            for name in all { columns[Array(name.utf8)] = column }
        }
        return columns
    }()

    /// Whether the event log of Windows has a column of this name, and the logging service has none.
    static func isOfEventLog(_ name: some Sequence<UInt8>) -> Bool {
        isOfOtherLanguage(name) || eventLogNames.contains(name.filter { !isJoint($0) }.map(\.lowercased))
    }

    /// Whether only the event log of Windows in another language than English has a column of this name.
    static func isOfOtherLanguage(_ name: some Sequence<UInt8>) -> Bool {
        letters(of: name).map { EventLogWords.fields[$0] != nil } ?? false
    }

    private static let eventLogNames = Set(
        [
            "logname", "source", "eventsource", "eventtype", "eventlevel", "taskcategory", "eventcategory", "keywords",
            "computer",
            "user", "opcode", "description", "eventdescription",
        ].map { Array($0.utf8) }
    )
}

extension PastedRecord {
    /// Sets a column to the text of a cell or a value.
    mutating func set(_ column: PasteColumn, to text: [UInt8]) {
        switch column {
        case .time:
            isContinuation = isContinuation || text.last == UInt8(ascii: "*")
            time = PastedTime.withoutPlaceholder(
                isContinuation && text.last == UInt8(ascii: "*") ? text.dropLast() : text[...]
            )
        case .process: process = text
        case .thread: thread = text
        case .area: area = text
        case .category: category = text
        case .eventID: eventID = text
        case .level: level = EventLogWords.levels[text].map { Array($0.utf8) } ?? text
        case .message: message = text
        case .correlation: correlation = text
        case .continuation: isContinuation = isContinuation || text.map(\.lowercased) == Array("true".utf8)
        case .ignored, .logName, .eventXML: break
        }
    }

    /// Writes the time year first, if it is a date as other languages than English write it: `20.07.2010 00:00:01`.
    mutating func readDateDayFirst() {
        let parts = time.split(separator: 0x20, maxSplits: 1)
        guard let sign = parts.first?.first(where: { "./-".utf8.contains($0) }), parts.count == 2 else { return }
        let numbers = parts[0].split(separator: sign)
        guard numbers.count == 3, numbers.allSatisfy({ $0.allSatisfy(\.isDigit) }) else { return }
        let isYearFirst = numbers[0].count == 4
        guard isYearFirst || numbers[2].count == 4 else { return }
        let hyphen = [UInt8(ascii: "-")]
        time = Array((isYearFirst ? numbers : numbers.reversed()).joined(separator: hyphen)) + [0x20] + parts[1]
    }
}

/// One physical line of a paste, without its line end.
struct PasteLine {
    /// The number of the line, counted from 1.
    let number: Int
    let bytes: [UInt8]
    /// Whether the line above it is blank.
    let isBehindBlank: Bool

    /// Whether a tab stands within its text, as between cells.
    var hasInnerTab: Bool { bytes[bytes.trimmed].contains(0x09) }
}

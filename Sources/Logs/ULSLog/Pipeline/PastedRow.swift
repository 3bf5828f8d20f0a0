/// A record of a paste, laid out as a row.
struct PastedRow {
    private(set) var bytes: [UInt8] = []
    /// Complete but for the columns' numbers, which are the parser's to give.
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

    /// Lays an event out.
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
        if event.time.quality == .timeOnly || event.time.quality == .none { fields.poorTime = event.time.quality }
    }

    /// Appends a column and its tab, and returns where the tab is.
    private mutating func end(_ column: [UInt8]) -> Int {
        bytes.append(contentsOf: column)
        bytes.append(0x09)
        return bytes.count - 1
    }

    /// A paste's time is local, whatever its form: exports write ISO 8601 without saying the zone.
    private static func setTime(_ window: borrowing ByteWindow, of fields: inout RowFields) {
        var text = TimestampText(window, from: 0, to: fields.timeEnd)
        if let (clock, _) = text.timestamp() {
            fields.clock = clock
            fields.isUTC = text.offset > 0 && window[text.offset - 1] == UInt8(ascii: "Z")
            return
        }
        var timeOnly = TimestampText(window, from: 0, to: fields.timeEnd)
        if let clock = timeOnly.timeOfDay() {
            fields.clock = clock
            fields.poorTime = .timeOnly
        } else {
            fields.poorTime = LogTime.Quality.none
        }
    }
}

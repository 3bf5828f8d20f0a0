public import ULSLog

/// Writes events one after the other in any of the forms.
///
/// ```swift
/// var writer = LogEventWriter(.ndjson)
/// writer.begin(in: &bytes)
/// _ = try reader.forEachEvent(in: .time) { event in
///     writer.append(event, to: &bytes)
///     if bytes.count > 65536 { try drain(&bytes) }
/// }
/// writer.end(in: &bytes)
/// ```
public struct LogEventWriter {
    /// Events that have no date and so could not be native rows; they were left out.
    public private(set) var omitted = 0
    private let format: LogOutputFormat
    private var list: JSONList
    private var lines: EventLines

    /// Prepares to write; `showsServer` gives text a column for the server, which the other forms always have.
    public init(_ format: LogOutputFormat, layout: TextLayout = TextLayout(), showsServer: Bool = false) {
        self.format = format
        list = JSONList(format == .json ? .json : .ndjson)
        lines = EventLines(layout, showsServer: showsServer)
    }

    /// Appends what stands before the first event.
    public func begin(in bytes: inout [UInt8]) {
        switch format {
        case .csv: EventTable.appendHeader(to: &bytes)
        case .uls: NativeRow.appendHeader(to: &bytes)
        case .text, .json, .ndjson, .markdown: break
        }
    }

    /// Appends the next event; `false` when it cannot be written in this form.
    @discardableResult
    public mutating func append(_ event: borrowing ULSEvent, to bytes: inout [UInt8]) -> Bool {
        switch format {
        case .text, .markdown: lines.append(event, to: &bytes)
        case .json, .ndjson: list.append(to: &bytes) { LogEventObject.append(event, to: &$0) }
        case .csv: EventTable.append(event, to: &bytes)
        case .uls:
            guard NativeRow.append(event, to: &bytes) else {
                omitted += 1
                return false
            }
        }
        return true
    }

    /// Appends what stands behind the last event.
    public func end(in bytes: inout [UInt8]) { if format == .json { list.end(in: &bytes) } }

    /// What to tell on standard error about the events left out; `nil` when there are none.
    public var note: String? {
        guard omitted > 0 else { return nil }
        let events = GroupedNumber.of(omitted, "event has", "events have")
        return "\(events) no date and cannot be native rows: take -o ndjson or -o csv to get all"
    }
}

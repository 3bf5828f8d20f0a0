/// What follows from the texts of a record's columns, worked out once for each different text.
struct RecordFacts {
    /// What follows from area, category, event ID and level.
    struct Columns {
        var rank: UInt8 = 6
        /// Whether such a record is wanted, as far as these columns go.
        var isWanted = true
        /// Whether the event ID is that of rows that enter or leave a scope.
        var isScope = false
    }

    /// What follows from the process.
    struct Process {
        var server: String?
        var isWanted = true
        /// Numbers of ``RecordTimes``.
        var zone = 0
        /// A number for the server, in order of appearance in the unit.
        var serverNumber = 0
    }

    private let filter: RecordFilter
    private let server: String?
    private let zones: ServerZones
    private(set) var columns: [Columns] = []
    private(set) var processes: [Process] = []
    /// In order of appearance.
    private(set) var servers: [String?] = []
    /// The zone of each server.
    private(set) var serverZones: [TimeZoneRules?] = []

    init(filter: RecordFilter, server: String?, zones: ServerZones) {
        self.filter = filter
        self.server = server
        self.zones = zones
    }

    /// Sees to it that the facts of a record are there.
    @inline(__always)
    mutating func note(_ window: borrowing ByteWindow, _ fields: RowFields) {
        if fields.columns >= columns.count || fields.columns == 0 { learnColumns(window, fields) }
        if fields.process >= processes.count || fields.process == 0 { learnProcess(window, fields) }
    }

    @inline(never)
    private mutating func learnColumns(_ window: borrowing ByteWindow, _ fields: RowFields) {
        let level = window.span(window.trimmed(fields.eventEnd + 1..<fields.levelEnd))
        let eventID = window.validText(fields.categoryEnd + 1..<fields.eventEnd)
        let area = window.validText(fields.threadEnd + 1..<fields.areaEnd)
        let category = window.validText(fields.areaEnd + 1..<fields.categoryEnd)
        let rank = ULSLevel(String(copying: level)).rank
        let facts = Columns(
            rank: UInt8(rank),
            isWanted: filter.wants(
                area: area.span,
                category: category.span,
                eventID: eventID.span,
                rank: rank
            ),
            isScope: eventID.span.equals(lowercase: Array("b4ly".utf8))
                || eventID.span.equals(lowercase: Array("nasq".utf8))
        )
        while columns.count <= fields.columns { columns.append(Columns()) }
        columns[fields.columns] = facts
    }

    @inline(never)
    private mutating func learnProcess(_ window: borrowing ByteWindow, _ fields: RowFields) {
        let column = ProcessColumn.parse(window, window.trimmed(fields.timeEnd + 1..<fields.processEnd))
        let server = column.server.map { String(copying: window.span($0)) } ?? self.server
        let number = servers.firstIndex(of: server) ?? servers.count
        if number == servers.count, number <= LogLimit.processes.maximum {
            servers.append(server)
            serverZones.append(zones.zone(for: server))
        }
        let facts = Process(
            server: server,
            isWanted: filter.wants(server: server)
                && filter.wants(
                    process: window.validText(column.name).span,
                    id: window.validText(column.id ?? 0..<0).span
                ),
            zone: min(number, serverZones.count - 1),
            serverNumber: min(number, servers.count - 1)
        )
        while processes.count <= fields.process { processes.append(Process()) }
        processes[fields.process] = facts
    }
}

extension String {
    /// The text of UTF-8, with U+FFFD for what is none.
    init(copying span: Span<UInt8>) {
        self = unsafe span.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}

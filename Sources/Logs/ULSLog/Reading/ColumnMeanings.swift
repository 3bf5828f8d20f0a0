/// What the texts of a record's columns mean, worked out once for each distinct text.
struct ColumnMeanings {
    /// The meaning of area, category, event ID and level.
    struct Columns {
        var rank: UInt8 = 6
        /// Whether the record is wanted, as far as these columns tell.
        var isWanted = true
        /// Whether the event ID marks rows that enter or leave a scope.
        var isScope = false
    }

    /// The meaning of the process.
    struct Process {
        var isWanted = true
        /// Index of its server, in order of appearance in the unit.
        var server = 0
    }

    private let filter: RecordFilter
    private let server: String?
    private let zones: ServerZones
    private(set) var columns = [Columns()]
    private var eventIDs: [[UInt8]] = [[]]
    private(set) var processes = [Process()]
    /// Servers in order of appearance.
    private(set) var servers: [String?] = []
    private var serverNumbers: [String?: Int] = [:]
    /// The zone of each server.
    private(set) var serverZones: [TimeZoneRules?] = []

    private var ranks: [(word: [UInt8], rank: Int, isKnown: Bool)] = []

    init(filter: RecordFilter, server: String?, zones: ServerZones) {
        self.filter = filter
        self.server = server
        self.zones = zones
    }

    /// Works out what a record's columns mean if needed.
    @inline(__always)
    mutating func note(_ window: borrowing ByteWindow, _ fields: RowFields) {
        if !isKnown(fields) { learn(window, fields) }
    }

    /// Returns whether a record's columns are known; number 0, which stands for many texts, is worked out each time.
    @inline(__always)
    private func isKnown(_ fields: RowFields) -> Bool {
        UInt(bitPattern: fields.columns &- 1) < UInt(bitPattern: columns.count &- 1)
            && UInt(bitPattern: fields.process &- 1) < UInt(bitPattern: processes.count &- 1)
    }

    @inline(never)
    private mutating func learn(_ window: borrowing ByteWindow, _ fields: RowFields) {
        if fields.columns >= columns.count || fields.columns == 0 { learnColumns(window, fields) }
        if fields.process >= processes.count || fields.process == 0 { learnProcess(window, fields) }
    }

    /// Returns the server that wrote a record.
    func server(of fields: RowFields) -> String? { servers[processes[fields.process].server] }

    /// Returns the event ID of a record, as events hold it.
    func eventID(of fields: RowFields) -> [UInt8] { eventIDs[fields.columns] }

    private mutating func learnColumns(_ window: borrowing ByteWindow, _ fields: RowFields) {
        let level = window.span(window.trimmed(fields.eventEnd + 1..<fields.levelEnd))
        let eventID = window.validText(fields.categoryEnd + 1..<fields.eventEnd)
        let area = window.validText(fields.threadEnd + 1..<fields.areaEnd)
        let category = window.validText(fields.areaEnd + 1..<fields.categoryEnd)
        let (rank, isKnown) = rank(of: level)
        let meaning = Columns(
            rank: UInt8(rank),
            isWanted: filter.wants(
                area: area.span,
                category: category.span,
                eventID: eventID.span,
                rank: isKnown ? rank : nil
            ),
            isScope: eventID.span.equals(lowercase: Array("b4ly".utf8))
                || eventID.span.equals(lowercase: Array("nasq".utf8))
        )
        while columns.count <= fields.columns {
            columns.append(Columns())
            eventIDs.append([])
        }
        columns[fields.columns] = meaning
        eventIDs[fields.columns] = eventID
    }

    /// Returns the rank of a level; there are few levels, so those seen are kept with their ranks.
    private mutating func rank(of level: Span<UInt8>) -> (rank: Int, isKnown: Bool) {
        for known in ranks where level.isSame(as: known.word.span) { return (known.rank, known.isKnown) }
        let word = String(copying: level)
        let level = ULSLevel(word)
        if ranks.count < 32 { ranks.append((Array(word.utf8), level.rank, level.isKnown)) }
        return (level.rank, level.isKnown)
    }

    private mutating func learnProcess(_ window: borrowing ByteWindow, _ fields: RowFields) {
        let column = ProcessColumn.parse(window, window.trimmed(fields.timeEnd + 1..<fields.processEnd))
        let server = column.server.map { String(copying: window.span($0)) } ?? self.server
        let known = serverNumbers[server]
        if known == nil {
            // Beyond the limit all servers share the last place, so such a record is examined anew each time.
            if servers.count > LogLimit.processes.maximum {
                serverNumbers[servers.removeLast()] = nil
                serverZones.removeLast()
            }
            serverNumbers[server] = servers.count
            servers.append(server)
            serverZones.append(zones.zone(for: server))
        }
        let meaning = Process(
            isWanted: filter.wants(server: server)
                && filter.wants(
                    process: window.validText(column.name).span,
                    id: window.validText(column.id ?? 0..<0).span
                ),
            server: known ?? servers.count - 1
        )
        while processes.count <= fields.process { processes.append(Process()) }
        processes[fields.process] = meaning
    }
}

/// The times of records, with zones applied, and whether they are in the window.
///
/// Rows come in order of time, so an answer holds for many rows: the zone's for a minute, the window's for one reading.
struct RecordTimes {
    private let window: TimeWindow
    private var minute = Int64.min
    private var zone = -1
    private var offset: Int32 = 0
    private var lowBits: Int64 = 0
    private var quality = LogTime.Quality.local
    private var askedClock = Int64.min
    private var askedBits: Int64 = -1
    private var answer = TimeWindow.Membership.inside

    init(window: TimeWindow) { self.window = window }

    /// Returns whether the zone's answer for the previous row also holds for a record of this server.
    @inline(__always)
    func holds(for fields: RowFields, server: Int) -> Bool {
        let sinceMinute = fields.clock &- minute
        return sinceMinute >= 0 && sinceMinute < 60_000 && zone == (fields.isUTC ? -2 : server)
            && fields.timeQuality == nil
    }

    /// Resolves a record's time in the zone of its server.
    @inline(never)
    mutating func resolve(_ fields: RowFields, server: Int, _ rules: TimeZoneRules?) {
        minute = fields.clock.flooredQuotient(by: 60_000) * 60_000
        zone = fields.isUTC ? -2 : server
        offset = 0
        if let poor = fields.timeQuality {
            quality = poor
            // Not valid for the next record.
            zone = -1
        } else if fields.isUTC {
            quality = .exact
        } else if let rules {
            let time = rules.resolve(clock: fields.clock)
            quality = time.quality
            offset = time.offset
        } else {
            quality = .local
        }
        lowBits = PackedTime.lowBits(offset: offset, quality: quality)
    }

    /// Returns the time of a record for which the answer holds.
    @inline(__always)
    func time(of fields: RowFields) -> PackedTime {
        PackedTime(clock: fields.clock, lowBits: lowBits, offset: offset)
    }

    /// Returns whether a clock reading, resolved last, is in the window.
    @inline(__always)
    mutating func membership(ofClock clock: Int64) -> TimeWindow.Membership {
        if window.isAll { return .inside }
        if clock != askedClock || lowBits != askedBits {
            askedClock = clock
            askedBits = lowBits
            answer = window.contains(LogTime(clock: clock, offset: offset, quality: quality))
        }
        return answer
    }

    /// Returns the time of the record that was resolved last.
    func logTime(clock: Int64) -> LogTime { LogTime(clock: clock, offset: offset, quality: quality) }
}

extension String {
    /// Creates a string from UTF-8, with U+FFFD for invalid bytes.
    init(copying span: Span<UInt8>) {
        self = unsafe span.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}

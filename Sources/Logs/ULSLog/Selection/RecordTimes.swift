/// The times of records: zones applied, and the window asked.
///
/// Rows come by time, so an answer holds for many rows: the zone's for a minute, the window's for one reading.
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

    /// Whether the zone's answer for the row before holds for a record of this server too.
    @inline(__always)
    func holds(for fields: RowFields, server: Int) -> Bool {
        let sinceMinute = fields.clock &- minute
        return sinceMinute >= 0 && sinceMinute < 60_000 && zone == (fields.isUTC ? -2 : server)
            && fields.poorTime == nil
    }

    /// Asks the zone of a record's server.
    @inline(never)
    mutating func resolve(_ fields: RowFields, server: Int, _ rules: TimeZoneRules?) {
        minute = fields.clock.flooredQuotient(by: 60_000) * 60_000
        zone = fields.isUTC ? -2 : server
        offset = 0
        if let poor = fields.poorTime {
            quality = poor
            // Not to be used for the next record.
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

    /// The time of a record for which the answer holds.
    @inline(__always)
    func time(of fields: RowFields) -> PackedTime {
        PackedTime(clock: fields.clock, lowBits: lowBits, offset: offset)
    }

    /// Whether the record whose time was asked for last is in the window.
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

    /// The time of the record that was asked for last.
    func logTime(clock: Int64) -> LogTime { LogTime(clock: clock, offset: offset, quality: quality) }
}

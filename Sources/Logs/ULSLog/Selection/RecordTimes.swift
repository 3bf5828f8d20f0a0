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

    /// The time of a record whose server's zone has this number in `facts`.
    @inline(__always)
    mutating func time(of fields: borrowing RowFields, zone number: Int, _ facts: borrowing RecordFacts) -> PackedTime {
        let key = fields.isUTC ? -2 : number
        let clock = fields.clock
        let isPoor = fields.poorTime != nil
        if clock &- minute >= 60_000 || clock < minute || key != zone || isPoor { resolve(fields, key, facts) }
        return PackedTime(clock: clock, lowBits: lowBits, offset: offset)
    }

    @inline(never)
    private mutating func resolve(_ fields: borrowing RowFields, _ key: Int, _ facts: borrowing RecordFacts) {
        minute = fields.clock.flooredQuotient(by: 60_000) * 60_000
        zone = key
        offset = 0
        if let poor = fields.poorTime {
            quality = poor
            // Not to be used for the next record.
            zone = -1
        } else if fields.isUTC {
            quality = .exact
        } else if let rules = facts.serverZones[key] {
            let time = rules.resolve(clock: fields.clock)
            quality = time.quality
            offset = time.offset
        } else {
            quality = .local
        }
        lowBits = PackedTime.lowBits(offset: offset, quality: quality)
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

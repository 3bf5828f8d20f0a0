/// The part of a plain file in which all rows of a window stand.
struct FileSection {
    /// Bytes.
    private(set) var start: Int64 = 0
    private(set) var end: Int64

    /// Samples of a file: enough that a clock set back by an hour shows in the log of a day.
    private static let samples: Int64 = 64
    /// Smaller files are read as a whole.
    static let minimumBytes: Int64 = 4 << 20
    /// Milliseconds by which rows may be out of order.
    private static let margin: Int64 = 60_000

    /// Looks at rows here and there, and leaves out what lies before and behind the window.
    ///
    /// That takes for granted that times grow, so nothing is left out where a sample is older than one before it: the
    /// clock was set back, or the file is several in one.
    init(path: String, size: Int64, window: TimeWindow, zone: TimeZoneRules?, minimumBytes: Int64 = minimumBytes) {
        end = size
        guard size >= minimumBytes, !window.isAll, !window.isTimeOfDay,
            let file = try? PlainFile(path: path)
        else { return }
        var rows: [(clock: Int64, place: Int64)] = []
        var hasUTC = false
        for number in 0..<Self.samples {
            guard let (row, place) = FileTimes.first(in: file, at: size / Self.samples * number) else { continue }
            guard place > rows.last?.place ?? -1 else { continue }
            hasUTC = hasUTC || row.isUTC
            rows.append((row.clock, place))
        }
        guard zip(rows, rows.dropFirst()).allSatisfy({ $0.clock <= $1.clock + ServerActivity.tolerance }) else {
            return
        }
        let zone = hasUTC ? TimeZoneRules.utc : zone
        if let lower = window.clockLowerBound(zone: zone) {
            // Above the first row is nothing worth leaving out, and a mark that is no line.
            start = rows.dropFirst().last { $0.clock < lower - Self.margin }?.place ?? 0
        }
        if let upper = window.clockUpperBound(zone: zone) {
            end = rows.first { $0.clock > upper + Self.margin }?.place ?? size
        }
        start = min(start, end)
    }
}

extension TimeWindow {
    /// The clock reading behind which no row of a file is in the window; see ``clockLowerBound(zone:)``.
    func clockUpperBound(zone: TimeZoneRules?) -> Int64? {
        guard let upper, !isTimeOfDay else { return nil }
        let end: Int64
        if upper.scale == .clock {
            end = upper.value
        } else {
            guard let zone else { return nil }
            end = upper.value + Int64(zone.offset(at: upper.value)) * 1000
        }
        // The clock may be set back once more after it read this.
        return end + ClockSteps.greatest(from: end - ClockSteps.longest, to: end + ClockSteps.longest, zone: zone)
    }
}

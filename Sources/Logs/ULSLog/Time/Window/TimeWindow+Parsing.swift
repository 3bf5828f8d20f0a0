extension TimeWindow {
    /// How far a window reaches to both sides of `--around` if nothing is said, in milliseconds.
    static let defaultReach: Int64 = 5 * 60_000

    /// The window that `--since TIME`, `--until TIME` and `--around TIME[±DURATION]` ask for.
    ///
    /// Both ends are included, the end with all that it leaves open: `--until 10:42` includes 10:42:59.99.
    public init(since: String? = nil, until: String? = nil, around: String? = nil) throws(TimeWindowError) {
        guard let around else {
            try self.init(since: since, until: until)
            return
        }
        guard since == nil, until == nil else {
            throw TimeWindowError(
                code: .conflict,
                message: "--around excludes --since and --until: give --around '2011-09-26T10:39±5m' alone"
            )
        }
        try self.init(around: around)
    }

    private init(since: String?, until: String?) throws(TimeWindowError) {
        let first = try since.map { text throws(TimeWindowError) in try TimeText(text) }
        let last = try until.map { text throws(TimeWindowError) in try TimeText(text) }
        if let first, let last, (first.scale == .timeOfDay) != (last.scale == .timeOfDay) {
            throw TimeWindowError(
                code: .needsDate,
                message: "of --since '\(since ?? "")' and --until '\(until ?? "")' one has a date: give both one, like"
                    + " 2011-09-26T10:39, or none"
            )
        }
        if let first, let last, first.scale == last.scale, first.scale != .timeOfDay, first.value > last.end {
            throw TimeWindowError(
                code: .reversed,
                message: "--since '\(since ?? "")' is after --until '\(until ?? "")': give the earlier one to --since"
            )
        }
        self.init(
            lower: first.map { Bound(scale: $0.scale, value: $0.value) },
            upper: last.map { Bound(scale: $0.scale, value: $0.end) }
        )
    }

    private init(around text: String) throws(TimeWindowError) {
        var center = text[...]
        var reach = Self.defaultReach
        for sign in ["±", "+/-", "+-"] {
            guard let place = Self.range(of: sign, in: text) else { continue }
            center = text[..<place.lowerBound]
            reach = try DurationText.parse(text[place.upperBound...].drop { $0 == " " })
            break
        }
        let time = try TimeText(center)
        guard time.precision < CivilDate.dayLength else {
            throw TimeWindowError(
                code: .needsTimeOfDay,
                message:
                    "'\(center)' is a whole day: give a time to --around, like 2011-09-26T10:39, or the day to both"
                    + " --since and --until"
            )
        }
        var (start, end) = (time.value - reach, time.end + reach)
        if time.scale == .timeOfDay {
            guard end - start < CivilDate.dayLength - 1 else {
                throw TimeWindowError(
                    code: .needsDate,
                    message: "'\(text)' is every time of the day: give a date, like 2011-09-26T10:39±2d"
                )
            }
            start = start.flooredRemainder(by: CivilDate.dayLength)
            end = end.flooredRemainder(by: CivilDate.dayLength)
        }
        self.init(lower: Bound(scale: time.scale, value: start), upper: Bound(scale: time.scale, value: end))
    }

    private static func range(of sign: String, in text: String) -> Range<String.Index>? {
        let wanted = Array(sign.utf8)
        var start = text.utf8.startIndex
        while start < text.utf8.endIndex {
            if text.utf8[start...].starts(with: wanted) {
                return start..<text.utf8.index(start, offsetBy: wanted.count)
            }
            text.utf8.formIndex(after: &start)
        }
        return nil
    }
}

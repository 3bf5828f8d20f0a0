/// A time as somebody typed it.
struct TimeText: Equatable {
    /// What a time is compared with.
    enum Scale: Equatable {
        /// The clock reading of a row.
        case clock
        /// The instant of a row.
        case instant
        /// The time of day of a row's clock reading.
        case timeOfDay
    }

    var scale: Scale
    /// Milliseconds: since 1970, or since midnight for ``Scale/timeOfDay``.
    var value: Int64
    /// How many milliseconds the text leaves open: a day, a minute, a second, or a part of one.
    var precision: Int64

    /// The last millisecond that the text may mean.
    var end: Int64 { value + precision - 1 }

    static let example = "write it like 2011-09-26T10:39:40, 2011-09-26T10:39Z, 09/26/2011 10:39:40.52 or 10:39"

    /// Reads a date, a time of day or both; both and a date may be followed by `Z` or an offset from UTC.
    init(_ text: some StringProtocol) throws(TimeWindowError) {
        var reader = TimeReader(text)
        let date = try reader.date()
        let hasTime = date == nil || reader.separates()
        let time = hasTime ? reader.timeOfDay() : nil
        guard !hasTime || time != nil else { throw reader.malformed("is no time") }
        let offset = try reader.utcOffset()
        guard reader.isAtEnd else { throw reader.malformed("is no time") }
        precision = time?.precision ?? CivilDate.dayLength
        let milliseconds = (date?.days ?? 0) * CivilDate.dayLength + (time?.value ?? 0)
        guard date != nil || offset == nil else {
            throw TimeWindowError(
                code: .needsDate,
                message: "'\(text)' has an offset from UTC but no date: write it like 2011-09-26T10:39Z"
            )
        }
        scale = date == nil ? .timeOfDay : offset == nil ? .clock : .instant
        value = milliseconds - Int64(offset ?? 0) * 1000
    }
}

/// How a zone's clocks change every year, as POSIX writes it in `TZ`: `CET-1CEST,M3.5.0,M10.5.0/3`.
struct YearlyRule: Hashable {
    /// When in a year clocks change.
    struct Change: Hashable {
        /// The day of the change.
        enum Day: Hashable {
            /// `Jn`: from 1 to 365; 29 February does not count.
            case withoutLeapDay(Int64)
            /// `n`: from 0 to 365.
            case withLeapDay(Int64)
            /// `Mm.w.d`: the weekday, from Sunday = 0, in the week from 1 to 5 of the month; 5 is the last one.
            case weekday(Int64, week: Int64, month: Int)
        }

        var day: Day
        /// Seconds since midnight of the clock that is in force before the change; negative, or days away, at times.
        var time: Int64
    }

    /// The time with another offset.
    struct Summer: Hashable {
        var offset: Int32
        var start: Change
        var end: Change
    }

    /// Seconds ahead of UTC, in standard time.
    var offset: Int32
    /// Ireland has its standard time in summer: what is called summer here may come in winter, and be behind.
    var summer: Summer?

    /// The time between two changes that holds an instant.
    func stretch(at instant: Int64) -> TimeZoneRules.Stretch {
        guard let summer else { return TimeZoneRules.Stretch(start: .min, end: .max, offset: offset) }
        let year = CivilDate(days: instant.flooredQuotient(by: 86_400)).year
        var changes: [(instant: Int64, order: Int64, offset: Int32)] = []
        // A change may be a week beyond its year, so the two years at each side count.
        for year in year - 2...year + 2 {
            changes.append((summer.start.seconds(in: year) - Int64(offset), 2 * year, summer.offset))
            changes.append((summer.end.seconds(in: year) - Int64(summer.offset), 2 * year + 1, offset))
        }
        // Summer all year is written as an end and a start at one instant: the later year's start holds.
        changes.sort { ($0.instant, $0.order) < ($1.instant, $1.order) }
        var stretch = TimeZoneRules.Stretch(start: .min, end: .max, offset: offset)
        for change in changes {
            if change.instant > instant {
                stretch.end = change.instant
                break
            }
            stretch.start = change.instant
            stretch.offset = change.offset
        }
        return stretch
    }
}

extension YearlyRule.Change {
    /// Seconds from 1970-01-01T00:00:00 to the change, on the clock that is in force before it.
    func seconds(in year: Int64) -> Int64 {
        let newYear = Self.days(year, 1)
        let days: Int64
        switch day {
        case .withoutLeapDay(let number): days = newYear + number - (CivilDate.isLeap(year) && number >= 60 ? 0 : 1)
        case .withLeapDay(let number): days = newYear + number
        case .weekday(let weekday, let week, let month):
            let first = Self.days(year, month)
            // 1970-01-01 was a Thursday.
            let ahead = (weekday - first - 4).flooredRemainder(by: 7)
            let length = Int64(CivilDate.days(inMonth: month, of: year))
            let offset = ahead + (week - 1) * 7
            days = first + (offset < length ? offset : offset - 7)
        }
        return days * 86_400 + time
    }

    /// The first day of a month.
    private static func days(_ year: Int64, _ month: Int) -> Int64 {
        CivilDate(year: year, month: month, day: 1)?.days ?? 0
    }
}

import TextKit
package import TimeZones

/// The times at which a schedule runs, written as the five fields of cron, a word such as `@daily`, or `on-demand` for
/// no times.
///
/// The fields are the same as in Vixie's cron: minute, hour, day of the month, month and day of the week, each `*`, or
/// a list of numbers, names and ranges, with steps. If neither of the two day fields begins with `*`, a day must match
/// at least one of them; otherwise, it must match both.
package struct CronExpression: Hashable, Sendable, CustomStringConvertible {
    /// The expression as written.
    package let description: String
    /// The fields; `nil` for `on-demand`.
    private let fields: Fields?

    /// Whether the schedule runs only on request.
    package var isOnDemand: Bool { fields == nil }

    /// The defect of an expression, and its column, starting at 1.
    package struct Defect: Error, Hashable {
        package var message: String
        package var advice: String
        package var column: Int
    }

    /// The expressions to which the words are equivalent.
    private static let words = [
        "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
        "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
    ]

    /// Reads an expression; an expression that never matches a day is refused.
    package init(_ text: String) throws(Defect) {
        description = text
        let word = text.lowercased()
        if word == "on-demand" {
            fields = nil
            return
        }
        guard !word.hasPrefix("@") || Self.words[word] != nil else {
            throw Defect(
                message: "'\(text)' is not a known keyword",
                advice: "write @hourly, @daily, @weekly, @monthly, @yearly or on-demand, or five fields",
                column: 1
            )
        }
        let fields = try Fields(Self.words[word] ?? text)
        guard fields.reading(from: 0) != nil else {
            throw Defect(message: "no year has such a day", advice: "correct the day or the month", column: 1)
        }
        self.fields = fields
    }

    // MARK: Times

    /// Returns the first instant after a given instant at which the schedule is due, in seconds since 1970; `nil` if
    /// there is none.
    ///
    /// An expression with `*` for the hour follows the local clock: it is due again in a repeated hour, and not due in
    /// a skipped hour. Any other expression is due once for each matching local time: if a local time occurs twice, the
    /// schedule is due the first time, and if it is skipped, the schedule is due as soon as the clock has passed it.
    package func next(after instant: Int64, in zone: TimeZoneRules) -> Int64? {
        guard let fields, abs(instant) < Self.farthest else { return nil }
        return fields.isHourly
            ? Self.nextShown(after: instant, fields, zone) : Self.nextReached(after: instant, fields, zone)
    }

    /// Returns the next times; there may be fewer than requested.
    package func times(_ count: Int, after instant: Int64, in zone: TimeZoneRules) -> [Int64] {
        var (times, last): ([Int64], Int64) = ([], instant)
        while times.count < count, let next = next(after: last, in: zone) {
            times.append(next)
            last = next
        }
        return times
    }

    /// The end of the years for which times are computed, in seconds since 1970.
    private static let farthest: Int64 = 1 << 40

    /// Returns the first instant after a given instant at which the local clock shows a matching minute.
    private static func nextShown(after instant: Int64, _ fields: Fields, _ zone: TimeZoneRules) -> Int64? {
        var earliest = instant + 1
        while true {
            let stretch = zone.stretch(at: earliest)
            let clock = earliest + Int64(stretch.offset)
            guard let reading = fields.reading(from: clock) else { return nil }
            let found = reading - Int64(stretch.offset)
            if found < stretch.end { return found }
            guard stretch.end < farthest else { return nil }
            earliest = stretch.end
        }
    }

    /// Returns the first instant after a given instant at which the local clock reaches a matching minute for the first
    /// time.
    private static func nextReached(after instant: Int64, _ fields: Fields, _ zone: TimeZoneRules) -> Int64? {
        // All local times up to the present one have already been reached.
        var clock = instant + Int64(zone.stretch(at: instant).offset) + 1
        while let reading = fields.reading(from: clock) {
            let (first, _, kind) = zone.offsets(ofClock: reading * 1000)
            var reached = reading - Int64(first)
            if kind == .skipped { reached = zone.stretch(at: reached).start }
            if reached > instant { return reached }
            clock = reading + 1
        }
        return nil
    }
}

// MARK: - Fields

extension CronExpression {
    /// The sets of numbers that match each field, as bits.
    fileprivate struct Fields: Hashable {
        private var minutes: UInt64
        private var hours: UInt64
        private var days: UInt64
        private var months: UInt64
        private var weekdays: UInt64
        /// Whether a day must match both day fields.
        private var needsBothDays: Bool
        /// Whether the hour field is `*`.
        let isHourly: Bool

        init(_ text: String) throws(Defect) {
            var words: [(text: String, column: Int)] = []
            var column = 1
            for part in text.split(separator: " ", omittingEmptySubsequences: false) {
                if !part.isEmpty { words.append((String(part), column)) }
                column += part.count + 1
            }
            guard words.count == 5 else {
                let advice =
                    words.count == 6 || words.count == 7
                    ? "leave out the seconds and the year, which cron does not support"
                    : "write minute, hour, day of the month, month and day of the week: 0 3 * * *"
                throw Defect(
                    message: "there are \(words.count) fields instead of 5",
                    advice: advice,
                    column: words.count > 5 ? words[5].column : 1
                )
            }
            minutes = try Field.minute.values(words[0])
            hours = try Field.hour.values(words[1])
            days = try Field.day.values(words[2])
            months = try Field.month.values(words[3])
            let written = try Field.weekday.values(words[4])
            // Sunday may be written as 0 or 7.
            weekdays = (written | written >> 7) & 0x7F
            needsBothDays = words[2].text.hasPrefix("*") || words[4].text.hasPrefix("*")
            isHourly = words[1].text == "*"
        }

        /// Returns the first matching local time that is not before a given local time, in seconds since 1970 on the
        /// local clock; `nil` if there is none within 400 years, after which the calendar repeats.
        func reading(from clock: Int64) -> Int64? {
            // A minute that has already begun does not match.
            let minute = -(-clock).flooredQuotient(by: 60)
            let (today, now) = (minute.flooredQuotient(by: 1440), minute.flooredRemainder(by: 1440))
            if contains(CivilDate(days: today)), let found = time(from: Int(now)) {
                return (today * 1440 + Int64(found)) * 60
            }
            guard let first = time(from: 0) else { return nil }
            var day = CivilDate(days: today + 1)
            let lastYear = day.year + 400
            while day.year <= lastYear {
                if !months.has(day.month) {
                    let isLast = day.month == 12
                    day = CivilDate(
                        days: CivilDate.days(
                            year: day.year + (isLast ? 1 : 0),
                            month: isLast ? 1 : day.month + 1,
                            day: 1
                        )
                    )
                } else if contains(day) {
                    return (day.days * 1440 + Int64(first)) * 60
                } else {
                    day = CivilDate(days: day.days + 1)
                }
            }
            return nil
        }

        private func contains(_ date: CivilDate) -> Bool {
            guard months.has(date.month) else { return false }
            let (isDay, isWeekday) = (days.has(date.day), weekdays.has(date.weekday))
            return needsBothDays ? isDay && isWeekday : isDay || isWeekday
        }

        /// Returns the first matching minute of a day that is not before a given minute.
        private func time(from minute: Int) -> Int? {
            for hour in minute / 60..<24 where hours.has(hour) {
                let rest = minutes >> UInt64(hour == minute / 60 ? minute % 60 : 0)
                if rest != 0 {
                    return hour * 60 + rest.trailingZeroBitCount + (hour == minute / 60 ? minute % 60 : 0)
                }
            }
            return nil
        }
    }

    /// The grammar of a field.
    private struct Field {
        let name: String
        let range: ClosedRange<Int>
        var names: [String] = []

        static let minute = Field(name: "minute", range: 0...59)
        static let hour = Field(name: "hour", range: 0...23)
        static let day = Field(name: "day of the month", range: 1...31)
        static let month = Field(
            name: "month",
            range: 1...12,
            names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        )
        static let weekday = Field(
            name: "day of the week",
            range: 0...7,
            names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
        )

        /// Returns the set of numbers that match a field.
        func values(_ word: (text: String, column: Int)) throws(Defect) -> UInt64 {
            var set: UInt64 = 0
            var column = word.column
            for item in word.text.split(separator: ",", omittingEmptySubsequences: false) {
                set |= try values(item, column)
                column += item.count + 1
            }
            return set
        }

        /// Reads `*`, `5`, `mon-fri`, and the last two forms of `*/10` and `0-30/10`.
        private func values(_ item: Substring, _ column: Int) throws(Defect) -> UInt64 {
            let parts = item.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            let bounds = parts[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
            let chosen: ClosedRange<Int>
            if parts[0] == "*" {
                // Without this, a step would count Sunday twice.
                chosen = names.count == 7 ? 0...6 : range
            } else {
                let first = try number(bounds[0], column)
                var last = first
                if bounds.count == 2 {
                    last = try number(bounds[1], column + bounds[0].count + 1)
                    // A range may end with Sunday.
                    if names.count == 7, last == 0, first > 0 { last = 7 }
                }
                guard first <= last else {
                    throw Defect(
                        message: "the range \(parts[0]) of the \(name) ends before it begins",
                        advice: "write two ranges, separated by a comma",
                        column: column
                    )
                }
                chosen = first...last
            }
            guard parts.count == 2 else { return chosen.reduce(0) { $0 | 1 << UInt64($1) } }
            let stepColumn = column + parts[0].count + 1
            guard parts[0] == "*" || bounds.count == 2 else {
                throw Defect(
                    message: "the step of \(parts[0]) in the \(name) has no range",
                    advice: "write \(parts[0])-\(range.upperBound)/\(parts[1]), or only \(parts[0])",
                    column: stepColumn
                )
            }
            guard let step = Int(digits: parts[1]), range.contains(step), step > 0 else {
                throw Defect(
                    message: "'\(parts[1])' is not a step of the \(name)",
                    advice: "write a number from 1 to \(range.upperBound)",
                    column: stepColumn
                )
            }
            let numbers = stride(from: chosen.lowerBound, through: chosen.upperBound, by: step)
            return numbers.reduce(0) { $0 | 1 << UInt64($1) }
        }

        private func number(_ text: Substring, _ column: Int) throws(Defect) -> Int {
            if let index = names.firstIndex(of: text.lowercased()) { return range.lowerBound + index }
            guard let number = Int(digits: text), range.contains(number) else {
                let words = names.isEmpty ? "" : ", or \(names.joined(separator: ", "))"
                throw Defect(
                    message: "'\(text)' is not valid as the \(name)",
                    advice: "write a number from \(range.lowerBound) to \(range.upperBound)\(words)",
                    column: column
                )
            }
            return number
        }
    }
}

extension Int {
    /// Reads at most two digits, without a sign.
    fileprivate init?(digits text: Substring) {
        guard (1...2).contains(text.utf8.count), text.utf8.allSatisfy(\.isDigit) else { return nil }
        self.init(text)
    }
}

extension UInt64 {
    fileprivate func has(_ bit: Int) -> Bool { self >> UInt64(bit) & 1 == 1 }
}

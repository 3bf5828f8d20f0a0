/// What is going to be read, in which order, and what is left out.
struct LogPlan {
    /// One for each source, in reading order.
    private(set) var sources: [LogSource] = []
    /// What is known of each source before it is read.
    private(set) var reports: [SourceReport] = []
    /// The items of each source.
    private(set) var items: [[WorkItem]] = []
    /// How many bytes of each source stand above the part that is read; their lines are counted when they are needed.
    private(set) var skippedBytes: [Int64] = []
    /// What was passed over among the inputs, for a person.
    private(set) var notes: [String] = []
    private let window: TimeWindow
    let zones: ServerZones
    private let sizes: ReadingSizes

    init(_ reader: LogReader) throws {
        window = reader.window
        zones = reader.zones
        sizes = reader.sizes
        let inputs = LogInputs(reader.inputs, encoding: reader.encoding)
        if let problem = inputs.problems.first(where: { reader.inputs.contains($0.source) || $0.source == "-" })
            ?? (inputs.sources.isEmpty ? inputs.problems.first : nil)
        {
            throw LogError(code: .cannotOpen, message: problem.message, advice: problem.advice)
        }
        notes = inputs.notes.map(\.description)
        var found = inputs.sources
        if let text = reader.text { found.append(LogSource(text, encoding: reader.encoding)) }
        for index in found.indices where found[index].nominalStart == nil {
            found[index].nominalStart = FileTimes.first(of: found[index])?.clock
        }
        sources = LogSource.inReadingOrder(found)
        plan()
        for problem in inputs.problems {
            var report = SourceReport(name: problem.source)
            report.notes = [problem.description]
            report.isIncomplete = true
            reports.append(report)
            items.append([])
            skippedBytes.append(0)
        }
    }

    /// No row of a source behind this one is older, as far as starts are known: milliseconds; `.min` if they are not.
    func horizon(behind source: Int) -> Int64 {
        // Sorted by start: the next one is the oldest.
        guard let next = sources.dropFirst(source + 1).first else { return .max }
        guard let start = next.nominalStart else { return .min }
        // Zones differ by a day at most.
        return start - (zones == ServerZones() ? 0 : CivilDate.dayLength)
    }

    private mutating func plan() {
        for (number, source) in sources.enumerated() {
            var report = SourceReport(name: source.name, server: source.server)
            var skipped: Int64 = 0
            if isOutside(number) {
                report.isSkipped = true
                report.firstTime = source.nominalStart.map { LogTime(clock: $0, quality: .local) }
                items.append([])
            } else if case .file(let path, let size) = source.kind, FileTimes.isNative(source, sizes) {
                let section = FileSection(
                    path: path,
                    size: size,
                    window: window,
                    zone: zones.zone(for: source.server),
                    minimumBytes: sizes.minimumSectionedBytes
                )
                skipped = section.start
                items.append(parts(of: source, number, path, size, section))
            } else {
                items.append([.stream(source, number: number)])
            }
            reports.append(report)
            skippedBytes.append(skipped)
        }
    }

    /// Whether the name says that no row of a source can be in the window.
    private func isOutside(_ number: Int) -> Bool {
        guard !window.isAll, let server = sources[number].server, let start = sources[number].nominalStart else {
            // A first row does not tell: a file may be several in one.
            return false
        }
        let next = sources[(number + 1)...].first { $0.server == server && $0.nominalStart != start }?.nominalStart
        return !window.mayOverlap(clockFrom: start, clockTo: next, zone: zones.zone(for: server))
    }

    private func parts(
        of source: LogSource,
        _ number: Int,
        _ path: String,
        _ size: Int64,
        _ section: FileSection
    ) -> [WorkItem] {
        let text = LogText(source: number, name: source.name, server: source.server)
        var ranges: [(start: Int64, end: Int64)] = []
        var start = section.start
        repeat {
            // Units end at multiples, wherever the section begins.
            let end = min((start / sizes.unitBytes + 1) * sizes.unitBytes, section.end)
            ranges.append((start, end))
            start = end
        } while start < section.end
        let file = PartedFile(path: path, parts: ranges.count)
        return ranges.map { start, end in
            .part(
                WorkItem.FilePart(
                    text: text,
                    file: file,
                    start: start,
                    end: end >= size ? .max : end,
                    fileEnd: size,
                    isFirst: start == 0,
                    isLast: end >= section.end
                )
            )
        }
    }
}

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
    fileprivate func clockUpperBound(zone: TimeZoneRules?) -> Int64? {
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

/// Looks at the beginning and the end of a plain file without reading what is between.
enum FileTimes {
    /// Bytes that are looked at for a row: more than most records have.
    private static let lookBytes = 64 << 10

    /// The start of the first row, if there is one in the first bytes of a plain file.
    static func first(of source: LogSource) -> RowStart? {
        guard case .file(let path, _) = source.kind, let file = try? PlainFile(path: path) else { return nil }
        return first(in: file, at: 0)?.row
    }

    /// The first row that begins at or behind a place in a file.
    static func first(in file: PlainFile, at place: Int64) -> (row: RowStart, place: Int64)? {
        let from = place == 0 ? file.textStart : place - 1
        guard let (bytes, count) = read(file, from) else { return nil }
        let window = ByteWindow(bytes.span)
        var rows = RowStartReader()
        var start = 0
        if place > 0 {
            while start < count, window[start] != 0x0A { start += 1 }
            start += 1
        }
        while start < count {
            if let row = rows.read(window, at: start, end: count) { return (row, from + Int64(start)) }
            while start < count, window[start] != 0x0A { start += 1 }
            start += 1
        }
        return nil
    }

    /// The start of the last row of a plain file.
    static func last(of source: LogSource) -> RowStart? {
        guard case .file(let path, let size) = source.kind, let file = try? PlainFile(path: path) else { return nil }
        let from = max(file.textStart, size - Int64(lookBytes))
        guard let (bytes, count) = read(file, from) else { return nil }
        let window = ByteWindow(bytes.span)
        var rows = RowStartReader()
        var end = count
        while end > 0 {
            var start = end - 1
            while start > 0, window[start - 1] != 0x0A { start -= 1 }
            if start > 0 || from == file.textStart, let row = rows.read(window, at: start, end: count) { return row }
            end = start
        }
        return nil
    }

    /// Whether a plain file is a native log, as far as its beginning tells.
    static func isNative(_ source: LogSource, _ sizes: ReadingSizes) -> Bool {
        for count in [min(lookBytes, sizes.sniffBytes), sizes.sniffBytes] {
            guard let head = try? source.peek(count) else { return false }
            if NativeText.isNative(head.span, isWhole: head.count < count) { return true }
            if head.count < count { return false }
        }
        return false
    }

    private static func read(_ file: PlainFile, _ place: Int64) -> (bytes: [UInt8], count: Int)? {
        var bytes = [UInt8](repeating: 0, count: lookBytes)
        guard let count = try? file.read(into: &bytes, at: place) else { return nil }
        for index in count..<bytes.count { bytes[index] = 0 }
        bytes.append(contentsOf: repeatElement(0, count: ByteWindow.slack))
        return (bytes, count)
    }
}

extension TimeWindow {
    /// How far the times of a file's rows may be from those in its name and its neighbour's, in milliseconds.
    ///
    /// A name has minutes only, and clocks are set.
    private static let nameMargin: Int64 = 10 * 60_000

    /// Whether a file may have rows in the window whose clock readings go from one to the other, as names of files say.
    ///
    /// False is certain, true is not.
    ///
    /// - Parameters:
    ///   - clockFrom: What the clock read when the file was begun, in milliseconds since 1970 on that clock.
    ///   - clockTo: What it read when the next file of this server was; nil if that is not known.
    ///   - zone: The server's zone, ``TimeZoneRules/utc`` for rows in UTC; nil if it is not known.
    /// - Returns: False if there are none for certain.
    public func mayOverlap(clockFrom: Int64, clockTo: Int64?, zone: TimeZoneRules?) -> Bool {
        let first = Self.bounded(min(clockFrom, clockTo ?? clockFrom))
        let last = clockTo.map { Self.bounded(max(clockFrom, $0)) }
        if isTimeOfDay {
            guard let last else { return true }
            let slack = ClockSteps.greatest(from: first, to: last, zone: zone) + Self.nameMargin
            return hours.touch(first - slack, last + slack)
        }
        return !isBehind(upper, first, last, zone) && !isBefore(lower, first, last, zone)
    }

    /// The clock reading before which no row of a file can be in the window, for finding its start by bisection.
    ///
    /// All rows behind a row of the window read at least this, also where the clock was set back for the end of summer
    /// time; so a search for the first row that reads it can't go past the window's start. Rows that different threads
    /// wrote at the same time may be some seconds out of order, which is the caller's to allow for.
    ///
    /// - Parameter zone: As for ``mayOverlap(clockFrom:clockTo:zone:)``.
    /// - Returns: Milliseconds since 1970 on the file's clock; nil when a file can't be bisected.
    public func clockLowerBound(zone: TimeZoneRules?) -> Int64? {
        guard let lower, !isTimeOfDay else { return nil }
        let start: Int64
        if lower.scale == .clock {
            start = lower.value
        } else {
            guard let zone else { return nil }
            start = lower.value + Int64(zone.offset(at: lower.value)) * 1000
        }
        return start - ClockSteps.greatest(from: start, to: start + ClockSteps.longest, zone: zone)
    }

    /// The window ends before the file begins.
    private func isBehind(_ upper: Bound?, _ first: Int64, _ last: Int64?, _ zone: TimeZoneRules?) -> Bool {
        guard let upper else { return false }
        if upper.scale == .instant {
            guard let zone else { return false }
            return upper.value < first - Int64(zone.offsets(ofClock: first).first) * 1000 - Self.nameMargin
        }
        let step = ClockSteps.greatest(from: first, to: last ?? first + 2 * CivilDate.dayLength, zone: zone)
        return upper.value < first - step - Self.nameMargin
    }

    /// The window begins after the file ends.
    private func isBefore(_ lower: Bound?, _ first: Int64, _ last: Int64?, _ zone: TimeZoneRules?) -> Bool {
        guard let lower, let last else { return false }
        if lower.scale == .instant {
            guard let zone else { return false }
            return lower.value > last - Int64(zone.offsets(ofClock: last).last) * 1000 + Self.nameMargin
        }
        return lower.value > last + ClockSteps.greatest(from: first, to: last, zone: zone) + Self.nameMargin
    }

    /// What a date can be; names of files say any number.
    private static func bounded(_ clock: Int64) -> Int64 {
        let limit = CivilDate.dayLength * 366 * 10_000
        return min(max(clock, -limit), limit)
    }
}

/// How far clocks are set back, which happens in one night of the year.
private enum ClockSteps {
    /// The furthest that clocks are set back for the end of summer time, in milliseconds.
    ///
    /// An hour, in all zones but that of the Troll station in Antarctica.
    static let longest: Int64 = 3_600_000
    /// A stretch of readings that is longer is not looked at, in milliseconds.
    static let reach: Int64 = CivilDate.dayLength
    /// When clocks are set back and what they read again: 2 or 3 o'clock in most zones, midnight in others.
    private static let nights = DayHours(start: 21 * 3_600_000, end: 5 * 3_600_000)

    /// The most that a clock may be set back while it reads one time or the other or one between.
    static func greatest(from: Int64, to: Int64, zone: TimeZoneRules?) -> Int64 {
        guard to - from <= reach else { return longest }
        guard let zone else { return nights.touch(from, to) ? longest : 0 }
        var greatest: Int64 = 0
        var stretch = zone.stretch(at: from / 1000 - TimeZoneRules.greatestOffset)
        while stretch.end <= to / 1000 + TimeZoneRules.greatestOffset {
            let next = zone.stretch(at: stretch.end)
            greatest = max(greatest, Int64(stretch.offset - next.offset) * 1000)
            stretch = next
        }
        return greatest
    }
}

import TextKit
import ULSPaste
public import ULSRows

/// A plan that determines which parts of the logs are read, and in which order.
struct ReadPlan {
    /// The sources in reading order.
    private(set) var sources: [LogSource] = []
    /// The reports by source, with the facts known before reading.
    private(set) var reports: [SourceReport] = []
    /// The work items by source.
    private(set) var items: [[WorkItem]] = []
    /// The number of bytes of each source above the part that is read; their lines are counted when needed.
    private(set) var skippedBytes: [Int64] = []
    /// Notes for the user on inputs that were skipped.
    private(set) var notes: [String] = []
    private let window: TimeWindow
    private let bisects: Bool
    let zones: ServerZones
    private let sizes: ReadingSizes

    init(_ reader: LogReader) throws {
        window = reader.window
        bisects = reader.bisects
        zones = reader.zones
        sizes = reader.sizes
        let logs = try reader.logs()
        notes = logs.notes.map(\.description)
        sources = logs.sources
        plan()
        for problem in logs.problems {
            var report = SourceReport(name: problem.source)
            report.notes = [problem.description]
            report.isIncomplete = true
            reports.append(report)
            items.append([])
            skippedBytes.append(0)
        }
    }

    /// Returns the time, in milliseconds, before which no later source has a row; `.min` if starts are unknown.
    func horizon(behind source: Int) -> Int64 {
        // The sources are sorted by start, so the next one is the oldest.
        guard let next = sources.dropFirst(source + 1).first else { return .max }
        guard let start = next.nominalStart else { return .min }
        // Zones are assumed to differ by at most a day.
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
            } else if case .file(let path, let size) = source.kind, source.isNative ?? isNative(path) {
                let section = section(of: source, path, size)
                skipped = section.start
                report.unreadBytes = Int(section.start + size - section.end)
                items.append(parts(of: source, number, path, size, section))
            } else {
                items.append([.stream(source, number: number)])
            }
            reports.append(report)
            skippedBytes.append(skipped)
        }
    }

    /// Returns whether the plain file at a path is a native log.
    private func isNative(_ path: String) -> Bool {
        guard let file = try? PlainFile(path: path) else { return false }
        return FileTimes.isNative(file, sizes.sniffBytes)
    }

    /// Returns the part of a plain file to read, which is the entire file unless the user requested bisection.
    private func section(of source: LogSource, _ path: String, _ size: Int64) -> FileSection {
        guard bisects else { return FileSection(size: size) }
        return FileSection(
            path: path,
            size: size,
            window: window,
            zone: zones.zone(for: source.server),
            minimumBytes: sizes.minimumSectionedBytes
        )
    }

    /// Returns whether a source's name shows that none of its rows are in the window.
    private func isOutside(_ number: Int) -> Bool {
        guard !window.isAll, let server = sources[number].server, let start = sources[number].nominalStart else {
            // The first row is not enough evidence, because several files may have been concatenated.
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
            // Units end at multiples of their size, wherever the section begins.
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

/// The part of a plain file to read: the entire file, or the window according to samples.
struct FileSection {
    /// The offsets in bytes.
    private(set) var start: Int64 = 0
    private(set) var end: Int64

    /// Creates a section that covers the entire file.
    init(size: Int64) { end = size }

    /// The number of samples per file: enough to reveal, in the log of one day, that the clock was set back by an hour.
    private static let samples: Int64 = 64
    /// The minimum size of a file to sample; smaller files are read completely.
    static let minimumBytes: Int64 = 4 << 20
    /// The number of milliseconds by which rows may be out of order.
    private static let margin: Int64 = 60_000

    /// Samples rows and leaves out the parts before and after the window.
    ///
    /// Samples prove nothing about the rows between them, so a row that is out of order may be left out. Nothing is
    /// left out if a sample is older than the previous one, because the clock was set back or several files were
    /// concatenated.
    init(path: String, size: Int64, window: TimeWindow, zone: TimeZoneRules?, minimumBytes: Int64 = minimumBytes) {
        self.init(size: size)
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
        guard zip(rows, rows.dropFirst()).allSatisfy({ $0.clock <= $1.clock + ServerTimeline.tolerance }) else {
            return
        }
        let zone = hasUTC ? TimeZoneRules.utc : zone
        if let lower = window.clockLowerBound(zone: zone) {
            // It is not worth leaving out anything above the first row, and the byte-order mark there is not a line.
            start = rows.dropFirst().last { $0.clock < lower - Self.margin }?.place ?? 0
        }
        if let upper = window.clockUpperBound(zone: zone) {
            end = rows.first { $0.clock > upper + Self.margin }?.place ?? size
        }
        start = min(start, end)
    }
}

extension TimeWindow {
    /// Returns the clock reading after which no row of a file is in the window; see ``clockLowerBound(zone:)``.
    fileprivate func clockUpperBound(zone: TimeZoneRules?) -> Int64? {
        guard let upper, !isTimeOfDay else { return nil }
        let end: Int64
        if upper.scale == .clock {
            end = upper.value
        } else {
            guard let zone else { return nil }
            end = upper.value + Int64(zone.offset(at: upper.value)) * 1000
        }
        // The clock may be set back again after this reading.
        return end + ClockSteps.greatest(from: end - ClockSteps.longest, to: end + ClockSteps.longest, zone: zone)
    }
}

/// The times at the beginning and the end of a plain file, found without reading the rest.
enum FileTimes {
    /// The number of bytes examined to find a row, which is more than the length of most records.
    private static let lookBytes = 64 << 10

    /// Returns the start of the first row, if the first bytes of a plain file contain one.
    static func first(of source: LogSource) -> RowStart? {
        guard case .file(let path, _) = source.kind, let file = try? PlainFile(path: path) else { return nil }
        return first(in: file, at: 0)?.row
    }

    /// Returns the first row that begins at or after a place in a file.
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

    /// Returns the start of the last row of a plain file.
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

    /// Returns whether a plain file is a native log, judging by its beginning.
    static func isNative(_ file: PlainFile, _ sniffBytes: Int) -> Bool {
        for count in [min(lookBytes, sniffBytes), sniffBytes] {
            var head = [UInt8](repeating: 0, count: count)
            guard let filled = try? file.read(into: &head, at: file.textStart) else { return false }
            if NativeText.isNative(head.span.extracting(first: filled), isWhole: filled < count) { return true }
            if filled < count { return false }
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
    /// The number of milliseconds by which the times of a file's rows may differ from those in its name and its
    /// neighbor's name.
    ///
    /// One hour: names give only minutes, and clocks may be adjusted.
    private static let nameMargin: Int64 = 60 * 60_000

    /// The margin for comparing a time relative to now with a name whose zone is unknown, because zones are at most 26
    /// hours apart.
    private static let zoneMargin: Int64 = 27 * 60 * 60_000

    /// Returns whether a file may have rows in the window, based on the clock readings in the file names.
    ///
    /// A result of false is certain, whereas true is not.
    ///
    /// - Parameters:
    ///   - clockFrom: The clock reading when the file was created, in milliseconds since 1970 on that clock.
    ///   - clockTo: The clock reading when the server's next file was created; nil if unknown.
    ///   - zone: The server's zone, `TimeZoneRules.utc` for rows in UTC; nil if unknown.
    /// - Returns: False if there are definitely none.
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

    /// Returns the clock reading before which no row of a file can be in the window, for finding the start of the
    /// window by bisection.
    ///
    /// All rows after a row in the window have at least this reading, even if the clock was set back at the end of
    /// daylight saving time, so a search for the first row with this reading can't miss the start of the window. Rows
    /// that different threads wrote at the same time may be a few seconds out of order; the caller must allow for this.
    ///
    /// - Parameter zone: As for ``mayOverlap(clockFrom:clockTo:zone:)``.
    /// - Returns: Milliseconds since 1970 on the file's clock; nil if a file can't be bisected.
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

    /// Returns whether the window ends before the file begins.
    private func isBehind(_ upper: Bound?, _ first: Int64, _ last: Int64?, _ zone: TimeZoneRules?) -> Bool {
        guard let upper else { return false }
        if upper.scale == .instant {
            guard let zone else { return upper.reading.map { $0 < first - Self.zoneMargin } ?? false }
            return upper.value < first - Int64(zone.offsets(ofClock: first).first) * 1000 - Self.nameMargin
        }
        let step = ClockSteps.greatest(from: first, to: last ?? first + 2 * CivilDate.dayLength, zone: zone)
        return upper.value < first - step - Self.nameMargin
    }

    /// Returns whether the window begins after the file ends.
    private func isBefore(_ lower: Bound?, _ first: Int64, _ last: Int64?, _ zone: TimeZoneRules?) -> Bool {
        guard let lower, let last else { return false }
        if lower.scale == .instant {
            guard let zone else { return lower.reading.map { $0 > last + Self.zoneMargin } ?? false }
            return lower.value > last - Int64(zone.offsets(ofClock: last).last) * 1000 + Self.nameMargin
        }
        return lower.value > last + ClockSteps.greatest(from: first, to: last, zone: zone) + Self.nameMargin
    }

    /// Limits a clock reading to the range of valid dates, because file names may contain any number.
    private static func bounded(_ clock: Int64) -> Int64 {
        let limit = CivilDate.dayLength * 366 * 10_000
        return min(max(clock, -limit), limit)
    }
}

/// The steps by which clocks are set back, in one night of each year.
private enum ClockSteps {
    /// The largest step by which clocks are set back at the end of daylight saving time, in milliseconds.
    ///
    /// This is one hour in all zones except at the Troll station in Antarctica.
    static let longest: Int64 = 3_600_000
    /// The longest range of readings that is examined, in milliseconds.
    static let reach: Int64 = CivilDate.dayLength
    /// The hours during which clocks are set back, or that are repeated: 2 or 3 o'clock in most zones, and midnight in
    /// others.
    private static let nights = DayHours(start: 21 * 3_600_000, end: 5 * 3_600_000)

    /// Returns the maximum number of milliseconds by which a clock may be set back at readings from `from` to `to`.
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

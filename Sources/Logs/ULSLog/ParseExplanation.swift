import TextKit
import ULSRows

extension LogReader {
    /// Returns an explanation of how the reader read a physical line, counted from 1, of its only input.
    public func explanation(ofLine line: Int) throws -> ParseExplanation {
        var reader = self
        reader.filter = EventFilter()
        reader.window = .all
        reader.jobs = 1
        // There must be only one unit, so that lines count from the beginning of the text.
        reader.sizes.unitBytes = .max
        let plan = try ReadPlan(reader)
        guard plan.sources.count == 1 else {
            throw LogError(
                code: .usage,
                message: "only a line of a single file can be explained; this matches \(plan.sources.count) files",
                advice: "name one file and one of its lines, as FILE:LINE"
            )
        }
        let zones = zones
        let queue = reader.start([plan.items[0]]) { ExplanationSink($0, line: line, zones: zones) }
        defer { queue.cancel() }
        var lines = 0
        do {
            while let output = try queue.next(lane: 0) {
                if let explanation = output.payload { return explanation }
                lines += output.end?.quality.lines ?? 0
            }
        } catch let failure as SourceFailure {
            throw LogError(code: .cannotRead, message: failure.reason)
        }
        guard line >= 1, line <= lines else {
            throw LogError(
                code: .usage,
                message:
                    "\(plan.sources[0].name) has \(Quantity(lines, "line", "lines")), so there is no line \(line)"
            )
        }
        return try StrayLine.explanation(of: plan.sources[0], line: line)
    }
}

/// A sink that waits for the record that contains a line, and explains how the record was read.
private struct ExplanationSink: UnitSink {
    private let text: LogText
    private let line: Int
    private var meanings: ColumnMeanings
    private var times = RecordTimes(window: .all)
    private var explanation: ParseExplanation?

    init(_ text: LogText, line: Int, zones: ServerZones) {
        self.text = text
        self.line = line
        meanings = ColumnMeanings(filter: RecordFilter(EventFilter()), server: text.server, zones: zones)
    }

    mutating func take(_ window: borrowing ByteWindow, _ fields: RowFields) {
        let first = fields.line + 1
        guard explanation == nil, (first..<first + fields.lineCount).contains(line) else { return }
        meanings.note(window, fields)
        let process = meanings.processes[fields.process]
        times.resolve(fields, server: process.server, meanings.serverZones[process.server])
        let time = times.logTime(clock: fields.clock)
        let event = ULSEvent(window, fields, time: time, server: meanings.server(of: fields), file: text.name)
        explanation = ParseExplanation(
            file: text.name,
            line: line,
            kind: Self.kind(fields, line: line),
            fields: Self.columns(window, fields),
            notes: Self.notes(window, fields, event),
            event: event
        )
    }

    mutating func drain() -> ParseExplanation?? { explanation.map { .some($0) } }

    consuming func finish(_ parser: borrowing RowParser) -> ParseExplanation? { explanation }

    private static func kind(_ fields: RowFields, line: Int) -> String {
        let first = fields.line + 1
        if line > first { return "line of the record that begins on line \(first)" }
        if fields.isInferred { return "row of a paste, its columns inferred" }
        return fields.isUTC ? "row, layout with TimestampUtc" : "row, native layout"
    }

    private static func columns(_ window: borrowing ByteWindow, _ fields: RowFields) -> [ParseExplanation.Field] {
        let ranges: [(String, Range<Int>)] = [
            ("time", fields.start..<fields.timeEnd),
            ("process", fields.timeEnd + 1..<fields.processEnd),
            ("thread", fields.processEnd + 1..<fields.threadEnd),
            ("area", fields.threadEnd + 1..<fields.areaEnd),
            ("category", fields.areaEnd + 1..<fields.categoryEnd),
            ("event ID", fields.categoryEnd + 1..<fields.eventEnd),
            ("level", fields.eventEnd + 1..<fields.levelEnd),
            ("message", fields.message),
            ("correlation", min(fields.messageEnd + 1, fields.end)..<fields.end),
        ]
        return ranges.map { name, range in
            let trimmed = window.trimmed(range)
            return ParseExplanation.Field(
                column: name,
                first: trimmed.lowerBound - fields.start + 1,
                last: trimmed.upperBound - fields.start,
                text: String(decoding: window.validText(trimmed), as: UTF8.self)
            )
        }
    }

    private static func notes(
        _ window: borrowing ByteWindow,
        _ fields: RowFields,
        _ event: borrowing ULSEvent
    ) -> [String] {
        var notes: [String] = []
        switch event.time.quality {
        case .exact: break
        case .local: notes.append("the time is local, in an unknown time zone; specify the zone with --tz")
        case .ambiguous: notes.append("the clock was set back: this time occurred twice")
        case .skipped: notes.append("the clock was set forward: this time does not exist in that zone")
        case .timeOnly: notes.append("the time has no date")
        case .none: notes.append("there is no time")
        }
        if fields.lineCount > 1 { notes.append("the record has \(fields.lineCount) physical lines") }
        if event[.area].isEmpty { notes.append("the area is empty") }
        if !event.level.isKnown { notes.append("the service does not write this level") }
        if !fields.hasCorrelation { notes.append("there is no correlation") }
        switch SplitMessage(window, fields) {
        case nil where fields.isMarked:
            notes.append("a * follows the time, but the message does not continue another")
        case nil: break
        case .trace(.opening):
            notes.append("an exception in rows of its time, thread and event ID continues it, if there is one")
        case .trace:
            notes.append("it is part of an exception: rows of its time, thread and event ID continue it, if they exist")
        case .head: notes.append("the message ends in three dots: it continues in other rows, if they exist")
        case .part(let isMarked, _):
            notes.append(
                isMarked
                    ? "a * and three dots: it continues the message of a row above"
                    : "three dots: it continues the message of a row above that ends in three dots, if there is one"
            )
        }
        return notes
    }
}

/// Explanations of lines that are not part of any record.
private enum StrayLine {
    static func explanation(of source: LogSource, line wanted: Int) throws -> ParseExplanation {
        let line = try text(of: source, line: wanted)
        var bytes = line
        bytes.append(contentsOf: repeatElement(0, count: ByteWindow.slack))
        let window = ByteWindow(bytes.span)
        let range = 0..<line.count
        var kind = "not understood"
        var notes: [String] = []
        var rows = RowStartReader()
        if window.isBlank(range) {
            kind = "blank line"
        } else if HeaderLine.isHeader(window, range) {
            kind = "header"
        } else if rows.read(window, at: 0, end: line.count) != nil {
            let tabs = line.count { $0 == 0x09 }
            notes.append("it begins with a time, but has \(tabs + 1) column\(tabs == 0 ? "" : "s") instead of 8 or 9")
        } else {
            notes.append("it does not begin with a time, and there is no row above that it could belong to")
        }
        return ParseExplanation(file: source.name, line: wanted, kind: kind, fields: [], notes: notes, event: nil)
    }

    private static func text(of source: LogSource, line wanted: Int) throws -> [UInt8] {
        do throws(LogSourceError) {
            var stream = try LogStream(source)
            var buffer = [UInt8](repeating: 0, count: 256 << 10)
            var number = 1
            var line: [UInt8] = []
            while try stream.nextText() != nil {
                while case let count = try stream.read(into: &buffer), count > 0 {
                    for byte in buffer[..<count] {
                        if byte == 0x0A {
                            if number == wanted { return line }
                            number += 1
                        } else if number == wanted, line.count < LogLimit.rowBytes.maximum {
                            line.append(byte)
                        }
                    }
                }
                if number == wanted { return line }
            }
            return line
        } catch {
            throw LogError(code: .cannotRead, message: error.message, advice: error.advice)
        }
    }
}

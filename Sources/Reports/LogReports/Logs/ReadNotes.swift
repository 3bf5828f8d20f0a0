import JSONText
package import ReportKit
import TextKit
package import ULSLog

/// Notes, for readers of the results, about how the logs were read: sentences for standard error.
package enum ReadNotes {
    /// Returns the sentences about files and quality, each on one line and safe to print; empty if there were no
    /// problems.
    ///
    /// Names the first `maximumFiles` files that have notes.
    package static func lines(
        files: [SourceReport],
        quality: ReadQuality,
        layout: TextLayout = TextLayout()
    ) -> [String] {
        (phrases(about: files) + phrases(about: quality)).map { $0.text(layout) }
    }

    package static let maximumFiles = 20

    static func phrases(about files: [SourceReport]) -> [Phrase] {
        let noted = files.filter { !$0.notes.isEmpty }
        var phrases = noted.prefix(maximumFiles).flatMap { file in
            file.notes.map { note in "\(untrusted: file.name): \(untrusted: note)" as Phrase }
        }
        if noted.count > maximumFiles {
            let rest = Quantity(grouped: noted.count - maximumFiles, "more file has", "more files have")
            phrases.append("\(rest) notes; -o json lists them all")
        }
        let incomplete = files.count(where: \.isIncomplete)
        if incomplete > 0 {
            phrases.append("\(Quantity(grouped: incomplete, "file was", "files were")) not read to the end")
        }
        let skipped = files.count(where: \.isSkipped)
        if skipped > 0 {
            let names = Quantity(
                grouped: skipped,
                "file was not opened, because its name shows that it is",
                "files were not opened, because their names show that they are"
            )
            phrases.append("\(names) outside the window")
        }
        let unread = files.filter { $0.unreadBytes > 0 }
        if !unread.isEmpty {
            let bytes = ShortByteCount(unread.reduce(0) { $0 + $1.unreadBytes })
            let places = Quantity(grouped: unread.count, "file", "files")
            phrases.append(
                """
                \(bytes) in \(places) were not read (--bisect): according to samples, they are outside the window, but \
                they may contain rows in the window that are out of order
                """
            )
        }
        return phrases
    }
}

extension ReadNotes {
    /// Returns the important facts about the read quality, in plain words, with advice.
    static func phrases(about quality: ReadQuality) -> [Phrase] {
        var phrases: [Phrase] = []
        if quality.notUnderstood > 0 {
            let lines = Quantity(grouped: quality.lines, "line", "lines")
            let verb = quality.notUnderstood == 1 ? "was" : "were"
            phrases.append(
                """
                \(Quantity(grouped: quality.notUnderstood)) of \(lines) \(verb) not understood: \
                fastctl logs --explain-parse FILE:LINE shows how a line is read
                """
            )
        }
        if quality.orphans > 0 {
            let messages = Quantity(grouped: quality.orphans, "message begins", "messages begin")
            phrases.append("\(messages) before the first row that was read; add the preceding file")
        }
        if quality.clockSteps > 0 {
            let places = Quantity(grouped: quality.clockSteps, "place", "places")
            phrases.append(
                "The clock goes backward in \(places); times near them are unreliable, but the order in each file is correct"
            )
        }
        if quality.inferred > 0 {
            let rows = Quantity(grouped: quality.inferred, "row has", "rows have")
            phrases.append(
                "\(rows) no columns; their fields were inferred and may be wrong; use the file rather than a paste"
            )
        }
        return phrases + quality.limits.map(phrase(about:))
    }

    private static func phrase(about reached: LimitReached) -> Phrase {
        let maximum = Quantity(grouped: reached.limit.maximum)
        let times = Quantity(grouped: reached.count)
        return switch reached.limit {
        case .rowBytes: "Rows longer than \(ShortByteCount(reached.limit.maximum)) (\(times)) were cut"
        case .messageBytes: "Messages longer than \(ShortByteCount(reached.limit.maximum)) (\(times)) were cut"
        case .openParts:
            "More than \(maximum) split messages were open at once, so \(times) were closed early; narrow the window"
        case .openCorrelations:
            "More than \(maximum) requests were open at once, so \(times) may be counted twice; narrow the window"
        case .columns:
            "There are more than \(maximum) kinds of events; \(times) are not distinguished; use --category or --level"
        case .processes: "There are more than \(maximum) processes; \(times) are not distinguished; use --server"
        case .scopes:
            "There are more than \(maximum) different scopes; \(times) are counted together; narrow the window"
        case .gaps: "Only \(maximum) gaps are listed, and \(times) more are not; raise --gap"
        case .contextRequests:
            "More than \(maximum) requests were open at once; for \(times), events near a hit may be missing; "
                + "narrow the window, or request fewer with -C"
        case .traceEvents: "A trace shows at most \(maximum) events; \(times) more are not shown; narrow the window"
        }
    }
}

extension JSONWriter {
    /// Writes the read quality.
    mutating func member(_ key: String, _ quality: ReadQuality) {
        object(key) { object in
            object.member("lines", quality.lines)
            object.member("records", quality.records)
            object.member("parts", quality.parts)
            object.member("continuations", quality.continuations)
            object.member("headers", quality.headers)
            object.member("blank", quality.blank)
            object.member("notUnderstood", quality.notUnderstood)
            object.member("orphans", quality.orphans)
            object.member("clockSteps", quality.clockSteps)
            object.member("inferred", quality.inferred)
            object.array("limits") { limits in
                for reached in quality.limits {
                    limits.object { limit in
                        limit.member("limit", reached.limit.rawValue)
                        limit.member("count", reached.count)
                        limit.member("maximum", reached.limit.maximum)
                    }
                }
            }
        }
    }

    /// Writes the report on each file.
    mutating func member(_ key: String, _ files: [SourceReport]) {
        array(key) { array in
            for file in files {
                array.object { object in
                    object.member("name", file.name)
                    object.member("server", log: file.server)
                    object.member("bytes", file.bytes)
                    object.member("records", file.records)
                    object.member("firstTime", file.firstTime)
                    object.member("lastTime", file.lastTime)
                    object.member("skipped", file.isSkipped)
                    object.member("unreadBytes", file.unreadBytes)
                    object.member("incomplete", file.isIncomplete)
                    object.member("notes", file.notes.map { $0 })
                }
            }
        }
    }
}

/// The times that the logs of one server cover, and whether they are outside the window.
struct CoveragePhrase {
    let phrase: Phrase

    init(_ coverage: ServerCoverage, since: LogTime?, until: LogTime?) {
        let server: Phrase = coverage.server.map { "\(untrusted: $0)" } ?? "Logs of an unknown server"
        let files = Quantity(grouped: coverage.files, "file", "files")
        guard let first = coverage.firstTime, let last = coverage.lastTime,
            let from = first.iso8601, let latest = last.iso8601
        else {
            phrase = "\(server): times are unknown (\(files))"
            return
        }
        guard coverage.files > 0 else {
            let names = Quantity(grouped: coverage.unopened, "file begins", "files begin")
            let span = from == latest ? from : "\(from) to \(latest)"
            phrase = "\(server): nothing was read; by name, \(names) \(span)"
            return
        }
        // The date is repeated only if it is different.
        let isOneDay = first.isoDate == last.isoDate
        let span = from == latest ? from : "\(from) to \(isOneDay ? Self.clock(last) : latest)"
        var text: Phrase = "\(server): \(span) (\(files))"
        if let until, let late = first.milliseconds(since: until), late > 0 {
            text = text + "; the log begins at \(first.minute ?? "-"), after the window"
        } else if let since, let early = since.milliseconds(since: last), early > 0 {
            text = text + "; the log ends at \(last.minute ?? "-"), before the window"
        }
        phrase = text
    }

    private static func clock(_ time: LogTime) -> String {
        var bytes: [UInt8] = []
        time.appendTimeOfDay(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension ULSLevel {
    /// The style of the level: the worse the level, the more prominent the style; levels that are neither bad nor
    /// important have no style.
    var style: TerminalStyle {
        switch rank {
        case ..<3: .boldRed
        case 3: .boldMagenta
        case 4: .magenta
        case 5: .bold
        default: .plain
        }
    }
}

/// Shows how one line was read.
package enum ExplanationRenderer {
    package static func append(
        _ explanation: ParseExplanation,
        layout: TextLayout = TextLayout(),
        to bytes: inout [UInt8]
    ) {
        var page = Page()
        page.sentence("\(untrusted: "\(explanation.file):\(explanation.line)"): \(untrusted: explanation.kind)")
        var table = TextTable(columns: [
            .init(title: "COLUMN"), .init(title: "BYTES", alignment: .right), .init(title: "TEXT", minimum: 16),
        ])
        for field in explanation.fields {
            let bytes = field.last >= field.first ? "\(field.first)-\(field.last)" : "-"
            table.append([.untrusted(field.column), "\(bytes)", .untrusted(field.text.isEmpty ? nil : field.text)])
        }
        page.table(table)
        for note in explanation.notes { page.sentence("Note: \(untrusted: note)") }
        if let event = explanation.event {
            let lines =
                event.place.line == event.place.lineEnd
                ? "line \(event.place.line)" : "lines \(event.place.line) to \(event.place.lineEnd)"
            page.sentence("Its event is on \(lines), in \(Quantity(grouped: event.parts, "part", "parts")).")
        } else {
            page.sentence("It does not belong to an event.")
        }
        page.append(to: &bytes, layout)
    }
}

// MARK: Times

extension JSONWriter {
    /// Writes a time in ISO 8601; `null` if there is none.
    mutating func member(_ key: String, _ time: LogTime?) {
        member(key, time?.iso8601)
    }
}

extension LogTime {
    /// Returns the milliseconds since an earlier time; `nil` if the two times cannot be compared.
    func milliseconds(since earlier: LogTime) -> Int64? {
        guard quality != .none, earlier.quality != .none else { return nil }
        guard (quality == .timeOnly) == (earlier.quality == .timeOnly) else { return nil }
        let (distance, overflow) = instant.subtractingReportingOverflow(earlier.instant)
        return overflow ? nil : distance
    }
}

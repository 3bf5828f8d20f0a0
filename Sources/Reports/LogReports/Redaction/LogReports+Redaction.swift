import JSONText
package import LogDiagnosis
package import Redaction
import ReportKit
import TextKit
package import ULSLog

extension LogSummary: Maskable {
    package mutating func mask(by mask: inout Redactor) {
        mask(&files)
        mask(&gaps)
        mask(&scopes)
        mask(each: &areas) { area, mask in mask(&area.value) }
        mask(each: &categories) { category, mask in mask(&category.value) }
        mask(each: &eventIDs) { eventID, mask in mask(&eventID.value, of: .eventID) }
        mask(each: &levels) { level, mask in mask(&level.value, of: .level) }
        mask(each: &correlations) { correlation, mask in mask(&correlation.worstLevel) }
        mask(inputNotes: &notes)
        mask(&timeline)
    }
}

extension SlowReport: Maskable {
    package mutating func mask(by mask: inout Redactor) {
        mask(&files)
        mask(each: &slowest) { instance, mask in
            mask(&instance.server, as: .host)
            mask(file: &instance.place.file)
            mask(&instance.name)
        }
        mask(&requests)
        mask(&scopes)
        mask(inputNotes: &notes)
    }
}

extension ReadReport: Maskable {
    package mutating func mask(by mask: inout Redactor) {
        mask(each: &servers) { span, mask in
            mask.learn(writer: span.server)
            mask(&span.server, as: .host)
        }
        mask(&files)
        mask(each: &coverage) { coverage, mask in mask(&coverage.server, as: .host) }
        mask(&gaps)
        // Most reports contain none of these names, although there may be a thousand of them.
        activity = activity.renamingServers { mask.text($0) }
        mask(inputNotes: &notes)
        mask(&timeline)
    }
}

extension RequestTrace: Maskable {
    package mutating func mask(by mask: inout Redactor) {
        mask(&servers, as: .host)
        mask(&user, as: .user)
        mask(&name)
        site = site.map { mask.address($0) }
        mask(&events)
        mask(&roots)
    }
}

extension RequestTrace.Node: Maskable {
    package mutating func mask(by mask: inout Redactor) {
        guard case .scope(var scope) = self else { return }
        mask(&scope.name)
        mask(&scope.children)
        self = .scope(scope)
    }
}

extension ULSEvent: Maskable {
    package mutating func mask(by mask: inout Redactor) {
        mask(&server, as: .host)
        mask(file: &place.file)
        var text: [UInt8] = []
        // In pasted text, any of these columns may contain anything.
        for column in [Column.message, .process, .area, .category, .processID, .threadID, .eventID, .level]
        where !column.isOrdinary(self[column]) {
            text.removeAll(keepingCapacity: true)
            mask.append(self[column], to: &text)
            if !text.span.isEqual(to: self[column]) { replace(column, with: text.span) }
        }
    }

    /// Teaches the redactor the names recognized in the event.
    package func teach(_ redactor: inout Redactor?) {
        redactor?.reading { redactor in
            var copy = self
            copy.mask(by: &redactor)
        }
    }
}

extension SourceReport: Maskable {
    package mutating func mask(by mask: inout Redactor) {
        mask.learn(writer: server)
        mask(&server, as: .host)
        mask(file: &name)
        mask(&notes)
    }
}

extension LogTimeline: Maskable {
    package mutating func mask(by mask: inout Redactor) {
        mask(each: &lanes) { lane, mask in mask(&lane.server, as: .host) }
    }
}

extension LogSummary.Gap: Maskable {
    package mutating func mask(by mask: inout Redactor) { mask(&server, as: .host) }
}

extension ScopeDurations: Maskable {
    package mutating func mask(by mask: inout Redactor) { mask(&key) }
}

extension Redactor? {
    /// Returns an event in the form in which it is written: masked if there is a redactor, which first learns names
    /// from the event unless it has already done so.
    package mutating func masked(_ event: ULSEvent, isLearned: Bool) -> ULSEvent {
        if !isLearned { event.teach(&self) }
        var event = event
        self?(&event)
        return event
    }

    /// Returns a report, or a part of one, masked if there is a redactor.
    package mutating func masked<Part: Maskable>(_ part: Part) -> Part {
        self?.masking { part.redacted(by: &$0) } ?? part
    }
}

extension ULSEvent.Column {
    /// Returns whether a text has the form of the service's own values in the column, and therefore does not name
    /// anyone: `0x1A2B`, `8nca`, `High`; false for columns that hold names.
    fileprivate func isOrdinary(_ text: Span<UInt8>) -> Bool {
        switch self {
        case .processID, .threadID:
            let start = text.count > 2 && text[0] == UInt8(ascii: "0") && text[1] | 0x20 == UInt8(ascii: "x") ? 2 : 0
            return text.count - start <= 10 && (start..<text.count).allSatisfy { text[$0].isHexadecimal }
        case .eventID:
            return text.count <= 5 && text.indices.allSatisfy { text[$0].isLetterOrDigit }
                || text.count <= 10 && text.indices.allSatisfy { text[$0].isDigit }
        case .level: return text.isEmpty || Self.levels.contains { text.isEqual(to: $0.span) }
        default: return false
        }
    }

    private static let levels = ULSLevel.knownWords.map { Array($0.utf8) }
}

extension ULSLevel: Maskable {
    package mutating func mask(by mask: inout Redactor) {
        var text = word
        mask(&text, of: .level)
        if text != word { self = ULSLevel(text) }
    }
}

extension Redactor {
    /// Masks the text of a column, unless it has the form of the service's own values.
    mutating func callAsFunction(_ text: inout String, of column: ULSEvent.Column) {
        if !column.isOrdinary(text.utf8.span) { text = self.text(text) }
    }
}

extension Span<UInt8> {
    fileprivate func isEqual(to other: Span<UInt8>) -> Bool {
        count == other.count && indices.allSatisfy { self[$0] == other[$0] }
    }
}

extension RequestReport: Maskable {
    package mutating func mask(by mask: inout Redactor) {
        mask(&requests)
        mask(&read)
    }
}

extension LoggedRequest: Maskable {
    package mutating func mask(by mask: inout Redactor) {
        mask(&server, as: .host)
        mask(&user, as: .user)
        mask(&name)
        mask(&writer)
        mask(&level)
        guard var problem else { return }
        mask(&problem.server, as: .host)
        mask(&problem.eventID, of: .eventID)
        mask(&problem.text)
        mask(file: &problem.file)
        self.problem = problem
    }
}

extension LogComparison: Maskable {
    package mutating func mask(by mask: inout Redactor) {
        mask(&logs.a)
        mask(&logs.b)
        mask(each: &failures) { failure, mask in
            mask(&failure.eventID, of: .eventID)
            mask(&failure.template)
            if var growth = failure.growth {
                mask(&growth.server, as: .host)
                failure.growth = growth
            }
        }
        mask(each: &speeds) { speed, mask in mask(&speed.key) }
        mask(&missing.a, as: .host)
        mask(&missing.b, as: .host)
    }
}

extension LogPortrait: Maskable {
    /// Masks templates, in which a placeholder may replace the part by which a name is recognized, as in
    /// `Claim <account> was refused`, or which contain a name, as in `SQL01,#`.
    ///
    /// The rows of the kinds are known as well, so a name that occurs in them is also masked in other templates. A name
    /// that can be recognized only in other rows, or in none, can't be detected.
    package mutating func mask(by mask: inout Redactor) {
        if mask.isReading { mask(&sources) }
        sources = []
        mask(each: &kinds) { kind, mask in
            mask(&kind.eventID, of: .eventID)
            mask(&kind.level)
            mask(&kind.template)
            kind.servers = Dictionary(kind.servers.map { (mask.name($0.key, as: .host), $0.value) }) { $0 + $1 }
        }
        servers = Dictionary(
            servers.map { key, server in
                var server = server
                mask.learn(writer: server.name)
                mask(&server.name, as: .host)
                return (mask.name(key, as: .host), server)
            }
        ) { first, _ in first }
        mask(&gaps)
        durations = nil
    }
}

/// The sentence of a report about its redaction.
package enum RedactionNote {
    /// Returns the sentence, such as `Redacted: 214 values (12 users, 3 hosts, 2 secrets removed).`, followed by the
    /// parts that are missing.
    static func phrase(about summary: RedactionSummary) -> Phrase {
        guard summary.isApplied else {
            return "Not redacted (--no-redact): names, addresses and secrets are shown as in the logs."
        }
        let parts = counts(of: summary)
        let what = parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
        let full = summary.isFull ? " There were too many names to distinguish; some share a pseudonym." : ""
        let option = summary.values > 0 && summary.isOptional ? "; --no-redact shows them" : ""
        let missing = RedactionSummary.notLookedFor.joined(separator: "; ")
        return """
            Redacted: \(Quantity(grouped: summary.values, "value", "values"))\(what)\(option).\(full) \
            Not looked for: \(missing).
            """
    }

    /// Returns the number of masked values of each kind: `12 users`, `2 secrets removed`.
    static func counts(of summary: RedactionSummary) -> [String] {
        var parts = summary.names.map { count in
            let (one, several) = words(for: count.nameClass)
            return Quantity(grouped: count.names, one, several).description
        }
        if summary.secrets > 0 {
            parts.append("\(Quantity(grouped: summary.secrets, "secret", "secrets")) removed")
        }
        if summary.queryValues > 0 {
            parts.append("\(Quantity(grouped: summary.queryValues, "query value", "query values")) removed")
        }
        return parts
    }

    /// Returns the sentence for standard error, or for a format without a place for it.
    package static func line(about summary: RedactionSummary) -> String { phrase(about: summary).text(TextLayout()) }

    /// Appends a readable page with the note, which is placed before the page if nothing is masked, and otherwise after
    /// it.
    static func framing(
        _ summary: RedactionSummary?,
        _ layout: TextLayout,
        to bytes: inout [UInt8],
        _ page: (inout [UInt8]) throws -> Void
    ) rethrows {
        guard let summary else { return try page(&bytes) }
        if summary.isApplied {
            try page(&bytes)
            bytes.append(0x0A)
            phrase(about: summary).append(to: &bytes, layout)
            bytes.append(0x0A)
        } else {
            phrase(about: summary).append(to: &bytes, layout)
            bytes.append(text: "\n\n" as StaticString)
            try page(&bytes)
        }
    }

    /// Appends the note, if any, below a page in Markdown.
    static func appendMarkdown(_ summary: RedactionSummary?, to bytes: inout [UInt8]) {
        guard let summary else { return }
        bytes.append(0x0A)
        phrase(about: summary).appendMarkdown(to: &bytes)
        bytes.append(0x0A)
    }

    private static func words(for nameClass: NameClass) -> (one: String, several: String) {
        switch nameClass {
        case .user: ("user", "users")
        case .domain: ("domain", "domains")
        case .host: ("host", "hosts")
        case .ip: ("IP address", "IP addresses")
        case .mac: ("MAC address", "MAC addresses")
        case .sid: ("SID", "SIDs")
        case .path: ("path part", "path parts")
        }
    }
}

extension HTMLWriter {
    /// Writes the summary of masked values; writes nothing if the report shows everything by default.
    mutating func redaction(_ summary: RedactionSummary?) {
        if let summary { paragraph(RedactionNote.phrase(about: summary), class: "remark") }
    }
}

extension JSONWriter {
    /// Writes the summary of masked values; `null` if the report shows everything by default.
    mutating func member(_ key: String, _ redaction: RedactionSummary?) {
        guard let redaction else { return member(key, nil as String?) }
        object(key) { object in
            object.member("applied", redaction.isApplied)
            object.member("keyed", redaction.isKeyed)
            object.member("values", redaction.values)
            object.object("names") { names in
                for count in redaction.names { names.member(count.nameClass.rawValue, count.names) }
            }
            object.member("secrets", redaction.secrets)
            object.member("queryValues", redaction.queryValues)
            object.member("isAtLeast", redaction.isFull)
            object.member("notLookedFor", redaction.isApplied ? RedactionSummary.notLookedFor : [])
        }
    }
}

import JSONText
package import LogDiagnosis
package import Redaction
import ReportKit
import TextKit
package import ULSLog

extension LogSummary {
    /// Returns the summary with pseudonyms for names, and without secrets.
    package func redacted(by redactor: inout Redactor) -> LogSummary {
        redactor.reading { _ = masked(by: &$0) }
        return masked(by: &redactor)
    }

    private func masked(by redactor: inout Redactor) -> LogSummary {
        var summary = self
        summary.files = files.map { $0.masked(by: &redactor) }
        summary.gaps = gaps.map { $0.masked(by: &redactor) }
        summary.scopes = scopes.map { $0.masked(by: &redactor) }
        for index in areas.indices { summary.areas[index].value = redactor.text(areas[index].value) }
        for index in categories.indices { summary.categories[index].value = redactor.text(categories[index].value) }
        summary.notes = notes.map { redactor.text($0) }
        summary.timeline = timeline.masked(by: &redactor)
        return summary
    }
}

extension SlowReport {
    /// Returns the report with pseudonyms for names, and without secrets.
    package func redacted(by redactor: inout Redactor) -> SlowReport {
        redactor.reading { _ = masked(by: &$0) }
        return masked(by: &redactor)
    }

    private func masked(by redactor: inout Redactor) -> SlowReport {
        var report = self
        report.files = files.map { $0.masked(by: &redactor) }
        report.slowest = slowest.map { instance in
            var instance = instance
            instance.server = instance.server.map { redactor.name($0, as: .host) }
            instance.place.file = redactor.path(instance.place.file)
            instance.name = redactor.text(instance.name)
            return instance
        }
        report.requests = requests.map { $0.masked(by: &redactor) }
        report.scopes = scopes.map { $0.masked(by: &redactor) }
        report.notes = notes.map { redactor.text($0) }
        return report
    }
}

extension ReadReport {
    /// Returns the report with pseudonyms for names, and without secrets.
    package func redacted(by redactor: inout Redactor) -> ReadReport {
        redactor.reading { _ = masked(by: &$0) }
        return masked(by: &redactor)
    }

    func masked(by redactor: inout Redactor) -> ReadReport {
        var report = self
        report.servers = servers.map { span in
            var span = span
            span.server = span.server.map { redactor.name($0, as: .host) }
            return span
        }
        report.files = files.map { $0.masked(by: &redactor) }
        report.coverage = coverage.map { coverage in
            var coverage = coverage
            coverage.server = coverage.server.map { redactor.name($0, as: .host) }
            return coverage
        }
        report.gaps = gaps.map { $0.masked(by: &redactor) }
        // Most reports hold none of these thousand names.
        report.activity = activity.renamingServers { redactor.text($0) }
        report.notes = notes.map { redactor.text($0) }
        report.timeline = timeline.masked(by: &redactor)
        return report
    }
}

extension [RequestTrace] {
    /// Returns the traces with pseudonyms for names, and without secrets.
    package func redacted(by redactor: inout Redactor) -> [RequestTrace] {
        redactor.reading { redactor in for trace in self { _ = trace.masked(by: &redactor) } }
        return map { $0.masked(by: &redactor) }
    }
}

extension RequestTrace {
    fileprivate func masked(by redactor: inout Redactor) -> RequestTrace {
        var trace = self
        trace.servers = servers.map { redactor.name($0, as: .host) }
        trace.user = user.map { redactor.name($0, as: .user) }
        trace.name = name.map { redactor.text($0) }
        trace.site = site.map { redactor.address($0) }
        trace.events = events.map { $0.redacted(by: &redactor) }
        trace.roots = roots.map { $0.masked(by: &redactor) }
        return trace
    }
}

extension RequestTrace.Node {
    fileprivate func masked(by redactor: inout Redactor) -> RequestTrace.Node {
        guard case .scope(var scope) = self else { return self }
        scope.name = redactor.text(scope.name)
        scope.children = scope.children.map { $0.masked(by: &redactor) }
        return .scope(scope)
    }
}

extension ULSEvent {
    /// Learns the names that the event gives away.
    package func teach(_ redactor: inout Redactor?) { redactor?.reading { _ = redacted(by: &$0) } }

    /// Returns the event with pseudonyms for names, and without secrets.
    package func redacted(by redactor: inout Redactor) -> ULSEvent {
        var event = self
        event.server = server.map { redactor.name($0, as: .host) }
        event.place.file = redactor.path(place.file)
        var text: [UInt8] = []
        // What was pasted may have anything in any of these.
        for column in [Column.message, .process, .area, .category] {
            text.removeAll(keepingCapacity: true)
            redactor.append(self[column], to: &text)
            if !text.span.isEqual(to: self[column]) { event.replace(column, with: text.span) }
        }
        return event
    }
}

extension SourceReport {
    fileprivate func masked(by redactor: inout Redactor) -> SourceReport {
        var report = self
        report.server = server.map { redactor.name($0, as: .host) }
        report.name = redactor.path(name)
        report.notes = notes.map { redactor.text($0) }
        return report
    }
}

extension LogTimeline {
    fileprivate func masked(by redactor: inout Redactor) -> LogTimeline {
        var timeline = self
        timeline.lanes = lanes.map { lane in
            var lane = lane
            lane.server = lane.server.map { redactor.name($0, as: .host) }
            return lane
        }
        return timeline
    }
}

extension LogSummary.Gap {
    func masked(by redactor: inout Redactor) -> LogSummary.Gap {
        var gap = self
        gap.server = server.map { redactor.name($0, as: .host) }
        return gap
    }
}

extension ScopeDurations {
    fileprivate func masked(by redactor: inout Redactor) -> ScopeDurations {
        var scope = self
        scope.key = redactor.text(key)
        return scope
    }
}

extension Redactor? {
    /// Returns an event as it is written: masked if there is a redactor, which first learns from it unless it has.
    package mutating func masked(_ event: ULSEvent, isLearned: Bool) -> ULSEvent {
        if !isLearned { event.teach(&self) }
        return self?.masking { event.redacted(by: &$0) } ?? event
    }

    /// Returns what has become known, masked if there is a redactor.
    package mutating func masked(_ news: DiagnosisNews) -> DiagnosisNews {
        self?.masking { news.redacted(by: &$0) } ?? news
    }

    /// Returns a report on what was read, masked if there is a redactor.
    package mutating func masked(_ report: ReadReport) -> ReadReport {
        self?.masking { report.redacted(by: &$0) } ?? report
    }
}

extension Span<UInt8> {
    fileprivate func isEqual(to other: Span<UInt8>) -> Bool {
        count == other.count && indices.allSatisfy { self[$0] == other[$0] }
    }
}

extension RequestReport {
    /// Returns the requests with pseudonyms for names, and without secrets.
    package func redacted(by redactor: inout Redactor) -> RequestReport {
        redactor.reading { _ = masked(by: &$0) }
        return masked(by: &redactor)
    }

    private func masked(by redactor: inout Redactor) -> RequestReport {
        var report = self
        report.requests = requests.map { $0.masked(by: &redactor) }
        report.read = read.masked(by: &redactor)
        return report
    }
}

extension LoggedRequest {
    fileprivate func masked(by redactor: inout Redactor) -> LoggedRequest {
        var request = self
        request.server = server.map { redactor.name($0, as: .host) }
        request.user = user.map { redactor.name($0, as: .user) }
        request.name = name.map { redactor.text($0) }
        request.writer = writer.map { redactor.text($0) }
        request.problem = problem.map { problem in
            var problem = problem
            problem.server = problem.server.map { redactor.name($0, as: .host) }
            problem.text = redactor.text(problem.text)
            problem.file = redactor.path(problem.file)
            return problem
        }
        return request
    }
}

extension LogComparison {
    /// Returns the comparison with pseudonyms for names, and without secrets.
    package func redacted(by redactor: inout Redactor) -> LogComparison {
        redactor.reading { _ = masked(by: &$0) }
        return masked(by: &redactor)
    }

    private func masked(by redactor: inout Redactor) -> LogComparison {
        var comparison = self
        comparison.logs.a = logs.a.masked(by: &redactor)
        comparison.logs.b = logs.b.masked(by: &redactor)
        comparison.failures = failures.map { failure in
            var failure = failure
            failure.template = redactor.text(failure.template)
            if let growth = failure.growth {
                failure.growth?.server = redactor.name(growth.server, as: .host)
            }
            return failure
        }
        comparison.speeds = speeds?.map { speed in
            var speed = speed
            speed.key = redactor.text(speed.key)
            return speed
        }
        comparison.missing.a = missing.a.map { redactor.name($0, as: .host) }
        comparison.missing.b = missing.b.map { redactor.name($0, as: .host) }
        return comparison
    }
}

extension LogPortrait {
    func masked(by redactor: inout Redactor) -> LogPortrait {
        var portrait = self
        portrait.kinds = kinds.map { kind in
            var kind = kind
            kind.template = redactor.text(kind.template)
            kind.servers = Dictionary(kind.servers.map { (redactor.key($0.key), $0.value) }) { $0 + $1 }
            return kind
        }
        portrait.servers = Dictionary(
            servers.map { key, server in
                var server = server
                server.name = server.name.isEmpty ? "" : redactor.name(server.name, as: .host)
                return (redactor.key(key), server)
            }
        ) { first, _ in first }
        portrait.gaps = gaps.map { $0.masked(by: &redactor) }
        portrait.durations = nil
        return portrait
    }
}

extension Redactor {
    /// Returns the lowercase name of a server that stands for it in a table.
    fileprivate mutating func key(_ server: String) -> String { server.isEmpty ? "" : name(server, as: .host) }
}

/// What a report says of its redaction.
package enum RedactionNote {
    /// Returns the sentence, such as `Redacted: 214 values (12 users, 3 hosts, 2 secrets removed).`, and what is missing.
    static func phrase(about summary: RedactionSummary) -> Phrase {
        guard summary.isApplied else {
            return "Not redacted (--no-redact): names, addresses and secrets are shown as the logs have them."
        }
        var parts = summary.names.map { count in
            let (one, several) = Self.words(for: count.nameClass)
            return Quantity(grouped: count.names, one, several).description
        }
        if summary.secrets > 0 {
            parts.append("\(Quantity(grouped: summary.secrets, "secret", "secrets")) removed")
        }
        if summary.queryValues > 0 {
            parts.append("\(Quantity(grouped: summary.queryValues, "value of a query", "values of queries")) removed")
        }
        let what = parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
        let full = summary.isFull ? " There were more names than can be told apart: some share a pseudonym." : ""
        let missing = RedactionSummary.notLookedFor.joined(separator: "; ")
        return """
            Redacted: \(Quantity(grouped: summary.values, "value", "values"))\(what).\(full) Not looked for: \(missing).
            """
    }

    /// Returns the sentence for standard error, or for a format without a place for it.
    package static func line(about summary: RedactionSummary) -> String { phrase(about: summary).text(TextLayout()) }

    /// Appends a page for people with the note: before it if nothing is masked, else after it.
    static func framing(
        _ summary: RedactionSummary?,
        _ layout: TextLayout,
        to bytes: inout [UInt8],
        _ page: (inout [UInt8]) -> Void
    ) {
        guard let summary else { return page(&bytes) }
        if summary.isApplied {
            page(&bytes)
            bytes.append(0x0A)
            phrase(about: summary).append(to: &bytes, layout)
            bytes.append(0x0A)
        } else {
            phrase(about: summary).append(to: &bytes, layout)
            bytes.append(text: "\n\n" as StaticString)
            page(&bytes)
        }
    }

    /// Appends the note, if there is one, below a page in Markdown.
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
        case .path: ("part of a path", "parts of paths")
        }
    }
}

extension HTMLWriter {
    /// Writes what was masked; nothing if the report shows everything and nobody asked for that.
    mutating func redaction(_ summary: RedactionSummary?) {
        if let summary { paragraph(RedactionNote.phrase(about: summary), class: "remark") }
    }
}

extension JSONWriter {
    /// Writes what was masked; `null` if the report shows everything and nobody asked for that.
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

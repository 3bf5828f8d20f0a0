public import LogDiagnosis
public import Redaction
public import ULSLog

extension LogSummary {
    /// Returns the summary with pseudonyms for names, and without secrets.
    public func redacted(by redactor: inout Redactor) -> LogSummary {
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
    public func redacted(by redactor: inout Redactor) -> SlowReport {
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
    public func redacted(by redactor: inout Redactor) -> ReadReport {
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
    public func redacted(by redactor: inout Redactor) -> [RequestTrace] {
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
    public func teach(_ redactor: inout Redactor?) { redactor?.reading { _ = redacted(by: &$0) } }

    /// Returns the event with pseudonyms for names, and without secrets.
    public func redacted(by redactor: inout Redactor) -> ULSEvent {
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
    public mutating func masked(_ event: ULSEvent, isLearned: Bool) -> ULSEvent {
        if !isLearned { event.teach(&self) }
        return self?.masking { event.redacted(by: &$0) } ?? event
    }

    /// Returns what has become known, masked if there is a redactor.
    public mutating func masked(_ news: DiagnosisNews) -> DiagnosisNews {
        self?.masking { news.redacted(by: &$0) } ?? news
    }

    /// Returns a report on what was read, masked if there is a redactor.
    public mutating func masked(_ report: ReadReport) -> ReadReport {
        self?.masking { report.redacted(by: &$0) } ?? report
    }
}

extension Span<UInt8> {
    fileprivate func isEqual(to other: Span<UInt8>) -> Bool {
        count == other.count && indices.allSatisfy { self[$0] == other[$0] }
    }
}

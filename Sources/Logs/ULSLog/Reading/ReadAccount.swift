import Synchronization
import ULSRows

/// An account of the data read from each text, assembled from the text's units.
struct ReadAccount {
    private let plan: ReadPlan
    /// The reports in the order of sources; those of an archive's texts follow that of the archive.
    private var reports: [[SourceReport]]
    /// The number of physical lines, by source, in the text being read, up to the current unit.
    private var lines: [Int]
    /// The number of lines above the part of a source that is read; counted on demand.
    private var skippedLines: [Int?]
    /// The texts of each source, by name.
    private var texts: [[String: Text]]
    private(set) var quality = ReadQuality()

    private struct Text {
        /// The index of the text's report.
        var report: Int
        var times = TimeSpan()
    }

    init(_ plan: ReadPlan) {
        self.plan = plan
        reports = plan.reports.map { [$0] }
        lines = plan.reports.map { _ in 0 }
        texts = plan.reports.map { [$0.name: Text(report: 0)] }
        skippedLines = plan.skippedBytes.map { $0 == 0 ? 0 : nil }
    }

    /// Returns the number of lines of a text above the current unit.
    ///
    /// Without skipped lines, lines are counted from where reading began.
    mutating func lines(above text: LogText, withSkipped: Bool = true) -> Int {
        guard withSkipped else { return lines[text.source] }
        let skipped = skippedLines[text.source] ?? plan.linesSkipped(ofSource: text.source)
        skippedLines[text.source] = skipped
        return skipped + lines[text.source]
    }

    mutating func addTimes(_ times: TimeSpan, of text: LogText) {
        change(text) { report, span in
            span.add(times)
            report.firstTime = span.first?.time ?? report.firstTime
            report.lastTime = span.last?.time ?? report.lastTime
        }
    }

    /// Closes a unit.
    mutating func end(_ end: UnitEnd, of text: LogText) {
        quality += end.quality
        change(text) { report, _ in
            report.bytes += Int(end.bytes)
            report.records += end.quality.records
            report.notes += end.notes
            report.isIncomplete = report.isIncomplete || end.isIncomplete
        }
        lines[text.source] = end.isTextEnd ? 0 : lines[text.source] + end.quality.lines
    }

    mutating func fail(_ failure: SourceFailure) {
        reports[failure.source][0].isIncomplete = true
        // All parts of a file fail for the same reason.
        guard !reports[failure.source][0].notes.contains(failure.reason) else { return }
        reports[failure.source][0].notes.append(failure.reason)
    }

    /// Returns all reports; an archive whose texts were read is represented by their reports, and its own is included
    /// only if it has a note.
    func files() -> [SourceReport] {
        reports.flatMap { group in
            var group = group
            group[0].isArchive = group.count > 1 && group[0].bytes == 0
            return group[0].isArchive && group[0].notes.isEmpty ? Array(group.dropFirst()) : group
        }
    }

    /// The notes on archives when servers are merged, because the logs in an archive are read in sequence.
    var archiveNotes: [String] {
        reports.filter { $0.count > 2 }.map { group in
            "\(group[0].name): its \(group.count - 1) logs are read in archive order; unpack it to merge them by time"
        }
    }

    private mutating func change(_ text: LogText, _ body: (inout SourceReport, inout TimeSpan) -> Void) {
        let source = text.source
        var known = texts[source][text.name] ?? Text(report: reports[source].count)
        if known.report == reports[source].count {
            reports[source].append(SourceReport(name: text.name, server: text.server))
        }
        body(&reports[source][known.report], &known.times)
        texts[source][text.name] = known
    }
}

extension ReadPlan {
    /// Counts the lines above the part of a source that is read.
    fileprivate func linesSkipped(ofSource number: Int) -> Int {
        let end = skippedBytes[number]
        guard end > 0, case .file(let path, _) = sources[number].kind, let file = try? PlainFile(path: path) else {
            return 0
        }
        let pieceBytes = 256 << 10
        var bytes = [UInt8](repeating: 0, count: pieceBytes + ByteWindow.slack)
        var place: Int64 = 0
        var count = 0
        while place < end, let read = try? file.read(into: &bytes, at: place), read > 0 {
            let used = min(read, pieceBytes, Int(clamping: end - place))
            count += ByteWindow(bytes.span).lineEnds(in: 0..<used)
            place += Int64(used)
        }
        return count
    }
}

/// The progress of reading logs, counted by the reading threads and shown by another thread.
///
/// An object may count several successive readings; their bytes add up.
public final class ReadProgress: Sendable {
    private let expected = Atomic(0)
    private let isEndless = Atomic(false)
    private let read = Atomic(0)
    private let handedOver = Atomic(0)

    /// Creates a progress of zero.
    public init() {}

    /// The number of bytes read; for compressed files, compressed bytes.
    public var bytes: Int { read.load(ordering: .relaxed) }

    /// The total number of bytes to read, not counting those that a window leaves out; `nil` before reading begins, and
    /// for a pipe.
    public var totalBytes: Int? {
        let total = expected.load(ordering: .relaxed)
        return total == 0 || isEndless.load(ordering: .relaxed) ? nil : total
    }

    /// The number of events delivered or counted so far; with a prefilter, the number of events from which it chose.
    public var events: Int { handedOver.load(ordering: .relaxed) }

    func add(bytes count: Int) { read.wrappingAdd(count, ordering: .relaxed) }

    func add(events count: Int) { handedOver.wrappingAdd(count, ordering: .relaxed) }

    /// Records the text that is about to be read.
    func expect(_ items: [WorkItem]) {
        for item in items {
            guard let bytes = item.byteCount else {
                isEndless.store(true, ordering: .relaxed)
                continue
            }
            expected.wrappingAdd(Int(clamping: bytes), ordering: .relaxed)
        }
    }
}

extension WorkItem {
    /// The number of bytes that a work item takes in its file; `nil` for a pipe.
    fileprivate var byteCount: Int64? {
        switch self {
        case .part(let part): return max(0, min(part.end, part.fileEnd) - part.start)
        case .stream(let source, _):
            guard case .stream(let origin) = source.kind else {
                guard case .file(_, let size) = source.kind else { return nil }
                return size
            }
            switch origin {
            case .memory(let text): return Int64(text.bytes.count)
            case .path(let path): return FileStatus(path: path).flatMap { $0.kind == .file ? $0.size : nil }
            case .standardInput:
                guard let file = try? OpenFile.standardInput(), let place = file.place,
                    let status = try? file.status(), status.kind == .file
                else { return nil }
                return max(0, status.size - place)
            }
        }
    }
}

/// The count of a stream's bytes, which is based on the offset in the file if there is one, so that compressed files
/// count with their compressed size.
struct StreamCount {
    private let progress: ReadProgress?
    private var place: Int64 = 0

    init(_ progress: ReadProgress?, at place: Int64?) {
        self.progress = progress
        self.place = place ?? 0
    }

    /// Records that `count` bytes of text were read, up to a place in the file.
    mutating func note(read count: Int, at place: Int64?) {
        guard let progress else { return }
        guard let place else { return progress.add(bytes: count) }
        progress.add(bytes: Int(clamping: place - self.place))
        self.place = place
    }
}

// MARK: - A whole log in memory

/// A short log in memory, with all its events, so that several rules can be run over it in turn.
public struct RecordedLog: Sendable {
    /// The events of the log.
    public let events: [ULSEvent]
    /// The places where requests begin and end.
    public let edges: [RequestEdges]
    /// The result of reading.
    public let report: ReadReport

    /// Reads an entire log.
    public static func record(_ reader: LogReader) throws -> RecordedLog {
        var events: [ULSEvent] = []
        var edges: [RequestEdges] = []
        let report = try reader.forEachEvent(chosenBy: EveryEvent()) { found in
            edges.append(found)
        } _: { event in
            events.append(copy event)
        }
        return RecordedLog(events: events, edges: edges, report: report)
    }
}

/// A prefilter of every event.
private struct EveryEvent: EventPrefilter {
    struct Matcher: MessageMatcher {
        func matches(_ message: Span<UInt8>, _ number: Int) -> Bool { true }
    }

    func choice(
        area: Span<UInt8>,
        category: Span<UInt8>,
        eventID: Span<UInt8>,
        level: Span<UInt8>
    ) -> PrefilterResult { .yes(0) }

    func makeMatcher() -> Matcher { Matcher() }
}

public import ULSLog

/// What a cluster is compared with: the whole log, its servers, and what happened in it.
struct ClusterSurroundings {
    /// The instants of the log's first and last row; `nil` if they are not known.
    var extent: ClosedRange<Int64>?
    /// The number of servers whose rows name them.
    var servers = 0
    var marks = LogMarks()
    var names = RequestNames()
    /// What is normal; `nil` if no file says so.
    var normal: NormalFailures?
    /// What is not to be told.
    var triage = FindingTriage()

    /// Hours that the log covers; at least one, so that short logs do not make everything frequent.
    var hours: Double { max(1, Double(extent.map { $0.upperBound - $0.lowerBound } ?? 0) / 3_600_000) }
}

/// A restart or a change of the configuration: what a failure that begins soon after may follow from.
public struct LogMark: Sendable, Hashable {
    /// When it happened.
    public var time: LogTime
    /// The server it happened on; `nil` if that is not known.
    public var server: String?
    /// What happened: `the timer service started`.
    public var text: String

    /// Creates a mark on a log.
    public init(at time: LogTime, server: String?, _ text: String) {
        self.time = time
        self.server = server
        self.text = text
    }
}

/// Restarts and changes of the configuration, as marks on the time line.
struct LogMarks: Sendable {
    private struct Mark {
        var instant: Int64
        var time: LogTime
        var server: String?
        var text: String
        /// The most milliseconds until what may follow from it.
        var reach: Int64
        /// The process that started, if that is what it is about.
        var process: (name: String, id: String)?
    }

    private var marks: [Mark] = []

    private static let maximum = 1000
    private static let restart = Array("b8fx".utf8)
    private static let configuration = Array("8xqz".utf8)
    /// Rows that name the build of the product.
    private static let builds = [Array("c91s".utf8), Array("ajyxu".utf8)]
    /// The build that rows of a server named last.
    private var build: [String?: BuildNumber] = [:]

    /// The marks by time.
    var list: [LogMark] {
        marks.sorted { ($0.instant, $0.text) < ($1.instant, $1.text) }
            .map { LogMark(at: $0.time, server: $0.server, $0.text) }
    }

    /// Whether rows with this event ID are marks.
    static func areMarks(eventID: [UInt8]) -> Bool {
        eventID == restart || eventID == configuration || builds.contains(eventID)
    }

    /// Notes an event if it is a mark; changes of the configuration within a minute are one.
    mutating func note(_ event: borrowing ULSEvent) {
        guard event.time.hasDate, marks.count < Self.maximum else { return }
        let id = event[.eventID].array
        if id == Self.restart {
            let process = (name: event.text(.process), id: event.text(.processID))
            add(event, "\(Self.name(of: process.name)) started", reach: 600_000, process)
        } else if id == Self.configuration {
            add(event, "the configuration was changed", reach: 300_000)
        } else if Self.builds.contains(id), let found = Self.build(in: event.text(.message)) {
            if let known = build[event.server], known != found {
                add(event, "the build changed from \(known) to \(found)", reach: 3_600_000)
            }
            if build.count < Self.maximum { build[event.server] = found }
        }
    }

    /// The build in a message: four numbers, of which the first is that of a version of SharePoint.
    private static func build(in message: String) -> BuildNumber? {
        for word in message.prefix(2000).split(whereSeparator: { !($0.isNumber && $0.isASCII || $0 == ".") }) {
            let parts = word.split(separator: ".")
            guard parts.count >= 4, ["14", "15", "16"].contains(parts[0]), parts[1] == "0",
                parts[2].count == 4 || parts[2].count == 5
            else { continue }
            return BuildNumber(parts.prefix(4).joined(separator: "."))
        }
        return nil
    }

    /// Tells restarts from starts: a process of the same name wrote until then, and no more.
    ///
    /// What wrote before under the same number did not start: another part of it began to log.
    func with(_ activity: LogActivity?) -> LogMarks {
        guard let activity, !activity.isIncomplete else { return self }
        var told = self
        told.marks = marks.compactMap { mark in
            guard let process = mark.process else { return mark }
            let writers = activity.writers.filter { writer, _ in
                writer.server == mark.server && writer.name.lowercased() == process.name.lowercased()
            }
            var (isRestart, wasThere) = (false, false)
            for (writer, series) in writers {
                if !writer.process.hasSuffix("\(process.id))") {
                    let ending = series.lastTime.instant - mark.instant
                    isRestart = isRestart || -Self.handover...60_000 ~= ending
                } else {
                    let age = mark.instant - series.firstTime.instant
                    wasThere = wasThere || Self.beginning..<Self.reuse ~= age
                }
            }
            guard !wasThere else { return nil }
            var mark = mark
            if isRestart { mark.text = "\(Self.name(of: process.name)) restarted" }
            return mark
        }
        return told
    }

    /// The longest time between the end of a process and the start of the next one.
    private static let handover: Int64 = 600_000
    /// The longest time between the first row of a process and the row that it has begun to log.
    private static let beginning: Int64 = 2_000
    /// The time after which a number may be that of another process.
    private static let reuse: Int64 = 12 * 3_600_000

    private mutating func add(
        _ event: borrowing ULSEvent,
        _ text: String,
        reach: Int64,
        _ process: (name: String, id: String)? = nil
    ) {
        let instant = event.time.instant
        if let last = marks.last(where: { $0.text == text && $0.server == event.server }),
            abs(instant - last.instant) < 60_000
        {
            return
        }
        marks.append(
            Mark(instant: instant, time: event.time, server: event.server, text: text, reach: reach, process: process)
        )
    }

    private static func name(of process: String) -> String {
        let name = process.prefix { $0 != "#" }
        return switch name.lowercased() {
        case "owstimer.exe": "the timer service"
        case "w3wp.exe": "a worker process"
        case "mssearch.exe": "the search service"
        case "noderunner.exe": "a search component"
        case "psconfig.exe", "psconfigui.exe": "the configuration wizard"
        case "wsstracing.exe": "the tracing service"
        case "": "a process"
        default: String(name.prefix(40))
        }
    }

    /// Returns the last mark before an instant, of one of these servers, in words: `4 min after the timer service
    /// started on WFE2`.
    func before(_ instant: Int64, on servers: [String]) -> String? {
        let near = marks.filter { mark in
            mark.instant <= instant && instant - mark.instant <= mark.reach
                && (servers.isEmpty || mark.server.map { servers.contains($0) } ?? true)
        }
        guard let mark = near.max(by: { ($0.instant, $1.text) < ($1.instant, $0.text) }) else { return nil }
        let seconds = (instant - mark.instant) / 1000
        let delay = seconds < 120 ? "\(seconds) s" : "\(seconds / 60) min"
        let time = mark.time.minute.map { " at \($0)" } ?? ""
        return "begins \(delay) after \(mark.text)" + (mark.server.map { " on \($0)" } ?? "") + time
    }
}

extension ClusterChange {
    /// The fewest rows from which anything is concluded.
    private static let minimum = 3
    /// A rate must be this many times the usual one, and come to this many rows.
    private static let factor = 4.0
    private static let minimumRate = 20
    /// The share of one server's rows above which the others count as spared.
    private static let share = 0.8

    /// Returns what is unusual about rows of one kind.
    static func changes(_ draft: ClusterDraft, _ surroundings: ClusterSurroundings) -> [ClusterChange] {
        let count = draft.count
        var changes: [ClusterChange] = []
        if let normal = surroundings.normal {
            changes += normal.changes(draft, hours: surroundings.hours)
        } else if let new = new(count, surroundings) {
            changes.append(new)
        }
        if let rate = rate(count, surroundings) { changes.append(rate) }
        if let server = oneServer(count, surroundings) { changes.append(server) }
        if count.count >= minimum, let first = count.first, first.hasDate,
            let text = surroundings.marks.before(first.instant, on: Array(count.servers.keys))
        {
            changes.append(ClusterChange(.afterMark, text))
        }
        return changes
    }

    private static func new(_ count: ClusterCount, _ surroundings: ClusterSurroundings) -> ClusterChange? {
        guard count.count >= minimum, let extent = surroundings.extent, let first = count.first, first.hasDate,
            extent.upperBound - extent.lowerBound >= 2 * TimeBins.length,
            first.instant - extent.lowerBound > extent.upperBound - first.instant
        else { return nil }
        return ClusterChange(.new, "new: not in the first half of the log")
    }

    /// Finds the five minutes with the most rows, if chance does not make so many of the rate of the rest.
    private static func rate(_ count: ClusterCount, _ surroundings: ClusterSurroundings) -> ClusterChange? {
        guard !count.bins.isIncomplete, let extent = surroundings.extent else { return nil }
        let bins = Int((extent.upperBound - extent.lowerBound) / TimeBins.length) + 1
        // The earliest of equals.
        guard bins >= 4, let peak = count.bins.counts.max(by: { ($0.rows, $1.bin) < ($1.rows, $0.bin) }) else {
            return nil
        }
        let rows = Int(peak.rows)
        let usual = Double(count.bins.counts.reduce(0) { $0 + Int($1.rows) } - rows) / Double(bins - 1)
        guard rows >= minimumRate, Double(rows) >= factor * usual, Chance.isUnlikely(rows, mean: usual) else {
            return nil
        }
        let time = LogTime(clock: Int64(peak.bin) * TimeBins.length, quality: count.first?.quality ?? .local)
        let minute = time.minute.map { " from \($0)" } ?? ""
        let times = usual < 0.05 ? "hardly any before or after" : "\(Int(Double(rows) / usual)) times the usual rate"
        return ClusterChange(.rate, "\(rows) rows in 5 min\(minute), \(times)")
    }

    private static func oneServer(_ count: ClusterCount, _ surroundings: ClusterSurroundings) -> ClusterChange? {
        guard surroundings.servers >= 3, count.count >= 5,
            let most = count.servers.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }),
            Double(most.value) > share * Double(count.count)
        else { return nil }
        let amount = most.value == count.count ? "only" : "\(most.value * 100 / count.count) %"
        return ClusterChange(.oneServer, "\(amount) on \(most.key), of \(surroundings.servers) servers")
    }
}

public import ULSLog

/// The context of a cluster: the entire log, its servers, and its events.
struct ClusterSurroundings {
    /// The instants of the log's first and last row; `nil` if they are not known.
    var extent: ClosedRange<Int64>?
    /// The number of servers that rows name.
    var servers = 0
    var marks = LogMarks()
    var requests = RequestLedger()
    /// The usual rates; `nil` if no file was given.
    var normal: NormalFailures?
    /// The suppressions.
    var triage = FindingTriage()

    /// The number of hours that the log covers; at least one, so that not everything appears frequent in a short log.
    var hours: Double { max(1, Double(extent.map { $0.upperBound - $0.lowerBound } ?? 0) / 3_600_000) }
}

/// A restart or a configuration change, which may have caused a failure that begins soon afterward.
public struct LogMark: Sendable, Hashable {
    /// The time at which it happened.
    public var time: LogTime
    /// The server on which it happened; `nil` if that is not known.
    public var server: String?
    /// The description of the event: `the timer service started`.
    public var text: String

    /// Creates a mark on a log.
    public init(at time: LogTime, server: String?, _ text: String) {
        self.time = time
        self.server = server
        self.text = text
    }
}

/// Restarts and configuration changes, as marks on the timeline.
struct LogMarks: Sendable {
    private struct Mark {
        var instant: Int64
        var time: LogTime
        var server: String?
        var text: String
        /// The maximum number of milliseconds after which the mark can still have an effect.
        var reach: Int64
        /// The process that started, if the mark is about one.
        var process: (name: String, id: String)?
    }

    private var marks: [Mark] = []

    private static let maximum = 1000
    private static let restart = Array("b8fx".utf8)
    private static let configuration = Array("8xqz".utf8)
    /// The event IDs of rows that name the build of the product.
    private static let builds = [Array("c91s".utf8), Array("ajyxu".utf8)]
    private static let all = [restart, configuration] + builds
    /// The build that the rows of each server named last.
    private var build: [String?: BuildNumber] = [:]

    /// The marks by time.
    var list: [LogMark] {
        marks.sorted { ($0.instant, $0.text) < ($1.instant, $1.text) }
            .map { LogMark(at: $0.time, server: $0.server, $0.text) }
    }

    /// Returns whether rows with this event ID are marks.
    static func areMarks(eventID: Span<UInt8>) -> Bool {
        all.contains { eventID.equals($0.span) }
    }

    /// Records an event if it is a mark; configuration changes within a minute count as one.
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

    /// Returns the build in a message: four numbers that begin with one for a version of SharePoint.
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

    /// Distinguishes restarts from starts: before a restart, but not after it, another process with the same name wrote
    /// rows.
    ///
    /// A process that already wrote rows with the same ID did not start; another part of it began to log.
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
    /// The longest time between the first row of a process and the row that reports that it has begun to log.
    private static let beginning: Int64 = 2_000
    /// The time after which a process ID may have been reused.
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

    /// Returns a description of the last mark before an instant on one of these servers: `4 min after the timer service
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
    /// The minimum number of rows needed for a conclusion.
    private static let minimum = 3
    /// The minimum ratio of a rate to the usual one, and the minimum number of rows.
    private static let factor = 4.0
    private static let minimumRate = 20
    /// The share of rows on one server above which the other servers count as unaffected.
    private static let share = 0.8

    /// Returns the unusual properties of rows of one kind.
    static func changes(_ kind: FailureKind, _ surroundings: ClusterSurroundings) -> [ClusterChange] {
        let count = kind.count
        var changes: [ClusterChange] = []
        if let normal = surroundings.normal {
            changes += normal.changes(kind, hours: surroundings.hours)
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

    /// Finds the five minutes with the most rows, if that number is unlikely to be chance at the rate of the rest.
    private static func rate(_ count: ClusterCount, _ surroundings: ClusterSurroundings) -> ClusterChange? {
        guard !count.bins.isIncomplete, let extent = surroundings.extent else { return nil }
        let bins = Int((extent.upperBound - extent.lowerBound) / TimeBins.length) + 1
        // If bins are equal, take the earliest.
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
        let amount = most.value == count.count ? "only" : "\(most.value * 100 / count.count)%"
        return ClusterChange(.oneServer, "\(amount) on \(most.key), out of \(surroundings.servers) servers")
    }
}

/// The usual problems in a log, by kind, for comparison with another log.
public struct NormalFailures: Sendable, Hashable {
    /// A kind of rows, and how often it occurs.
    public struct Kind: Sendable, Hashable {
        /// The identity of the kind in every log.
        public var id: String
        /// The event ID.
        public var eventID: String
        /// The message, with a placeholder for each variable part.
        public var template: String
        /// The number of rows.
        public var rows: Int

        /// Creates a kind of failure.
        public init(id: String, eventID: String, template: String, rows: Int) {
            self.id = id
            self.eventID = eventID
            self.template = template
            self.rows = rows
        }
    }

    /// The kinds, sorted by ID.
    public var kinds: [Kind]
    /// The number of hours that the log covers; at least one.
    public var hours: Double
    /// All kinds of failures in the log, whether or not rules explain them, and the servers that it covers; `nil` if
    /// not known.
    public var portrait: LogPortrait?
    /// The numbers of rows of additional kinds, by ID; if a log has more kinds than ``DiagnosisLimit/templates``, these
    /// numbers are all that is known about the rest.
    public let others: [String: Int]
    /// Whether there are kinds that are not even among ``others``.
    public let isIncomplete: Bool
    private let byID: [String: Int]

    /// Creates the usual problems in a log that covers this many hours.
    public init(kinds: [Kind], others: [String: Int] = [:], isIncomplete: Bool = false, hours: Double) {
        self.kinds = kinds.sorted { $0.id < $1.id }
        self.others = others
        self.isIncomplete = isIncomplete
        self.hours = max(1, hours)
        byID = Dictionary(kinds.map { ($0.id, $0.rows) }) { $0 + $1 }.merging(others) { $0 + $1 }
    }

    /// The hashes that the IDs are made from.
    var hashes: Set<UInt64> { Set(byID.keys.compactMap { UInt64($0, radix: 16) }) }

    /// Returns whether every kind in a cluster is normal and no more frequent than usual.
    func isNormal(_ kind: FailureKind, hours: Double) -> Bool {
        kind.members.allSatisfy { byID[$0] != nil } && changes(kind, hours: hours).isEmpty
    }

    /// Returns the unusual facts about a cluster.
    func changes(_ kind: FailureKind, hours: Double) -> [ClusterChange] {
        let known = kind.members.compactMap { byID[$0] }
        guard !known.isEmpty else {
            let extent =
                isIncomplete ? "not among the usual kinds, whose list is incomplete" : "not among the usual kinds"
            return [ClusterChange(.notNormal, "new: \(extent)")]
        }
        guard let times = increase(kind.count.count, hours: hours, normal: known.reduce(0, +)) else { return [] }
        return [ClusterChange(.rate, "\(times) times as many rows per hour as usual")]
    }

    /// Returns whether each kind that a rule's findings are based on is normal and no more frequent than usual; a sum
    /// would hide a rare kind that becomes frequent.
    func areNormal(_ outcome: RuleOutcome, _ rows: MatchedRows, hours: Double) -> Bool {
        // If a check concerns rows that show no problem, their kinds are unknown.
        guard !outcome.counted.isEmpty, outcome.counted.allSatisfy({ $0 & rows.selectors != 0 }) else { return false }
        return rows.kinds.allSatisfy { id, rows in
            byID[id].map { increase(rows, hours: hours, normal: $0) == nil } ?? false
        }
    }

    /// The minimum number of rows that counts as an increase, and the minimum ratio to the usual rate.
    private static let leastRows = 20
    private static let factor = 4.0

    /// Returns the ratio of rows per hour to the usual rate; `nil` if it does not count as an increase.
    private func increase(_ rows: Int, hours: Double, normal: Int) -> Int? {
        let usual = Double(normal) / self.hours
        let rate = Double(rows) / hours
        guard rows >= Self.leastRows, rate >= Self.factor * usual else { return nil }
        return Int(rate / max(usual, 0.001))
    }
}

extension NormalFailures {
    /// The first line of a file of normal failures.
    public static let schema = "fastctl.normal/1"
    /// The maximum numbers of bytes and values that are read, sufficient for anything that `logs usual` can write.
    ///
    /// A diagnosis distinguishes ``DiagnosisLimit/templates`` kinds, and the same number of usual kinds. Each kind is
    /// written twice, with up to 20 values in addition to its servers.
    private static let maximumBytes = 128 << 20
    private static let maximumValues =
        2 * DiagnosisLimit.templates.maximum * (20 + ClusterCount.maximumServers) + OtherKinds.maximum

    private struct Document: Decodable {
        struct Kind: Decodable {
            var id: String
            var eventID: String
            var template: String
            var rows: Int
        }

        struct Failure: Decodable {
            var id: String
            var eventID: String
            var template: String
            var exception: String?
            var level: String?
            var rows: Int
            var events: Int
            var servers: [String: Int]
        }

        struct Server: Decodable {
            var name: String
            var hours: Double
        }

        var schema: String
        var hours: Double
        var kinds: [Kind]
        var others: [String: Int]?
        var isIncomplete: Bool?
        var failures: [Failure]?
        var servers: [Server]?

        /// Data for comparisons; `nil` in files from older versions.
        var portrait: LogPortrait? {
            guard let failures, let servers else { return nil }
            return LogPortrait(
                kinds: failures.map {
                    LogPortrait.Kind(
                        id: $0.id,
                        eventID: $0.eventID,
                        template: $0.template,
                        exception: $0.exception,
                        level: $0.level.map { ULSLevel($0) } ?? .unknown,
                        rows: $0.rows,
                        events: $0.events,
                        servers: $0.servers
                    )
                },
                servers: servers.map { LogPortrait.Server(name: $0.name, hours: $0.hours) }
            )
        }
    }

    /// Reads a file that `logs usual` has written.
    ///
    /// - Throws: ``RuleError`` with the problem and its place.
    public static func read(_ path: String) throws(RuleError) -> NormalFailures {
        let file = CompanionFile(path: path, maximumBytes: maximumBytes, maximumValues: maximumValues)
        let document: Document = try file.decode(try file.text())
        guard document.schema == schema else {
            throw RuleError(file: path, message: "it does not contain usual rates; create it with 'fastctl logs usual'")
        }
        var kinds = document.kinds.map { Kind(id: $0.id, eventID: $0.eventID, template: $0.template, rows: $0.rows) }
        // Older versions listed kinds that rules explain only under `failures`.
        let known = Set(kinds.map(\.id))
        kinds += (document.failures ?? []).filter { !known.contains($0.id) }.map {
            Kind(id: $0.id, eventID: $0.eventID, template: $0.template, rows: $0.rows)
        }
        let rows = kinds.map(\.rows) + (document.others ?? [:]).values
        guard document.hours > 0, document.hours.isFinite, rows.allSatisfy({ $0 > 0 }) else {
            throw RuleError(file: path, message: "its numbers of hours and rows must be greater than 0")
        }
        var normal = NormalFailures(
            kinds: kinds,
            others: document.others ?? [:],
            isIncomplete: document.isIncomplete ?? false,
            hours: document.hours
        )
        normal.portrait = document.portrait
        return normal
    }
}

/// Tests of whether chance explains a number of events, using Chernoff bounds, whose logarithms need no additional
/// library.
enum Chance {
    /// Returns whether a Poisson process with this mean produces this many events with a probability below one in a
    /// million.
    static func isUnlikely(_ count: Int, mean: Double) -> Bool {
        // P(X ≥ k) ≤ e^(k−μ) (μ/k)^k for k > μ.
        let mean = max(mean, 0.01)
        let k = Double(count)
        guard k > mean else { return false }
        return k - mean - k * logarithm(k / mean) < -13.8
    }

    /// Returns whether this distribution of events over two sides has a probability below one in ten thousand if
    /// `share` is the expected share of the second side.
    static func isUnlikely(_ first: Double, _ second: Double, share: Double) -> Bool {
        let sum = first + second
        guard sum > 0, share > 0, share < 1 else { return false }
        // P ≤ e^(−n D(q‖p)), where D is the divergence of the observed share from the expected one.
        let seen = second / sum
        return sum * (distance(seen, share) + distance(1 - seen, 1 - share)) > 9.2
    }

    private static func distance(_ seen: Double, _ expected: Double) -> Double {
        guard seen > 0 else { return 0 }
        let ratio = seen / expected
        return seen * (ratio >= 1 ? logarithm(ratio) : -logarithm(1 / ratio))
    }

    /// Returns the natural logarithm of a number that is at least 1.
    private static func logarithm(_ number: Double) -> Double {
        let exponent = Double(number.exponent)
        // ln m = 2 artanh((m − 1) / (m + 1)) for 1 ≤ m < 2.
        let ratio = (number.significand - 1) / (number.significand + 1)
        var (sum, power) = (0.0, ratio)
        for odd in stride(from: 1.0, through: 21, by: 2) {
            sum += power / odd
            power *= ratio * ratio
        }
        return exponent * 0.693_147_180_559_945_3 + 2 * sum
    }
}

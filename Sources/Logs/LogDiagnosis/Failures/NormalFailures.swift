import ULSLog

/// What shows problems in a log that counts as normal, by kind, to compare another log with.
public struct NormalFailures: Sendable, Hashable {
    /// A kind of rows, and how often it occurs.
    public struct Kind: Sendable, Hashable {
        /// What tells the kind from others in every log.
        public var id: String
        /// The event's ID.
        public var eventID: String
        /// The message, with a mark for each part that differs.
        public var template: String
        /// How many rows there were.
        public var rows: Int

        /// Creates a kind of failure.
        public init(id: String, eventID: String, template: String, rows: Int) {
            self.id = id
            self.eventID = eventID
            self.template = template
            self.rows = rows
        }
    }

    /// Kinds, sorted by ID.
    public var kinds: [Kind]
    /// Hours that the log covers, at least one.
    public var hours: Double
    /// All kinds of failures in the log, whether rules explain them or not, and which servers it covers; `nil` if that
    /// is not known.
    public var portrait: LogPortrait?
    /// Rows of further kinds, by ID: of a log with more kinds than ``DiagnosisLimit/templates``, only these are known.
    public let others: [String: Int]
    /// Whether there are kinds that are not even among ``others``.
    public let isIncomplete: Bool
    private let byID: [String: Int]

    /// Creates what was seen in so many hours.
    public init(kinds: [Kind], others: [String: Int] = [:], isIncomplete: Bool = false, hours: Double) {
        self.kinds = kinds.sorted { $0.id < $1.id }
        self.others = others
        self.isIncomplete = isIncomplete
        self.hours = max(1, hours)
        byID = Dictionary(kinds.map { ($0.id, $0.rows) }) { $0 + $1 }.merging(others) { $0 + $1 }
    }

    /// The hashes that the IDs are made of.
    var hashes: Set<UInt64> { Set(byID.keys.compactMap { UInt64($0, radix: 16) }) }

    /// Whether every kind in a cluster is normal, as often as it occurs.
    func isNormal(_ draft: ClusterDraft, hours: Double) -> Bool {
        draft.members.allSatisfy { byID[$0] != nil } && changes(draft, hours: hours).isEmpty
    }

    /// Returns what is not normal about a cluster.
    func changes(_ draft: ClusterDraft, hours: Double) -> [ClusterChange] {
        let known = draft.members.compactMap { byID[$0] }
        guard !known.isEmpty else {
            let extent =
                isIncomplete ? "not among the kinds of what is normal, which are not all" : "not in what is normal"
            return [ClusterChange(.notNormal, "new: \(extent)")]
        }
        guard let times = increase(draft.count.count, hours: hours, normal: known.reduce(0, +)) else { return [] }
        return [ClusterChange(.rate, "\(times) times as many rows an hour as normal")]
    }

    /// Whether the findings of a rule rest on kinds that are normal, each as often as it occurs: a sum would hide a rare
    /// kind that becomes frequent.
    func areNormal(_ outcome: RuleOutcome, _ rows: ClaimedRows, hours: Double) -> Bool {
        // Of a check on rows that show no problem, no kind is known.
        guard !outcome.counted.isEmpty, outcome.counted.allSatisfy({ $0 & rows.selectors != 0 }) else { return false }
        return rows.kinds.allSatisfy { id, rows in
            byID[id].map { increase(rows, hours: hours, normal: $0) == nil } ?? false
        }
    }

    /// The fewest rows, and times the normal rate, that are more than usual.
    private static let leastRows = 20
    private static let factor = 4.0

    /// Returns how many times as many rows an hour there are as normal; `nil` if they are no more than usual.
    private func increase(_ rows: Int, hours: Double, normal: Int) -> Int? {
        let usual = Double(normal) / self.hours
        let rate = Double(rows) / hours
        guard rows >= Self.leastRows, rate >= Self.factor * usual else { return nil }
        return Int(rate / max(usual, 0.001))
    }
}

extension NormalFailures {
    /// The first line of a file of what is normal.
    public static let schema = "fastctl.normal/1"
    /// The most bytes and values that are read: enough for all that `logs baseline` can write.
    ///
    /// A diagnosis tells ``DiagnosisLimit/templates`` kinds apart, and as many that are normal. Each is written twice, with
    /// up to 20 values besides its servers.
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

        /// What a comparison needs; `nil` in files that older versions wrote.
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

    /// Reads a file that `logs baseline` has written.
    ///
    /// - Throws: ``RuleError`` with what is wrong, and where.
    public static func read(_ path: String) throws(RuleError) -> NormalFailures {
        let file = CompanionFile(path: path, maximumBytes: maximumBytes, maximumValues: maximumValues)
        let document: Document = try file.decode(try file.text())
        guard document.schema == schema else {
            throw RuleError(file: path, message: "it doesn't say what is normal: write it with 'fastctl logs baseline'")
        }
        var kinds = document.kinds.map { Kind(id: $0.id, eventID: $0.eventID, template: $0.template, rows: $0.rows) }
        // Older versions wrote kinds that rules explain only beside the others.
        let known = Set(kinds.map(\.id))
        kinds += (document.failures ?? []).filter { !known.contains($0.id) }.map {
            Kind(id: $0.id, eventID: $0.eventID, template: $0.template, rows: $0.rows)
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

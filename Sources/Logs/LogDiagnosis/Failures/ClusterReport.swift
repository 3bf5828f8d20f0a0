import TextKit
import ULSLog

/// The clusters of a report: rows that no rule explains, most important kinds first, up to the maximum listed.
struct ClusterReport {
    private(set) var clusters: [FailureCluster] = []
    /// The number of clusters, listed or not.
    private(set) var kinds = 0
    /// The number of rows of normal kinds, and the number of these kinds.
    private(set) var normal = (rows: 0, kinds: 0)
    /// The number of rows that repeat an exception that a rule explains.
    private(set) var again = 0
    /// The number of rows whose signs of failure turned out to be meaningless.
    private(set) var meaningless = 0
    /// The number of rows that only follow the rows of a cluster, listed or not, in the same requests.
    private(set) var following = 0

    /// The clusters that suppressions hide; they are not among the others.
    private(set) var suppressed: [SuppressedFinding] = []
    private(set) var suppressedRows = 0
    /// The suppressions that cover a cluster, in force or not.
    private(set) var covering: Set<Int> = []

    /// The maximum number of templates with the same event ID and exception; more are combined into one kind.
    private static let maximumTemplates = 8

    /// Creates clusters from the remaining kinds.
    ///
    /// Kinds that only follow another kind in the same requests are left out, as are kinds that repeat an explained
    /// exception, according to `isExplained`.
    init(
        _ unexplained: [FailureKind],
        _ surroundings: ClusterSurroundings,
        isExplained: (FailureKind) -> Bool
    ) {
        var left = unexplained.filter { !isExplained($0) }
        again = Self.rows(of: unexplained) - Self.rows(of: left)
        if let known = surroundings.normal {
            let normal = left.filter { known.isNormal($0, hours: surroundings.hours) }
            self.normal = (Self.rows(of: normal), normal.count)
            left.removeAll { known.isNormal($0, hours: surroundings.hours) }
        }
        let leading = Self.leading(left, surroundings.requests)
        var reported = Self.merged(leading.kinds).map { kind in
            let following = kind.members.reduce(0) { $0 + (leading.following[$1] ?? 0) }
            return ReportedKind(kind: kind, cluster: FailureCluster(kind, surroundings), following: following)
        }
        // A row is not a problem if its number or sentence turns out to be meaningless.
        for index in reported.indices where reported[index].kind.needsReading { reported[index].read() }
        reported = Self.withoutHeadings(Self.united(reported, surroundings))
        let problems = reported.filter(\.showsProblem)
        meaningless = reported.reduce(0) { $0 + $1.rows } - problems.reduce(0) { $0 + $1.rows }
        list(suppress(problems, surroundings.triage), surroundings.requests)
    }

    private static func rows(of kinds: [FailureKind]) -> Int { kinds.reduce(0) { $0 + $1.count.count } }

    /// Sets suppressed kinds aside and returns the others.
    private mutating func suppress(_ kinds: [ReportedKind], _ triage: FindingTriage) -> [ReportedKind] {
        var shown: [ReportedKind] = []
        for var kind in kinds {
            let (suppression, covering) = triage.suppression(of: kind.cluster)
            self.covering.formUnion(covering)
            guard let suppression else {
                shown.append(kind)
                continue
            }
            kind.read()
            suppressed.append(SuppressedFinding(.unexplained(kind.cluster), by: suppression))
            suppressedRows += kind.rows
        }
        return shown
    }

    /// Counts the kinds that are shown, and lists the most important ones, which alone are read thoroughly.
    private mutating func list(_ shown: [ReportedKind], _ requests: RequestLedger) {
        kinds = shown.count
        following = shown.reduce(0) { $0 + $1.following }
        let listed = shown.sorted { Self.isBefore($0.cluster, $1.cluster) }
            .prefix(DiagnosisReport.maximumUnexplained)
        clusters = listed.map { kind in
            var kind = kind
            kind.read()
            kind.cluster.addNames(from: requests, of: kind.kind)
            return kind.cluster
        }
    }

    /// A kind that is being prepared for the report.
    private struct ReportedKind {
        let kind: FailureKind
        var cluster: FailureCluster
        /// The number of rows of other kinds that are only consequences of this kind.
        var following: Int

        /// The number of its rows and of those that follow it.
        var rows: Int { kind.count.count + following }
        var showsProblem: Bool {
            kind.count.worst <= 3 || kind.count.signs.contains(.errors) || cluster.saysMore
                || cluster.level.word.isEmpty
        }

        mutating func read() { cluster.read(kind) }
    }

    /// Returns the kinds that don't merely follow another kind, and the number of rows that follow each, by ID.
    private static func leading(
        _ kinds: [FailureKind],
        _ requests: RequestLedger
    ) -> (kinds: [FailureKind], following: [String: Int]) {
        let byHash = Dictionary(uniqueKeysWithValues: kinds.map { ($0.hash, $0) })
        var leaders: [UInt64: FailureKind] = [:]
        for kind in kinds {
            guard let leader = requests.leader(of: kind).flatMap({ byHash[$0] }), follows(kind, leader) else {
                continue
            }
            leaders[kind.hash] = leader
        }
        // A kind whose leader itself follows another kind is treated as independent, so that no row is lost.
        leaders = leaders.filter { leaders[$0.value.hash] == nil }
        var following: [String: Int] = [:]
        for kind in kinds {
            guard let leader = leaders[kind.hash] else { continue }
            following[leader.members[0], default: 0] += kind.count.count
        }
        return (kinds.filter { leaders[$0.hash] == nil }, following)
    }

    /// Returns whether a kind adds nothing to the kind that its requests begin with.
    private static func follows(_ kind: FailureKind, _ leader: FailureKind) -> Bool {
        if let type = kind.name.exception, type == leader.name.exception { return true }
        return leader.count.signs.strength >= kind.count.signs.strength && kind.name.exception == nil
            && leader.count.worst <= kind.count.worst
    }

    /// Combines the kinds of an event ID that has too many.
    private static func merged(_ kinds: [FailureKind]) -> [FailureKind] {
        let groups = Dictionary(grouping: kinds) { [$0.name.eventID, $0.name.exception ?? ""] }
        let merged = groups.values.flatMap { group in
            group.count <= maximumTemplates || group[0].name.eventID.isEmpty ? group : [one(of: group)]
        }
        // The same exception at the same place, regardless of the component that logs it.
        let thrown = Dictionary(grouping: merged) { [$0.name.exception, $0.name.frame] }
        return thrown.flatMap { key, group in
            key[0] == nil || group.count <= maximumTemplates ? group : [one(of: group)]
        }
    }

    /// Combines kinds that are the same exception with the same meaning, logged with different words around it.
    ///
    /// Only rows without event IDs are combined: two IDs denote two places in SharePoint's code, and each deserves its
    /// own page.
    private static func united(_ reported: [ReportedKind], _ surroundings: ClusterSurroundings) -> [ReportedKind] {
        var groups: [ThrownKind: [ReportedKind]] = [:]
        var others: [ReportedKind] = []
        for kind in reported {
            guard kind.kind.name.eventID.isEmpty, let type = kind.kind.name.exception,
                !kind.cluster.explanation.told.isEmpty
            else {
                others.append(kind)
                continue
            }
            let thrown = ThrownKind(
                type: type,
                decoded: kind.cluster.explanation.told,
                frame: kind.kind.name.frame,
                location: kind.cluster.explanation.place?.text
            )
            groups[thrown, default: []].append(kind)
        }
        // An exception logged again without frames is considered the same if only one place threw it.
        for (bare, kinds) in groups where bare.frame == nil {
            let placed = groups.keys.filter { $0.frame != nil && $0.type == bare.type && $0.decoded == bare.decoded }
            guard placed.count == 1 else { continue }
            groups[placed[0], default: []] += kinds
            groups[bare] = nil
        }
        return others
            + groups.map { key, group in
                guard group.count > 1 else { return group[0] }
                let kinds = group.map(\.kind)
                // A row with frames is more informative than an earlier one without.
                let kind = one(of: kinds, named: key.words, shownBy: kinds.filter { $0.name.frame == key.frame })
                var united = ReportedKind(
                    kind: kind,
                    cluster: FailureCluster(kind, surroundings),
                    following: group.reduce(0) { $0 + $1.following }
                )
                united.read()
                return united
            }
    }

    /// Counts the lines of a paste that only repeat an exception's message, as error pages do, as rows that follow it.
    private static func withoutHeadings(_ reported: [ReportedKind]) -> [ReportedKind] {
        var reported = reported
        let isPaste = { (kind: ReportedKind) in kind.cluster.level.word.isEmpty && kind.kind.name.eventID.isEmpty }
        let headings = reported.indices.filter { isPaste(reported[$0]) && reported[$0].cluster.exception == nil }
        guard !headings.isEmpty, reported.count <= maximumOfPaste else { return reported }
        var repeats: Set<Int> = []
        for thrown in reported.indices where isPaste(reported[thrown]) && reported[thrown].cluster.exception != nil {
            reported[thrown].read()
            let words = reported[thrown].cluster.explanation.exception?[...].parts(around: ": ").map { String($0.1) }
            guard let words, words.utf8.count >= minimumHeading else { continue }
            for heading in headings where !repeats.contains(heading) {
                let text = reported[heading].kind.count.example?.text(.message) ?? ""
                guard text.hasPrefix(words) else { continue }
                let rest = text[text.index(text.startIndex, offsetBy: words.count)...].drop(while: \.isWhitespace)
                guard rest.isEmpty || rest.hasPrefix(description), rest.utf8.count <= maximumRest else { continue }
                repeats.insert(heading)
                reported[thrown].following += reported[heading].rows
            }
        }
        return reported.indices.filter { !repeats.contains($0) }.map { reported[$0] }
    }

    /// The maximum number of kinds in a paste, and the lengths of a heading and of the text below it, in bytes.
    private static let (maximumOfPaste, minimumHeading, maximumRest) = (20, 20, 200)
    private static let description = "Description: An unhandled exception occurred during the execution"

    /// An exception with its meaning and the place where it was thrown.
    private struct ThrownKind: Hashable {
        var type: String
        var decoded: [String]
        var frame: String?
        var location: String?

        var words: [String] { [type, frame ?? "", location ?? ""] + decoded }
    }

    /// Combines kinds into one; `telling` contains the kinds with the most informative rows, if not all kinds qualify.
    private static func one(
        of group: [FailureKind],
        named words: [String] = [],
        shownBy telling: [FailureKind]? = nil
    ) -> FailureKind {
        // The most frequent kind represents all of them.
        let group = group.sorted { ($1.count.count, $0.hash) < ($0.count.count, $1.hash) }
        let first = telling.flatMap { telling in group.first { kind in telling.contains { $0 === kind } } }
        let name = (first ?? group[0]).name
        var count = group[0].count
        for kind in group.dropFirst() { count.add(kind.count, lines: 0) }
        if let telling, telling.count < group.count {
            count.example = telling.compactMap(\.count.example).min { ClusterCount.isEarlier($0, than: $1) }
        }
        var hash = StableHash()
        hash.add(name.eventID)
        hash.add(name.exception ?? "")
        for word in words { hash.add(word) }
        return FailureKind(hash: hash.value, name: name, count: count, members: group.flatMap(\.members).sorted())
    }

    /// Orders clusters by information, with an exception or a code first, then by level, worst first; then by
    /// frequency, most requests first if there is an exception or a code, and rarest first otherwise.
    private static func isBefore(_ one: FailureCluster, _ other: FailureCluster) -> Bool {
        if one.weight != other.weight { return one.weight > other.weight }
        // The reason is more informative than the report that something failed.
        if one.explanation.isOuter != other.explanation.isOuter { return other.explanation.isOuter }
        if one.fillsPage != other.fillsPage { return one.fillsPage }
        if one.level.rank != other.level.rank { return one.level.rank < other.level.rank }
        if one.weight.saysMore, one.requests.count != other.requests.count {
            return one.requests.count > other.requests.count
        }
        if one.count != other.count { return one.weight.saysMore ? one.count > other.count : one.count < other.count }
        if one.example.time.instant != other.example.time.instant {
            return one.example.time.instant < other.example.time.instant
        }
        return (one.example.place.file, one.example.place.line, one.id)
            < (other.example.place.file, other.example.place.line, other.id)
    }
}

/// The information content of a cluster.
private struct ClusterWeight: Comparable {
    var rank: Int
    /// Whether the cluster contains an exception or a code.
    var saysMore: Bool { rank >= 2 }

    static func < (one: Self, other: Self) -> Bool { one.rank < other.rank }
}

extension FailureKind {
    /// Whether only a thorough reading can reveal information.
    var needsReading: Bool {
        let saysLittle = !count.signs.isDisjoint(with: [.code, .phrase]) || count.signs.isEmpty && count.worst > 3
        return name.exception == nil && saysLittle || name.eventID.isEmpty
    }
}

extension FailureCluster {
    /// Reads the example thoroughly, once.
    fileprivate mutating func read(_ kind: FailureKind) {
        guard explanation == FailureReading(), let example = kind.count.example else { return }
        explanation = FailureReading(example)
        // The number of an event of Windows identifies its failure.
        if kind.count.signs.isEmpty, !explanation.decoded.isEmpty { severity = .warning }
        if explanation.isEndOfRedirect || explanation.isNormal && level.word.isEmpty { severity = .info }
    }

    /// Adds the users and addresses of a kind's requests.
    fileprivate mutating func addNames(from requests: RequestLedger, of kind: FailureKind) {
        let (users, addresses) = (requests.users(of: kind.count), requests.addresses(of: kind.count))
        (self.users, userNames) = (users.amount, users.names)
        (self.addresses, addressNames) = (addresses.amount, addresses.names)
    }

    fileprivate var weight: ClusterWeight {
        let says = exception != nil ? 1 : explanation.isEmpty ? 0 : 1
        return ClusterWeight(rank: (severity == .warning ? 1 : 0) + 2 * says)
    }

    fileprivate init(_ kind: FailureKind, _ surroundings: ClusterSurroundings) {
        let count = kind.count
        guard let example = count.example else { fatalError("a kind has no example") }
        self.init(
            eventID: kind.name.eventID,
            level: example.level.rank == count.worst ? example.level : ULSLevel(rank: count.worst),
            template: kind.name.template,
            count: count.count,
            example: Evidence(example)
        )
        id = StableHash.text(of: kind.hash)
        changes = ClusterChange.changes(kind, surroundings)
        exception = kind.name.exception
        frame = kind.name.frame
        requests = count.requests.amount
        users = count.accounts.amount
        addresses = count.addresses.amount
        servers = count.servers.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
        firstTime = count.first
        lastTime = count.last
        let isBare = level.word.isEmpty
        let saysItFailed = !count.signs.isDisjoint(with: [.exception, .errors])
        severity = count.worst <= 3 || isBare || saysItFailed ? .warning : .info
    }
}

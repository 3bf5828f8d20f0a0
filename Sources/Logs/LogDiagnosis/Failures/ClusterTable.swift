import ULSLog

/// A table of rows that show a problem, by event ID, shape and exception, kept until it is known which rules explain.
struct ClusterTable {
    /// Rows of one kind.
    private struct Kind {
        let hash: UInt64
        let name: KindName
        /// The rows counted in units; the example is from the first unit that has one, regardless of which thread
        /// finished first.
        var counted = ClusterCount()
        /// The rows that were delivered, by the selectors that match them; some match none.
        var matched: [MatchedSelectors: ClusterCount] = [:]
    }

    /// The kinds in order of appearance, and their numbers by hash: elements this large would often be moved in a table.
    private var kinds: [Kind] = []
    private var numbers: [UInt64: Int] = [:]
    private var sketch = KindSketch()
    private var sketches = SketchMemo()
    /// The rows of kinds beyond the limit, and the subset that matches no selector, so that no rule explains them.
    private(set) var beyond = OtherKinds()
    private(set) var beyondFree = 0
    private var places: KindPlaces

    /// The kinds for which a unit has supplied an example.
    private var hashes: Set<UInt64> = []

    /// Creates a table that reserves separate places for normal kinds.
    init(normal: Set<UInt64> = []) { places = KindPlaces(normal: normal) }

    /// The facts about the kinds found so far that units need.
    var known: KnownKinds { KnownKinds(withExample: hashes, places: places, final: places.areScarce ? numbers : nil) }

    /// Counts an event with these signs, and returns it as a problem of its request; `nil` for kinds beyond the limit.
    @discardableResult
    mutating func add(
        _ event: borrowing ULSEvent,
        rank: Int,
        _ signs: ProblemSigns,
        _ matches: [RuleMatch]
    ) -> FirstProblem? {
        let row = ProblemRow(
            eventID: event[.eventID].array,
            rank: rank,
            signs: signs,
            correlation: event.correlationID,
            time: event.time,
            server: event.server,
            line: event.place.line
        )
        let found = sketch.look(row, event[.message], sketches.hash(of: event[.message]), &sketches)
        let hash = found.hash
        let room = places.hasRoom(for: hash)
        guard let number = numbers[hash] ?? (room ? insert(hash, sketch.name(row, event[.message])) : nil) else {
            beyond.add(hash, rows: 1)
            if matches.isEmpty { beyondFree += 1 }
            return nil
        }
        let selectors = MatchedSelectors(rules: matches.map(\.rule), selectors: matches.map(\.selectors))
        kinds[number].matched[selectors, default: ClusterCount()].add(row, found.names, event)
        return FirstProblem(row, hash, matches.isEmpty ? nil : selectors)
    }

    /// Adds the counts of a unit; `lines` is the number of lines of text before the unit.
    mutating func add(_ unit: ClusterUnit, lines: Int) {
        beyond.add(unit.beyond)
        beyondFree += unit.beyond.count
        // The entries are borrowed: copying counts would take as long as everything else.
        let entries = unit.entries.span
        for index in entries.indices {
            let hash = entries[index].kind
            guard let number = numbers[hash] ?? unit.names[hash].flatMap({ insert(hash, $0) }) else {
                beyond.add(hash, rows: entries[index].count.count)
                beyondFree += entries[index].count.count
                continue
            }
            let isFirst = hashes.insert(hash).inserted
            kinds[number].counted.add(entries[index].count, lines: isFirst ? lines : nil)
        }
    }

    /// Adds a kind and returns its number; `nil` beyond the limit.
    private mutating func insert(_ hash: UInt64, _ name: KindName) -> Int? {
        guard places.hasRoom(for: hash) else { return nil }
        places.take(hash)
        kinds.append(Kind(hash: hash, name: name))
        numbers[hash] = kinds.count - 1
        return kinds.count - 1
    }

    /// Returns the kinds that no rule explains, sorted by hash; ``RequestLedger`` determines which of them only repeat
    /// an explained exception.
    ///
    /// - Parameter explains: Whether a rule's finding is based on events that meet these selectors.
    /// - Returns: All kinds, in the order of their hashes.
    func unexplained(_ explains: (_ rule: Int, _ selectors: UInt64) -> Bool) -> [FailureKind] {
        let unexplained = kinds.compactMap { kind -> FailureKind? in
            var count = kind.counted
            for (selectors, rows) in kind.matched where !selectors.areExplained(explains) {
                count.add(rows, lines: 0)
            }
            return count.hasExample ? FailureKind(hash: kind.hash, name: kind.name, count: count) : nil
        }
        return unexplained.sorted { $0.hash < $1.hash }
    }

    /// Returns the rows of the kinds that findings are based on, by rule: all rows of these kinds except noise, as in a
    /// file of normal failures.
    ///
    /// - Parameters:
    ///   - noise: The rules that define noise.
    ///   - restsOn: Whether a rule's findings are based on events that meet these selectors.
    /// - Returns: The rows, by the numbers of rules.
    func matchedRows(noise: Set<Int>, _ restsOn: (_ rule: Int, _ selectors: UInt64) -> Bool) -> [Int: MatchedRows] {
        var found: [Int: MatchedRows] = [:]
        for kind in kinds where !kind.matched.isEmpty {
            let matched = kind.matched.filter { noise.isDisjoint(with: $0.key.rules) }
            let rows = matched.values.reduce(kind.counted.count) { $0 + $1.count }
            for (rule, selectors) in matched.keys.flatMap({ zip($0.rules, $0.selectors) })
            where restsOn(rule, selectors) {
                found[rule, default: MatchedRows()].selectors |= selectors
                found[rule, default: MatchedRows()].kinds[StableHash.text(of: kind.hash)] = rows
            }
        }
        return found
    }

    /// Drops the kinds, whose memory would otherwise be held while the report is written.
    mutating func dropKinds() { (kinds, numbers) = ([], [:]) }

    /// The exceptions of all kinds.
    var exceptions: [UInt64: String] {
        Dictionary(uniqueKeysWithValues: kinds.compactMap { kind in kind.name.exception.map { (kind.hash, $0) } })
    }
}

/// A kind of unexplained rows, before it becomes a cluster; this is a class because a kind is large and is passed
/// through many lists.
final class FailureKind: Sendable {
    let hash: UInt64
    let name: KindName
    let count: ClusterCount
    /// The IDs of the kinds that were combined into it.
    let members: [String]

    init(hash: UInt64, name: KindName, count: ClusterCount, members: [String]? = nil) {
        self.hash = hash
        self.name = name
        self.count = count
        self.members = members ?? [StableHash.text(of: hash)]
    }
}

/// The rows that show a problem and that a rule's findings are based on.
struct MatchedRows {
    /// The rule's selectors that the rows meet.
    var selectors: UInt64 = 0
    /// The number of rows of each kind, by the kind's ID.
    var kinds: [String: Int] = [:]
}

/// The selectors that events met, by rule.
struct MatchedSelectors: Hashable, Sendable {
    var rules: [Int]
    var selectors: [UInt64]

    func areExplained(_ explains: (_ rule: Int, _ selectors: UInt64) -> Bool) -> Bool {
        zip(rules, selectors).contains { explains($0, $1) }
    }
}

/// The kinds that earlier units have found.
struct KnownKinds: Sendable {
    /// The kinds that have an example.
    var withExample: Set<UInt64> = []
    /// The remaining places for kinds.
    var places = KindPlaces()
    /// All kinds, as keys; `nil` while every kind has a place.
    var final: [UInt64: Int]?

    /// Returns whether the rows of a kind may be counted separately.
    fileprivate func mayHave(_ kind: UInt64) -> Bool {
        final.map { $0[kind] != nil || places.hasRoom(for: kind) } ?? true
    }
}

/// A reading thread's counts of a unit's events that no selector matches.
struct ClusterUnit: Sendable {
    /// The rows of one kind.
    struct Entry: Sendable {
        let kind: UInt64
        var count = ClusterCount()
    }

    /// The counts in order of appearance.
    private(set) var entries: [Entry] = []
    /// The names of the kinds that earlier units have not found.
    private(set) var names: [UInt64: KindName] = [:]
    /// The first problem of each failing request, unless all problems are requested.
    private(set) var firstProblems: [CorrelationID: FirstProblem] = [:]
    /// The problems of each request; `nil` unless they are requested.
    private(set) var problems: RequestProblems?
    private var numbers: [UInt64: Int] = [:]
    /// The events of kinds beyond the limit.
    private(set) var beyond = OtherKinds()
    private var places: KindPlaces
    private var sketch = KindSketch()
    private var last: UInt64 = 0
    private let known: KnownKinds

    init(known: KnownKinds, keepsProblems: Bool = false) {
        self.known = known
        places = known.places.emptied
        problems = keepsProblems ? RequestProblems() : nil
    }

    /// Counts a row; returns whether the event itself is needed.
    ///
    /// The message has this hash in memos.
    mutating func count(
        _ row: ProblemRow,
        _ message: Span<UInt8>,
        _ hash: UInt64,
        _ sketches: inout SketchMemo
    ) -> Bool {
        let found = sketch.look(row, message, hash, &sketches)
        last = found.hash
        if let id = row.correlation, problems?.note(.correlation(id), row, message) == nil {
            let problem = FirstProblem(row, last)
            // Changing an optional value in place would take three allocations.
            if let known = firstProblems.index(forKey: id) {
                firstProblems.values[known].add(problem)
            } else {
                firstProblems[id] = problem
            }
        }
        if let number = numbers[last] {
            entries[number].count.add(row, found.names, message)
            return false
        }
        guard places.hasRoom(for: last), known.mayHave(last) else {
            beyond.add(last, rows: 1)
            return false
        }
        places.take(last)
        let isNew = !known.withExample.contains(last)
        if isNew { names[last] = sketch.name(row, message) }
        numbers[last] = entries.count
        entries.append(Entry(kind: last))
        entries[entries.count - 1].count.add(row, found.names, message)
        return isNew
    }

    /// Takes the event that ``count(_:_:)`` just requested.
    mutating func see(_ event: consuming ULSEvent) {
        if let number = numbers[last] { entries[number].count.show(event) }
    }
}

/// The facts, other than the message, about a row that shows a problem.
struct ProblemRow {
    var eventID: [UInt8]
    var rank: Int
    var signs: ProblemSigns
    /// The request or job; `nil` if the row names none.
    var correlation: CorrelationID?
    var time: LogTime
    var server: String?
    var line: Int
}

/// The rows of one kind: their number, times, servers, requests and users.
struct ClusterCount: Sendable {
    private(set) var count = 0
    private(set) var worst = Int.max
    private(set) var signs: ProblemSigns = []
    /// The earliest row; `nil` only if another count has an earlier one.
    var example: ULSEvent? {
        get { exampleRow?.event }
        set { exampleRow = newValue.map { ExampleRow($0) } }
    }
    /// The row in an object of its own, because it is large, and counts are copied often.
    private var exampleRow: ExampleRow?

    private final class ExampleRow: Sendable {
        let event: ULSEvent

        init(_ event: consuming ULSEvent) { self.event = event }
    }

    private(set) var first: LogTime?
    private(set) var last: LogTime?
    /// The rows by server; there are few servers, and looking one up in a dictionary takes longer.
    private var serverRows = ShortList<(server: String, rows: Int)>()
    var servers: [String: Int] {
        Dictionary(uniqueKeysWithValues: serverRows.elements.map { ($0.server, $0.rows) })
    }
    private(set) var requests = BoundedSet<CorrelationID>(maximum: Self.maximumRequests)
    /// The accounts and web addresses that the rows name.
    var accounts: BoundedSet<String> { named.first?.accounts ?? Names().accounts }
    var addresses: BoundedSet<String> { named.first?.addresses ?? Names().addresses }
    /// The names that the rows contain, in a list of at most one element; most kinds have none.
    private var named: [Names] = []

    private struct Names {
        var accounts = BoundedSet<String>(maximum: maximumNames)
        var addresses = BoundedSet<String>(maximum: maximumNames)
    }

    /// The number of rows that name no request.
    private(set) var uncorrelated = 0
    private(set) var bins = TimeBins()

    private static let maximumRequests = 20_000
    private static let maximumNames = 100
    /// The maximum number of servers; rows of additional servers count only toward the total.
    static let maximumServers = 100
    /// The maximum length of an example's message, in bytes: enough for an exception with its frames.
    static let maximumExample = 4096

    /// Whether there are rows and an example to show.
    var hasExample: Bool { count > 0 && exampleRow != nil }

    /// Counts a row.
    mutating func add(_ row: ProblemRow, _ names: NamesInMessage, _ message: Span<UInt8>) {
        count += 1
        worst = min(worst, row.rank)
        signs.formUnion(row.signs)
        if first.map({ row.time.instant < $0.instant }) ?? true { first = row.time }
        if last.map({ row.time.instant > $0.instant }) ?? true { last = row.time }
        if let server = row.server { add(1, of: server) }
        if let id = row.correlation { requests.insert(id) } else { uncorrelated += 1 }
        if row.time.hasDate { bins.add(row.time.instant) }
        guard names.account != nil || names.address != nil else { return }
        if named.isEmpty { named = [Names()] }
        if let range = names.account, !named[0].accounts.isAtLeast {
            named[0].accounts.insert(message.extracting(range).text.lowercased())
        }
        if let range = names.address, !named[0].addresses.isAtLeast {
            named[0].addresses.insert(Self.address(message.extracting(range)))
        }
    }

    /// Counts the row of an event, which may become the example.
    mutating func add(_ row: ProblemRow, _ names: NamesInMessage, _ event: borrowing ULSEvent) {
        add(row, names, event[.message])
        show(event)
    }

    /// Returns an address without its query, which differs from request to request.
    private static func address(_ text: Span<UInt8>) -> String {
        // Compare bytes as long as they are ASCII, because comparing characters takes a hundred times as long; a
        // combining mark may follow the last byte.
        var end = 0
        while end < text.count, text[end] < 0x80, text[end] != 0x0D {
            let isEnd = end == maximumAddress || text[end] == UInt8(ascii: "?") || text[end] == UInt8(ascii: "#")
            if isEnd, end + 1 == text.count || text[end + 1] < 0x80 { return text.extracting(first: end).text }
            end += 1
        }
        let rest = text.text
        return end == text.count && end <= maximumAddress
            ? rest : String(rest.prefix(maximumAddress).prefix { $0 != "?" && $0 != "#" })
    }

    private static let maximumAddress = 256

    /// Makes an event the example if it is earlier than the current one, or if there is none.
    mutating func show(_ event: borrowing ULSEvent) {
        if let exampleRow, !Self.isEarlier(event, than: exampleRow.event) { return }
        var kept = copy event
        _ = kept.truncateMessage(to: Self.maximumExample)
        example = kept
    }

    /// Adds another count, whose example is preceded by this many more lines; `nil` if that does not matter.
    mutating func add(_ other: borrowing ClusterCount, lines: Int?) {
        if count > 0 {
            addRows(other)
        } else {
            self = copy other
            exampleRow = nil
        }
        if let lines, var event = other.example {
            event.place.line += lines
            event.place.lineEnd += lines
            show(event)
        }
    }

    private mutating func addRows(_ other: borrowing ClusterCount) {
        count += other.count
        worst = min(worst, other.worst)
        signs.formUnion(other.signs)
        if let time = other.first, first.map({ time.instant < $0.instant }) ?? true { first = time }
        if let time = other.last, last.map({ time.instant > $0.instant }) ?? true { last = time }
        for index in 0..<other.serverRows.count {
            add(other.serverRows[index].rows, of: other.serverRows[index].server)
        }
        requests.formUnion(other.requests)
        if named.isEmpty {
            named = other.named
        } else if let names = other.named.first {
            named[0].accounts.formUnion(names.accounts)
            named[0].addresses.formUnion(names.addresses)
        }
        uncorrelated += other.uncorrelated
        bins.add(other.bins)
    }

    private mutating func add(_ rows: Int, of server: String) {
        for index in 0..<serverRows.count where serverRows[index].server == server {
            serverRows[index].rows += rows
            return
        }
        if serverRows.count < Self.maximumServers { serverRows.append((server, rows)) }
    }

    /// Compares events by time and then by place, so that the result does not depend on which thread counts.
    static func isEarlier(_ one: borrowing ULSEvent, than other: borrowing ULSEvent) -> Bool {
        if one.time.instant != other.time.instant { return one.time.instant < other.time.instant }
        return (one.place.file, one.place.line) < (other.place.file, other.place.line)
    }
}

/// Distinct values, up to a maximum number.
struct BoundedSet<Value: Hashable & Comparable & Sendable>: Sendable {
    /// The values: in a list as long as there are few, because most sets are small, and otherwise in a set.
    private var few = ShortList<Value>()
    private var many: Set<Value> = []
    /// Whether there were more values than the maximum.
    private(set) var isAtLeast = false
    private let maximum: Int32

    private static var maximumFew: Int { 8 }

    init(maximum: Int) { self.maximum = Int32(maximum) }

    private var count: Int { few.count + many.count }
    var values: Set<Value> { many.isEmpty ? Set(few.elements) : many }

    private func contains(_ value: Value) -> Bool {
        many.isEmpty ? few.contains { $0 == value } : many.contains(value)
    }

    mutating func insert(_ value: Value) {
        if !many.isEmpty, many.count < maximum {
            many.insert(value)
        } else if !contains(value) {
            if count < maximum { add(value) } else { isAtLeast = true }
        }
    }

    /// Adds a value that is new and fits.
    private mutating func add(_ value: Value) {
        few.append(value)
        guard few.count > Self.maximumFew else { return }
        many.formUnion(few.elements)
        few = ShortList()
    }

    /// Adds other values; if there are too many, the values to keep are chosen deterministically.
    mutating func formUnion(_ other: Self) {
        if other.isAtLeast { isAtLeast = true }
        let room = Int(maximum) - count
        guard other.count > room else {
            for index in 0..<other.few.count { insert(other.few[index]) }
            for value in other.many { insert(value) }
            return
        }
        if room == 0, isAtLeast { return }
        let new = other.values.filter { !contains($0) }
        if new.count > room { isAtLeast = true }
        for value in new.count > room ? Array(new.sorted().prefix(room)) : Array(new) { insert(value) }
    }

    /// Transforms each value; some may become equal.
    mutating func map(_ change: (Value) -> Value) {
        let changed = values.map(change)
        (few, many) = (ShortList(), [])
        for value in changed { insert(value) }
    }

    var amount: Amount { Amount(count, isAtLeast: isAtLeast) }
}

/// A list that needs no memory of its own for a single element, because most lists of a count have only one.
struct ShortList<Element: Sendable>: Sendable {
    private var first: Element?
    private var others: [Element] = []

    var count: Int { first == nil ? 0 : others.count + 1 }
    var elements: [Element] { first.map { [$0] + others } ?? [] }

    subscript(index: Int) -> Element {
        get { if index == 0, let first { first } else { others[index - 1] } }
        set { if index == 0 { first = newValue } else { others[index - 1] = newValue } }
    }

    func contains(where isWanted: (Element) -> Bool) -> Bool {
        first.map(isWanted) == true || others.contains(where: isWanted)
    }

    mutating func append(_ element: Element) {
        if first == nil { first = element } else { others.append(element) }
    }
}

/// The numbers of rows in intervals of five minutes.
struct TimeBins: Sendable {
    /// The latest bin, which is not in the list, because rows arrive in order of time, so most belong to it.
    private var latest: (bin: Int32, rows: Int32)?
    /// The other bins, in order.
    private var earlier: [(bin: Int32, rows: Int32)] = []
    var counts: [(bin: Int32, rows: Int32)] { latest.map { earlier + [$0] } ?? [] }
    /// True if there were more bins than are kept, so that rates are unknown.
    private(set) var isIncomplete = false

    /// The length of a bin in milliseconds.
    static let length: Int64 = 300_000
    /// The number of bins in a week.
    private static let maximum = 2016

    mutating func add(_ instant: Int64) {
        add(
            Int32(truncatingIfNeeded: instant >= 0 ? instant / Self.length : (instant - Self.length + 1) / Self.length),
            1
        )
    }

    mutating func add(_ other: Self) {
        if other.isIncomplete { isIncomplete = true }
        for bin in other.earlier { add(bin.bin, bin.rows) }
        if let bin = other.latest { add(bin.bin, bin.rows) }
    }

    private mutating func add(_ bin: Int32, _ rows: Int32) {
        guard let known = latest, known.bin != bin else {
            latest = (bin, (latest?.rows ?? 0) + rows)
            return
        }
        var place = earlier.count
        while place > 0, earlier[place - 1].bin > bin { place -= 1 }
        if place > 0, earlier[place - 1].bin == bin {
            earlier[place - 1].rows += rows
        } else if earlier.count + 1 >= Self.maximum {
            isIncomplete = true
        } else if bin > known.bin {
            earlier.append(known)
            latest = (bin, rows)
        } else {
            earlier.insert((bin, rows), at: place)
        }
    }
}

/// The places for kinds that are counted separately: as many for normal kinds as for all others, so that a new kind
/// gets a place even if a log's usual kinds fill theirs.
struct KindPlaces: Sendable {
    private let normal: Set<UInt64>
    private var taken = 0
    private var takenByNormal = 0

    private static let maximum = DiagnosisLimit.templates.maximum

    init(normal: Set<UInt64> = []) { self.normal = normal }

    /// The same places, all free.
    var emptied: Self { Self(normal: normal) }

    /// Whether there may be no place for a new kind.
    var areScarce: Bool { taken >= Self.maximum || takenByNormal >= Self.maximum }

    func hasRoom(for kind: UInt64) -> Bool {
        taken < Self.maximum && takenByNormal < Self.maximum
            || (normal.contains(kind) ? takenByNormal : taken) < Self.maximum
    }

    mutating func take(_ kind: UInt64) {
        if !normal.isEmpty, normal.contains(kind) { takenByNormal += 1 } else { taken += 1 }
    }
}

/// The kinds for which there was no place; only their rows are counted.
struct OtherKinds: Sendable {
    /// The number of all rows.
    private(set) var count = 0
    /// The number of rows by kind.
    private var rows: [UInt64: Int] = [:]
    /// Whether some kinds are missing from ``rows``.
    private(set) var areIncomplete = false

    /// The number of rows by the kind's ID.
    var byID: [String: Int] { Dictionary(uniqueKeysWithValues: rows.map { (StableHash.text(of: $0.key), $0.value) }) }

    /// The maximum number of kinds: enough for the problems of most logs, in a few megabytes.
    static let maximum = 100_000

    mutating func add(_ kind: UInt64, rows added: Int) {
        count += added
        if let known = rows.index(forKey: kind) {
            rows.values[known] += added
        } else if rows.count < Self.maximum {
            rows[kind] = added
        } else {
            areIncomplete = true
        }
    }

    mutating func add(_ other: Self) {
        let counted = other.rows.values.reduce(0, +)
        // If there is no room for all of them, they are added in order, so that the result is deterministic.
        let fits = rows.count + other.rows.count <= Self.maximum
        for (kind, added) in fits ? Array(other.rows) : other.rows.sorted(by: { $0.key < $1.key }) {
            add(kind, rows: added)
        }
        count += other.count - counted
        areIncomplete = areIncomplete || other.areIncomplete
    }
}

import ULSLog

/// Rows that show a problem, by event ID, shape and exception, until it is known which of them rules explain.
struct ClusterTable {
    /// Rows of one kind.
    private struct Kind {
        let hash: UInt64
        let name: KindName
        /// Rows that no selector matches, but that were handed over anyway.
        var free = ClusterCount()
        /// Rows counted in units; the example is from the first unit that has one, whichever thread was faster.
        var counted = ClusterCount()
        /// Rows that some selectors match.
        var claimed: [Claims: ClusterCount] = [:]
    }

    /// Kinds in order of appearance, and their numbers by hash: a table of what is this large would be moved often.
    private var kinds: [Kind] = []
    private var numbers: [UInt64: Int] = [:]
    /// The first problem of each failing request, as far as was read.
    private(set) var heads = RequestHeads()
    private var sketch = KindSketch()
    private var sketches = SketchMemo()
    /// Rows of kinds beyond the limit, and those of them that no selector matches, so that no rule explains them.
    private(set) var beyond = OtherKinds()
    private(set) var beyondFree = 0
    private var places: KindPlaces

    /// Kinds of which a unit has supplied an example.
    private var hashes: Set<UInt64> = []

    /// Creates a table in which kinds that are normal have places of their own.
    init(normal: Set<UInt64> = []) { places = KindPlaces(normal: normal) }

    /// What units need to know of the kinds found so far.
    var known: KnownKinds { KnownKinds(withExample: hashes, places: places, final: places.areScarce ? numbers : nil) }

    /// Counts an event with these signs.
    mutating func add(_ event: borrowing ULSEvent, rank: Int, _ signs: ProblemSigns, _ matches: [RuleMatch]) {
        let row = ProblemRow(
            eventID: event[.eventID].array,
            rank: rank,
            signs: signs,
            correlation: event.correlationID,
            time: event.time,
            server: event.server,
            line: event.place.line
        )
        let found = sketch.look(row, event[.message], &sketches)
        let hash = found.hash
        let room = places.hasRoom(for: hash)
        guard let number = numbers[hash] ?? (room ? insert(hash, sketch.name(row, event[.message])) : nil) else {
            beyond.add(hash, rows: 1)
            if matches.isEmpty { beyondFree += 1 }
            return
        }
        let claims =
            matches.isEmpty ? nil : Claims(rules: matches.map(\.rule), selectors: matches.map(\.selectors))
        if let id = row.correlation { heads.note(id, RequestHead(row, hash), claims) }
        if let claims {
            kinds[number].claimed[claims, default: ClusterCount()].add(row, found.names, event)
        } else {
            kinds[number].free.add(row, found.names, event)
        }
    }

    /// Adds the counts of a unit; `lines` is the number of lines of text before the unit.
    mutating func add(_ unit: ClusterUnit, lines: Int) {
        beyond.add(unit.beyond)
        beyondFree += unit.beyond.count
        for (id, var head) in unit.heads.heads {
            head.line += lines
            heads.note(id, head, nil)
        }
        // Borrowed: copies of counts would take as long as all the rest.
        let entries = unit.entries.span
        for index in entries.indices {
            let hash = entries[index].kind
            guard let number = numbers[hash] ?? entries[index].entry.name.flatMap({ insert(hash, $0) }) else {
                beyond.add(hash, rows: entries[index].entry.count.count)
                beyondFree += entries[index].entry.count.count
                continue
            }
            let isFirst = hashes.insert(hash).inserted
            kinds[number].counted.add(entries[index].entry.count, lines: isFirst ? lines : nil)
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

    /// Returns the kinds that no rule explains, by hash; what is explained is known to the heads of requests.
    ///
    /// - Parameter explains: whether a rule's finding rests on events that meet these selectors.
    /// - Returns: All of them, in the order of their hashes.
    func drafts(_ explains: (_ rule: Int, _ selectors: UInt64) -> Bool) -> [ClusterDraft] {
        let drafts = kinds.compactMap { kind -> ClusterDraft? in
            var count = kind.free
            count.add(kind.counted, lines: 0)
            for (claims, claimed) in kind.claimed where !claims.areExplained(explains) {
                count.add(claimed, lines: 0)
            }
            return count.hasExample ? ClusterDraft(hash: kind.hash, name: kind.name, count: count) : nil
        }
        return drafts.sorted { $0.hash < $1.hash }
    }

    /// Returns the rows of the kinds that findings rest on, by rule: all rows of these kinds but noise, because a file of
    /// what is normal counts them so.
    ///
    /// - Parameters:
    ///   - noise: the rules that say what is noise.
    ///   - restsOn: whether a rule's findings rest on events that meet these selectors.
    /// - Returns: The rows, by the numbers of rules.
    func claimed(noise: Set<Int>, _ restsOn: (_ rule: Int, _ selectors: UInt64) -> Bool) -> [Int: ClaimedRows] {
        var found: [Int: ClaimedRows] = [:]
        for kind in kinds where !kind.claimed.isEmpty {
            let claims = kind.claimed.filter { noise.isDisjoint(with: $0.key.rules) }
            let rows = claims.values.reduce(kind.free.count + kind.counted.count) { $0 + $1.count }
            for (rule, selectors) in claims.keys.flatMap({ zip($0.rules, $0.selectors) }) where restsOn(rule, selectors)
            {
                found[rule, default: ClaimedRows()].selectors |= selectors
                found[rule, default: ClaimedRows()].kinds[StableHash.text(of: kind.hash)] = rows
            }
        }
        return found
    }

    /// What the requests in which rows occur begin with.
    func story(_ explains: (_ rule: Int, _ selectors: UInt64) -> Bool) -> RequestStory {
        var exceptions: [UInt64: String] = [:]
        for kind in kinds { exceptions[kind.hash] = kind.name.exception }
        return RequestStory(heads: heads.heads, exceptions: exceptions, explains)
    }
}

/// A kind of rows that no rule explains, on its way to a cluster; an object, because it is large and goes through many
/// lists.
final class ClusterDraft: Sendable {
    let hash: UInt64
    let name: KindName
    let count: ClusterCount
    /// IDs of the kinds in it.
    let members: [String]

    init(hash: UInt64, name: KindName, count: ClusterCount, members: [String]? = nil) {
        self.hash = hash
        self.name = name
        self.count = count
        self.members = members ?? [StableHash.text(of: hash)]
    }
}

/// Rows that show a problem and that findings of a rule rest on.
struct ClaimedRows {
    /// The rule's selectors that they meet.
    var selectors: UInt64 = 0
    /// The number of rows of each kind, by the kind's ID.
    var kinds: [String: Int] = [:]
}

/// The selectors that events met, by rule.
struct Claims: Hashable, Sendable {
    var rules: [Int]
    var selectors: [UInt64]

    func areExplained(_ explains: (_ rule: Int, _ selectors: UInt64) -> Bool) -> Bool {
        zip(rules, selectors).contains { explains($0, $1) }
    }
}

/// The kinds that earlier units have found.
struct KnownKinds: Sendable {
    /// Kinds of which there is an example.
    var withExample: Set<UInt64> = []
    /// The places that are left.
    var places = KindPlaces()
    /// All kinds, as keys; `nil` while every kind has a place.
    var final: [UInt64: Int]?

    /// Returns whether rows of a kind are told apart.
    fileprivate func mayHave(_ kind: UInt64) -> Bool {
        final.map { $0[kind] != nil || places.hasRoom(for: kind) } ?? true
    }
}

/// Counts, made by a reading thread, of a unit's events that no selector matches.
struct ClusterUnit: Sendable {
    /// A kind and its count; for a kind that is known from earlier units, only the count.
    struct Entry: Sendable {
        var name: KindName?
        var count = ClusterCount()
    }

    /// Entries in order of appearance.
    private(set) var entries: [(kind: UInt64, entry: Entry)] = []
    private(set) var heads = RequestHeads()
    /// The problems of each request; `nil` unless they are asked for.
    private(set) var problems: RequestProblems?
    private var numbers: [UInt64: Int] = [:]
    /// Events of kinds beyond the limit.
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
    mutating func count(_ row: ProblemRow, _ message: Span<UInt8>, _ sketches: inout SketchMemo) -> Bool {
        let found = sketch.look(row, message, &sketches)
        last = found.hash
        if let id = row.correlation {
            heads.note(id, RequestHead(row, last), nil)
            problems?.note(.correlation(id), row, message)
        }
        if let number = numbers[last] {
            entries[number].entry.count.add(row, found.names, message)
            return false
        }
        guard places.hasRoom(for: last), known.mayHave(last) else {
            beyond.add(last, rows: 1)
            return false
        }
        places.take(last)
        var entry = Entry()
        entry.count.add(row, found.names, message)
        let isNew = !known.withExample.contains(last)
        if isNew { entry.name = sketch.name(row, message) }
        numbers[last] = entries.count
        entries.append((last, entry))
        return isNew
    }

    /// Takes the event that ``count(_:_:)`` just asked for.
    mutating func see(_ event: consuming ULSEvent) {
        if let number = numbers[last] { entries[number].entry.count.show(event) }
    }
}

/// Durations of requests and scopes, by ``ScopeKey``.
///
/// The first ``LogLimit/scopes`` keys have their own entries, in order of appearance; rows with any other key are
/// counted together, as ``otherKey``. Tables of parts, merged in order, equal the table of the whole as long as no part
/// passed the limit. Beyond it they have the same keys and count every row as well, but for a key that came late in one
/// part and early in another, the late rows count as ``otherKey``.
struct ScopeTable: Sendable {
    /// The name of the entry for keys beyond the limit.
    private static let otherKey = "(other)"

    private let limit: Int
    /// Keys: a byte that tells whether it is a request, then the text, because a part of a request may have a request's
    /// name.
    private var keys = ByteStringTable()
    /// Tallies by the key's number.
    private var tallies: [ScopeTally] = []
    private var other = ScopeTally(isRequest: false)
    private var names = ScopeNameCache()
    private let seed = HashSeed()
    /// Buffer for the key being worked out.
    private var room: [UInt8] = []

    init(limit: Int = LogLimit.scopes.maximum) { self.limit = limit }

    /// Number of keys with their own entries.
    var count: Int { keys.count }

    /// Number of rows with a key beyond the limit, for ``LogLimit/scopes``.
    var rowsBeyondLimit: Int { other.rows }

    /// Counts a row that reports that a scope was entered.
    ///
    /// - Parameter name: As written. An empty one counts nothing.
    mutating func entered(name: Span<UInt8>) {
        guard !name.isEmpty else { return }
        let index = index(of: name)
        if index < tallies.count { tallies[index].entered += 1 } else { other.entered += 1 }
    }

    /// Counts a row that reports that a scope was left.
    ///
    /// - Parameters:
    ///   - name: As written. An empty one counts nothing.
    ///   - duration: Microseconds; nil if the row doesn't give it.
    mutating func left(name: Span<UInt8>, duration: Int64?) {
        guard !name.isEmpty else { return }
        let index = index(of: name)
        if index < tallies.count {
            tallies[index].left += 1
            if let duration { tallies[index].durations.add(duration) }
        } else {
            other.left += 1
            if let duration { other.durations.add(duration) }
        }
    }

    /// Counts everything that `part` has counted, as rows after those counted so far.
    mutating func merge(_ part: ScopeTable) {
        for number in 0..<part.keys.count {
            let index = index(ofKey: part.keys[number], isRequest: part.tallies[number].isRequest)
            if index < tallies.count {
                tallies[index].merge(part.tallies[number])
            } else {
                other.merge(part.tallies[number])
            }
        }
        other.merge(part.other)
    }

    /// Returns the scopes with the greatest sum of durations first, equal ones by key.
    ///
    /// `isRequest` limits them to whole requests and jobs, or to parts; nil for all.
    func durations(top: Int = .max, isRequest: Bool? = nil) -> [ScopeDurations] {
        var order = (0..<tallies.count).filter { isRequest == nil || tallies[$0].isRequest == isRequest }
        if other.rows > 0, isRequest != true { order.append(tallies.count) }
        order.sort { one, two in
            let (first, second) = (tally(one).durations.total, tally(two).durations.total)
            return first == second ? keyBytes(one).lexicographicallyPrecedes(keyBytes(two)) : first > second
        }
        return order.prefix(max(0, top)).map { index in
            tally(index).summary(key: String(decoding: keyBytes(index).dropFirst(), as: UTF8.self))
        }
    }

    /// The durations of all requests and jobs together, beyond the limit only those of known keys.
    var requestDurations: DurationHistogram {
        tallies.filter(\.isRequest).reduce(into: DurationHistogram()) { $0.merge($1.durations) }
    }

    private func tally(_ index: Int) -> ScopeTally { index < tallies.count ? tallies[index] : other }

    private func keyBytes(_ index: Int) -> [UInt8] {
        guard index < keys.count else { return [0] + Array(Self.otherKey.utf8) }
        let key = keys[index]
        return key.indices.map { key[$0] }
    }

    /// Returns the index of the tally of a scope's name; an index past all tallies for a key beyond the limit.
    private mutating func index(of name: Span<UInt8>) -> Int {
        let name = name.withoutQuery
        let hash = seed.hash(of: name)
        if let index = names.index(of: name, hash: hash) { return index }
        let isRequest = RequestName.isRequest(name)
        var key: [UInt8] = []
        swap(&key, &room)
        key.removeAll(keepingCapacity: true)
        key.append(isRequest ? 1 : 0)
        ScopeKey.append(name: name, to: &key)
        let index = index(ofKey: key.span, isRequest: isRequest)
        swap(&key, &room)
        names.remember(name, hash: hash, index: index)
        return index
    }

    private mutating func index(ofKey key: Span<UInt8>, isRequest: Bool) -> Int {
        let hash = seed.hash(of: key)
        if let number = keys.number(of: key, hash: hash) { return number }
        // A key refused now is refused forever: no entry is ever removed.
        guard keys.count < limit else { return .max }
        tallies.append(ScopeTally(isRequest: isRequest))
        return keys.append(key, hash: hash)
    }
}

extension Span<UInt8> {
    /// A request's name up to the query, which its key does not have; so names recur.
    fileprivate var withoutQuery: Span<UInt8> {
        @_lifetime(copy self)
        get {
            guard count > 9, hasBytes("Request (", at: 0), let end = firstIndex(of: UInt8(ascii: "?"), from: 9),
                self[end - 1] != UInt8(ascii: ")")
            else { return self }
            return extracting(first: end)
        }
    }
}

/// The counts of one key's rows.
private struct ScopeTally: Sendable, Equatable {
    var isRequest: Bool
    /// Number of Entering rows.
    var entered = 0
    /// Number of Leaving rows, with or without a duration.
    var left = 0
    /// Durations that Leaving rows give, in microseconds.
    var durations = DurationHistogram()

    init(isRequest: Bool) { self.isRequest = isRequest }

    /// Number of rows.
    var rows: Int { entered + left }

    /// Number of times it was entered and never left, as far as the rows show.
    ///
    /// The service does not write every Entering row: many scopes only show up once they were left after a long time.
    /// Such a row without its Entering row hides a scope that was entered and not left, so this is a minimum.
    var open: Int { max(0, entered - left) }

    mutating func merge(_ other: ScopeTally) {
        entered += other.entered
        left += other.left
        durations.merge(other.durations)
    }

    /// Returns the durations for a report, under a readable key.
    func summary(key: String) -> ScopeDurations {
        ScopeDurations(
            key: key,
            isRequest: isRequest,
            count: left,
            p50: durations.quantile(0.5) ?? 0,
            p95: durations.quantile(0.95) ?? 0,
            max: durations.max,
            total: durations.total,
            open: open
        )
    }
}

/// Keys of recent scope names: working a key out takes longer than looking it up.
struct ScopeNameCache: Sendable {
    /// Most names: beyond this, all are forgotten; the frequent ones are back soon.
    static let maximumNames = 8192
    /// Most bytes of names: beyond this, all are forgotten.
    private static let maximumBytes = 1 << 20
    /// Most bytes of a remembered name: longer ones hardly ever recur.
    private static let longestName = 1024

    private var names = ByteStringTable()
    /// Indices by the name's number.
    private var indices: [Int] = []

    /// Returns what is remembered for a name.
    func index(of name: Span<UInt8>, hash: UInt64) -> Int? {
        names.number(of: name, hash: hash).map { indices[$0] }
    }

    /// Remembers a name that is not yet remembered.
    fileprivate mutating func remember(_ name: Span<UInt8>, hash: UInt64, index: Int) {
        guard name.count <= Self.longestName else { return }
        if names.count >= Self.maximumNames || names.byteCount + name.count > Self.maximumBytes {
            names.removeAll()
            indices.removeAll(keepingCapacity: true)
        }
        names.append(name, hash: hash)
        indices.append(index)
    }
}

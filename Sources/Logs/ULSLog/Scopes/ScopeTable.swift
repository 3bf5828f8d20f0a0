/// How long requests and scopes took, by ``ScopeKey``.
///
/// The first ``LogLimit/scopes`` keys have an entry of their own, in the order in which they came; rows with any other
/// key are counted together, as ``otherKey``. Tables of parts, merged in order, equal the table of the whole as long as
/// no part passed the limit. Beyond it they have the same keys and count every row as well, but of a key that came late
/// in one part and early in another, the late rows count as ``otherKey``.
struct ScopeTable: Sendable {
    /// What the entry for keys beyond the limit is called.
    private static let otherKey = "(other)"

    private let limit: Int
    /// A byte that tells whether it is a request, then the key: a part of a request may be called as one.
    private var keys = ByteStringTable()
    /// For each key's number.
    private var tallies: [ScopeTally] = []
    private var other = ScopeTally(isRequest: false)
    private var names = ScopeNameCache()
    /// Room for the key that is being worked out.
    private var room: [UInt8] = []

    init(limit: Int = LogLimit.scopes.maximum) { self.limit = limit }

    /// How many keys have an entry of their own.
    var count: Int { keys.count }

    /// How many rows have a key beyond the limit: what ``LogLimit/scopes`` was reached by.
    var rowsBeyondLimit: Int { other.rows }

    /// Counts a row that says that a scope was entered.
    ///
    /// - Parameter name: As written. An empty one counts nothing.
    mutating func entered(name: Span<UInt8>) {
        guard !name.isEmpty else { return }
        let index = index(of: name)
        if index < tallies.count { tallies[index].entered += 1 } else { other.entered += 1 }
    }

    /// Counts a row that says that a scope was left.
    ///
    /// - Parameters:
    ///   - name: As written. An empty one counts nothing.
    ///   - duration: Microseconds; nil if the row doesn't say it.
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

    /// Counts all that `part` has counted, as rows behind those counted so far.
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

    /// Those with the greatest sum of durations first, equal ones by key.
    ///
    /// `isRequest` asks for whole requests and jobs only, or for parts only; nil for all.
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

    private func tally(_ index: Int) -> ScopeTally { index < tallies.count ? tallies[index] : other }

    private func keyBytes(_ index: Int) -> [UInt8] {
        guard index < keys.count else { return [0] + Array(Self.otherKey.utf8) }
        let key = keys[index]
        return key.indices.map { key[$0] }
    }

    /// Where the tally of a scope's name is; beyond all tallies for a key beyond the limit.
    private mutating func index(of name: Span<UInt8>) -> Int {
        let name = name.withoutQuery
        let hash = ByteHash(of: name)
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
        let hash = ByteHash(of: key)
        if let number = keys.number(of: key, hash: hash) { return number }
        // A key that is refused now is refused for ever: no entry is ever taken away.
        guard keys.count < limit else { return .max }
        tallies.append(ScopeTally(isRequest: isRequest))
        return keys.append(key, hash: hash)
    }
}

extension Span<UInt8> {
    /// A request's name up to its query, which its key does not have: so names come again.
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

/// What the rows of one key come to.
private struct ScopeTally: Sendable, Equatable {
    var isRequest: Bool
    /// Entering rows.
    var entered = 0
    /// Leaving rows, with a duration or without.
    var left = 0
    /// The durations that Leaving rows say, in microseconds.
    var durations = DurationHistogram()

    init(isRequest: Bool) { self.isRequest = isRequest }

    /// How many rows.
    var rows: Int { entered + left }

    /// How often it was entered and never left, as far as the rows show.
    ///
    /// The service does not write every Entering row: many scopes are only heard of when they were left and had taken
    /// long. Such a row without its Entering row hides one that was entered and not left, so this is the least it can be.
    var open: Int { max(0, entered - left) }

    mutating func merge(_ other: ScopeTally) {
        entered += other.entered
        left += other.left
        durations.merge(other.durations)
    }

    /// For a report, under the key as a person reads it.
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

/// Which key a scope's name has, for names that came lately: working a key out takes longer than looking it up.
struct ScopeNameCache: Sendable {
    /// Beyond this many names all are forgotten; the frequent ones are back soon.
    static let maximumNames = 8192
    /// Beyond this many bytes of names all are forgotten.
    private static let maximumBytes = 1 << 20
    /// A name that is longer is not remembered, in bytes; it hardly comes twice.
    private static let longestName = 1024

    private var names = ByteStringTable()
    /// What was found out, for each name's number.
    private var indices: [Int] = []

    /// What is remembered of a name.
    func index(of name: Span<UInt8>, hash: ByteHash) -> Int? {
        names.number(of: name, hash: hash).map { indices[$0] }
    }

    /// Remembers a name that is not remembered yet.
    fileprivate mutating func remember(_ name: Span<UInt8>, hash: ByteHash, index: Int) {
        guard name.count <= Self.longestName else { return }
        if names.count >= Self.maximumNames || names.byteCount + name.count > Self.maximumBytes {
            names.removeAll()
            indices.removeAll(keepingCapacity: true)
        }
        names.append(name, hash: hash)
        indices.append(index)
    }
}

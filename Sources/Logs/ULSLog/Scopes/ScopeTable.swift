import ULSRows

/// Durations of requests and scopes, by ``ScopeKey``.
///
/// The first ``LogLimit/scopes`` keys have their own entries, in order of appearance; rows with any other key are
/// counted together, as ``otherKey``. Merging the tables of parts, in order, gives the table of the whole as long as no
/// part exceeds the limit. Beyond the limit, the merged table still has the same keys and counts every row; however, if
/// a key appears late in one part and early in another, its late rows count as ``otherKey``.
struct ScopeTable: Sendable {
    /// The name of the entry for keys beyond the limit.
    private static let otherKey = "(other)"

    private let limit: Int
    /// The keys: a byte that marks requests, followed by the text, because a part of a request may have a request's
    /// name.
    private var keys = ByteStringTable()
    /// The hashes of the keys, by number.
    private var hashes: [UInt64] = []
    /// The tallies, by the key's number.
    private var tallies: [ScopeTally] = []
    /// Whether a part's name was found to be its own key, by the key's number; the name then needs no place in the cache.
    private var areNames: [Bool] = []
    private var other = ScopeTally(isRequest: false)
    private var names = ScopeNameCache()
    private let seed = HashSeed()
    /// A buffer for the key being computed.
    private var room: [UInt8] = []

    init(limit: Int = LogLimit.scopes.maximum) { self.limit = limit }

    /// The number of keys with their own entries.
    var count: Int { keys.count }

    /// The number of rows with a key beyond the limit, for ``LogLimit/scopes``.
    var rowsBeyondLimit: Int { other.rows }

    /// Counts a row that reports that a scope was entered.
    ///
    /// - Parameter name: The name, as written. An empty name is not counted.
    mutating func entered(name: Span<UInt8>) {
        guard !name.isEmpty else { return }
        let index = index(of: name)
        if index < tallies.count { tallies[index].entered += 1 } else { other.entered += 1 }
    }

    /// Counts a row that reports that a scope was left.
    ///
    /// - Parameters:
    ///   - name: The name, as written. An empty name is not counted.
    ///   - duration: The duration in microseconds; nil if the row doesn't give it.
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

    /// Adds everything that `part` has counted, as rows that follow the rows counted so far.
    mutating func merge(_ part: ScopeTable) {
        for number in 0..<part.keys.count {
            let isRequest = part.tallies[number].isRequest
            let index = index(ofKey: part.keys[number], hash: part.hashes[number], isRequest: isRequest)
            if index < tallies.count {
                tallies[index].merge(part.tallies[number])
            } else {
                other.merge(part.tallies[number])
            }
        }
        other.merge(part.other)
    }

    /// Returns the scopes by sum of durations, greatest first, and then by key.
    ///
    /// `isRequest` limits the scopes to entire requests and jobs, or to parts of them; if nil, all scopes are returned.
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

    /// The durations of all requests and jobs together; beyond the limit, only those of known keys.
    var requestDurations: DurationHistogram {
        tallies.filter(\.isRequest).reduce(into: DurationHistogram()) { $0.merge($1.durations) }
    }

    private func tally(_ index: Int) -> ScopeTally { index < tallies.count ? tallies[index] : other }

    private func keyBytes(_ index: Int) -> [UInt8] {
        guard index < keys.count else { return [0] + Array(Self.otherKey.utf8) }
        let key = keys[index]
        return key.indices.map { key[$0] }
    }

    /// Returns the index of the tally for a scope's name; an index past all tallies for a key beyond the limit.
    private mutating func index(of name: Span<UInt8>) -> Int {
        let name = name.withoutQuery
        let hash = seed.hash(of: name)
        let own = seed.mixed(hash, 0)
        if let number = keys.number(of: name, behind: 0, hash: own), areNames[number] { return number }
        if let index = names.index(of: name, hash: hash) { return index }
        let isRequest = RequestName.isRequest(name)
        var key: [UInt8] = []
        swap(&key, &room)
        key.removeAll(keepingCapacity: true)
        key.append(isRequest ? 1 : 0)
        ScopeKey.append(name: name, to: &key)
        let isName = !isRequest && key.span.extracting(1..<key.count).equals(name)
        let keyHash = isName ? own : seed.mixed(seed.hash(of: key.span.extracting(1..<key.count)), isRequest ? 1 : 0)
        let index = index(ofKey: key.span, hash: keyHash, isRequest: isRequest)
        swap(&key, &room)
        if isName, index < areNames.count {
            areNames[index] = true
        } else {
            names.remember(name, hash: hash, index: index)
        }
        return index
    }

    private mutating func index(ofKey key: Span<UInt8>, hash: UInt64, isRequest: Bool) -> Int {
        if let number = keys.number(of: key, hash: hash) { return number }
        // A key that is rejected once is always rejected, because no entry is ever removed.
        guard keys.count < limit else { return .max }
        tallies.append(ScopeTally(isRequest: isRequest))
        areNames.append(false)
        hashes.append(hash)
        return keys.append(key, hash: hash)
    }
}

extension Span<UInt8> {
    /// A request's name up to the query, which is not part of the key; without the query, names recur.
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
    /// The number of Entering rows.
    var entered = 0
    /// The number of Leaving rows, with or without a duration.
    var left = 0
    /// The durations in Leaving rows, in microseconds.
    var durations = DurationHistogram()

    init(isRequest: Bool) { self.isRequest = isRequest }

    /// The number of rows.
    var rows: Int { entered + left }

    /// The number of times that the scope was entered but never left, according to the rows.
    ///
    /// The service does not write every Entering row, because many scopes are logged only when they are left after a
    /// long time. A Leaving row without its Entering row offsets a scope that was entered but not left, so this number
    /// is a minimum.
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

/// A cache of the keys of recent scope names, because computing a key takes longer than looking it up.
struct ScopeNameCache: Sendable {
    /// The maximum number of names; when it is exceeded, all are discarded, but frequent names are soon cached again.
    static let maximumNames = 8192
    /// The maximum number of bytes of names; when it is exceeded, all are discarded.
    private static let maximumBytes = 1 << 20
    /// The maximum length of a cached name, in bytes; longer names hardly ever recur.
    private static let longestName = 1024

    private var names = ByteStringTable()
    /// The indices, by the name's number.
    private var indices: [Int] = []

    /// Returns the cached index for a name.
    func index(of name: Span<UInt8>, hash: UInt64) -> Int? {
        names.number(of: name, hash: hash).map { indices[$0] }
    }

    /// Caches a name that has not been cached yet.
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

/// A histogram of durations in microseconds, which also gives quantiles.
///
/// Buckets grow with the durations: each power of two is divided into 64 buckets of equal width, so a duration read
/// back differs from the counted duration by at most ``relativeError``; below 128 µs, it is exact. Only nonempty
/// buckets take memory, eight bytes each. The bucket that counts a duration depends only on the duration, so merging
/// the parts in any order gives the histogram of the whole.
public struct DurationHistogram: Hashable, Sendable {
    /// The greatest error of ``duration(ofShare:)``, relative to the counted duration: half a bucket.
    public static let relativeError = 1.0 / 128

    /// The number of durations counted.
    public private(set) var count = 0
    /// The sum of the durations, in microseconds, which is exact up to the greatest `Int64`.
    package private(set) var total: Int64 = 0
    /// The exact longest duration, in microseconds; zero if there is none.
    package private(set) var max: Int64 = 0
    /// The only bucket, as long as all durations are about the same length: on a farm with many scopes, most have only
    /// one or two durations, and an array for each of them would take longer than everything else.
    private var only = Bucket.empty
    /// The buckets in ascending order, once there are two.
    private var many: [Bucket] = []

    /// Creates an empty histogram.
    public init() {}

    /// Counts a duration; a negative duration counts as zero.
    package mutating func add(_ duration: Int64) {
        let duration = Swift.max(0, duration)
        count += 1
        total = Self.sum(total, duration)
        max = Swift.max(max, duration)
        add(Bucket(holding: duration))
    }

    private mutating func add(_ bucket: Bucket) {
        guard !many.isEmpty else { return addFirst(bucket) }
        let place = firstPlace(notBelow: bucket.number)
        if place < many.count, many[place].number == bucket.number {
            many[place].count += bucket.count
        } else {
            many.insert(bucket, at: place)
        }
    }

    private mutating func addFirst(_ bucket: Bucket) {
        if only.count == 0 {
            only = bucket
        } else if only.number == bucket.number {
            only.count += bucket.count
        } else {
            many.reserveCapacity(Self.fewBuckets)
            many.append(only.number < bucket.number ? only : bucket)
            many.append(only.number < bucket.number ? bucket : only)
            only = .empty
        }
    }

    private static let fewBuckets = 4

    /// Counts everything that `other` has counted.
    public mutating func merge(_ other: DurationHistogram) {
        count += other.count
        total = Self.sum(total, other.total)
        max = Swift.max(max, other.max)
        if other.only.count > 0 {
            add(other.only)
        } else if many.isEmpty {
            let own = only
            (only, many) = (.empty, other.many)
            if own.count > 0 { add(own) }
        } else if other.many.count <= Self.fewBuckets {
            for bucket in other.many { add(bucket) }
        } else {
            mergeMany(other.many)
        }
    }

    /// Adds buckets in place, the longest durations first, so that no bucket is moved twice.
    private mutating func mergeMany(_ others: [Bucket]) {
        let added = others.count { bucket in
            let place = firstPlace(notBelow: bucket.number)
            return place == many.count || many[place].number != bucket.number
        }
        var (mine, theirs) = (many.count - 1, others.count - 1)
        many.append(contentsOf: others.prefix(added))
        var place = many.count - 1
        while theirs >= 0 {
            let two = others[theirs]
            if mine >= 0, many[mine].number >= two.number {
                many[place] = many[mine]
                mine -= 1
                if many[place].number == two.number {
                    many[place].count += two.count
                    theirs -= 1
                }
            } else {
                many[place] = two
                theirs -= 1
            }
            place -= 1
        }
    }

    /// Returns the duration, in microseconds, that this share of durations does not exceed; nil if there are no
    /// durations.
    ///
    /// A share of 0.5 gives the median; 0.95 gives the duration that all but one in twenty do not exceed.
    package func quantile(_ share: Double) -> Int64? {
        guard count > 0 else { return nil }
        let share = share > 0 ? Swift.min(share, 1) : 0
        let rank = Swift.max(1, Int((Double(count) * share).rounded(.up)))
        guard rank < count else { return max }
        guard only.count == 0 else { return Swift.min(only.middle, max) }
        var seen = 0
        for bucket in many {
            seen += bucket.count
            if seen >= rank { return Swift.min(bucket.middle, max) }
        }
        return max
    }

    /// Returns, for each bound in microseconds, the number of durations below it but not below the previous bound; the
    /// last number counts durations at or above the last bound.
    ///
    /// A duration within ``relativeError`` of a bound may be counted on the other side of it.
    package func counts(between bounds: [Int64]) -> [Int] {
        var counts = Array(repeating: 0, count: bounds.count + 1)
        for bucket in many.isEmpty ? [only] : many where bucket.count > 0 {
            counts[bounds.firstIndex { bucket.middle < $0 } ?? bounds.count] += bucket.count
        }
        return counts
    }

    /// Returns the number of durations that are longer than, or about as long as, this one in microseconds.
    package func count(above duration: Int64) -> Int {
        let number = Bucket(holding: duration).number
        return many.reduce(only.number > number ? only.count : 0) { $1.number > number ? $0 + $1.count : $0 }
    }

    private static func sum(_ one: Int64, _ two: Int64) -> Int64 {
        let (sum, isTooGreat) = one.addingReportingOverflow(two)
        return isTooGreat ? .max : sum
    }

    private func firstPlace(notBelow number: Int) -> Int {
        let buckets = many.span
        var low = 0
        var rest = buckets.count
        // The half to search is unpredictable, so a sum costs less than a mispredicted branch.
        while rest > 0 {
            let half = (rest &+ 1) / 2
            let isBelow = (buckets[low &+ half &- 1].number &- number) &>> (Int.bitWidth &- 1)
            low &+= half & isBelow
            rest &-= half
        }
        return low
    }
}

extension DurationHistogram {
    /// The number of durations of about the same length.
    ///
    /// The number and count share one word, because there are 3,712 bucket numbers, and always fewer than 2⁴⁸ rows.
    private struct Bucket: Hashable, Sendable {
        private static let countBits = 48
        private static let stepBits = 6

        private var packed: UInt64

        /// A bucket without durations.
        static let empty = Bucket(packed: 0)

        private init(packed: UInt64) { self.packed = packed }

        /// Creates the bucket that a duration falls in, with a count of one.
        init(holding duration: Int64) {
            let value = Int(Swift.max(0, duration))
            let highestBit = Int.bitWidth - 1 - value.leadingZeroBitCount
            let shift = Swift.max(0, highestBit - Self.stepBits)
            let number = (shift << Self.stepBits) + (value >> shift)
            packed = UInt64(number) << Self.countBits | 1
        }

        /// The position among all buckets, shortest durations first.
        var number: Int { Int(packed >> Self.countBits) }

        var count: Int {
            get { Int(packed & (1 << Self.countBits - 1)) }
            set { packed = UInt64(number) << Self.countBits | UInt64(newValue) & (1 << Self.countBits - 1) }
        }

        /// The middle of the durations that fall in this bucket.
        var middle: Int64 {
            let shift = Swift.max(0, number >> Self.stepBits - 1)
            let lowest = Int64(number - shift << Self.stepBits) << shift
            return lowest + (Int64(1) << shift - 1) / 2
        }
    }
}

extension DurationHistogram {
    /// Counts a duration to the microsecond; a negative duration counts as zero.
    public mutating func add(_ duration: Duration) { add(duration.microseconds) }

    /// The sum of all durations.
    public var sum: Duration { .microseconds(total) }

    /// The longest duration; zero if there is none.
    public var longest: Duration { .microseconds(max) }

    /// Returns the duration that this share of durations does not exceed; `nil` if there are no durations.
    ///
    /// A share of 0.5 gives the median; 0.95 gives the duration that all but one in twenty do not exceed.
    public func duration(ofShare share: Double) -> Duration? { quantile(share).map { .microseconds($0) } }
}

/// The durations of requests and jobs by method and path, without the parts that differ between requests.
///
/// The first ``LogLimit/scopes`` kinds have their own durations; ``beyondLimit`` counts the others.
public struct RequestDurations: Sendable {
    /// The durations by kind: `GET /sites/a/Lists/L/AllItems.aspx`, `Timer Job job-upgrade-sites`.
    public private(set) var kinds: [String: DurationHistogram] = [:]
    /// The number of requests of kinds beyond the limit.
    public private(set) var beyondLimit = 0

    /// Creates an empty collection.
    public init() {}

    /// Counts a request.
    ///
    /// - Parameters:
    ///   - name: The name, as written in rows: `Request (GET:http://portal/a?b)`.
    ///   - duration: The duration in microseconds.
    public mutating func add(name: String, duration: Int64) {
        let key = Self.key(of: name)
        guard kinds[key] != nil || kinds.count < LogLimit.scopes.maximum else {
            beyondLimit += 1
            return
        }
        kinds[key, default: DurationHistogram()].add(duration)
    }

    /// Returns the key under which requests with a name are counted.
    public static func key(of name: String) -> String {
        var bytes: [UInt8] = []
        ScopeKey.append(name: name.utf8.span, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

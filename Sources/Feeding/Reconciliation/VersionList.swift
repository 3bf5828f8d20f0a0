package import ContentFeeding
import Glibc

/// The IDs of one side, each with the digest of its version, sorted by their bytes.
///
/// Entries that do not fit into memory are stored in an unnamed file, in sorted runs, which are merged while being
/// read.
package struct VersionList: Sendable {
    let runs: [VersionRun]
    /// The number of entries, including duplicates.
    package let count: Int
    /// The total memory for reading all runs, in bytes.
    let readingMemory: Int
    /// Whether the entries arrived in order, so no sorting was needed.
    package let cameInOrder: Bool
}

/// A sorted piece of a list, in memory or in a file.
enum VersionRun: Sendable {
    case resident([UInt8])
    case spilled(SpillFile, from: Int, to: Int)
}

/// A builder that sorts the versions of one side in bounded memory.
package struct VersionListBuilder: Sendable {
    private let space: SpillSpace
    private let memory: Int
    /// The records that have not been added to a run yet.
    private var records: [UInt8] = []
    private var recordCount = 0
    /// The position of the last of these records.
    private var last: Int?
    private var isInOrder = true
    /// The common prefix of all IDs so far; sorting by a few bytes after it is nearly enough to sort the IDs.
    private var prefix: [UInt8]?
    private var runs: [VersionRun] = []
    private var file: SpillFile?
    private var written = 0
    /// The last ID of the last run, which is extended if the next records are in order.
    private var lastOfRun: [UInt8]?
    private var hasSorted = false
    private var count = 0

    /// The number of bytes written to the file at once.
    private static let pieceBytes = 256 << 10
    /// The memory for sorting a record, in bytes, in addition to the record itself: a position and a key, plus half of
    /// their size for the sort.
    private static let sortingBytes = 24

    /// Creates a builder that uses about `memory` bytes at most, and spills into `space`.
    package init(in space: SpillSpace, memory: Int = 16 << 20) {
        self.space = space
        self.memory = max(memory, 4 << 10)
    }

    /// Appends versions in the order in which they arrive.
    package mutating func append(_ versions: PackedVersions) throws(SpillError) {
        let bytes = versions.bytes
        var start = 0
        while start < bytes.count {
            let end = PackedRecord.end(of: start, in: bytes)
            note(start: start, end: end, in: bytes)
            start = end
        }
        count += versions.count
        if needed >= memory || isInOrder && needed >= memory / 4 && continuesRun { try spill() }
    }

    /// The memory for the records, in bytes, including the memory for sorting.
    private var needed: Int { isInOrder ? records.count : 2 * records.count + recordCount * Self.sortingBytes }

    /// Whether the records can become the first run, or follow the last run.
    private var continuesRun: Bool {
        guard let lastOfRun else { return runs.isEmpty }
        return PackedRecord.order(lastOfRun, lastOfRun.indices, records, PackedRecord.id(at: 0, in: records)) <= 0
    }

    /// Appends one version.
    package mutating func append(_ id: DocumentID, _ digest: UInt64) throws(SpillError) {
        var one = PackedVersions()
        one.append(id.utf8, digest)
        try append(one)
    }

    /// Returns the list of all appended versions.
    package consuming func finish() throws(SpillError) -> VersionList {
        if runs.isEmpty {
            // All records fit in memory.
            sort()
            runs = records.isEmpty ? [] : [.resident(records)]
        } else if !records.isEmpty {
            try spill()
        }
        return VersionList(runs: runs, count: count, readingMemory: memory, cameInOrder: !hasSorted && runs.count <= 1)
    }

    /// Copies a record, and records whether it is in order.
    private mutating func note(start: Int, end: Int, in bytes: [UInt8]) {
        let id = PackedRecord.id(at: start, to: end)
        shortenPrefix(to: id, in: bytes)
        if let last, isInOrder {
            let before = PackedRecord.id(at: last, in: records)
            isInOrder = PackedRecord.order(records, before, bytes, id) <= 0
        }
        last = records.count
        recordCount += 1
        records.append(contentsOf: bytes[start..<end])
    }

    private mutating func shortenPrefix(to id: Range<Int>, in bytes: [UInt8]) {
        guard let known = prefix else {
            prefix = Array(bytes[id])
            return
        }
        var same = 0
        let most = min(known.count, id.count)
        while same < most, known[same] == bytes[id.lowerBound + same] { same += 1 }
        if same < known.count { prefix = Array(known[..<same]) }
    }

    /// Writes the records as a run, or as the rest of the last run if they follow it.
    private mutating func spill() throws(SpillError) {
        sort()
        let file: SpillFile
        if let known = self.file { file = known } else { file = try SpillFile(in: space) }
        self.file = file
        let start = written
        var place = 0
        while place < records.count {
            let piece = Array(records[place..<min(place + Self.pieceBytes, records.count)])
            try file.write(piece, at: written)
            written += piece.count
            place += piece.count
        }
        if continuesRun, case .spilled(let file, let from, _)? = runs.popLast() {
            runs.append(.spilled(file, from: from, to: written))
        } else {
            runs.append(.spilled(file, from: start, to: written))
        }
        lastOfRun = last.map { Array(records[PackedRecord.id(at: $0, in: records)]) }
        records.removeAll(keepingCapacity: true)
        (recordCount, last, isInOrder) = (0, nil, true)
    }

    /// Sorts the records; equal IDs keep their order.
    private mutating func sort() {
        guard !isInOrder else { return }
        hasSorted = true
        let skipped = prefix?.count ?? 0
        var places: [Place] = []
        places.reserveCapacity(recordCount)
        var start = 0
        while start < records.count {
            let id = PackedRecord.id(at: start, in: records)
            places.append(Place(key: PackedRecord.key(records, id, after: skipped), start: UInt32(start)))
            start = PackedRecord.end(of: start, in: records)
        }
        let bytes = records
        places.sort { first, second in
            guard first.key == second.key else { return first.key < second.key }
            let order = PackedRecord.order(
                bytes,
                PackedRecord.id(at: Int(first.start), in: bytes),
                bytes,
                PackedRecord.id(at: Int(second.start), in: bytes)
            )
            return order == 0 ? first.start < second.start : order < 0
        }
        var sorted: [UInt8] = []
        sorted.reserveCapacity(bytes.count)
        for place in places {
            last = sorted.count
            sorted.append(contentsOf: bytes[Int(place.start)..<PackedRecord.end(of: Int(place.start), in: bytes)])
        }
        records = sorted
        isInOrder = true
    }

    /// A record: the bytes after the common prefix of all IDs, and its position.
    private struct Place {
        let key: UInt64
        let start: UInt32
    }
}

/// The layout of a record in ``PackedVersions``.
enum PackedRecord {
    /// Returns the end of the record that begins at `start`.
    static func end(of start: Int, in bytes: [UInt8]) -> Int {
        start + PackedVersions.overhead + 1 + Int(bytes[start]) + Int(bytes[start + 1]) << 8
    }

    /// Returns the range of a record's ID.
    static func id(at start: Int, in bytes: [UInt8]) -> Range<Int> { id(at: start, to: end(of: start, in: bytes)) }

    /// Returns the range of the ID in the record from `start` to `end`.
    static func id(at start: Int, to end: Int) -> Range<Int> { (start + 2)..<(end - 8) }

    static func digest(_ bytes: [UInt8], before end: Int) -> UInt64 {
        bytes.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: end - 8, as: UInt64.self)) }
    }

    /// Returns up to eight bytes of an ID as a number with the same order.
    static func key(_ bytes: [UInt8], _ id: Range<Int>, after skipped: Int) -> UInt64 {
        var key: UInt64 = 0
        let start = min(id.lowerBound + skipped, id.upperBound)
        for place in 0..<8 {
            key <<= 8
            if start + place < id.upperBound { key |= UInt64(bytes[start + place]) }
        }
        return key
    }

    /// Compares two IDs by their bytes; the result is negative, zero or positive.
    static func order(_ left: [UInt8], _ leftID: Range<Int>, _ right: [UInt8], _ rightID: Range<Int>) -> Int {
        let order = left.withUnsafeBytes { left in
            right.withUnsafeBytes { right in
                UnsafeRawBufferPointer(rebasing: left[leftID])
                    .order(UnsafeRawBufferPointer(rebasing: right[rightID]))
            }
        }
        return order == 0 ? leftID.count - rightID.count : order
    }
}

/// A reader of a list with any number of runs, which returns one ID after another, in order.
struct VersionListReader {
    /// The ID that was read last.
    private(set) var id: [UInt8] = []
    /// The digest of the ID's version; if the ID occurs more than once, the digest of the first entry.
    private(set) var digest: UInt64 = 0
    /// The number of times the ID occurs.
    private(set) var copies = 0

    private var cursors: [RunCursor] = []
    /// The indices of the cursors, as a heap with the lowest ID on top.
    private var heap: [Int] = []

    /// The number of bytes read from a run at once, which is lower if there are many runs.
    private static let pieceBytes = 4 << 10...128 << 10

    init(_ list: VersionList) throws(SpillError) {
        // A cursor holds one piece, and temporarily two more while its buffer grows.
        let share = list.readingMemory / max(1, list.runs.count) / 3
        let piece = min(max(share, Self.pieceBytes.lowerBound), Self.pieceBytes.upperBound)
        for run in list.runs {
            var cursor = RunCursor(run, pieceBytes: piece)
            if try cursor.advance() { cursors.append(cursor) }
        }
        heap = Array(cursors.indices)
        for place in heap.indices.reversed() { sink(place) }
    }

    /// Reads the next ID; returns `false` at the end.
    mutating func next() throws(SpillError) -> Bool {
        guard let first = heap.first else { return false }
        cursors[first].copyID(to: &id)
        digest = cursors[first].digest
        copies = 1
        try advance(first)
        while let first = heap.first, cursors[first].hasID(id) {
            copies += 1
            try advance(first)
        }
        return true
    }

    /// Advances the cursor at the top of the heap.
    private mutating func advance(_ first: Int) throws(SpillError) {
        if try !cursors[first].advance() {
            let last = heap.removeLast()
            guard !heap.isEmpty else { return }
            heap[0] = last
        }
        if heap.count > 1 { sink(0) }
    }

    private mutating func sink(_ start: Int) {
        var place = start
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count {
                if isBefore(heap[child], heap[least]) { least = child }
            }
            guard least != place else { return }
            heap.swapAt(place, least)
            place = least
        }
    }

    /// Returns whether the ID of the first cursor precedes the ID of the second; if the IDs are equal, the earlier run
    /// comes first.
    private func isBefore(_ left: Int, _ right: Int) -> Bool {
        let order = cursors[left].order(cursors[right])
        return order == 0 ? left < right : order < 0
    }
}

/// A position in the records of one run.
private struct RunCursor {
    private let file: SpillFile?
    private let pieceBytes: Int
    /// The part of the file that has not been read yet.
    private var rest: Range<Int>
    private var bytes: [UInt8]
    /// The range of the current record's ID in the buffer, and the start of the next record.
    private var id = 0..<0
    private var end = 0

    init(_ run: VersionRun, pieceBytes: Int) {
        self.pieceBytes = pieceBytes
        switch run {
        case .resident(let records): (file, rest, bytes) = (nil, 0..<0, records)
        case .spilled(let spilled, let from, let to): (file, rest, bytes) = (spilled, from..<to, [])
        }
    }

    /// Advances to the next record; returns `false` at the end.
    mutating func advance() throws(SpillError) -> Bool {
        // The length of a record must be read before its end is known.
        if bytes.count - end < 2 || bytes.count < PackedRecord.end(of: end, in: bytes) {
            guard try fill() else { return false }
        }
        let start = end
        end = PackedRecord.end(of: start, in: bytes)
        id = PackedRecord.id(at: start, to: end)
        return true
    }

    var digest: UInt64 { PackedRecord.digest(bytes, before: end) }

    func copyID(to target: inout [UInt8]) {
        target.removeAll(keepingCapacity: true)
        target.append(contentsOf: bytes[id])
    }

    func hasID(_ other: [UInt8]) -> Bool {
        id.count == other.count && PackedRecord.order(bytes, id, other, other.indices) == 0
    }

    func order(_ other: RunCursor) -> Int { PackedRecord.order(bytes, id, other.bytes, other.id) }

    /// Reads until a complete record is available; returns `false` at the end.
    private mutating func fill() throws(SpillError) -> Bool {
        bytes.removeFirst(end)
        end = 0
        while bytes.count < 2 || bytes.count < PackedRecord.end(of: 0, in: bytes) {
            guard let file, !rest.isEmpty else {
                guard bytes.isEmpty else { throw SpillError("a file of IDs ends in the middle of one") }
                return false
            }
            let piece = try file.read(at: rest.lowerBound, count: min(pieceBytes, rest.count))
            guard !piece.isEmpty else { throw SpillError("a file of IDs has been truncated") }
            bytes += piece
            rest = (rest.lowerBound + piece.count)..<rest.upperBound
        }
        return true
    }
}

extension UnsafeRawBufferPointer {
    /// Compares the bytes up to the length of the shorter buffer; the result is negative, zero or positive.
    func order(_ other: UnsafeRawBufferPointer) -> Int {
        guard let left = baseAddress, let right = other.baseAddress else { return 0 }
        return Int(memcmp(left, right, Swift.min(count, other.count)))
    }
}

/// A difference between the source and the collection in one document.
package struct Difference: Hashable, Sendable {
    /// The kind of the difference.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Only the source has the document.
        case missing
        /// Both sides have the document, in different versions.
        case stale
        /// Only the collection has the document.
        case orphaned
        /// One of the sides has the document more than once, so the intended version is unknown.
        case duplicate
    }

    /// The kind of the difference.
    package let kind: Kind
    /// The document's ID.
    package let id: DocumentID
    /// The digest of the source's version; 0 if it has none.
    let version: UInt64

    init(_ kind: Kind, _ id: DocumentID, version: UInt64) {
        (self.kind, self.id, self.version) = (kind, id, version)
    }
}

/// The counts of a comparison by ID: each ID of a side is counted once.
package struct ComparisonCounts: Hashable, Sendable {
    /// The number of distinct IDs in the source.
    package var source = 0
    /// The number of distinct IDs in the collection.
    package var collection = 0
    /// IDs that both sides have in the same version.
    package var same = 0
    /// IDs that only the source has.
    package var missing = 0
    /// IDs that both sides have in different versions.
    package var stale = 0
    /// IDs that only the collection has.
    package var orphaned = 0
    /// IDs that one of the sides has more than once.
    package var duplicate = 0
    /// The number of differences that no longer existed when they were checked again.
    package var settled = 0

    /// Creates counts of zero.
    package init() {}

    /// The number of differences of a kind.
    package subscript(kind: Difference.Kind) -> Int {
        get {
            switch kind {
            case .missing: missing
            case .stale: stale
            case .orphaned: orphaned
            case .duplicate: duplicate
            }
        }
        set {
            switch kind {
            case .missing: missing = newValue
            case .stale: stale = newValue
            case .orphaned: orphaned = newValue
            case .duplicate: duplicate = newValue
            }
        }
    }
}

/// A comparison of the entries of a source and a collection, in the order of IDs.
package struct Comparison {
    /// The counts so far.
    package private(set) var counts = ComparisonCounts()

    private var source: VersionListReader
    private var collection: VersionListReader
    private var hasSource: Bool
    private var hasCollection: Bool
    private let pages = DocumentIDPages()
    private let progress: ReconciliationProgress?
    /// The number of entries and documents that were compared but have not been added to the progress yet.
    private var unnoted = 0

    /// The number of IDs after which progress is recorded, because there may be millions of IDs between two
    /// differences.
    private static let notedCount = 4_096

    /// Starts comparing two lists, and records in `progress` how many entries and documents have been compared.
    package init(
        source: VersionList,
        collection: VersionList,
        progress: ReconciliationProgress? = nil
    ) throws(SpillError) {
        self.progress = progress
        self.source = try VersionListReader(source)
        self.collection = try VersionListReader(collection)
        hasSource = try self.source.next()
        hasCollection = try self.collection.next()
    }

    /// Returns the next differences, at most `limit`; empty at the end.
    package mutating func next(_ limit: Int) throws -> [Difference] {
        var differences: [Difference] = []
        defer { note() }
        while differences.count < limit, hasSource || hasCollection {
            let order = order
            if order <= 0 { counts.source += 1 }
            if order >= 0 { counts.collection += 1 }
            if let kind = kind(order) {
                counts[kind] += 1
                let id = order <= 0 ? source.id : collection.id
                let version = order <= 0 ? source.digest : 0
                differences.append(Difference(kind, try pages.id(utf8: id.span), version: version))
            } else {
                counts.same += 1
            }
            unnoted += (order <= 0 ? source.copies : 0) + (order >= 0 ? collection.copies : 0)
            if unnoted >= Self.notedCount { note() }
            if order <= 0 { hasSource = try source.next() }
            if order >= 0 { hasCollection = try collection.next() }
        }
        return differences
    }

    private mutating func note() {
        progress?.note(done: unnoted)
        unnoted = 0
    }

    /// A number that indicates which side has the lower ID: negative for the source, zero if the IDs are equal,
    /// positive for the collection.
    private var order: Int {
        guard hasSource else { return 1 }
        guard hasCollection else { return -1 }
        return PackedRecord.order(source.id, source.id.indices, collection.id, collection.id.indices)
    }

    private func kind(_ order: Int) -> Difference.Kind? {
        if order <= 0, source.copies > 1 { return .duplicate }
        if order >= 0, collection.copies > 1 { return .duplicate }
        if order < 0 { return .missing }
        if order > 0 { return .orphaned }
        return source.digest == collection.digest && source.digest != 0 ? nil : .stale
    }
}

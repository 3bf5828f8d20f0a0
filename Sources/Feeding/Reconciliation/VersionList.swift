public import ContentFeeding

/// The IDs of one side, each with the digest of its version, in the order of their bytes.
///
/// What does not fit into memory is in an unnamed file, in sorted runs, which are merged as they are read.
public struct VersionList: Sendable {
    let runs: [VersionRun]
    /// The entries, each as often as it came.
    public let count: Int
    /// The bytes that a reader of all runs together may hold.
    let readingMemory: Int
    /// Whether it came in order, so that nothing had to be sorted.
    public let cameInOrder: Bool
}

/// A sorted piece of a list, in memory or in a file.
enum VersionRun: Sendable {
    case resident([UInt8])
    case spilled(SpillFile, from: Int, to: Int)
}

/// Sorts the versions of one side in bounded memory.
public struct VersionListBuilder: Sendable {
    private let space: SpillSpace
    private let memory: Int
    /// The records that are in no run yet.
    private var records: [UInt8] = []
    private var recordCount = 0
    /// The place of the last of these records.
    private var last: Int?
    private var isInOrder = true
    /// The bytes with which all IDs so far begin: an order by the few bytes behind them is nearly that of the IDs.
    private var prefix: [UInt8]?
    private var runs: [VersionRun] = []
    private var file: SpillFile?
    private var written = 0
    /// The last ID of the last run, which a run that comes in order continues.
    private var lastOfRun: [UInt8]?
    private var hasSorted = false
    private var count = 0

    /// The bytes that are written to the file at once.
    private static let pieceBytes = 256 << 10
    /// What sorting takes for each record beside its bytes: a place and a key, and half of that again for the sort.
    private static let sortingBytes = 24

    /// Creates a builder that holds at most about `memory` bytes, and spills into `space`.
    public init(in space: SpillSpace, memory: Int = 16 << 20) {
        self.space = space
        self.memory = max(memory, 4 << 10)
    }

    /// Appends versions in the order in which they come.
    public mutating func append(_ versions: PackedVersions) throws(SpillError) {
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

    /// The bytes that hold the records, and while they are sorted.
    private var needed: Int { isInOrder ? records.count : 2 * records.count + recordCount * Self.sortingBytes }

    /// Whether the records can be the first run, or follow the last one.
    private var continuesRun: Bool {
        guard let lastOfRun else { return runs.isEmpty }
        return PackedRecord.order(lastOfRun, lastOfRun.indices, records, PackedRecord.id(at: 0, in: records)) <= 0
    }

    /// Appends one version.
    public mutating func append(_ id: DocumentID, _ digest: UInt64) throws(SpillError) {
        var one = PackedVersions()
        one.append(id.utf8, digest)
        try append(one)
    }

    /// Returns the list of all that was appended.
    public consuming func finish() throws(SpillError) -> VersionList {
        if runs.isEmpty {
            // All of it fits into memory.
            sort()
            runs = records.isEmpty ? [] : [.resident(records)]
        } else if !records.isEmpty {
            try spill()
        }
        return VersionList(runs: runs, count: count, readingMemory: memory, cameInOrder: !hasSorted && runs.count <= 1)
    }

    /// Copies a record, and notes whether it is in order.
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

    /// Sorts the records; equal IDs stay in the order in which they came.
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

    /// A record, by the bytes that follow what all IDs begin with, and where it is.
    private struct Place {
        let key: UInt64
        let start: UInt32
    }
}

/// The form of a record of ``PackedVersions``.
enum PackedRecord {
    /// Returns where the record that begins at `start` ends.
    static func end(of start: Int, in bytes: [UInt8]) -> Int {
        start + PackedVersions.overhead + 1 + Int(bytes[start]) + Int(bytes[start + 1]) << 8
    }

    /// Returns where the ID of a record is.
    static func id(at start: Int, in bytes: [UInt8]) -> Range<Int> { id(at: start, to: end(of: start, in: bytes)) }

    /// Returns where the ID of the record from `start` to `end` is.
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

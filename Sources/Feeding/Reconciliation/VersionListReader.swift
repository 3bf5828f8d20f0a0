import ContentFeeding
import Glibc

/// Reads a list in order, one ID after the other, whatever the number of its runs.
struct VersionListReader {
    /// The ID that was read last.
    private(set) var id: [UInt8] = []
    /// The digest of its version; of the first one, if it came more than once.
    private(set) var digest: UInt64 = 0
    /// How often the ID came.
    private(set) var copies = 0

    private var cursors: [RunCursor] = []
    /// The places of cursors, as a heap: the one with the lowest ID first.
    private var heap: [Int] = []

    /// The bytes that are read of a run at once: fewer where there are many runs.
    private static let pieceBytes = 4 << 10...128 << 10

    init(_ list: VersionList) throws(SpillError) {
        // A cursor holds a piece, and while it grows another two.
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

    /// Advances the cursor on top of the heap.
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

    /// Whether one cursor's ID comes first; of equal ones, that of the earlier run.
    private func isBefore(_ left: Int, _ right: Int) -> Bool {
        let order = cursors[left].order(cursors[right])
        return order == 0 ? left < right : order < 0
    }
}

/// A place among the records of one run.
private struct RunCursor {
    private let file: SpillFile?
    private let pieceBytes: Int
    /// The part of the file that is still to be read.
    private var rest: Range<Int>
    private var bytes: [UInt8]
    /// The current record's ID in these bytes, and where the next record begins.
    private var id = 0..<0
    private var end = 0

    init(_ run: VersionRun, pieceBytes: Int) {
        self.pieceBytes = pieceBytes
        switch run {
        case .resident(let records): (file, rest, bytes) = (nil, 0..<0, records)
        case .spilled(let spilled, let from, let to): (file, rest, bytes) = (spilled, from..<to, [])
        }
    }

    /// Goes on to the next record; returns `false` at the end.
    mutating func advance() throws(SpillError) -> Bool {
        // A record's length must be there before its end is known.
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

    /// Reads on until a whole record is there; returns `false` at the end.
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
    /// Compares the bytes at positions that both have; the result is negative, zero or positive.
    func order(_ other: UnsafeRawBufferPointer) -> Int {
        guard let left = baseAddress, let right = other.baseAddress else { return 0 }
        return Int(memcmp(left, right, Swift.min(count, other.count)))
    }
}

import ContentFeeding

/// IDs in a file without a name: for each its length in four bytes, then its bytes.
struct SpilledIDs: Sendable {
    private(set) var count = 0
    private let store: HeldOperations.Store
    private var file: SpillFile?
    private var written = 0
    private var buffer: [UInt8] = []

    private static let pieceSize = 256 << 10

    init(in store: HeldOperations.Store) { self.store = store }

    mutating func append(_ id: DocumentID) throws(SpillError) {
        count += 1
        let length = UInt32(id.byteCount)
        for shift in [0, 8, 16, 24] as [UInt32] { buffer.append(UInt8(truncatingIfNeeded: length >> shift)) }
        id.utf8.withUnsafeBufferPointer { buffer.append(contentsOf: $0) }
        if buffer.count >= Self.pieceSize { try finish() }
    }

    /// Writes what is not written yet.
    mutating func finish() throws(SpillError) {
        guard !buffer.isEmpty else { return }
        guard written + buffer.count <= store.maximumBytes else {
            throw SpillError("held IDs need more than \(store.maximumBytes) bytes in \(store.directory)")
        }
        if file == nil { file = try SpillFile(in: store.directory) }
        try file?.write(buffer, at: written)
        written += buffer.count
        buffer.removeAll(keepingCapacity: true)
    }

    /// Reads the IDs back in their order.
    struct Reader {
        private let ids: SpilledIDs
        private let pages = DocumentIDPages()
        private var offset = 0
        private var piece: [UInt8] = []
        private var index = 0

        init(_ ids: SpilledIDs) { self.ids = ids }

        /// Up to `count` further IDs, and no more once they weigh `maximumBytes`; none at the end.
        mutating func next(_ count: Int, ofBytes maximumBytes: Int) throws -> [DocumentID] {
            var result: [DocumentID] = []
            var bytes = 0
            while result.count < count, bytes < maximumBytes, let id = try next() {
                bytes += id.byteCount
                result.append(id)
            }
            return result
        }

        private mutating func next() throws -> DocumentID? {
            while true {
                if piece.count >= index + 4 {
                    let length = (0..<4).reduce(0) { $0 | Int(piece[index + $1]) << ($1 * 8) }
                    if piece.count >= index + 4 + length {
                        defer { index += 4 + length }
                        return try pages.id(utf8: piece[(index + 4)..<(index + 4 + length)].span)
                    }
                }
                guard let file = ids.file, offset < ids.written else { return nil }
                piece.removeFirst(index)
                index = 0
                let bytes = try file.read(at: offset, count: min(SpilledIDs.pieceSize, ids.written - offset))
                guard !bytes.isEmpty else {
                    throw SpillError("a file with held IDs in \(ids.store.directory) has become shorter")
                }
                piece += bytes
                // A read may give less than it was asked for.
                offset += bytes.count
            }
        }
    }
}

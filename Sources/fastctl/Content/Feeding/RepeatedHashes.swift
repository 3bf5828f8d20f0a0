import ContentFeeding

/// Finds out which of very many hashes occur more than once.
///
/// Beyond a few million, they are on disk, and are looked at a part at a time.
struct RepeatedHashes {
    private let space: SpillSpace
    private let most: Int
    private var hashes: [UInt64] = []
    private var file: SpillFile?
    private var written = 0

    private static let width = MemoryLayout<UInt64>.size
    private static let pieceBytes = 1 << 20

    /// Keeps at most `most` hashes in memory.
    init(in space: SpillSpace, most: Int = 4_000_000) { (self.space, self.most) = (space, most) }

    mutating func note(_ hash: UInt64) throws(SpillError) {
        hashes.append(hash)
        if hashes.count >= most { try spill() }
    }

    private mutating func spill() throws(SpillError) {
        let file: SpillFile
        if let open = self.file { file = open } else { file = try SpillFile(in: space) }
        self.file = file
        var bytes: [UInt8] = []
        bytes.reserveCapacity(hashes.count * Self.width)
        for hash in hashes { withUnsafeBytes(of: hash) { bytes.append(contentsOf: $0) } }
        try file.write(bytes, at: written)
        written += bytes.count
        hashes.removeAll(keepingCapacity: true)
    }

    /// Returns the hashes that occur more than once; `nil` if there are more than `limit`.
    mutating func repeated(limit: Int) throws -> Set<UInt64>? {
        var repeated: Set<UInt64> = []
        guard let file else {
            Self.addRepeated(of: &hashes, to: &repeated)
            return repeated.count > limit ? nil : repeated
        }
        try spill()
        let parts = UInt64(written / Self.width / most + 1)
        for part in 0..<parts {
            var own: [UInt64] = []
            var offset = 0
            while offset < written {
                let piece = try file.read(at: offset, count: min(Self.pieceBytes, written - offset))
                let whole = piece.count - piece.count % Self.width
                guard whole > 0 else { throw SpillError("a file of hashes in \(space.directory) has been truncated") }
                piece.withUnsafeBytes { bytes in
                    for place in stride(from: 0, to: whole, by: Self.width) {
                        let hash = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                        if hash % parts == part { own.append(hash) }
                    }
                }
                offset += whole
            }
            Self.addRepeated(of: &own, to: &repeated)
            guard repeated.count <= limit else { return nil }
        }
        return repeated
    }

    private static func addRepeated(of hashes: inout [UInt64], to repeated: inout Set<UInt64>) {
        hashes.sort()
        for (hash, next) in zip(hashes, hashes.dropFirst()) where hash == next { repeated.insert(hash) }
    }
}

/// Which lane a document's operations stand in: a number, so that finding it touches no ID.
///
/// Two documents with the same hash share a lane. Then one of them waits for the other now and then, as operations on
/// the same document do.
struct LaneKey: Hashable {
    /// Never 0.
    let number: UInt32

    init(number: UInt32) { self.number = max(1, number) }
}

/// Finds the lane of a document by its ID.
///
/// A hash of its own and not Swift's, whose seed is the process's: a feed with the same seed must go the same way. With
/// a seed that nobody knows, nobody can choose IDs that all share a lane.
struct LaneHash {
    let seed: UInt64
    /// What counts of the hash: ``FeedConfiguration/laneMask``.
    let mask: UInt32

    func key(of document: DocumentID) -> LaneKey {
        document.utf8.withUnsafeBytes { bytes in
            LaneKey(number: UInt32(truncatingIfNeeded: hash(of: bytes)) & mask)
        }
    }

    private func hash(of bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash = seed ^ UInt64(bytes.count)
        var offset = 0
        while offset + 8 <= bytes.count {
            hash = Self.mixed(hash, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < bytes.count {
            rest = rest << 8 | UInt64(bytes[offset])
            offset += 1
        }
        return Self.mixed(Self.mixed(hash, rest), seed)
    }

    private static func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: word ^ 0xD6E8_FEB8_6659_FD93)
        return product.high ^ product.low
    }
}

import Memory

/// The documents that an input named last: the last million different ones, in at most 20 MB.
///
/// It holds hashes, not IDs: two of 64 bits agree by chance once in 2⁶⁴, so in a feed of a billion documents one is
/// taken for another with a probability of about 1 in 20,000. Nothing but the wording of a warning depends on it.
package struct RecentDocuments {
    /// The hashes in order of arrival; when there are ``capacity``, the next one replaces the oldest.
    private var hashes: [UInt64] = []
    private var oldest = 0
    /// The same hashes as a table with open addressing; 0 is a free place.
    ///
    /// It holds them itself, because a search goes through neighbors: places of a memory that is fetched once.
    private var table = [UInt64](repeating: 0, count: 64)

    /// The number of different documents remembered: 8 bytes each, and 8 bytes for each of ``mostPlaces``.
    let capacity: Int

    private static let mostPlaces = 1_500_000

    package init(capacity: Int = 1_000_000) { self.capacity = min(max(1, capacity), 1_000_000) }

    /// Prefetches what noting a hash needs, which comes after `distance` others: its place, and that of the one it
    /// replaces.
    func prefetch(_ hash: UInt64, after distance: Int) {
        table.prefetch(home(of: hash))
        guard hashes.count == capacity, oldest + distance < capacity else { return }
        table.prefetch(home(of: hashes[oldest + distance]))
    }

    /// Returns whether a document is remembered.
    package func contains(_ hash: UInt64) -> Bool {
        let hash = max(1, hash)
        var place = home(of: hash)
        while table[place] != 0 {
            if table[place] == hash { return true }
            place = following(place)
        }
        return false
    }

    /// Remembers a document; returns whether it was remembered already.
    package mutating func note(_ hash: UInt64) -> Bool {
        let hash = max(1, hash)
        var place = home(of: hash)
        while table[place] != 0 {
            if table[place] == hash { return true }
            place = following(place)
        }
        if hashes.count < capacity {
            if 2 * hashes.count >= table.count, table.count < Self.mostPlaces {
                grow()
                place = freePlace(for: hash)
            }
            hashes.append(hash)
            table[place] = hash
        } else {
            forget(hashes[oldest])
            // What moved up may have left a free place nearer to the hash's own.
            table[freePlace(for: hash)] = hash
            hashes[oldest] = hash
            oldest = oldest + 1 == capacity ? 0 : oldest + 1
        }
        return false
    }

    /// The place where the search for a hash begins.
    private func home(of hash: UInt64) -> Int { Int(hash.multipliedFullWidth(by: UInt64(table.count)).high) }

    private func following(_ place: Int) -> Int { place + 1 == table.count ? 0 : place + 1 }

    private func freePlace(for hash: UInt64) -> Int {
        var place = home(of: hash)
        while table[place] != 0 { place = following(place) }
        return place
    }

    /// Removes a hash from the table, and moves up those behind it whose own place was taken.
    private mutating func forget(_ hash: UInt64) {
        var hole = home(of: hash)
        while table[hole] != hash { hole = following(hole) }
        var next = following(hole)
        while table[next] != 0 {
            let home = home(of: table[next])
            if distance(from: home, to: next) >= distance(from: hole, to: next) {
                table[hole] = table[next]
                hole = next
            }
            next = following(next)
        }
        table[hole] = 0
    }

    private func distance(from start: Int, to end: Int) -> Int {
        end >= start ? end - start : end - start + table.count
    }

    private mutating func grow() {
        table = [UInt64](repeating: 0, count: min(2 * table.count, Self.mostPlaces))
        for hash in hashes { table[freePlace(for: hash)] = hash }
    }
}

import Memory

/// The documents that an input named last: the last million different ones, in at most 16 MB.
///
/// It holds hashes, not IDs: two of 64 bits agree by chance once in 2⁶⁴, so in a feed of a billion documents one is
/// taken for another with a probability of about 1 in 20,000. Nothing but the wording of a warning depends on it.
struct RecentDocuments {
    /// The hashes in order of arrival; when there are ``capacity``, the next one replaces the oldest.
    private var hashes: [UInt64] = []
    private var oldest = 0
    /// A hash table with open addressing: for each hash its index in ``hashes``, from 1 on; 0 is a free place.
    private var places = [UInt32](repeating: 0, count: 64)

    /// The number of different documents remembered: 8 bytes each, and 4 bytes for each of ``mostPlaces``.
    let capacity: Int

    private static let mostPlaces = 1_900_000

    init(capacity: Int = 1_000_000) { self.capacity = min(max(1, capacity), 1_000_000) }

    /// Prefetches the place of a hash that is noted soon.
    func prefetch(_ hash: UInt64) { places.prefetch(home(of: hash)) }

    /// Remembers a document; returns whether it was remembered already.
    mutating func note(_ hash: UInt64) -> Bool {
        var place = home(of: hash)
        while places[place] != 0 {
            if hashes[Int(places[place]) - 1] == hash { return true }
            place = following(place)
        }
        if hashes.count < capacity {
            if 2 * hashes.count >= places.count, places.count < Self.mostPlaces {
                grow()
                place = freePlace(for: hash)
            }
            hashes.append(hash)
            places[place] = UInt32(hashes.count)
        } else {
            forget(oldest)
            // What moved up may have left a free place nearer to the hash's own.
            places[freePlace(for: hash)] = UInt32(oldest + 1)
            hashes[oldest] = hash
            oldest = oldest + 1 == capacity ? 0 : oldest + 1
        }
        return false
    }

    /// The place where the search for a hash begins.
    private func home(of hash: UInt64) -> Int { Int(hash.multipliedFullWidth(by: UInt64(places.count)).high) }

    private func following(_ place: Int) -> Int { place + 1 == places.count ? 0 : place + 1 }

    private func freePlace(for hash: UInt64) -> Int {
        var place = home(of: hash)
        while places[place] != 0 { place = following(place) }
        return place
    }

    /// Removes a hash from the table, and moves up those behind it whose own place was taken.
    private mutating func forget(_ index: Int) {
        var hole = home(of: hashes[index])
        while places[hole] != UInt32(index + 1) { hole = following(hole) }
        var next = following(hole)
        while places[next] != 0 {
            let home = home(of: hashes[Int(places[next]) - 1])
            if distance(from: home, to: next) >= distance(from: hole, to: next) {
                places[hole] = places[next]
                hole = next
            }
            next = following(next)
        }
        places[hole] = 0
    }

    private func distance(from start: Int, to end: Int) -> Int {
        end >= start ? end - start : end - start + places.count
    }

    private mutating func grow() {
        places = [UInt32](repeating: 0, count: min(2 * places.count, Self.mostPlaces))
        for (index, hash) in hashes.enumerated() { places[freePlace(for: hash)] = UInt32(index + 1) }
    }
}

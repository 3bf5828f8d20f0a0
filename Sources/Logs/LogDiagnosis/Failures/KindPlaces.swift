/// The places of kinds that are told apart: as many for what is normal as for all else, so that a new kind has one even
/// where a log's usual ones fill theirs.
struct KindPlaces: Sendable {
    private let normal: Set<UInt64>
    private var taken = 0
    private var takenByNormal = 0

    private static let maximum = DiagnosisLimit.templates.maximum

    init(normal: Set<UInt64> = []) { self.normal = normal }

    /// The same places, none of them taken.
    var emptied: Self { Self(normal: normal) }

    /// Whether a kind may find no place.
    var areScarce: Bool { taken >= Self.maximum || takenByNormal >= Self.maximum }

    func hasRoom(for kind: UInt64) -> Bool {
        taken < Self.maximum && takenByNormal < Self.maximum
            || (normal.contains(kind) ? takenByNormal : taken) < Self.maximum
    }

    mutating func take(_ kind: UInt64) {
        if !normal.isEmpty, normal.contains(kind) { takenByNormal += 1 } else { taken += 1 }
    }
}

/// Kinds that found no place: only their rows are counted.
struct OtherKinds: Sendable {
    /// All rows.
    private(set) var count = 0
    /// Rows by kind.
    private var rows: [UInt64: Int] = [:]
    /// Whether there are kinds that are not among them.
    private(set) var areIncomplete = false

    /// Rows by the kind's ID.
    var byID: [String: Int] { Dictionary(uniqueKeysWithValues: rows.map { (StableHash.text(of: $0.key), $0.value) }) }

    /// Enough for the names of most logs' problems; they need some megabytes.
    static let maximum = 100_000

    mutating func add(_ kind: UInt64, rows added: Int) {
        count += added
        if let known = rows.index(forKey: kind) {
            rows.values[known] += added
        } else if rows.count < Self.maximum {
            rows[kind] = added
        } else {
            areIncomplete = true
        }
    }

    mutating func add(_ other: Self) {
        let counted = other.rows.values.reduce(0, +)
        // In order where not all find room, so that the same ones do each time.
        let fits = rows.count + other.rows.count <= Self.maximum
        for (kind, added) in fits ? Array(other.rows) : other.rows.sorted(by: { $0.key < $1.key }) {
            add(kind, rows: added)
        }
        count += other.count - counted
        areIncomplete = areIncomplete || other.areIncomplete
    }
}

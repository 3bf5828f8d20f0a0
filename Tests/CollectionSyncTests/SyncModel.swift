import CollectionSync

/// The expected collection and copies; each document is a unique number.
struct SyncModel {
    /// A document of the origin: its value, and the number of its last change.
    struct Stored: Hashable {
        var value: Int
        var change: Int

        /// A version that no document has.
        static let unknown = Stored(value: -1, change: -1)
    }

    struct Queued {
        let id: String
        /// The origin's document when the change was made; `nil` if there was none.
        var based: Stored?
        var pulled: Int?
        var wasSent = false
    }

    struct Client {
        var local: [String: Int] = [:]
        /// The known documents of the origin.
        var known: [String: Stored] = [:]
        var queue: [Queued] = []

        func place(of id: String) -> Int? { queue.firstIndex { $0.id == id } }

        mutating func change(_ id: String, to value: Int?) {
            if let place = place(of: id) {
                local[id] = value
                guard value == nil, queue[place].based == nil else { return }
                if queue[place].wasSent {
                    queue[place].based = .unknown
                } else {
                    queue.remove(at: place)
                }
            } else {
                queue.append(Queued(id: id, based: known[id], pulled: local[id]))
                local[id] = value
            }
        }

        mutating func settle(_ id: String, as stored: Stored?) {
            queue.removeAll { $0.id == id }
            (local[id], known[id]) = (stored?.value, stored)
        }

        mutating func lease(_ id: String) {
            if let place = place(of: id) { queue[place].wasSent = true }
        }

        mutating func rebase(_ id: String, on stored: Stored?) {
            guard let place = place(of: id) else { return }
            known[id] = stored
            (queue[place].based, queue[place].pulled) = (stored, stored?.value)
        }
    }

    private(set) var origin: [String: Stored] = [:]
    private var changes = 0
    var clients = [Client(), Client()]
    var conflicts = 0
    var crashes = 0
    var pushed = 0

    mutating func store(_ value: Int?, as id: String) {
        changes += 1
        origin[id] = value.map { Stored(value: $0, change: changes) }
    }
}

/// The decision of a delegate, which the real push and the model compute in the same way.
struct Decisions: Hashable, Sendable {
    let salt: UInt64
    let policy: ConflictPolicy?

    /// Returns a number that depends on the salt, a document and the number of previous requests for it.
    private func hash(_ id: String, _ occurrence: Int) -> UInt64 {
        var hash = salt &+ UInt64(occurrence) &* 0x9E37_79B9_7F4A_7C15
        for byte in id.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return hash ^ (hash >> 29)
    }

    /// Returns a value that another client gives the document at the origin while the conflict is being resolved; `nil`
    /// for none.
    func meddling(_ id: String, _ occurrence: Int) -> Int? {
        let hash = hash(id, occurrence)
        guard occurrence <= 3, (hash >> 8) % 4 == 0 else { return nil }
        return Int(hash >> 20)
    }

    func decision(_ id: String, _ occurrence: Int) -> Decision {
        if let policy {
            switch policy {
            case .client: return .client
            case .server: return .server
            case .cancel: return .cancel
            }
        }
        let hash = hash(id, occurrence)
        switch hash % 8 {
        case 0...2: return .client
        case 3...5: return .server
        case 6: return .merge(Int(hash >> 21))
        default: return .cancel
        }
    }

    enum Decision: Hashable {
        case client
        case server
        case merge(Int)
        case cancel
    }
}

import ULSLog

/// What the threads that read have counted of a unit's events that no selector means.
struct UnexplainedUnit: Sendable {
    /// A kind, and how many of it; of one that is known from units before, only the number.
    struct Entry: Sendable {
        var eventID: String?
        var shape: String?
        var count = EventCount()
    }

    /// In order of appearance.
    private(set) var entries: [(kind: UInt64, entry: Entry)] = []
    private var numbers: [UInt64: Int] = [:]
    /// Events of kinds beyond the limit.
    private(set) var beyond = 0
    private var kind = EventKind()
    private var last: UInt64 = 0
    /// Kinds of which units before have an example.
    private let known: Set<UInt64>

    init(known: Set<UInt64>) { self.known = known }

    /// Counts an event of a rank; true if it wants to see it.
    mutating func count(eventID: [UInt8], message: Span<UInt8>, rank: Int) -> Bool {
        kind.set(eventID: eventID, message: message)
        last = kind.hash
        if let number = numbers[last] {
            entries[number].entry.count.add(rank: rank)
            return false
        }
        guard entries.count < DiagnosisLimit.templates.maximum else {
            beyond += 1
            return false
        }
        var entry = Entry()
        entry.count.add(rank: rank)
        let isNew = !known.contains(last)
        if isNew { (entry.eventID, entry.shape) = (kind.eventID, kind.shape) }
        numbers[last] = entries.count
        entries.append((last, entry))
        return isNew
    }

    /// Takes the event that it has just asked for.
    mutating func see(_ event: consuming ULSEvent) {
        if let number = numbers[last] { entries[number].entry.count.show(event) }
    }
}

import ULSLog

/// Counts of events at Monitorable or worse by event ID and shape, until it is known which of them rules explain.
struct UnexplainedTable {
    /// Events with the same event ID and shape.
    private struct Kind {
        var eventID: String
        var shape: String
        /// Events that no selector matches, but that were handed over anyway.
        var free = EventCount()
        /// Events counted in units; the example is from the first unit that has one, whichever thread was faster.
        var counted = EventCount()
        /// Events that some selectors match.
        var claimed: [Claims: EventCount] = [:]
    }

    /// The selectors that events met, by rule.
    private struct Claims: Hashable {
        var rules: [Int]
        var selectors: [UInt64]
    }

    private var kinds: [UInt64: Kind] = [:]
    private var kind = EventKind()
    /// Events of kinds beyond the limit, and those of them that no selector matches, so that no rule explains them.
    private(set) var beyond = 0
    private(set) var beyondFree = 0

    /// Kinds of which a unit has supplied an example.
    private(set) var hashes: Set<UInt64> = []

    /// Counts an event of the given rank.
    mutating func add(_ event: borrowing ULSEvent, rank: Int, _ matches: [RuleMatch]) {
        kind.set(eventID: event[.eventID].array, message: event[.message])
        let hash = kind.hash
        if kinds[hash] == nil {
            guard kinds.count < DiagnosisLimit.templates.maximum else {
                beyond += 1
                if matches.isEmpty { beyondFree += 1 }
                return
            }
            kinds[hash] = Kind(eventID: kind.eventID, shape: kind.shape)
        }
        var count = EventCount()
        count.add(rank: rank)
        count.show(event)
        if matches.isEmpty {
            kinds[hash]?.free.add(count)
        } else {
            let claims = Claims(rules: matches.map(\.rule), selectors: matches.map(\.selectors))
            kinds[hash]?.claimed[claims, default: EventCount()].add(count)
        }
    }

    /// Adds the counts of a unit; `lines` is the number of lines of text before the unit.
    mutating func add(_ unit: UnexplainedUnit, lines: Int) {
        beyond += unit.beyond
        beyondFree += unit.beyond
        for (hash, entry) in unit.entries {
            var count = entry.count
            count.example?.place.line += lines
            count.example?.place.lineEnd += lines
            if kinds[hash] == nil, kinds.count < DiagnosisLimit.templates.maximum, let id = entry.eventID,
                let shape = entry.shape
            {
                kinds[hash] = Kind(eventID: id, shape: shape)
            }
            guard kinds[hash] != nil else {
                beyond += count.count
                beyondFree += count.count
                continue
            }
            if !hashes.insert(hash).inserted { count.example = nil }
            kinds[hash]?.counted.add(count)
        }
    }

    /// Returns the events that no rule explains: worst level first, then rarest.
    ///
    /// - Parameter explains: whether a rule's finding rests on events that meet these selectors.
    /// - Returns: All kinds, in order.
    func unexplained(_ explains: (_ rule: Int, _ selectors: UInt64) -> Bool) -> [UnexplainedEvents] {
        var left: [(kind: Kind, count: EventCount, example: ULSEvent)] = []
        for kind in kinds.values {
            var count = kind.free
            count.add(kind.counted)
            for (claims, claimed) in kind.claimed
            where !zip(claims.rules, claims.selectors).contains(where: { explains($0, $1) }) {
                count.add(claimed)
            }
            if count.count > 0, let example = count.example { left.append((kind, count, example)) }
        }
        left.sort { one, other in
            let keys = ((one.count.worst, one.count.count), (other.count.worst, other.count.count))
            return keys.0 == keys.1 ? EventCount.isEarlier(one.example, than: other.example) : keys.0 < keys.1
        }
        return left.map { kind, count, example in
            UnexplainedEvents(
                eventID: kind.eventID,
                level: example.level.rank == count.worst ? example.level : ULSLevel(rank: count.worst),
                template: kind.shape,
                count: count.count,
                example: Evidence(example)
            )
        }
    }
}

/// Counts, made by a reading thread, of a unit's events that no selector matches.
struct UnexplainedUnit: Sendable {
    /// A kind and its count; for a kind that is known from earlier units, only the count.
    struct Entry: Sendable {
        var eventID: String?
        var shape: String?
        var count = EventCount()
    }

    /// Entries in order of appearance.
    private(set) var entries: [(kind: UInt64, entry: Entry)] = []
    private var numbers: [UInt64: Int] = [:]
    /// Events of kinds beyond the limit.
    private(set) var beyond = 0
    private var kind = EventKind()
    private var last: UInt64 = 0
    /// Kinds of which earlier units have an example.
    private let known: Set<UInt64>

    init(known: Set<UInt64>) { self.known = known }

    /// Counts an event of the given rank; returns whether the event itself is needed.
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

    /// Takes the event that ``count(eventID:message:rank:)`` just asked for.
    mutating func see(_ event: consuming ULSEvent) {
        if let number = numbers[last] { entries[number].entry.count.show(event) }
    }
}

/// A kind of unexplained event: its event ID and the message's shape.
private struct EventKind {
    /// The shape, followed by room for a longer one.
    private var buffer = [UInt8](repeating: 0, count: MessageShape.maximumBytes)
    private var length = 0
    private var eventIDBytes: [UInt8] = []

    /// Sets the kind to that of an event, keeping the buffer.
    mutating func set(eventID: [UInt8], message: Span<UInt8>) {
        eventIDBytes = eventID
        length = buffer.withUnsafeMutableBufferPointer { MessageShape.write(message, to: $0) }
    }

    /// A hash that tells kinds apart within this process.
    var hash: UInt64 {
        var hasher = Hasher()
        eventIDBytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        hasher.combine(length)
        buffer.withUnsafeBytes { hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: $0[..<length])) }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    var eventID: String { String(decoding: eventIDBytes, as: UTF8.self) }
    var shape: String { String(decoding: buffer[..<length], as: UTF8.self) }
}

/// The number of events of a kind, their worst rank, and the earliest of them.
struct EventCount: Sendable {
    var count = 0
    var worst = Int.max
    /// The earliest event; `nil` only if another count has an earlier one.
    var example: ULSEvent?

    mutating func add(rank: Int) {
        count += 1
        worst = min(worst, rank)
    }

    /// Makes an event the example if it is earlier, or if there is none.
    mutating func show(_ event: borrowing ULSEvent) {
        if let example, !Self.isEarlier(event, than: example) { return }
        var kept = copy event
        _ = kept.truncateMessage(to: Evidence.maximumText + 4)
        example = kept
    }

    mutating func add(_ other: EventCount) {
        count += other.count
        worst = min(worst, other.worst)
        if let event = other.example { show(event) }
    }

    /// Compares events by time, then by place, so that the result is the same whoever counts.
    static func isEarlier(_ one: borrowing ULSEvent, than other: borrowing ULSEvent) -> Bool {
        if one.time.instant != other.time.instant { return one.time.instant < other.time.instant }
        return (one.place.file, one.place.line) < (other.place.file, other.place.line)
    }
}

/// A message without the parts that differ from event to event: numbers, GUIDs, and quoted text.
private enum MessageShape {
    /// The most bytes of a message that are examined.
    private static let maximum = 120

    /// The most bytes of a shape: quoted text takes three even where it was empty.
    static let maximumBytes = 4 * maximum

    /// Writes the shape of a message, such as `Failed to open '…' (# of #)`, and returns its length.
    ///
    /// - Parameters:
    ///   - message: the text.
    ///   - shape: room for ``maximumBytes``.
    /// - Returns: The number of bytes written.
    static func write(_ message: Span<UInt8>, to shape: UnsafeMutableBufferPointer<UInt8>) -> Int {
        precondition(shape.count >= maximumBytes)
        let end = min(message.count, maximum)
        var count = 0
        let kinds = Self.kinds
        var index = 0
        // Whether the previous byte belongs to a word: a number begins only where a word would.
        var isInWord = false
        while index < end {
            let byte = message[index]
            let kind = kinds[Int(byte)]
            if kind == .lineEnd || kind == .blank && isStack(message, at: index) { break }
            if kind == .quote {
                // The character … between quotes.
                (shape[count], shape[count + 1], shape[count + 2]) = (byte, 0xE2, 0x80)
                (shape[count + 3], shape[count + 4]) = (0xA6, byte)
                count += 5
                index += 1
                while index < end, message[index] != byte, message[index] != 0x0A { index += 1 }
                index += 1
                isInWord = false
                continue
            }
            if !isInWord, kind == .digit || kind == .numeral {
                let number = numberEnd(message, from: index, to: end, kinds)
                if number > index {
                    if count == 0 || shape[count - 1] != UInt8(ascii: "#") {
                        shape[count] = UInt8(ascii: "#")
                        count += 1
                    }
                    index = number
                    continue
                }
            }
            isInWord = kind == .word || kind == .digit || kind == .numeral && byte != UInt8(ascii: "-")
            shape[count] = byte
            count += 1
            index += 1
        }
        while count > 0, shape[count - 1] == 0x20 { count -= 1 }
        // Drop a character that was cut.
        while count > 0, end == maximum, shape[count - 1] >= 0x80 { count -= 1 }
        return count
    }

    private enum Kind { case other, blank, lineEnd, quote, digit, numeral, word }

    private static let kinds: [Kind] = (UInt8.min...UInt8.max).map { byte in
        switch byte {
        case 0x20: .blank
        case 0x0A, 0x0D: .lineEnd
        case UInt8(ascii: "'"), UInt8(ascii: "\""): .quote
        case UInt8(ascii: "0")...UInt8(ascii: "9"): .digit
        // Other characters of GUIDs and hexadecimal numbers.
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "x"),
            UInt8(ascii: "X"), UInt8(ascii: "-"):
            .numeral
        case UInt8(ascii: "g")...UInt8(ascii: "z"), UInt8(ascii: "G")...UInt8(ascii: "Z"), 0x80...: .word
        default: .other
        }
    }

    /// Returns the end of a number or GUID that begins here: a run of numerals with a digit in it; otherwise `start`.
    private static func numberEnd(_ message: Span<UInt8>, from start: Int, to end: Int, _ kinds: [Kind]) -> Int {
        var index = start
        var hasDigit = false
        while index < end {
            let kind = kinds[Int(message[index])]
            guard kind == .digit || kind == .numeral else { return kind == .word || !hasDigit ? start : index }
            if kind == .digit { hasDigit = true }
            index += 1
        }
        return hasDigit ? index : start
    }

    /// Returns whether a stack trace begins here: three blanks and `at`.
    private static func isStack(_ message: Span<UInt8>, at index: Int) -> Bool {
        guard index + 5 < message.count else { return false }
        return message[index + 1] == 0x20 && message[index + 2] == 0x20 && message[index + 3] == UInt8(ascii: "a")
            && message[index + 4] == UInt8(ascii: "t") && message[index + 5] == 0x20
    }
}

/// Event IDs that mean nothing by themselves, whatever level they are written at.
///
/// Each was seen in healthy farms; comments give the reasons.
enum Noise {
    private static let eventIDs: Set<[UInt8]> = Set(
        [
            // Trace of the co-authoring protocol, written as Unexpected.
            "abnwk",
            // "Output parameter not used", written as High.
            "7v48",
            // Publishing navigation that includes and excludes pages.
            "6wzd", "6wze",
            // Rows of custom code without an event ID.
            "0000", "00000",
            // A server with the role Custom is left out of a role check.
            "a75h7",
            // No workflow service is registered, and none is used.
            "aighj",
            // The logging service has started.
            "b8fx",
            // Hints that all sites are enumerated.
            "4ohp", "4ohq",
        ].map { Array($0.utf8) }
    )

    static func contains(eventID: [UInt8]) -> Bool { eventIDs.contains(eventID.map(\.folded)) }
}

/// An ``EventFilter`` prepared for records: what can be decided for a column is decided once for each of its texts.
struct RecordFilter: Sendable {
    private let servers: [[UInt8]]
    private let processes: ProcessNames
    private let excludedProcesses: ProcessNames
    private let rank: Int?
    private let categories: CategoryNames
    private let excludedCategories: CategoryNames
    private let eventIDs: [[UInt8]]
    private let excludedEventIDs: [[UInt8]]
    let correlations: [CorrelationPattern]
    /// The wanted texts in ASCII.
    private let needles: [TextNeedle]
    /// What is to be searched for in valid UTF-8.
    private let patterns: [MessagePatterns]

    init(_ filter: EventFilter) {
        servers = filter.servers.map { $0.utf8.map(\.asciiLowercase) }
        processes = ProcessNames(filter.processes)
        excludedProcesses = ProcessNames(filter.excludedProcesses)
        rank = filter.level?.rank
        eventIDs = filter.eventIDs.map { Array($0.utf8) }
        excludedEventIDs = filter.excludedEventIDs.map { Array($0.utf8) }
        correlations = filter.correlations
        categories = CategoryNames(filter.categories)
        excludedCategories = CategoryNames(filter.excludedCategories)
        let texts = MessagePatterns.folding(filter.contains.filter { !$0.isASCII })
        // What is too long to be folded is found as it is written.
        needles = filter.contains.filter { $0.isASCII || texts == nil }.map(TextNeedle.init)
        patterns = [texts, filter.patterns].compactMap(\.self)
    }

    /// Whether the filter examines messages.
    var hasTexts: Bool { !needles.isEmpty || !patterns.isEmpty }

    func wants(server: String?) -> Bool {
        guard !servers.isEmpty else { return true }
        guard let server else { return false }
        return servers.contains { server.utf8.span.equals(lowercase: $0) }
    }

    /// Returns whether a process is wanted.
    func wants(process name: Span<UInt8>, id: Span<UInt8>) -> Bool {
        (processes.isEmpty || processes.have(name, id)) && !excludedProcesses.have(name, id)
    }

    /// Returns whether an event of these columns is wanted; `rank` is `nil` if the level is unknown, because nobody knows
    /// then that it is not as bad.
    func wants(area: Span<UInt8>, category: Span<UInt8>, eventID: Span<UInt8>, rank: Int?) -> Bool {
        if let worst = self.rank, let rank, rank > worst { return false }
        if !eventIDs.isEmpty, !eventIDs.contains(where: { eventID.isSame(as: $0.span) }) { return false }
        if excludedEventIDs.contains(where: { eventID.isSame(as: $0.span) }) { return false }
        if !categories.isEmpty, !categories.have(area, category) { return false }
        return !excludedCategories.have(area, category)
    }

    @inline(__always)
    func wants(_ correlation: CorrelationID) -> Bool {
        correlations.isEmpty || correlations.contains { $0.matches(correlation) }
    }

    /// Returns whether a whole message is wanted as far as its bytes tell before they are made valid UTF-8.
    func mayWant(message: Range<Int>, in window: borrowing ByteWindow, _ search: MessageSearch?) -> Bool {
        for needle in needles
        where needle.firstIndex(in: window, from: message.lowerBound, to: message.upperBound) == nil {
            return false
        }
        guard let search else { return true }
        let text = window.trimmed(message)
        return !window.isASCII(text) || search.accepts(window.span(text))
    }

    /// Returns whether the joined message of an event is wanted.
    func wantsMessage(of event: borrowing ULSEvent, _ search: MessageSearch?) -> Bool {
        guard hasTexts else { return true }
        let message = event[.message]
        if !needles.isEmpty {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(message.count + ByteWindow.slack)
            bytes.append(copying: message)
            bytes.append(contentsOf: repeatElement(0, count: ByteWindow.slack))
            let window = ByteWindow(bytes.span)
            for needle in needles where needle.firstIndex(in: window, from: 0, to: message.count) == nil {
                return false
            }
        }
        return search?.accepts(message) ?? true
    }

    /// Makes a search for the patterns; each thread needs its own.
    func makeSearch() -> MessageSearch? { patterns.isEmpty ? nil : MessageSearch(patterns) }
}

/// Names of processes: `w3wp` also means `w3wp.exe` and its services, like `w3wp.exe#DiskCache`; `0x1790` means a
/// process ID.
private struct ProcessNames: Sendable {
    private let names: [[UInt8]]

    init(_ names: [String]) { self.names = names.map { $0.utf8.map(\.asciiLowercase) } }

    var isEmpty: Bool { names.isEmpty }

    /// Returns whether one of the names means this process.
    func have(_ name: Span<UInt8>, _ id: Span<UInt8>) -> Bool {
        for wanted in names {
            if id.equals(lowercase: wanted) || name.equals(lowercase: wanted) { return true }
            guard name.count > wanted.count,
                name.extracting(first: wanted.count).equals(lowercase: wanted)
            else { continue }
            let rest = name.extracting(droppingFirst: wanted.count)
            if rest[0] == UInt8(ascii: "#") || rest.equals(lowercase: Array(".exe".utf8)) { return true }
            if rest.count > 4, rest[4] == UInt8(ascii: "#"),
                rest.extracting(first: 4).equals(lowercase: Array(".exe".utf8))
            {
                return true
            }
        }
        return false
    }
}

/// Names of categories, or `AREA/CATEGORY`, each a ``WildcardPattern``.
private struct CategoryNames: Sendable {
    private let names: [(area: WildcardPattern?, category: WildcardPattern)]

    init(_ names: [String]) {
        self.names = names.map { text in
            guard let slash = text.firstIndex(of: "/") else { return (nil, WildcardPattern(text)) }
            return (
                WildcardPattern(String(text[..<slash])), WildcardPattern(String(text[text.index(after: slash)...]))
            )
        }
    }

    var isEmpty: Bool { names.isEmpty }

    /// Returns whether one of the names means this category.
    func have(_ area: Span<UInt8>, _ category: Span<UInt8>) -> Bool {
        names.contains { ($0.area?.matches(area) ?? true) && $0.category.matches(category) }
    }
}

extension String {
    fileprivate var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }
}

extension Span<UInt8> {
    /// Returns whether two texts are the same.
    func isSame(as other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in 0..<count where self[index] != other[index] { return false }
        return true
    }
}

extension [UInt8] {
    /// Appends the bytes of a span.
    mutating func append(copying span: Span<UInt8>) {
        unsafe span.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}

/// A pattern in which `*` stands for any text and `?` for any character; ASCII case does not matter.
private struct WildcardPattern: Sendable {
    private let pattern: [UInt8]

    init(_ text: String) { pattern = text.utf8.map(\.asciiLowercase) }

    /// Returns whether the whole text matches.
    func matches(_ text: Span<UInt8>) -> Bool {
        var position = 0
        var index = 0
        /// Where to resume if the text after the last `*` does not match.
        var retry: (index: Int, position: Int)?
        while position < text.count {
            if index < pattern.count, pattern[index] == UInt8(ascii: "*") {
                retry = (index + 1, position)
                index += 1
            } else if index < pattern.count,
                pattern[index] == UInt8(ascii: "?") || pattern[index] == text[position].asciiLowercase
            {
                let isAnyCharacter = pattern[index] == UInt8(ascii: "?")
                index += 1
                position += 1
                while isAnyCharacter, position < text.count, text[position] & 0xC0 == 0x80 { position += 1 }
            } else if let last = retry {
                retry = (last.index, last.position + 1)
                index = last.index
                position = last.position + 1
            } else {
                return false
            }
        }
        while index < pattern.count, pattern[index] == UInt8(ascii: "*") { index += 1 }
        return index == pattern.count
    }
}

extension UInt8 {
    var asciiLowercase: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}

extension Span<UInt8> {
    /// Returns whether two texts are the same except for ASCII case; the other one is lowercase.
    func equals(lowercase other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        for index in 0..<count where self[index].asciiLowercase != other[index] { return false }
        return true
    }
}

/// An ``EventFilter`` prepared for records: what can be decided for a column is decided once for each of its texts.
struct RecordFilter: Sendable {
    private let servers: [[UInt8]]
    private let processes: [[UInt8]]
    private let rank: Int?
    private let categories: [WildcardPattern]
    private let areaCategories: [(area: WildcardPattern, category: WildcardPattern)]
    private let eventIDs: [[UInt8]]
    let correlations: [CorrelationPattern]
    private let needles: [TextNeedle]

    init(_ filter: EventFilter) {
        servers = filter.servers.map { $0.utf8.map(\.asciiLowercase) }
        processes = filter.processes.map { $0.utf8.map(\.asciiLowercase) }
        rank = filter.level?.rank
        eventIDs = filter.eventIDs.map { Array($0.utf8) }
        correlations = filter.correlations
        needles = filter.contains.map(TextNeedle.init)
        hasASCIITexts = !needles.isEmpty && filter.contains.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } }
        categories = filter.categories.filter { !$0.contains("/") }.map(WildcardPattern.init)
        areaCategories = filter.categories.compactMap { text in
            guard let slash = text.firstIndex(of: "/") else { return nil }
            return (
                WildcardPattern(String(text[..<slash])), WildcardPattern(String(text[text.index(after: slash)...]))
            )
        }
    }

    /// Whether the filter examines messages.
    var hasTexts: Bool { !needles.isEmpty }

    /// Whether the texts can be found in bytes of any encoding, before a message is made valid UTF-8.
    let hasASCIITexts: Bool

    func wants(server: String?) -> Bool {
        guard !servers.isEmpty else { return true }
        guard let server else { return false }
        return servers.contains { server.utf8.span.equals(lowercase: $0) }
    }

    /// Returns whether a process is wanted.
    ///
    /// `w3wp` also means `w3wp.exe` and its services, like `w3wp.exe#DiskCache`;
    /// `0x1790` means a process ID.
    func wants(process name: Span<UInt8>, id: Span<UInt8>) -> Bool {
        guard !processes.isEmpty else { return true }
        for wanted in processes {
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

    /// Returns whether an event of these columns is wanted; `rank` is `nil` if the level is unknown, because nobody knows
    /// then that it is not as bad.
    func wants(area: Span<UInt8>, category: Span<UInt8>, eventID: Span<UInt8>, rank: Int?) -> Bool {
        if let worst = self.rank, let rank, rank > worst { return false }
        if !eventIDs.isEmpty, !eventIDs.contains(where: { eventID.isSame(as: $0.span) }) { return false }
        if categories.isEmpty, areaCategories.isEmpty { return true }
        return categories.contains { $0.matches(category) }
            || areaCategories.contains { $0.area.matches(area) && $0.category.matches(category) }
    }

    @inline(__always)
    func wants(_ correlation: CorrelationID) -> Bool {
        correlations.isEmpty || correlations.contains { $0.matches(correlation) }
    }

    /// Returns whether a message contains all texts.
    func wants(message: Range<Int>, in window: borrowing ByteWindow) -> Bool {
        for needle in needles
        where needle.firstIndex(in: window, from: message.lowerBound, to: message.upperBound) == nil {
            return false
        }
        return true
    }

    /// Returns whether the joined message of an event contains all texts.
    func wantsMessage(of event: borrowing ULSEvent) -> Bool {
        guard hasTexts else { return true }
        let message = event[.message]
        var bytes: [UInt8] = []
        bytes.reserveCapacity(message.count + ByteWindow.slack)
        bytes.append(copying: message)
        bytes.append(contentsOf: repeatElement(0, count: ByteWindow.slack))
        return wants(message: 0..<message.count, in: ByteWindow(bytes.span))
    }
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

/// An ``EventFilter`` made ready for records: what can be decided for a column is decided once for each of its texts.
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

    /// Whether messages are looked at.
    var hasTexts: Bool { !needles.isEmpty }

    /// Whether these can be looked for in bytes of any encoding, before a message is made valid UTF-8.
    let hasASCIITexts: Bool

    func wants(server: String?) -> Bool {
        guard !servers.isEmpty else { return true }
        guard let server else { return false }
        return servers.contains { server.utf8.span.equals(lowercase: $0) }
    }

    /// `w3wp` means `w3wp.exe` too, and its services `w3wp.exe#DiskCache`; `0x1790` a process id.
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

    func wants(area: Span<UInt8>, category: Span<UInt8>, eventID: Span<UInt8>, rank: Int) -> Bool {
        if let worst = self.rank, rank > worst { return false }
        if !eventIDs.isEmpty, !eventIDs.contains(where: { eventID.isSame(as: $0.span) }) { return false }
        if categories.isEmpty, areaCategories.isEmpty { return true }
        return categories.contains { $0.matches(category) }
            || areaCategories.contains { $0.area.matches(area) && $0.category.matches(category) }
    }

    @inline(__always)
    func wants(_ correlation: CorrelationID) -> Bool {
        correlations.isEmpty || correlations.contains { $0.matches(correlation) }
    }

    /// Whether all texts stand in a message.
    func wants(message: Range<Int>, in window: borrowing ByteWindow) -> Bool {
        for needle in needles
        where needle.firstIndex(in: window, from: message.lowerBound, to: message.upperBound) == nil {
            return false
        }
        return true
    }

    /// Whether all texts stand in the joined message of an event.
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
    /// Whether two texts are the same.
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

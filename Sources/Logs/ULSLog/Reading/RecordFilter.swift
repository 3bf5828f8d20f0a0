import TextKit
import TextPatterns
import ULSRows

/// An ``EventFilter`` prepared for records, so that decisions that depend on a column alone are made only once for each
/// distinct text.
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
    /// The wanted texts that are ASCII.
    private let needles: [TextNeedle]
    /// The patterns to search for in valid UTF-8.
    private let patterns: [MessagePatterns]

    init(_ filter: EventFilter) {
        servers = filter.servers.map { $0.utf8.map(\.lowercased) }
        processes = ProcessNames(filter.processes)
        excludedProcesses = ProcessNames(filter.excludedProcesses)
        rank = filter.level?.rank
        eventIDs = filter.eventIDs.map { Array($0.utf8) }
        excludedEventIDs = filter.excludedEventIDs.map { Array($0.utf8) }
        correlations = filter.correlations
        categories = CategoryNames(filter.categories)
        excludedCategories = CategoryNames(filter.excludedCategories)
        let texts = MessagePatterns.folding(filter.contains.filter { !$0.isASCII })
        // Texts that are too long for case folding are searched for as written.
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

    /// Returns whether an event with these columns is wanted; if the level is unknown, `rank` is `nil`, and the event
    /// is wanted because it may be severe enough.
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

    /// Returns whether a complete message is wanted, judging by its bytes before they are made valid UTF-8.
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

    /// Creates a search for the patterns; each thread needs its own.
    func makeSearch() -> MessageSearch? { patterns.isEmpty ? nil : MessageSearch(patterns) }
}

/// Names of processes: `w3wp` also denotes `w3wp.exe` and its services, such as `w3wp.exe#DiskCache`; `0x1790` denotes
/// a process ID.
private struct ProcessNames: Sendable {
    private let names: [[UInt8]]

    init(_ names: [String]) { self.names = names.map { $0.utf8.map(\.lowercased) } }

    var isEmpty: Bool { names.isEmpty }

    /// Returns whether one of the names denotes this process.
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

    /// Returns whether one of the names denotes this category.
    func have(_ area: Span<UInt8>, _ category: Span<UInt8>) -> Bool {
        names.contains { ($0.area?.matches(area) ?? true) && $0.category.matches(category) }
    }
}

extension String {
    fileprivate var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }
}

extension Span<UInt8> {
    /// Returns whether two texts are equal.
    func isSame(as other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in 0..<count where self[index] != other[index] { return false }
        return true
    }
}

/// A pattern where `*` matches any text and `?` matches any character, ignoring ASCII case.
private struct WildcardPattern: Sendable {
    private let pattern: [UInt8]

    init(_ text: String) { pattern = text.utf8.map(\.lowercased) }

    /// Returns whether the entire text matches.
    func matches(_ text: Span<UInt8>) -> Bool {
        var position = 0
        var index = 0
        /// The place to resume at if the text after the last `*` does not match.
        var retry: (index: Int, position: Int)?
        while position < text.count {
            if index < pattern.count, pattern[index] == UInt8(ascii: "*") {
                retry = (index + 1, position)
                index += 1
            } else if index < pattern.count,
                pattern[index] == UInt8(ascii: "?") || pattern[index] == text[position].lowercased
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

extension Span<UInt8> {
    /// Returns whether two texts are equal, ignoring ASCII case; the other text is in lowercase.
    func equals(lowercase other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        for index in 0..<count where self[index].lowercased != other[index] { return false }
        return true
    }
}

/// Compiled expressions that a message must match, and others that it must not match.
///
/// Expressions are matched against the event's entire message, with its parts joined and without padding: `^` and `$`
/// match at the ends of the message, or at the ends of a line in it. Case is ignored unless an expression begins with
/// `(?-i)`. A `.` matches one character other than a line end.
public struct MessagePatterns: Sendable {
    let set: PatternSet
    /// The number of patterns at the beginning that must match; the others must not match.
    let wantedCount: Int
    /// The wanted expressions as written.
    let wanted: [String]

    /// Compiles expressions; all of `wanted` must match, and none of `unwanted`.
    ///
    /// - Throws: A ``MessagePatternError`` that identifies the expression and the position of the error.
    public init(wanted: [String], unwanted: [String] = []) throws(MessagePatternError) {
        let texts = wanted + unwanted
        do {
            set = try PatternSet(texts.map { Pattern($0, .regularExpression, isUnicode: true) })
        } catch {
            throw MessagePatternError(error, in: texts)
        }
        wantedCount = wanted.count
        self.wanted = wanted
    }

    /// Returns the indices of the expressions that match anywhere in a text, counting the wanted ones first.
    public func indexes(matching text: String) -> Set<Int> {
        var scanner = PatternScanner(set)
        return Set(scanner.matches(in: Array(text.utf8).span).map(\.pattern))
    }

    /// Returns a case-insensitive search for texts; `nil` if there are none, or if they are too long.
    static func folding(_ texts: [String]) -> MessagePatterns? {
        guard !texts.isEmpty, let set = try? PatternSet(texts.map { Pattern($0, isUnicode: true) }) else { return nil }
        return MessagePatterns(set: set, wantedCount: texts.count)
    }

    private init(set: PatternSet, wantedCount: Int) {
        self.set = set
        self.wantedCount = wantedCount
        wanted = []
    }
}

/// A search for patterns in successive messages; each thread needs its own.
///
/// This is a class because the working memory of a scanner cannot be copied.
final class MessageSearch {
    private final class Scan {
        var scanner: PatternScanner
        let wantedCount: Int

        init(_ patterns: MessagePatterns) {
            scanner = PatternScanner(patterns.set)
            wantedCount = patterns.wantedCount
        }
    }

    private let scans: [Scan]

    init(_ patterns: [MessagePatterns]) { scans = patterns.map(Scan.init) }

    /// Returns whether a message, which must be valid UTF-8, matches all wanted patterns and none of the unwanted ones.
    func accepts(_ message: Span<UInt8>) -> Bool {
        for scan in scans {
            var count = 0
            for match in scan.scanner.matches(in: message) {
                if match.pattern >= scan.wantedCount { return false }
                count += 1
            }
            if count < scan.wantedCount { return false }
        }
        return true
    }
}

/// The reason why expressions can't be searched for.
public struct MessagePatternError: Error, Sendable, CustomStringConvertible {
    /// The index of the faulty expression, counting the wanted ones and then the unwanted ones; `nil` if no single
    /// expression is at fault.
    public var expression: Int?
    /// The error, and its position in the expression.
    public var message: String

    public var description: String { message }

    fileprivate init(_ error: PatternError, in texts: [String]) {
        expression = error.pattern
        message = error.message
        guard let pattern = error.pattern, texts.indices.contains(pattern) else { return }
        message = Self.placed(error.message, in: texts[pattern])
    }

    /// Returns the message with `at index 7`, which counts bytes from 0, replaced with a position that is easy to find.
    private static func placed(_ message: String, in text: String) -> String {
        let mark = " at index "
        guard let place = message.utf8.count > mark.utf8.count ? message.lastRange(of: mark) : nil,
            let compiled = Int(message[place.upperBound...])
        else { return message }
        let index = Pattern.index(compiled, in: text)
        let start = String(decoding: text.utf8.prefix(index), as: UTF8.self).count
        let rest = String(decoding: text.utf8.dropFirst(index), as: UTF8.self)
        let shown = rest.isEmpty ? "the end" : "'\(rest.prefix(20))\(rest.count > 20 ? "…" : "")'"
        return "\(message[..<place.lowerBound]) at character \(start + 1), \(shown)"
    }
}

extension String {
    /// Returns the last occurrence of a text.
    fileprivate func lastRange(of text: String) -> Range<String.Index>? {
        var start = endIndex
        while true {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            guard start > startIndex else { return nil }
            formIndex(before: &start)
        }
    }
}

/// The meaning of the texts of a record's columns, determined once for each distinct text.
struct ColumnMeanings {
    /// The meaning of a record's area, category, event ID and level.
    struct Columns {
        var rank: UInt8 = 6
        /// Whether the record is wanted, judging by these columns.
        var isWanted = true
        /// Whether the event ID marks rows that enter or leave a scope.
        var isScope = false
    }

    /// The meaning of the process.
    struct Process {
        var isWanted = true
        /// The index of its server, in order of appearance in the unit.
        var server = 0
    }

    private let filter: RecordFilter
    private let server: String?
    private let zones: ServerZones
    private(set) var columns = [Columns()]
    private var eventIDs: [[UInt8]] = [[]]
    private(set) var processes = [Process()]
    /// The servers, in order of appearance.
    private(set) var servers: [String?] = []
    private var serverNumbers: [String?: Int] = [:]
    /// The zone of each server.
    private(set) var serverZones: [TimeZoneRules?] = []

    private var ranks: [(word: [UInt8], rank: Int, isKnown: Bool)] = []

    init(filter: RecordFilter, server: String?, zones: ServerZones) {
        self.filter = filter
        self.server = server
        self.zones = zones
    }

    /// Determines the meaning of a record's columns if necessary.
    @inline(__always)
    mutating func note(_ window: borrowing ByteWindow, _ fields: RowFields) {
        if !isKnown(fields) { learn(window, fields) }
    }

    /// Returns whether a record's columns are known; the number 0, which represents many texts, is interpreted each
    /// time.
    @inline(__always)
    private func isKnown(_ fields: RowFields) -> Bool {
        UInt(bitPattern: fields.columns &- 1) < UInt(bitPattern: columns.count &- 1)
            && UInt(bitPattern: fields.process &- 1) < UInt(bitPattern: processes.count &- 1)
    }

    @inline(never)
    private mutating func learn(_ window: borrowing ByteWindow, _ fields: RowFields) {
        if fields.columns >= columns.count || fields.columns == 0 { learnColumns(window, fields) }
        if fields.process >= processes.count || fields.process == 0 { learnProcess(window, fields) }
    }

    /// Returns the server that wrote a record.
    func server(of fields: RowFields) -> String? { servers[processes[fields.process].server] }

    /// Returns the event ID of a record, as stored in events.
    func eventID(of fields: RowFields) -> [UInt8] { eventIDs[fields.columns] }

    private mutating func learnColumns(_ window: borrowing ByteWindow, _ fields: RowFields) {
        let level = window.span(window.trimmed(fields.eventEnd + 1..<fields.levelEnd))
        let eventID = window.validText(fields.categoryEnd + 1..<fields.eventEnd)
        let area = window.validText(fields.threadEnd + 1..<fields.areaEnd)
        let category = window.validText(fields.areaEnd + 1..<fields.categoryEnd)
        let (rank, isKnown) = rank(of: level)
        let meaning = Columns(
            rank: UInt8(rank),
            isWanted: filter.wants(
                area: area.span,
                category: category.span,
                eventID: eventID.span,
                rank: isKnown ? rank : nil
            ),
            isScope: eventID.span.equals(lowercase: Array("b4ly".utf8))
                || eventID.span.equals(lowercase: Array("nasq".utf8))
        )
        while columns.count <= fields.columns {
            columns.append(Columns())
            eventIDs.append([])
        }
        columns[fields.columns] = meaning
        eventIDs[fields.columns] = eventID
    }

    /// Returns the rank of a level; there are few levels, so those seen are kept with their ranks.
    private mutating func rank(of level: Span<UInt8>) -> (rank: Int, isKnown: Bool) {
        for known in ranks where level.isSame(as: known.word.span) { return (known.rank, known.isKnown) }
        let word = String(copying: level)
        let level = ULSLevel(word)
        if ranks.count < 32 { ranks.append((Array(word.utf8), level.rank, level.isKnown)) }
        return (level.rank, level.isKnown)
    }

    private mutating func learnProcess(_ window: borrowing ByteWindow, _ fields: RowFields) {
        let column = ProcessColumn.parse(window, window.trimmed(fields.timeEnd + 1..<fields.processEnd))
        let server = column.server.map { String(copying: window.span($0)) } ?? self.server
        let known = serverNumbers[server]
        if known == nil {
            // Beyond the limit, all servers share the last place, so their records are examined again each time.
            if servers.count > LogLimit.processes.maximum {
                serverNumbers[servers.removeLast()] = nil
                serverZones.removeLast()
            }
            serverNumbers[server] = servers.count
            servers.append(server)
            serverZones.append(zones.zone(for: server))
        }
        let meaning = Process(
            isWanted: filter.wants(server: server)
                && filter.wants(
                    process: window.validText(column.name).span,
                    id: window.validText(column.id ?? 0..<0).span
                ),
            server: known ?? servers.count - 1
        )
        while processes.count <= fields.process { processes.append(Process()) }
        processes[fields.process] = meaning
    }
}

/// The times of records, with zones applied, and whether they are in the window.
///
/// Rows arrive in order of time, so a result can be reused for many rows: the zone's result for a minute, and the
/// window's result for one clock reading.
struct RecordTimes {
    private let window: TimeWindow
    private var minute = Int64.min
    private var zone = -1
    private var offset: Int32 = 0
    private var lowBits: Int64 = 0
    private var quality = LogTime.Quality.local
    private var askedClock = Int64.min
    private var askedBits: Int64 = -1
    private var answer = TimeWindow.Membership.inside

    init(window: TimeWindow) { self.window = window }

    /// Returns whether the zone's result for the previous row also applies to a record from this server.
    @inline(__always)
    func holds(for fields: RowFields, server: Int) -> Bool {
        let sinceMinute = fields.clock &- minute
        return sinceMinute >= 0 && sinceMinute < 60_000 && zone == (fields.isUTC ? -2 : server)
            && fields.timeQuality == nil
    }

    /// Resolves a record's time in the zone of its server.
    @inline(never)
    mutating func resolve(_ fields: RowFields, server: Int, _ rules: TimeZoneRules?) {
        minute = fields.clock.flooredQuotient(by: 60_000) * 60_000
        zone = fields.isUTC ? -2 : server
        offset = 0
        if let poor = fields.timeQuality {
            quality = poor
            // The result is not valid for the next record.
            zone = -1
        } else if fields.isUTC {
            quality = .exact
        } else if let rules {
            let time = rules.resolve(clock: fields.clock)
            quality = time.quality
            offset = time.offset
        } else {
            quality = .local
        }
        lowBits = PackedTime.lowBits(offset: offset, quality: quality)
    }

    /// Returns the time of a record to which the result applies.
    @inline(__always)
    func time(of fields: RowFields) -> PackedTime {
        PackedTime(clock: fields.clock, lowBits: lowBits, offset: offset)
    }

    /// Returns whether the clock reading that was resolved last is in the window.
    @inline(__always)
    mutating func membership(ofClock clock: Int64) -> TimeWindow.Membership {
        if window.isAll { return .inside }
        if clock != askedClock || lowBits != askedBits {
            askedClock = clock
            askedBits = lowBits
            answer = window.contains(LogTime(clock: clock, offset: offset, quality: quality))
        }
        return answer
    }

    /// Returns the time of the record that was resolved last.
    func logTime(clock: Int64) -> LogTime { LogTime(clock: clock, offset: offset, quality: quality) }
}

extension String {
    /// Creates a string from UTF-8, with U+FFFD for invalid bytes.
    init(copying span: Span<UInt8>) {
        self = unsafe span.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}

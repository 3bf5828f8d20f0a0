import TextKit

/// The references of HTML and XML that stand for characters: `&lt;`, `&#9;`, `&#x9;`.
enum CharacterReference {
    private static let names: [(name: [UInt8], character: [UInt8])] = [
        ("lt", "<"), ("gt", ">"), ("quot", "\""), ("apos", "'"), ("nbsp", " "), ("Tab", "\t"), ("amp", "&"),
    ].map { (Array($0.0.utf8), Array($0.1.utf8)) }
    /// The maximum number of bytes between `&` and `;`.
    private static let longest = 8

    /// Returns a text with its references replaced by the characters, and line ends among them by blanks.
    static func decoded(_ text: [UInt8]) -> [UInt8] {
        guard text.contains(UInt8(ascii: "&")) else { return text }
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            let end = text[index...].prefix(longest + 2).firstIndex(of: UInt8(ascii: ";"))
            if text[index] == UInt8(ascii: "&"), let end, let character = character(text[(index + 1)..<end]) {
                result += character
                index = end + 1
            } else {
                result.append(text[index])
                index += 1
            }
        }
        return result
    }

    private static func character(_ reference: ArraySlice<UInt8>) -> [UInt8]? {
        guard reference.first == UInt8(ascii: "#") else {
            return names.first { $0.name.elementsEqual(reference) }?.character
        }
        let digits = reference.dropFirst()
        let isHex = digits.first.map { $0 | 0x20 } == UInt8(ascii: "x")
        let number = String(decoding: isHex ? digits.dropFirst() : digits, as: UTF8.self)
        guard let value = UInt32(number, radix: isHex ? 16 : 10), let scalar = Unicode.Scalar(value), value > 0 else {
            return nil
        }
        return value == 0x0A || value == 0x0D ? [0x20] : Array(String(Character(scalar)).utf8)
    }
}

/// Events of the Windows event log as XML, as Event Viewer, `wevtutil` and `Get-WinEvent` write them; more lines may be
/// added until the last event is complete.
struct OpenEventMarkup {
    private var text: [UInt8] = []
    private let firstLine: Int
    private var lastLine: Int
    private let limit: Int
    /// The number of events that have begun and not ended.
    private var depth = 0
    private(set) var wasCut = false

    private static let namespace = Array("http://schemas.microsoft.com/win/2004/08/events/event".utf8)
    private static let endOfData = Array("</Data>".utf8)
    private static let (begin, end) = (Array("<Event ".utf8), Array("</Event>".utf8))

    /// Begins with the line of the first event; `nil` for any other line.
    init?(_ line: PasteLine, limits: PasteLimits) {
        guard let start = line.bytes.firstRange(of: Self.begin)?.lowerBound,
            line.bytes[start...].firstRange(of: Self.namespace) != nil,
            line.bytes[..<start].allSatisfy({ $0 <= 0x20 || $0 == UInt8(ascii: "-") })
                || line.bytes[line.bytes.trimmed].first == UInt8(ascii: "<")
        else { return nil }
        (firstLine, lastLine, limit) = (line.number, line.number, limits.record)
        append(line)
    }

    mutating func append(_ line: PasteLine) {
        lastLine = line.number
        depth += Self.count(Self.begin, in: line.bytes) - Self.count(Self.end, in: line.bytes)
        let room = limit - text.count
        wasCut = wasCut || line.bytes.count > room
        text += line.bytes.prefix(max(0, room))
        if text.count < limit { text.append(UInt8(ascii: "\n")) }
    }

    /// Whether every event that began has ended.
    var isComplete: Bool { depth <= 0 }

    private static func count(_ tag: [UInt8], in line: [UInt8]) -> Int {
        var (count, rest) = (0, line[...])
        while let found = rest.firstRange(of: tag) {
            count += 1
            rest = rest[found.upperBound...]
        }
        return count
    }

    /// The offsets at which events begin.
    private var places: [Int] {
        var places: [Int] = []
        var start = text.startIndex
        while let place = text[start...].firstRange(of: Self.begin) {
            places.append(place.lowerBound)
            start = place.upperBound
        }
        return places
    }

    /// The events as records, each with the lines of the whole.
    var records: [PastedRecord] {
        let places = places
        return zip(places, places.dropFirst() + [text.count]).map { record(text[$0..<$1]) }
    }

    private func record(_ event: ArraySlice<UInt8>) -> PastedRecord {
        let (rendered, data) = (Self.content("RenderingInfo", in: event), Self.data(in: event))
        let system = Self.content("System", in: event) ?? event
        var record = PastedRecord(shape: .block, line: firstLine)
        record.lastLine = lastLine
        record.area = Self.attribute("Name", of: "Provider", in: system)
        record.eventID = Self.plain(Self.content("EventID", in: system))
        record.time = Self.attribute("SystemTime", of: "TimeCreated", in: system)
        record.category = Self.plain(rendered.flatMap { Self.content("Task", in: $0) })
        let level = Self.plain(rendered.flatMap { Self.content("Level", in: $0) } ?? Self.content("Level", in: system))
        record.set(.level, to: Self.levels[level] ?? level)
        record.set(.keywords, to: Self.plain(Self.content("Keywords", in: system)))
        record.setServer(Self.plain(Self.content("Computer", in: system)))
        record.correlation = Self.attribute("ActivityID", of: "Correlation", in: system)
            .filter { !"{}".utf8.contains($0) }
        let message = Self.plain(rendered.flatMap { Self.content("Message", in: $0) })
        record.message = message.isEmpty ? data : message
        return record
    }

    /// The names of levels by their numbers.
    private static let levels: [[UInt8]: [UInt8]] = {
        let names = ["Information", "Critical", "Error", "Warning", "Information", "Verbose"]
        return Dictionary(
            uniqueKeysWithValues: names.enumerated().map { (Array("\($0.offset)".utf8), Array($0.element.utf8)) }
        )
    }()

    /// Returns the values of an event's data, with the names that carry a meaning.
    private static func data(in event: ArraySlice<UInt8>) -> [UInt8] {
        var rest = content("EventData", in: event) ?? content("UserData", in: event) ?? []
        guard tag("Data", in: rest) != nil else { return plain(rest) }
        var parts: [[UInt8]] = []
        while let tag = tag("Data", in: rest) {
            let name = attribute("Name", of: "Data", in: rest[tag])
            let isEmpty = rest[tag].dropLast().last == UInt8(ascii: "/")
            rest = rest[tag.upperBound...]
            let end = isEmpty ? rest.startIndex : rest.firstRange(of: endOfData)?.lowerBound ?? rest.endIndex
            let value = plain(rest[..<end])
            rest = rest[end...]
            // `string0` and `param1` are only numbered.
            let isNamed = name.last.map { !$0.isDigit } ?? false
            if !value.isEmpty { parts.append(isNamed ? name + Array(": ".utf8) + value : value) }
        }
        return Array(parts.joined(separator: [UInt8(ascii: "\n")]))
    }

    /// Returns the bytes between the first tag of a name and the next end tag of the same name; `nil` if there is no
    /// such element.
    private static func content(_ name: String, in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let tag = tag(name, in: text), text[tag].dropLast().last != UInt8(ascii: "/") else { return nil }
        let rest = text[tag.upperBound...]
        return rest[..<(rest.firstRange(of: Array("</\(name)>".utf8))?.lowerBound ?? rest.endIndex)]
    }

    /// Returns the range of the first start tag of a name.
    private static func tag(_ name: String, in text: ArraySlice<UInt8>) -> Range<Int>? {
        var rest = text
        let start = Array("<\(name)".utf8)
        while let found = rest.firstRange(of: start) {
            rest = rest[found.upperBound...]
            guard let next = rest.first, next <= 0x20 || next == UInt8(ascii: ">") || next == UInt8(ascii: "/") else {
                continue
            }
            guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return nil }
            return found.lowerBound..<(end + 1)
        }
        return nil
    }

    private static func attribute(_ name: String, of element: String, in text: ArraySlice<UInt8>) -> [UInt8] {
        guard let tag = tag(element, in: text) else { return [] }
        let key = Array(" \(name)=".utf8)
        guard let found = text[tag].firstRange(of: key), let quote = text[found.upperBound..<tag.upperBound].first,
            "\"'".utf8.contains(quote)
        else { return [] }
        return CharacterReference.decoded(Array(text[(found.upperBound + 1)..<tag.upperBound].prefix { $0 != quote }))
    }

    /// Returns the text of an element without tags, references and surrounding blanks.
    private static func plain(_ content: ArraySlice<UInt8>?) -> [UInt8] {
        guard let content else { return [] }
        var (text, isInTag): ([UInt8], Bool) = ([], false)
        for byte in content {
            if byte == UInt8(ascii: "<") {
                isInTag = true
            } else if isInTag {
                isInTag = byte != UInt8(ascii: ">")
                if !isInTag { text.append(0x20) }
            } else {
                text.append(byte)
            }
        }
        let decoded = CharacterReference.decoded(text)
        return Array(decoded[decoded.trimmed])
    }
}

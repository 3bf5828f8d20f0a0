/// The sentences that stand in place of numbers: the files `phrases*.tsv` of `Rules/Codes`.
///
/// A line is a code and a sentence; ` * ` in it stands for up to 160 bytes. Case, the amount of white space and the form of
/// apostrophes don't count. All sentences are looked for at once: the first eight bytes of each are the key of a hash, which
/// is asked at the start of each word.
struct PhraseTable: Sendable {
    struct Phrase: Sendable {
        var code: CodeKey
        /// The fixed parts, folded.
        let parts: [[UInt8]]
        /// The bytes that are fixed.
        let weight: Int

        init(code: CodeKey, parts: [[UInt8]]) {
            self.code = code
            self.parts = parts
            weight = parts.reduce(0) { $0 + $1.count }
        }
    }

    static let builtIn = PhraseTable(BuiltInCodes.files)
    /// The most bytes that a `*` stands for.
    static let longestGap = 160

    /// Those with most fixed bytes first.
    let phrases: [Phrase]
    /// The first phrase of each key; each phrase leads to the next one of its key.
    private var first: [UInt64: Int32] = [:]
    private var next: [Int32]

    init(_ files: [CodeFile]) {
        var found: [Phrase] = []
        for file in files where file.name.hasPrefix("phrases") {
            for line in Array(file.text.utf8).split(separator: UInt8(ascii: "\n")) {
                guard let tab = line.firstIndex(of: UInt8(ascii: "\t")), let code = CodeKey(line[..<tab])
                else { continue }
                found.append(Phrase(code: code, parts: Self.parts(line[(tab + 1)...])))
            }
        }
        phrases = found.sorted { $0.weight > $1.weight }
        next = [Int32](repeating: -1, count: found.count)
        first.reserveCapacity(found.count)
        for number in phrases.indices.reversed() {
            guard let key = phrases[number].parts.first.flatMap({ Self.key($0, at: 0) }) else { continue }
            next[number] = first.updateValue(Int32(number), forKey: key) ?? -1
        }
    }

    private static func parts(_ sentence: ArraySlice<UInt8>) -> [[UInt8]] {
        let isASCII = sentence.allSatisfy { $0 < 0x80 }
        let folded = isASCII ? sentence.map(\.lowercasedASCII) : FoldedText(Array(sentence)).bytes
        guard folded.contains(UInt8(ascii: "*")) else { return [folded] }
        return folded.split(separator: UInt8(ascii: "*"))
            .map { part in
                var part = Array(part)
                // Beside a gap, spaces are not fixed.
                while part.first == 0x20 { part.removeFirst() }
                while part.last == 0x20 { part.removeLast() }
                return part
            }
            .filter { !$0.isEmpty }
    }

    private static func key(_ bytes: [UInt8], at start: Int) -> UInt64? {
        guard start + 8 <= bytes.count else { return nil }
        var key: UInt64 = 0
        for byte in bytes[start..<(start + 8)] { key = key << 8 | UInt64(byte) }
        return key
    }

    /// A literal of each phrase: its longest run of bytes whose form never differs but by ASCII case.
    var literals: [String] {
        phrases.map { phrase in
            let runs = phrase.parts.flatMap { $0.split { $0 >= 0x80 || $0 == UInt8(ascii: "'") } }
            let run = runs.max { $0.count < $1.count } ?? []
            guard run.count < 8 else { return String(decoding: run, as: UTF8.self) }
            return String(decoding: phrase.parts.max { $0.count < $1.count } ?? [], as: UTF8.self)
        }
    }

    /// All phrases in a text; they may overlap.
    func matches(in bytes: [UInt8]) -> [FoundCode] {
        let text = FoldedText(bytes)
        var found: [FoundCode] = []
        var told: Set<CodeKey> = []
        for start in text.bytes.indices where text.isStartOfWord(start) {
            guard let key = Self.key(text.bytes, at: start) else { continue }
            var candidate = Int(first[key] ?? -1)
            while candidate >= 0 {
                let phrase = phrases[candidate]
                candidate = Int(next[candidate])
                // Once is enough.
                guard let end = text.end(of: phrase.parts, at: start), told.insert(phrase.code).inserted,
                    let code = FailureCodes.code(phrase.code.number, in: phrase.code.space)
                else { continue }
                let range = Int(text.origins[start])..<Int(text.origins[end])
                found.append(FoundCode(code: code, evidence: .phrase, range: range))
                break
            }
        }
        return found
    }
}

/// A text in lowercase, with single spaces and plain apostrophes, that knows where its bytes were.
struct FoldedText {
    private(set) var bytes: [UInt8] = []
    /// Where each byte was, and, as one more, where the text ended.
    private(set) var origins: [Int32] = []

    init(_ text: [UInt8]) {
        bytes.reserveCapacity(text.count)
        origins.reserveCapacity(text.count + 1)
        var position = 0
        while position < text.count {
            let byte = text[position]
            let start = position
            position += 1
            if byte <= 0x20 {
                space(start)
            } else if byte == 0xC2, position < text.count, text[position] == 0xA0 {
                position += 1
                space(start)
            } else if byte == 0xE2, text[position...].prefix(2).isEndOfQuote {
                position += 2
                append(UInt8(ascii: "'"), start)
            } else if byte == 0xE2, text[position...].starts(with: [0x80, 0xA6]) {
                // What cuts a sentence also ends it.
                position += 2
                append(UInt8(ascii: "."), start)
            } else if byte == 0xC3, position < text.count, 0x80...0x9E ~= text[position] {
                // À to Þ
                append(byte, start)
                append(text[position] | 0x20, position)
                position += 1
            } else {
                append(byte.lowercasedASCII, start)
            }
        }
        origins.append(Int32(text.count))
    }

    private mutating func append(_ byte: UInt8, _ origin: Int) {
        bytes.append(byte)
        origins.append(Int32(origin))
    }

    private mutating func space(_ origin: Int) {
        if bytes.last != 0x20 { append(0x20, origin) }
    }

    func isStartOfWord(_ place: Int) -> Bool {
        bytes[place] != 0x20 && (place == 0 || !bytes[place - 1].isOfWord || !bytes[place].isOfWord)
    }

    /// Where a phrase ends that begins at `start`; `nil` if it is not there.
    func end(of parts: [[UInt8]], at start: Int) -> Int? {
        var end = start
        for (number, part) in parts.enumerated() {
            let last = number == 0 ? start : min(end + PhraseTable.longestGap, bytes.count - part.count)
            guard let place = place(of: part, from: end, through: last) else { return nil }
            end = place + part.count
        }
        let isWhole = end == bytes.count || !bytes[end].isOfWord || !bytes[end - 1].isOfWord
        return isWhole ? end : nil
    }

    private func place(of part: [UInt8], from first: Int, through last: Int) -> Int? {
        var place = first
        while place <= last, place + part.count <= bytes.count {
            if bytes[place] == part[0], bytes[place..<(place + part.count)].elementsEqual(part) { return place }
            place += 1
        }
        return nil
    }
}

extension ArraySlice<UInt8> {
    /// The last two bytes of ‘ or ’, which some languages use as an apostrophe.
    fileprivate var isEndOfQuote: Bool { count == 2 && first == 0x80 && (last == 0x98 || last == 0x99) }
}

/// A page in HTML that an answer brought, after what the log says itself.
///
/// Its title and text are written for people with a browser: "Access is denied" there is no error of Windows.
struct HTMLBody {
    private let range: Range<Int>
    private let isAnswer: Bool

    /// `nil` if there is no page, or nothing before it: a page that is all of a text is what is asked about.
    init?(in bytes: [UInt8]) {
        guard let start = Self.start(in: bytes), bytes[..<start].contains(where: { $0 > 0x20 }) else { return nil }
        range = start..<(Self.place(of: "</html>", in: bytes, from: start) ?? bytes.count)
        let before = Surroundings(bytes[max(0, start - 200)..<start])
        isAnswer = before.has(["response", "answer", "returned", "status"])
    }

    /// The codes without the words of the page, and that the answer was one.
    ///
    /// A number in a page stays: no sentence is one by chance.
    func told(of found: [FoundCode]) -> [FoundCode] {
        var told = found.filter { $0.evidence == .number || !range.contains($0.range.lowerBound) }
        guard isAnswer || told.contains(where: { $0.code.space == .http }) else { return told }
        if let code = FailureCodes.code(Self.sentence, in: .sentence) {
            // It is named by its tag.
            told.append(FoundCode(code: code, evidence: .name, range: range.lowerBound..<range.lowerBound + 5))
        }
        return told
    }

    /// "Answer is an HTML page" in the table of sentences.
    private static let sentence: UInt64 = 26

    private static func start(in bytes: [UInt8]) -> Int? {
        place(of: "<!doctype html", in: bytes, from: 0) ?? place(of: "<html", in: bytes, from: 0)
    }

    /// Where a word in lowercase stands, whatever its case in the text.
    private static func place(of word: StaticString, in bytes: [UInt8], from start: Int) -> Int? {
        let length = word.utf8CodeUnitCount
        guard bytes.count - start >= length else { return nil }
        return word.withUTF8Buffer { word in
            (start...(bytes.count - length)).first { place in
                bytes[place] == word[0] && word.indices.allSatisfy { bytes[place + $0].lowercasedASCII == word[$0] }
            }
        }
    }
}

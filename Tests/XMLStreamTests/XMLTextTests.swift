import Foundation
import TestSupport
import Testing
import XMLStream

/// The text of an element, regardless of the markup in it.
@Suite(.timeLimit(.minutes(10)))
struct XMLTextTests {
    @Test(arguments: 1...20)
    func `No character of text is lost or added`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let mixture = Mixture(using: &generator)
            let read = try text(of: mixture.document)
            #expect(read == mixture.text, "seed \(seed): \(mixture.document.debugDescription)")
        }
    }

    @Test(.enabled(if: Expat.isAvailable, "Python, which has expat, is not installed"))
    func `The text is the same as in expat`() throws {
        var generator = SeededGenerator(seed: 17)
        let documents = (0..<1_000).map { _ in Mixture(using: &generator).document }
        let expected = try Expat.texts(of: documents)
        #expect(expected.count == documents.count)
        for (document, expected) in zip(documents, expected) {
            #expect(try text(of: document) == expected, "\(document.debugDescription)")
        }
    }

    @Test(arguments: ["<a> <b/>\n<b> </b></a>", "<a xml:space='preserve'> <b/>\n<b> </b></a>"])
    func `Whitespace between elements is also text`(document: String) throws {
        #expect(try text(of: document) == " \n ")
    }

    @Test func `Text can be as long as the limits allow`() throws {
        var limits = XMLReader.Limits()
        (limits.bytes, limits.token) = (11 << 20, 11 << 20)
        // libxml2's own limit is 10,000,000.
        let long = String(repeating: "x", count: 10 << 20)
        #expect(try text(of: "<a>\(long)</a>", limits: limits) == long)
        limits.token = 999
        #expect(throws: XMLError.self) { try text(of: "<a>\(long.prefix(1_000))</a>", limits: limits) }
        limits.token = 1_000
        #expect(throws: Never.self) { try text(of: "<a>\(long.prefix(1_000))</a>", limits: limits) }
    }

    private func text(of document: String, limits: XMLReader.Limits = .init()) throws -> String {
        var reader = try XMLReader(Array(document.utf8), limits: limits)
        var text = ""
        while let event = try reader.next() {
            if case .text(let more) = event { text += more }
        }
        return text
    }
}

/// An element of text, character data, references, comments and instructions, and the text that it represents.
private struct Mixture {
    private(set) var document = "<a>"
    private(set) var text = ""
    /// Text that is written unchanged; its line ends are not yet normalized.
    private var plain = ""

    /// Pieces of this length cross the boundaries of the blocks that libxml2 reads at once.
    private static let lengths = [1, 1, 2, 5, 100, 505, 512, 1_500]
    private static let blanks = [" ", "\n", "\t", "\r\n", "\r"]

    init(using generator: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 1...12, using: &generator) { append(using: &generator) }
        settle()
        document += "</a>"
    }

    private mutating func append(using generator: inout SeededGenerator) {
        let count = Self.lengths.randomElement(using: &generator) ?? 1
        let blank = Self.blanks.randomElement(using: &generator) ?? " "
        switch Int.random(in: 0..<7, using: &generator) {
        case 0: add(plain: String(repeating: blank, count: count))
        case 1: add(plain: String(repeating: Bool.random(using: &generator) ? "x" : "\u{1F600}", count: count))
        case 2: add("<!--\(String(repeating: "c", count: count))-->", meaning: "")
        case 3: add("<?p \(String(repeating: "q", count: count))?>", meaning: "")
        case 4: add("<![CDATA[\(blank)]]>", meaning: Self.unified(blank))
        case 5:
            let content = String(repeating: "y<&>", count: count) + blank
            add("<![CDATA[\(content)]]>", meaning: Self.unified(content))
        default:
            let code = [9, 10, 13, 32, 38, 233].randomElement(using: &generator) ?? 32
            add("&#\(code);", meaning: String(UnicodeScalar(UInt8(code))))
        }
    }

    private mutating func add(plain text: String) {
        document += text
        plain += text
    }

    private mutating func add(_ markup: String, meaning: String) {
        settle()
        document += markup
        text += meaning
    }

    private mutating func settle() {
        text += Self.unified(plain)
        plain = ""
    }

    private static func unified(_ text: String) -> String {
        text.replacingOccurrences(of: "\r\n", with: "\n").replacingOccurrences(of: "\r", with: "\n")
    }
}

/// The parser that comes with Python.
private enum Expat {
    private static let python = "/usr/bin/python3"
    static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: python) }

    private static let script = """
        import json, sys, xml.parsers.expat
        def text(document):
            pieces = []
            parser = xml.parsers.expat.ParserCreate()
            parser.CharacterDataHandler = pieces.append
            parser.Parse(document.encode(), True)
            return "".join(pieces)
        with open(sys.argv[1], newline="") as file: documents = json.load(file)
        print(json.dumps([text(document) for document in documents]))
        """

    static func texts(of documents: [String]) throws -> [String] {
        let folder = try TemporaryFolder()
        try JSONEncoder().encode(documents).write(to: URL(filePath: folder.path("documents.json")))
        let output = try ChildProgram.run(python, ["-c", script, folder.path("documents.json")]).output
        return try JSONDecoder().decode([String].self, from: Data(output.utf8))
    }
}

import Testing
import XMLStream

/// Documents that must be refused without delay.
@Suite(.timeLimit(.minutes(10)))
struct AttackTests {
    private static func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    private static let laughs =
        "<!DOCTYPE lolz [<!ENTITY lol0 'lol'>"
        + (1..<10).map { "<!ENTITY lol\($0) '\(repeated("&lol\($0 - 1);", 10))'>" }.joined() + "]>"

    @Test(arguments: [
        laughs + "<a>&lol9;</a>",
        laughs + "<a b='&lol9;'/>",
        "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a b='&x;'/>",
        "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>",
        "<!DOCTYPE a [<!ENTITY % p SYSTEM 'http://localhost/p'> %p;]><a/>",
        "<!DOCTYPE a SYSTEM 'http://localhost/a.dtd'><a/>",
        "<!DOCTYPE a [<!ATTLIST a b CDATA '\(repeated("x", 1000))'>]><a/>",
        "<!DOCTYPE a [<!ENTITY x '\(repeated("x", 60_000))'>]><a b='\(repeated("&x;", 20_000))'/>",
    ])
    func `A document type declaration is refused without being read`(text: String) throws {
        for writing in [Writing.utf8, .utf8WithMark, .utf16LittleEndian, .utf16BigEndian, .utf16WithoutMark] {
            let error = try #require(refusal(writing.bytes("<?xml version='1.0'?>\n<!-- <a> --><?b <!-- ?>\n " + text)))
            #expect(error == XMLError(code: .forbidden, message: "a DOCTYPE is not allowed", line: 3, column: 2))
        }
    }

    @Test func `A reader also refuses a document type declaration`() {
        let error = #expect(throws: XMLError.self) { _ = try XMLReader(Array("<!DOCTYPE a><a/>".utf8)) }
        #expect(error?.code == .forbidden)
    }

    @Test(arguments: [
        "<a b='&x;'/>", "<a>&x;</a>", "<a b='&#0;'/>", "<a b='&#xD800;'/>", "<a b='&#x110000;'/>",
        "<a b='&#99999999999;'/>",
    ])
    func `A reference that XML does not define is refused`(text: String) {
        #expect(refusal(text)?.code == .malformed)
    }

    /// A document that is too expensive, and the position at which that is detected.
    struct Costly: CustomTestStringConvertible, Sendable {
        var message: String
        var column: Int?
        var text: @Sendable () -> String

        var testDescription: String { message }
    }

    private static let longText = "a tag, comment or text of more than 4194304 bytes"
    private static let manyNodes = "more than 250000 elements, attributes and comments"

    private static let costly: [Costly] = [
        Costly(message: "nested deeper than 64", column: 193) { repeated("<a>", 70) + repeated("</a>", 70) },
        Costly(message: "nested deeper than 64", column: 193) { repeated("<a>", 1_000_000) },
        Costly(message: "more than 256 attributes in one tag", column: 1) {
            "<a " + (0..<300).map { "b\($0)=''" }.joined(separator: " ") + "/>"
        },
        Costly(message: manyNodes, column: 1_000_000) { "<a>\(repeated("<b/>", 300_000))</a>" },
        Costly(message: manyNodes, column: 1_749_997) { "<a>\(repeated("<!---->", 300_000))</a>" },
        Costly(message: longText, column: 4) { "<a>\(repeated("x", 5 << 20))</a>" },
        Costly(message: longText, column: 1) { "<a b='\(repeated("x", 5 << 20))'/>" },
        Costly(message: longText, column: 4) { "<a><!--\(repeated("x", 5 << 20))--></a>" },
        Costly(message: "more than 1000 namespaces at once", column: nil) {
            (0..<9).map { depth in
                "<a " + (0..<200).map { "xmlns:n\(depth)n\($0)='u'" }.joined(separator: " ") + ">"
            }.joined()
        },
    ]

    @Test(arguments: costly)
    func `A document that is too expensive to read is refused`(document: Costly) throws {
        let error = try #require(refusal(document.text()))
        #expect(error.code == .tooLarge)
        #expect(error.message == document.message)
        #expect(error.line == 1)
        if let column = document.column { #expect(error.column == column) }
    }

    @Test func `A long document is refused`() {
        #expect(
            refusal([UInt8](repeating: 0x20, count: 16 << 20 | 1))
                == XMLError(code: .tooLarge, message: "more than 16777216 bytes", line: 1)
        )
    }

    @Test func `Limits can be lowered`() {
        var limits = XMLReader.Limits()
        (limits.depth, limits.bytes) = (1, 7)
        #expect(throws: Never.self) { try SourceMap(Array("<a></a>".utf8), limits: limits) }
        #expect(throws: XMLError.self) { try SourceMap(Array("<a><b/></a>".utf8), limits: limits) }
        limits.bytes = 100
        #expect(throws: XMLError.self) { try SourceMap(Array("<a><b/></a>".utf8), limits: limits) }
    }

    @Test(arguments: [
        ("<a>\n<b></a>", 2, "Opening and ending tag mismatch: b line 2 and a"),
        ("<a b='1'\n b='2'/>", 2, "Attribute b redefined"),
        ("<a>\n\n\u{B}</a>", 3, "PCDATA invalid Char value 11"),
        ("<a><n:b/></a>", 1, "Namespace prefix n on b is not defined"),
    ])
    func `The error message for malformed text is a single line`(text: String, line: Int, message: String) throws {
        #expect(refusal(text) == XMLError(code: .malformed, message: message, line: line))
    }

    @Test(arguments: [
        ("<a>\n", 2, 1, "the text ends before <a> on line 1 is closed"),
        ("<a>\n <!-- <b/></a>", 2, 2, "no --> follows"),
        ("<a><![CDATA[</a>", 1, 4, "no ]]> follows"),
        ("<?x >\n<a/>", 1, 1, "no ?> follows"),
    ])
    func `A premature end is reported with its position`(text: String, line: Int, column: Int, message: String) throws {
        #expect(refusal(text) == XMLError(code: .malformed, message: message, line: line, column: column))
    }

    @Test func `A long name does not make the error message long`() throws {
        let error = try #require(refusal("<\(Self.repeated("n", 10_000))></b>"))
        #expect(error.code == .malformed && error.message.count <= 200)
    }
}

/// Returns the reason a document is refused; `nil` if it is read.
func refusal(_ bytes: [UInt8]) -> XMLError? {
    do {
        _ = try SourceMap(bytes)
        return nil
    } catch {
        return error
    }
}

func refusal(_ text: String) -> XMLError? { refusal(Array(text.utf8)) }

/// Text in one of the encodings of files; a declaration in it contains the placeholder `ENCODING`.
enum Writing: CaseIterable {
    case utf8
    case utf8WithMark
    case utf16LittleEndian
    case utf16BigEndian
    case utf16WithoutMark
    case latin1

    var step: Int { [.utf16LittleEndian, .utf16BigEndian, .utf16WithoutMark].contains(self) ? 2 : 1 }

    func bytes(_ text: String) -> [UInt8] {
        let name = step == 2 ? "utf-16" : self == .latin1 ? "iso-8859-1" : "utf-8"
        let text = text.replacing("ENCODING", with: name)
        return switch self {
        case .utf8: Array(text.utf8)
        case .utf8WithMark: Array("\u{FEFF}\(text)".utf8)
        case .utf16LittleEndian: "\u{FEFF}\(text)".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        case .utf16BigEndian: "\u{FEFF}\(text)".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        case .utf16WithoutMark: text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        case .latin1: text.unicodeScalars.map { UInt8($0.value) }
        }
    }
}

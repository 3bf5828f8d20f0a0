import ContentFeeding
import Foundation
import TestSupport
import Testing
import TextKit

@testable import FeedFormats

struct TableTests {
    @Test(arguments: [1, 7, 64, 4096], ["\n", "\r\n"])
    func `IDs are read from the named column`(piece: Int, lineEnd: String) {
        let rows = ["name,id", "x,a", "\"x,y\",\"b,\"\"c\"\"\"", "", "\"two\nlines\",\"d\ne\"", "\"\",f"]
        for end in ["", lineEnd] {
            let reading = Reading(rows.joined(separator: lineEnd) + end, as: .csv(column: .named("id")), piece: piece)
            #expect(reading.ids == ["a", "b,\"c\"", "d\ne", "f"])
            #expect(reading.input.lines == 5 && reading.input.blank == 1 && reading.input.rejected == 0)
        }
    }

    @Test(arguments: [ContentOperation.Kind.remove, .add])
    func `The routing is read from a second column`(kind: ContentOperation.Kind) {
        let format = InputFormat.csv(column: .named("id"), routing: .named("tenant"))
        let reading = Reading("id,tenant\na,u1\nb,\nc,\"u,2\"\n", as: format, for: kind)
        #expect(reading.operations.map(\.routing?.text) == ["u1", nil, "u,2"])
        #expect(Reading("id,n\na,1\n", as: format, for: kind).refusal?.code == .unknownColumn)
        #expect(
            Reading("u1\ta", as: .tsv(column: .number(2), routing: .number(1))).operations.first?.routing?.text == "u1"
        )
    }

    @Test(arguments: ContentOperation.Kind.allCases)
    func `The version is read from the specified column`(kind: ContentOperation.Kind) {
        var dialect = InputDialect()
        dialect.version = VersionMember(column: .named("v"), .unchanged)
        let format = InputFormat.csv(column: .named("id"))
        let reading = Reading("id,v\na,5:1\nb,\nc,\"7\"\nd,\"\"\n", as: format, for: kind, dialect)
        let version = { WriteCondition.unchanged(DocumentVersion(rawValue: $0)) }
        #expect(reading.operations.map(\.condition) == [version("5:1"), .absent, version("7"), .absent])
        #expect(reading.operations.allSatisfy { $0.kind == kind })
        #expect(Reading("id,n\na,1\n", as: format, for: kind, dialect).refusal?.code == .unknownColumn)

        dialect.version = VersionMember(column: .named("v"), .external)
        let external = Reading("id,v\na,5\nb,\nc,-1\nd,x\ne,5:1\nf,0\n", as: format, for: kind, dialect)
        #expect(external.operations.map(\.condition) == [.olderThan(5), .olderThan(0)])
        #expect(external.rejectedLines == [3, 4, 5, 6])
        #expect(external.reasons.first?.contains("has no version") == true)
    }

    @Test func `A column that is not there is reported with the option that names it`() {
        func advice(_ format: InputFormat, _ version: VersionMember? = nil) -> String? {
            var dialect = InputDialect()
            dialect.version = version
            let refusal = Reading("id,v\na,5\n", as: format, dialect).refusal
            #expect(refusal?.code == .unknownColumn)
            return refusal?.failure.advice
        }
        let ids = InputFormat.csv(column: .named("id"))
        #expect(advice(.csv(column: .named("sku")))?.contains("--column for removals, or --id-field") == true)
        #expect(advice(.csv(column: .named("id"), routing: .named("r"))) == "correct --routing-field; nothing was sent")
        let version = VersionMember(column: .named("w"), .external)
        #expect(advice(ids, version) == "correct --version-field; nothing was sent")
    }

    @Test func `The version can also be read from a column without a title`() {
        var dialect = InputDialect()
        dialect.version = VersionMember(column: .number(2), .external)
        let reading = Reading("a\t5\nb\t6", as: .tsv(column: .number(1)), dialect)
        #expect(reading.ids == ["a", "b"] && reading.operations.map(\.condition) == [.olderThan(5), .olderThan(6)])
    }

    @Test func `A table with a numbered column has no header row unless one is declared`() {
        #expect(Reading("a,b\nc,d", as: .csv(column: .number(2))).ids == ["b", "d"])
        #expect(Reading("a,b\nc,d", as: .csv(column: .number(2, hasHeader: true))).ids == ["d"])
        #expect(Reading("a\tb,\nc\t\"d\t\"", as: .tsv(column: .number(2))).ids == ["b,", "d\t"])
    }

    @Test(arguments: [
        ("a", "has 1 column where the first row has 2"), ("a,b,c", "has 3 columns"), ("a\",b", "quote inside a field"),
        ("\"a\"b,c", "after a closing quote"), ("x,", "empty"), ("x,a\0", "NUL"),
    ])
    func `A row that is split incorrectly is rejected`(row: String, reason: String) {
        let reading = Reading("n,id\n\"1\n2\",a\n\(row)\nx,b\n", as: .csv(column: .named("id")))
        #expect(reading.ids == ["a", "b"])
        #expect(reading.rejectedLines == [4])
        #expect(reading.reasons.first?.contains(reason) == true, "\(reading.reasons)")
    }

    @Test(arguments: [ContentOperation.Kind.remove, .add], [1, 4096])
    func `Repeated titles, as in concatenated tables, are not records`(kind: ContentOperation.Kind, piece: Int) {
        let rows = ["id,n", "a,1", "id,n", "\u{FEFF}id,n", "\"id\",\"n\"", "\u{FEFF}\"id\",n", "id,m", "b,2"]
        let reading = Reading(rows.joined(separator: "\r\n"), as: .csv(column: .named("id")), for: kind, piece: piece)
        #expect(reading.ids == ["a", "id", "b"] && reading.input.rejected == 0)
        #expect(reading.input.lines == 7 && reading.input.blank == 4)
        // Without titles, there are no titles that could be repeated.
        #expect(Reading("id\na\nid", as: .csv(column: .number(1))).ids == ["id", "a", "id"])
    }

    @Test(arguments: ["id,n\r7,x\r8,y\r", "id,n\r7,x", "\"id\",\"n\"\r\"7\",\"x\"\r", "id\r7\r"])
    func `Lines that end in a carriage return alone are read if the first line has titles`(text: String) {
        let count = text.count { $0 == "\r" } - (text.hasSuffix("\r") ? 1 : 0)
        for format in [InputFormat.csv(column: .named("id")), .csv(column: .number(1, hasHeader: true))] {
            for piece in 1...text.utf8.count {
                let reading = Reading(text + (text.hasSuffix("\r") ? "9,\"\n" : ""), as: format, piece: piece)
                #expect(reading.ids == Array(["7", "8"].prefix(count)))
                // Lines are counted, also when a carriage return is the last byte of a piece.
                #expect(reading.rejectedLines == (text.hasSuffix("\r") ? [count + 2] : []))
            }
        }
        #expect(Reading(text, as: .csv(column: .number(1))).ids.isEmpty)
        // Without quotes, a line feed shows that the lines do not end alike.
        #expect(Reading("id\ra\nb\rc\r\"d\n\"", as: .csv(column: .named("id"))).ids == ["c", "d\n"])
        let mixed = Reading("id\na\n\(text)\nb\n", as: .csv(column: .named("id")))
        #expect(mixed.ids == ["a", "b"] && mixed.rejectedLines == [3])
    }

    @Test(arguments: [",x", "a\0,x"])
    func `Without titles, the first row is checked like any other row`(row: String) {
        let reading = Reading("\(row)\na,b\n", as: .csv(column: .number(1)))
        #expect(reading.ids == ["a"])
        #expect(reading.rejectedLines == [1])
    }

    private func dialect(_ delimiter: Character? = nil, hasComments: Bool = false) -> InputDialect {
        var dialect = InputDialect()
        dialect.delimiter = delimiter?.asciiValue
        dialect.hasComments = hasComments
        return dialect
    }

    @Test(arguments: [1, 7, 64])
    func `The option or the first line determines the delimiter`(piece: Int) {
        let rows = "id;t\na;\"x,;\"\n\"b;\";\n"
        let csv = InputFormat.csv(column: .named("id"))
        for (text, delimiter) in [(rows, ";"), ("sep=;\r\n" + rows, nil), ("SEP=;\n" + rows, ";")]
            as [(String, Character?)]
        {
            let reading = Reading(text, as: csv, dialect(delimiter), piece: piece)
            #expect(reading.ids == ["a", "b;"])
            #expect(reading.input.rejected == 0)
        }
        #expect(Reading("sep=;\n" + rows, as: csv, dialect(","), piece: piece).refusal?.code == .malformedHeader)
        // A line that consists only of this is not part of the table if it is the first one.
        #expect(Reading("id,n\nsep=;,x\n", as: csv, piece: piece).ids == ["sep=;"])
        #expect(Reading(rows, as: csv).refusal?.reason.hasSuffix("use --delimiter ';'") == true)
    }

    @Test(arguments: [1, 7, 64])
    func `Comments are never rows, even if they look like rows`(piece: Int) {
        let text = "# it, \"s\nid,t\na,\"\n# x\"\n#,\"\nb,#\n"
        let reading = Reading(text, as: .csv(column: .named("id")), dialect(hasComments: true), piece: piece)
        #expect(reading.ids == ["a", "b"])
        #expect(reading.input.blank == 2 && reading.input.rejected == 0)
        #expect(Reading("#a\n b\n", as: .lines(), dialect(hasComments: true), piece: piece).ids == [" b"])
        #expect(Reading("#a\n", as: .lines(), piece: piece).ids == ["#a"])
    }

    @Test(arguments: [1, 7, 64], ["\n", "\r\n", "\r"])
    func `Lines before a table are skipped, whatever they contain`(piece: Int, lineEnd: String) {
        var dialect = dialect(hasComments: true)
        dialect.skippedLines = 3
        let before = ["Report \"of May", "", "#" + String(repeating: "x", count: 100)]
        let lines = before + ["# rows", "sep=;", "id;t", "a;1", ";2", "id;t", "b;3"]
        var limits = InputLimits()
        limits.line = 40
        let bytes = Array(lines.joined(separator: lineEnd).utf8)
        let reading = Reading(bytes, as: .csv(column: .named("id")), dialect, limits: limits, piece: piece)
        #expect(reading.ids == ["a", "b"] && reading.rejectedLines == [8] && reading.refusal == nil)
        for count in 1...3 {
            let short = before.prefix(count).map { $0 + lineEnd }.joined()
            let reading = Reading(short, as: .csv(column: .named("id")), dialect, piece: piece)
            #expect(reading.ids.isEmpty && reading.reasons.first?.contains("--skip-lines") == true, "\(reading)")
        }
        #expect(Reading("", as: .csv(column: .named("id")), dialect).input.lines == 0)
        dialect.skippedLines = 1
        #expect(Reading("x\nid", as: .csv(column: .named("id")), dialect, piece: piece).reasons.isEmpty)
    }

    @Test(arguments: [1, 7, 64])
    func `An unclosed quote is rejected`(piece: Int) {
        let reading = Reading("n,id\nx,a\n\"x,b\nx,c\n", as: .csv(column: .named("id")), piece: piece)
        #expect(reading.ids == ["a"])
        #expect(reading.rejectedLines == [3])
        #expect(reading.reasons.first?.contains("inside quotes") == true)
    }

    @Test func `Columns are parsed from options`() {
        #expect(InputColumn("2") == .number(2))
        #expect(InputColumn("2", hasHeader: true) == .number(2, hasHeader: true))
        #expect(InputColumn("0") == .named("0"))
        #expect(InputColumn("id") == .named("id"))
        #expect(InputColumn("+2") == .named("+2"))
    }
}

struct TableDocumentsTests {
    private static let format = InputFormat.csv(column: .named("id"))

    @Test(arguments: ["\n", "\r\n"])
    func `Each row is a document, however the input is split into chunks`(lineEnd: String) {
        let rows = [
            "id,\"the \"\"title\"\"\",n", "1,x,007", "", "\"2\",\"two\nlines, \"\"quoted\"\"\",", "3,\"\",é",
        ]
        for text in [rows.joined(separator: lineEnd), rows.joined(separator: lineEnd) + lineEnd] {
            let whole = Reading(text, as: Self.format, for: .add)
            #expect(
                whole.documents == [
                    #"{"id":"1","the \"title\"":"x","n":"007"}"#,
                    #"{"id":"2","the \"title\"":"two\nlines, \"quoted\""}"#, #"{"id":"3","the \"title\"":"","n":"é"}"#,
                ]
            )
            #expect(whole.input.blank == 1 && whole.input.rejected == 0)
            for piece in 1..<text.utf8.count {
                #expect(Reading(text, as: Self.format, for: .add, piece: piece) == whole)
            }
        }
    }

    @Test func `Columns can be separated by tabs`() {
        let reading = Reading("id\ta\n1\tb,\"c\n", as: .tsv(column: .named("id")), for: .update)
        #expect(reading.reasons.first?.contains("quote inside a field") == true)
        let other = Reading("a\tid\nb,c\t1\n", as: .tsv(column: .named("id")), for: .update)
        #expect(other.documents == [#"{"a":"b,c","id":"1"}"#])
        #expect(other.operations.first?.kind == .update)
    }

    @Test(arguments: [
        ("1", "has 1 column where the first row has 2"), ("1,2,3", "has 3 columns"), (",x", "empty"),
        ("1,a\"b", "quote inside a field"), ("\"1\"x,y", "after a closing quote"),
    ])
    func `A row that is split incorrectly is rejected`(row: String, reason: String) {
        let reading = Reading("id,t\n\"0\n\",a\n\(row)\n2,b\n", as: Self.format, for: .add)
        #expect(reading.ids == ["0\n", "2"])
        #expect(reading.rejectedLines == [4])
        #expect(reading.reasons.first?.contains(reason) == true, "\(reading.reasons)")
    }

    @Test func `A row that is not UTF-8 is rejected`() {
        let reading = Reading(Array("id,t\n1,".utf8) + [0xFF] + Array("\n2,b".utf8), as: Self.format, for: .add)
        #expect(reading.ids == ["2"])
        #expect(reading.reasons == ["column 't' is \(RejectedRecord.notUTF8.reason)"])
    }

    @Test(arguments: [
        ("id,id\n", InputError.Code.malformedHeader, "two columns are titled 'id'"),
        (",id\n", .malformedHeader, "column 1 has no title"), ("a\"b,id\n", .malformedHeader, "the first row"),
        ("ID,t\n", .unknownColumn, "did you mean 'ID'?"), ("id,t,u,v,w\n", .malformedHeader, "more than 4 columns"),
    ])
    func `A first row that names no fields is refused`(text: String, code: InputError.Code, reason: String) async throws
    {
        let folder = try TemporaryFolder()
        try Data(text.utf8).write(to: URL(filePath: folder.path("pages.csv")))
        var limits = InputLimits()
        limits.columns = 4
        let error = await #expect(throws: InputError.self) {
            _ = try await FeedInput.open(
                [.file(folder.path("pages.csv"))],
                for: .add,
                format: Self.format,
                limits: limits
            )
        }
        #expect(error?.code == code)
        #expect(error?.reason.contains(reason) == true, "\(String(describing: error))")
    }

    @Test func `A byte-order mark is not part of a title`() async throws {
        let folder = try TemporaryFolder()
        try Data("\u{FEFF}id,t\n1,a\n".utf8).write(to: URL(filePath: folder.path("pages.csv")))
        let input = try await FeedInput.open([.file(folder.path("pages.csv"))], for: .add, format: Self.format)
        #expect(try await Reading(drawing: input).documents == [#"{"id":"1","t":"a"}"#])
    }

    @Test(arguments: 1...40)
    func `Damaged tables are fully accounted for, however they are split into chunks`(seed: UInt64) {
        var mutation = ByteMutation(seed: seed)
        let bytes = Array("id,title\n".utf8) + mutation.mutated([Array("1,a\n2,\"b\"\"c\"\n\"3\nx\",\n".utf8)])
        var limits = InputLimits()
        limits.chunkCount = 2
        limits.document = 60
        let whole = Reading(bytes, as: Self.format, for: .add, limits: limits, piece: bytes.count)
        #expect(whole.input.lines == whole.operations.count + whole.input.blank + whole.input.rejected)
        for piece in [1, 3, 64] {
            #expect(Reading(bytes, as: Self.format, for: .add, limits: limits, piece: piece) == whole)
        }
    }

    @Test(arguments: [",", ";", "\t"], 1...20)
    func `A table that fastctl writes is read back unchanged, also where it looks like formulas`(
        delimiter: String,
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let parts = ["\t", "=", "+", "-", "@", "\r", "＝", "5", ".", "a", "ü", "\"", ",", ";", "\n", "+49 30"]
        func text() -> String {
            (0...Int.random(in: 0..<4, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
        }
        /// Returns the cell as the writer of tables writes it.
        func cell(_ text: String) -> String {
            let tab = FormulaGuard.applies(to: Array(text.utf8).span) ? "\t" : ""
            return "\"\(tab)\(text.replacingOccurrences(of: "\"", with: "\"\""))\""
        }
        var rows: [[String]] = [["id", "=t\(text())"]]
        for number in 1...50 { rows.append(["\(text())\(number)", text()]) }
        let table = rows.map { $0.map(cell).joined(separator: delimiter) + "\r\n" }.joined()
        var dialect = InputDialect()
        dialect.delimiter = delimiter.utf8.first
        let reading = Reading(table, as: Self.format, for: .add, dialect)
        #expect(reading.ids == rows.dropFirst().map { $0[0] })
        let cells = try reading.operations.map { operation in
            try JSONDecoder().decode([String: String].self, from: Data(operation.json))[rows[0][1]]
        }
        #expect(cells == rows.dropFirst().map { $0[1] })
        #expect(Reading(table, as: Self.format, dialect).ids == reading.ids)
    }
}

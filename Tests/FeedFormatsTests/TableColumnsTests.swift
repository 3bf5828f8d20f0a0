import ContentFeeding
import Testing
import TextKit

@testable import FeedFormats

/// The columns of a table that become keys, and the types of their cells.
struct TableColumnsTests {
    private func documents(_ table: String, _ columns: String, isUpdate: Bool = false) throws -> Reading {
        var dialect = InputDialect()
        dialect.columns = try TableColumns(columns)
        return Reading(table, as: .csv(column: .named("id")), for: isUpdate ? .update : .add, dialect)
    }

    private func json(_ reading: Reading) -> [String] {
        reading.operations.map { String(decoding: $0.document.json, as: UTF8.self) }
    }

    @Test(arguments: [
        ("number", "12.50", "12.50"), ("number", "-3", "-3"), ("number", "9007199254740993", "9007199254740993"),
        ("number", "1e5", "1e5"), ("number(,)", "\"1,5\"", "1.5"), ("boolean", "TRUE", "true"),
        ("boolean", "no", "false"),
        ("json", "\"[1,{\"\"a\"\":null}]\"", "[1,{\"a\":null}]"), ("list(;)", "a;b c;", "[\"a\",\"b c\",\"\"]"),
        ("list( | )", "a | b|c", "[\"a\",\"b|c\"]"), ("list(;)", "\"\"", "[]"), ("string", "007", "\"007\""),
        ("date(dd.MM.yyyy)", "29.02.2024", "\"2024-02-29T00:00:00Z\""),
        ("date(d.M.yyyy HH:mm)", "1.12.2026 08:05", "\"2026-12-01T08:05:00Z\""),
        ("date(yyyyMMddTHHmmss)", "20261128T235959", "\"2026-11-28T23:59:59Z\""),
    ])
    func `A cell is converted to a value of its column's type`(type: String, cell: String, value: String) throws {
        let reading = try documents("id,x\n1,\(cell)\n", "x:\(type)")
        #expect(json(reading) == ["{\"id\":\"1\",\"x\":\(value)}"], "\(reading.reasons)")
    }

    @Test(arguments: [
        ("number", "12x"), ("number", "\"1,5\""), ("number", "+1"), ("number", "01"), ("number", "\"\""),
        ("number", "true"), ("number", "NaN"), ("number", "Infinity"), ("number", "-Infinity"), ("number", " 1"),
        ("number(,)", "1.5"), ("boolean", "maybe"),
        ("json", "{a:1}"), ("json", "1 2"), ("date(dd.MM.yyyy)", "30.02.2026"), ("date(dd.MM.yyyy)", "1.2.2026"),
        ("date(dd.MM.yyyy)", "2026-02-01"), ("date(dd.MM.yyyy)", "01.02.2026 "),
        ("date(dd.MM.yyyy HH:mm)", "01.02.2026 24:00"),
    ])
    func `A cell of another type causes its row to be rejected, with the name of its column`(
        type: String,
        cell: String
    ) throws {
        let reading = try documents("id,x\n1,\(cell)\n2,\n", "x:\(type)")
        #expect(json(reading) == ["{\"id\":\"2\"}"])
        #expect(reading.rejectedLines == [2] && reading.reasons.first?.contains("in column 'x', which is not") == true)
        let isAdvised = reading.reasons.first?.contains("if it has a decimal comma, use number(,)")
        #expect(isAdvised == (type == "number" && cell.contains(",")))
    }

    @Test func `A number that programs would read as infinity is rejected`() throws {
        let reading = try documents("id,x\n1,1e999\n2,-1e400\n3,1e-999\n4,1e308\n", "x:number")
        #expect(reading.ids == ["3", "4"])
        #expect(reading.reasons.allSatisfy { $0.contains("in column 'x', which is too large for a number") })
    }

    @Test func `A type that does not exist is named`() throws {
        let reason = try documents("id,price,a:b\n1,2,3\n", "price:nubmer").refusal?.reason
        #expect(reason?.contains("'nubmer' is not a type; the types are string, number") == true)
        #expect(json(try documents("id,price,a:b\n1,2,3\n", "a:b")) == [#"{"id":"1","a:b":"3"}"#])
    }

    @Test func `A cell with an operator is refused unless the operator is applied`() throws {
        let table = #"id,n\n1,"{""$inc"":1}"\n2,"{""m"":{""$inc"":1}}"\n"#.replacing(#"\n"#, with: "\n")
        #expect(try documents(table, "n:json", isUpdate: true).rejectedLines == [3])
        #expect(try documents(table, "n:json").rejectedLines == [2, 3])
        #expect(try documents(table, "n").rejectedLines.isEmpty)
    }

    @Test func `Columns that are not listed are omitted, except the ID's column`() throws {
        let table = "a,id,b,dc:title\n1,2,3,4\n"
        #expect(json(try documents(table, "b")) == [#"{"id":"2","b":"3"}"#])
        #expect(json(try documents(table, "dc:title,a:number")) == [#"{"a":1,"id":"2","dc:title":"4"}"#])
        #expect(json(try documents(table, "*,b:number")) == [#"{"a":"1","id":"2","b":3,"dc:title":"4"}"#])
        #expect(json(try documents("id,\"x,y\"\n1,2\n", "\"x,y\":number")) == [#"{"id":"1","x,y":2}"#])
        let refusal = try documents(table, "c").refusal
        #expect(refusal?.code == .unknownColumn)
        #expect(refusal?.failure.advice == "correct --columns; nothing was sent")
        #expect(try documents(table, "a:numbr").refusal?.failure.advice == "correct --columns; nothing was sent")
        #expect(try documents(table, "dc:nubmer").refusal?.reason.contains("has no column 'dc:nubmer'") == true)
    }

    @Test(arguments: [
        "", "a,", ",a", "a,a", "*,*", "\"a", "a:list(;", "a:list", "a:date", "a:list()", "a:money(x)", "\"a\":x",
        "a:date(dd.MM)", "a:date(dd.MM.yy)", "a:date(dd.MM.yyyy yyyy)", "a:date(dd.MM.yyyy ss)",
        "a:date(QQ.dd.MM.yyyy)",
    ])
    func `A column list that can't be parsed is refused`(columns: String) {
        #expect(throws: TableColumnsError.self) { try TableColumns(columns) }
    }
    @Test func `Jobs from versions without typed columns keep their identity`() throws {
        var dialect = InputDialect()
        dialect.delimiter = UInt8(ascii: ";")
        dialect.hasComments = true
        let fields = "hasComments: true, version: nil, isBackup: false, encoding: nil"
        #expect(dialect.identity == "InputDialect(delimiter: Optional(59), \(fields))")
        // This is the same in each process, unlike a description of types.
        dialect.columns = try TableColumns("at:date(dd.MM.yyyy)")
        #expect(dialect.identity == "InputDialect(delimiter: Optional(59), \(fields), columns: at:date(dd.MM.yyyy))")
        (dialect.columns, dialect.encoding) = (nil, try TextEncoding(of: "windows-1252"))
        #expect(dialect.identity.hasSuffix("encoding: windows-1252)"))
        dialect.skippedLines = 2
        dialect.upsertKey = "new"
        #expect(dialect.identity.hasSuffix("encoding: windows-1252, skippedLines: 2, upsertKey: new)"))
    }
}

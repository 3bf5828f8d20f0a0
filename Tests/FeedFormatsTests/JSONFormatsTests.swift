import ContentFeeding
import Testing

@testable import FeedFormats

struct JSONLinesTests {
    private static let envelope =
        #"{"schema":"fastctl.document/1","id":"E","collection":"C","version":3,"document":{"id":"x", "a":1}}"#

    @Test(arguments: [
        ("{\"id\":\"1\",\"a\":\(String(repeating: "[", count: 70))", "levels at byte 78; make it flatter"),
        (#"{"id":"1","a":-Infinity}"#, "write null or a string in its place"),
        (#"{"id":"1","a":NaN}"#, "write null or a string in its place"),
    ])
    func `The rejection of values that are not JSON names the next step`(text: String, reason: String) {
        let reading = Reading(text, as: .jsonLines(), for: .add)
        #expect(reading.reasons.count == 1 && reading.reasons.first?.contains(reason) == true, "\(reading.reasons)")
    }

    @Test(arguments: [1, 7, 64, 4096], ["\n", "\r\n"])
    func `IDs are read from lines of JSON`(piece: Int, lineEnd: String) {
        let lines = [
            #""a\n\u00e9""#, #"{"remove":"b"}"#, Self.envelope, " ", #"  "c" "#, #"{"remove":12}"#, "\"last\"",
        ]
        for end in ["", lineEnd] {
            let reading = Reading(lines.joined(separator: lineEnd) + end, as: .jsonLines(), piece: piece)
            #expect(reading.ids == ["a\né", "b", "E", "c", "12", "last"])
            #expect(reading.input.lines == 7 && reading.input.blank == 1 && reading.input.rejected == 0)
        }
    }

    @Test func `The version of a record is converted to a condition`() {
        var dialect = InputDialect()
        dialect.version = VersionMember(["v"], .unchanged)
        let text = [
            #"{"id":"a","remove":"a","v":7}"#, #"{"id":"b","remove":"b","v":"3:1"}"#,
            #"{"id":"c","remove":"c","v":null}"#,
            #"{"id":"d","remove":"d"}"#, #"{"id":"e","remove":"e","v":[1]}"#, #"{"id":"f","remove":"f","v":1.5}"#,
            #""g""#,
        ]
        .joined(separator: "\n")
        let version = { WriteCondition.unchanged(DocumentVersion(rawValue: $0)) }
        for kind in ContentOperation.Kind.allCases {
            let reading = Reading(text, as: .jsonLines(), for: kind, dialect)
            #expect(reading.operations.map(\.condition) == [version("7"), version("3:1"), .absent])
            #expect(reading.operations.map(\.kind) == [kind, kind, kind])
            #expect(reading.rejectedLines == [4, 5, 6, 7])
        }
        let mixed = Reading(#"{"remove":"a","v":7}"#, as: .jsonLines(), for: .add, dialect)
        #expect(mixed.operations == [.remove("a").only(version("7"))])
    }

    @Test func `An update can hold the whole document to add`() {
        var dialect = InputDialect()
        dialect.upsertKey = "new"
        let lines = [
            #"{"id":"a","n":{"$inc":1},"new":{"n":1, "t":{"id":"x"}},"t":null}"#, #"{"new":{},"id":2}"#,
            #"{"id":"c","new":{"id":"c"}}"#, #"{"remove":"d"}"#,
            #"{"schema":"fastctl.document/1","id":"e","document":{"new":{"m":1},"n":2}}"#, #"{"id":"f","n":1}"#,
            #"{"id":"g","new":[]}"#, #"{"id":"h","new":null}"#, #"{"id":"i","new":{"id":"j"}}"#,
            #"{"id":"k","new":{},"new":{}}"#, #"{"id":"l","n":{"$inc":1},"new":{"p":{"n":{"$inc":1}}}}"#,
            #"{"id":"m","new":{"$inc":1}}"#, #"{"id":"n","p":{"n":{"$inc":1}},"new":{}}"#,
        ]
        for format in [InputFormat.jsonLines(), .json()] {
            let reading = Reading(lines.joined(separator: "\n"), as: format, for: .update, dialect)
            #expect(reading.ids == ["a", "2", "c", "d", "e"] && reading.rejections.count == 8)
            #expect(
                reading.documents
                    == [#"{"id":"a","n":{"$inc":1},"t":null}"#, #"{"id":2}"#, #"{"id":"c"}"#, #"{"n":2}"#]
            )
            let whole = reading.operations.map { $0.wholeDocument.map { String(decoding: $0, as: UTF8.self) } }
            #expect(whole == [#"{"id":"a","n":1, "t":{"id":"x"}}"#, #"{"id":2}"#, #"{"id":"c"}"#, nil, #"{"m":1}"#])
        }
        let reading = Reading(lines.joined(separator: "\n"), as: .jsonLines(), for: .update, dialect)
        #expect(reading.rejectedLines == [6, 7, 8, 9, 10, 11, 12, 13])
        let reasons = Array(reading.reasons.suffix(3))
        let words = ["$inc in 'new.p.n', but only", "$inc in 'new', but only", #"write {"p.n":{"$inc""#]
        #expect(zip(reasons, words).allSatisfy { $0.contains($1) }, "\(reasons)")
        // Only updates have such a document.
        #expect(Reading(lines[5], as: .jsonLines(), for: .add, dialect).documents == [lines[5]])
    }

    @Test func `Operators that would be stored are refused, except in the stored document of an envelope`() {
        let lines = [
            #"{"id":"a","n":{"$inc":1}}"#, #"{"id":"b","list":[{"$set":1}]}"#,
            #"{"schema":"fastctl.document/1","id":"c","document":{"list":[{"$set":1}]}}"#,
            #"{"id":"d","n":{"\u0024inc":1}}"#,
        ].joined(separator: "\n")
        #expect(Reading(lines, as: .jsonLines(), for: .add).rejectedLines == [1, 2, 4])
        #expect(Reading(lines, as: .jsonLines(), for: .update).rejectedLines == [2, 4])
        let parts = #"{"schema":"fastctl.document/1","id":"c","document":{"n":[{"$set":1}],"new":{"n":{"$inc":1}}}}"#
        var dialect = InputDialect()
        dialect.upsertKey = "new"
        #expect(Reading(parts, as: .jsonLines(), for: .update, dialect).documents == [#"{"n":[{"$set":1}]}"#])
    }

    @Test func `A version may consist of two members, and an external version is a number`() {
        var dialect = InputDialect()
        dialect.version = VersionMember(["s", "t"], .unchanged)
        let text =
            #"{"id":"a","s":5,"t":1}"# + "\n" + #"{"id":"b","s":null,"t":null}"# + "\n" + #"{"id":"c","s":null,"t":1}"#
        let reading = Reading(text, as: .jsonLines(), for: .add, dialect)
        #expect(reading.operations.map(\.condition) == [.unchanged(DocumentVersion(rawValue: "5:1")), .absent])
        #expect(reading.rejectedLines == [3])
        dialect.version = VersionMember(["s"], .external)
        let lines = [
            #"{"id":"a","s":5}"#, #"{"id":"a","s":"6"}"#, #"{"id":"a","s":-1}"#, #"{"id":"a","s":null}"#,
            #"{"id":"a","s":"x"}"#,
        ]
        let external = Reading(lines.joined(separator: "\n"), as: .jsonLines(), for: .add, dialect)
        #expect(external.operations.map(\.condition) == [.olderThan(5), .olderThan(6)])
        #expect(external.rejectedLines == [3, 4, 5])
    }

    @Test(arguments: [ContentOperation.Kind.add, .update])
    func `Among documents, only a line that can't be a document is read as a removal`(kind: ContentOperation.Kind) {
        let envelope = #"{"schema":"fastctl.document/1","remove":"x","id":"E","document":{}}"#
        let lines = [
            #"{"remove":"a"}"#, #"{"id":"b","remove":"x"}"#, #"{"routing":"r","remove":"c"}"#, envelope,
            #"{"remove":"d","title":"t"}"#, #"{"remove":"d","remove":"e"}"#, #"{"remove":null}"#, #""f""#,
        ]
        let reading = Reading(lines.joined(separator: "\n"), as: .jsonLines(), for: kind)
        #expect(reading.ids == ["a", "b", "c", "E"])
        #expect(reading.operations.map(\.kind) == [.remove, kind, .remove, kind])
        #expect(reading.operations.map(\.routing?.text) == [nil, nil, "r", nil])
        #expect(reading.rejectedLines == [5, 6, 7, 8])
        // If the ID itself is in 'remove', nothing is removed.
        let named = Reading(#"{"remove":"a"}"#, as: .jsonLines(field: "remove"), for: kind)
        #expect(named.operations.map(\.kind) == [kind])
    }

    @Test func `A routing value is read only where it is expected`() {
        let envelope =
            #"{"schema":"fastctl.document/1","id":"E","version":3,"routing":"u1","document":{"routing":"no"}}"#
        let without = envelope.replacing(#""routing":"u1""#, with: #""routing":null"#)
        let lines = [
            envelope, without, #"{"remove":"a","routing":7}"#, #"{"remove":"b","tenant":"t"}"#, #""c""#,
            #"{"remove":"d","routing":""}"#, #"{"remove":"d","routing":["x"]}"#,
        ]
        let text = lines.joined(separator: "\n")
        let reading = Reading(text, as: .jsonLines())
        #expect(reading.operations.map(\.routing?.text) == ["u1", nil, "7", nil, nil])
        #expect(reading.rejectedLines == [6, 7])
        let named = Reading(text, as: .jsonLines(routing: "tenant"))
        #expect(named.operations.prefix(5).map(\.routing?.text) == ["u1", nil, nil, "t", nil])
        // A document's own key is data unless it is specified.
        let object = #"{"id":"a","routing":"x","tenant":"t"}"#
        #expect(Reading(object, as: .jsonLines(), for: .add).operations.map(\.routing) == [nil])
        let documents = Reading(object + "\n" + envelope, as: .jsonLines(routing: "tenant"), for: .update)
        #expect(documents.operations.map(\.routing?.text) == ["t", "u1"])
        #expect(documents.documents.first == object)
    }

    @Test func `IDs are read from the specified field`() {
        let text = #"{"x":1,"sku":"a"}"# + "\n" + #"{"sku":"b","y":{"sku":"no"}}"# + "\n" + #"{"remove":"c"}"#
        let reading = Reading(text, as: .jsonLines(field: "sku"))
        #expect(reading.ids == ["a", "b"])
        #expect(reading.rejectedLines == [3])
    }

    @Test(arguments: [
        ("{\"id\":\"x\"}", "--id-field"), ("[1]", "neither a string nor an object"), ("12", "neither a string"),
        ("null", "neither a string"),
        ("x", "not a single JSON value"), ("\"a\" \"b\"", "not a single JSON value"),
        ("{\"remove\":\"a\",\"remove\":\"b\"}", "twice"),
        ("{\"remove\":null}", "write it as a string"), ("{\"remove\":1.5}", "write it as a string"), ("\"\"", "empty"),
        ("\"a\\u0000\"", "NUL"), ("\"\\ud800\"", "surrogate"),
        ("{\"schema\":\"fastctl.document/1\"}", "no member 'id'"),
        ("{\"remove\":\"a\"", "not a single JSON value"),
    ])
    func `Anything but an ID is rejected`(line: String, reason: String) {
        let reading = Reading("\"a\"\n" + line + "\n\"b\"\n", as: .jsonLines())
        #expect(reading.ids == ["a", "b"])
        #expect(reading.rejectedLines == [2])
        #expect(reading.reasons.first?.contains(reason) == true, "\(reading.reasons)")
    }

    @Test(arguments: [1, 7, 64, 4096], [ContentOperation.Kind.add, .update])
    func `Documents are preserved unchanged`(piece: Int, kind: ContentOperation.Kind) {
        let first = #" { "id" : "a" , "t":"\u00e9 é" } "#
        let second = #"{"n":7,"id":8}"#
        let reading = Reading(
            [first, "", second, Self.envelope].joined(separator: "\r\n"),
            as: .jsonLines(),
            for: kind,
            piece: piece
        )
        #expect(reading.operations.allSatisfy { $0.kind == kind })
        #expect(reading.ids == ["a", "8", "E"])
        #expect(
            reading.documents == [
                // The object's own bytes; white space around it is part of the line.
                String(first.dropFirst().dropLast()), second, #"{"id":"x", "a":1}"#,
            ]
        )
    }

    @Test func `A document's ID may be in any field`() {
        let reading = Reading(#"{"sku":"a","id":"b"}"#, as: .jsonLines(field: "sku"), for: .add)
        #expect(reading.ids == ["a"])
    }

    @Test(arguments: [
        ("{}", "no member 'id'"), ("\"a\"", "is a string, not a JSON object"), ("5", "is a number"),
        ("tru", "not a single JSON value"), ("{\"id\":\"\"}", "empty"),
        ("{\"id\":[]}", "write it as a string"), ("{\"id\":\"a\",\"id\":\"a\"}", "twice"),
        ("{\"id\":\"a\",}", "not a single JSON value"), ("# old", "use --comments"),
        ("{\"schema\":\"fastctl.document/1\",\"id\":\"a\",\"document\":null}", "whose 'document' is not an object"),
        ("{\"schema\":\"fastctl.document/1\",\"id\":\"a\",\"version\":1}", "prints these without --ids"),
    ])
    func `Anything but a document is rejected`(line: String, reason: String) {
        let reading = Reading(line + "\n" + #"{"id":"b"}"#, as: .jsonLines(), for: .add)
        #expect(reading.ids == ["b"])
        #expect(reading.reasons.first?.contains(reason) == true, "\(reading.reasons)")
    }
}

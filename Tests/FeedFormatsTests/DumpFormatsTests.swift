import ContentFeeding
import TestSupport
import Testing

@testable import FeedFormats

struct DumpFormatsTests {
    private static func reading(
        _ text: String,
        as format: InputFormat,
        for kind: ContentOperation.Kind = .add
    ) -> Reading {
        let bytes = Array(text.utf8)
        let whole = Reading(bytes, as: format, for: kind, piece: bytes.count)
        for piece in [1, 2, 3, 7, 64] { #expect(Reading(bytes, as: format, for: kind, piece: piece) == whole) }
        return whole
    }

    // MARK: Other forms

    private static let hit = #"{"_index":"p","_id":"1","_score":1,"_source":{"a":1}}"#

    @Test(arguments: ["_id", "id", "_index"])
    func `Search hits are not read as documents, whichever key is named as the ID`(key: String) {
        for (kind, rest) in [(ContentOperation.Kind.add, #"{"_id":"2"}"#), (.update, Self.hit)] {
            let lines = Self.reading("\(Self.hit)\n\(rest)\n", as: .jsonLines(field: key), for: kind)
            #expect(lines.operations == [] && lines.reasons.count == 1)
            #expect(lines.reasons.first?.hasSuffix("--format elasticdump; the rest is not read") == true)
        }
        let text = "[{\n\(Self.hit.dropFirst()),\n\(Self.hit)]"
        let values = Self.reading(text, as: .json(field: key))
        #expect(values.operations == [] && values.reasons.count == 1)
        #expect(values.reasons.first?.contains("--format elasticdump, with one hit on each line") == true)
    }

    @Test func `A document that only resembles a search hit is read, and a hit names a document to remove`() {
        let text = #"{"_id":"1","_source":"crawler"}"#
        #expect(Self.reading(text, as: .jsonLines(field: "_id")).documents == [text])
        let own = #"{"id":"1","_id":"x","_source":{"url":"u"}}"#
        #expect(Self.reading(own, as: .jsonLines()).documents == [own])
        #expect(Self.reading(Self.hit, as: .jsonLines(field: "_id"), for: .remove).ids == ["1"])
    }

    // MARK: _bulk

    @Test func `All actions of a _bulk file become operations in their order`() {
        let text = """
            {"index":{"_index":"p","_type":"_doc","_id":"1","routing":"r"}}
            {"a": 12345678901234567890, "b":"\\ud83d\\ude00"}
            { "create" : {"_id":2}}\r
            {"t":1}\r

            {"update":{"_id":"3","retry_on_conflict":3}}
            {"doc":{"x":null},"detect_noop":true}
            {"delete":{"_id":"4","if_seq_no":5,"if_primary_term":1}}

            """
        let reading = Self.reading(text, as: .bulk(index: .named("p")))
        #expect(reading.reasons == [])
        #expect(reading.input == InputTally(lines: 5, blank: 1, rejected: 0, bytes: text.utf8.count))
        #expect(reading.operations.map(\.kind) == [.add, .add, .update, .remove])
        #expect(reading.ids == ["1", "2", "3", "4"])
        #expect(
            reading.documents == [#"{"a": 12345678901234567890, "b":"\ud83d\ude00"}"#, #"{"t":1}"#, #"{"x":null}"#]
        )
        #expect(reading.operations.map { $0.routing?.text } == ["r", nil, nil, nil])
        let version = DocumentVersion(rawValue: "5:1")
        #expect(reading.operations.map(\.condition) == [nil, .absent, nil, .unchanged(version)])
    }

    @Test(arguments: [
        (#"{"update":{"_id":"1"}}"# + "\n" + #"{"script":{"source":"x"}}"#, "'script'"),
        (#"{"update":{"_id":"1"}}"# + "\n" + #"{"doc":{},"upsert":{}}"#, "--upsert-from new"),
        (#"{"update":{"_id":"1"}}"# + "\n" + #"{"doc":{},"doc_as_upsert":true}"#, "--format bulk --missing add"),
        (#"{"update":{"_id":"1"}}"# + "\n" + #"{"doc":{},"doc_as_upsert":"true"}"#, "neither true nor false"),
        (#"{"update":{"_id":"1"}}"# + "\n" + #"{"doc":{},"scripted_upsert":true}"#, "with curl"),
        (#"{"update":{"_id":"1"}}"# + "\n" + #"{"doc":3}"#, "the object 'doc'"),
        (#"{"index":{"_id":"1","pipeline":"x"}}"# + "\n{}", "'pipeline'"),
        (#"{"index":{"_id":"1","version":3}}"# + "\n{}", "type 'internal'"),
        (#"{"index":{"_id":"1","version":3,"version_type":"external"}}"# + "\n{}", "--version-type external"),
        (#"{"index":{"_id":"1","if_seq_no":3}}"# + "\n{}", "belong together"),
        (#"{"index":{"_id":"1","_id":"2"}}"# + "\n{}", "twice"), (#"{"index":{}}"# + "\n{}", "no '_id'"),
        (#"{"index":{"_index":"q","_id":"1"}}"# + "\n{}", "for the index 'q', not 'p'"),
        (#"{"index":{"_id":"1"}}"# + "\n\n", "a blank line"), (#"{"index":{"_id":"1"}}"# + "\n[]", "not a JSON object"),
        (#"{"index":{"_id":"1"},"index":{"_id":"1"}}"# + "\n{}", "two actions"),
        (#"{"index":{"_id":"1"}}"#, "its document is missing"), (#"{"a":1}"#, "not an action"),
    ])
    func `A request that can't be carried out exactly is rejected by name`(request: String, reason: String) {
        let good = #"{"delete":{"_id":"0"}}"# + "\n"
        let reading = Self.reading(good + request, as: .bulk(index: .named("p")))
        #expect(reading.ids == ["0"])
        #expect(reading.rejectedLines == [2])
        #expect(reading.reasons.first?.contains(reason) == true, "\(reading.reasons)")
    }

    @Test func `An update whose document is added if it does not exist is read in a job that adds such documents`() {
        func request(_ upserts: Bool) -> String {
            #"{"update":{"_id":"1"}}"# + "\n" + #"{"doc":{"a":1},"doc_as_upsert":\#(upserts)}"# + "\n"
        }
        var dialect = InputDialect()
        #expect(Reading(request(false), as: .bulk(index: .any), for: .update).documents == [#"{"a":1}"#])
        #expect(Reading(request(true), as: .bulk(index: .any), for: .update).operations.isEmpty)
        #expect(!dialect.identity.contains("addsMissing"))
        dialect.addsMissing = true
        let reading = Reading(request(true) + request(false), as: .bulk(index: .any), for: .update, dialect)
        #expect(reading.documents == [#"{"a":1}"#, #"{"a":1}"#])
        #expect(reading.operations.map(\.kind) == [.update, .update])
        #expect(dialect.identity.hasSuffix("addsMissing: true)"))
    }

    @Test func `A _bulk file whose first action can't be carried out is still one`() {
        for parameters in [
            #""version":5,"version_type":"external""#, #""version":5"#, #""version":5,"version_type":"external_gte""#,
            #""pipeline":"p""#, #""if_seq_no":1"#,
        ] {
            let text = #"{"index":{"_index":"adv","_id":"A",\#(parameters)}}"# + "\n" + #"{"id":"B","a":1}"# + "\n"
            let reading = Self.reading(text, as: .bulk(index: .any))
            #expect(reading.rejectedLines == [1])
            #expect(!reading.reasons.joined().contains("--format"), "\(reading.reasons)")
            #expect(Self.reading(text, as: .jsonLines()).reasons.first?.contains("--format bulk") == true)
        }
    }

    @Test func `A request for another index is accepted if the options name that index or allow any index`() {
        let text = #"{"delete":{"_index":"q","_id":"1"}}"# + "\n"
        #expect(Self.reading(text, as: .bulk(index: .named("q"))).ids == ["1"])
        #expect(Self.reading(text, as: .bulk(index: .any)).ids == ["1"])
    }

    @Test func `A removal reads only the deletions in a _bulk file`() {
        let text = #"{"index":{"_id":"1"}}"# + "\n{}\n" + #"{"delete":{"_id":"2"}}"# + "\n"
        let reading = Self.reading(text, as: .bulk(index: .any), for: .remove)
        #expect(reading.ids == ["2"])
        #expect(reading.rejectedLines == [1])
    }

    // MARK: elasticdump

    @Test func `A dump of one index is read, and all other records are rejected with a reason`() {
        let text = """
            {"_index":"a","_type":"_doc","_id":"1","_score":1,"_source":{"n": 1e400}}
            {"_index":"b","_id":"2","_source":{}}
            {"_index":"a","_id":"3"}
            {"_index":"a","_id":"4","_source":{},"fields":{}}
            {"_index":"a","_id":"5","_routing":"r","_source":{}}

            """
        let reading = Self.reading(text, as: .elasticdump())
        #expect(reading.ids == ["1", "5"])
        #expect(reading.documents == [#"{"n": 1e400}"#, "{}"])
        #expect(reading.operations.last?.routing?.text == "r")
        #expect(reading.rejectedLines == [2, 3, 4])
        for (reason, part) in zip(reading.reasons, ["index 'b'", "_source", "'fields'"]) {
            #expect(reason.contains(part))
        }
    }

    // MARK: JSON values

    @Test func `JSON values are read from arrays or one after another, with their line numbers`() {
        let text = """
             [ {"id":1,
            "a":["]}\\"",{}]} , {"id":"2"}
            , 5, {"x":1}] {"id":"3"}{"id":4}
            """
        let reading = Self.reading(text, as: .json())
        #expect(reading.ids == ["1", "2", "3", "4"])
        #expect(reading.documents.first == "{\"id\":1,\n\"a\":[\"]}\\\"\",{}]}")
        #expect(reading.rejectedLines == [3, 3])
        #expect(Self.reading(#"["a", "b"] "c""#, as: .json(), for: .remove).ids == ["a", "b", "c"])
    }

    @Test(arguments: [
        ("[{\"id\":1},\n{\"id\":2}\n", 2, 2, "2 complete values were read"),
        ("[{\"id\":1},\n{\"id\":", 1, 2, "1 complete value was read"),
        ("{\"id\":1} {\"id", 1, 1, "inside a value"), ("[{\"id\":1} {\"id\":2}]", 1, 1, "'{' where ',' or ']'"),
        ("[{\"id\":1},,", 1, 1, "',' where a value"), ("{\"id\":1}]", 1, 1, "']' where a value"),
        ("{\"id\":1} {\"id\":2]", 1, 1, "']' where an object"),
    ])
    func `Invalid text between JSON values ends the reading`(text: String, count: Int, line: Int, reason: String) {
        let reading = Self.reading(text, as: .json())
        #expect(reading.operations.count == count)
        #expect(reading.rejectedLines == [line])
        #expect(reading.reasons.first?.contains(reason) == true, "\(reading.reasons)")
    }

    @Test func `Values may be nested 64 levels deep, and deeper values do not affect the others`() {
        func value(_ id: Int, levels: Int) -> String {
            "{\"id\":\(id),\"a\":" + String(repeating: "[", count: levels - 1)
                + String(repeating: "]", count: levels - 1)
                + "}"
        }
        let text = "[\(value(1, levels: 64)),\(value(2, levels: 65)),\(value(3, levels: 300)),{\"id\":4}]"
        let reading = Self.reading(text, as: .json())
        #expect(reading.ids == ["1", "4"])
        #expect(reading.reasons.count { $0.contains("64 levels") } == 2)
    }

    // MARK: Solr

    @Test func `Solr's commands become operations in their order`() {
        let text = """
            {"add":{"doc":{"id":1,"t":"x"},"commitWithin":5},
            "delete":"7","delete":["8",9],"delete":{"id":"x","_route_":"r"},
            "delete":{"query":"*:*"},"commit":{},"add":[{"id":3}],"add":{"doc":{"id":2},"overwrite":false}}
            """
        let reading = Self.reading(text, as: .solrJSON())
        #expect(reading.ids == ["1", "7", "8", "9", "x", "3"])
        #expect(reading.operations.map(\.kind) == [.add, .remove, .remove, .remove, .remove, .add])
        #expect(reading.rejectedLines == [3, 3, 3])
        for (reason, part) in zip(reading.reasons, ["'query'", "'commit'", "'overwrite'"]) {
            #expect(reason.contains(part), "\(reason)")
        }
    }

    @Test func `Of Solr's modifiers, only set and inc are accepted in an update`() {
        let text =
            #"[{"id":1,"p":{"set":5},"q":{"set":null},"o":{"a":1}},{"id":2,"p":{"inc":-5},"q":{"set":1}},"#
            + #"{"id":3,"p":{"add-distinct":5}},{"id":4,"p":{"add":5}},{"id":5,"a.b":{"inc":1}}]"#
        let updates = Self.reading(text, as: .solrJSON(), for: .update)
        #expect(
            updates.documents == [#"{"id":1,"p":5,"q":null,"o":{"a":1}}"#, #"{"id":2,"p":{"$inc":-5},"q":1}"#]
        )
        for (reason, part) in zip(updates.reasons, [#"{"$add":[…]}"#, "whole value with 'set'", "a name with a dot"]) {
            #expect(reason.contains(part), "\(reason)")
        }
        #expect(Self.reading(text, as: .solrJSON()).reasons.allSatisfy { $0.contains("fastctl update") })
    }

    // MARK: Wrong forms

    @Test(arguments: [
        (InputFormat.jsonLines(), "{\"index\":{\"_id\":\"1\"}}\n{\"id\":1}\n", "--format bulk"),
        (.json(), "{\"index\":{\"_id\":\"1\"}}\n{\"id\":1}\n", "--format bulk"),
        (.jsonLines(), "[\n{\"id\":1},\n{\"id\":2}\n]\n", "--format json"),
        (.jsonLines(), "{\n\"id\":1\n}\n", "--format json"),
        (.jsonLines(), "{\"_index\":\"a\",\"_id\":\"1\",\"_source\":{}}\n{\"id\":1}\n", "--format elasticdump"),
        (.bulk(index: .any), "{\"_index\":\"a\",\"_id\":\"1\",\"_source\":{}}\n", "--format elasticdump"),
        (.bulk(index: .any), "{\"id\":\"1\",\"t\":2}\n{\"delete\":{\"_id\":\"1\"}}\n", "--format jsonl"),
        (.elasticdump(), "{\"a\":{\"mappings\":{}}}\n", "not documents"),
        (.jsonLines(), "{\"add\":{\"doc\":{\"id\":1}}}\n{\"id\":1}\n", "--format solr-json"),
        (.json(), "{\"took\":1,\n\"hits\":{\"total\":1,\"hits\":[{\"_id\":\"1\",\"_source\":{}}]}}", "'.hits.hits[]'"),
        (.jsonLines(), "{\"hits\":{\"hits\":[]}}\n{\"id\":1}\n", "--format elasticdump"),
        (.elasticdump(), "{\"hits\":{\"hits\":[]}}\n", "'.hits.hits[]'"),
        (.jsonLines(), "PAR1\u{15}\u{4}\n{\"id\":1}\n", "Parquet"), (.json(), "ARROW1\0\0{\"id\":1}\n", "Arrow"),
    ])
    func `A file in a different format is recognized by its first record, and nothing is read`(
        format: InputFormat,
        text: String,
        advice: String
    ) {
        let reading = Self.reading(text, as: format)
        #expect(reading.operations == [])
        #expect(reading.rejectedLines == [1])
        #expect(reading.reasons.first?.contains(advice) == true, "\(reading.reasons)")
    }

    // MARK: Random documents

    @Test(arguments: 0..<20)
    func `Random documents keep their bytes in each format, however the input is split into chunks`(seed: Int) {
        var generator = Seeded(UInt64(seed))
        let documents = (0..<40).map { number in
            #"{"id":"\#(number)","v":"# + Self.value(depth: Int.random(in: 0...63, using: &generator), &generator) + "}"
        }
        let forms: [(InputFormat, String)] = [
            (.json(), "[" + documents.joined(separator: " ,\n") + "]"), (.json(), documents.joined()),
            (.solrJSON(), "[" + documents.joined(separator: ",") + "]"),
            (
                .bulk(index: .any),
                documents.enumerated().map { #"{"index":{"_id":"\#($0)"}}"# + "\n\($1)\n" }.joined()
            ),
            (.elasticdump(), documents.enumerated().map { #"{"_id":"\#($0)","_source":\#($1)}"# + "\n" }.joined()),
        ]
        for (format, text) in forms {
            let bytes = Array(text.utf8)
            for _ in 0..<4 {
                let piece = Int.random(in: 1...300, using: &generator)
                let reading = Reading(bytes, as: format, for: .add, piece: piece)
                #expect(reading.documents == documents)
                #expect(reading.input.rejected == 0)
                let cut = Int.random(in: 0..<bytes.count, using: &generator)
                let part = Reading(Array(bytes[..<cut]), as: format, for: .add, piece: piece)
                #expect(part.documents == Array(documents.prefix(part.documents.count)))
                #expect(part.input.rejected <= 1)
            }
        }
    }

    private static func value(depth: Int, _ generator: inout Seeded) -> String {
        guard depth > 0 else {
            return [
                "123456789012345678901234567890", "-0.0e-5", "true", "null", #""\ud83d\ude00\n\u0000\\\"""#,
                #""é😀]}[{""#,
                #""""#, "[]", "{}",
            ].randomElement(using: &generator) ?? "1"
        }
        let inner = value(depth: depth - 1, &generator)
        return Bool.random(using: &generator) ? "[ \(inner),1]" : #"{"]":\#(inner), "b":"x"}"#
    }
}

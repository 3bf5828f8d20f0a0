import ContentFeeding
import EngineHTTP
import JSONText
import Testing

@testable import EngineOpenSearch

struct WordsTests {
    private func complaint(_ body: String, _ status: Int) throws -> EngineComplaint? {
        EngineComplaint(error: try JSONValue(Array(body.utf8))["error"], status: status)
    }

    @Test func theEnginesOwnWordsAreKept() throws {
        let found = try complaint(
            #"{"error":{"root_cause":[{"type":"t","reason":"deeper"}],"type":"search_phase_execution_exception","reason":"all shards failed"},"status":400}"#,
            400
        )
        #expect(found?.type == "search_phase_execution_exception")
        #expect(found?.reason == "all shards failed: deeper")
        #expect(found?.kind == .malformed)
    }

    @Test(arguments: [
        (404, "index_not_found_exception", EngineComplaint.Kind.missingCollection),
        (403, "security_exception", .forbidden),
        (429, "circuit_breaking_exception", .throttled), (503, "circuit_breaking_exception", .throttled),
        (403, "cluster_block_exception", .blocked), (503, "cluster_block_exception", .other),
        (400, "parse_exception", .malformed), (409, "version_conflict_engine_exception", .conflict),
        (413, "x", .tooLarge), (404, "x", .other), (500, "x", .other), (401, "security_exception", .forbidden),
    ])
    func aTypeSaysWhatItMeans(status: Int, type: String, kind: EngineComplaint.Kind) throws {
        #expect(try complaint(#"{"error":{"type":"\#(type)","reason":"r"}}"#, status)?.kind == kind)
    }

    @Test(arguments: ["{}", "[]", #"{"error":{}}"#, #"{"error":7}"#, #"{"message":"no"}"#, #"{"error":{"type":1}}"#])
    func aStrangersWordsAreNotTheEngines(body: String) throws {
        #expect(try complaint(body, 404) == nil)
    }

    @Test(arguments: [
        ("2.19.4", EngineVersion(2, 19)), ("7.10.2", EngineVersion(7, 10)), ("9.0.0-SNAPSHOT", EngineVersion(9, 0)),
        ("", nil), ("7", nil), ("x.y", nil), ("-1.2", nil), ("99999999999999999999.1", nil),
    ])
    func aVersionIsRead(text: String, version: EngineVersion?) {
        #expect(EngineVersion(text) == version)
    }

    @Test(arguments: [
        ("webcollection", true), ("web-1_2.3", true), ("日本", true), (".hidden", true),
        (String(repeating: "a", count: 255), true), (String(repeating: "a", count: 256), false),
        ("WebCollection", false),
        ("É", false), ("", false), (".", false), ("..", false), ("-a", false), ("_a", false), ("+a", false),
        ("a/b", false),
        ("a\\b", false), ("a*", false), ("a?", false), ("a b", false), ("a\tb", false), ("a\u{2028}b", false),
        ("a,b", false), ("a:b", false), ("a#b", false), ("<a>", false), ("a\"", false), ("a|b", false),
        ("a\u{7F}", false),
    ])
    func aNameKeepsTheEnginesRules(text: String, isName: Bool) {
        var code: EngineError.Code?
        do throws(EngineError) {
            try CollectionName(text).validate(for: .openSearch)
        } catch {
            code = error.code
        }
        #expect(code == (isName ? nil : .invalidName))
    }
}

extension WordsTests {
    @Test func aNameInCapitalsIsAnsweredWithOneThatIsNot() {
        let error = #expect(throws: EngineError.self) {
            try CollectionName("WebCollection").validate(for: .openSearch)
        }
        #expect(error?.message == "'WebCollection' is no name of an index: OpenSearch wants lower case")
        #expect(error?.advice == "use 'webcollection', or map the name to it in a context")
    }
}

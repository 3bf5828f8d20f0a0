import YAML

/// A file of tests as it is written.
struct RuleTestsDocument: Decodable {
    enum Schema: String, Decodable, CaseIterable { case one = "fastctl.rule-tests/1" }

    var schema: Schema
    var rule: RuleID
    private var testDocuments: [Located<TestDocument>]

    private enum CodingKeys: String, CodingKey {
        case schema, rule
        case testDocuments = "tests"
    }

    /// The tests, each with the rule that it is for.
    var tests: [WrittenTest] { testDocuments.map { WrittenTest(document: $0.value, place: $0.place, rule: rule) } }
}

/// A test as it is written.
struct TestDocument: Decodable {
    struct Row: Decodable {
        var t: String?
        var id: String?
        var level: String?
        var area: String?
        var category: String?
        var corr: String?
        var msg: String
        var split: Int?
        var process: String?
        var pid: String?
        var thread: String?
        var server: String?
    }

    struct FindingDocument: Decodable {
        var rule: String?
        var verdict: String?
        var severity: String?
        var confidence: String?
        var symptoms: YAMLMapping<Int>?
        var captures: YAMLMapping<String>?
        var undecided: OneOrMany<String>?
        var count: Int?
        var message: String?
        var lead: String?
    }

    enum Expectation {
        case notEvaluated
        case findings([Located<FindingDocument>])
    }

    var name: String
    var each: YAMLMapping<OneOrMany<String>>?
    var with: OneOrMany<RuleID>?
    var uls: [Located<Row>]?
    var paste: String?
    var webConfig: OneOrMany<WebConfigDocument>?
    var expect: Expectation
    var isKnownGap: Bool?

    private enum CodingKeys: String, CodingKey {
        case name, each, with, uls, paste, expect
        case webConfig = "web_config"
        case isKnownGap = "known_gap"
    }
}

/// A web.config: its text, or that with its server and zone.
struct WebConfigDocument: Decodable {
    private struct Labelled: Decodable {
        var server: String?
        var zone: String?
        var xml: String
    }

    var server: String?
    var zone: String?
    var xml: String

    init(from decoder: any Decoder) throws {
        if case .mapping = try YAMLValue(from: decoder) {
            let labelled = try Labelled(from: decoder)
            (server, zone, xml) = (labelled.server, labelled.zone, labelled.xml)
        } else {
            xml = try String(from: decoder)
        }
    }
}

extension TestDocument.Expectation: Decodable {
    init(from decoder: any Decoder) throws {
        guard case .text(let text) = try YAMLValue(from: decoder) else {
            self = .findings(try [Located<TestDocument.FindingDocument>](from: decoder))
            return
        }
        guard text == "not_evaluated" else {
            throw RuleError.Reason("\u{201C}\(text)\u{201D} is neither a list of findings nor not_evaluated")
        }
        self = .notEvaluated
    }
}

package import LogDiagnosis
package import YAML

/// A test of a rule: its input, and the expected result.
package struct RuleTest: Sendable {
    /// The test's name.
    package var name: String
    /// The place where the test begins in its file.
    package var place: Place
    /// Other rules that run alongside the tested rule.
    package var with: [RuleID]
    /// The log; `nil` if none is given.
    package var log: TestLog?
    /// The web.config files that the rule sees.
    package var configs: [TestConfig]
    /// The text of a farm.json; `nil` if none is given.
    package var farm: String?
    /// The expected results.
    package var expectation: TestExpectation
    /// Whether the test is known, and required, to fail; once it passes, it should become a normal test.
    package var isKnownGap: Bool

    /// Whether the test shows something that merely resembles the failure.
    var isNearMiss: Bool { name.hasPrefix("NEAR MISS") }

    /// The number of bytes that the test gives a rule to examine.
    fileprivate var bytes: Int {
        let files = configs.reduce(farm?.utf8.count ?? 0) { $0 + $1.xml.utf8.count }
        return switch log {
        case .rows(let rows): rows.reduce(files) { $0 + $1.message.utf8.count }
        case .paste(let text): files + text.utf8.count
        case nil: files
        }
    }

    /// Whether the test expects a finding in a paste, or in a log where no row has a correlation.
    var findsWithoutCorrelation: Bool {
        guard case .findings(let findings) = expectation, !findings.isEmpty else { return false }
        return switch log {
        case .rows(let rows): rows.allSatisfy { $0.correlation == nil }
        case .paste: true
        case nil: false
        }
    }
}

/// The log of a test.
package enum TestLog: Sendable, Hashable {
    /// Rows in the format of the service.
    case rows([TestRow])
    /// Text as pasted.
    case paste(String)
}

/// An event in a test's log.
package struct TestRow: Sendable, Hashable {
    /// The time at which the row was written.
    package var time: TestTime
    /// The event ID.
    package var eventID: String
    /// The level, as written in a row.
    package var level: String
    /// The area.
    package var area: String
    /// The category.
    package var category: String
    /// The message.
    package var message: String
    /// The correlation, a GUID; `nil` if there is none.
    package var correlation: String?
    /// The program.
    package var process: String
    /// The process ID.
    package var processID: String
    /// The thread ID.
    package var threadID: String
    /// The server; `nil` if the process column does not name it.
    package var server: String?
    /// The maximum number of characters of the message in one row.
    package var split: Int

    /// The number of characters of a message that the service writes into one row.
    static let nativeSplit = 800

    /// The maximum number of rows that one message is split into.
    package static let maximumParts = 1000

    /// The maximum number of times that a row is written.
    static let maximumTimes = 1000
}

/// A test's web.config file.
package struct TestConfig: Sendable, Hashable {
    /// The server that the file is from; `nil` if that does not matter.
    package var server: String?
    /// The zone that the file is for; `nil` if that does not matter.
    package var zone: String?
    /// The text of the file.
    package var xml: String

    package init(server: String? = nil, zone: String? = nil, xml: String) {
        (self.server, self.zone, self.xml) = (server, zone, xml)
    }
}

/// The tests of one rule, as read from a file `FSnnnn.tests.yaml`.
package struct RuleTestFile: Sendable {
    /// The tested rule.
    package var rule: RuleID
    /// The tests; a test with `each` appears once for each combination of its values.
    package var tests: [RuleTest]
    /// The file's name in errors.
    package var file: String

    /// The maximum number of tests in a file, including those that `each` generates.
    static let maximumTests = 2000

    /// The maximum total size of messages, pastes, and configuration files in all tests of a file, in bytes.
    package static let maximumBytes = 16 << 20

    /// Reads a file of tests.
    ///
    /// - Parameters:
    ///   - yaml: The text of the file.
    ///   - file: The name of the file, for errors.
    /// - Throws: ``RuleError`` with the reason why the file was rejected, and the place.
    package init(yaml: String, file: String) throws(RuleError) {
        do throws(YAMLError) {
            let document: RuleTestsDocument = try YAMLDecoder(limits: Rule.limits).decode(from: yaml)
            rule = document.rule
            tests = try Self.expanded(document.tests)
        } catch {
            throw RuleError(error, file: file)
        }
        self.file = file
        if tests.isEmpty { throw RuleError(file: file, message: "the file has no tests") }
        var names: Set<String> = []
        for test in tests where !names.insert(test.name).inserted {
            throw RuleError(file: file, place: test.place, message: "two tests are named \u{201C}\(test.name)\u{201D}")
        }
    }

    private static func expanded(_ written: [WrittenTest]) throws(YAMLError) -> [RuleTest] {
        var tests: [RuleTest] = []
        var bytes = 0
        for test in written {
            try test.expand { expanded throws(YAMLError) in
                bytes += expanded.bytes
                guard tests.count < maximumTests, bytes <= maximumBytes else {
                    let message =
                        "more than \(maximumTests) tests or \(maximumBytes >> 20) MiB of logs; give each fewer values"
                    throw YAMLError(message: message, place: expanded.place)
                }
                tests.append(expanded)
            }
        }
        return tests
    }
}

/// A file of tests, as written.
private struct RuleTestsDocument: Decodable {
    enum Schema: String, Decodable, CaseIterable { case one = "fastctl.rule-tests/1" }

    var schema: Schema
    var rule: RuleID
    private var testDocuments: [Located<TestDocument>]

    private enum CodingKeys: String, CodingKey {
        case schema, rule
        case testDocuments = "tests"
    }

    /// The tests, each with its rule.
    var tests: [WrittenTest] { testDocuments.map { WrittenTest(document: $0.value, place: $0.place, rule: rule) } }
}

/// A test, as written.
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
        /// The number of times that the row is written, with `<n>` counting from 1, for rules about rates.
        var times: Int?
        /// The time between these rows; one second by default.
        var every: RuleDuration?
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
    var farm: String?
    var expect: Expectation
    var isKnownGap: Bool?

    private enum CodingKeys: String, CodingKey {
        case name, each, with, uls, paste, farm, expect
        case webConfig = "web_config"
        case isKnownGap = "known_gap"
    }
}

/// A web.config file: its text alone, or its text with a server and zone.
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

/// The result that a test expects of its rule.
package enum TestExpectation: Sendable, Hashable {
    /// The rule must not be evaluated.
    case notEvaluated
    /// These findings, in the order of the report, and no others.
    case findings([ExpectedFinding])
}

/// The properties that a finding must have; those that are `nil` are not compared.
package struct ExpectedFinding: Sendable, Hashable {
    /// The rule that should find something.
    package var rule: RuleID
    /// The expected verdict; `nil` if it does not matter.
    package var verdict: String?
    /// The expected severity; `nil` if it does not matter.
    package var severity: Severity?
    /// The expected confidence; `nil` if it does not matter.
    package var confidence: Confidence?
    /// All symptoms and their counts.
    package var symptoms: [String: Int]?
    /// The captures to compare; the finding may have others.
    package var captures: [String: String]
    /// The verdicts that can't be decided; `nil` if that does not matter.
    package var undecided: [String]?
    /// The number of events or groups.
    package var count: Int?
    /// The message; `nil` if it does not matter.
    package var message: String?
    /// The event ID of the row that the evidence begins with.
    package var lead: String?
}

/// Values that replace `<name>` in a test.
struct Placeholders {
    private var values: [(name: String, value: String)] = []

    /// The maximum length of a value, in bytes.
    static let maximumValue = 256

    func adding(_ name: String, _ value: String) -> Placeholders {
        var longer = self
        longer.values.append((name, value))
        return longer
    }

    /// A suffix that distinguishes the test from others that the same `each` generates: ` (tag: b9y3)`.
    var suffix: String {
        values.isEmpty ? "" : " (" + values.map { "\($0.name): \($0.value)" }.joined(separator: ", ") + ")"
    }

    /// Returns the text with its placeholders filled in; the values are not searched for placeholders again.
    func filling(_ text: String) -> String {
        guard !values.isEmpty else { return text }
        var filled = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "<") {
            filled += rest[..<start]
            rest = rest[start...]
            if let match = values.first(where: { rest.hasPrefix("<\($0.name)>") }) {
                filled += match.value
                rest = rest.dropFirst(match.name.count + 2)
            } else {
                filled += "<"
                rest = rest.dropFirst()
            }
        }
        return filled + rest
    }

    func filling(_ text: String?) -> String? { text.map(filling) }
}

// MARK: Tests in a library and a description

extension RuleLibrary {
    /// Returns the tests of a rule; `nil` if the rule has none or is not known.
    package func tests(of id: RuleID) throws(RuleError) -> RuleTestFile? {
        guard let text = self[id]?.tests else { return nil }
        return try RuleTestFile(yaml: text.text, file: text.name)
    }

    /// Returns the tests of a rule, ready to run, with all other rules available to them; `nil` if the rule has none.
    package func testRun(of id: RuleID) throws(RuleError) -> RuleTestRun? {
        guard let entry = self[id], let tests = try tests(of: id) else { return nil }
        return try RuleTestRun(entry.rule, tests, others: rules)
    }
}

extension RuleDescription {
    /// Describes a rule, and shows its tests as examples.
    ///
    /// - Parameters:
    ///   - rule: The rule to describe.
    ///   - tests: The rule's tests; `nil` if there are none.
    ///   - testsAreKnown: Whether these are all of the rule's tests.
    package init(_ rule: Rule, tests: RuleTestFile?, testsAreKnown: Bool = true) {
        self.init(rule)
        if let tests {
            sections.append(Section(heading: "Examples", blocks: [.examples(Example.all(of: tests))]))
        } else if !testsAreKnown {
            let words = "They are the rule's tests, in the Rules folder of the program's source repository."
            sections.append(Section(heading: "Examples", blocks: [.paragraph(words)]))
        }
    }
}

extension RuleDescription.Example {
    /// The maximum number of characters of a message that an example shows.
    private static let maximumMessage = 160

    /// Returns the tests of a file, but only the first of those that `each` generates from one test.
    fileprivate static func all(of file: RuleTestFile) -> [RuleDescription.Example] {
        var lines: Set<Int> = []
        return file.tests.filter { lines.insert($0.place.line).inserted }.map { Self($0, of: file.rule) }
    }

    private init(_ test: RuleTest, of rule: RuleID) {
        var outcome: String
        switch test.expectation {
        case .notEvaluated: outcome = "not evaluated"
        case .findings(let findings) where findings.isEmpty: outcome = "nothing"
        case .findings(let findings):
            outcome = findings.map { finding in
                let words = [finding.rule == rule ? nil : finding.rule.text, finding.verdict ?? "a finding"]
                let severity = finding.severity.map { " (\($0.rawValue))" } ?? ""
                return words.compactMap(\.self).joined(separator: " ") + severity
            }.joined(separator: ", ")
        }
        if test.isKnownGap { outcome += " (a known gap: does not pass yet)" }
        self.init(
            name: test.name,
            given: Self.lines(of: test.log) + test.configs.map(Self.line)
                + (test.farm.map { ["farm.json: " + Self.shortened($0)] } ?? []),
            outcome: outcome
        )
    }

    private static func lines(of log: TestLog?) -> [String] {
        switch log {
        case nil: []
        case .paste(let text): text.split(whereSeparator: \.isNewline).map { shortened(String($0)) }
        case .rows(let rows):
            rows.map { row in
                let time = row.time.native.suffix(11)
                return "\(time) \(row.eventID) \(row.level) \(shortened(row.message))"
            }
        }
    }

    private static func line(of config: TestConfig) -> String {
        let label = [config.server, config.zone].compactMap(\.self).joined(separator: "/")
        return (label.isEmpty ? "web.config: " : "web.config of \(label): ") + shortened(config.xml)
    }

    private static func shortened(_ text: String) -> String {
        let line = String(text.map { $0.isNewline ? " " : $0 })
        return line.count > maximumMessage ? line.prefix(maximumMessage - 1) + "\u{2026}" : line
    }
}

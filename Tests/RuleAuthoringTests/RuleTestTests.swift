import RuleAuthoring
import TestSupport
import Testing

@testable import LogDiagnosis

struct RuleTestFileTests {
    private static func read(_ tests: String) throws -> RuleTestFile {
        let head = "schema: fastctl.rule-tests/1\nrule: FS0101\ntests:\n"
        return try RuleTestFile(yaml: head + tests, file: "FS0101.tests.yaml")
    }

    private static func error(_ tests: String) -> String? {
        do {
            _ = try read(tests)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func `Missing columns of a row get the values that servers usually write`() throws {
        let file = try Self.read("- {name: n, uls: [{id: b4ly, msg: text}], expect: []}")
        guard case .rows(let rows) = try #require(file.tests.first).log else {
            Issue.record("no rows")
            return
        }
        let row = try #require(rows.first)
        #expect(row.time == .first && row.level == "Medium" && row.area == "SharePoint Foundation")
        #expect(row.category == "General" && row.process == "w3wp.exe" && row.correlation == nil && row.server == nil)
    }

    @Test func `A row is one second later than the previous one`() throws {
        let file = try Self.read(
            "- {name: n, uls: [{msg: a}, {msg: b}, {t: \"23:59:59.99\", msg: c}, {msg: d}], expect: []}"
        )
        guard case .rows(let rows) = file.tests[0].log else { return }
        #expect(
            rows.map(\.time.native) == [
                "03/02/2026 10:00:00.00", "03/02/2026 10:00:01.00", "03/02/2026 23:59:59.99", "03/02/2026 23:59:59.99",
            ]
        )
    }

    @Test func `A row can be written several times with a counter`() throws {
        let file = try Self.read(
            "- {name: n, uls: [{times: 3, every: 5m, corr: \"R<n>\", msg: \"no. <n>\"}, {msg: <n>}], expect: []}"
        )
        guard case .rows(let rows) = file.tests[0].log else { return }
        #expect(
            rows.map { "\($0.time.native.dropFirst(11)) \($0.message)" } == [
                "10:00:00.00 no. 1", "10:05:00.00 no. 2", "10:10:00.00 no. 3", "10:10:01.00 <n>",
            ]
        )
        #expect(Set(rows.map(\.correlation)).count == 4)
        for wrong in ["times: 0", "times: 1001", "every: 5m"] {
            let error = Self.error("- {name: n, uls: [{msg: m, \(wrong)}], expect: []}")
            let complaint = "FS0101.tests.yaml:4:19: times must be between 1 and 1000; every needs times"
            #expect(error == complaint, "\(error ?? "")")
        }
    }

    @Test func `The key each repeats a test for every combination of values`() throws {
        let file = try Self.read(
            """
            - name: any tag at <level>
              each: {tag: [b9y3, 8e26], level: [High, Medium]}
              uls: [{id: <tag>, level: <level>, msg: m <tag>}]
              expect: [{verdict: v, message: saw <tag>}]
            """
        )
        #expect(
            file.tests.map(\.name) == [
                "any tag at High (tag: b9y3, level: High)", "any tag at Medium (tag: b9y3, level: Medium)",
                "any tag at High (tag: 8e26, level: High)", "any tag at Medium (tag: 8e26, level: Medium)",
            ]
        )
        guard case .rows(let rows) = file.tests[2].log else { return }
        #expect(rows[0].eventID == "8e26" && rows[0].message == "m 8e26")
        guard case .findings(let findings) = file.tests[2].expectation else { return }
        #expect(findings[0].message == "saw 8e26")
    }

    @Test func `A web.config is given as text or as a list of labeled texts`() throws {
        let one = try Self.read("- {name: n, web_config: '<configuration/>', expect: not_evaluated}")
        #expect(one.tests[0].configs == [TestConfig(xml: "<configuration/>")])
        #expect(one.tests[0].expectation == .notEvaluated && one.tests[0].log == nil)
        let two = try Self.read(
            "- {name: n, web_config: [{server: WFE1, zone: Default, xml: a}, {xml: b}], expect: []}"
        )
        #expect(two.tests[0].configs == [TestConfig(server: "WFE1", zone: "Default", xml: "a"), TestConfig(xml: "b")])
    }

    @Test func `An expected finding of another rule names that rule`() throws {
        let file = try Self.read("- {name: n, with: FS1002, expect: [{rule: FS1002, verdict: v}, {verdict: w}]}")
        guard case .findings(let findings) = file.tests[0].expectation else { return }
        #expect(findings.map(\.rule.text) == ["FS1002", "FS0101"])
        #expect(file.tests[0].with.map(\.text) == ["FS1002"])
    }

    @Test(arguments: [
        ("- {name: n, expct: []}", "FS0101.tests.yaml:4:3: tests.[0]: the key \u{201C}expect\u{201D} is missing"),
        ("- {name: n, expect: [], uls: [{mgs: x}]}", "4:31: tests.[0].uls.[0]: the key \u{201C}msg\u{201D} is missing"),
        ("- {name: n, expect: [], uls: [{msg: x, lvl: y}]}", "4:40: tests.[0].uls.[0]: unknown key"),
        ("- {name: n, expect: nothing}", "4:21: tests.[0].expect: \u{201C}nothing\u{201D} is neither"),
        ("- {name: n, expect: [], uls: [{msg: x, t: noon}]}", "4:31: \u{201C}noon\u{201D} is not a time"),
        ("- {name: n, expect: [], uls: [{msg: x, t: '24:00:00'}]}", "is not a time"),
        ("- {name: n, expect: [], uls: [{msg: x, t: '2026-13-01 10:00:00'}]}", "is not a time"),
        ("- {name: n, expect: [], uls: [{msg: x, split: 0}]}", "split must be at least 1"),
        ("- {name: n, expect: [], uls: [{msg: \"a\\tb\"}]}", "the message contains a tab"),
        ("- {name: n, expect: [], uls: [{msg: a, level: \"Hi\\ngh\"}]}", "a column contains a tab or a line break"),
        ("- {name: n, expect: [], uls: [], paste: x}", "4:3: a test can have uls or paste, but not both"),
        ("- {name: n, expect: [{severity: fatal}]}", "4:22: severity \u{201C}fatal\u{201D} is not one of info"),
        ("- {name: n, expect: [{rule: FS1}]}", "\u{201C}FS1\u{201D} is not a rule ID"),
        ("- {name: n, each: {tag: [a]}, expect: []}", "4:20: no text in the test uses <tag>"),
        ("- {name: n, each: {tag: []}, expect: []}", "each tag needs a value"),
        ("- {name: n, expect: []}\n- {name: n, expect: []}", "5:3: two tests are named \u{201C}n\u{201D}"),
        ("  []", "the file has no tests"),
    ])
    func `An error in a test file is reported with its location`(tests: String, message: String) throws {
        let error = try #require(Self.error(tests))
        #expect(error.contains(message), "\(error)")
    }

    @Test func `Placeholders inside a value are not replaced`() throws {
        let file = try Self.read("- {name: '<a> <b> <c> <', each: {a: ['<b><b>'], b: ['<a>']}, expect: []}")
        #expect(file.tests.first?.name == "<b><b> <a> <c> < (a: <b><b>, b: <a>)")
    }

    @Test func `The total size of all tests' logs is limited`() throws {
        let values = "[" + (0..<1000).map(String.init).joined(separator: ", ") + "]"
        let text = String(repeating: "x", count: 100_000)
        let error = Self.error("- {name: n, each: {a: \(values)}, paste: '<a>\(text)', expect: []}")
        #expect(error?.contains("16 MiB of logs") == true)
        let parts = Self.error("- {name: n, uls: [{msg: \(text), split: 1}], expect: []}")
        #expect(parts?.contains("more than 1000 rows") == true)
        let value = Self.error("- {name: '<a>', each: {a: \(text)}, expect: []}")
        #expect(value?.contains("longer than 256 bytes") == true)
    }

    @Test func `Damaged files do not crash the reader`() throws {
        let text = Array(
            """
            schema: fastctl.rule-tests/1
            rule: FS0101
            tests:
            - name: a <tag>
              each: {tag: [b9y3, b9y9]}
              uls: [{t: "10:00:00.00", id: <tag>, corr: A, msg: "text", split: 2}]
              web_config: {server: WFE1, xml: <configuration/>}
              expect: [{verdict: v, severity: error, symptoms: {s: 1}, captures: {a: b}, undecided: [w]}]
            """.utf8
        )
        var mutation = ByteMutation(seed: 7)
        var read = 0
        for _ in 0..<1000 {
            let damaged = String(decoding: mutation.mutated([text]), as: UTF8.self)
            if let file = try? RuleTestFile(yaml: damaged, file: "t") {
                read += 1
                for test in file.tests { _ = test.log?.text }
            }
        }
        #expect(read > 0)
    }

    @Test func `The number of combinations of the key each is limited`() throws {
        let values = "[" + (0..<100).map(String.init).joined(separator: ", ") + "]"
        let error = Self.error("- {name: <a> <b>, each: {a: \(values), b: \(values)}, expect: []}")
        #expect(error?.contains("more than 2000 tests") == true)
    }
}

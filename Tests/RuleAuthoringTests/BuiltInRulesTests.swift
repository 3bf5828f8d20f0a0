import Foundation
import RuleAuthoring
import TestSupport
import Testing
import ULSLog
import WebConfig
import YAML

@testable import LogDiagnosis

/// The rules that are compiled in.
struct BuiltInRulesTests {
    @Test func `All built-in rules can be loaded and run together`() throws {
        let library = try RuleLibrary.builtIn()
        #expect(library.entries.map(\.source.name) == RuleFiles.names.filter { !$0.hasSuffix(".tests.yaml") })
        #expect(try RuleSet.builtIn().rules.count == library.rules.count)
        #expect(library.entries.allSatisfy { $0.isBuiltIn && $0.tests == nil && !$0.testsAreKnown })
    }

    @Test func `Rules whose tests are in a folder still count as built in`() throws {
        var library = try RuleLibrary.builtIn()
        #expect(RuleLint(library).complaints().allSatisfy { $0.severity == .warning })
        try library.add(folder: RuleFiles.folder.path)
        #expect(library.entries.allSatisfy { $0.isBuiltIn && $0.tests != nil && $0.testsAreKnown })
    }

    @Test func `Tests of one rule in a folder do not affect other rules' tests`() throws {
        var library = try RuleLibrary.builtIn()
        let rules = library.rules
        try library.add([RuleFile(name: "\(rules[0].id).tests.yaml", text: "")])
        #expect(library.entries.map(\.testsAreKnown) == rules.map { $0.id == rules[0].id })
        #expect(library.entries.allSatisfy { $0.isBuiltIn })
        // A rule in a folder without its tests has no tests.
        let source = try #require(library[rules[1].id]?.source)
        try library.add([RuleFile(name: "d/" + source.name, text: source.text)])
        let entry = try #require(library[rules[1].id])
        #expect(entry.isBuiltIn && entry.testsAreKnown && entry.tests == nil)
        let complaints = RuleLint(library).complaints(about: rules[1].id).map(\.message)
        #expect(complaints.contains { $0.hasPrefix("there are no tests") })
    }
}

/// Each rule in the folder `Rules` passes its tests, and its tests detect changes to the rule.
///
/// `FASTCTL_RULE=FS0101 swift test --skip-build --filter RulesTests` tests a single rule, which is read when the test
/// runs.
struct RulesTests {
    @Test(arguments: RuleFiles.ids)
    func `A rule passes its tests`(id: String) throws {
        let (rule, run) = try Self.run(id)
        for result in try run.results() where !result.passed {
            let lines = result.differences.map { "\n  " + $0 }.joined()
            Issue.record("Rules/\(rule).tests.yaml:\(result.place): \(result.name)\(lines)")
        }
    }

    @Test(arguments: RuleFiles.ids)
    func `A rule's tests detect every mutation of the rule`(id: String) throws {
        let (rule, run) = try Self.run(id)
        let report = run.mutate(yaml: try RuleFiles.library.get()[rule]?.source.text)
        for survivor in report.survivors {
            let place = survivor.place.map { ":\($0)" } ?? ""
            let advice = survivor.isRedundant ? " (it changes nothing: write the rule more simply)" : ""
            Issue.record("Rules/\(rule).yaml\(place): no test notices \(survivor.change)\(advice)")
        }
    }

    @Test(arguments: RuleFiles.ids)
    func `Lint has no complaints about a built-in rule, except about prose`(id: String) throws {
        let lint = RuleLint(try RuleFiles.library.get())
        for complaint in lint.complaints(about: try #require(RuleID(id))) where !complaint.message.contains("prose") {
            Issue.record("\(complaint)")
        }
    }

    private static func run(_ id: String) throws -> (RuleID, RuleTestRun) {
        let rule = try #require(RuleID(id))
        let library = try RuleFiles.library.get()
        return (rule, try #require(try library.testRun(of: rule), "it has no tests"))
    }
}

private let samples = SampleLogs.folder

/// The findings of the built-in rules in real logs, if these are available.
@Suite(.enabled(if: samples != nil, "FASTCTL_SAMPLES is not set"))
struct SampleLogTests {
    /// For each log, by its number: the rule that must report a finding, its severity, and its verdict where relevant.
    private static let table: [(log: String, findings: [String])] = [
        ("000", ["FS0101 error log-only"]), ("000b", ["FS0101 error log-only"]), ("000c", ["FS0101 error log-only"]),
        ("001", ["FS1061 warning"]), ("002", []), ("085", []), ("003", []),
        ("010", ["FS1089 error"]), ("012", ["FS1091 warning no-identity"]), ("014", ["FS1078 warning"]),
        ("016", ["FS1101 error"]), ("031", ["FS1029 warning no-right"]), ("035", ["FS1087 error"]),
        ("037", ["FS1037 warning"]), ("041", ["FS1043 warning one-conflict"]), ("043", ["FS1093 warning one-refresh"]),
        ("046", ["FS1068 error"]), ("048", ["FS1067 error"]), ("045", ["FS1003 error"]), ("049", ["FS1079 warning"]),
        ("055", ["FS1073 warning"]), ("057", ["FS1047 warning"]), ("070", ["FS1049 error"]), ("072", ["FS1049 error"]),
        ("074", ["FS1063 error"]), ("081", ["FS1082 error"]), ("083", ["FS1058 warning some-time-outs"]),
        ("020", []), ("051", []), ("058", []), ("060", []),
        ("038", ["FS1095 error"]), ("062", ["FS1038 error"]), ("067", ["FS1044 error"]), ("071", ["FS1006 error"]),
        ("075", ["FS1017 error"]), ("084", ["FS1098 error"]), ("040", ["FS1041 warning"]),
        ("053", ["FS1060 warning"]), ("064", ["FS1040 warning"]), ("066", ["FS1108 warning"]),
        ("054", ["FS1056 info"]),
    ]

    private static func reader(_ log: String) throws -> LogReader {
        let folder = try #require(samples)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix(log + "-") }
        return LogReader(inputs: [folder + "/" + (try #require(names.first))])
    }

    private static func report(_ log: String, trace: String? = nil) throws -> DiagnosisReport {
        let configs = try trace.map { trace in
            let xml = "<configuration><system.web><trace \(trace)/></system.web></configuration>"
            return [try WebConfigFile(Array(xml.utf8), source: WebConfigSource(path: "web.config"))]
        }
        return try Diagnosis(rules: .builtIn(), configs: configs ?? []).report(on: reader(log))
    }

    @Test(arguments: table.indices)
    func `A log produces exactly the expected findings`(row: Int) throws {
        let (log, expected) = Self.table[row]
        let findings = try Self.report(log).findings
        let words = findings.map { "\($0.rule.id) \($0.severity.rawValue) \($0.verdict)" }
        #expect(words.count == expected.count, "\(log): \(words)")
        for (word, wanted) in zip(words, expected) { #expect(word.hasPrefix(wanted), "\(log): \(words)") }
    }

    @Test(arguments: ["000", "000b", "000c"])
    func `A finding about tracing is checked against the configuration`(log: String) throws {
        #expect(try Self.report(log, trace: #"enabled="true""#).findings.map(\.verdict) == ["confirmed"])
        #expect(try Self.report(log, trace: #"enabled="false""#).findings.map(\.verdict) == ["contradicted"])
        #expect(try Self.report(log, trace: #"pageOutput="true""#).findings.map(\.verdict) == ["contradicted"])
    }
}

/// The project's folder `Rules`, next to the sources, so that a rule in it can be tested without a build.
enum RuleFiles {
    static let root = URL(filePath: #filePath).appending(path: "../../..").standardized
    static let folder = root.appending(path: "Rules")

    /// The rules in the folder; empty if it has none.
    static let library: Result<RuleLibrary, RuleError> = Result { () throws(RuleError) in
        var library = RuleLibrary()
        if !names.isEmpty { try library.add(folder: folder.path) }
        return library
    }

    static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        .filter { $0.hasSuffix(".yaml") }.sorted()

    /// The rules, or the one that `FASTCTL_RULE` names.
    static let ids: [String] = names.compactMap { RuleFile(name: $0, text: "").nominal }.filter { !$0.isTests }
        .map(\.id.text)
        .filter { $0 == ProcessInfo.processInfo.environment["FASTCTL_RULE"] ?? $0 }
}

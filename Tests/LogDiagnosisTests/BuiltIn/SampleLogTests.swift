import Foundation
import LogDiagnosis
import Testing
import ULSLog
import WebConfig

private let samples = ProcessInfo.processInfo.environment["FASTCTL_SAMPLES"]

/// What the built-in rules say of real logs, where these are at hand.
@Suite(.enabled(if: samples != nil, "FASTCTL_SAMPLES is not set"))
struct SampleLogTests {
    /// By the number of a log: the rule that must find something, its severity, and its verdict where it matters.
    private static let table: [(log: String, findings: [String])] = [
        ("000", ["FS0101 error log-only"]), ("000b", ["FS0101 error log-only"]), ("000c", ["FS0101 error log-only"]),
        ("001", ["FS1061 warning"]), ("002", []), ("085", []), ("003", ["FS1035 warning", "FS1048 warning"]),
        ("010", ["FS1089 error"]), ("012", ["FS1091 error"]), ("014", ["FS1078 error"]), ("016", ["FS1101 error"]),
        ("031", ["FS1029 error"]), ("035", ["FS1087 error"]), ("037", ["FS1037 error"]), ("041", ["FS1043 error"]),
        ("043", ["FS1093 error"]), ("046", ["FS1068 error"]), ("048", ["FS1067 error"]), ("049", ["FS1079 error"]),
        ("055", ["FS1073 error"]), ("057", ["FS1047 error"]), ("070", ["FS1049 error"]), ("072", ["FS1049 error"]),
        ("074", ["FS1063 error"]), ("081", ["FS1082 error"]), ("083", ["FS1058 error request-timed-out"]),
        ("020", []), ("051", []), ("058", []), ("060", []),
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
    func aLogShowsWhatIsWrongAndNothingElse(row: Int) throws {
        let (log, expected) = Self.table[row]
        let findings = try Self.report(log).findings
        let words = findings.map { "\($0.rule.id) \($0.severity.rawValue) \($0.verdict)" }
        #expect(words.count == expected.count, "\(log): \(words)")
        for (word, wanted) in zip(words, expected) { #expect(word.hasPrefix(wanted), "\(log): \(words)") }
    }

    @Test(arguments: ["000", "000b", "000c"])
    func tracingIsCrossCheckedWithTheConfiguration(log: String) throws {
        #expect(try Self.report(log, trace: #"enabled="true""#).findings.map(\.verdict) == ["confirmed"])
        #expect(try Self.report(log, trace: #"enabled="false""#).findings.map(\.verdict) == ["contradicted"])
        #expect(try Self.report(log, trace: #"pageOutput="true""#).findings.map(\.verdict) == ["contradicted"])
    }
}

import Foundation
import TestSupport
import Testing

@testable import ULSLog
@testable import ULSRows

struct ScopeMessageTests {
    private func name(in message: String) -> String? {
        let bytes = Array(message.utf8)
        guard let name = ScopeMessage.parse(bytes.span)?.name else { return nil }
        return String(decoding: bytes[name], as: UTF8.self)
    }

    private func parse(_ message: String) -> ScopeMessage? {
        let bytes = Array(message.utf8)
        return ScopeMessage.parse(bytes.span)
    }

    @Test(arguments: [
        "Entering monitored scope (X)",
        "entering Monitored Scope (X). Parent No",
        "Entering Monitored Scope (X). Parent=Y",
        "Entering Monitored Scope (X). Parent=None",
        "Entering Monitored Scope (X) Parent=Y(a)",
        "Entering Monitored Scope: (X). Родитель=Y(a)",
        "  Entering monitored scope (X)  ",
    ])
    func `Every form of an Entering row is recognized`(message: String) {
        #expect(parse(message)?.kind == .entering)
        #expect(name(in: message) == "X")
    }

    @Test(arguments: [
        ("Leaving Monitored Scope (X). Execution Time=145.0229", 145_023),
        ("Leaving Monitored Scope (X). Execution Time=206.33069286739", 206_331),
        (
            "Leaving Monitored Scope: (X) Execution Time=153.7687; CPU Milliseconds=1; SQL Query Count=0; Parent=Y()",
            153_769
        ),
        ("Leaving Monitored Scope (X). Время выполнения=1,9594", 1959),
        ("Leaving Monitored Scope: (X) Tiempo de ejecución=7.0718; CPU Milliseconds=1; Parent=None", 7072),
        ("Leaving Monitored Scope (X). Execution Time=0", 0),
        ("Leaving Monitored Scope (X). Execution Time=8.5E-05", 0),
        ("Leaving Monitored Scope (X). Execution Time=1.5E+03", 1_500_000),
        ("Leaving Monitored Scope (X). Execution Time=0.0005", 1),
    ])
    func `Every form of a Leaving row is recognized`(message: String, duration: Int64) {
        #expect(parse(message)?.kind == .leaving(duration: duration))
        #expect(name(in: message) == "X")
    }

    @Test(arguments: [
        "Request (POST:http://test-sp:80/_vti_bin/owssvr.dll?CS=65001)",
        "Feature Installation: Installing Feature 'Links' (ID: 'ca2543e6-29a1-40c1-bba9-bd8510a4c17b') into the farm.",
        "SPClaimProvider.FillClaimsForEntity()",
        "Request (GET:http://h/a(1).aspx?x=5)",
        "Request (GET:http://h/a). b(c.aspx?x=5)",
        "Request (GET:http://h/only)closing.aspx)",
        "Foo (x) count=3",
        "SPSqlClient (",
    ])
    func bracketsInTheName(text: String) {
        #expect(name(in: "Leaving Monitored Scope (\(text)). Execution Time=5.5") == text)
        #expect(name(in: "Leaving Monitored Scope: (\(text)) Execution Time=5.5; Parent=a(b)") == text)
        #expect(name(in: "Entering Monitored Scope (\(text)). Parent=A.B()") == text)
        #expect(name(in: "Entering monitored scope (\(text))") == text)
        #expect(parse("Leaving Monitored Scope (\(text)). Execution Time=5.5")?.kind == .leaving(duration: 5500))
    }

    @Test func `The original level of a forced row is read`() throws {
        let message =
            "[Forced due to logging gap, cached @ 02/12/2021 11:17:30.82, Original Level: Verbose] "
            + "Entering Monitored Scope (X). Parent=Y"
        let level = try #require(parse(message)?.originalLevel)
        #expect(String(decoding: Array(message.utf8)[level], as: UTF8.self) == "Verbose")
        #expect(name(in: message) == "X")
    }

    @Test(arguments: [
        "[Forced due to logging gap, Original Level: Verbose] Entering Monitored Scope ({0}). Parent={1}",
        "Entering monitored scope ()", "Entering monitored scope", "Entering Monitored Scope: Parent=None",
    ])
    func `Rows without a usable name are recognized`(message: String) {
        #expect(parse(message)?.kind == .entering)
        #expect(name(in: message) == nil)
    }

    @Test func `A localized row without a name yields a duration`() {
        let message = "Leaving Monitored Scope: Tiempo de ejecución=7.0718; CPU Milliseconds=1; Parent=None"
        #expect(parse(message) == ScopeMessage(kind: .leaving(duration: 7072)))
    }

    @Test func `A truncated name extends to the end of the row`() {
        #expect(name(in: "Leaving Monitored Scope (Request (GET:http://h/a?b=c...") == "Request (GET:http://h/a?b=c")
        #expect(parse("Leaving Monitored Scope (Request (GET:http://h/a?b=5...")?.kind == .leaving(duration: nil))
    }

    @Test(arguments: ["1.234,5", "1,234.5", "-5.0", "", "none"])
    func `An ambiguous duration is ignored`(number: String) {
        #expect(parse("Leaving Monitored Scope: (X) Execution Time=\(number)")?.kind == .leaving(duration: nil))
    }

    @Test(arguments: ["99999999999999999999999999", "1E+300", "9.9E99999999999999999999", "31622400000.5"])
    func `Excessive durations are clamped to the maximum`(number: String) throws {
        guard case .leaving(let duration?) = parse("Leaving Monitored Scope (X). Execution Time=\(number)")?.kind else {
            Issue.record("no duration")
            return
        }
        #expect(duration <= ScopeDuration.longest)
    }

    @Test(arguments: [
        "", " ", "[", "[Forced due to", "Entering monitored scopes are fine", "Leaving", "Enter",
        "Name=Request (GET:/)",
        "He is leaving monitored scope (X)",
    ])
    func `Other rows are not scope rows`(message: String) {
        #expect(parse(message) == nil)
    }

    @Test func `No prefix of a row causes a crash`() {
        let message = Array(
            "[Forced due to gap, Original Level: High] Leaving Monitored Scope: (X(y)) Time=1,5E+2; P=Z".utf8
        )
        for end in 0...message.count {
            _ = ScopeMessage.parse(message.span.extracting(0..<end))
        }
    }

    @Test func `A row with many brackets is parsed quickly`() {
        let message = Array(("Leaving Monitored Scope (" + String(repeating: "(). a", count: 100_000)).utf8)
        let kind = ScopeMessage.parse(message.span)?.kind
        #expect(kind == .leaving(duration: nil))
    }
}

@Suite struct ScopeRowTests {
    private static func scopes(_ messages: [(String, String)]) throws -> [ScopeDurations] {
        try ReadLog(messages.map { id, message in row(message) { $0.eventID = id } }.joined()).summary.scopes
    }

    @Test(
        arguments: [
            "Leaving Monitored Scope (Lookup). Execution Time=145.0229",
            "Leaving Monitored Scope: (Lookup) Execution Time=145.0229; CPU Milliseconds=1; SQL Query Count=0; Parent=Y",
            "[Forced due to logging gap, cached @ 02/12/2021 11:17:30.82, Original Level: Verbose] Leaving Monitored Scope"
                + " (Lookup). Execution Time=145.0229",
        ]
    )
    func `A scope's duration is read from the row that leaves it, in the formats of all versions`(
        message: String
    ) throws {
        let scopes = try Self.scopes([("b4ly", message)])
        #expect(scopes.map(\.key) == ["Lookup"])
        #expect(scopes.map(\.total) == [145_023])
        #expect(scopes.map(\.count) == [1])
    }

    @Test func `A localized row without a name, or with an unfilled template, is an ordinary event`() throws {
        let log = try ReadLog(
            row("Leaving Monitored Scope: Tiempo de ejecución=7.0718; CPU Milliseconds=1; Parent=None") {
                $0.eventID = "b4ly"
            }
                + row("Entering Monitored Scope ({0}). Parent={1}") { $0.eventID = "nasq" }
        )
        #expect(log.events.count == 2)
        #expect(log.summary.scopes.allSatisfy { $0.key != "" })
    }

    @Test func `Scopes are counted under the common part of their calls`() throws {
        let scopes = try Self.scopes(
            (1...3).map {
                (
                    "b4ly",
                    "Leaving Monitored Scope (Request (GET:http://wfe\($0)/sites/a?id=\($0))). Execution Time=\($0)0"
                )
            } + [("nasq", "Entering monitored scope (Request (GET:http://wfe1:80/sites/a))")]
        )
        #expect(scopes.map(\.key) == ["GET /sites/a"])
        #expect(scopes.map(\.isRequest) == [true])
        #expect(scopes.map(\.count) == [3])
        #expect(scopes.map(\.total) == [60_000])
        #expect(scopes.map(\.max) == [30_000])
        // A histogram stores durations with a precision of one percent.
        #expect(scopes.allSatisfy { abs($0.p50 - 20_000) <= 200 })
    }

    @Test func `A split scope row is counted once`() throws {
        let name = String(repeating: "long ", count: 200)
        let message = "Leaving Monitored Scope (\(name)end). Execution Time=12.5"
        let parts = [
            row(message.prefix(800) + "...") { $0.eventID = "b4ly" },
            row("..." + message.dropFirst(800)) { ($0.eventID, $0.mark) = ("b4ly", "*") },
        ]
        let log = try ReadLog(parts.joined())
        #expect(log.messages == [message])
        #expect(log.summary.scopes.map(\.count) == [1])
        #expect(log.summary.scopes.map(\.total) == [12_500])
    }

    @Test func `A scope that was entered and never left is open`() throws {
        let scopes = try Self.scopes([("nasq", "Entering monitored scope (Lookup)")])
        #expect(scopes.map(\.open) == [1])
    }

    @Test func `A trace includes a request's first and last rows even if they have no correlation`()
        throws
    {
        let folder = try SourceFolder()
        let text =
            row("Entering monitored scope (Request (GET:http://wfe1/a))") {
                ($0.eventID, $0.correlation) = ("nasq", " ")
            }
            + row("Name=Request (GET:http://wfe1/a)") { $0.eventID = "xmnv" } + row("Site=/") { $0.eventID = "xmnv" }
            + row("Leaving Monitored Scope (Request (GET:http://wfe1/a)). Execution Time=5") {
                ($0.eventID, $0.correlation) = ("b4ly", " ")
            }
        let reader = LogReader(inputs: [try folder.write("WFE1-20110926-1030.log", text)])
        let id = try #require(CorrelationPattern(NativeRow.correlation))
        let trace = try #require(try reader.traces(of: id).traces.first)
        #expect(trace.events.count == 4)
        #expect(trace.name == "Request (GET:http://wfe1/a)")
        #expect(trace.site == "/")
        #expect(trace.duration == .milliseconds(5))
    }
}

struct ScopeSampleTests {
    private static let folder = SampleLogs.folder

    @Test(.enabled(if: folder != nil, "FASTCTL_SAMPLES names the folder of sample logs"))
    func `Every scope row of the samples is recognized`() throws {
        let folder = URL(filePath: try #require(Self.folder))
        var rows = 0
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        where ["log", "txt"].contains(file.pathExtension) {
            let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            for line in text.split(whereSeparator: \.isNewline) {
                let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
                guard fields.count >= 8, ["nasq", "b4ly"].contains(fields[5]) else { continue }
                rows += 1
                let bytes = Array(fields[7].utf8)
                guard let scope = ScopeMessage.parse(bytes.span) else {
                    Issue.record("\(line)")
                    continue
                }
                #expect(scope.name != nil || line.contains("({0})"), "\(line)")
                #expect((scope.kind == .entering) == (fields[5] == "nasq"), "\(line)")
                #expect(scope.kind != .leaving(duration: nil), "\(line)")
            }
        }
        #expect(rows > 0)
    }
}

import Testing

@testable import ULSLog

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
    func everySpellingOfEntering(message: String) {
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
    func everySpellingOfLeaving(message: String, duration: Int64) {
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

    @Test func aForcedRowSaysItsOriginalLevel() throws {
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
    func rowsWithoutAUsableName(message: String) {
        #expect(parse(message)?.kind == .entering)
        #expect(name(in: message) == nil)
    }

    @Test func aTranslatedRowWithoutNameHasItsDuration() {
        let message = "Leaving Monitored Scope: Tiempo de ejecución=7.0718; CPU Milliseconds=1; Parent=None"
        #expect(parse(message) == ScopeMessage(kind: .leaving(duration: 7072)))
    }

    @Test func aCutNameGoesToTheEnd() {
        #expect(name(in: "Leaving Monitored Scope (Request (GET:http://h/a?b=c...") == "Request (GET:http://h/a?b=c")
        #expect(parse("Leaving Monitored Scope (Request (GET:http://h/a?b=5...")?.kind == .leaving(duration: nil))
    }

    @Test(arguments: ["1.234,5", "1,234.5", "-5.0", "", "none"])
    func aDurationThatCouldMeanTwoThingsMeansNothing(number: String) {
        #expect(parse("Leaving Monitored Scope: (X) Execution Time=\(number)")?.kind == .leaving(duration: nil))
    }

    @Test(arguments: ["99999999999999999999999999", "1E+300", "9.9E99999999999999999999", "31622400000.5"])
    func absurdDurationsAreBounded(number: String) throws {
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
    func otherRowsAreNoScopes(message: String) {
        #expect(parse(message) == nil)
    }

    @Test func noPrefixOfARowIsTooShort() {
        let message = Array(
            "[Forced due to gap, Original Level: High] Leaving Monitored Scope: (X(y)) Time=1,5E+2; P=Z".utf8
        )
        for end in 0...message.count {
            _ = ScopeMessage.parse(message.span.extracting(0..<end))
        }
    }

    @Test func manyBracketsTakeNoTime() {
        let message = Array(("Leaving Monitored Scope (" + String(repeating: "(). a", count: 100_000)).utf8)
        let kind = ScopeMessage.parse(message.span)?.kind
        #expect(kind == .leaving(duration: nil))
    }
}

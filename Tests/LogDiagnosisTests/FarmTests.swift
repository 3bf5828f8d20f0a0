import LogDiagnosis
import LogTestSupport
import Testing

/// The content of a farm file, and its use by rules.
struct FarmTests {
    private static func file(_ more: String = "") -> String {
        """
        {"schema": "fastctl.farm/1", "takenAt": "2024-03-11T10:00:00Z", "edition": "enterprise",
         "build": "16.0.10396.20000",
         "servers": [
           {"name": "WFE1.contoso.local", "role": "WebFrontEnd", "build": "16.0.10396.20000",
            "services": [{"type": "Microsoft.A.B", "name": "Dienst \\u0026 mehr", "status": "Online"}]},
           {"name": "APP1", "role": "Application", "build": "16.0.10400.20001", "services": []}],
         "serviceApplications": [{"name": "Store", "type": "X.StoreApplication", "status": "Online"}],
         "accounts": [{"name": "CONTOSO\\\\farm", "uses": ["farm"]}],
         "zones": [{"url": "https://portal", "zone": "Default", "authentication": ["kerberos", "forms"]}]\(more)}
        """
    }

    private func truth(_ condition: String, _ farm: String?) throws -> String {
        let rule = try RuleText.rule(
            select: "  a: {event_id: aaaa}",
            check: "  c: {farm: \(condition)}\n  seen: {count: {of: a, gte: 1}}",
            verdicts: """
                  - {id: "yes", when: c, severity: warning, confidence: likely, message: "found"}
                  - {id: "no", when: {not: c}, severity: warning, confidence: likely, message: "found"}
                  - {id: unknown, when: {unknown: c}, severity: warning, confidence: likely, message: "found"}
                """,
            more: "needs: {uls: required, farm: optional}"
        )
        var diagnosis = Diagnosis(rules: try RuleSet([rule]))
        diagnosis.farm = try farm.map { try FarmFacts($0, path: "farm.json") }
        return try diagnosis.report(on: LogText([Row(0, "aaaa")]).reader()).outcome
    }

    @Test func `Every fact in a farm file is read`() throws {
        let farm = try FarmFacts(Self.file(), path: "farm.json")
        #expect(farm.edition == .enterprise)
        #expect(farm.servers.map(\.name) == ["WFE1.contoso.local", "APP1"])
        #expect(farm.servers[0].services?.map { [$0.type, $0.status] } == [["B", "Online"]])
        #expect(farm.accounts?.first?.name == "CONTOSO\\farm")
        #expect(farm.zones?.first?.authentication == ["kerberos", "forms"])
    }

    @Test(arguments: [
        ("{edition: enterprise}", "yes"), ("{edition: [foundation, enterprise]}", "yes"),
        ("{edition: foundation}", "no"), ("{builds: differ}", "yes"), ("{builds: same}", "no"),
        ("{build: {from: 16.0.10396.20000}}", "yes"), ("{build: {from: 16.0.10400.20002}}", "no"),
        ("{build: {below: 16.0.10396.20000}}", "no"), ("{build: {from: 16.0.10397, below: 16.0.10400.20001}}", "no"),
        ("{service: b, runs: true}", "yes"), ("{service: B, runs: false}", "no"), ("{service: C, runs: false}", "yes"),
        ("{application: StoreApplication, online: true}", "yes"), ("{application: Other, online: false}", "yes"),
        ("{authentication: Kerberos, used: true}", "yes"), ("{authentication: ntlm, used: true}", "no"),
    ])
    func `A condition is true or false with a farm file, and unknown without one`(
        condition: String,
        outcome: String
    ) throws {
        #expect(try truth(condition, Self.file()) == outcome)
        #expect(try truth(condition, nil) == "unknown")
    }

    @Test(arguments: [
        "{edition: foundation}", "{build: {from: 16.0}}", "{builds: differ}", "{service: C, runs: false}",
        "{application: Other, online: false}", "{authentication: ntlm, used: false}",
    ])
    func `Facts missing from the farm file are unknown`(condition: String) throws {
        let bare = #"{"schema": "fastctl.farm/1", "servers": [{"name": "A"}, {"name": "B", "services": []}]}"#
        #expect(try truth(condition, bare) == "unknown")
    }

    @Test func `Builds do not differ if there is only one server`() throws {
        let one = #"{"schema": "fastctl.farm/1", "servers": [{"name": "A"}]}"#
        #expect(try truth("{builds: differ}", one) == "no")
    }

    @Test(arguments: [
        (#"{"servers": [{"name": "A"}]}"#, "schema"),
        (#"{"schema": "fastctl.farm/2", "servers": [{"name": "A"}]}"#, "Get-FarmFacts.ps1"),
        (#"{"schema": "fastctl.farm/1", "servers": []}"#, "does not name a server"),
        (#"{"schema": "fastctl.farm/1", "servers": [{"name": "A"}, {"name": "a"}]}"#, "twice"),
        (#"{"schema": "fastctl.farm/1", "servers": [{"name": "A"}], "password": "x"}"#, "password"),
        (#"{"schema": "fastctl.farm/1", "servers": [{"name": "A", "build": "new"}]}"#, "not a build"),
        (#"{"schema": "fastctl.farm/1", "edition": "best", "servers": [{"name": "A"}]}"#, "foundation"),
        (#"{"schema": "fastctl.farm/1", "servers": ["#, "farm.json"),
        ("[]", "mapping"),
    ])
    func `A file that does not describe a farm is refused, and the error states why`(text: String, reason: String) {
        #expect {
            try FarmFacts(text, path: "farm.json")
        } throws: { "\($0)".contains(reason) && "\($0)".hasPrefix("farm.json") }
    }

    @Test func `A file that is too large is refused`() {
        let servers = (0...2000).map { #"{"name": "S\#($0)"}"# }.joined(separator: ",")
        #expect(throws: RuleError.self) {
            try FarmFacts(#"{"schema": "fastctl.farm/1", "servers": [\#(servers)]}"#, path: "farm.json")
        }
        let long = String(repeating: "x", count: 513)
        #expect(throws: RuleError.self) {
            try FarmFacts(#"{"schema": "fastctl.farm/1", "servers": [{"name": "\#(long)"}]}"#, path: "farm.json")
        }
    }

    @Test func `A farm file truncated at any point is refused`() {
        let bytes = Array(Self.file().utf8)
        for end in 1..<bytes.count {
            guard let text = String(validating: bytes[..<end], as: UTF8.self) else { continue }
            #expect(throws: RuleError.self) { try FarmFacts(text, path: "farm.json") }
        }
    }

    @Test func `Differing builds and servers without logs are reported`() throws {
        var diagnosis = Diagnosis(rules: try RuleSet([]))
        diagnosis.farm = try FarmFacts(Self.file(), path: "farm.json")
        let report = try diagnosis.report(on: LogText([Row(0, "aaaa")]).reader("wfe1-20260302-1000.log"))
        #expect(
            report.farmNotes == [
                "farm builds differ: 16.0.10400.20001 (APP1), 16.0.10396.20000 (WFE1.contoso.local)",
                "no log from APP1 was read, a server in farm.json; problems that occur only there were missed",
            ]
        )
        let other = try diagnosis.report(on: LogText([Row(0, "aaaa")]).reader("SQL9-20260302-1000.log"))
        #expect(
            other.farmNotes.last
                == "farm.json does not name SQL9, whose logs were read; it is from another farm, or outdated"
        )
    }

    @Test(arguments: [
        "{service: A}", "{runs: true}", "{edition: foundation, builds: differ}", "{build: {}}", "{builds: equal}",
        "{edition: best}", "{}",
    ])
    func `A farm condition must consist of exactly one statement`(condition: String) {
        #expect(throws: RuleError.self) { try RuleText.rule(check: "  c: {farm: \(condition)}") }
    }
}

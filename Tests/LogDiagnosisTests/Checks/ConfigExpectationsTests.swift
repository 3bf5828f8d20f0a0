import Testing
import WebConfig

@testable import LogDiagnosis

/// Expectations on web.config files, and the reports on files that do not meet them.
struct ConfigExpectationsTests {
    private static func config(_ body: String, _ server: String? = nil, _ zone: String? = nil) throws -> WebConfigFile {
        let path = "\(server ?? "x")/web.config"
        return try WebConfigFile(
            Array("<configuration>\(body)</configuration>".utf8),
            source: WebConfigSource(path: path, server: server, zone: zone)
        )
    }

    private static func expectations(_ body: String) throws -> ConfigExpectations {
        try ConfigExpectations("schema: fastctl.expect/1\n" + body, path: "e.yaml")
    }

    /// Returns the verdicts of one file.
    private func verdicts(_ config: String, _ expected: String) throws -> [String] {
        var report = DiagnosisReport()
        report.configs = [try Self.config(config)]
        report.compare(with: try Self.expectations(expected))
        return report.findings.map(\.verdict)
    }

    private static let trace = "<system.web><trace enabled=\"%\"/></system.web>"

    @Test(arguments: [
        ("false", "\"false\"", []), ("False", "\"false\"", []), ("true", "\"false\"", ["different"]),
        (nil, "\"false\"", ["absent"]), (nil, "absent", []), (nil, "[absent, \"false\"]", []),
        ("false", "[absent, \"false\"]", []),
        ("false", "absent", ["unexpected"]), ("", "\"false\"", ["different"]), ("maybe", "[maybe, \"false\"]", []),
        ("Maybe", "maybe", ["different"]),
    ])
    func `An absent setting is distinguished from one with a different value`(
        value: String?,
        expected: String,
        verdicts: [String]
    ) throws {
        let config = value.map { Self.trace.replacing("%", with: $0) } ?? ""
        #expect(try self.verdicts(config, "expect: {system.web/trace@enabled: \(expected)}") == verdicts)
    }

    @Test(arguments: [
        ("system.web/trace@enabled: \"false\"", ["different"]),
        ("system.web/trace@enabled: \"false\", system.web/trace@enabled in a/b: \"true\"", []),
        ("system.web/trace@enabled: \"false\", system.web/trace@enabled in a/b: \"false\"", ["different"]),
        ("system.web/trace@enabled in c: \"true\"", ["absent"]),
    ])
    func `A location element that overrides the outer setting is found`(expected: String, verdicts: [String]) throws {
        let inside = Self.trace.replacing("%", with: "true")
        let config = Self.trace.replacing("%", with: "false") + "<location path=\"a/b\">\(inside)</location>"
        #expect(try self.verdicts(config, "expect: {\(expected)}") == verdicts)
    }

    @Test(arguments: [
        "<system.web><trace configSource=\"t.config\"/></system.web>",
        "<system.web configProtectionProvider=\"p\"><EncryptedData/></system.web>",
    ])
    func `An encrypted section, or one in another file, never meets expectations`(config: String) throws {
        for value in ["\"false\"", "absent", "[absent, \"false\", external, encrypted]"] {
            #expect(try verdicts(config, "expect: {system.web/trace@enabled: \(value)}") == ["unreadable"], "\(value)")
        }
    }

    @Test func `A refused file and a server without a file do not meet expectations`() throws {
        var report = DiagnosisReport()
        let source = WebConfigSource(path: "a", server: "WFE1")
        report.refusedConfigs = [
            WebConfigError(code: .refused, source: source, line: 3, message: "it is broken", advice: nil)
        ]
        report.compare(
            with: try Self.expectations(
                "expect: {system.web/trace@enabled: absent}\nservers: {WFE2: {a@b: c}, WFE1/Custom: {a@b: c}}"
            )
        )
        #expect(report.findings.map(\.verdict).sorted() == ["missing", "missing", "refused"])
        #expect(report.findings.allSatisfy { $0.severity == .error })
        #expect(report.findings.first { $0.verdict == "refused" }?.filePlace?.line == 3)
    }

    @Test func `Expectations for a zone override those for its server, which override general ones`() throws {
        let expected = try Self.expectations(
            """
            expect: {system.web/trace@enabled: "1", a@b: absent}
            servers:
              wfe1/intranet: {system.web/trace@enabled: "3"}
              WFE1: {system.web/trace@enabled: "2"}
            """
        )
        for (server, zone, value) in [
            ("WFE1", "Intranet", "3"), ("WFE1", "Default", "2"), ("WFE1", nil, "2"), ("WFE2", nil, "1"),
        ]
            as [(String, String?, String)]
        {
            for written in ["1", "2", "3"] {
                var report = DiagnosisReport()
                report.configs = [
                    try Self.config(Self.trace.replacing("%", with: written), server, zone),
                    try Self.config(Self.trace.replacing("%", with: "3"), "wfe1", "Intranet"),
                ]
                report.compare(with: expected)
                let here = report.findings.filter { $0.servers == [server] }
                #expect(here.isEmpty == (written == value), "\(server) \(zone ?? "") \(written)")
            }
        }
    }

    @Test func `A finding names the line in both files, but shows no secret`() throws {
        var report = DiagnosisReport()
        report.configs = [
            try Self.config(
                "\n<appSettings><add key=\"ApiKey\" value=\"hunter2\"/></appSettings>\n" + Self.trace,
                "WFE1"
            )
        ]
        report.compare(
            with: try Self.expectations("expect:\n  system.web/trace@enabled: x\n  appSettings/add@value: y\n")
        )
        let texts = report.findings.map {
            "\($0.message) \($0.config.map(\.at)) \($0.filePlace.map { "\($0.file):\($0.line)" } ?? "")"
        }
        #expect(
            texts.contains {
                $0.contains("x/web.config:3") == false && $0.contains("WFE1/web.config:3") && $0.hasSuffix("e.yaml:3")
            }
        )
        #expect(texts.contains { $0.contains("WFE1/web.config:2") && $0.hasSuffix("e.yaml:4") })
        #expect(!texts.joined().contains("hunter2"))
    }

    @Test(arguments: [
        ("expect: {system.web/machineKey@validationKey: x}", "secret"),
        ("expect: {system.web/trace: x}", "name an attribute"), ("expect: {trace enabled: x}", "is not a setting"),
        ("expect: {}", "it expects nothing"),
        ("servers: {WFE1/Intrant: {a@b: c}}", "did you mean \u{201C}Intranet\u{201D}?"),
        ("expct: {a@b: c}", "did you mean \u{201C}expect\u{201D}?"), ("expect: {a@b: []}", "it has no value"),
    ])
    func `An error in the expectations file is reported`(text: String, message: String) {
        do {
            _ = try Self.expectations(text)
            Issue.record("accepted")
        } catch { #expect("\(error)".contains(message), "\(error)") }
    }

    @Test func `Files meet expectations generated from them`() throws {
        let files = [
            try Self.config(
                Self.trace.replacing("%", with: "true") + "<location path=\"x y\">\(Self.trace)</location>",
                "WFE1"
            ),
            try Self.config("<system.web><machineKey validationKey=\"AB\"/></system.web>", "WFE2", "Intranet"),
            try Self.config("<system.web><customErrors mode=\"Off: #1 'x'\"/></system.web>", "WFE2", "Default"),
            // A folder may contain several files with the same label.
            try Self.config("<system.web><customErrors mode=\"On\"/></system.web>", "WFE2", "Default"),
        ]
        for count in 1...files.count {
            let some = Array(files.prefix(count))
            let written = try WrittenExpectations(some)
            #expect(written.untold == 0 && !written.text.contains("AB"))
            var report = DiagnosisReport()
            report.configs = some
            report.compare(with: try ConfigExpectations(written.text, path: "e.yaml"))
            #expect(report.findings.map(\.message) == [], "\(written.text)")
            // Any other configuration does not meet the expectations.
            for index in some.indices {
                var report = DiagnosisReport()
                report.configs = some
                report.configs[index] = try Self.config(
                    "<system.web><compilation debug=\"true\"/></system.web>",
                    some[index].source.server,
                    some[index].source.zone
                )
                report.compare(with: try ConfigExpectations(written.text, path: "e.yaml"))
                #expect(!report.findings.isEmpty)
            }
        }
        let unlabelled = [try Self.config(Self.trace), try Self.config("")]
        #expect(throws: RuleError.self) { try WrittenExpectations(unlabelled) }
        #expect(try !WrittenExpectations([unlabelled[1], unlabelled[1]]).text.contains("servers"))
    }
}

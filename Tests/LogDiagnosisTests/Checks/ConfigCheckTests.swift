import LogDiagnosis
import LogTestSupport
import Testing
import WebConfig

struct ConfigCheckTests {
    private func report(
        _ check: String,
        _ configs: [WebConfigFile],
        refused: [WebConfigError] = []
    ) throws -> DiagnosisReport {
        let rule = try RuleText.rule(check: "  c: \(check)", more: "needs: {web_config: required}")
        return try Diagnosis.report([rule], nil, configs, refused: refused)
    }

    private func file(
        _ server: String? = nil,
        _ elements: [(path: String, location: String?, attributes: [(String, String)])]
    ) -> WebConfigFile {
        WebConfigFile(
            source: WebConfigSource(path: "\(server ?? "x")/web.config", server: server),
            elements: elements.enumerated().map { number, element in
                ConfigElement(
                    path: element.path,
                    location: element.location,
                    attributes: element.attributes.map {
                        ConfigAttribute(name: $0.0, value: $0.1, line: number + 1, column: 9)
                    },
                    line: number + 1,
                    column: 1,
                    lineEnd: number + 1,
                    columnEnd: 20
                )
            }
        )
    }

    private let isOn = "{config: {element: system.web/trace, where: {enabled: {bool: true, default: \"false\"}}}}"

    @Test func `An attribute determines the result`() throws {
        #expect(try report(isOn, [file(nil, [("system.web/trace", nil, [("enabled", "True")])])]).outcome == "found")
        #expect(try report(isOn, [file(nil, [("system.web/trace", nil, [("enabled", "false")])])]).outcome == "passed")
        #expect(try report(isOn, [file(nil, [])]).outcome == "passed")
    }

    @Test func `The default applies if the attribute is missing`() throws {
        let element = file(nil, [("system.web/trace", nil, [("pageOutput", "true")])])
        #expect(try report(isOn, [element]).outcome == "passed")
        let local = "{config: {element: system.web/trace, where: {localOnly: {bool: true, default: \"true\"}}}}"
        #expect(try report(local, [element]).outcome == "found")
    }

    @Test func `One element must meet all conditions`() throws {
        let both = "{config: {element: system.web/trace, where: {enabled: {bool: true}, pageOutput: {bool: true}}}}"
        let apart = file(
            nil,
            [("system.web/trace", nil, [("enabled", "true")]), ("system.web/trace", "a", [("pageOutput", "true")])]
        )
        #expect(try report(both, [apart]).outcome == "passed")
        let together = file(nil, [("system.web/trace", "a", [("enabled", "true"), ("pageOutput", "true")])])
        #expect(try report(both, [together]).outcome == "found")
    }

    @Test func `One matching file is enough, and every matching file is named`() throws {
        let on = [("system.web/trace", String?.none, [("enabled", "true")])]
        let report = try report(isOn, [file("A", on), file("B", []), file("C", on)])
        #expect(report.findings.first?.config.map(\.at) == ["A/web.config:1", "C/web.config:1"])
    }

    @Test func `A refused file does not count as a setting that is off`() throws {
        let error = WebConfigError(code: .refused, source: WebConfigSource(path: "x"), line: 1, message: "a DOCTYPE")
        #expect(try report(isOn, [], refused: [error]).outcome == "not evaluated")
        #expect(try report(isOn, [file(nil, [])], refused: [error]).outcome == "not evaluated")
    }

    @Test func `A value that differs between servers is found`() throws {
        let differs = "{differs: {element: system.web/machineKey, attribute: validationKey}}"
        let key = { (value: String) in [("system.web/machineKey", String?.none, [("validationKey", value)])] }
        #expect(try report(differs, [file("A", key("1")), file("B", key("2"))]).outcome == "found")
        #expect(try report(differs, [file("A", key("1")), file("B", [])]).outcome == "found")
        #expect(try report(differs, [file("A", key("1")), file("B", key("1"))]).outcome == "passed")
        #expect(try report(differs, [file("A", key("1")), file(nil, key("2"))]).outcome == "not evaluated")
    }

    private typealias Elements = [(path: String, location: String?, attributes: [(String, String)])]

    private func trace(_ attributes: [(String, String)]) -> Elements { [("system.web/trace", nil, attributes)] }

    @Test(arguments: ["configSource", "configProtectionProvider"])
    func `An encrypted or external section does not count as a setting that is off`(attribute: String) throws {
        #expect(try report(isOn, [file(nil, trace([(attribute, "x")]))]).outcome == "not evaluated")
        let above = file(nil, [("system.web", nil, [(attribute, "x")])])
        #expect(try report(isOn, [above]).outcome == "not evaluated")
        // A definite result from another file remains valid.
        #expect(try report(isOn, [above, file(nil, trace([("enabled", "true")]))]).outcome == "found")
    }

    @Test func `A location element for the whole site counts as no location`() throws {
        let none = "{config: {element: system.web/trace, location: none, where: {enabled: {bool: true}}}}"
        for (location, outcome) in [("", "found"), (".", "found"), ("_layouts", "passed")] {
            let elements = [("system.web/trace", String?.some(location), [("enabled", "true")])]
            #expect(try report(none, [file(nil, elements)]).outcome == outcome)
        }
    }

    @Test(arguments: ["configSource", "configProtectionProvider"])
    func `Servers whose sections cannot be read are not compared`(attribute: String) throws {
        let differs = "{differs: {element: system.web/machineKey, attribute: validationKey}}"
        let key = { (name: String, value: String) in [("system.web/machineKey", String?.none, [(name, value)])] }
        let hidden = key(attribute, "x")
        let plain = key("validationKey", "1A")
        #expect(try report(differs, [file("A", plain), file("B", hidden)]).outcome == "not evaluated")
        #expect(try report(differs, [file("A", hidden), file("B", hidden)]).outcome == "not evaluated")
        #expect(
            try report(differs, [file("A", plain), file("B", hidden), file("C", key("validationKey", "2"))]).outcome
                == "found"
        )
        #expect(try report(differs, [file("A", plain), file("B", key("validationKey", "1a"))]).outcome == "passed")
    }
}

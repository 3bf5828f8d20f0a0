import LogDiagnosis
import LogTestSupport
import Testing
import ULSLog

/// The events that a selector matches.
struct SelectorTests {
    private func matches(_ conditions: String, _ row: Row) throws -> Bool {
        let rule = try RuleText.rule(select: "  s: \(conditions)", check: "  c: {count: {of: s, gte: 1}}")
        return try Diagnosis.report([rule], [row]).outcome == "found"
    }

    private let row = Row(1, "8nca", "High", "Application error when access /Pages/A.aspx, Error=X", "A")

    @Test(
        arguments: [
            "{event_id: 8nca}", "{event_id: 8NCA}", "{event_id|in: [xmnv, 8nca]}",
            "{event_id|startswith: 8n, level: High}",
            "{level: high}", "{level: [Medium, High]}", "{level|gte: High}", "{level|gte: Medium}", "{level|lte: High}",
            "{level: High, message|contains: application ERROR}", "{level: High, message|startswith: application}",
            "{level: High, message|endswith: error=x}", "{level: High, message|glob: \"app*/a.aspx?*\"}",
            "{level: High, message|re: \"/pages/[a-z]+[.]aspx\"}", "{level: High, message|contains: [nothing, pages]}",
            "{level: High, message|contains|all: [application, pages]}", "{level: High, message|exists: true}",
            "{level: High, correlation|exists: true}", "{level: High, process: w3wp.exe}",
            "{level: High, server: TEST}",
            "{category: General, area|contains: foundation}",
            "[{event_id: xmnv}, {event_id: 8nca}]",
            "{event_id: 8nca, message|contains|none: [nothing, never]}", "{event_id: 8nca, message|re|none: ^error}",
            "{event_id: 8nca, message|startswith|none: error}", "{event_id: 8nca, category|none: [Database, Search]}",
            "{level|none: [Medium, Verbose], message|contains: pages}", "{event_id|none: xmnv, level: High}",
        ]
    )
    func `A matching event satisfies the condition`(conditions: String) throws {
        #expect(try matches(conditions, row))
    }

    @Test(
        arguments: [
            "{event_id: 8nc}", "{level|gte: Monitorable}", "{level|lte: Medium}", "{level: High, message: application}",
            "{level: High, message|contains|all: [application, nothing]}", "{level: High, message|glob: \"*.asp\"}",
            "{level: High, message|startswith: error}", "{level: High, correlation|exists: false}",
            "{level: High, server: WFE}", "{category: Gen}", "{event_id: 8nca, level: Medium}",
            "{event_id: 8nca, message|contains|none: [nothing, pages]}", "{event_id: 8nca, message|re|none: error=x$}",
            "{event_id: 8nca, message|startswith|none: [a, application]}", "{event_id: 8nca, category|none: general}",
            "{level|none: [Medium, High]}", "{event_id|none: [8nca, xmnv], level: High}",
            "{level: High, message|re: \"^error\"}", "{level: High, execution_ms|exists: true}",
        ]
    )
    func `A different event does not satisfy the condition`(conditions: String) throws {
        #expect(try !matches(conditions, row))
    }

    @Test func `Conditions can compare the duration of a scope`() throws {
        let leaving = Row(
            1,
            "b4ly",
            "Medium",
            "Leaving Monitored Scope (Request (GET:http://w/)). Execution Time=145.02"
        )
        #expect(try matches("{event_id: b4ly, execution_ms|gte: 145}", leaving))
        #expect(try !matches("{event_id: b4ly, execution_ms|gte: 146}", leaving))
        #expect(try matches("{event_id: b4ly, execution_ms|lte: 145.1}", leaving))
    }

    @Test func `Non-ASCII letters are compared case-sensitively`() throws {
        let german = Row(1, "tkau", "Unexpected", "Zugriff verweigert: Größe")
        #expect(try matches("{event_id: tkau, message|contains: GRÖßE}", german) == false)
        #expect(try matches("{event_id: tkau, message|contains: größe}", german))
    }

    @Test func `A message without columns satisfies level and category conditions, but not event ID conditions`() throws
    {
        let text = "The EXECUTE permission was denied on the object 'x'.\n"
        let reader = LogReader(text: Array(text.utf8), name: "mail.txt")
        for (conditions, expected) in [
            ("{level|gte: High, message|contains: permission was denied}", "found"),
            ("{category: Database, message|contains: permission was denied}", "found"),
            ("{event_id: tkau, message|contains: permission was denied}", "passed"),
            ("{level: High, message|contains: permission was granted}", "passed"),
        ] {
            let rule = try RuleText.rule(select: "  s: \(conditions)", check: "  c: {count: {of: s, gte: 1}}")
            #expect(try Diagnosis(rules: RuleSet([rule])).report(on: reader).outcome == expected, "\(conditions)")
        }
    }

    @Test func `An event quoted with its ID matches rules even without a level or category`() throws {
        let text = "Source: SharePoint Foundation\nEvent ID: 5586\nDescription: Unknown SQL Exception 262 occurred.\n"
        let reader = LogReader(text: Array(text.utf8), name: "mail.txt")
        for (conditions, expected) in [
            ("{event_id: \"5586\", level|gte: High}", "found"),
            ("{event_id: \"5586\", category: Database, message|contains: exception 262}", "found"),
            ("{event_id: \"5586\", area: Disk}", "passed"),
            ("{event_id: \"5586\", message|contains: exception 263}", "passed"),
            ("{event_id: \"6398\", level|gte: High}", "passed"),
        ] {
            let rule = try RuleText.rule(select: "  s: \(conditions)", check: "  c: {count: {of: s, gte: 1}}")
            #expect(try Diagnosis(rules: RuleSet([rule])).report(on: reader).outcome == expected, "\(conditions)")
        }
    }

    @Test func `An excerpt with a level and a message satisfies other conditions only if its message matches`() throws {
        let reader = LogReader(text: Array("Verbose\t[Users] The account is unknown.\n".utf8), name: "mail.txt")
        for (conditions, expected) in [
            ("{level|gte: High, message|contains: account is unknown}", "found"),
            ("{category: Claims, message|contains: account is unknown}", "found"),
            ("{level|gte: High}", "passed"), ("{level: Verbose}", "found"),
            ("{event_id: ab1cd, message|contains: account is unknown}", "passed"),
        ] {
            let rule = try RuleText.rule(select: "  s: \(conditions)", check: "  c: {count: {of: s, gte: 1}}")
            #expect(try Diagnosis(rules: RuleSet([rule])).report(on: reader).outcome == expected, "\(conditions)")
        }
    }
}

import LogDiagnosis
import ULSLog

/// Diagnoses logs with a rule defined in a string, and with the library's own rules.
///
/// Usage: `OwnRule FILE|FOLDER...`
@main
struct OwnRule {
    static let rule = """
        schema: fastctl.rule/1
        id: FS5001
        slug: a-resource-file-is-missing
        revision: 1
        status: test
        title: A resource file is missing
        category: deployment
        select:
          missing:
            level|gte: High
            message|contains: ".resx"
        check:
          rows: {count: {of: missing, gte: 1}}
        verdicts:
          - {id: found, when: rows, severity: warning, confidence: likely, message: "{count} rows name a resource file"}
        explain: {what: "A resource file is missing.", why: "It was never deployed."}
        fix:
          - {step: "Deploy it."}
        """

    static func main() throws {
        var library = try RuleLibrary.builtIn()
        try library.add(yaml: rule)
        let report = try Diagnosis(rules: library.ruleSet())
            .report(on: LogReader(inputs: Array(CommandLine.arguments.dropFirst())))
        for finding in report.findings { print("\(finding.rule.id) \(finding.severity): \(finding.message)") }
    }
}

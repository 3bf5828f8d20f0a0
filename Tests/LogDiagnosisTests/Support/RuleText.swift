import LogDiagnosis
import ULSLog
import WebConfig

/// A rule around the parts that a test is about.
enum RuleText {
    static func rule(
        _ id: String = "FS1999",
        select: String = "",
        check: String,
        verdicts: String = "  - {id: found, when: c, severity: error, confidence: likely, message: \"found\"}",
        more: String = ""
    ) throws -> Rule {
        try Rule(yaml: yaml(id, select: select, check: check, verdicts: verdicts, more: more), file: "\(id).yaml")
    }

    static func yaml(
        _ id: String = "FS1999",
        select: String = "",
        check: String,
        verdicts: String = "  - {id: found, when: c, severity: error, confidence: likely, message: \"found\"}",
        more: String = ""
    ) -> String {
        """
        schema: fastctl.rule/1
        id: \(id)
        slug: a-test
        revision: 1
        status: test
        title: A test
        category: tests
        \(more)
        \(select.isEmpty ? "" : "select:\n" + select)
        check:
        \(check)
        verdicts:
        \(verdicts)
        explain: {what: "What.", why: "Why."}
        fix:
          - {step: "Do it."}
        """
    }
}

extension Diagnosis {
    /// The report of some rules on some rows.
    static func report(
        _ rules: [Rule],
        _ rows: [Row]?,
        _ configs: [WebConfigFile] = [],
        refused: [WebConfigError] = []
    ) throws -> DiagnosisReport {
        let diagnosis = Diagnosis(rules: try RuleSet(rules), configs: configs, refusedConfigs: refused)
        return try diagnosis.report(on: rows.map { LogText($0).reader() })
    }
}

extension DiagnosisReport {
    /// What became of the only rule: its verdict, `passed` or `not evaluated`.
    var outcome: String {
        if let finding = findings.first { return finding.verdict }
        return passed.isEmpty ? "not evaluated" : "passed"
    }
}

package import LogDiagnosis
package import ULSLog
package import WebConfig

/// A complete rule built from the parts that a test provides.
package enum RuleText {
    package static func rule(
        _ id: String = "FS1999",
        select: String = "",
        check: String,
        verdicts: String = "  - {id: found, when: c, severity: error, confidence: likely, message: \"found\"}",
        more: String = ""
    ) throws -> Rule {
        try Rule(yaml: yaml(id, select: select, check: check, verdicts: verdicts, more: more), file: "\(id).yaml")
    }

    package static func yaml(
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
    /// Returns the report of the rules about the rows.
    package static func report(
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
    /// The result of the only rule: its verdict, `passed` or `not evaluated`.
    package var outcome: String {
        if let finding = findings.first { return finding.verdict }
        return passed.isEmpty ? "not evaluated" : "passed"
    }
}

/// A log of a few rows, in the service's own format.
package struct LogText {
    package private(set) var text = ""

    package init(_ rows: [Row]) {
        for row in rows { text += row.line + "\r\n" }
    }

    package var bytes: [UInt8] { Array(text.utf8) }

    package func reader(_ name: String = "TEST-20260302-1000.log", jobs: Int = 1) -> LogReader {
        var reader = LogReader(text: bytes, name: name)
        reader.jobs = jobs
        return reader
    }
}

/// A row; values that a test does not specify are always the same.
package struct Row {
    package var seconds: Double
    package var eventID: String
    package var level = "Medium"
    package var area = "SharePoint Foundation"
    package var category = "General"
    package var message = ""
    /// The letter that represents a correlation.
    package var correlation: Character?
    package var process = "w3wp.exe (0x1A2C)"
    package var thread = "0x0A10"

    package init(
        _ seconds: Double,
        _ eventID: String,
        _ level: String = "Medium",
        _ message: String = "",
        _ correlation: Character? = nil,
        category: String = "General",
        process: String = "w3wp.exe (0x1A2C)",
        thread: String = "0x0A10"
    ) {
        self.seconds = seconds
        self.eventID = eventID
        self.level = level
        self.message = message
        self.correlation = correlation
        self.category = category
        self.process = process
        self.thread = thread
    }

    /// The time this many seconds after 10:00.
    fileprivate var line: String {
        let hundredths = Int((seconds * 100).rounded()) + 10 * 360_000
        let parts = [hundredths / 360_000, hundredths / 6000 % 60, hundredths / 100 % 60, hundredths % 100]
        let two = parts.map { ($0 < 10 ? "0" : "") + "\($0)" }
        let time = "03/02/2026 \(two[0]):\(two[1]):\(two[2]).\(two[3])"
        let id = correlation.map { LogText.guid($0) } ?? ""
        return [time + " ", process, thread, area, category, eventID, level, message, id].joined(separator: "\t")
    }
}

extension LogText {
    /// Returns the correlation that a letter represents.
    package static func guid(_ letter: Character) -> String {
        let digits = (0..<12).map { _ in String(letter.asciiValue.map { $0 % 10 } ?? 0) }.joined()
        return "5f1c2a00-0000-4000-8000-\(digits)"
    }
}

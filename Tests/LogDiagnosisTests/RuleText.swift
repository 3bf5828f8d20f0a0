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

/// A log of a few rows, written as the service writes them.
struct LogText {
    private(set) var text = ""

    init(_ rows: [Row]) {
        for row in rows { text += row.line + "\r\n" }
    }

    var bytes: [UInt8] { Array(text.utf8) }

    func reader(_ name: String = "TEST-20260302-1000.log", jobs: Int = 1) -> LogReader {
        var reader = LogReader(text: bytes, name: name)
        reader.jobs = jobs
        return reader
    }
}

/// A row: what a test does not say is the same everywhere.
struct Row {
    var seconds: Double
    var eventID: String
    var level = "Medium"
    var area = "SharePoint Foundation"
    var category = "General"
    var message = ""
    /// A letter for a correlation.
    var correlation: Character?
    var process = "w3wp.exe (0x1A2C)"
    var thread = "0x0A10"

    init(
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

    /// 10 o'clock and so many seconds.
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
    /// The correlation of a letter.
    static func guid(_ letter: Character) -> String {
        let digits = (0..<12).map { _ in String(letter.asciiValue.map { $0 % 10 } ?? 0) }.joined()
        return "5f1c2a00-0000-4000-8000-\(digits)"
    }
}

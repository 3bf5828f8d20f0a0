import LogTestSupport
import TestSupport
import Testing

@testable import LogDiagnosis
@testable import ULSLog
@testable import ULSRows

/// Rows that are noise, one by one.
struct NoiseRulesTests {
    @Test(arguments: [
        ("Unexpected", "abnwk", "System.TimeoutException: late", "FS9101"),
        ("Unexpected", "7v48", "anything", "FS9102"),
        ("High", "0000", "all is well", "FS9104"), ("High", "0000", "System.Exception: no", nil),
        ("Unexpected", "tkau", "System.TimeoutException: late", nil),
    ])
    func `A row is noise if a noise rule matches it, even if other rules also match`(
        level: String,
        eventID: String,
        message: String,
        rule: String?
    ) throws {
        let noise = try RowRules(.builtIn())
        var found: [String?] = []
        let reader = LogReader(text: LogText([Row(0, eventID, level, message, "a")]).bytes, name: "WFE1.log")
        _ = try reader.forEachEvent(in: .files) { found.append(noise.rule(for: $0)?.id.text) }
        #expect(found == [rule])
    }

    @Test func `A row is examined by the chosen rules alone`() throws {
        let message = "SqlException: The SELECT permission was denied on the object 'A', database 'B', schema 'dbo'."
        let rules = try RowRules(.builtIn()) { $0.id.text == "FS1049" }
        var found: [String?] = []
        let rows = [Row(0, "880i", "High", message, "a"), Row(1, "7v48", "Unexpected", "anything", "a")]
        let reader = LogReader(text: LogText(rows).bytes, name: "WFE1.log")
        _ = try reader.forEachEvent(in: .files) { found.append(rules.rule(for: $0)?.id.text) }
        #expect(found == ["FS1049", nil])
    }
}

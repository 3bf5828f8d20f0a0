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
        let noise = try NoiseRules(.builtIn())
        var found: [String?] = []
        let reader = LogReader(text: LogText([Row(0, eventID, level, message, "a")]).bytes, name: "WFE1.log")
        _ = try reader.forEachEvent(in: .files) { found.append(noise.rule(for: $0)?.id.text) }
        #expect(found == [rule])
    }
}

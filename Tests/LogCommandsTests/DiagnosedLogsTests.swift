import LogCommands
import LogDiagnosis
import LogReports
import Redaction
import Testing

@testable import ULSLog

struct DiagnosedLogsTests {
    @Test func `A value that a request repeats is counted once, and is masked as in the report`() throws {
        let event = ULSEvent(
            time: .none,
            place: .init(file: "a.log", line: 1, lineEnd: 1),
            columns: [.eventID: "8nca", .level: "High", .message: #"Denied to CONTOSO\annsmith"#]
        )
        let request = RequestTrace(
            correlation: "9446a0f0-1577-472e-a8af-a552b1b4cc39",
            name: nil,
            events: [event],
            roots: [.event(0)],
            duration: nil
        )
        var report = DiagnosisReport()
        report.farmNotes = [#"CONTOSO\annsmith is the farm's account"#]
        var redactor = Redactor()
        let masked = DiagnosedLogs(report: report, requests: [request]).redacted(by: &redactor)
        #expect(masked.requests[0].events[0].text(.message) == #"Denied to domain-1\user-1"#)
        #expect(masked.report.farmNotes == [#"domain-1\user-1 is the farm's account"#])
        // Both contain a domain and a user.
        #expect(redactor.summary.values == 4)
        #expect(masked.report.redaction?.values == 4)
    }
}

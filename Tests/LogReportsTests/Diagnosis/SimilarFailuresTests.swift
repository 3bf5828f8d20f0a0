import Foundation
import LogDiagnosis
import LogReports
import Neighbors
import ReportKit
import Testing

/// Known failures with similar texts, in explanations and in reports.
struct SimilarFailuresTests {
    private let near = "Cannot upgrade the ReportingServices object SearchAdminDatabase today"

    private func written(_ failure: ExplainedFailure, as form: OutputForm) -> String {
        var bytes: [UInt8] = []
        FailureExplanationRenderer.append([failure], as: form, TextLayout(width: 400), to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `An unknown text remains unknown, but shows a similar rule as possible`() throws {
        let failure = ExplainedFailure(answerTo: near)
        #expect(failure.isEmpty && failure.looksLike.first?.rule == "FS1051")
        #expect(written(failure, as: .text).contains("  similar    (possible) FS1051 An object in the farm"))
        let json = Data(written(failure, as: .json).utf8)
        let object = try #require((JSONSerialization.jsonObject(with: json) as? [[String: Any]])?.first)
        let first = try #require((object["looksLike"] as? [[String: Any]])?.first)
        #expect(object["known"] as? Bool == false && first["confidence"] as? String == "possible")
        #expect(first["rule"] as? String == "FS1051" && (first["shared"] as? [String])?.count == 3)
        #expect(ExplainedFailure.unknownPaste(near).looksLike == failure.looksLike)
    }

    @Test func `A row without a failure, a code, and a text with a known cause show nothing similar`() {
        #expect(ExplainedFailure(answerTo: near).quiet.looksLike.isEmpty)
        #expect(ExplainedFailure(answerTo: "0x80070005").looksLike.isEmpty)
        #expect(ExplainedFailure(answerTo: "Access is denied").looksLike.isEmpty)
    }

    @Test func `A kind of rows without a cause shows similar rules in every report, with the same severity`() throws {
        var report = try DiagnosisFixtures.clusters()
        #expect(report.unexplained[0].looksLike.isEmpty)
        report.unexplained[0].example.text = near
        report.unexplained[0].explanation.usually = []
        #expect(report.unexplained[0].looksLike.first?.rule == "FS1051")
        for form: OutputForm in [.text, .json, .ndjson, .markdown, .html, .sarif] {
            let text = rendered(report, as: form, DiagnosisFixtures.options)
            #expect(text.contains("FS1051") && text.contains("searchadmindatabase"), "\(form)")
        }
        #expect(report.unexplained[0].severity == .warning)
    }
}

import Foundation
import LogDiagnosis
import LogReports
import ReportKit
import TestSupport
import Testing
import TextKit

@testable import ULSLog
@testable import ULSRows

struct LogConclusionTests {
    private func file(
        _ name: String,
        records: Int = 3,
        from first: Int64? = 0,
        until last: Int64? = 60_000
    ) -> SourceReport {
        var file = SourceReport(name: name, server: "WFE1")
        file.records = records
        file.firstTime = first.map { LogTime(clock: $0, quality: .exact) }
        file.lastTime = last.map { LogTime(clock: $0, quality: .exact) }
        return file
    }

    private func outcome(events: Int, rows: Int, files: [SourceReport]) -> LogOutcome {
        var quality = ReadQuality()
        (quality.lines, quality.records) = (rows, rows)
        return LogOutcome(events: events, files: files, quality: quality)
    }

    @Test func `The last sentence counts events, rows and files`() {
        let conclusion = LogConclusion(outcome(events: 1219, rows: 1220, files: [file("a.log")]))
        #expect(conclusion.lines == ["1219 events of 1220 rows in 1 file (0.0 s)"])
        #expect(conclusion.status == .done)
    }

    @Test func `Files outside the window are not counted as read`() {
        var skipped = file("b.log", records: 0, from: nil)
        skipped.isSkipped = true
        let conclusion = LogConclusion(outcome(events: 1, rows: 3, files: [file("a.log"), skipped]))
        #expect(conclusion.sentence == "1 event of 3 rows in 1 file (0.0 s)")
    }

    @Test func `An empty result is valid, and states the times that each server's logs cover`() {
        let conclusion = LogConclusion(
            outcome(events: 0, rows: 3, files: [file("a.log"), file("b.log", from: -60_000)])
        )
        #expect(conclusion.status == .done)
        #expect(conclusion.sentence == "nothing found: none of 3 rows in 2 files (0.0 s)")
        #expect(conclusion.remarks.count == 1)
        #expect(conclusion.remarks.first?.contains("WFE1") == true)
        #expect(conclusion.remarks.first?.contains("1969-12-31T23:59:00.00Z") == true)
    }

    @Test func `The filter that excluded everything is named before the times that the logs cover`() {
        var outcome = outcome(events: 0, rows: 3, files: [file("a.log")])
        outcome.emptiness = EmptySelection([.init("of server", "WFE9", isServer: true)])
        let conclusion = LogConclusion(outcome)
        #expect(conclusion.remarks.first == "no row of server 'WFE9': the logs have WFE1")
        #expect(conclusion.remarks.count == 2)
        #expect(conclusion.status == .done)
        outcome.failsAsEmpty = true
        #expect(LogConclusion(outcome).status == .inputRejected)
        outcome.emptiness = EmptySelection([.init("in the window --since 2030-01-01", nil)])
        #expect(LogConclusion(outcome).remarks.first == "no row in the window --since 2030-01-01")
    }

    @Test func `If a search relative to now finds no events, the remark states when the logs end`() {
        var outcome = outcome(events: 0, rows: 3, files: [file("a.log", until: 3_600_000)])
        outcome.reachFromNow = 900_000
        let advice = LogConclusion(outcome).remarks.last
        #expect(advice?.contains("the logs end at 1970-01-01T01:00:00.00Z") == true)
        #expect(advice?.hasSuffix("--since 1970-01-01T00:45:00.00Z") == true)
        outcome.events = 1
        #expect(LogConclusion(outcome).remarks.isEmpty)
    }

    @Test(arguments: [
        ("a.*b", true), (#"\d+"#, true), ("^at", true), ("at$", true), ("a|b", true), ("[0-9]+", true), ("(?:a)", true),
        (#"a\.b"#, true), ("a.b", false), (#"C:\\x"#, false), ("[Forced due to logging]", false), ("100%", false),
        ("$", false), ("a?", false), ("{0}", false),
    ])
    func `If text that looks like an expression is not found, a hint suggests --match`(text: String, looks: Bool) {
        var outcome = outcome(events: 0, rows: 3, files: [file("a.log")])
        outcome.texts = [text]
        #expect(LogConclusion(outcome).remarks.contains { $0.contains("--match '\(text)'") } == looks)
        outcome.events = 1
        #expect(LogConclusion(outcome).remarks.isEmpty)
    }

    @Test func `Input without any event is rejected`() {
        let conclusion = LogConclusion(outcome(events: 0, rows: 0, files: [file("a.txt", records: 0, from: nil)]))
        #expect(conclusion.status == .inputRejected)
        #expect(conclusion.sentence == "no events in 1 file (0.0 s)")
    }

    @Test func `Logs that a window excludes are accepted, but a file without rows is rejected`() {
        var skipped = file("b.log", records: 0, from: nil)
        skipped.isSkipped = true
        var emptied = outcome(events: 0, rows: 0, files: [skipped])
        emptied.hasWindow = true
        #expect(LogConclusion(emptied).status == .done)
        var letter = outcome(events: 0, rows: 0, files: [file("letter.txt", records: 0, from: nil)])
        letter.hasWindow = true
        #expect(LogConclusion(letter).status == .inputRejected)
    }

    @Test func `Lines that were not understood are reported, but are not a failure`() {
        var outcome = outcome(events: 3, rows: 3, files: [file("a.log")])
        (outcome.quality.lines, outcome.quality.notUnderstood) = (5, 2)
        let conclusion = LogConclusion(outcome)
        #expect(conclusion.status == .done)
        #expect(conclusion.sentence.contains("; 2 lines not understood ("))
    }

    @Test func `Input with a file that was not read to its end is rejected`() {
        var broken = file("a.log.gz")
        broken.isIncomplete = true
        broken.notes = ["the archive ends early: copy it again"]
        let conclusion = LogConclusion(outcome(events: 3, rows: 3, files: [broken]))
        #expect(conclusion.status == .inputRejected)
        #expect(conclusion.remarks.first == "a.log.gz: the archive ends early: copy it again")
    }

    @Test func `Line counts that do not add up are always reported as a bug`() {
        var outcome = outcome(events: 3, rows: 3, files: [file("a.log")])
        outcome.quality.lines = 4
        #expect(LogConclusion(outcome).status == .unbalanced)
    }

    @Test func `A remark that the results already contain is not repeated`() {
        var outcome = outcome(events: 3, rows: 3, files: [file("a.log")])
        outcome.quality.reach(.messageBytes, times: 2)
        #expect(LogConclusion(outcome).remarks.count == 1)
        outcome.tellsNotes = true
        #expect(LogConclusion(outcome).remarks.isEmpty)
    }

    @Test func `If reading stops at its limit, only that is reported`() {
        let conclusion = LogConclusion(LogOutcome(limitedTo: 2))
        #expect(conclusion.lines == ["stopped after 2 events (0.0 s)"])
        #expect(conclusion.status == .done)
    }
}

import Foundation
import TestSupport
import Testing

@testable import ULSLog
@testable import ULSRows

@Suite(.enabled(if: SampleLogs.folder != nil, "FASTCTL_SAMPLES names no folder"))
struct SampleEventTests {
    @Test func `A request in three formats yields the same events`() throws {
        let native = try ReadLog([Samples.path("000c")])
        let blanks = try ReadLog([Samples.path("000")])
        let damaged = try ReadLog([Samples.path("000b")])
        for other in [blanks, damaged] {
            #expect(other.times == native.times)
            for column in ULSEvent.Column.allCases where column != .message {
                #expect(other.texts(column) == native.texts(column), "\(column)")
            }
        }
        #expect(blanks.messages == native.messages)
        // Four messages name files, and the backslashes in their paths were lost.
        #expect(zip(damaged.messages, native.messages).count { $0 != $1 } == 4)
    }

    @Test func `Rows without a correlation are distinguished from rows with one`() throws {
        let log = try ReadLog([Samples.path("003")])
        // `grep -c $'\t$'`: these have an empty last column.
        #expect(log.texts(.correlation).count { $0.isEmpty } == 82)
        #expect(log.summary.correlationCount == Set(log.texts(.correlation)).count - 1)
        #expect(log.events.contains { $0.text(.area).isEmpty && $0.text(.category) == "0xEB2D003" })
        #expect(log.texts(.category).contains("End-to-end Office Performance T"))
        #expect(Set(log.texts(.process)) == ["w3wp.exe"])
    }

    @Test func `A message that begins with dots is not part of another message`() throws {
        let log = try ReadLog([Samples.path("003")])
        #expect(log.messages[1067].hasPrefix("... registering worker"))
        #expect(log.events[1067].place.line == 1068)
    }

    @Test func `Split messages of a published log are joined`() throws {
        let log = try ReadLog([Samples.path("010")])
        #expect(log.events.map(\.parts) == [1, 1, 1, 2, 2, 3, 1, 1, 3])
        #expect(log.lines == [1, 2, 3, 4, 6, 8, 11, 12, 13])
        #expect(log.events.map(\.place.lineEnd) == [1, 2, 3, 5, 7, 10, 11, 12, 15])
        #expect(log.messages.map(\.count) == [95, 125, 116, 1110, 1201, 1760, 281, 458, 1820])
        #expect(log.messages.allSatisfy { !$0.contains("......") && !$0.hasSuffix("...") && !$0.hasPrefix("...") })
    }

    @Test func `Nineteen rows are in UTC, and the last is in local time`() throws {
        let log = try ReadLog([Samples.path("002")])
        #expect(log.events.map(\.isUTCLayout) == Array(repeating: true, count: 19) + [false])
        #expect(log.events.map(\.time.quality) == Array(repeating: .exact, count: 19) + [.local])
        #expect(log.times[3...4] == ["2021-02-02T07:27:58.16Z", "2021-02-02T07:27:58.12Z"])
        #expect(log.texts(.process)[19] == "OWSTIMER.EXE")
        #expect(log.texts(.process)[0] == "w3wp.exe#PPTConversionService")
    }

    @Test func `Rows with eight and with nine columns are read in the same log`() throws {
        let log = try ReadLog([Samples.path("016")])
        #expect(log.texts(.eventID) == ["tkau", "b4ly"])
        #expect(log.texts(.correlation).map(\.isEmpty) == [false, true])
    }

    @Test(arguments: ["051", "054", "060", "085"]) func `Columns separated by tabs do not have to be inferred`(
        sample: String
    ) throws {
        let log = try ReadLog([Samples.path(sample)])
        #expect(log.events.allSatisfy { !$0.isInferred && $0.text(.processID).hasPrefix("0x") })
        #expect(log.events.allSatisfy { $0.time.quality == .local && $0.level.isKnown })
    }

    @Test func `All logs are merged by time`() throws {
        let all = try ["000c", "001", "002", "003", "010", "016", "051", "054", "060", "085"].map(Samples.path)
        let merged = try ReadLog(all, in: .time)
        #expect(merged.events.count == 17 + 17 + 20 + 1219 + 9 + 2 + 14 + 3 + 1 + 10)
        let files = try ReadLog(all)
        for path in all {
            // The order of each file is kept.
            let one = merged.events.filter { $0.place.file == path }
            #expect(one == files.events.filter { $0.place.file == path })
        }
        // Exceptions are the rows after those two that are newer than the next row in their own file.
        let instants = merged.events.map(\.time.instant)
        #expect(zip(instants, instants.dropFirst()).count { $0 > $1 } == 2)
    }

    @Test func `A whole folder is read at once`() throws {
        let folder = try #require(SampleLogs.folder)
        let reader = LogReader(inputs: [folder])
        var events = 0
        let report = try reader.forEachEvent(in: .files) { _ in events += 1 }
        #expect(events == SampleAccountTests.accounts.reduce(0) { $0 + $1.events })
        #expect(report.files.count == SampleAccountTests.accounts.count)
        #expect(report.quality.balances)
        #expect(try reader.summary().events == events)
    }

    @Test(arguments: ["000c", "001", "003", "010", "051"])
    func `The trace of a request contains all its rows`(sample: String) throws {
        let log = try ReadLog([Samples.path(sample)])
        let id = try #require(log.summary.correlations.first?.id.description)
        let pattern = try #require(CorrelationPattern(id))
        let (traces, report) = try LogReader(inputs: [Samples.path(sample)]).traces(of: pattern)
        #expect(traces.map(\.correlation) == [id])
        #expect(report.events == log.texts(.correlation).count { $0 == id })
        let trace = try #require(traces.first)
        #expect(trace.events.count { $0.text(.correlation) == id } == report.events)
        #expect(trace.occurrences.allSatisfy { $0 == 1 })
    }
}

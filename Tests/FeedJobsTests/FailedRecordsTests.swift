import ContentFeeding
import FeedFormats
import Foundation
import JobJournal
import TestSupport
import Testing

@testable import FeedJobs

/// The file of records that failed.
struct FailedRecordsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ failures: [DocumentFailure]) async throws -> (sentence: String?, file: String?) {
        let (input, output) = (folder.path("all.jsonl"), folder.path("failed.jsonl"))
        let lines = failures.indices.map { #"{"id":"n\#($0)","views":{"$inc":1}}"# + "\n" }
        try lines.joined().write(toFile: input, atomically: true, encoding: .utf8)
        let records = try FailedRecords(output)
        var next = OperationID.first
        for (place, failure) in failures.enumerated() {
            let outcome = OperationOutcome(
                operationID: next,
                kind: .update,
                documentID: try DocumentID("n\(place)"),
                outcome: .failed,
                issue: .error(failure)
            )
            // A resumed job reports the outcomes of its own run and those in its journal, which overlap.
            records.note([outcome])
            records.note([outcome])
            next = next.next
        }
        let pending = PendingInput(sources: [.file(input)], format: .jsonLines())
        let sentence = try await records.write(from: pending, nil, for: .update)
        let file = try? String(contentsOfFile: output, encoding: .utf8)
        return (sentence?.replacing(output, with: "FILE"), file)
    }

    @Test func `An update that may have been applied is not offered to run again`() async throws {
        let some = try await write([.perhapsCounted, DocumentFailure(.rejectedByEngine, "no")])
        #expect(
            some.sentence
                == "1 record to run again is in FILE; 1 operation that may have been applied already is not in it: check the "
                + "document"
        )
        #expect(some.file == #"{"id":"n1","views":{"$inc":1}}"# + "\n")
    }

    @Test func `If all failed updates may have been applied, the report names their number, and no file`() async throws
    {
        let all = try await write([.perhapsCounted, .perhapsCounted])
        #expect(
            all.sentence
                == "FILE was not written: 2 operations may have been applied already, and running them again could apply "
                + "them twice; check their documents"
        )
        #expect(all.file == nil)
    }

    @Test func `Retrying a job does not send an update again that may have been applied`() throws {
        func outcomes(_ failures: [DocumentFailure]) -> [OperationOutcome] {
            failures.map {
                OperationOutcome(
                    operationID: .first,
                    kind: .update,
                    documentID: "n",
                    outcome: .failed,
                    issue: .error($0)
                )
            }
        }
        let job = JobID(rawValue: "K7Z3")
        let refused = DocumentFailure(.rejectedByEngine, "no")
        let some = try FailedOperations.repeatable(outcomes([.perhapsCounted, refused]), of: job, missing: 0)
        #expect(some.issues == outcomes([refused]))
        #expect(some.remark?.hasPrefix("1 operation that may have been applied already is not sent again") == true)
        #expect(try FailedOperations.repeatable(outcomes([refused]), of: job, missing: 0).remark == nil)
        let refusals: [(failures: [DocumentFailure], missing: Int, reason: String)] = [
            ([.perhapsCounted], 0, "each failed"), ([], 2, "2 documents were missing"),
        ]
        for (failures, missing, reason) in refusals {
            let error = #expect(throws: JobError.self) {
                try FailedOperations.repeatable(outcomes(failures), of: job, missing: missing)
            }
            #expect(error?.message.contains(reason) == true)
        }
    }
}

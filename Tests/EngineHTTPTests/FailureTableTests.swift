import ContentFeeding
import EngineHTTP
import HTTPClient
import Testing

/// The table from every failure to what is done about it: one test for each row.
struct FailureTableTests {
    @Test(arguments: FailureRows.all)
    func aFailureIsWhatTheTableSays(row: FailureRows.Row) {
        let batch = BatchFailure(row.trouble)
        #expect(batch.kind == row.kind)
        #expect(batch.failure.disposition == row.disposition)
        let error = EngineError(row.trouble)
        #expect(error.code == row.code)
        let sentence = error.message + "; " + (error.advice ?? "")
        // A batch says the same in one sentence.
        #expect(batch.failure.message == sentence)
        for words in row.words { #expect(sentence.contains(words)) }
        #expect(sentence.contains("https://es1:9200"))
        #expect(!sentence.contains { $0.isNewline })
    }

    @Test func noStatusAndNoComplaintIsWithoutARow() {
        let kinds: [EngineComplaint.Kind?] = [
            nil, .throttled, .blocked, .missingCollection, .tooLarge, .malformed, .conflict, .forbidden, .other,
        ]
        for status in 200...599 {
            for kind in kinds {
                let failure = BatchFailure(FailureRows.refused(status, kind))
                // Nothing but the engine's own word makes a collection missing.
                #expect(
                    (failure.kind == .stop(.missingCollection))
                        == (kind == .missingCollection && status != 401 && status != 407)
                )
                // A refusal of rights is one, whatever else is said.
                if status == 401 { #expect(failure.kind == .stop(.permission)) }
            }
        }
    }
}

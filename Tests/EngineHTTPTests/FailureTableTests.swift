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

    @Test(arguments: [
        ("http", HTTPFailure.Delivery.maybeSent, nil as Int?, true), ("https", .maybeSent, nil, false),
        ("http", .notSent, nil, false), ("http", .maybeSent, 200, false),
    ])
    func whoHangsUpWithoutAWordMayWantHTTPS(
        scheme: String,
        delivery: HTTPFailure.Delivery,
        status: Int?,
        isSaid: Bool
    ) throws {
        let scheme = try #require(NodeAddress.Scheme(rawValue: scheme))
        let node = NodeAddress(scheme: scheme, host: "es1", port: 9200)
        let cause = HTTPFailure(.connectionLost, delivery, "Empty reply from server", status: status)
        let advice = try #require(EngineError(.noReply(EngineFailure(node: node, cause: cause))).advice)
        #expect(advice.contains("+https") == isSaid && advice.contains("log"))
    }

    @Test(arguments: ["/login?token=secret", "https://sso.example/login#token=secret", "?token=secret"])
    func whatMayBeATokenInARedirectIsNotShown(location: String) {
        let failure = BatchFailure(FailureRows.refused(302, location: location))
        #expect(!failure.failure.message.contains("secret") && failure.kind == .stop(.missingTarget))
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

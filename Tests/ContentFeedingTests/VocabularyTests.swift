import ContentFeeding
import Testing

struct DocumentIDTests {
    @Test func theSameLetterInTwoFormsIsTwoDocuments() throws {
        let composed: DocumentID = "caf\u{E9}"
        let decomposed: DocumentID = "cafe\u{301}"
        #expect(composed.text == decomposed.text)
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(decomposed < composed)
    }

    @Test(arguments: [
        ("", InvalidDocumentID.Reason.empty), ("a\0b", .holdsNUL),
        (String(repeating: "x", count: DocumentID.maximumByteCount + 1), .tooLong),
    ])
    func someTextIsNoID(text: String, reason: InvalidDocumentID.Reason) {
        let error = #expect(throws: InvalidDocumentID.self) { try DocumentID(text) }
        #expect(error?.reason == reason)
        let bytes = Array(text.utf8)
        let again = #expect(throws: InvalidDocumentID.self) { try DocumentID(utf8: bytes.span) }
        #expect(again?.reason == reason)
    }

    @Test func bytesThatAreNotUTF8AreNoID() {
        let bytes: [UInt8] = [0x61, 0xFF]
        let error = #expect(throws: InvalidDocumentID.self) { try DocumentID(utf8: bytes.span) }
        #expect(error?.reason == .notUTF8)
    }

    @Test func theLongestIDIsOne() throws {
        let text = String(repeating: "x", count: DocumentID.maximumByteCount)
        #expect(try DocumentID(text).text.utf8.count == 64 << 10)
    }
}

struct InternalIDTests {
    @Test func aMissingDocumentIsCalledByItsInternalID() {
        let text = DocumentFailure.missing.description(of: "FAKEID", in: "WebCollection")
        #expect(text == "Document e14c677abdbd9678dbfe1e5580de9aef_WebCollection does not exist")
    }

    @Test func onlyTheMissingDocumentHasANumber() {
        #expect(DocumentFailure.Code.documentMissing.number == 3)
        #expect(DocumentFailure.Code.rejectedByEngine.number == nil)
    }
}

struct FeedProgressTests {
    @Test func bitsSayWhatIsSettled() {
        let progress = FeedProgress(
            job: JobID(rawValue: "J"),
            lowestUnsettled: OperationID(rawValue: 10),
            settled: [0b0000_0110, 0b0000_0001]
        )
        let settled = (1...30).filter { progress.isSettled(OperationID(rawValue: $0)) }
        #expect(settled == Array(1...9) + [11, 12, 18])
        #expect(progress.highestSettled?.rawValue == 18)
    }
}

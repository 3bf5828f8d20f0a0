import ContentFeeding
import TestSupport
import Testing

struct DocumentIDTests {
    @Test func `An ID in two Unicode forms names two different documents`() throws {
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
    func `Text that is empty, too long or contains NUL is not a valid ID`(
        text: String,
        reason: InvalidDocumentID.Reason
    ) {
        let error = #expect(throws: InvalidDocumentID.self) { try DocumentID(text) }
        #expect(error?.reason == reason)
        let bytes = Array(text.utf8)
        let again = #expect(throws: InvalidDocumentID.self) { try DocumentID(utf8: bytes.span) }
        #expect(again?.reason == reason)
    }

    @Test func `Bytes that are not UTF-8 are not a valid ID`() {
        let bytes: [UInt8] = [0x61, 0xFF]
        let error = #expect(throws: InvalidDocumentID.self) { try DocumentID(utf8: bytes.span) }
        #expect(error?.reason == .notUTF8)
    }

    @Test func `An ID of the maximum length is valid`() throws {
        let text = String(repeating: "x", count: DocumentID.maximumByteCount)
        #expect(try DocumentID(text).text.utf8.count == 64 << 10)
    }
}

struct InternalIDTests {
    @Test func `The message about a missing document contains its internal ID`() {
        let text = DocumentFailure.missing.description(of: "FAKEID", in: "WebCollection")
        #expect(text == "Document e14c677abdbd9678dbfe1e5580de9aef_WebCollection does not exist")
    }

    @Test func `Only the error for a missing document has an error number from FAST`() {
        #expect(DocumentFailure.Code.documentMissing.number == 3)
        #expect(DocumentFailure.Code.rejectedByEngine.number == nil)
    }
}

struct FeedProgressTests {
    @Test func `A bit map records which operations are settled`() {
        let progress = FeedProgress(
            job: JobID(rawValue: "J"),
            lowestUnsettled: OperationID(rawValue: 10),
            settled: [0b0000_0110, 0b0000_0001]
        )
        let settled = (1...30).filter { progress.isSettled(OperationID(rawValue: $0)) }
        #expect(settled == Array(1...9) + [11, 12, 18])
        #expect(progress.highestSettled?.rawValue == 18)
    }

    @Test func `Merged progress covers input that either batch sent after the position`() {
        func progress(_ first: UInt64, sentThrough byte: UInt64?) -> FeedProgress {
            FeedProgress(
                job: JobID(rawValue: "J"),
                offset: InputOffset(source: 0, byte: 10 * first),
                sentThrough: byte.map { InputMark(InputOffset(source: 0, byte: $0), digest: [UInt8($0)]) },
                firstOperation: OperationID(rawValue: first),
                lowestUnsettled: OperationID(rawValue: first)
            )
        }
        let cases: [((UInt64, UInt64?), (UInt64, UInt64?), UInt64?)] = [
            ((1, 30), (2, 20), 30), ((1, 30), (1, 40), 40), ((1, nil), (1, 40), 40), ((1, nil), (1, nil), nil),
            ((1, 30), (3, nil), nil), ((1, 25), (3, 50), 50), ((1, 10), (1, 9), nil),
        ]
        for (one, other, expected) in cases {
            let (one, other) = (progress(one.0, sentThrough: one.1), progress(other.0, sentThrough: other.1))
            for union in [one.union(other), other.union(one)] {
                #expect(union.sentThrough?.offset.byte == expected, "\(one), \(other)")
                #expect(union.sentThrough?.digest == expected.map { [UInt8($0)] })
            }
        }
    }
}

struct DocumentIDPagesTests {
    /// IDs of all lengths around the limits of pages and IDs, in random order.
    @Test(arguments: 0..<10)
    func `IDs that share memory keep their text`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let lengths = [1, 2, 15, 16, 31, 200, 511, 512, 513, 4095, 4096, 4097, DocumentID.maximumByteCount]
        let pages = DocumentIDPages()
        var texts: [String] = []
        var ids: [DocumentID] = []
        for _ in 0..<500 {
            let count = lengths[
                Int.random(in: 0..<(Int.random(in: 0..<20, using: &random) == 0 ? 13 : 8), using: &random)
            ]
            let letter = String(UnicodeScalar(UInt8.random(in: 0x21...0x7E, using: &random)))
            texts.append(String(repeating: letter, count: count))
            ids.append(try pages.id(utf8: Array(texts[texts.count - 1].utf8).span))
        }
        for (text, id) in zip(texts, ids) {
            #expect(id.text == text)
            #expect(id.byteCount == text.utf8.count)
            #expect(try id == DocumentID(text))
            #expect(try Set([id]) == [DocumentID(text), id.detached()])
        }
    }

    @Test func `An ID stays valid after its source and its neighbors are released`() throws {
        var kept: [DocumentID] = []
        for round in 0..<100 {
            let pages = DocumentIDPages()
            for number in 0..<50 {
                let id = try pages.id(utf8: Array("round \(round), number \(number)".utf8).span)
                if number == 17 { kept.append(round.isMultiple(of: 2) ? id : id.detached()) }
            }
        }
        #expect(kept.map(\.text) == (0..<100).map { "round \($0), number 17" })
    }

    @Test(arguments: [
        ([], InvalidDocumentID.Reason.empty), ([0x61, 0], .holdsNUL), ([0x61, 0xFF], .notUTF8),
        ([0xED, 0xA0, 0x80], .notUTF8),
        (Array(repeating: 0x61, count: DocumentID.maximumByteCount + 1), .tooLong),
    ])
    func `Bytes that are empty, too long, not UTF-8 or contain NUL are not a valid ID`(
        bytes: [UInt8],
        reason: InvalidDocumentID.Reason
    ) throws {
        let pages = DocumentIDPages()
        let error = #expect(throws: InvalidDocumentID.self) { try pages.id(utf8: bytes.span) }
        #expect(error?.reason == reason)
        #expect(error?.byteCount == bytes.count)
        // No part of it is kept.
        #expect(try pages.id(utf8: Array("b".utf8).span).text == "b")
    }

    /// Other tasks read, compare and hash IDs on a page while more IDs are written to it.
    @Test func `IDs on a page can be read while the page is being filled`() async throws {
        let (ids, give) = AsyncStream<(Int, DocumentID)>.makeStream()
        async let sum = withTaskGroup(of: Int.self) { group in
            for await (number, id) in ids {
                group.addTask { id.text == "ID \(number)" && id == id.detached() && Set([id]).contains(id) ? 1 : 0 }
            }
            return await group.reduce(0, +)
        }
        let pages = DocumentIDPages()
        for number in 0..<20_000 { give.yield((number, try pages.id(utf8: Array("ID \(number)".utf8).span))) }
        give.finish()
        #expect(await sum == 20_000)
    }

    /// IDs are ordered by their bytes, regardless of where the bytes are stored.
    @Test func `IDs are ordered by their bytes`() throws {
        let texts = ["a", "ab", "abc", "b", "é", "\u{65}\u{301}", "\u{10FFFF}", "Z", "~", "ab\u{1}"]
        let pages = DocumentIDPages()
        let ids = try texts.map { try pages.id(utf8: Array($0.utf8).span) }
        let expected = texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        #expect(ids.sorted().map(\.text) == expected)
    }
}

/// Updates with the whole document to add.
struct WholeDocumentTests {
    @Test func `The whole document is added, kept by copies and journals, and compared`() throws {
        let update = ContentOperation.update(Document(id: "a", json: Array(#"{"n":{"$inc":1}}"#.utf8)))
        let whole = Array(#"{"n":7}"#.utf8)
        let upsert = update.adding(whole)
        #expect(upsert != update && upsert.isCounting && upsert.byteCount == update.byteCount + whole.count)
        #expect(try upsert.addedDocument().json == whole)
        let routing = try #require(Routing("r"))
        let copy = upsert.routed(to: routing).only(.absent)
        #expect(copy.wholeDocument == whole && copy.json == update.json && copy.detached() == copy)
        for operation in [update, upsert] {
            let stored = Document(id: "a", json: operation.journalJSON)
            #expect(ContentOperation.update(journaled: stored) == operation)
        }
        let capabilities = EngineCapabilities()
        #expect(upsert.leaves(whole, in: capabilities) && !update.leaves(whole, in: capabilities))
        let digest = ContentDigest(of: whole, "a", in: capabilities)
        #expect(upsert.digest(ofResultOn: nil, addsMissing: true, in: capabilities) == digest)
        #expect(upsert.digest(ofResultOn: nil, in: capabilities) == nil)
    }
}

/// Both sides of a conflict, as contained in a message and as read from it.
struct ConflictSidesTests {
    private func failure(_ words: String) -> DocumentFailure { DocumentFailure(.versionConflict, words) }

    @Test(arguments: [
        #"{"n":1.50}"#, #"{"title":"; at the origin: removed; here: {}"}"#, "removed", #"{"a":{"b":["}",1]}}"#, "{}",
    ])
    func `The two sides of a conflict are read back as they were written`(here: String) {
        for origin in [#"{"n":2}"#, #"{"x":"; here: removed"}"#, "removed"] {
            let written = ConflictSides(
                here: here == "removed" ? nil : Array(here.utf8),
                origin: origin == "removed" ? nil : Array(origin.utf8)
            )
            let read = ConflictSides(failure("changed here and at the origin; both were merged" + written.words))
            #expect(read == written)
        }
    }

    @Test func `A truncated side or a failure of another kind is not read as a conflict`() {
        let long = Array("{\"text\":\"\(String(repeating: "x", count: 70_000))\"}".utf8)
        let cut = ConflictSides(here: nil, origin: long).words
        #expect(cut.hasSuffix("… (\(long.count) bytes)"))
        #expect(ConflictSides(failure(cut)) == nil)
        #expect(ConflictSides(failure(ConflictSides(here: long, origin: nil).words)) == nil)
        for words in [
            "", "the version differs", "; here: 1; at the origin: removed", "; here: removed; at the origin: ",
        ] {
            #expect(ConflictSides(failure(words)) == nil, "\(words)")
        }
        let words = ConflictSides(here: nil, origin: nil).words
        #expect(ConflictSides(DocumentFailure(.documentMissing, words)) == nil)
        #expect(ConflictSides(failure(words)) == ConflictSides(here: nil, origin: nil))
    }
}

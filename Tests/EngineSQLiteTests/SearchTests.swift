import ContentFeeding
import EngineSQLite
import TestSupport
import Testing

struct SearchTests {
    @Test func pagesEndByCountAndByBytes() async throws {
        let store = try await TestStore()
        defer { store.remove() }
        try await store.collection.apply((0..<501).map { .add(document("s\($0)", #"{"t":"small"}"#)) })
        let big = String(repeating: "x", count: 1_500_000)
        try await store.collection.apply((0..<5).map { .add(document("b\($0)", #"{"t":"large \#(big)"}"#)) }, job: "B")

        let first = try await store.collection.find(SearchQuery(words: ["small"]), after: nil)
        #expect(first.documents.count == 500)
        let second = try await store.collection.find(SearchQuery(words: ["small"]), after: first.next)
        #expect(second.documents.map(\.id) == ["s500"] && second.next == nil)

        let large = try await store.collection.find(SearchQuery(words: ["large"]), after: nil)
        #expect(large.documents.map(\.id) == ["b0", "b1", "b2"] && large.next != nil)
        let rest = try await store.collection.find(SearchQuery(words: ["large"]), after: large.next)
        #expect(rest.documents.map(\.id) == ["b3", "b4"] && rest.next == nil)

        let all = try await store.collection.find(SearchQuery(), after: second.next)
        #expect(all.documents.first?.id == "s0" && all.documents.first?.version == 1)
        let error = await #expect(throws: EngineError.self) {
            _ = try await store.collection.find(SearchQuery(), after: SearchCursor(rawValue: "x"))
        }
        #expect(error?.code == .rejected)
    }

    @Test func ordersByTheLastChange() async throws {
        let store = try await TestStore()
        defer { store.remove() }
        try await store.collection.apply(["a", "b", "c"].map { .add(document($0, #"{"t":"w"}"#)) })
        try await store.collection.apply([.update(document("a", #"{"n":1}"#))], job: "U")
        let found = try await store.collection.find(SearchQuery(words: ["w"]), after: nil).documents
        #expect(found.map(\.id) == ["b", "c", "a"])
        #expect(found.map(\.version) == [2, 3, 4])
    }

    @Test(arguments: [
        ("wi-fi", true), ("wifi", false), ("WI FI", true), ("2.5", true), ("straße", true), ("strasse", false),
        ("\u{F000}", false), ("end start", false), ("end \u{F000} start", false), ("a\0b", false), ("…", false),
        ("😀", false),
        ("e\u{301}t\u{E9}", true), ("日本", false), ("日本語", true),
    ])
    func wordsAreCutAsTheTextIs(word: String, isFound: Bool) async throws {
        let store = try await TestStore()
        defer { store.remove() }
        let json = ##"{"t":["Wi-Fi 2.5 Straße été 日本語 😀 a\u0000b end","start …"],"d":{"n":null}}"##
        try await store.collection.apply([.add(document("a", json))])
        for query in [SearchQuery(words: [word]), SearchQuery(phrases: [word])] {
            #expect(try await store.collection.find(query, after: nil).documents.count == (isFound ? 1 : 0))
        }
    }

    @Test func whatIsNoObjectIsRefusedAndTheRestOfTheBatchIsDone() async throws {
        let store = try await TestStore()
        defer { store.remove() }
        let results = try await store.collection.apply([
            .add(document("a", "[1]")), .add(document("b", "{}")), .add(document("c", #"{"a":"#)),
            .add(document("d", #"{"t":"\#(String(repeating: "y", count: 16 << 20))"}"#)),
        ])
        guard results.count == 4, case .failed(let first) = results[0], case .failed(let last) = results[3] else {
            Issue.record("answered with \(results.map { String(describing: $0).prefix(80) })")
            return
        }
        #expect(first.code == .rejectedByEngine && results[1] == .done(.added) && last.code == .documentTooLarge)
        #expect(try await store.collection.count() == 1)
    }
}

import ContentFeeding
import Testing

extension EngineContract {
    func finding(on target: ContractCollection) async throws {
        _ = try await target.apply(words.findable.sorted { $0.key < $1.key }.map { .add($0.key, $0.value) })

        func ids(_ query: SearchQuery) async throws -> [String] {
            try await target.find(query).map(\.id.text).sorted()
        }
        #expect(try await ids(SearchQuery()) == ["a", "b", "c", "d"])
        #expect(try await ids(SearchQuery(words: ["quick"])) == ["a", "b"])
        #expect(try await ids(SearchQuery(words: ["BROWN", "fox"])) == ["a", "b", "c"])
        #expect(try await ids(SearchQuery(words: ["fox", "nothing"])) == [])
        #expect(try await ids(SearchQuery(words: words.accented)) == ["b"])
        #expect(try await ids(SearchQuery(phrases: ["brown fox"])) == ["a"])
        #expect(try await ids(SearchQuery(phrases: ["slow food"])) == ["a"])
        #expect(try await ids(SearchQuery(words: ["quick"], phrases: ["brown dog"])) == ["b"])
        // No phrase reaches from one string into the next.
        #expect(try await ids(SearchQuery(phrases: ["red slow"])) == [])

        #expect(try await ids(SearchQuery(fields: [.init(name: words.color, value: "red")])) == ["c"])
        #expect(try await ids(SearchQuery(fields: [.init(name: "title", value: "brown")])) == ["c"])
        #expect(try await ids(SearchQuery(fields: [.init(name: "title", value: "quick")])) == [])
        #expect(try await ids(SearchQuery(fields: [.init(name: words.year, value: "1999")])) == ["a", "b"])
        #expect(try await ids(SearchQuery(words: ["fox"], fields: [.init(name: words.flag, value: "true")])) == ["c"])

        // Nothing that a user can type is an error, and none of it is an operator.
        for text in HurtfulText.queries {
            _ = try await ids(SearchQuery(words: [text]))
            _ = try await ids(SearchQuery(phrases: [text]))
        }
        #expect(try await ids(SearchQuery(words: ["quick OR keys"])) == [])
        #expect(try await ids(SearchQuery(words: ["qui*"])) == [])
        #expect(try await ids(SearchQuery(words: ["quick", "***"])) == [])

        try await target.expect(.add("a", #"{"title":"another"}"#), .updated)
        try await target.expect(.remove("b"), target.removed)
        #expect(try await ids(SearchQuery(words: ["quick"])) == [])
        #expect(try await ids(SearchQuery(words: ["another"])) == ["a"])
        try await pages(of: target)
    }

    private func pages(of target: ContractCollection) async throws {
        let many = (0..<1_200).map { ContentOperation.add("many-\($0)", #"{"\#(words.text)":"plenty"}"#) }
        _ = try await target.apply(many)
        let found = try await target.find(SearchQuery(words: ["plenty"])).map(\.id)
        #expect(found.count == 1_200 && Set(found).count == 1_200)
    }
}

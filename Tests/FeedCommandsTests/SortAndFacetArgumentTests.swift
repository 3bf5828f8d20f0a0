import ArgumentParsing
import ContentFeeding
import FeedCommands
import Testing

struct SortAndFacetArgumentTests {
    @Test func `Each sort key can have a direction`() throws {
        let sorted = try SortArgument(argument: "year:desc,a:b,title:asc").keys
        #expect(sorted == [SortKey("year", isDescending: true), SortKey("a:b"), SortKey("title")])
    }

    @Test(arguments: ["", "a,,b", ":desc", "a,", "a,b,c,d,e,f,g,h,i,j,k"])
    func `Sort keys without names, or too many sort keys, are refused`(word: String) {
        #expect(throws: ArgumentExpectation.self) { try SortArgument(argument: word) }
    }

    @Test(arguments: [
        ("language", FacetKey("language", limit: 10)), ("language:3", FacetKey("language", limit: 3)),
        ("a:b", FacetKey("a:b", limit: 10)), ("a:b:1000", FacetKey("a:b", limit: 1_000)),
    ])
    func `A facet argument specifies a key and a number of values`(word: String, key: FacetKey) throws {
        #expect(try FacetArgument(argument: word).key == key)
    }

    @Test(arguments: ["", ":3", "a:0", "a:1001", "a:99999999999999999999"])
    func `A facet lists between 1 and 1,000 values`(word: String) {
        #expect(throws: ArgumentExpectation.self) { try FacetArgument(argument: word) }
    }
}

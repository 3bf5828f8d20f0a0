import Testing

@testable import ContentFeeding

struct SortPlaceTests {
    private func place(_ json: String, _ order: SortKey...) -> [UInt8] {
        SortPlace(of: Array(json.utf8), by: order).bytes
    }

    @Test func `Booleans are sorted before numbers, numbers before text, and missing values last`() {
        let values = [
            "false", "true", "-1e300", "-2.5", "-2", "0", "0.5", "9", "10", "9007199254740992", "9007199254740993",
            "1e300",
            #""""#, #""\u0000""#, #""\u0000a""#, #""10""#, #""9""#, #""a""#, #""a\u0000""#, #""ab""#, #""é""#, "null",
        ]
        for isDescending in [false, true] {
            let places = values.map { place(#"{"x":1,"k":\#($0)}"#, SortKey("k", isDescending: isDescending)) }
            let present = isDescending ? Array(places.dropLast().reversed()) : Array(places.dropLast())
            for (left, right) in zip(present, present.dropFirst() + [places.last ?? []]) {
                #expect(left.lexicographicallyPrecedes(right))
            }
        }
    }

    @Test func `A list is sorted by its smallest or largest value`() {
        #expect(place(#"{"k":[3,[1,2]]}"#, SortKey("k")) == place(#"{"k":1}"#, SortKey("k")))
        let descending = SortKey("k", isDescending: true)
        #expect(place(#"{"k":[1,{"a":9},3]}"#, descending) == place(#"{"k":3.0}"#, descending))
        #expect(place(#"{"k":[]}"#, SortKey("k")) == place("{}", SortKey("k")))
    }

    @Test func `A second key decides the order where the first keys are equal`() {
        let order = [SortKey("a"), SortKey("b", isDescending: true)]
        let jsons = [#"{"a":"x","b":2}"#, #"{"a":"x","b":1}"#, #"{"a":"x"}"#, #"{"a":"xx","b":2}"#]
        let places = jsons.map { SortPlace(of: Array($0.utf8), by: order).bytes }
        for (left, right) in zip(places, places.dropFirst()) { #expect(left.lexicographicallyPrecedes(right)) }
    }

    @Test func `Equal numbers in different notations are one value of a facet`() {
        let values = FacetValue.values(of: "k", in: Array(#"{"k":[1,1.0,1e0,0.5,"1",true,null,{}],"k2":7}"#.utf8).span)
        #expect(values == [.number("1"), .number("1"), .number("1"), .number("0.5"), .text("1"), .bool(true)])
        #expect(FacetValue.values(of: "k", in: Array(#"{"k":1,"k":2}"#.utf8).span) == [.number("2")])
    }
}

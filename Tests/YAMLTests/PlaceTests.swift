import Testing
import YAML

struct PlaceTests {
    @Test func aLocatedValueKnowsItsPlace() throws {
        let values = try value([String: Located<String>].self, "a: x\né:   y")
        #expect(values["a"] == Located("x", at: Place(line: 1, column: 4)))
        #expect(values["é"] == Located("y", at: Place(line: 2, column: 6)))
    }

    @Test func columnsCountCharacters() throws {
        #expect(try value([Located<String>].self, "[é😀, x]").map(\.place.column) == [2, 6])
    }

    @Test func aPlaceIsThatOfTheValueWhateverItsKind() throws {
        #expect(
            try value([Located<[Int]>].self, "- [1]\n-  - 2\n").map(\.place) == [
                Place(line: 1, column: 3), Place(line: 2, column: 4),
            ]
        )
        #expect(try value([Located<Rule>].self, "-\n  id: a").map(\.place) == [Place(line: 2, column: 3)])
    }

    @Test func aLocatedValueHelpsLikeAnyOther() {
        #expect(
            outcome([Located<Rule.Level>].self, "- eror")
                == "1:3: [0]: “eror” is none of critical, error, warning, info; did you mean “error”?"
        )
    }

    @Test func aLocatedMappingIsClosed() {
        #expect(outcome(Located<Rule>.self, "id: a\ntgas: []") == "2:1: unknown key “tgas”; did you mean “tags”?")
    }
}

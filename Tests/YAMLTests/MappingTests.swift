import Testing
import YAML

struct MappingTests {
    @Test func aMappingKeepsTheOrderAndThePlacesOfItsKeys() throws {
        let mapping = try value(YAMLMapping<Int>.self, "z: 1\n'a b': 2\nm:\n  3\n")
        #expect(mapping.keys == ["z", "a b", "m"])
        #expect(mapping.entries.map(\.value) == [1, 2, 3])
        #expect(mapping.entries.map(\.key.place.line) == [1, 2, 3])
        #expect(mapping["m"] == 3 && mapping["x"] == nil)
    }

    @Test func aValueInAMappingIsClosedAndHasAPath() {
        #expect(
            outcome(YAMLMapping<Rule>.self, "r:\n  id: a\n  x: b")
                == "3:3: r: unknown key “x”; known keys: enabled, id, level, limit, tags"
        )
        #expect(outcome([YAMLMapping<Int>].self, "- a: b") == "1:6: [0].a: expected a whole number, found “b”")
    }

    @Test(arguments: [
        ("[a]", "1:1: expected a mapping, found a list"), ("~", "1:1: expected a mapping, found nothing"),
        ("{a: 1, a: 2}", "1:8: “a” was given already at 1:2"),
    ])
    func whatIsNoMappingIsRefused(text: String, expected: String) {
        #expect(outcome(YAMLMapping<Int>.self, text) == expected)
    }

    @Test func aMappingMayBeEmpty() throws {
        #expect(try value(YAMLMapping<Int>.self, "{}") == YAMLMapping())
    }

    @Test func aValueOfAnyFormIsRead() throws {
        let read = try value(YAMLValue.self, "a: [1, {b: ~}]\nc: 'x'")
        #expect(read == .mapping(["a": .list([.text("1"), .mapping(["b": .text("~")])]), "c": .text("x")]))
    }
}

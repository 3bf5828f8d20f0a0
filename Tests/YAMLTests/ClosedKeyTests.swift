import Testing
import YAML

struct ClosedKeyTests {
    private struct Parted: Decodable {
        enum Keys: String, CodingKey { case part, list }
        enum PartKeys: String, CodingKey { case name }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            let part = try container.nestedContainer(keyedBy: PartKeys.self, forKey: .part)
            _ = try part.decode(String.self, forKey: .name)
            guard container.contains(.list) else { return }
            var list = try container.nestedUnkeyedContainer(forKey: .list)
            _ = try list.nestedContainer(keyedBy: PartKeys.self).decode(String.self, forKey: .name)
        }
    }

    @Test(arguments: [
        ("part: {name: a, nmae: b}", "1:17: part: unknown key “nmae”; did you mean “name”?"),
        ("part: {name: a}\nlist: [{name: b, x: c}]", "2:18: list.[0]: unknown key “x”; known keys: name"),
        ("part: {name: a}\nlits: []", "2:1: unknown key “lits”; did you mean “list”?"),
    ])
    func nestedContainersAreClosedToo(text: String, expected: String) {
        #expect(outcome(Parted.self, text) == expected)
    }

    @Test func aDictionaryTakesAnyKey() throws {
        #expect(try value([String: Int].self, "a: 1\n'b c': 2\n1: 3") == ["a": 1, "b c": 2, "1": 3])
        #expect(try value([String: Int].self, "{}") == [:])
    }

    @Test func theDeepestWrongKeyIsNamedWithItsPath() {
        #expect(
            outcome([String: [Rule]].self, "rules:\n  - id: a\n    tgas: [b]")
                == "3:5: rules.[0]: unknown key “tgas”; did you mean “tags”?"
        )
    }
}

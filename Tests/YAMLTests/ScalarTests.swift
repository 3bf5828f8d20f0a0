import Testing
import YAML

struct ScalarTests {
    @Test(arguments: [
        "8e26", "0000", "no", "yes", "on", "12:30:45", "0x1F", "0o17", "1_000", "~x", "null", "~", "true", "2024-01-01",
        "1.10",
        "-x", ".", "+1", ".inf", "a:b", "C:\\x", "é",
    ])
    func aBareTextStaysText(text: String) throws {
        #expect(try value([String].self, "- \(text)\n") == [text])
    }

    @Test func quotesAndBlocksAreText() throws {
        let text = """
            - 'it''s'
            - "a\\tb\\u00e9"
            - |
              one
              two
            - >-
              one
              two
            - ""
            """
        #expect(try value([String].self, text) == ["it's", "a\tbé", "one\ntwo\n", "one two", ""])
    }

    @Test(arguments: [("0", 0), ("-12", -12), ("+7", 7), ("007", 7), ("9223372036854775807", .max)])
    func aNumberIsRead(text: String, number: Int) throws {
        #expect(try value(Int.self, text) == number)
    }

    @Test(arguments: ["9223372036854775808", "1.0", "1e3", "0x10", "1_000", "'1'", "", "no", "[1]"])
    func whatIsNoWholeNumberIsRefused(text: String) {
        #expect(throws: YAMLError.self) { try value(Int.self, text) }
    }

    @Test func aNumberFitsItsType() throws {
        #expect(try value(UInt8.self, "255") == 255)
        #expect(throws: YAMLError.self) { try value(UInt8.self, "256") }
        #expect(throws: YAMLError.self) { try value(UInt.self, "-1") }
        #expect(try value(Int8.self, "-128") == -128)
        #expect(try value(Double.self, "-1.5e3") == -1500)
        #expect(try value(Float.self, "0.5") == 0.5)
    }

    @Test(arguments: ["nan", ".nan", "inf", "-inf", "infinity", "0x1p3", "1e999", "'1.0'", "1,5", ""])
    func whatIsNoFractionIsRefused(text: String) {
        #expect(throws: YAMLError.self) { try value(Double.self, text) }
    }

    @Test(arguments: ["yes", "no", "on", "True", "TRUE", "'true'", "1", ""])
    func onlyTrueAndFalseAreTruthValues(text: String) throws {
        #expect(try value([Bool].self, "[true, false]") == [true, false])
        #expect(throws: YAMLError.self) { try value([Bool].self, "- \(text)") }
    }

    @Test func nothingIsNoValue() throws {
        #expect(try value(Rule.self, "id: a\nlevel:\nlimit: ~\nenabled: null") == Rule(id: "a"))
        #expect(try value([String?].self, "[null, ~, 'null', a]") == [nil, nil, "null", "a"])
    }

    @Test func lineEndsOfWindowsAndAByteOrderMarkDoNotMatter() throws {
        #expect(try value(Rule.self, "\u{FEFF}id: a\r\ntags:\r\n  - b\r\n") == Rule(id: "a", tags: ["b"]))
    }
}

import Testing
import YAML

struct ErrorCodeTests {
    @Test(arguments: [
        ("id: [", YAMLError.Code.malformed), ("", .malformed), ("id: \u{1}", .malformed),
        ("id: *a", .unsupported), ("<<: a", .unsupported), ("--- a\n--- b", .unsupported), ("? [a]\n: b", .unsupported),
        (String(repeating: "[", count: 40), .tooLarge), (String(repeating: " ", count: 1 << 20) + "a", .tooLarge),
        ("id: a\nid: b", .wrongKey), ("idd: a", .wrongKey), ("id: a\nx: b", .wrongKey),
        ("id: []", .wrongValue), ("a", .wrongValue), ("id: a\nlevel: b", .wrongValue),
    ])
    func anErrorHasAKind(text: String, code: YAMLError.Code) {
        let error = #expect(throws: YAMLError.self) { try value(Rule.self, text) }
        #expect(error?.code == code)
    }
}

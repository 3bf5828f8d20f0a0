import BuiltInFiles
import Foundation
import Testing

@testable import LogDiagnosis

/// The prepared form of the built-in rules, which `RECORD=1` writes into `Rules/Prepared`.
struct PreparedRulesTests {
    private static let folder = URL(filePath: #filePath).appending(path: "../../../../Rules").standardized

    /// Returns the rules as their files define them.
    private static func rules() throws -> [Rule] {
        var library = RuleLibrary()
        try library.add(folder: folder.path)
        return library.rules
    }

    @Test func `The prepared rules match the rule files`() throws {
        let text = PreparedRules.text(of: try Self.rules())
        if ProcessInfo.processInfo.environment["RECORD"] == "1" {
            try Data(text.utf8).write(to: Self.folder.appending(path: "Prepared/rules.txt"))
            return
        }
        // The contents are not compared in the expectation itself, which would print them.
        let isFresh = BuiltInFile.preparedRules.text == text
        #expect(isFresh, "RECORD=1 swift test --filter PreparedRulesTests writes them again; then build")
    }

    @Test func `Every part of a rule survives a round trip`() throws {
        let rules = try Self.rules()
        let text = PreparedRules.text(of: rules)
        let read = try PreparedRules.rules(in: text)
        #expect(read.map(\.id) == rules.map(\.id))
        for (one, other) in zip(read, rules) {
            #expect(String(reflecting: one) == String(reflecting: other))
        }
    }

    @Test func `Prepared text is refused if it is truncated anywhere or has extra lines`() throws {
        let text = PreparedRules.text(of: Array(try Self.rules().prefix(1)))
        for count in stride(from: 0, to: text.utf8.count - 1, by: 7) {
            let part = String(decoding: Array(text.utf8).prefix(count), as: UTF8.self)
            #expect(throws: RuleError.self) { try PreparedRules.rules(in: part) }
        }
        #expect(throws: RuleError.self) { try PreparedRules.rules(in: text + "1\n") }
    }
}

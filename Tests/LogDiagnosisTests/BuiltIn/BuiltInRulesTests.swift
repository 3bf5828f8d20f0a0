import Foundation
import Testing

@testable import LogDiagnosis

/// What is compiled in is what the folder `Rules` holds.
struct BuiltInRulesTests {
    @Test func everyFileIsCompiledInByteForByte() throws {
        let files = BuiltInRules.files + BuiltInRuleTests.files
        #expect(files.map(\.name).sorted() == RuleFiles.names, "run make rules")
        for file in files {
            let bytes = try Data(contentsOf: RuleFiles.folder.appending(path: file.name))
            // Not compared in the expectation, which would print them.
            let isSame = Array(file.text.utf8) == Array(bytes)
            #expect(isSame, "\(file.name) has changed: run make rules")
        }
    }

    @Test func theScriptWouldWriteTheSame() throws {
        let script = Process()
        script.executableURL = RuleFiles.root.appending(path: "Scripts/embed-rules")
        script.arguments = ["check"]
        let output = Pipe()
        script.standardError = output
        try script.run()
        let words = output.fileHandleForReading.readDataToEndOfFile()
        script.waitUntilExit()
        #expect(script.terminationStatus == 0, "\(String(decoding: words, as: UTF8.self))")
    }

    @Test func theRulesLoadAndRunTogether() throws {
        let library = try RuleLibrary.builtIn()
        #expect(library.entries.map(\.source.name) == BuiltInRules.files.map(\.name))
        #expect(try RuleSet.builtIn().rules.count == library.rules.count)
        #expect(library.entries.allSatisfy { $0.isBuiltIn && $0.tests != nil })
    }
}

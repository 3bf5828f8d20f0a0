import ReportKit
import TestSupport
import Testing
import TextKit

struct ExitStatusTests {
    @Test func `The exit codes are the ones that scripts rely on`() {
        let codes: [Int32] = [0, 1, 3, 4, 64, 65, 66, 69, 70, 71, 73, 74, 75, 77, 78, 130, 143]
        #expect(ExitStatus.allCases.map(\.rawValue) == codes)
    }

    @Test func `Of several exit codes, the most severe one is used`() {
        let order: [Int32] = [70, 74, 73, 77, 78, 69, 143, 130, 75, 65, 1, 4, 0]
        let statuses = order.compactMap(ExitStatus.init(rawValue:))
        for index in statuses.indices {
            #expect(ExitStatus.first(of: statuses[index...].reversed()) == statuses[index])
        }
        #expect(ExitStatus.first(of: []) == .done)
        #expect(Set(ExitStatus.precedence) == Set(ExitStatus.allCases))
    }
}

struct CommandLineWordsTests {
    @Test(arguments: [
        "plain", "two words", "it's", "", "a\nb", "\u{1B}[31m", "$HOME `x` \"y\"", "bidi\u{202E}x", "é\\'\t",
    ])
    func `A shell reads a quoted word back unchanged`(word: String) throws {
        let shell = try ChildProgram.run(
            "/bin/bash",
            ["-c", "printf %s \(CommandLineWords.quoted(word))"],
            environment: ["LC_ALL": "C.UTF-8"]
        )
        #expect(Array(shell.output.utf8) == Array(word.utf8))
    }

    @Test(arguments: [
        (["fastctl", "remove", "A"], "fastctl remove A --missing ignore"),
        (["fastctl", "remove", "--missing", "warn", "A"], "fastctl remove --missing ignore A"),
        (["fastctl", "remove", "--missing=error"], "fastctl remove --missing=ignore"),
        (["fastctl", "remove", "--", "--missing"], "fastctl remove --missing ignore -- --missing"),
    ])
    func `An option is replaced, or inserted before the arguments that only look like options`(
        words: [String],
        line: String
    ) {
        #expect("\(CommandLineWords(words).setting("--missing", to: "ignore"))" == line)
    }
}

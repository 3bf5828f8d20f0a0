import Foundation
import ReportRendering
import Testing

struct CommandLineWordsTests {
    @Test(arguments: [
        "plain", "two words", "it's", "", "a\nb", "\u{1B}[31m", "$HOME `x` \"y\"", "bidi\u{202E}x", "é\\'\t",
    ])
    func `A shell reads back what was quoted`(word: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", "printf %s \(CommandLineWords.quoted(word))"]
        process.environment = ["LC_ALL": "C.UTF-8"]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(bytes == Data(word.utf8))
    }

    @Test(arguments: [
        (["fastctl", "remove", "A"], "fastctl remove A --missing ignore"),
        (["fastctl", "remove", "--missing", "warn", "A"], "fastctl remove --missing ignore A"),
        (["fastctl", "remove", "--missing=error"], "fastctl remove --missing=ignore"),
        (["fastctl", "remove", "--", "--missing"], "fastctl remove --missing ignore -- --missing"),
    ])
    func `An option is replaced, or added before the arguments that look like options`(words: [String], line: String) {
        #expect("\(CommandLineWords(words).setting("--missing", to: "ignore"))" == line)
    }
}

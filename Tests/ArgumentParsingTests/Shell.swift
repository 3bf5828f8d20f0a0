import ArgumentParsing
import Foundation

/// A shell with a completion script, whose program answers as the library does.
struct Shell {
    enum Name: String { case bash, zsh, fish }

    var name: Name

    /// Where the shell is installed, if it is.
    static func path(of program: String) -> String? {
        ["/usr/bin/", "/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"].map { $0 + program }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// What `script` prints, after the completion script of the program `library`.
    ///
    /// Twice: the first run shows what the program is asked, the second gives it the answer of the real one.
    func output(of script: String) async throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "library-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let question = folder.appending(path: "question")
        try Data("".utf8).write(to: folder.appending(path: "picture one.png"))

        let whole = program + "\n" + completionScript + "\n" + script
        _ = try run(whole, in: folder, answer: "")
        let words = try String(contentsOf: question, encoding: .utf8).split(
            separator: "\0",
            omittingEmptySubsequences: false
        )
        let answer = try await Run.of(Program(Library.self), words.dropLast().map(String.init)).output
        let output = try run(whole, in: folder, answer: answer.map { $0 + "\n" }.joined())
        return output.split(separator: "\n").map(String.init)
    }

    /// A function, because a file that is still open elsewhere when it is run is "busy".
    private var program: String {
        name == .fish
            ? "function library; printf '%s\\0' $argv >$QUESTION; printf %s $ANSWER; end"
            : "library() { printf '%s\\0' \"$@\" >\"$QUESTION\"; printf %s \"$ANSWER\"; }"
    }

    private var completionScript: String {
        switch name {
        case .bash: CompletionScript.bash("library")
        case .zsh: "compdef() { :; }\n" + CompletionScript.zsh("library")
        case .fish: CompletionScript.fish("library")
        }
    }

    private func run(_ script: String, in folder: URL, answer: String) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: Self.path(of: name.rawValue) ?? "/nonexistent")
        let quiet = [Name.bash: ["--norc", "--noprofile"], .zsh: ["-f"], .fish: ["--no-config"]][name] ?? []
        process.arguments = quiet + ["-c", script]
        process.currentDirectoryURL = folder
        process.environment = [
            "PATH": "/usr/bin:/bin", "HOME": folder.path, "LC_ALL": "C.UTF-8",
            "QUESTION": folder.appending(path: "question").path, "ANSWER": answer,
        ]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}

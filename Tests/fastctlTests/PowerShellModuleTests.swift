import Foundation
import JSONText
import TestSupport
import Testing

/// `Scripts/fastctl.psm1`, as far as it can be tested without PowerShell: its blocks, its verbs, and its calls to
/// fastctl.
struct PowerShellModuleTests {
    private let text: String

    init() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Scripts/fastctl.psm1")
        text = try String(contentsOf: file, encoding: .utf8)
    }

    /// Returns the code without comments, and with each text in quotes as `''`.
    private func code(_ text: String) -> String {
        text.replacing(/<#.*?#>/.dotMatchesNewlines(), with: "").replacing(/'[^'\n]*'|"[^"\n]*"/, with: "''")
            .replacing(/(?m)#.*$/, with: "")
    }

    private func balance(_ text: String) -> String {
        var open = ""
        for character in code(text) {
            switch character {
            case "{", "(", "[": open.append(character)
            case "}", ")", "]":
                guard let last = open.last, "\(last)\(character)".contains(/^(\{\}|\(\)|\[\])$/) else {
                    return open + "\(character)"
                }
                open.removeLast()
            default: break
            }
        }
        return open
    }

    @Test func `Blocks are balanced, and a missing brace is noticed`() throws {
        #expect(balance(text) == "")
        let brace = try #require(text.lastIndex(of: "}"))
        #expect(balance(String(text[..<brace])) == "{")
        #expect(balance("if ('{') { } # }") == "")
    }

    @Test func `Functions have approved verbs, and the exported functions exist`() throws {
        let functions = text.matches(of: /(?m)^function (\w+-\w+)/).map { String($0.1) }
        let verbs = Set(functions.map { $0.prefix { $0 != "-" } })
        #expect(verbs.isSubset(of: ["ConvertTo", "Get", "Invoke", "Remove", "Set"]))
        let exported = try #require(text.firstMatch(of: /(?m)^Export-ModuleMember -Function (.+)$/)).1.split(
            separator: ", "
        )
        #expect(exported.count == 3 && exported.allSatisfy { functions.contains(String($0)) })
        let calls = Set(code(text).matches(of: /[A-Z]\w+-[A-Z]\w+/).map { String($0.0) })
        let builtIn: Set = [
            "ConvertFrom-Json", "ConvertTo-Json", "Export-ModuleMember", "ForEach-Object", "New-Object",
            "Select-Object",
            "Set-StrictMode", "Where-Object", "Write-Error", "Write-Verbose",
        ]
        #expect(calls.subtracting(functions).subtracting(builtIn) == [])
    }

    /// Returns the arguments that a function passes to fastctl, with values for its variables.
    private func arguments(
        of function: String,
        leavingOut: [String] = [],
        _ values: [String: String]
    ) throws -> [String] {
        let body = try #require(text.components(separatedBy: "function \(function) {").dropFirst().first)
            .components(separatedBy: "\n}\n")[0]
        let lines = body.matches(of: /\$arguments \+?= (.+?)(?: \}|\n)/).map(\.1)
        #expect(lines.count > 2)
        let words = lines.filter { line in !leavingOut.contains { line.contains($0) } }.flatMap { line in
            line.matches(of: /'([^']*)'|\$(\w+)/).compactMap { $0.1 ?? $0.2.map { "$\($0)" } }.map(String.init)
        }
        return words.map { values[$0] ?? $0 }
    }

    private func run(
        _ arguments: [String],
        in folder: TemporaryFolder,
        input: String = ""
    ) throws -> ChildProgram.Result {
        var environment = RunningCommand.environment(folder)
        environment["FASTCTL_TARGET"] = "sqlite:\(folder.path("s.sqlite"))"
        let program = try #require(ChildProgram.fastctl).path
        return try ChildProgram.run(program, arguments, in: folder.path(""), environment: environment, input: input)
    }

    @Test func `A removal works as the module calls it`() throws {
        let folder = try TemporaryFolder()
        #expect(try run(["collections", "create", "web"], in: folder).status == 0)
        #expect(try run(["add", "-c", "web"], in: folder, input: "{\"id\":\"ID1\"}\n{\"id\":\"ID 2\"}\n").status == 0)
        let values = ["$Collection": "web", "$MaximumCount": "2"]
        // These are the line ends of PowerShell on Windows.
        let lines = "{\"remove\":\"ID1\"}\r\n{\"remove\":\"FAKEID\"}\r\n"
        let preview = try arguments(of: "Remove-ContentItem", leavingOut: ["$Context", "$MaximumCount"], values)
        let seen = try run(preview, in: folder, input: lines)
        #expect(seen.output.contains(#""documentID":"ID1","routing":null,"effect":"removed""#), "\(seen.errors)")
        let removal = try arguments(of: "Remove-ContentItem", leavingOut: ["$Context", "dry-run"], values)
        let result = try run(removal, in: folder, input: lines)
        #expect(result.status == 1, "\(result.errors)")
        let objects = try result.output.split(separator: "\n").map { try JSONValue(Array($0.utf8)) }
        #expect(objects.map { $0["outcome"].text } == ["removed", "missing", nil])
        #expect(try run(removal, in: folder, input: lines + "{\"remove\":\"ID 2\"}\r\n").status == 3)
    }

    @Test func `A diagnosis works as the module calls it`() throws {
        let folder = try TemporaryFolder()
        let log = "Timestamp\tProcess\tTID\tArea\tCategory\tEventID\tLevel\tMessage\tCorrelation\n"
        try log.write(toFile: folder.path("a.log"), atomically: false, encoding: .utf8)
        try "<configuration/>".write(toFile: folder.path("web.config"), atomically: false, encoding: .utf8)
        let values = ["$Since": "2d", "$file": folder.path("web.config")]
        let words = try arguments(of: "Get-ULSDiagnosis", values).filter { $0 != "$arguments" }
        let result = try run(words + ["--", folder.path("")], in: folder)
        let report = try JSONValue(Array(result.output.utf8))
        #expect(report["schema"].text == "fastctl.diagnosis/1", "\(result.errors)")
    }
}

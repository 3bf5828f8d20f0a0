import Foundation
import LogTestSupport
import TestSupport
import Testing

@testable import LogDiagnosis

/// Rule folders that `--rules` specifies.
struct RuleLibraryTests {
    private static let check = "  c: {count: {of: s, gte: 1}}"
    private static let select = "  s: {event_id: ab12}"

    private static func yaml(_ id: String = "FS1999", title: String = "") -> String {
        RuleText.yaml(id, select: select, check: check, more: title)
    }

    private static let tests =
        "schema: fastctl.rule-tests/1\nrule: FS1999\ntests:\n- {name: n, uls: [{id: ab12, msg: m}], expect: [{verdict: found}]}\n"

    /// Returns the error from adding a folder with these files; `nil` if they are accepted.
    private static func complaint(_ files: [String: String], to library: RuleLibrary = RuleLibrary()) throws -> String?
    {
        let folder = try TemporaryFolder()
        for (name, text) in files { try Data(text.utf8).write(to: URL(filePath: folder.path(name))) }
        return complaint(folder.path(""), to: library)
    }

    private static func complaint(_ path: String, to library: RuleLibrary = RuleLibrary()) -> String? {
        var library = library
        do throws(RuleError) {
            try library.add(folder: path)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func `A folder adds rules and their tests`() throws {
        let folder = try TemporaryFolder()
        try Data(Self.yaml().utf8).write(to: URL(filePath: folder.path("FS1999.yaml")))
        try Data(Self.tests.utf8).write(to: URL(filePath: folder.path("FS1999.tests.yaml")))
        try Data("notes".utf8).write(to: URL(filePath: folder.path("README.md")))
        var library = RuleLibrary()
        try library.add(folder: folder.path(""))
        let id = try #require(RuleID("FS1999"))
        #expect(library[id]?.tests?.name == folder.path("FS1999.tests.yaml") && library[id]?.tests?.text == Self.tests)
        #expect(library[id]?.isBuiltIn == false && library[id]?.source.name == folder.path("FS1999.yaml"))
    }

    @Test func `A rule from a folder replaces the built-in rule with the same ID, along with its tests`() throws {
        var library = RuleLibrary()
        try library.add(
            [RuleFile(name: "FS1999.yaml", text: Self.yaml()), RuleFile(name: "FS1999.tests.yaml", text: Self.tests)],
            isBuiltIn: true
        )
        try library.add([RuleFile(name: "d/FS1999.yaml", text: Self.yaml(title: "tags: [mine]"))])
        #expect(library.rules.map(\.tags) == [["mine"]])
        #expect(library.entries.first?.tests == nil && library.entries.first?.isBuiltIn == false)
    }

    @Test func `A file that is not named after its rule is refused`() throws {
        let complaint = try Self.complaint(["FS1998.yaml": Self.yaml()])
        #expect(complaint?.hasSuffix("FS1998.yaml: it defines rule FS1999; name the file FS1999.yaml") == true)
    }

    @Test(arguments: ["FS1999.yml", "rule.yaml", "fs1999.yaml", "FS1999.test.yaml", "FS19999.yaml"])
    func `A misspelled file name is refused, not ignored`(name: String) throws {
        let complaint = try Self.complaint(["FS1999.yaml": Self.yaml(), name: "x"])
        #expect(
            complaint?.hasSuffix("\(name): rules are named FSnnnn.yaml, and their tests FSnnnn.tests.yaml") == true
        )
    }

    @Test func `A folder of rules may contain the suppressions, but not suppressions alone`() throws {
        let name = SuppressionFile.standardName
        #expect(try Self.complaint(["FS1999.yaml": Self.yaml(), name: "not a rule"]) == nil)
        #expect(try Self.complaint([name: "not a rule"])?.contains("there are no rules") == true)
    }

    @Test func `Tests without a rule are refused`() throws {
        let complaint = try Self.complaint(["FS1999.tests.yaml": Self.tests])
        #expect(complaint?.hasSuffix("it tests FS1999, which does not exist") == true)
    }

    @Test func `A folder without rules is refused`() throws {
        #expect(try Self.complaint(["README.md": "x"])?.contains("there are no rules") == true)
        #expect(Self.complaint("/nowhere/at/all")?.hasPrefix("/nowhere/at/all: ") == true)
        #expect(Self.complaint("/etc/hostname")?.contains("name the folder that contains the rules") == true)
    }

    @Test func `An error names the file and the position in it`() throws {
        let complaint = try Self.complaint(["FS1999.yaml": Self.yaml() + "\noops: 1\n"])
        let words = try #require(complaint)
        #expect(words.contains("/FS1999.yaml:") && words.contains("unknown key \u{201C}oops\u{201D}"), "\(words)")
    }

    @Test func `A file that is too long is refused`() throws {
        let complaint = try Self.complaint(["FS1999.yaml": String(repeating: "#", count: 256 << 10 | 1)])
        #expect(complaint?.hasSuffix("it is longer than 256 KiB, the limit for a rule") == true)
    }

    @Test func `Bytes that are not text are refused`() throws {
        let folder = try TemporaryFolder()
        try Data([0x61, 0xFF, 0x0A]).write(to: URL(filePath: folder.path("FS1999.yaml")))
        #expect(Self.complaint(folder.path(""))?.hasSuffix("it is not UTF-8") == true)
    }

    @Test func `Symbolic links, pipes and folders are refused`() throws {
        for (make, words) in [
            ({ try FileManager.default.createSymbolicLink(atPath: $0, withDestinationPath: "/etc/passwd") }, "link"),
            ({ _ = mkfifo($0, 0o600) }, "it is not a regular file"),
            (
                { try FileManager.default.createDirectory(atPath: $0, withIntermediateDirectories: false) },
                "not a regular file"
            ),
        ] as [((String) throws -> Void, String)] {
            let folder = try TemporaryFolder()
            try make(folder.path("FS1999.yaml"))
            #expect(Self.complaint(folder.path(""))?.contains(words) == true)
        }
    }

    /// Returns a rule with expressions from an untrusted author.
    private static func yaml(_ id: String, expressions: [String]) -> String {
        let list = expressions.map { "      - '\($0)'" }.joined(separator: "\n")
        return RuleText.yaml(id, select: "  s:\n    event_id: ab12\n    message|re:\n\(list)", check: check)
    }

    private static func ruleSetComplaint(_ folder: String) throws -> String? {
        var library = RuleLibrary()
        try library.add(folder: folder)
        do throws(RuleError) {
            _ = try library.ruleSet()
            return nil
        } catch { return "\(error)" }
    }

    @Test(.timeLimit(.minutes(10)))
    func `Expressions that are too large in total are refused, and the error names the file and line`()
        throws
    {
        let folder = try TemporaryFolder()
        let hostile = (0..<3000).map { "a\($0)_0.{0,100}[b-z]{1,\($0 % 90 + 1)}x" }
        try Data(Self.yaml("FS5001", expressions: hostile).utf8).write(to: URL(filePath: folder.path("FS5001.yaml")))
        let start = ContinuousClock.now
        let complaint = try Self.ruleSetComplaint(folder.path(""))
        // Compiling them takes 20 seconds in a release build.
        #expect(ContinuousClock.now - start < .seconds(10))
        #expect(complaint?.hasPrefix(folder.path("FS5001.yaml") + ":12:5: ") == true, "\(complaint ?? "taken")")
        #expect(complaint?.contains("exceed 60000") == true)
    }

    @Test(.timeLimit(.minutes(10))) func `A thousand ordinary rules can be loaded`() throws {
        let folder = try TemporaryFolder()
        // The same proportion of expressions as in the program's own rules: one for every three rules.
        for number in 5000..<5998 {
            let text = "\"Contoso.Component\(number).Run(\""
            let condition =
                number % 3 == 0
                ? "message|re: 'Component\(number)Exception: [^.]*\\.\\s+\\S+\\s+Contoso\\.'"
                : "message|contains: \(text)"
            let yaml = RuleText.yaml("FS\(number)", select: "  s: {event_id: ab12, \(condition)}", check: Self.check)
            try Data(yaml.utf8).write(to: URL(filePath: folder.path("FS\(number).yaml")))
        }
        #expect(try Self.ruleSetComplaint(folder.path("")) == nil)
    }

    @Test func `The number and size of a folder's files are limited`() throws {
        let folder = try TemporaryFolder()
        for number in 0...RuleFolder.maximumFiles {
            #expect(FileManager.default.createFile(atPath: folder.path("\(number)"), contents: nil))
        }
        #expect(Self.complaint(folder.path(""))?.contains("more than 1000 files") == true)
    }
}

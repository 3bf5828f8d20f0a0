import BuiltInFiles
import Testing
import TextKit

@testable import FailureExplanation

/// The texts about codes are well-formed, and do not ask the reader to change anything.
struct CodeMeaningsTests {
    private static let files = BuiltInFile.codes.filter { $0.name.hasPrefix("meanings-") }
    private static let blocks = files.flatMap { blocks(in: $0) }

    private static func blocks(in file: BuiltInFile) -> [[String]] {
        file.withoutComments.split(separator: "\n\n").map { $0.split(separator: "\n").map(String.init) }
    }

    private static let commands = blocks.joined().filter { $0.hasPrefix("run ") }.map { String($0.dropFirst(4)) }

    @Test func `At least 200 codes are described, each with a meaning`() throws {
        #expect(CodeMeanings.builtIn.keys.count >= 200)
        for key in CodeMeanings.builtIn.keys {
            let words = try #require(CodeMeanings.builtIn.words(of: key))
            let meaning = try #require(words.meaning, "\(key)")
            #expect(meaning.hasSuffix("."), "\(meaning)")
            #expect(words.causes.allSatisfy { $0.hasSuffix(".") }, "\(key)")
            #expect(words.checks.allSatisfy { $0.text.hasSuffix(".") && $0.command?.isEmpty != true }, "\(key)")
        }
    }

    @Test func `Every code in a heading exists and occurs once`() throws {
        let heads = Self.blocks.filter { !$0[0].hasPrefix("@") }.flatMap {
            $0[0].split(separator: " ").map(String.init)
        }
        var seen: Set<CodeKey> = []
        for head in heads {
            let key = try #require(CodeKey(ArraySlice(head.utf8)), "\(head)")
            #expect(seen.insert(key).inserted, "\(head) is there twice")
            let code = try #require(FailureCodes.code(key.number, in: key.space), "\(head)")
            #expect(code.name != nil, "\(head) has no name")
        }
        #expect(seen.count == CodeMeanings.builtIn.keys.count)
    }

    @Test func `Every sentence is in the file of its component`() throws {
        let components = BuiltInFile.components.flatMap { file in
            file.withoutComments.split(separator: "\n").filter { $0.hasPrefix("[") }
                .map { (String($0.dropFirst().prefix { $0 != "]" }), "meanings-\(file.name)") }
        }
        let homes = Dictionary(uniqueKeysWithValues: components)
        for file in Self.files {
            for block in Self.blocks(in: file) where !block[0].hasPrefix("@") {
                let component = block.first { $0.hasPrefix("of ") }?.dropFirst(3)
                let isSentence = block[0].hasPrefix("sentence:")
                let home = component.map { homes[String($0)] } ?? "meanings-general.txt"
                #expect(file.name == (isSentence ? home : "meanings-numbers.txt"), "\(block[0])")
            }
        }
    }

    @Test func `Every line begins with a known keyword`() {
        for line in Self.blocks.flatMap({ $0.dropFirst() }) {
            let words = [
                "of ", "means ", "kind ", "reason elsewhere", "cause ", "if ", "in ", "not ", "check ", "run ",
            ]
            #expect(words.contains { line.hasPrefix($0) }, "\(line)")
        }
        for block in Self.blocks {
            for (line, before) in zip(block.dropFirst(), block) where line.hasPrefix("run ") {
                #expect(before.hasPrefix("check "), "\(line)")
            }
            for (line, before) in zip(block.dropFirst(), block) where line.hasPrefix("if ") {
                #expect(before.hasPrefix("cause ") && StatedFacts(line).holds(line) == true, "\(line)")
            }
        }
    }

    @Test func `Every shared check exists, is used, and consists of a check only`() {
        let shared = Self.blocks.filter { $0[0].hasPrefix("@") }
        let used = Self.blocks.flatMap { $0.dropFirst() }.filter { $0.hasPrefix("check @") }.map { $0.dropFirst(6) }
        #expect(Set(shared.map { $0[0][...] }) == Set(used) && Set(used).count == shared.count)
        for block in shared {
            #expect(
                block.dropFirst().allSatisfy {
                    ($0.hasPrefix("check ") && !$0.hasPrefix("check @")) || $0.hasPrefix("run ")
                }
            )
        }
    }

    @Test func `A sentence that only one component writes names an existing component`() throws {
        let owned = Self.blocks.flatMap { $0 }.filter { $0.hasPrefix("of ") }.map { String($0.dropFirst(3)) }
        #expect(!owned.isEmpty && Set(owned).subtracting(Components.all.map(\.id)) == [])
    }

    @Test func `A cause or check is limited to existing components`() {
        let lines = Self.blocks.flatMap { $0.dropFirst() }.filter { $0.hasPrefix("in ") || $0.hasPrefix("not ") }
        let ids = Set(lines.flatMap { $0.split(separator: " ").dropFirst().map(String.init) })
        #expect(!ids.isEmpty && ids.subtracting(Components.all.map(\.id)) == [])
    }

    @Test func `No command changes anything`() {
        #expect(Self.commands.count > 100)
        for command in Self.commands { #expect(!changes(command), "\(command)") }
    }

    @Test(arguments: [
        "Set-SPSite x", "Get-SPSite | Remove-SPSite", "iisreset", "net stop w3svc", "net start w3svc", "setspn -A x y",
        "setspn -S x y", "setspn -X", "setspn -D x", "sc.exe config x", "sc stop x", "reg add HKLM", "reg delete HKLM",
        "UPDATE t SET x = 1", "certutil -addstore Root x", "certutil -delstore Root x", "icacls x /grant y",
        "chkdsk /f",
        "Test-ComputerSecureChannel -Repair", "del x", "Stop-Service x", "w32tm /resync", "klist purge",
        "appcmd recycle",
        "DBCC CHECKDB (x, REPAIR_REBUILD)", "nltest /sc_reset:x", "netsh winhttp set proxy x", "gpupdate",
    ])
    func `A command that changes something is detected`(command: String) {
        #expect(changes(command))
    }

    /// Returns whether a command contains a verb or a switch that changes something.
    private func changes(_ command: String) -> Bool {
        let verbs =
            "add|set|remove|new|restart|start|stop|clear|enable|disable|install|uninstall|repair|reset|update|invoke|move"
            + "|rename|copy|import|export|out|write|initialize|register|unregister|mount|dismount|grant|revoke|publish"
            + "|upgrade|suspend|resume|merge|format|save|send|push|debug|use"
        let patterns = [
            "(^|[|;(&] *)(\(verbs))-[a-z]", "\\biisreset\\b", "\\bgpupdate\\b",
            "\\bnet1? (stop|start|use|user|localgroup)\\b",
            "\\bsetspn\\b.* -[asdxrc]\\b", "\\bsc(\\.exe)? (config|stop|start|delete|create|failure|sdset)\\b",
            "\\breg (add|delete|import|load|unload|restore|copy)\\b",
            "\\b(insert into|delete from|drop|alter|truncate|kill)\\b",
            "\\bupdate \\w+ set\\b", "\\brepair", "checkdb.*repair",
            "\\bcertutil\\b.* -(add|del|repair|import|setreg|delkey)",
            "/(grant|deny|remove|reset|setowner|inheritance)\\b", "\\bchkdsk\\b.*/[frx]\\b", "-repair\\b",
            "(^|[|;] *)(del|rd|rmdir|move|ren|copy) ",
            "\\bresync\\b", "\\bpurge\\b", "\\b(recycle|stop|start|set|add|delete)\\b +(apppool|site)?$",
            "appcmd(\\.exe)? (recycle|stop|start|set|add|delete)",
            "/sc_(reset|change_pwd)", "\\bnetsh\\b.* (set|add|delete|reset|import)\\b", "[^<>]>[^>=]", "takeown",
            "stsadm", "psconfig", "mofcomp", "logman",
        ]
        let text = command.lowercased()
        return patterns.contains { pattern in
            guard let expression = try? Regex(pattern) else { return true }
            return text.firstMatch(of: expression) != nil
        }
    }
}

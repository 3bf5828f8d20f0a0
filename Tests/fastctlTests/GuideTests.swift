import ArgumentParsing
import CommandKit
import FeedCommands
import Foundation
import LogCommands
import Synchronization
import TestSupport
import Testing

/// README and the guide: each of their commands exists, and those that need neither a network nor files of a farm are
/// run.
@Suite(.enabled(if: ChildProgram.fastctl != nil), .timeLimit(.minutes(10)))
struct GuideTests {
    static let root = URL(filePath: #filePath).appending(path: "../../..").standardized

    /// README, the guide and the reference, and the tours of the samples.
    static let pages: [String] = {
        let folders = ["Documentation/Guide", "Documentation/Reference"]
        let guide = folders.flatMap { folder in
            ((try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)) ?? [])
                .filter { $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
        }
        let samples = ["web-collection", "owssvr-aspnet-tracing", "ci"].map { "Samples/\($0)/README.md" }
        return ["README.md", "CONTRIBUTING.md", "SECURITY.md", "Documentation/README.md"] + guide.sorted() + samples
    }()

    @Test(arguments: pages) func `Every command on a page exists`(page: String) throws {
        for block in try GuidePage(page).blocks where block.language == "sh" || block.language == "console" {
            for line in block.lines { Self.check(line, "\(page): \(line)") }
        }
    }

    @Test func `Every command among the examples of a help text exists`() {
        var rest: [any Command.Type] = [Root.self]
        while let command = rest.popLast() {
            rest += command.configuration.subcommands
            for example in command.configuration.examples { Self.check(example.line, "\(command): \(example.line)") }
        }
    }

    private static func check(_ line: String, _ place: String) {
        for command in ShellLine.commands(line) {
            var words = command[...]
            while let first = words.first, first.contains("=") || ["sudo", "exec"].contains(first) {
                words = words.dropFirst()
            }
            guard words.popFirst() == "fastctl", !Root.own.contains(words.first ?? "") else { continue }
            #expect(throws: Never.self, "\(place)") {
                _ = try Program(Root.self).command(for: Array(words), environment: [:])
            }
        }
    }

    @Test(arguments: pages) func `Every link on a page points to an existing file and heading`(page: String) throws {
        let folder = Self.root.appending(path: page).deletingLastPathComponent()
        for match in try GuidePage(page).text.matches(of: /\]\(([^)\s]+)\)/) where !match.1.contains("://") {
            let parts = match.1.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let target = parts[0].isEmpty ? page : "\(parts[0])"
            let url = parts[0].isEmpty ? Self.root.appending(path: page) : folder.appending(path: target)
            #expect(FileManager.default.fileExists(atPath: url.path), "\(page): \(match.1)")
            guard parts.count == 2, let text = try? String(contentsOf: url, encoding: .utf8) else { continue }
            let titles = text.matches(of: /(?m)^#+ (.*)$/).map { Self.anchor(String($0.1)) }
            #expect(titles.contains(String(parts[1])), "\(page): \(match.1)")
        }
    }

    @Test(arguments: pages.filter { $0.hasPrefix("Documentation/Guide") })
    func `Swift code on a page of the guide is part of a sample`(page: String) throws {
        let samples = Self.root.appending(path: "Samples")
        let sources = try #require(FileManager.default.enumerator(atPath: samples.path)).compactMap { $0 as? String }
            .filter { $0.hasSuffix(".swift") && $0.contains("/Sources/") }
            .map { try String(contentsOf: samples.appending(path: $0), encoding: .utf8) }
            .map { "\n\(Self.unindented($0.split(separator: "\n")))\n" }
        for block in try GuidePage(page).blocks where block.language == "swift" {
            let part = Self.unindented(block.lines.map { $0[...] })
            #expect(sources.contains { $0.contains("\n\(part)\n") }, "\(page): \(part)")
        }
    }

    @Test func `The short help of each command is short`() async throws {
        let program = Program(Root.self)
        var commands: [[String]] = [[]]
        while let words = commands.popLast() {
            let named = words.reduce(Root.self as any Command.Type) { group, name in
                group.configuration.subcommands.first { $0.configuration.name == name } ?? group
            }
            commands += named.configuration.subcommands.map { words + [$0.configuration.name] }
            let text = Mutex("")
            let print: @Sendable (String) -> Void = { line in text.withLock { $0 += line + "\n" } }
            let terminal = Program.Terminal(width: 80, print: print, printError: print)
            _ = try await program.run(words + ["-h"], environment: [:], terminal: terminal)
            let (page, options) = (text.withLock { $0 }, named.configuration.commonOptions)
            #expect(page.contains("Usage: fastctl"), "\(words)")
            #expect(options.count <= 12, "\(words)")
            #expect(options.isEmpty || page.split(separator: "\n").count < 60, "\(words)")
        }
    }

    @Test func `README stays below its maximum length`() throws {
        #expect(try GuidePage("README.md").text.split(separator: "\n", omittingEmptySubsequences: false).count <= 151)
    }

    @Test(arguments: pages.filter { !$0.hasPrefix("CONTRIBUTING") })
    func `The self-contained commands on a page produce the output shown there`(page: String) throws {
        let place = try GuideFolder(root: Self.root, page: page)
        var folder: String?
        var output = ""
        var compared = 0
        for block in try GuidePage(page).blocks {
            switch block.language {
            case "sh":
                output = ""
                for line in block.lines {
                    if let (_, name) = line.wholeMatch(of: /cd (\S+)/)?.output { folder = String(name) }
                    if let (_, words) = line.wholeMatch(of: /export (.*)/)?.output { place.export(String(words)) }
                    guard !GuideFolder.needsMore(line) else { continue }
                    let run = try place.run(line, in: folder ?? "")
                    #expect([0, 1, 3].contains(run.status), "\(page): \(line)\n\(run.errors)")
                    output += run.output + run.errors
                }
            case "" where !output.isEmpty:
                compared += 1
                // A truncated line is part of a line; lines may be omitted between any two lines.
                for line in block.lines where line != "…" {
                    for part in line.split(separator: "…") {
                        #expect(output.contains(part), "\(page) shows a line that the command does not: \(line)")
                    }
                }
                output = ""
            default: output = ""
            }
        }
        #expect(page != "README.md" || compared == 2, "README shows a removal and a diagnosis")
    }

    @Test func `More than half of the guide's commands are run`() throws {
        let lines = try Self.pages.flatMap { try GuidePage($0).blocks }.filter { $0.language == "sh" }
            .flatMap(\.lines).filter { $0.contains("fastctl") }
        let run = lines.count { !GuideFolder.needsMore($0) }
        #expect(run * 2 > lines.count, "\(run) of \(lines.count)")
    }

    /// Pages of the guide without a command that this suite can run, each with the reason.
    private static let withoutCommand = [
        "Containers": "its commands need a container engine, and root",
        "LiveChanges": "its commands need a running server; make demo-distributor runs them",
        "MobileServices": "its code is that of a sample, which is built and run",
        "Plans": "its commands need a running server with two users; ContentDistributorTests send the same requests",
    ]

    @Test func `Each page of the guide has a command that is run, or a reason why it has none`() throws {
        let without = try Self.pages.filter { page in
            let lines = try GuidePage(page).blocks.filter { $0.language == "sh" }.flatMap(\.lines)
            return page.hasPrefix("Documentation/Guide/") && lines.allSatisfy(GuideFolder.needsMore)
        }
        #expect(without == Self.withoutCommand.keys.sorted().map { "Documentation/Guide/\($0).md" })
    }

    /// Returns the lines without leading spaces; blank lines are left out.
    private static func unindented(_ lines: [Substring]) -> String {
        lines.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private static func anchor(_ title: String) -> String {
        title.lowercased().filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
            .replacing(" ", with: "-")
    }

    /// The commands, as declared by the main program.
    private struct Root: CommandGroup {
        static let configuration = CommandConfiguration(
            "fastctl",
            summary: "Test.",
            subcommands: FeedCommandSet.all + LogCommandSet.all
        )
        /// Commands of the main program itself.
        static let own: Set = ["schema", "completions", "man", "version", "help"]
    }
}

/// A page in Markdown, and its blocks of code.
private struct GuidePage {
    struct Block {
        var language: String
        /// The lines; a line that ends in a backslash is joined with the next one.
        var lines: [String]
    }

    let text: String

    init(_ page: String) throws {
        text = try String(contentsOf: GuideTests.root.appending(path: page), encoding: .utf8)
    }

    var blocks: [Block] {
        var blocks: [Block] = []
        var isInside = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                if !isInside { blocks.append(Block(language: String(line.dropFirst(3)), lines: [])) }
                isInside.toggle()
            } else if isInside, !line.isEmpty {
                let last = blocks.count - 1
                if let open = blocks[last].lines.last, open.hasSuffix("\\") {
                    blocks[last].lines[blocks[last].lines.count - 1] = String(open.dropLast() + line)
                } else {
                    blocks[last].lines.append(String(line))
                }
            }
        }
        return blocks
    }
}

/// A line as a shell reads it, limited to the syntax that pages use.
private enum ShellLine {
    /// Returns the words of each simple command of a line, without redirections and comments.
    static func commands(_ line: String) -> [[String]] {
        var commands: [[String]] = [[]]
        var (word, isWord, quote) = ("", false, Character?.none)
        func end() {
            if isWord { commands[commands.count - 1].append(word) }
            (word, isWord) = ("", false)
        }
        for character in (line.hasPrefix("$ ") ? String(line.dropFirst(2)) : line) {
            if let open = quote {
                if character == open { quote = nil } else { word.append(character) }
            } else if character == "'" || character == "\"" {
                (quote, isWord) = (character, true)
            } else if character == "#", !isWord {
                break
            } else if "|;&()".contains(character) {
                end()
                if commands.last?.isEmpty == false { commands.append([]) }
            } else if character == " " {
                end()
            } else {
                word.append(character)
                isWord = true
            }
        }
        end()
        return commands.map { $0.filter { !$0.hasPrefix(">") && !$0.hasPrefix("<") && !$0.hasPrefix("2>") } }
            .filter { !$0.isEmpty }
    }
}

/// A copy of the files mentioned in the guide's pages, with its own stores and settings.
private final class GuideFolder {
    private let folder: TemporaryFolder
    private var environment: [String: String]

    /// Returns whether a line needs a network, a farm, or files and settings of the reader.
    static func needsMore(_ line: String) -> Bool {
        let foreign = [
            "https://", "K7Z3", "yesterday", "--a 09:00", "prod", "pages", "cms.db", "wfe1", "WFE", "german", "people",
            "--profile", "catalogue", "changes.jsonl", "rules new", "codes.txt", "make ", "alias ", "drift",
            "farm.log", "sudo", "git ", "9446a0f0-", "contexts ", "--credentials-file ~", "webconfig fix web.config",
        ]
        let isOwn = line.contains("fastctl") || line.contains("content-distributor ")
        return !isOwn || line.hasPrefix("export ") || foreign.contains { line.contains($0) }
    }

    init(root: URL, page: String) throws {
        folder = try TemporaryFolder()
        let binary = try #require(ChildProgram.fastctl)
        environment = [
            "PATH": "\(binary.deletingLastPathComponent().path):/usr/bin:/bin", "HOME": folder.path(""),
            "LC_ALL": "C.UTF-8", "TERM": "dumb", "XDG_DATA_HOME": folder.path("data"),
            "XDG_STATE_HOME": folder.path("state"), "XDG_CONFIG_HOME": folder.path("config"),
            "FASTCTL_TARGET": "sqlite:" + folder.path("store.sqlite"), "FASTCTL_COLLECTION": "WebCollection",
        ]
        try FileManager.default.copyItem(atPath: root.appending(path: "Samples").path, toPath: folder.path("Samples"))
        // Tours of samples are read in their folders.
        if page.hasPrefix("Samples/") {
            for name in try FileManager.default.contentsOfDirectory(
                atPath: folder.path((page as NSString).deletingLastPathComponent)
            ) {
                let from = folder.path((page as NSString).deletingLastPathComponent + "/" + name)
                try FileManager.default.copyItem(atPath: from, toPath: folder.path(name))
            }
        }
        // A page assumes an existing collection, unless its first command creates one.
        let text = try String(contentsOf: root.appending(path: page), encoding: .utf8)
        let first = text.split(separator: "\n").first { $0.hasPrefix("fastctl ") || $0.hasPrefix("cat ") } ?? ""
        isFilled = !first.contains("collections create") && !page.hasPrefix("Samples/web")
        _ = try run("fastctl collections create web", in: nil)
        _ = try run("(umask 077; head -c 32 /dev/urandom >redact.key)", in: nil)
        _ = try run(#"printf 'Url,URL\nID1,ID1\nID9,ID9\n' | tee export.csv | gzip >export.csv.gz"#, in: nil)
        _ = try run("mkdir -p site/a && echo '<title>One</title>' | tee site/1.html >site/a/2.html", in: nil)
        if text.contains("distributor.yaml"), !text.contains("content-distributor init") {
            _ = try run("content-distributor init distributor.yaml", in: nil)
        }
        guard isFilled else { return }
        _ = try run("fastctl collections create WebCollection", in: nil)
        _ = try run(#"printf '{"id":"%s"}\n' ID1 ID2 ID4 | fastctl add --quiet"#, in: nil)
        _ = try run(#"printf 'ID1\nID2\nFAKEID\n' >ids.txt"#, in: nil)
    }

    /// Whether a collection exists before the page begins.
    private let isFilled: Bool

    /// Sets variables as a page's `export` does; a store named in it is created in this folder.
    func export(_ words: String) {
        for word in words.split(separator: " ") {
            let parts = word.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0] != "FASTCTL_TARGET" else { continue }
            environment[String(parts[0])] = String(parts[1])
        }
    }

    /// Runs a line as on a terminal, where names are shown.
    func run(_ line: String, in place: String?) throws -> ChildProgram.Result {
        var line = line
        let redacting = ["fastctl logs trace", "fastctl logs summary", "fastctl diagnose"]
        for command in redacting where !line.contains("redact") {
            line = line.replacing(command, with: command + " --no-redact")
        }
        if isFilled, line.contains("collections create W"), place != nil { line = "true" }
        // Pages name a folder of logs, and README the last job.
        line = line.replacing(#/ /logs\b/#, with: " " + folder.path("Samples/owssvr-aspnet-tracing/as-posted.log"))
        line = line.replacing(/\bJOB\b/, with: "$(fastctl jobs list -o name | head -n 1)")
        return try ChildProgram.run(
            "/usr/bin/timeout",
            ["60", "/bin/bash", "-c", line],
            in: folder.path(place ?? ""),
            environment: environment
        )
    }
}

import Foundation
import TestSupport
import Testing

/// The table of commands and forms in `Documentation/Reference/Formats.md`, enforced by running every pair in it.
@Suite(.enabled(if: ChildProgram.fastctl != nil), .timeLimit(.minutes(30)))
struct FormatMatrixTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../..").standardized

    /// The arguments for running each command of the table on a small input; the folder contains the files of the
    /// sample and a store with two documents.
    private static let commands: [String: String] = [
        "remove": "remove -c Web --missing ignore FAKE", "add": "add -c Web new.jsonl",
        "update": "update -c Web new.jsonl", "copy": "copy -c Spare --source Web",
        "apply": "apply empty.plan", "reconcile": "reconcile -c Web --source jsonl:new.jsonl",
        "undo": "undo FIRST", "verify": "verify FIRST",
        "get": "get -c Web A B", "find": "find -c Web page", "exists": "exists -c Web A B",
        "source show": "source show jsonl:new.jsonl", "source count": "source count jsonl:new.jsonl",
        "source sample": "source sample jsonl:new.jsonl",
        "collections list": "collections list", "collections show": "collections show Web",
        "collections create": "collections create Other",
        "collections clear": "collections clear Spare --confirm Spare",
        "collections delete": "collections delete Spare --confirm Spare",
        "collections optimize": "collections optimize Web",
        "collections diff": "collections diff first.json second.json",
        "contexts list": "contexts list", "contexts show": "contexts show prod",
        "jobs list": "jobs list", "jobs show": "jobs show JOB", "jobs issues": "jobs issues JOB",
        "logs show": "logs show log", "logs merge": "logs merge log", "logs trace": "logs trace 9446a0f0 log",
        "logs requests": "logs requests --slow 1ms log", "logs compare": "logs compare log log",
        "logs summary": "logs summary log", "logs slow": "logs slow log",
        "diagnose": "diagnose --fail-on never --web-config tracing-on log",
        "webconfig check": "webconfig check --fail-on never tracing-on tracing-off",
        "webconfig fix": "webconfig fix --dry-run tracing-on",
        "explain": "explain 0x80070005 1332",
        "rules list": "rules list --rule FS0101 --rule FS0401", "rules lint": "rules lint --rules rules",
        "rules test": "rules test --rules own --rule FS0401", "version": "version",
    ]

    /// Commands that can write several formats in one run, each to a file.
    private static let reports: Set<String> = [
        "collections list", "collections show", "collections diff", "contexts list", "contexts show", "jobs list",
        "jobs show",
        "logs trace", "logs requests", "logs compare",
        "logs summary", "logs slow", "diagnose", "webconfig check", "rules list", "rules lint", "rules test",
    ]

    @Test func `The table names every command with an output format`() throws {
        let named = Set(try FormatTable(Self.root).rows.map(\.command))
        #expect(named == Set(Self.commands.keys))
        // Every declaration of a format option is used by a command of the table, or is listed here.
        #expect(try FormatTable(Self.root).forms.contains("codequality"))
    }

    @Test(arguments: try FormatTable(root).rows)
    func `A command writes each format that the table lists, and it can be read back`(row: FormatTable.Row) throws {
        let place = try MatrixFolder(Self.root)
        let words = try place.words(of: try #require(Self.commands[row.command]))
        if Self.reports.contains(row.command) {
            let outputs = row.forms.flatMap { ["-o", "\($0)=out.\($0)"] }
            let run = try place.run(words + outputs)
            #expect([0, 1].contains(run.status), "\(row.command): \(run.errors)")
            #expect(run.output.isEmpty, "\(row.command): standard output")
            for form in row.forms { try place.check(try place.text("out.\(form)"), as: form, of: row.command) }
        }
        for form in row.forms {
            // One run on standard output is enough if all forms were read from files.
            if Self.reports.contains(row.command), form != "json" { continue }
            // Everything that is created, cleared or deleted existed before.
            let fresh = row.command.hasPrefix("collections ") ? try MatrixFolder(Self.root) : nil
            let run = try (fresh ?? place).run(words + ["-o", form])
            #expect([0, 1].contains(run.status), "\(row.command) -o \(form): \(run.errors)")
            try (fresh ?? place).check(run.output, as: form, of: row.command)
        }
    }

    @Test(arguments: try FormatTable(root).rows)
    func `A format that the table does not list is refused`(row: FormatTable.Row) throws {
        let place = try MatrixFolder(Self.root)
        let words = try place.words(of: try #require(Self.commands[row.command]))
        for form in row.blanks {
            let run = try place.run(words + ["-o", form])
            #expect(run.status == 64, "\(row.command) -o \(form): \(run.status)")
            #expect(run.errors.contains("'\(form)'"), "\(run.errors)")
        }
    }
}

/// The table of `Documentation/Reference/Formats.md`.
struct FormatTable {
    struct Row: CustomTestStringConvertible, Sendable {
        var command: String
        var forms: [String]
        var blanks: [String]
        var testDescription: String { command }
    }

    private(set) var forms: [String] = []
    private(set) var rows: [Row] = []

    init(_ root: URL) throws {
        let text = try String(contentsOf: root.appending(path: "Documentation/Reference/Formats.md"), encoding: .utf8)
        for line in text.split(separator: "\n") where line.hasPrefix("|") && !line.hasPrefix("|-") {
            let cells = line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells[0] != "command" else {
                forms = Array(cells.dropFirst())
                continue
            }
            let pairs = zip(forms, cells.dropFirst())
            // The first word of a group, such as collections, applies to all of its commands.
            let names = cells[0].matches(of: /`([^`]+)`/).map { String($0.1) }
            let words = names[0].split(separator: " ")
            for (index, name) in names.enumerated() {
                rows.append(
                    Row(
                        command: index > 0 && words.count > 1 ? "\(words[0]) \(name)" : name,
                        forms: pairs.filter { $0.1 == "●" }.map(\.0),
                        blanks: pairs.filter { $0.1.isEmpty }.map(\.0)
                    )
                )
            }
        }
    }
}

/// A folder with an example of everything that the commands of the table show.
private struct MatrixFolder {
    private let folder: TemporaryFolder
    private let root: URL
    private let environment: [String: String]

    init(_ root: URL) throws {
        folder = try TemporaryFolder()
        self.root = root
        let binary = try #require(ChildProgram.fastctl)
        environment = [
            "PATH": "\(binary.deletingLastPathComponent().path):/usr/bin:/bin", "HOME": folder.path(""),
            "LC_ALL": "C.UTF-8", "TERM": "dumb", "XDG_DATA_HOME": folder.path("data"),
            "XDG_CONFIG_HOME": folder.path("config"),
            // The context exists only to be listed, not to be used.
            "FASTCTL_TARGET": "sqlite:" + folder.path("store.sqlite"),
        ]
        let sample = root.appending(path: "Samples/owssvr-aspnet-tracing")
        for name in ["tracing-on", "tracing-off"] {
            try FileManager.default.copyItem(atPath: sample.appending(path: name).path, toPath: folder.path(name))
        }
        let log = sample.appending(path: "TEST-SP-20110926-1039.log").path
        try FileManager.default.createDirectory(atPath: folder.path("log"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: log, toPath: folder.path("log/TEST-SP-20110926-1039.log"))
        try FileManager.default.createDirectory(atPath: folder.path("rules"), withIntermediateDirectories: true)
        try "schema: fastctl.rule/1\nid: FS5001\n".write(
            toFile: folder.path("rules/FS5001.yaml"),
            atomically: true,
            encoding: .utf8
        )
        try FileManager.default.createDirectory(atPath: folder.path("own"), withIntermediateDirectories: true)
        let tests = root.appending(path: "Rules/FS0401.tests.yaml").path
        try FileManager.default.copyItem(atPath: tests, toPath: folder.path("own/FS0401.tests.yaml"))
        let lines = ["A", "B"].map { #"{"id":"\#($0)","title":"The page =\#($0), \"ü\" 日本語"}"# + "\n" }
        try lines.joined().write(toFile: folder.path("new.jsonl"), atomically: true, encoding: .utf8)
        for (name, count) in [("first", 1), ("second", 2)] {
            let text = """
                {"schema":"fastctl.collectionDefinition/1","engine":"opensearch","name":"web",
                "settings":{"number_of_shards":\(count)}}
                """
            try text.write(toFile: folder.path("\(name).json"), atomically: true, encoding: .utf8)
        }
        let other = #"{"id":"A","title":"Another page"}"#
        try other.write(toFile: folder.path("other.jsonl"), atomically: true, encoding: .utf8)
        for words in [
            ["collections", "create", "Web"], ["collections", "create", "Spare"],
            ["add", "-c", "Web", "new.jsonl", "--backup", "before.jsonl"], ["add", "-c", "Web", "other.jsonl"],
            ["remove", "-c", "Web", "--missing", "warn", "GONE"], ["find", "-c", "Spare", "--plan", "empty.plan"],
            ["contexts", "add", "prod", "--target", "opensearch+https://search:9200", "--collection", "web"],
        ] {
            let run = try run(words)
            try #require([0, 1].contains(run.status), "\(words): \(run.errors)")
        }
    }

    func text(_ name: String) throws -> String { try String(contentsOfFile: folder.path(name), encoding: .utf8) }

    func run(_ words: [String]) throws -> ChildProgram.Result {
        try ChildProgram.run("timeout", ["120", "fastctl"] + words, in: folder.path(""), environment: environment)
    }

    /// Returns the words of a command; JOB is the newest job; FIRST is the oldest one, one of whose documents has since
    /// changed.
    func words(of command: String) throws -> [String] {
        var words = command.split(separator: " ").map(String.init)
        guard let place = words.firstIndex(where: { $0 == "JOB" || $0 == "FIRST" }) else { return words }
        let jobs = try run(["jobs", "list", "-o", "name"]).output.split(separator: "\n")
        words[place] = String(try #require(words[place] == "JOB" ? jobs.first : jobs.last))
        return words
    }

    /// Checks that text has a format.
    func check(_ text: String, as form: String, of command: String) throws {
        let place: Comment = "\(command) -o \(form): \(text.prefix(300))"
        switch form {
        case "text": break
        case "json":
            let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
            #expect(value is [Any] == isList(command), place)
            try checkSchemas(text, place)
        case "ndjson":
            #expect(!text.isEmpty, place)
            for line in text.split(separator: "\n") {
                #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: Any], place)
            }
            try checkSchemas(text, place)
        case "name": #expect(text.split(separator: "\n").allSatisfy { $0.wholeMatch(of: /[\w-]+/) != nil }, place)
        case "csv": try python(Self.csv, text, place)
        case "markdown": #expect(text.hasPrefix("#") || text.hasPrefix("|"), place)
        case "prometheus": try python(Self.prometheus, text, place)
        case "junit": try xmllint(text, place)
        case "sarif": #expect(try member("version", of: text) == "2.1.0", place)
        case "codequality": try python(Self.codeQuality, text, place)
        case "github": #expect(text.hasPrefix("::"), place)
        case "azure": #expect(text.hasPrefix("##vso[task.logissue type="), place)
        case "uls": #expect(text.hasPrefix("Timestamp"), place)
        default: Issue.record("no check for \(form)")
        }
    }

    private func isList(_ command: String) -> Bool {
        let single: Set = [
            "remove", "add", "update", "copy", "apply", "undo", "reconcile", "collections show", "collections create",
            "collections clear",
            "collections delete", "collections optimize", "contexts show", "jobs show", "logs summary", "logs slow",
            "logs compare", "diagnose", "webconfig check", "webconfig fix", "version", "source show", "source count",
        ]
        return !single.contains(command)
    }

    private func member(_ name: String, of json: String) throws -> String? {
        (try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])?[name] as? String
    }

    private func checkSchemas(_ text: String, _ place: Comment) throws {
        try text.write(toFile: folder.path("out"), atomically: true, encoding: .utf8)
        let problems = try SchemaValidator.problems(in: [folder.path("out")], root: root, needsObject: true)
        #expect(problems.isEmpty, "\(place)\n\(problems)")
    }

    private func xmllint(_ text: String, _ place: Comment) throws {
        try text.write(toFile: folder.path("out"), atomically: true, encoding: .utf8)
        let schema = ProcessInfo.processInfo.environment["FASTCTL_SCHEMAS"].map { ["--schema", $0 + "/junit-10.xsd"] }
        let run = try ChildProgram.run(
            "xmllint",
            ["--noout"] + (schema ?? []) + [folder.path("out")],
            in: folder.path(""),
            environment: environment
        )
        #expect(run.status == 0, "\(place)\n\(run.errors)")
    }

    /// Runs a script of Debian's Python that reads the text from a file and fails if something is wrong with it.
    private func python(_ script: String, _ text: String, _ place: Comment) throws {
        try text.write(toFile: folder.path("out"), atomically: true, encoding: .utf8)
        let run = try ChildProgram.run(
            "/usr/bin/python3",
            ["-c", script, folder.path("out")],
            in: folder.path(""),
            environment: environment
        )
        #expect(run.status == 0, "\(place)\n\(run.errors)")
    }

    private static let csv = """
        import csv, sys
        text = open(sys.argv[1], encoding="utf-8", newline="").read()
        rows = list(csv.reader(text.splitlines(keepends=True), strict=True))
        assert text.endswith("\\r\\n") and len({len(row) for row in rows}) == 1 and len(rows) > 1, rows[:3]
        assert not any(cell[:1] in ("=", "@") for row in rows for cell in row), "a formula"
        """
    private static let prometheus = """
        import sys
        from prometheus_client.parser import text_string_to_metric_families
        families = list(text_string_to_metric_families(open(sys.argv[1], encoding="utf-8").read()))
        assert families and all(f.documentation and f.samples for f in families)
        assert len({f.name for f in families}) == len(families)
        samples = [(s.name, tuple(sorted(s.labels.items()))) for f in families for s in f.samples]
        assert len(set(samples)) == len(samples), "a sample is there twice"
        """
    private static let codeQuality = """
        import json, sys
        issues = json.load(open(sys.argv[1], encoding="utf-8"))
        assert issues and len({issue["fingerprint"] for issue in issues}) == len(issues)
        for issue in issues:
            assert set(issue) == {"description", "check_name", "fingerprint", "severity", "location"}, issue
            assert issue["severity"] in ("info", "minor", "major", "critical", "blocker")
            path = issue["location"]["path"]
            assert not path.startswith(("/", "./")) and issue["location"]["lines"]["begin"] >= 1, issue
        """
}

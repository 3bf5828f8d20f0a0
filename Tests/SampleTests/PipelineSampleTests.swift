import Foundation
import Glibc
import TestSupport
import Testing
import YAML

/// The action and the pipelines of `Samples/ci`: their files are well-formed, and their steps install a package only if
/// it has the right checksum.
///
/// The steps are run as they are by the services, with a package whose program is a script.
struct PipelineSampleTests {
    private static let version = "9.8.7"
    private static let wrong = String(repeating: "0", count: 64)
    private static let names =
        ["action.yml"] + ["diagnose", "gitlab-ci", "azure-pipelines"].map { "Samples/ci/\($0).yml" }
        + ["bug", "config", "diagnosis", "feature"].map { ".github/ISSUE_TEMPLATE/\($0).yml" }
        + ["Packaging/compose.yaml", "Packaging/distributor.yaml"]

    // MARK: The files

    @Test(arguments: names) func `Each file is valid YAML`(name: String) throws {
        #expect(try yaml(name).keys.count >= 1)
        #expect(throws: YAMLError.self) {
            try YAMLDecoder().decode(
                YAMLValue.self,
                from: String(contentsOf: Self.file(name), encoding: .utf8) + "\n\t- x"
            )
        }
    }

    @Test func `The GitHub example uses only inputs and outputs that the action has`() throws {
        let action = try yaml("action.yml")
        let steps = try yaml("Samples/ci/diagnose.yml")["jobs"]?["diagnose"]?["steps"]?.items ?? []
        let used = try #require(steps.first { $0["uses"]?.text?.hasPrefix("OWNER/fastctl@") == true })
        let inputs = Set((used["with"]?.keys ?? []).sorted())
        #expect(inputs.count > 3 && inputs.isSubset(of: action["inputs"]?.keys ?? []))
        let text = try String(contentsOf: Self.file("Samples/ci/diagnose.yml"), encoding: .utf8)
        let outputs = text.matches(of: /steps\.diagnosis\.outputs\.([\w-]+)/).map { String($0.1) }
        #expect(Set(outputs).isSubset(of: action["outputs"]?.keys ?? []) && outputs.contains("sarif"))
        #expect(steps.contains { $0["uses"]?.text?.hasPrefix("github/codeql-action/upload-sarif@") == true })
        // Its step needs this right.
        #expect(try yaml("Samples/ci/diagnose.yml")["permissions"]?["security-events"]?.text == "write")
    }

    @Test func `The GitHub example installs the programs that the installation calls, and no library`() throws {
        let script = try String(contentsOf: Self.file("Samples/ci/install.sh"), encoding: .utf8)
        let tools = try #require(script.firstMatch(of: /for tool in ([a-z0-9 ]+);/)).1.split(separator: " ")
        let steps = try yaml("Samples/ci/diagnose.yml")["jobs"]?["diagnose"]?["steps"]?.items ?? []
        let command = try #require(steps.compactMap { $0["run"]?.text }.first { $0.contains("apt-get install") })
        let packages = command.split { $0 == " " || $0 == "\n" }
        // Every Debian system has coreutils.
        for tool in tools where tool != "sha256sum" { #expect(packages.contains(tool), "\(tool)") }
        #expect(tools.count > 2 && !packages.contains { $0.hasPrefix("lib") })
    }

    @Test func `Each input of the action is passed to its scripts`() throws {
        let action = try yaml("action.yml")
        let steps = action["runs"]?["steps"]?.items ?? []
        let values = steps.flatMap { step in (step["env"]?.keys ?? []).compactMap { step["env"]?[$0]?.text } }
        for input in action["inputs"]?.keys ?? [] {
            #expect(values.contains { $0.contains("inputs.\(input)") }, "\(input)")
        }
        // An input within a command would be executed.
        for step in steps { #expect(step["run"]?.text?.contains("${{") == false) }
    }

    @Test func `Blocks of the Jenkinsfile are balanced`() throws {
        let text = try String(contentsOf: Self.file("Samples/ci/Jenkinsfile"), encoding: .utf8)
            .replacing(/'''.*?'''/.dotMatchesNewlines(), with: "").replacing(/"[^"\n]*"|'[^'\n]*'|\/\/.*/, with: "")
        var depth = 0
        for character in text {
            depth += character == "{" ? 1 : character == "}" ? -1 : 0
            #expect(depth >= 0)
        }
        #expect(depth == 0 && text.hasPrefix("\n\npipeline {"))
    }

    @Test func `The pages and files state the same version as the program`() throws {
        let changes = try String(contentsOf: Self.file("CHANGELOG.md"), encoding: .utf8)
        let version = try #require(changes.firstMatch(of: /## \[(\d+\.\d+\.\d+)\]/)).1
        for name in ["diagnose.yml", "gitlab-ci.yml", "azure-pipelines.yml", "Jenkinsfile"] {
            let text = try String(contentsOf: Self.file("Samples/ci/\(name)"), encoding: .utf8)
            let named = text.matches(of: /(?:fastctl@v|fastctl[_-])(\d+\.\d+\.\d+)/).map(\.1)
            #expect(!named.isEmpty && named.allSatisfy { $0 == version }, "\(name): \(named)")
        }
    }

    // MARK: The action's installation

    @Test func `The action installs the package of its tag`() throws {
        let place = try PackageServer(version: Self.version)
        let run = try install(from: place, version: "v" + Self.version)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.hasPrefix("fastctl 9.8.7 from fastctl-9.8.7-linux-"))
        let program = place.folder.path("runner/fastctl-__fastctl/bin/fastctl")
        #expect(try place.text("output") == "program=\(program)\n")
        #expect(try place.text("path") == (program as NSString).deletingLastPathComponent + "\n")
        #expect(try ChildProgram.run(program, ["version"]).output == "fastctl 9.8.7\n")
    }

    @Test func `A checksum in the workflow takes precedence over SHA256SUMS`() throws {
        let place = try PackageServer(version: Self.version)
        try FileManager.default.removeItem(atPath: place.folder.path("site/SHA256SUMS"))
        #expect(try install(from: place, version: Self.version, sum: place.sum).status == 0)
        let other = try PackageServer(version: Self.version)
        try expectRefusal(
            try install(from: other, version: Self.version, sum: Self.wrong),
            "not \(Self.wrong)",
            in: other
        )
    }

    @Test func `A package with a different checksum is not unpacked`() throws {
        let place = try PackageServer(version: Self.version)
        try "\(Self.wrong)  \(place.archive)\n".write(
            toFile: place.folder.path("site/SHA256SUMS"),
            atomically: false,
            encoding: .utf8
        )
        let run = try install(from: place, version: Self.version)
        try expectRefusal(
            run,
            "has the SHA-256 checksum \(place.sum), not \(Self.wrong); it was not unpacked",
            in: place
        )
    }

    @Test func `A missing package and missing checksums are reported with their address`() throws {
        let place = try PackageServer(version: Self.version)
        try FileManager.default.removeItem(atPath: place.folder.path("site/" + place.archive))
        try expectRefusal(try install(from: place, version: Self.version), "/\(place.archive): curl: (22)", in: place)
        try "".write(toFile: place.folder.path("site/SHA256SUMS"), atomically: false, encoding: .utf8)
        try expectRefusal(try install(from: place, version: Self.version), "has no checksum of", in: place)
        try FileManager.default.removeItem(atPath: place.folder.path("site/SHA256SUMS"))
        try expectRefusal(try install(from: place, version: Self.version), "/SHA256SUMS: curl: (22)", in: place)
    }

    @Test(arguments: ["main", "", "v1.2", "9.8.7;id", "../9.8.7"])
    func `A reference that does not name a version is refused`(version: String) throws {
        let place = try PackageServer(version: Self.version)
        try expectRefusal(try install(from: place, version: version), "is not a version", in: place)
    }

    @Test(arguments: ["http://packages.example/f", "file:///tmp", "http://127.0.0.1:80@packages.example/", "--output"])
    func `Packages are downloaded over HTTPS only`(address: String) throws {
        let place = try PackageServer(version: Self.version)
        let run = try install(from: place, version: Self.version, address: address)
        try expectRefusal(run, "must begin with https://", in: place)
    }

    @Test func `A package with a different program is refused, and an existing folder is kept`() throws {
        let place = try PackageServer(version: Self.version, program: "echo fastctl 9.8.6")
        try expectRefusal(try install(from: place, version: Self.version), "contains 'fastctl 9.8.6'", in: place)
        let broken = try PackageServer(version: Self.version, program: "echo no library >&2; exit 127")
        try expectRefusal(try install(from: broken, version: Self.version), "does not start: no library", in: broken)
        let old = try PackageServer(
            version: Self.version,
            program: "echo a message of the loader >&2; exit 127",
            check: "echo Needs a later system.; echo Needs a library.; exit 1"
        )
        let sentences = "does not start: Needs a later system. Needs a library. (see "
        try expectRefusal(try install(from: old, version: Self.version), sentences, in: old)
        let full = try PackageServer(version: Self.version)
        try FileManager.default.createDirectory(
            atPath: full.folder.path("runner/fastctl-__fastctl/mine"),
            withIntermediateDirectories: true
        )
        let run = try install(from: full, version: Self.version)
        #expect(run.status == 1 && run.errors.contains("exists already"))
        #expect(FileManager.default.fileExists(atPath: full.folder.path("runner/fastctl-__fastctl/mine")))
    }

    private func expectRefusal(_ run: ChildProgram.Result, _ reason: String, in place: PackageServer) throws {
        #expect(run.status == 1)
        #expect(run.errors.hasPrefix("fastctl is not installed: ") && run.errors.contains(reason), "\(run.errors)")
        // An annotation for the run's page.
        #expect(run.output.hasPrefix("::error title=fastctl is not installed::"), "\(run.output)")
        #expect(try place.text("output").isEmpty && place.text("path").isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder.path("runner")).isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder.path("tmp")).isEmpty)
    }

    /// Runs the action's first step, with its expressions replaced as GitHub would.
    private func install(
        from place: PackageServer,
        version: String,
        sum: String = "",
        address: String? = nil
    ) throws -> ChildProgram.Result {
        let step = try #require(yaml("action.yml")["runs"]?["steps"]?.items.first)
        let values = [
            "inputs.version || github.action_ref": version, "inputs.download": address ?? place.address,
            "inputs.sha256": sum, "github.server_url": "https://github.example",
            "github.action_repository": "o/fastctl",
        ]
        var environment = place.environment
        for name in step["env"]?.keys ?? [] {
            environment[name] = try #require(step["env"]?[name]?.text).replacing(/\$\{\{ (.*?) \}\}/) { match in
                values[String(match.1)] ?? "unexpected expression"
            }
        }
        #expect(step["if"]?.text == "inputs.command == ''")
        let command = try #require(step["run"]?.text)
        return try ChildProgram.run("bash", ["-e", "-c", command], in: place.folder.path(""), environment: environment)
    }

    // MARK: The other pipelines

    @Test func `GitLab's job installs the package only with its checksum`() throws {
        let lines = try yaml("Samples/ci/gitlab-ci.yml")["diagnose"]?["before_script"]?.items.compactMap(\.text) ?? []
        try expectChecked(lines.joined(separator: "\n"), installed: "apt-get install -qq --yes ./")
    }

    @Test func `Azure's first step unpacks the package only with its checksum`() throws {
        let step = try yaml("Samples/ci/azure-pipelines.yml")["steps"]?.items.first
        try expectChecked(#require(step?["bash"]?.text), installed: "##vso[task.prependpath]")
    }

    @Test func `Jenkins's first stage unpacks the package only with its checksum`() throws {
        let text = try String(contentsOf: Self.file("Samples/ci/Jenkinsfile"), encoding: .utf8)
        let script = try #require(text.firstMatch(of: /sh '''(.*?)'''/.dotMatchesNewlines())).1
        try expectChecked(script + "\n.fastctl/bin/fastctl version", installed: "fastctl 9.8.7")
    }

    private func expectChecked(_ script: String, installed: String) throws {
        for isRight in [true, false] {
            let place = try PackageServer(version: Self.version)
            // As root, apt would install.
            try place.folder.writeScript("bin/apt-get", "echo apt-get \"$@\"")
            var environment = place.environment
            environment["PACKAGES"] = place.address
            environment["PACKAGE"] = place.archive
            environment["SHA256"] = isRight ? place.sum : Self.wrong
            environment["AGENT_TEMPDIRECTORY"] = place.folder.path("runner")
            let folder = place.folder.path("runner")
            let run = try ChildProgram.run("bash", ["-e", "-c", script], in: folder, environment: environment)
            #expect((run.status == 0) == isRight, "\(run.errors)")
            #expect(run.output.contains("\(place.archive): \(isRight ? "OK" : "FAILED")"))
            #expect(run.output.contains(installed) == isRight, "\(run.output)")
        }
    }

    private static func file(_ path: String) -> URL {
        URL(filePath: #filePath).appending(path: "../../..").standardized.appending(path: path)
    }

    private func yaml(_ name: String) throws -> YAMLValue {
        try YAMLDecoder().decode(from: String(contentsOf: Self.file(name), encoding: .utf8))
    }
}

/// A local server with a package, and the folder of a runner.
private final class PackageServer {
    let folder: TemporaryFolder
    let archive: String
    /// The package's checksum.
    let sum: String
    private let server: ChildProgram

    /// Packs a program, the lines of a script; by default, one that prints its version.
    ///
    /// `check` contains the lines of its check-system script.
    init(version: String, program: String? = nil, check: String? = nil) throws {
        folder = try TemporaryFolder()
        var names = utsname()
        uname(&names)
        let machine = withUnsafeBytes(of: names.machine) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        let tree = "fastctl-\(version)-linux-\(machine)"
        archive = tree + ".tar.zst"
        for name in ["site", "bin", "runner", "tmp", "\(tree)/bin", "\(tree)/share/fastctl"] {
            try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
        }
        try folder.writeScript("\(tree)/bin/fastctl", program ?? "echo fastctl \(version)")
        if let check { try folder.writeScript("\(tree)/share/fastctl/check-system", check) }
        let pack =
            "tar -cf - '\(tree)' | zstd -q -o 'site/\(archive)' && cd site && sha256sum '\(archive)' | tee SHA256SUMS"
        let packed = try ChildProgram.run("sh", ["-c", pack], in: folder.path(""))
        sum = String(packed.output.prefix(64))
        #expect(packed.status == 0 && packed.output.contains(archive), "\(packed.errors)")

        for name in ["output", "path"] { try "".write(toFile: folder.path(name), atomically: false, encoding: .utf8) }
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        server = try ChildProgram(
            "python3",
            ["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", folder.path("site")],
            output: ends[1]
        )
        // The server prints its address once it listens; if it ended, it would close the pipe.
        close(ends[1])
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(ends[0], &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
        let text = String(decoding: line, as: UTF8.self)
        address = try #require(text.firstMatch(of: /\((http:\/\/127\.0\.0\.1:\d+)\/\)/), "\(text)").1.description
    }

    let address: String

    var environment: [String: String] {
        [
            "PATH": "\(folder.path("bin")):/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TMPDIR": folder.path("tmp"),
            "GITHUB_ACTIONS": "true", "RUNNER_TEMP": folder.path("runner"), "GITHUB_ACTION": "__fastctl",
            "GITHUB_ACTION_PATH": URL(filePath: #filePath).appending(path: "../../..").standardized.path,
            "GITHUB_OUTPUT": folder.path("output"), "GITHUB_PATH": folder.path("path"),
        ]
    }

    func text(_ name: String) throws -> String { try String(contentsOfFile: folder.path(name), encoding: .utf8) }
}

extension YAMLValue {
    fileprivate subscript(key: String) -> YAMLValue? {
        if case .mapping(let entries) = self { entries[key] } else { nil }
    }

    fileprivate var keys: Set<String> { if case .mapping(let entries) = self { Set(entries.keys) } else { [] } }
    fileprivate var items: [YAMLValue] { if case .list(let items) = self { items } else { [] } }
    fileprivate var text: String? { if case .text(let text) = self { text } else { nil } }
}

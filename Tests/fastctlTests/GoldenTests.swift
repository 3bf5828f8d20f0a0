import Foundation
import TestSupport
import Testing
import Threads

/// Runs the binary over the folders in `Golden`: a command, its output, and its exit code.
///
/// `RECORD=1` writes the output into the folders instead.
struct GoldenTests {
    @Test(.enabled(if: ChildProgram.fastctl != nil), arguments: GoldenCase.all)
    func `A command prints the output and returns the exit code that its folder requires`(golden: GoldenCase) throws {
        if let reason = golden.reasonToSkip {
            print("skipped \(golden): \(reason)")
            return
        }
        try golden.check(golden.run())
    }

    @Test func `There is a case for every exit code of this version`() {
        let codes = Set(GoldenCase.all.compactMap { Int($0.expected("exit").trimmingCharacters(in: .newlines)) })
        #expect(codes.isSuperset(of: [0, 1, 3, 64, 65, 66, 69, 71, 73, 74, 75, 77, 78, 130, 143]))
        #expect(GoldenCase.all.count >= 40)
    }
}

/// A folder of `Golden`: `command` and its inputs, and its results in `stdout`, `stderr` and `exit`.
struct GoldenCase: CustomTestStringConvertible, Sendable {
    let folder: URL
    var testDescription: String { folder.lastPathComponent }

    struct Outcome {
        /// Texts by the names of their files.
        var files: KeyValuePairs<String, String>
    }

    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()

    /// The cases that need only the command.
    static let all = cases(in: "Golden")

    /// Returns the cases in a folder next to this file, by name.
    static func cases(in name: String) -> [GoldenCase] {
        let root = tests.appending(path: name)
        let folders = try? FileManager.default.contentsOfDirectory(at: root, includingPropertiesForKeys: nil)
        return (folders ?? []).filter { $0.hasDirectoryPath }.map(GoldenCase.init)
            .sorted { $0.folder.path < $1.folder.path }
    }

    /// A case may have a script `condition` that fails and prints the reason if the case can't be run.
    var reasonToSkip: String? {
        let condition = folder.appending(path: "condition")
        guard FileManager.default.fileExists(atPath: condition.path) else { return nil }
        let shell = try? ChildProgram.run(
            "bash",
            [condition.path],
            in: folder.path,
            environment: ["PATH": "/usr/bin:/bin:/sbin"]
        )
        return shell.flatMap { $0.status == 0 ? nil : $0.output }
    }

    func expected(_ name: String) -> String {
        (try? String(contentsOf: folder.appending(path: name), encoding: .utf8)) ?? ""
    }

    /// Runs the command in a copy of the folder, with a separate data folder.
    ///
    /// - Parameters:
    ///   - environment: Environment variables of the command in addition to the usual ones.
    ///   - names: Replacements for texts that differ from run to run.
    /// - Returns: The results of the command.
    /// - Throws: An error if the command can't be run.
    func run(environment: [String: String] = [:], hiding names: [String: String] = [:]) throws -> Outcome {
        let place = FileManager.default.temporaryDirectory.appending(path: "golden-" + UUID().uuidString)
        try FileManager.default.copyItem(at: folder, to: place)
        defer { try? FileManager.default.removeItem(at: place) }
        for name in ["stdout", "stderr", "exit"] {
            try? FileManager.default.removeItem(at: place.appending(path: name))
        }
        let products = ChildProgram.fastctl?.deletingLastPathComponent().path ?? ""
        let result = try ChildProgram.run(
            "timeout",
            [
                "--kill-after=5", "60", "bash", "-c",
                "exec </dev/null; [ ! -e input ] || exec <input; . '\(folder.deletingLastPathComponent().path)/prelude.sh'; . ./command",
            ],
            in: place.path,
            environment: [
                "PATH": "\(products):/usr/local/bin:/usr/bin:/bin", "HOME": place.path, "LC_ALL": "C.UTF-8",
                "XDG_DATA_HOME": place.path + "/data", "COLUMNS": "80", "TERM": "dumb",
            ]
            .merging(environment) { $1 }
        )
        let normalizer = GoldenNormalizer(place: place.path, names: names)
        return Outcome(files: [
            "stdout": normalizer.normalized(result.output), "stderr": normalizer.normalized(result.errors),
            "exit": "\(result.status)\n",
        ])
    }

    /// Compares the results with the folder, or writes them there if `RECORD=1` is set.
    func check(_ outcome: Outcome) throws {
        if ProcessInfo.processInfo.environment["RECORD"] == "1" { return try record(outcome) }
        for (name, text) in outcome.files {
            let expected = expected(name)
            if text != expected { Issue.record("\(self): \(name)\n\(try difference(from: expected, to: text))") }
        }
    }

    private func record(_ outcome: Outcome) throws {
        for (name, text) in outcome.files {
            try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
        }
    }

    private func difference(from expected: String, to actual: String) throws -> String {
        let place = FileManager.default.temporaryDirectory.appending(path: "diff-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: place) }
        try expected.write(to: place.appending(path: "expected"), atomically: false, encoding: .utf8)
        try actual.write(to: place.appending(path: "actual"), atomically: false, encoding: .utf8)
        return try ChildProgram.run(
            "diff",
            ["-u", "expected", "actual"],
            in: place.path,
            environment: ["PATH": "/usr/bin:/bin"]
        )
        .output
    }
}

/// Removes from output everything that differs from run to run.
struct GoldenNormalizer {
    /// The folder in which the command ran.
    let place: String
    /// Other texts to replace, and their replacements.
    let names: [String: String]

    func normalized(_ text: String) -> String {
        names.reduce(text) { $0.replacing($1.key, with: $1.value) }
            .replacing(place, with: "TMP")
            .replacing(/[0-9A-HJKMNP-TV-Z]{16}/, with: "JOB")
            .replacing(/[0-9]+\.[0-9] s\)/, with: "0.0 s)")
            .replacing(/\ on 20[0-9]{2}-[-0-9T:.]+Z/, with: " on TIME")
            .replacing(/"startedAt":( ?)"[^"]*"(,\s*"seconds": ?)[0-9.]+/) {
                "\"startedAt\":\($0.output.1)\"TIME\"\($0.output.2)0.000"
            }
            .replacing(/[0-9]+(\.[0-9])? [KMG]iB/, with: "SIZE")
            .replacing(/"waiting":([0-9]+),"bytes":[0-9]+/) { "\"waiting\":\($0.output.1),\"bytes\":0" }
    }
}

/// Runs the binary over the folders in `LiveGolden`, against real engines.
///
/// Their addresses are in `OPENSEARCH`, `ELASTICSEARCH`, `SOLR` and `SECURE` (an OpenSearch with passwords, whose
/// authority is in `AUTHORITY`). `RECORD=1` writes the output into the folders instead.
@Suite(
    .enabled(if: LiveEngine.isAvailable && ChildProgram.fastctl != nil, "FASTCTL_ENGINES does not name the engines"),
    .serialized,
    .timeLimit(.minutes(30))
)
struct LiveGoldenTests {
    @Test(arguments: GoldenCase.cases(in: "LiveGolden"))
    func `A command prints the output and returns the exit code that its folder requires`(
        golden: GoldenCase
    ) async throws {
        let secure = try await LiveEngine.shared(.openSearch, secure: true)
        let addresses = [
            "OPENSEARCH": try await LiveEngine.shared(.openSearch).urls[0],
            "ELASTICSEARCH": try await LiveEngine.shared(.elasticsearch).urls[0],
            "SOLR": try await LiveEngine.shared(.solr).urls[0],
            "SECURE": secure.urls[0],
        ]
        var names: [String: String] = [:]
        for (name, address) in addresses {
            let port = URL(string: address)?.port.map { "\($0)" } ?? ""
            names["127.0.0.1:" + port] = "127.0.0.1:" + name
        }
        names[secure.folder] = "ENGINE"
        let environment = addresses.merging(["AUTHORITY": secure.folder + "/tls/ca.pem"]) { $1 }
        let hidden = names
        let outcome = await onOwnThread { Result { try golden.run(environment: environment, hiding: hidden) } }
        try golden.check(outcome.get())
    }
}

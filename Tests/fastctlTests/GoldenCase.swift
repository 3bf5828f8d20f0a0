import Foundation
import Testing

/// A folder of `Golden`: `command` and what it needs, and what comes of it in `stdout`, `stderr` and `exit`.
struct GoldenCase: CustomTestStringConvertible, Sendable {
    let folder: URL
    var testDescription: String { folder.lastPathComponent }

    struct Outcome {
        /// By the names of their files.
        var files: KeyValuePairs<String, String>
    }

    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()

    /// The cases that need nothing but the command.
    static let all = cases(in: "Golden")

    /// The cases in a folder beside this file, by name.
    static func cases(in name: String) -> [GoldenCase] {
        let root = tests.appending(path: name)
        let folders = try? FileManager.default.contentsOfDirectory(at: root, includingPropertiesForKeys: nil)
        return (folders ?? []).filter { $0.hasDirectoryPath }.map(GoldenCase.init)
            .sorted { $0.folder.path < $1.folder.path }
    }

    /// The binary is built beside the tests.
    static let binary: URL? = {
        let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        let binary = tests.deletingLastPathComponent().appending(path: "fastctl")
        return FileManager.default.isExecutableFile(atPath: binary.path) ? binary : nil
    }()

    /// A case may have a script `condition` that fails where the case can't be run, and says why.
    var reasonToSkip: String? {
        let condition = folder.appending(path: "condition")
        guard FileManager.default.fileExists(atPath: condition.path) else { return nil }
        let shell = try? Shell.run(
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

    /// Runs the command in a copy of the folder, with a data folder of its own.
    ///
    /// - Parameters:
    ///   - environment: What the command finds in its environment besides the usual.
    ///   - names: What to print in place of texts that differ from run to run.
    /// - Returns: What came of it.
    /// - Throws: When the command can't be run.
    func run(environment: [String: String] = [:], hiding names: [String: String] = [:]) throws -> Outcome {
        let place = FileManager.default.temporaryDirectory.appending(path: "golden-" + UUID().uuidString)
        try FileManager.default.copyItem(at: folder, to: place)
        defer { try? FileManager.default.removeItem(at: place) }
        for name in ["stdout", "stderr", "exit"] {
            try? FileManager.default.removeItem(at: place.appending(path: name))
        }
        let products = Self.binary?.deletingLastPathComponent().path ?? ""
        let result = try Shell.run(
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

    /// Compares what came of it with the folder, or writes it there for `RECORD=1`.
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
        return try Shell.run(
            "diff",
            ["-u", "expected", "actual"],
            in: place.path,
            environment: ["PATH": "/usr/bin:/bin"]
        )
        .output
    }
}

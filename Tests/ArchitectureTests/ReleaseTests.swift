import Foundation
import TestSupport
import Testing

/// `Scripts/release`, run in a small repository: it refuses a release and lists the reasons, and changes nothing
/// without `--tag`.
struct ReleaseTests {
    fileprivate static let root = URL(filePath: #filePath).appending(path: "../../..").standardized

    @Test func `A release that is ready is shown with its notes, and nothing is changed`() throws {
        let repository = try Repository()
        for arguments in [[], ["--dry-run"]] {
            let run = try repository.release(arguments)
            #expect(run.status == 0, "\(run.errors)")
            #expect(run.output.hasPrefix("Version 1.2.3 of 2024-03-11 is ready, at the commit "))
            #expect(run.output.hasSuffix("\n\nIt is better.\n\n**More.** Much better.\n"), "\(run.output)")
        }
        #expect(try repository.git("tag", "--list") == "")
        #expect(try repository.git("status", "--porcelain") == "")
    }

    @Test(arguments: [
        ("## [1.2.3] - unreleased", "version 1.2.3 has no date in CHANGELOG.md"),
        ("## [1.2.3] - 2024-13-01", "version 1.2.3 has no date in CHANGELOG.md"),
        ("## [1.2.3] - 9999-01-01", "which is in the future"),
        ("## [1.2.4] - 2024-03-11", "Sources/Commands/CommandKit/Process/StandardStreams.swift has version '1.2.3'"),
        ("## [1.2.4] - 2024-03-11", "DistributorService.swift has version '1.2.3', CHANGELOG.md has '1.2.4'"),
        ("## 1.2.3", "CHANGELOG.md has no heading such as '## [1.2.3] - "),
        ("## [1.2.3] - 2024-03-11\n\n## [1.2.2] - 2024-03-10", "CHANGELOG.md has no text below"),
    ]) func `A version that is not a final release is refused`(heading: String, reason: String) throws {
        let repository = try Repository(heading: heading)
        for mode in ["--dry-run", "--tag"] { try expectRefusal(repository.release([mode]), reason) }
        #expect(try repository.git("tag", "--list") == "")
    }

    @Test func `A release with changed or untracked files is refused`() throws {
        let repository = try Repository()
        try repository.write("new.txt", "new\n")
        try expectRefusal(repository.release(["--tag"]), "there are changes that are not committed")
        try expectRefusal(repository.release(), "?? new.txt")
        try repository.commit()
        try repository.write("CHANGELOG.md", "other\n")
        try expectRefusal(repository.release(["--tag"]), " M CHANGELOG.md")
    }

    @Test func `A version that has a tag is refused`() throws {
        let repository = try Repository()
        _ = try repository.git("tag", "v1.2.3")
        try expectRefusal(repository.release(["--tag"]), "the tag v1.2.3 exists already")
    }

    @Test func `All reasons are listed at once, and unknown options are refused`() throws {
        let repository = try Repository(heading: "## [1.2.4] - unreleased")
        try repository.write("new.txt", "new\n")
        try expectRefusal(repository.release(), "not ready, 4 reason(s) above; nothing was changed")
        for arguments in [["--push"], ["--tag", "--dry-run"]] {
            #expect(try repository.release(arguments).status == 64)
        }
    }

    @Test func `A tag requires a build whose program reports its version, and packages that match their checksums`()
        throws
    {
        let repository = try Repository()
        let make = { (version: String, sum: String) in
            // Replaces make, and creates a program and packages without a compiler.
            """
            [ "$*" = "release package" ] || exit 2
            mkdir -p .build/release .build/packages && printf '#!/bin/sh\\necho fastctl \(version)\\n' >.build/release/fastctl
            chmod +x .build/release/fastctl
            cd .build/packages && echo packed >a.deb && sha256sum a.deb \(sum) >SHA256SUMS
            """
        }
        try repository.folder.writeScript("bin/make", make("1.2.2", ""))
        let old = try repository.release(["--tag"])
        #expect(old.status == 1 && old.errors.contains("the build is 'fastctl 1.2.2', not version 1.2.3"))
        try repository.folder.writeScript("bin/make", make("1.2.3", "| tr 0-9 a-j"))
        #expect(try repository.release(["--tag"]).status == 1)
        try repository.folder.writeScript("bin/make", make("1.2.3", "") + "\necho more >b.deb")
        let more = try repository.release(["--tag"])
        #expect(more.status == 1 && more.errors.contains("has other files than SHA256SUMS:\na.deb\nb.deb"))
        try repository.folder.writeScript("bin/make", make("1.2.3", "") + "\necho changed >../../CHANGELOG.md")
        #expect(try repository.release(["--tag"]).errors.contains("the sources have changed during the build"))
        _ = try repository.git("checkout", "--", "CHANGELOG.md")
        #expect(try repository.git("tag", "--list") == "")

        try repository.folder.writeScript("bin/make", make("1.2.3", ""))
        let run = try repository.release(["--tag"])
        #expect(run.status == 0, "\(run.errors)")
        let tag = try repository.git("cat-file", "-p", "v1.2.3")
        #expect(tag.contains("\ntype commit\ntag v1.2.3\n"))
        #expect(
            tag.contains("\n# fastctl 1.2.3\n\nIt is better.\n\n**More.** Much better.\n\n## Checksums\n"),
            "\(tag)"
        )
        #expect(tag.contains("  a.deb\n"))
    }

    private func expectRefusal(_ run: ChildProgram.Result, _ reason: String) throws {
        #expect(run.status == 1)
        #expect(run.errors.contains(reason), "\(run.errors)")
        #expect(run.output.isEmpty)
    }

    /// A repository with the files that the script reads.
    private final class Repository {
        let folder: TemporaryFolder
        private let tree: String
        private let environment: [String: String]

        init(heading: String = "## [1.2.3] - 2024-03-11") throws {
            folder = try TemporaryFolder()
            tree = folder.path("tree")
            try FileManager.default.createDirectory(atPath: folder.path("bin"), withIntermediateDirectories: true)
            environment = [
                "PATH": "\(folder.path("bin")):/usr/bin:/bin", "HOME": folder.path(""), "LC_ALL": "C.UTF-8",
                "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@example.com",
                "GIT_COMMITTER_NAME": "Ann", "GIT_COMMITTER_EMAIL": "ann@example.com",
            ]
            try write(".gitignore", ".build/\n")
            try write(
                "CHANGELOG.md",
                "# Changelog\n\n\(heading)\n\nIt is better.\n\n**More.** Much better.\n\n## [1.2.2] - 2024-03-01\n\nOld.\n"
            )
            try write(
                "Sources/Commands/CommandKit/Process/StandardStreams.swift",
                "enum Version {\n    package static let number = \"1.2.3\"\n}\n"
            )
            try write(
                "Sources/Feeding/ContentDistributor/DistributorService.swift",
                "enum Service {\n    package static let version = \"1.2.3\"\n}\n"
            )
            try write("Scripts/release", "")
            try FileManager.default.removeItem(atPath: tree + "/Scripts/release")
            try FileManager.default.copyItem(
                atPath: ReleaseTests.root.appending(path: "Scripts/release").path,
                toPath: tree + "/Scripts/release"
            )
            _ = try git("init", "--quiet")
            try commit()
        }

        func write(_ path: String, _ text: String) throws {
            let file = URL(filePath: tree).appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try text.write(to: file, atomically: false, encoding: .utf8)
        }

        func commit() throws {
            _ = try git("add", "--all")
            _ = try git("commit", "--quiet", "--message", "State")
        }

        func git(_ arguments: String...) throws -> String {
            let run = try ChildProgram.run("git", arguments, in: tree, environment: environment)
            #expect(run.status == 0, "\(run.errors)")
            return run.output
        }

        func release(_ arguments: [String] = []) throws -> ChildProgram.Result {
            try ChildProgram.run(tree + "/Scripts/release", arguments, in: tree, environment: environment)
        }
    }
}

/// `Scripts/together`, which runs commands at the same time.
struct TogetherTests {
    @Test(arguments: [
        (["a: true", "b: echo fine"], 0, "fine\n"),
        (["a: true", "b: echo bad; exit 3"], 1, "\n==> b failed with exit code 3\nbad\n"),
        // The folder for its output does not exist.
        (["a/x: true", "b: true"], 1, "\n==> a/x failed with exit code 1\n"),
    ])
    func `The run fails if any command fails, or if the output of one cannot be written`(
        tasks: [String],
        status: Int32,
        output: String
    ) throws {
        let script = ReleaseTests.root.appending(path: "Scripts/together").path
        let run = try ChildProgram.run(script, tasks, in: "/", environment: ["PATH": "/usr/bin:/bin"])
        #expect(run.status == status && run.output.contains(output), "\(run.output)\(run.errors)")
    }
}

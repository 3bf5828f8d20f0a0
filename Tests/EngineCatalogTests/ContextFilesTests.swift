import ContentFeeding
import Foundation
import TestSupport
import Testing

@testable import EngineCatalog

struct ContextFilesTests {
    private func folders(_ names: String...) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for name in names {
            try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
        }
        return folder
    }

    private func write(_ text: String, _ path: String) throws {
        try text.write(toFile: path, atomically: false, encoding: .utf8)
    }

    @Test func `The project's file is the nearest one above the current folder, up to the home folder`() throws {
        let folder = try folders("home/a/b/c")
        let home = folder.path("home")
        func current(_ place: String) throws -> String? {
            try ContextFiles(environment: ["HOME": home], directory: folder.path(place)).currentName
        }
        try write("current: beyond", folder.path("fastctl.yaml"))
        #expect(try current("home/a/b/c") == nil)
        try write("current: home", folder.path("home/fastctl.yaml"))
        #expect(try current("home/a/b/c") == "home")
        try write("current: near", folder.path("home/a/fastctl.yaml"))
        #expect(try current("home/a/b/c") == "near")
        #expect(try current("home") == "home")
    }

    @Test func `The user's file is below the configuration folder`() {
        #expect(ContextFiles.userPath(["XDG_CONFIG_HOME": "/x", "HOME": "/h"]) == "/x/fastctl/config.yaml")
        #expect(ContextFiles.userPath(["XDG_CONFIG_HOME": "x", "HOME": "/h"]) == "/h/.config/fastctl/config.yaml")
        #expect(ContextFiles.userPath([:]) == nil)
    }

    @Test func `Settings that are not a regular file, are too large or are not UTF-8 are refused`() throws {
        let folder = try folders("d/fastctl.yaml", "p", "l", "u")
        mkfifo(folder.path("p/fastctl.yaml"), 0o600)
        try write(String(repeating: "#", count: (1 << 20) + 1), folder.path("l/fastctl.yaml"))
        try Data([0x61, 0xFF]).write(to: URL(filePath: folder.path("u/fastctl.yaml")))
        for name in ["d", "p", "l", "u"] {
            let error = #expect(throws: EngineError.self) {
                _ = try ContextFiles(environment: [:], directory: folder.path(name))
            }
            #expect(error?.code == .rejected, "\(name)")
        }
    }

    @Test func `Neither file quotes the target of a link, and a project's file is not read through a link`() throws {
        let folder = try folders("d", "fastctl")
        try write("token SECRET", folder.path("elsewhere"))
        try write("contexts: {p: {target: 'sqlite:x'}}", folder.path("settings"))
        func error(_ environment: [String: String], _ directory: String?) -> EngineError? {
            #expect(throws: EngineError.self) { _ = try ContextFiles(environment: environment, directory: directory) }
        }
        for target in ["elsewhere", "settings", "nothing"] {
            unlink(folder.path("d/fastctl.yaml"))
            symlink(folder.path(target), folder.path("d/fastctl.yaml"))
            let refusal = try #require(error([:], folder.path("d")))
            #expect(refusal.code == .rejected && refusal.message.contains("is a link"), "\(refusal)")
            #expect(!"\(refusal)".contains("SECRET"))
        }
        // Users often keep their own settings elsewhere, behind a link.
        let own = ["XDG_CONFIG_HOME": folder.path("")]
        symlink(folder.path("settings"), folder.path("fastctl/config.yaml"))
        #expect(try ContextFiles(environment: own, directory: nil).names == ["p"])
        unlink(folder.path("fastctl/config.yaml"))
        symlink(folder.path("elsewhere"), folder.path("fastctl/config.yaml"))
        let masked = try #require(error(own, nil))
        #expect(masked.message.contains("config.yaml:1:1: ") && !"\(masked)".contains("SECRET"), "\(masked)")
    }

    @Test(.enabled(if: geteuid() == 0, "needs root to make a file somebody else's"))
    func `A project file that belongs to another user is refused`() throws {
        let folder = try folders("d")
        try write("current: x", folder.path("d/fastctl.yaml"))
        chown(folder.path("d/fastctl.yaml"), 12345, 12345)
        let error = #expect(throws: EngineError.self) {
            _ = try ContextFiles(environment: [:], directory: folder.path("d"))
        }
        #expect(error?.message.contains("belongs to another user") == true)
    }

    @Test func `A file that others can change can't run commands`() throws {
        let folder = try folders("fastctl")
        let path = folder.path("fastctl/config.yaml")
        try write("contexts: {p: {target: 'sqlite:x', credentials-helper: 'pass x'}}", path)
        chmod(path, 0o666)
        let environment = ["XDG_CONFIG_HOME": folder.path("")]
        let error = #expect(throws: EngineError.self) { _ = try ContextFiles(environment: environment, directory: nil) }
        #expect(error?.code == .permission)
        chmod(path, 0o600)
        #expect(try ContextFiles(environment: environment, directory: nil).names == ["p"])
    }
}

struct ContextFileTests {
    private func refusal(_ text: String, owner: ContextFile.Owner = .user) -> EngineError? {
        #expect(throws: EngineError.self) { _ = try ContextFile(path: "/c/config.yaml", owner: owner, text: text) }
    }

    @Test func `A file defines named contexts, and selects the current one`() throws {
        let text = """
            current: prod
            contexts:
              prod:
                target: opensearch+https://a:9200
                protected: true
              dev: { target: "sqlite:x", collections: { Web: web } }
            """
        let file = try ContextFile(path: "/c/config.yaml", owner: .user, text: text)
        #expect(file.names == ["prod", "dev"])
        #expect(file.current == "prod")
    }

    @Test(arguments: ["", "\n\n", "# nothing\n  # here\n", "contexts:\n", "contexts: {}\n", "current: x\n"])
    func `An empty file, or a file without contexts, is valid`(text: String) throws {
        #expect(try ContextFile(path: "/c", owner: .user, text: text).names.isEmpty)
    }

    @Test(arguments: [
        ("contexts:\n  prod:\n    targte: x\n", "/c/config.yaml:3:5:", "targte"),
        ("contexts:\n  prod:\n    target: [a]\n", "/c/config.yaml:3:13:", "a list"),
        ("contexts:\n  prod:\n    protected: maybe\n", "/c/config.yaml:3:16:", "true or false"),
        ("contexts:\n  a: {target: x}\n  a: {target: y}\n", "/c/config.yaml:3:3:", "already given"),
        ("contexts: [a]\n", "/c/config.yaml:1:11:", "a mapping"),
        ("contexts:\n  prod:\n   - x\n", "/c/config.yaml:3:4:", "a mapping"),
        ("curent: a\n", "/c/config.yaml:1:1:", "curent"),
        ("contexts:\n\tprod: x\n", "/c/config.yaml:2:1:", ""),
        ("a: &x 1\n", "/c/config.yaml:1:4:", "anchors"),
        ("{", "/c/config.yaml:", ""),
    ])
    func `A malformed file is refused with the line and column of the error`(
        text: String,
        place: String,
        message: String
    ) {
        let error = refusal(text)
        #expect(error?.code == .rejected)
        #expect(error?.message.hasPrefix(place) == true, "\(String(describing: error))")
        #expect(message.isEmpty || error?.message.contains(message) == true, "\(String(describing: error))")
    }

    @Test func `Settings with more than one source of credentials are refused`() {
        let error = refusal("contexts:\n  p:\n    credentials-file: a\n    credentials-env: B\n")
        #expect(
            error?.message.hasPrefix("/c/config.yaml:4:22: the context 'p' has credentials-file and credentials-env")
                == true
        )
    }

    @Test(arguments: [
        "credentials-file", "credentials-env", "credentials-helper", "ca-file", "client-cert", "client-key",
    ])
    func `A project's file can neither read secrets nor run commands`(key: String) throws {
        let text = "contexts:\n  p:\n    \(key): 'curl http://evil'\n"
        let error = refusal(text, owner: .project)
        #expect(error?.message.contains("a project file cannot set '\(key)'") == true)
        #expect(error?.advice?.contains("your own file") == true)
        _ = try ContextFile(path: "/c", owner: .user, text: text)
    }

    @Test(arguments: [
        ("contexts:\n  'prod$(touch pwned)': {target: 'sqlite:x'}\n", "2:3"),
        ("contexts:\n  \"a'; touch pwned; '\": {target: 'sqlite:x'}\n", "2:3"),
        ("contexts:\n  p:\n    target: 'sqlite:x'\n    collections:\n      '`touch pwned`': web\n", "5:7"),
        ("contexts:\n  --erase: {target: 'sqlite:x'}\n", "2:3"),
    ])
    func `A project's file can't define a name that a shell would run`(text: String, place: String) throws {
        let error = refusal(text, owner: .project)
        #expect(error?.code == .rejected)
        let words = ":\(place): a project file cannot use the name '"
        #expect(error?.message.contains(words) == true, "\(String(describing: error))")
        _ = try ContextFile(path: "/c", owner: .user, text: text)
    }

    @Test func `Hostile text is refused and never crashes`() {
        for text in [
            String(repeating: "[", count: 5000), String(repeating: "a: ", count: 5000), "\0", "%YAML 9\n---\n",
            "--- a\n--- b\n",
        ] {
            _ = refusal(text)
        }
    }
}

import ContentFeeding
import Testing

@testable import EngineCatalog

struct ContextFileTests {
    private func refusal(_ text: String, owner: ContextFile.Owner = .user) -> EngineError? {
        #expect(throws: EngineError.self) { _ = try ContextFile(path: "/c/config.yaml", owner: owner, text: text) }
    }

    @Test func `A file has contexts by name, and one of them is current`() throws {
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
    func `A file may say next to nothing`(text: String) throws {
        #expect(try ContextFile(path: "/c", owner: .user, text: text).names.isEmpty)
    }

    @Test(arguments: [
        ("contexts:\n  prod:\n    targte: x\n", "/c/config.yaml:3:5:", "targte"),
        ("contexts:\n  prod:\n    target: [a]\n", "/c/config.yaml:3:13:", "a list"),
        ("contexts:\n  prod:\n    protected: maybe\n", "/c/config.yaml:3:16:", "true or false"),
        ("contexts:\n  a: {target: x}\n  a: {target: y}\n", "/c/config.yaml:3:3:", "given already"),
        ("contexts: [a]\n", "/c/config.yaml:1:11:", "a mapping"),
        ("contexts:\n  prod:\n   - x\n", "/c/config.yaml:3:4:", "a mapping"),
        ("curent: a\n", "/c/config.yaml:1:1:", "curent"),
        ("contexts:\n\tprod: x\n", "/c/config.yaml:2:1:", ""),
        ("a: &x 1\n", "/c/config.yaml:1:4:", "anchors"),
        ("{", "/c/config.yaml:", ""),
    ])
    func `A broken file is refused with line and column`(text: String, place: String, message: String) {
        let error = refusal(text)
        #expect(error?.code == .rejected)
        #expect(error?.message.hasPrefix(place) == true, "\(String(describing: error))")
        #expect(error?.message.contains(message) == true, "\(String(describing: error))")
    }

    @Test func `Credentials come from one place`() {
        let error = refusal("contexts:\n  p:\n    credentials-file: a\n    credentials-env: B\n")
        #expect(
            error?.message.hasPrefix("/c/config.yaml:4:22: the context 'p' has credentials-file and credentials-env")
                == true
        )
    }

    @Test(arguments: ["credentials-file", "credentials-env", "credentials-helper", "client-cert", "client-key"])
    func `A project's file neither reads secrets nor runs commands`(key: String) throws {
        let text = "contexts:\n  p:\n    \(key): 'curl http://evil'\n"
        let error = refusal(text, owner: .project)
        #expect(error?.message.contains("a project's file cannot have '\(key)'") == true)
        #expect(error?.advice?.contains("your own file") == true)
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

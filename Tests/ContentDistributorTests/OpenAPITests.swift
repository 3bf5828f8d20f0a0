import Foundation
import HTTPService
import JSONText
import TestSupport
import Testing
import Threads
import YAML

@testable import ContentDistributor

/// The description of the API: the server serves it, has exactly the routes that it lists, and behaves as it promises.
struct OpenAPITests {
    private struct Description: Decodable {
        let openapi: String
        let info, servers, security, tags, components: Ignored
        let paths: YAMLMapping<YAMLMapping<Ignored>>

        /// A value of any shape.
        struct Ignored: Decodable {
            init(from decoder: any Decoder) throws {}
        }

        /// The methods and paths, such as `GET /live`.
        var operations: Set<String> {
            Set(
                paths.entries.flatMap { path in
                    path.value.entries.map(\.key.value).filter { $0 != "parameters" }
                        .map { "\($0.uppercased()) \(path.key.value)" }
                }
            )
        }
    }

    private static func file() throws -> String {
        let file = URL(filePath: #filePath).appending(path: "../../../Documentation/Reference/distributor-api.yaml")
        return try String(contentsOf: file.standardized, encoding: .utf8)
    }

    private static func description(text: String) throws -> Description { try YAMLDecoder().decode(from: text) }

    @Test func `The description has exactly the routes of the server, and is served unchanged`() async throws {
        let live = try await LiveDistributor(["C": [:]])
        let text = try await live.client { try $0.send("GET", "/v1/openapi.yaml", token: nil) }.text
        #expect(try text == Self.file())
        let description = try Self.description(text: text)
        #expect(description.openapi == "3.1.0")
        #expect(description.operations == Set(live.paths.map { "\($0.method) \($0.path)" }))
        await live.end()
    }

    /// The requests that schemathesis (from PyPI) generates from the description, both valid and almost valid.
    @Test(
        .enabled(if: counterpart("schemathesis") != nil, "FASTCTL_COUNTERPARTS is not set: make counterparts"),
        .timeLimit(.minutes(5))
    )
    func `A fuzzer based on the description finds no violation`() async throws {
        let program = try #require(counterpart("schemathesis"))
        let rules = Dictionary(uniqueKeysWithValues: AccessVerb.allCases.map { ($0, "everyone") })
        // Names that the fuzzer tries first.
        let live = try await LiveDistributor(["0": rules, "Web": rules])
        let token = try await live.token(.admin)
        let hooks = """
            import json, schemathesis

            @schemathesis.serializer("application/x-ndjson")
            def lines(context, value):
                text = value if isinstance(value, str) else json.dumps(value)
                return text.encode("utf-8", "surrogatepass")
            """
        try hooks.write(toFile: live.folder.path("hooks.py"), atomically: true, encoding: .utf8)
        let url = "http://127.0.0.1:\(live.server.port)"
        // The description comes from a file, because schemathesis leaves out the operation from which it loads a
        // description.
        let description = try Self.file()
        try description.write(toFile: live.folder.path("api.yaml"), atomically: true, encoding: .utf8)
        // Streams have no end; the other operations start a command that may not be installed.
        let untried = [
            "explain": "POST /v1/explanations", "diagnose": "POST /v1/diagnoses",
            "trace": "POST /v1/traces",
            "followSession": "GET /v1/sessions/{session}/outcomes",
            "getChanges": "GET /v1/collections/{collection}/changes",
        ]
        let output = live.folder.path("output")
        let descriptor = open(output, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let child = try ChildProgram(
            program,
            untried.keys.reduce(
                into: [
                    "run", "api.yaml", "--url", url, "-H", "Authorization: Bearer \(token)",
                    // A well-formed request may still be refused because of its contents.
                    "--exclude-checks", "positive_data_acceptance", "--phases", "coverage,fuzzing", "--max-examples",
                    "20", "--request-timeout", "90", "--no-color", "--seed", "1", "--report-junit-path", "tried.xml",
                ]
            ) { $0 += ["--exclude-operation-id", $1] },
            in: live.folder.path(""),
            environment: [
                "PATH": "/usr/bin:/bin", "HOME": live.folder.path(""), "SCHEMATHESIS_HOOKS": "hooks",
                "PYTHONPATH": live.folder.path(""), "LC_ALL": "C.UTF-8",
            ],
            output: descriptor,
            errors: descriptor
        )
        close(descriptor)
        let status = await onOwnThread { child.wait() }
        let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
        #expect(status == 0, "\(text.suffix(6_000))")
        let report = (try? String(contentsOfFile: live.folder.path("tried.xml"), encoding: .utf8)) ?? ""
        let tried = Set(report.matches(of: /<testcase name="([^"]+)"/).map { String($0.1) })
        let operations = try Self.description(text: description).operations
        #expect(operations.subtracting(tried) == Set(untried.values), "\(text.suffix(1_000))")
        #expect(tried.isSubset(of: operations))
        await live.end()
    }
}

import Foundation
import TestSupport
import Testing

/// The JSON Schemas in the folder `Schemas`: every machine format has one, and all output is valid according to it.
struct SchemaTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../..").standardized

    /// YAML files, which are written by hand, are described by the program that reads them, not by a JSON Schema.
    private static let written: Set = [
        "fastctl.rule/1", "fastctl.rule-tests/1", "fastctl.expect/1", "fastctl.suppressions/1",
    ]

    private static func schemas() throws -> [String: [String: Any]] {
        let folder = root.appending(path: "Schemas")
        var schemas: [String: [String: Any]] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let parts = name.split(separator: ".")
            try #require(parts.count == 4 && name.hasSuffix(".schema.json"), "\(name)")
            let value = try JSONSerialization.jsonObject(with: Data(contentsOf: folder.appending(path: name)))
            schemas["fastctl.\(parts[0])/\(parts[1])"] = try #require(value as? [String: Any])
        }
        return schemas
    }

    @Test func `Every schema named in the sources has a file, and every schema file is named in the sources`() throws {
        let sources = Self.root.appending(path: "Sources")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var named: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            named.formUnion(text.matches(of: /"(fastctl\.[A-Za-z-]+\/[0-9]+)"/).map { String($0.1) })
        }
        #expect(named.subtracting(Self.written) == Set(try Self.schemas().keys))
    }

    @Test(.enabled(if: ChildProgram.fastctl != nil)) func `The program prints each file byte for byte`() throws {
        let binary = try #require(ChildProgram.fastctl).path
        let folder = try TemporaryFolder()
        let environment = ["PATH": "/usr/bin:/bin", "HOME": folder.path("")]
        for name in try Self.schemas().keys {
            let run = try ChildProgram.run(binary, ["schema", name], in: folder.path(""), environment: environment)
            let file = name.dropFirst("fastctl.".count).replacing("/", with: ".") + ".schema.json"
            let text = try String(contentsOf: Self.root.appending(path: "Schemas/\(file)"), encoding: .utf8)
            #expect(run.status == 0 && run.output == text, "\(name)")
        }
    }

    @Test func `Every object is described with its keys and the meaning of each key`() throws {
        for (name, schema) in try Self.schemas() {
            #expect(schema["$schema"] as? String == "https://json-schema.org/draft/2020-12/schema", "\(name)")
            #expect((schema["title"] as? String)?.hasPrefix("\(name): ") == true, "\(name)")
            try checkObjects(schema, at: name)
        }
    }

    private func checkObjects(_ value: Any, at place: String) throws {
        if let list = value as? [Any] {
            for (index, one) in list.enumerated() { try checkObjects(one, at: "\(place)[\(index)]") }
        }
        guard let object = value as? [String: Any] else { return }
        if let properties = object["properties"] as? [String: [String: Any]] {
            #expect(object["additionalProperties"] as? Bool == false, "\(place) is open")
            for (key, property) in properties where property["const"] == nil && property["$ref"] == nil {
                let isDescribed = property["description"] is String || property["properties"] != nil
                #expect(isDescribed, "\(place).\(key) is not described")
            }
            for (key, property) in properties { try checkObjects(property, at: "\(place).\(key)") }
        }
        for (key, member) in object where key != "properties" { try checkObjects(member, at: "\(place)/\(key)") }
    }

    @Test func `Parts that several schemas share are identical in all of them`() throws {
        var shared: [String: NSDictionary] = [:]
        for (name, schema) in try Self.schemas() {
            for (key, definition) in schema["$defs"] as? [String: NSDictionary] ?? [:] {
                if let known = shared[key] { #expect(known == definition, "\(key) in \(name)") }
                shared[key] = definition
            }
        }
        #expect(shared.count > 5)
    }

    @Test func `Every object in the golden outputs is valid according to its schema`() throws {
        let folders = ["Golden", "LiveGolden"].map { Self.root.appending(path: "Tests/fastctlTests/\($0)") }
        var files: [String] = []
        for folder in folders {
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                let file = folder.appending(path: name).appending(path: "stdout").path
                if FileManager.default.fileExists(atPath: file) { files.append(file) }
            }
        }
        try #require(files.count > 100)
        let problems = try SchemaValidator.problems(in: files, root: Self.root)
        #expect(problems.isEmpty, "\(problems)")
    }

    @Test func `An invalid object is reported as a problem`() throws {
        let folder = try TemporaryFolder()
        let objects = [
            #"{"schema":"fastctl.existence/1","id":"A","collection":"Web","routing":null,"exists":"yes"}"#,
            #"{"schema":"fastctl.existence/1","id":"A","collection":"Web","exists":true}"#,
            #"{"schema":"fastctl.existence/1","id":"A","collection":"Web","routing":null,"exists":true,"new":1}"#,
            #"[{"schema":"fastctl.unheardOf/1"}]"#,
        ]
        for (index, object) in objects.enumerated() {
            let file = folder.path("\(index)")
            try (object + "\n").write(toFile: file, atomically: true, encoding: .utf8)
            #expect(try !SchemaValidator.problems(in: [file], root: Self.root).isEmpty, "\(object)")
        }
    }
}

/// Checks every JSON object that names a schema against that schema's file, with the validator from Debian's Python.
enum SchemaValidator {
    /// Returns the problems in files of JSON, of JSON lines, or of text that contains JSON lines; if `needsObject` is
    /// set, a file without such an object is also a problem.
    static func problems(in files: [String], root: URL, needsObject: Bool = false) throws -> String {
        let folder = try TemporaryFolder()
        try (script + "\n").write(toFile: folder.path("validate.py"), atomically: true, encoding: .utf8)
        try files.joined(separator: "\n").write(toFile: folder.path("files"), atomically: true, encoding: .utf8)
        let run = try ChildProgram.run(
            "/usr/bin/python3",
            [folder.path("validate.py"), root.appending(path: "Schemas").path, folder.path("files"), "\(needsObject)"],
            in: folder.path(""),
            environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"]
        )
        return run.output + run.errors
    }

    private static let script = """
        import glob, json, os, re, sys
        from jsonschema import Draft202012Validator

        schemas = {}
        for path in glob.glob(sys.argv[1] + "/*.schema.json"):
            name, version = os.path.basename(path).split(".")[:2]
            schema = json.load(open(path, encoding="utf-8"))
            Draft202012Validator.check_schema(schema)
            schemas[f"fastctl.{name}/{version}"] = Draft202012Validator(schema)

        def check(value, path):
            count = 0
            if isinstance(value, list):
                count = sum(check(one, path) for one in value)
            elif isinstance(value, dict) and str(value.get("schema", "")).startswith("fastctl."):
                count = 1
                validator = schemas.get(value["schema"])
                if validator is None:
                    print(f"{path}: {value['schema']} has no schema")
                else:
                    for error in list(validator.iter_errors(value))[:5]:
                        causes = "; ".join(f"{list(e.path)}: {e.message[:200]}" for e in (error.context or [])[:5])
                        print(f"{path}: {value['schema']} {list(error.path)}: {error.message[:300]} {causes}")
            return count

        for path in open(sys.argv[2], encoding="utf-8").read().splitlines():
            text = open(path, encoding="utf-8", errors="replace").read()
            # Times that differ from run to run are taken out of golden outputs.
            text = re.sub(r'"startedAt":( ?)"TIME"', r'"startedAt":\\1"2026-11-21T00:00:00.000Z"', text)
            try:
                values = [json.loads(text)]
            except ValueError:
                values = []
                for line in text.splitlines():
                    try:
                        values.append(json.loads(line))
                    except ValueError:
                        pass
            count = sum(check(value, path) for value in values)
            if sys.argv[3] == "true" and count == 0 and values != [[]]:
                print(f"{path}: no object names a schema: {text[:200]}")
        """
}

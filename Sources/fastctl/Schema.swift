import ArgumentParsing
import ReportRendering
import Spelling

struct Schema: Command {
    static let configuration = CommandConfiguration(
        "schema",
        group: "About",
        summary: "Print the JSON Schema of a machine format, or list them.",
        discussion: """
            Every JSON object that fastctl writes names its schema: "schema": "fastctl.diagnosis/1". Within a version, \
            keys are only added, and a key keeps its meaning, its type and its unit: a program should pass over keys \
            and words that it does not know. Anything else is a new version. A schema describes what this version of \
            the program writes, and lists every key.

            Lists are arrays with '-o json' and one object per line with '-o ndjson'.
            """,
        examples: [
            .init("fastctl schema", "Which formats there are"),
            .init("fastctl schema diagnosis >diagnosis.schema.json", "One of them, for a validator or an editor"),
        ]
    )

    @Argument(
        "NAME",
        completion: .values(MachineSchema.all.map(\.name)),
        help: "The schema, such as diagnosis or fastctl.diagnosis/1; without it, all are listed"
    )
    var name: String?

    func run() async throws -> ExitCode {
        var bytes: [UInt8] = []
        if let name {
            bytes += Array(try schema(name).text.utf8)
        } else {
            ListRenderer.append(MachineSchema.all, as: .text, width: ProcessEnvironment.width, to: &bytes)
        }
        try StandardOutput().drainOrStop(&bytes)
        return .success
    }

    private func schema(_ name: String) throws -> MachineSchema {
        if let schema = MachineSchema.named(name) { return schema }
        let near = name.nearest(in: MachineSchema.all.map(\.name)).map { "; did you mean '\($0)'?" } ?? ""
        throw ArgumentError("there is no schema '\(name)'\(near)", advice: "List them: fastctl schema")
    }
}

import BuiltInFiles
import Digests
import JSONText
import TextKit

/// A JSON Schema of data that this program writes or reads: `fastctl.diagnosis/1`.
///
/// Within a version, keys are only added, and the meaning and unit of a key never change.
package struct MachineSchema: Sendable {
    /// The name without its version: `diagnosis`.
    package let name: String
    package let version: Int
    /// The schema, in draft 2020-12.
    package let text: String

    /// The name that objects have as their `schema`: `fastctl.diagnosis/1`.
    package var fullName: String { "fastctl.\(name)/\(version)" }

    /// The purpose of the schema, in a few words.
    package var summary: String {
        // This program always writes the title on a separate line: "title": "fastctl.diagnosis/1: …".
        let line = text.split(separator: "\n").first { $0.contains("\"title\": ") } ?? ""
        let words = line.split(by: ": ", maxSplits: 2, omittingEmptySubsequences: false)
        return words.count < 3 ? "" : String(words[2].dropLast(2))
    }

    /// All schemas, by name.
    package static let all: [MachineSchema] = BuiltInFile.schemas.compactMap { file in
        // The name of a file is, for example, `diagnosis.1.schema.json`.
        let parts = file.name.split(separator: ".")
        guard parts.count == 4, let version = Int(parts[1]) else { return nil }
        return MachineSchema(name: String(parts[0]), version: version, text: file.text)
    }

    /// Returns the schema with a name, which may omit `fastctl.` and the version; the newest schema if there are
    /// several.
    package static func named(_ name: String) -> MachineSchema? {
        all.last { [$0.name, "\($0.name)/\($0.version)", "fastctl.\($0.name)", $0.fullName].contains(name) }
    }
}

/// The version of the program, and of its parts.
package struct VersionFacts {
    private let number: String
    private let build = BuildFacts.own
    private let libraries: [(name: String, version: String)]
    private let ruleCount = BuiltInFile.rules.count
    /// The MD5 of the rules in their prepared form, which changes if any of them changes.
    private let ruleDigest: String

    package init(_ number: String, libraries: [(name: String, version: String)]) {
        (self.number, self.libraries) = (number, libraries)
        var digest = MD5()
        ruleDigest = digest.digest(of: Array(BuiltInFile.preparedRules.text.utf8)).hexadecimal
    }

    /// Appends one JSON object on a line; libraries are in the given order.
    package func append(to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.version/1") { object in
            object.member("name", "fastctl")
            object.member("version", number)
            if let build {
                object.object("build") { object in
                    object.member("commit", build.commit)
                    object.member("date", build.date)
                    object.member("swift", build.swift)
                }
            }
            object.object("rules") { object in
                object.member("count", ruleCount)
                object.member("digest", ruleDigest)
            }
            object.object("libraries") { object in
                for (name, version) in libraries { object.member(name, version) }
            }
        }
        bytes.append(0x0A)
    }

    /// The same as lines of text, each with a name and a value.
    package var lines: String {
        var rows = [("version", number)]
        if let build { rows += [("commit", build.commit), ("date", build.date), ("Swift", build.swift)] }
        rows.append(("rules", "\(ruleCount), \(ruleDigest)"))
        rows += libraries.map { ($0.name, $0.version) }
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { $0.0 + String(repeating: " ", count: width - $0.0.count + 2) + $0.1 }.joined(separator: "\n")
    }
}

/// Schemas as a list.
extension MachineSchema: ListEntry {
    package static let titles = ["NAME", "DESCRIPTION"]
    package static let alignments: [TextTable.Alignment] = []
    package static let fieldTitles = ["name", "summary"]
    package var row: [String] { [fullName, summary] }
    package var fields: [String?] { [fullName, summary] }
    package var entryName: String? { fullName }

    /// Appends the schema itself.
    package func append(to bytes: inout [UInt8]) { bytes.append(text: String(text.dropLast())) }
}

import Foundation
import LogDiagnosis
import ReportRendering
import TestSupport
import Testing
import ULSLog

/// The forms for other programs, checked against the schemas that those publish.
@Suite(
    .enabled(
        if: ProcessInfo.processInfo.environment["FASTCTL_SCHEMAS"] != nil,
        "FASTCTL_SCHEMAS does not name the folder with junit-10.xsd and sarif-schema-2.1.0.json"
    )
)
struct DiagnosisSchemaTests {
    private static var reports: [(String, DiagnosisReport)] {
        get throws {
            var hostile = try DiagnosisFixtures.report()
            hostile.findings[0].message = "]]>\u{1B}\u{0}\u{FFFF}<x a=\"1\">&[b](1)"
            hostile.findings[0].evidence[0].place.file = #"C:\logs\a b[1].log"#
            hostile.findings[1].evidence = []
            return [("full", try DiagnosisFixtures.report()), ("hostile", hostile), ("empty", DiagnosisReport())]
        }
    }

    private func schema(_ name: String) throws -> String {
        let folder = try #require(ProcessInfo.processInfo.environment["FASTCTL_SCHEMAS"])
        return folder + "/" + name
    }

    /// Runs a program; what it printed when it failed.
    private func failure(of arguments: [String]) throws -> String? {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? nil : String(decoding: output, as: UTF8.self)
    }

    @Test func `JUnit is valid for Jenkins`() throws {
        for (name, report) in try Self.reports {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let file = folder.path("report.xml")
            try rendered(report, as: .junit).write(toFile: file, atomically: true, encoding: .utf8)
            #expect(
                try failure(of: ["xmllint", "--noout", "--schema", schema("junit-10.xsd"), file]) == nil,
                "\(name)"
            )
        }
    }

    @Test func `SARIF is valid for its standard`() throws {
        let script = """
            import json, sys, jsonschema
            schema, log = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:])
            validator = jsonschema.validators.validator_for(schema)(schema)
            errors = [f"{list(error.path)}: {error.message}" for error in validator.iter_errors(log)]
            sys.exit("\\n".join(errors) or None)
            """
        for (name, report) in try Self.reports {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let file = folder.path("report.sarif")
            try rendered(report, as: .sarif).write(toFile: file, atomically: true, encoding: .utf8)
            let arguments = ["-c", script, try schema("sarif-schema-2.1.0.json"), file]
            // Debian's own Python has Debian's jsonschema, whatever else comes first in the path.
            #expect(try failure(of: ["/usr/bin/python3"] + arguments) == nil, "\(name)")
        }
    }
}

import Foundation
import TestSupport
import Testing
import ULSLog

@testable import LogDiagnosis

/// What is said of a few rows that somebody copied: they tell more than rows of a whole log.
struct ExcerptTests {
    private static let columns =
        "05/14/2024 10:00:00.00\tw3wp.exe (0x1A2C)\t0x0C34\tSharePoint Foundation\tGeneral\tzq1a\t"

    /// A diagnosis of rows that were copied, with blanks for tabs, or of a file as SharePoint writes it.
    private func report(_ rows: [String], isCopied: Bool = true, padding: Int = 0) throws -> DiagnosisReport {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("rows.txt")
        let padding = String(repeating: Self.columns + "Verbose\tnothing of note\t\n", count: padding)
        let text = rows.map { Self.columns + $0 + "\t\n" }.joined() + padding
        try (isCopied ? text.replacing("\t", with: " ") : text).write(toFile: path, atomically: false, encoding: .utf8)
        return try Diagnosis(rules: .builtIn()).report(on: LogReader(inputs: [path]))
    }

    @Test func `A row of High is told if nothing else is, and as no more than that`() throws {
        let told = try report(["High\tThe gadget is 7 units wide", "Medium\tThe gadget is 8 units tall"])
        #expect(told.unexplained.map(\.template) == ["The gadget is # units wide"])
        #expect(told.unexplained.map(\.severity) == [.info])
        #expect(told.findings.isEmpty)
    }

    @Test(arguments: [
        ["High\tThe gadget is 7 units wide", "High\tSystem.InvalidOperationException: it is closed"],
        ["High\tThe gadget ended successfully"], ["Medium\tThe gadget is 8 units tall"],
    ])
    func `A row of High is not told beside what shows a failure, nor one of success`(rows: [String]) throws {
        #expect(try report(rows).unexplained.allSatisfy { $0.exception != nil })
    }

    @Test func `A sentence that tells of a failure counts in a row of any level`() throws {
        let row = "Medium\tManifest {A} not returned because feature 1 not enabled"
        #expect(try report([row]).unexplained.count == 1)
        #expect(try report([row], isCopied: false).unexplained.isEmpty)
    }

    @Test func `A log as SharePoint writes it, and one that is long, is no excerpt`() throws {
        let row = "High\tThe gadget is 7 units wide"
        #expect(try report([row], isCopied: false).unexplained.isEmpty)
        #expect(try report([row], padding: 300).unexplained.isEmpty)
    }
}

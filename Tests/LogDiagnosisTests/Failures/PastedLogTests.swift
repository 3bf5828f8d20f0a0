import Foundation
import TestSupport
import Testing
import ULSLog

@testable import LogDiagnosis

/// The diagnosis of a few copied rows.
struct PastedLogTests {
    private static let columns =
        "05/14/2024 10:00:00.00\tw3wp.exe (0x1A2C)\t0x0C34\tSharePoint Foundation\tGeneral\tzq1a\t"
    private static let sentence = "Medium\tManifest {A} not returned because feature 1 not enabled"

    /// Returns a diagnosis of copied rows, in which spaces replace tabs, or of rows as written by SharePoint.
    private func report(_ rows: [String], isCopied: Bool = true, padding: Int = 0) throws -> DiagnosisReport {
        let folder = try TemporaryFolder()
        let path = folder.path("rows.txt")
        let padding = String(repeating: Self.columns + "Verbose\tnothing of note\t\n", count: padding)
        let text = rows.map { Self.columns + $0 + "\t\n" }.joined() + padding
        let written = isCopied ? text.replacing("\t", with: " ") : text
        try written.write(toFile: path, atomically: false, encoding: .utf8)
        let diagnosis = try Diagnosis(rules: .builtIn())
        let report = try diagnosis.report(on: LogReader(inputs: [path]))
        let inMemory = try diagnosis.report(on: LogReader(text: Array(written.utf8), name: path))
        #expect(report.unexplained.map(\.template) == inMemory.unexplained.map(\.template))
        return report
    }

    @Test func `In a pasted row, a sentence about a failure counts at any level`() throws {
        let told = try report([Self.sentence]).unexplained
        #expect(told.map(\.explanation.decoded.count) == [1])
        #expect(told.map(\.severity) == [.info])
    }

    @Test func `In a native log or a long message, a sentence about a failure does not count`() throws {
        #expect(try report([Self.sentence], isCopied: false).unexplained.isEmpty)
        #expect(try report([Self.sentence], padding: 300).unexplained.isEmpty)
    }

    @Test func `An event above a native row is read as well`() throws {
        let event = "Event ID: 7557\nSource: Foundation\nThe key could not be read: Access is denied.\n\n"
        let text = event + Self.columns + "Medium\tnothing of note\t\n"
        let report = try Diagnosis(rules: .builtIn()).report(on: LogReader(text: Array(text.utf8), name: "rows.txt"))
        #expect(report.unexplained.map(\.eventID) == ["7557"])
        #expect(report.unexplained.first?.example.text == "The key could not be read: Access is denied.")
        #expect(report.logs?.lookedAt == 2)
        // The row has all its columns, and each line is part of a record.
        #expect(report.logs?.quality.inferred == 0)
        #expect(report.logs?.quality.notUnderstood == 0)
    }

    @Test func `A line that only repeats the message of an exception counts as a row that follows it`() throws {
        let message = "Value does not fall within the expected range."
        let text = """
            \(message)
            Description: An unhandled exception occurred during the execution of the current web request.

            [ArgumentException: \(message)]
               Contoso.Pages.Layout.Load() +153
            """
        let report = try Diagnosis(rules: .builtIn()).report(on: LogReader(text: Array(text.utf8), name: "page.txt"))
        #expect(report.unexplained.map(\.exception) == ["ArgumentException"])
        #expect(report.unexplainedKinds == 1)
        let more = text.replacing("Description", with: "Login failed for user 'x'.\nDescription")
        let other = try Diagnosis(rules: .builtIn()).report(on: LogReader(text: Array(more.utf8), name: "page.txt"))
        #expect(other.unexplainedKinds == 2)
    }

    @Test func `The reason comes before the report that something failed`() throws {
        let text = """
            An exception of type Microsoft.SharePoint.PostSetupConfiguration.PostSetupConfigurationTaskException was thrown.

            Exception: The proposed new database owner is already a user or aliased in the database.
            """
        let report = try Diagnosis(rules: .builtIn()).report(on: LogReader(text: Array(text.utf8), name: "wizard.txt"))
        let isOuter: [Bool] = report.unexplained.map(\.explanation.isOuter)
        #expect(isOuter.first == false)
        #expect(isOuter == isOuter.sorted { !$0 && $1 })
    }

    @Test func `A pasted row without a recognized failure is not reported`() throws {
        let report = try report(["High\tThe gadget is 7 units wide", "Medium\tThe gadget is 8 units tall"])
        #expect(report.unexplained.isEmpty)
        #expect(report.unexplainedEvents == 0)
    }
}

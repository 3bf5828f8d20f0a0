import Foundation
import LogCommands
import LogDiagnosis
import LogTestSupport
import TestSupport
import Testing

@testable import ULSLog

/// The conditions that excluded all rows, or the values that no row has.
struct EmptinessTests {
    private let folder: TemporaryFolder
    private let reader: LogReader

    init() throws {
        folder = try TemporaryFolder()
        let log = LogText([
            Row(0, "aaaa", "Medium", "The first", category: "General"),
            Row(1, "bbbb", "High", "The second", category: "Database", process: "OWSTIMER.EXE (0x0A10)"),
        ])
        try Data(log.bytes).write(to: URL(filePath: folder.path("WFE1-20260302-1000.log")))
        reader = LogReader(inputs: [folder.path("WFE1-20260302-1000.log")])
    }

    private func categories(_ names: [String]) -> [RowCondition] {
        RowCondition.each("of category", names) { $0.categories = $1 }
    }

    private func sentence(_ hasRows: Bool?, _ conditions: [RowCondition]) throws -> String? {
        try reader.emptiness(of: FilteredReading(hasRows: hasRows), under: conditions)?.sentence(nil)
    }

    @Test func `Only the condition that no row meets is named`() throws {
        let found = try sentence(false, RowCondition.servers(["WFE1"]) + categories(["Databse"]))
        #expect(found == "no row of category 'Databse'")
    }

    @Test func `Conditions that no single row meets together are named together`() throws {
        let events = RowCondition.each("with event ID", ["aaaa"]) { $0.eventIDs = $1 }
        let found = try sentence(false, categories(["Database"]) + events)
        #expect(found == "no row matches all of these: of category 'Database', with event ID 'aaaa'")
    }

    @Test func `A value that no row has is named even if rows with other values match`() throws {
        let found = try #require(
            try reader.emptiness(of: FilteredReading(hasRows: true), under: categories(["General", "Databse"]))
        )
        #expect(found.isPartial)
        #expect(found.sentence(nil) == "no row of category 'Databse'")
        #expect(try sentence(true, categories(["General", "Database"])) == nil)
        let processes = RowCondition.each("of process", ["w3wp", "nosuch"]) { $0.processes = $1 }
        #expect(try sentence(true, processes) == "no row of process 'nosuch'")
    }

    @Test func `If it is unknown whether rows match, the inputs are read to determine it`() throws {
        #expect(try sentence(nil, RowCondition.servers(["WFE1"])) == nil)
        var reader = reader
        reader.filter.servers = ["WFE9"]
        let found = try reader.emptiness(of: FilteredReading(hasRows: nil), under: RowCondition.servers(["WFE9"]))
        #expect(found?.conditions.map(\.value) == ["WFE9"])
    }

    @Test func `Inputs that cannot be read again are not searched`() throws {
        let pipe = LogText([Row(0, "aaaa")]).reader()
        let both = categories(["General", "Databse"])
        #expect(try pipe.emptiness(of: FilteredReading(hasRows: true), under: both) == nil)
        #expect(try pipe.emptiness(of: FilteredReading(hasRows: nil), under: both) == nil)
        #expect(try pipe.emptiness(of: FilteredReading(hasRows: false), under: both)?.areTogether == true)
    }

    @Test func `A server that is known to have no logs is named without reading any logs`() throws {
        var reading = FilteredReading(hasRows: false)
        reading.servers = ["wfe1"]
        let pipe = LogText([Row(0, "aaaa")]).reader()
        let conditions = RowCondition.servers(["WFE1", "WFE9"])
        #expect(try pipe.emptiness(of: reading, under: conditions)?.conditions.map(\.value) == ["WFE9"])
        reading.hasRows = true
        #expect(try pipe.emptiness(of: reading, under: conditions)?.isPartial == true)
    }
}

import Testing

@testable import ULSLog

@Suite struct EventIDTests {
    @Test func `an event ID is a text, whether it looks like a number or not`() throws {
        let ids = ["b4ly", "aj1lz", "8311", "0", "27", "0000", "00000", "2j9b"]
        let log = try ReadLog(ids.map { id in row { $0.eventID = id } }.joined())
        #expect(log.texts(.eventID) == ids)
        #expect(Set(log.summary.eventIDs.map(\.value)) == Set(ids))
        #expect(log.summary.eventIDs.allSatisfy { $0.count == 1 })
    }

    @Test(arguments: ["0", "0000", "00000"]) func `zeros are told apart by their number`(wanted: String) throws {
        let text = ["0", "0000", "00000"].map { id in row { $0.eventID = id } }.joined()
        #expect(try ReadLog(text) { $0.filter.eventIDs = [wanted] }.texts(.eventID) == [wanted])
    }
}

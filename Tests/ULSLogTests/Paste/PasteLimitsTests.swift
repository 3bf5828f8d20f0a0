import Testing

@testable import ULSLog

struct PasteLimitsTests {
    static let row = "w3wp.exe (0x1620) 0x1988 Search General ab2c4 High"

    @Test(arguments: [
        "\(row) Lost\n" + String(repeating: "and more of it\n", count: 50),
        "Level: High\nMessage: Lost\n" + String(repeating: "and more of it\n", count: 50),
        "Level,EventID,Message\nHigh,ab1cd,\"Lost\n" + String(repeating: "and more of it\n", count: 50),
        "Level,EventID,Message\nHigh,ab1cd,Lost\n" + String(repeating: "and more of it\n", count: 50),
        String(repeating: "and more of it\n", count: 50),
        "\(row) " + String(repeating: "and more of it ", count: 50),
    ])
    func aRecordIsCutAtItsLimitAndCounted(text: String) {
        var limits = PasteLimits()
        limits.record = 200
        let paste = ReadPaste(text, limits: limits)
        #expect(paste.quality.cutRecords == 1)
        #expect(paste.records.allSatisfy { $0.message.count <= 200 })
        #expect(paste.quality.accounted == paste.quality.lines)
    }

    @Test func paragraphsAreMessagesWhenMoreOfThemThanTheLimitWouldHaveToBeHeld() {
        var limits = PasteLimits()
        limits.held = 1000
        let prose = String(repeating: "Some prose\n\n", count: 20)
        let paste = ReadPaste(prose + "\(Self.row) Lost\n", limits: limits)
        // Twenty paragraphs would be counted, not read, if the row were known of in time.
        #expect(paste.records.count { $0.shape == .message } > 10)
        #expect(paste.records.last?.shape == .row)
        #expect(paste.quality.accounted == 41)
        #expect(ReadPaste(prose + "\(Self.row) Lost\n").records.count == 1)
    }

    @Test func aHeadThatIsTooLongIsText() {
        let padding = String(repeating: " ", count: 2000)
        #expect(ReadPaste("w3wp.exe (0x1620)\(padding)0x1988 Search General ab2c4 High Lost").only.shape == .message)
    }
}

import Testing

@testable import ULSPaste
@testable import ULSRows

/// Rows copied with only their level and message.
struct LevelRowTests {
    @Test(arguments: [
        "\tVerbose\t[Provider] Loading", "Verbose\tLoading the provider", "High  No settings found",
        "Monitorable [Provider] It took long",
        "- Unexpected [Provider] It ended",
    ])
    func `A level begins a row if the text after it cannot continue a sentence`(line: String) throws {
        let record = ReadPaste(line).only
        #expect(record.shape == .row)
        #expect(record.isInferred)
        #expect(!record.level.isEmpty && record.eventID.isEmpty)
        #expect(line.hasSuffix(record.messageText))
    }

    @Test func `If one row clearly begins with a level, other rows can look like sentences`() {
        let paste = ReadPaste(
            "Verbose Before it\nMonitorable [Provider] It took long\nHigh It ended\nand\n   at a.b()\n\nBye."
        )
        #expect(paste.records.map(\.summary) == [" Verbose", " Monitorable", " High"])
        #expect(
            paste.records.map(\.messageText) == ["Before it", "[Provider] It took long", "It ended and\n   at a.b()"]
        )
        #expect(paste.records.map(\.firstLine) == [1, 2, 3])
        #expect(paste.quality.notUnderstood == 1)
    }

    @Test(arguments: [
        "High load on the farm: it failed.", "Exception type: A.B", "Exception message: no",
        "Information about the failure is below.", "Error: access denied",
        "Critical and high\t[x] failed", "high  [Provider] failed", "HIGH\tit failed", "High\tMedium\tfailed",
        "High  failed",
    ])
    func `Other text that begins with the name of a level is a message`(line: String) {
        #expect(ReadPaste(line).only.shape == .message)
        #expect(ReadPaste(line).only.messageText == line)
    }

    @Test func `A list of tasks is not mistaken for a log`() {
        #expect(ReadPaste("Priority\tTask\nHigh\tClean the kitchen\nMedium\tWalk the dog\n").records.isEmpty)
    }

    @Test func `Within a full row's message, a level does not begin a row`() {
        let paste = ReadPaste("w3wp.exe (0x1620) 0x1988 Search General ab2c4 High Found\nVerbose  [x] of it")
        #expect(paste.only.messageText == "Found Verbose  [x] of it")
    }
}

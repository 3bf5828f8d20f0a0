import Testing

@testable import ULSPaste
@testable import ULSRows

/// Log rows of other programs: the configuration wizard, upgrades and FAST Search nodes.
struct ProgramRowTests {
    @Test(arguments: [
        ("11/02/2026 10:00:00  8  ERR                      Task cache has failed", "11/02/2026 10:00:00", "Error"),
        ("    11/02/2026 10:00:00  1  INF    Leaving function A.B", "11/02/2026 10:00:00", "Information"),
        ("11/02/2026 10:00:00 12 WRN Port 80 is taken", "11/02/2026 10:00:00", "Warning"),
        ("[2026-11-02 10:00:00] ERROR : node@wfe1:13: systemmsg: It ended", "2026-11-02 10:00:00", "Error"),
        ("[2026-11-02 10:00:00.125] WARNING worker wfe1 It ended", "2026-11-02 10:00:00.125", "Warning"),
        ("[2026-11-02 10:00:00] [INFO] It began", "2026-11-02 10:00:00", "Information"),
        ("2026-11-02 10:00:00.125 [ERROR] It ended", "2026-11-02 10:00:00.125", "Error"),
        ("2026-11-02 10:00:00,125 [7] DEBUG Part - It ended", "2026-11-02 10:00:00,125", "Verbose"),
        ("2026-11-02 10:00:00 FATAL: It ended", "2026-11-02 10:00:00", "Critical"),
    ])
    func `A time and a level in capital letters begin a row`(line: String, time: String, level: String) {
        let record = ReadPaste(line).only
        #expect(record.shape == .row && record.isInferred)
        #expect(record.columns == [time, "", "", "", "", "", level, record.messageText, ""])
        #expect(line.hasSuffix(record.messageText) && !record.messageText.isEmpty)
    }

    @Test func `An upgrade row names the program and the component`() {
        let rows = [
            "[STSADM] [UpgradeSession] [ERROR] [11/2/2026 10:00:00 AM]: Upgrade stopped: 4711",
            "[ListSequence] [DEBUG] [11/2/2026 1:00:00 PM]: List 0f3c9a10-1b2c-4d5e-8f90-a1b2c3d4e5f6",
        ]
        let paste = ReadPaste(rows.joined(separator: "\n"))
        #expect(
            paste.records.map(\.columns) == [
                [
                    "11/2/2026 10:00:00 AM", "STSADM", "", "", "UpgradeSession", "", "Error", "Upgrade stopped: 4711",
                    "",
                ],
                [
                    "11/2/2026 1:00:00 PM", "", "", "", "ListSequence", "", "Verbose",
                    "List 0f3c9a10-1b2c-4d5e-8f90-a1b2c3d4e5f6", "",
                ],
            ]
        )
        #expect(paste.quality.notUnderstood == 0)
    }

    @Test func `Text after a row belongs to its message`() {
        let paste = ReadPaste(
            "11/02/2026 10:00:00  8  ERR   It failed (0x80004005)\nSystem.Exception: no\n   at A.B.C()\n\n   at A.D()\n"
                + "11/02/2026 10:00:01  8  INF   Leaving\n\nThank you."
        )
        #expect(
            paste.records.map(\.messageText) == [
                "It failed (0x80004005) System.Exception: no\n   at A.B.C()\n   at A.D()", "Leaving",
            ]
        )
        #expect(paste.records.map(\.firstLine) == [1, 6])
        #expect(paste.quality.notUnderstood == 1)
    }

    @Test func `A program's output above its log is a message`() {
        let paste = ReadPaste(
            "Hello,\n\nAn exception of type A.BException was thrown.\n\n11/02/2026 10:00:00  8  ERR   It failed\n\nBye."
        )
        #expect(paste.records.map(\.shape) == [.message, .row])
        #expect(paste.records.map(\.firstLine) == [3, 5])
        #expect(paste.quality.notUnderstood == 2)
    }

    @Test func `Quoted rows and search results of a program's log are rows`() {
        let row = "11/02/2026 10:00:00  8  ERR   It failed"
        for text in ["> \(row)\n> \(row)", "PSC.log:12:\(row)\nPSC.log:14:\(row)", "- \(row)\n- \(row)"] {
            #expect(ReadPaste(text).records.map(\.messageText) == ["It failed", "It failed"])
        }
    }

    @Test func `Within a native row's message, lines of a program's log are text`() {
        let quoted = "[a] [ERROR] [11/2/2026 10:00:00]: x"
        let paste = ReadPaste("w3wp.exe (0x1620) 0x1988 Search General ab2c4 High Said:\n\(quoted)")
        #expect(paste.only.messageText == "Said: \(quoted)")
    }

    @Test(arguments: [
        "11/02/2026 10:00:00 the server failed", "11/02/2026 10:00:00  8  Err  failed", "10:00:00 ERROR failed",
        "[ERROR] failed", "[a] [b] [ERROR] failed", "[a] [ERROR] [b]: failed", "[11/02/2026] ERROR failed",
        "[11/02/2026 10:00:00 ERROR failed", "11/02/2026 10:00:00 8 9 ERROR failed",
        "11/02/2026 10:00:00 ERRORS failed",
        "[11/02/2026 10:00:00]ERROR failed", "[a] [b] [c] [d] [e] [ERROR] [11/02/2026 10:00:00]: failed",
    ])
    func `Lines that only resemble rows of a program's log are text`(line: String) {
        #expect(ReadPaste(line).only.shape == .message)
    }
}

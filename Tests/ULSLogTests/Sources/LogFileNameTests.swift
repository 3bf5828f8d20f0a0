import Testing

@testable import ULSLog

struct LogFileNameTests {
    /// 2026-01-01T10:30 on some clock.
    private static let start: Int64 = 1_767_263_400_000

    @Test(arguments: [
        ("WFE1-20260101-1030.log", "WFE1"), ("EC2AMAZ-DBF63F4-20260101-1030.log", "EC2AMAZ-DBF63F4"),
        ("WFE1-20260101-1030-2.log", "WFE1"), ("WFE1-20260101-1030-1234.log", "WFE1"),
        ("wfe1-20260101-1030.LOG", "wfe1"), ("WFE1-20260101-1030.log.gz", "WFE1"),
        ("WFE1-20260101-1030.LOG.ZST", "WFE1"), ("WFE1-20260101-1030.log.xz", "WFE1"),
        ("WFE1-20260101-1030.log.bz2", "WFE1"), ("/logs/a-20200101-0000.log/WFE1-20260101-1030.log", "WFE1"),
        (#"LOGS\sub/x\WFE1-20260101-1030.log"#, "WFE1"), ("S-2026-1-20260101-1030.log", "S-2026-1"),
        ("Größe-20260101-1030.log", "Größe"), ("-20260101-1030-20260101-1030.log", "-20260101-1030"),
    ])
    func aNameSaysTheServerAndTheStart(name: String, server: String) {
        let fileName = LogFileName(name)
        #expect(fileName?.server == server)
        #expect(fileName?.start == Self.start)
    }

    @Test(arguments: [
        "", ".log", "a.log", "WFE1.log", "WFE1-20260101.log", "20260101-1030.log", "-20260101-1030.log",
        "WFE1-20260101-1030.txt", "WFE1-20260101-1030.log.zip", "WFE1-20260101-1030", "WFE1-20260101-1030.log.gz.gz",
        "WFE1-20261301-1030.log", "WFE1-20260001-1030.log", "WFE1-20260132-1030.log", "WFE1-20260100-1030.log",
        "WFE1-20260229-1030.log", "WFE1-21000229-1030.log", "WFE1-20260431-1030.log", "WFE1-20260101-2400.log",
        "WFE1-20260101-1060.log", "WFE1-2026010１-1030.log", "WFE1-20260101-103.log", "WFE1-20260101-10300.log",
        "WFE1-20260101-1030-x.log", "WFE1-20260101-1030-2-3.log", "WFE1-20260101-1030-.log",
        "Upgrade-20260101-1030.log", "Upgrade-20260101-103011-123.log", "PSCDiagnostics_1_1_2026_10_30_11.log",
        "WFE1-20260101-1030.usage", "WFE1-99999999-9999.log", "WFE1-00000000-0000.log", "----.log",
        "WFE1-20260101-1030.log\u{301}", "\u{0}-20260101-.log",
    ])
    func otherNamesSayNothing(name: String) {
        #expect(LogFileName(name) == nil)
    }

    @Test(
        arguments: [
            ("X-19700101-0000.log", 0), ("X-19700102-0001.log", 86_460_000), ("X-20000229-0000.log", 951_782_400_000),
            ("X-20240229-2359.log", 1_709_251_140_000), ("X-20001231-0000.log", 978_220_800_000),
        ] as [(String, Int64)]
    )
    func datesAreCounted(name: String, start: Int64) {
        #expect(LogFileName(name)?.start == start)
    }

    @Test func aLongCounterIsNoTrouble() {
        let name = "X-19700101-0000-" + String(repeating: "9", count: 100_000) + ".log"
        #expect(LogFileName(name)?.start == 0)
    }

    @Test(arguments: [
        ("a.log", LogNameKind.log), ("logs/a.TXT", .log), ("a.csv", .log), ("a.tsv", .log), ("a.log.gz", .packed),
        ("a.zip", .packed), ("a.7z", .packed), ("a.tar.xz", .packed), ("a.tgz", .packed), ("a.usage", .other),
        ("a.usage.gz", .other), ("a", .other), (".a.log", .other), ("__MACOSX/._a.log", .other), ("", .other),
        ("log", .other), (#"x\.log"#, .other),
    ])
    func aNameAmongOthersIsTakenForALogOrNot(name: String, kind: LogNameKind) {
        #expect(LogNameKind(name) == kind)
    }
}

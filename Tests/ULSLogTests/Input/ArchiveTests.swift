import Testing

@testable import ULSLog
@testable import ULSRows

@Suite struct ArchiveTests {
    private static func makeLogs(_ folder: SourceFolder) throws {
        try folder.write("WFE1-20110926-1030.log", nativeHeader + row("one"))
        try folder.write("WFE2-20110926-1030.log", nativeHeader + row("two") + row("three"))
        try folder.write("WFE1-20110926-1030.usage", "no log")
    }

    @Test(
        arguments: [
            ("logs.zip", "zip -q logs.zip WFE*"), ("logs.tar.gz", "tar czf logs.tar.gz WFE*"),
            ("logs.tar", "tar cf logs.tar WFE*"),
        ]
    )
    func `Each log in an archive is a separate file, with the server in its name`(
        name: String,
        command: String
    ) throws {
        let folder = try SourceFolder()
        try Self.makeLogs(folder)
        let log = try ReadLog([folder.make(name, command)])
        #expect(Set(log.messages) == ["one", "two", "three"])
        #expect(Set(log.events.map(\.server)) == ["WFE1", "WFE2"])
        #expect(log.events.filter { $0.server == "WFE2" }.map(\.place.line) == [2, 3])
        #expect(log.quality.headers == 2)
        #expect(Set(log.report.files.map(\.server)) == ["WFE1", "WFE2"])
        #expect(log.report.files.allSatisfy { $0.name.contains("WFE") })
        #expect(log.report.files.reduce(0) { $0 + $1.records } == 3)
    }

    @Test(arguments: ["gzip", "xz", "zstd -q", "bzip2"])
    func `A compressed log is read like a plain one`(tool: String) throws {
        let folder = try SourceFolder()
        try folder.write("plain.log", nativeHeader + row("one"))
        let name = "WFE1-20110926-1030.log.gz"
        let log = try ReadLog([folder.make(name, "\(tool) < plain.log > \(name)")])
        #expect(log.messages == ["one"])
        #expect(log.events.map(\.server) == ["WFE1"])
        #expect(log.lines == [2])
    }

    @Test func `An archive can contain both logs and pasted text`() throws {
        let folder = try SourceFolder()
        try folder.write("a.log", nativeHeader + row("native"))
        try folder.write(
            "b.txt",
            "09/26/2011 10:39:40.52 w3wp.exe (0x1790) 0x0EB8 SharePoint Foundation Runtime b9y3 High pasted\n"
        )
        let log = try ReadLog([folder.make("all.zip", "zip -q all.zip a.log b.txt")])
        #expect(log.messages == ["native", "pasted"])
        #expect(log.events.map(\.isInferred) == [false, true])
        #expect(log.quality.inferred == 1)
    }

    @Test func `In a damaged compressed log, the rows before the damage are read, and the damage is reported`() throws {
        let folder = try SourceFolder()
        let rows = (1...20_000).map { row("number \($0) \($0 &* 2_654_435_761)") }.joined()
        try folder.write("plain.log", nativeHeader + rows)
        let log = try ReadLog([folder.make("torn.gz", "gzip -c plain.log | head -c 60000 > torn.gz")])
        #expect(log.messages.first == "number 1 2654435761")
        #expect(log.events.count > 1000)
        #expect(log.report.files.contains { $0.isIncomplete })
    }
}

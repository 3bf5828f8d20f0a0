import Testing

@testable import ULSLog

@Suite struct ProcessTests {
    @Test(
        arguments: [
            ("w3wp.exe (0x2CC8)", "w3wp.exe", "0x2CC8", nil),
            ("OWSTIMER.EXE (0x0780)", "OWSTIMER.EXE", "0x0780", nil),
            ("w3wp.exe (WFE1:0x2CC8)", "w3wp.exe", "0x2CC8", "WFE1"),
            ("w3wp.exe (Servername: 0x0A18)", "w3wp.exe", "0x0A18", "Servername"),
            ("w3wp.exe (wfe1.contoso.com:0x0A18)", "w3wp.exe", "0x0A18", "wfe1.contoso.com"),
            ("NodeRunnerContent1-c5596cf9-a02 (0x1180)", "NodeRunnerContent1-c5596cf9-a02", "0x1180", nil),
            ("w3wp.exe#DiskCache (0x2688)", "w3wp.exe#DiskCache", "0x2688", nil),
            ("Microsoft.Office.Project.Server (0x0D24)", "Microsoft.Office.Project.Server", "0x0D24", nil),
            (
                "Microsoft.Office.Web.WebOneNoteWatchdog.exe (0x2FEC)", "Microsoft.Office.Web.WebOneNoteWatchdog.exe",
                "0x2FEC", nil
            ),
            ("powershell (0x2190)", "powershell", "0x2190", nil),
            ("w3wp.exe", "w3wp.exe", "", nil),
            ("", "", "", nil),
        ] as [(String, String, String, String?)]
    )
    func `a process is a program and its id, in merged logs with a server`(
        column: String,
        program: String,
        id: String,
        server: String?
    ) throws {
        let log = try ReadLog(row { $0.process = column } + row { $0.process = column })
        #expect(log.texts(.process) == [program, program])
        #expect(log.texts(.processID) == [id, id])
        #expect(log.events.map(\.server) == [server, server])
    }

    @Test func `the server in a row says more than the name of the file`() throws {
        let text = row { $0.process = "w3wp.exe (WFE2:0x0001)" } + row()
        let log = try ReadLog(text, as: "WFE1-20110926-1030.log")
        #expect(log.events.map(\.server) == ["WFE2", "WFE1"])
    }

    @Test func `one process id on two servers is two processes`() throws {
        let text = row { $0.process = "w3wp.exe (WFE1:0x0001)" } + row { $0.process = "w3wp.exe (WFE2:0x0001)" }
        #expect(try ReadLog(text) { $0.filter.servers = ["wfe2"] }.events.map(\.server) == ["WFE2"])
    }

    @Test(arguments: ["w3wp", "W3WP.EXE", "0x1790", "0X1790"])
    func `a process is found by its program or its id, in capitals or not`(wanted: String) throws {
        let text = row("ours") + row("other") { $0.process = "OWSTIMER.EXE (0x0780)" }
        #expect(try ReadLog(text) { $0.filter.processes = [wanted] }.messages == ["ours"])
    }

    @Test(arguments: ["0x0EB8", "0x7FFF", "0x8000", "0xFFFC", "0x1A2B4"])
    func `a thread's id may be larger than fifteen bits`(thread: String) throws {
        #expect(try ReadLog(row { $0.thread = thread }).texts(.threadID) == [thread])
    }
}

import Testing

@testable import ULSLog
@testable import ULSRows

@Suite struct ColumnTests {
    @Test func `A native row has nine columns, and their padding is removed`() throws {
        let event = try ReadLog(row("Failed to open the file.")).only()
        #expect(event.time.native == "09/26/2011 10:39:40.52")
        #expect(event.text(.process) == "w3wp.exe")
        #expect(event.text(.processID) == "0x1790")
        #expect(event.text(.threadID) == "0x0EB8")
        #expect(event.text(.area) == "SharePoint Foundation")
        #expect(event.text(.category) == "Runtime")
        #expect(event.text(.eventID) == "b9y3")
        #expect(event.text(.level) == "High")
        #expect(event.text(.message) == "Failed to open the file.")
        #expect(event.text(.correlation) == NativeRow.correlation)
        #expect(!event.isInferred)
    }

    @Test func `Columns without padding are read`() throws {
        let padded = try ReadLog(row()).only()
        let bare = try ReadLog(row().split(separator: "\t").map { $0.trimmed }.joined(separator: "\t") + "\n").only()
        for column in ULSEvent.Column.allCases { #expect(bare.text(column) == padded.text(column)) }
        #expect(bare.time == padded.time)
    }

    @Test(arguments: 1...3) func `A column that is too long for its padding is read, and so are the columns after it`(
        column: Int
    ) throws {
        let long = String(repeating: "x", count: 60)
        let text = row {
            switch column {
            case 1: $0.process = "\(long).exe (0x0001)"
            case 2: $0.area = long
            default: $0.category = long
            }
        }
        // Each occurs twice, before and after ordinary rows, because columns are cached.
        let log = try ReadLog(row("first") + text + row("second") + text)
        #expect(log.messages == ["first", "said", "second", "said"])
        #expect(log.texts(.process)[3] == (column == 1 ? "\(long).exe" : "w3wp.exe"))
        #expect(log.texts(.area)[3] == (column == 2 ? long : "SharePoint Foundation"))
        #expect(log.texts(.category)[3] == (column == 3 ? long : "Runtime"))
        #expect(log.texts(.eventID) == ["b9y3", "b9y3", "b9y3", "b9y3"])
    }

    @Test func `A category that the service cut at 31 characters is kept unchanged`() throws {
        let event = try ReadLog(row { $0.category = "End-to-end Something Measured T" }).only()
        #expect(event.text(.category) == "End-to-end Something Measured T")
    }

    @Test func `A row with eight columns has no correlation`() throws {
        let event = try ReadLog(row("short") { $0.correlation = nil }).only()
        #expect(event.text(.message) == "short")
        #expect(event.text(.correlation) == "")
    }

    @Test func `A row with seven columns counts as not understood`() throws {
        let short = "09/26/2011 10:39:40.52 \tw3wp.exe (0x1790)\t0x0EB8\tArea\tCategory\tb9y3\tHigh\r\n"
        let log = try ReadLog(row("above") + short + row("below"))
        #expect(log.messages == ["above", "below"])
        #expect(log.quality.notUnderstood == 1)
        #expect(log.lines == [1, 3])
    }

    @Test func `A message can contain tabs`() throws {
        let log = try ReadLog(row("one\ttwo\t\tthree") + row("one\ttwo") { $0.correlation = nil })
        #expect(log.messages == ["one\ttwo\t\tthree", "one\ttwo"])
        #expect(log.texts(.correlation) == [NativeRow.correlation, ""])
    }

    @Test func `A message can be empty`() throws {
        let log = try ReadLog(row("") + row("") { $0.correlation = nil } + row("") { $0.correlation = " " })
        #expect(log.messages == ["", "", ""])
        #expect(log.texts(.correlation) == [NativeRow.correlation, "", ""])
    }

    @Test func `An area can be empty, and an unregistered category is a number`() throws {
        let log = try ReadLog(row { ($0.area, $0.category) = ("", "0xEB2D003") })
        #expect(log.texts(.area) == [""])
        #expect(log.texts(.category) == ["0xEB2D003"])
    }

    @Test func `Areas defined by custom code are kept`() throws {
        let areas = ["Unknown", "LDAPCP", "Patterns and Practices", "Überwachung"]
        let log = try ReadLog(areas.map { area in row { $0.area = area } }.joined())
        #expect(log.texts(.area) == areas)
    }

    @Test func `Padding with no-break spaces, added by a viewer, is removed`() throws {
        let text = row {
            $0.mark = "\u{A0}"
            $0.process = "\u{A0}w3wp.exe (0x1790)\u{A0} \u{A0}"
            $0.area = "SharePoint Foundation\u{A0}\u{A0}"
            $0.level = "High\u{A0}\u{A0}"
            $0.message = "\u{A0}said\u{A0}"
            $0.correlation = "\u{A0}"
        }
        let event = try ReadLog(text).only()
        #expect(!event.isInferred)
        #expect(event.text(.process) == "w3wp.exe")
        #expect(event.text(.area) == "SharePoint Foundation")
        #expect(event.level == ULSLevel("High"))
        #expect(event.text(.message) == "said")
        #expect(event.text(.correlation) == "")
    }
}

extension Substring {
    /// The text without leading and trailing spaces.
    var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { " \r\n".contains($0) || $0 == "\r\n" }.reversed())
    }
}

@Suite struct EventIDTests {
    @Test func `An event ID is kept as text, even if it looks like a number`() throws {
        let ids = ["b4ly", "aj1lz", "8311", "0", "27", "0000", "00000", "2j9b"]
        let log = try ReadLog(ids.map { id in row { $0.eventID = id } }.joined())
        #expect(log.texts(.eventID) == ids)
        #expect(Set(log.summary.eventIDs.map(\.value)) == Set(ids))
        #expect(log.summary.eventIDs.allSatisfy { $0.count == 1 })
    }

    @Test(arguments: ["0", "0000", "00000"]) func `Event IDs that consist of zeros are distinguished by length`(
        wanted: String
    ) throws {
        let text = ["0", "0000", "00000"].map { id in row { $0.eventID = id } }.joined()
        #expect(try ReadLog(text) { $0.filter.eventIDs = [wanted] }.texts(.eventID) == [wanted])
    }
}

@Suite struct LevelTests {
    static let words = [
        "Critical", "Unexpected", "Exception", "Assert", "Error", "Monitorable", "Warning", "High", "Medium",
        "Information", "Verbose", "VerboseEx",
    ]

    @Test func `Levels are words, and can be longer than their padding`() throws {
        let log = try ReadLog(Self.words.map { word in row { $0.level = word } }.joined())
        #expect(log.texts(.level) == Self.words)
    }

    @Test func `A summary lists the worst level first`() throws {
        let log = try ReadLog(Self.words.reversed().map { word in row { $0.level = word } }.joined())
        let ranks = log.summary.levels.map { ULSLevel($0.value).rank }
        #expect(ranks == ranks.sorted())
        #expect(log.summary.levels.first?.value == "Critical")
        #expect(log.summary.levels.last?.value == "VerboseEx")
    }

    @Test(
        arguments: [
            ("Critical", 1), ("Unexpected", 5), ("Monitorable", 6), ("Warning", 7), ("High", 8), ("Medium", 9),
            ("Information", 10), ("Verbose", 11), ("VerboseEx", 12),
        ]
    )
    func `A level filter selects that level and all worse ones`(word: String, count: Int) throws {
        let text = Self.words.map { word in row { $0.level = word } }.joined()
        #expect(try ReadLog(text) { $0.filter.level = ULSLevel(word) }.events.count == count)
    }

    @Test func `An unknown level is kept and ranked like Medium, but passes a filter for High`() throws {
        let text = row { $0.level = "Unerwartet" } + row { $0.level = "" }
        let log = try ReadLog(text)
        #expect(log.texts(.level) == ["Unerwartet", ""])
        #expect(log.events.allSatisfy { $0.level.rank == ULSLevel("Medium").rank && !$0.level.isKnown })
        #expect(try ReadLog(text) { $0.filter.level = ULSLevel("Medium") }.events.count == 2)
        // They may be just as bad.
        #expect(try ReadLog(text) { $0.filter.level = ULSLevel("High") }.events.count == 2)
    }

    @Test func `Levels are compared ignoring case`() throws {
        let text = row { $0.level = "CRITICAL" } + row { $0.level = "verboseex" }
        #expect(try ReadLog(text) { $0.filter.level = ULSLevel("High") }.texts(.level) == ["CRITICAL"])
    }
}

struct ULSLevelTests {
    @Test func `Levels are ranked from most to least severe`() {
        let words = ["Critical", "Unexpected", "Monitorable", "Warning", "High", "Medium", "Information", "Verbose"]
        let ranks = words.map { ULSLevel($0).rank }
        #expect(ranks == ranks.sorted())
        #expect(Set(ranks).count == ranks.count)
        #expect(ULSLevel.knownWords.map { ULSLevel($0).rank } == ULSLevel.knownWords.map { ULSLevel($0).rank }.sorted())
    }

    @Test(arguments: ["Exception", "Assert", "Error", "unexpected", "Monitorable"])
    func `Levels that indicate a problem are abnormal`(word: String) {
        #expect(ULSLevel(word).isAbnormal)
    }

    @Test func `An unknown level is kept and ranked like Medium`() {
        let level = ULSLevel("Wichtig")
        #expect(level.word == "Wichtig")
        #expect(!level.isKnown)
        #expect(level.rank == ULSLevel("Medium").rank)
    }
}

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
    func `The process column contains the program, its ID and, in merged logs, the server`(
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

    @Test func `The server in a row takes precedence over the one in the file's name`() throws {
        let text = row { $0.process = "w3wp.exe (WFE2:0x0001)" } + row()
        let log = try ReadLog(text, as: "WFE1-20110926-1030.log")
        #expect(log.events.map(\.server) == ["WFE2", "WFE1"])
    }

    @Test func `Processes with the same ID on two servers are different processes`() throws {
        let text = row { $0.process = "w3wp.exe (WFE1:0x0001)" } + row { $0.process = "w3wp.exe (WFE2:0x0001)" }
        #expect(try ReadLog(text) { $0.filter.servers = ["wfe2"] }.events.map(\.server) == ["WFE2"])
    }

    @Test(arguments: ["w3wp", "W3WP.EXE", "0x1790", "0X1790"])
    func `A process is found by its program or its ID, ignoring case`(wanted: String) throws {
        let text = row("ours") + row("other") { $0.process = "OWSTIMER.EXE (0x0780)" }
        #expect(try ReadLog(text) { $0.filter.processes = [wanted] }.messages == ["ours"])
    }

    @Test(arguments: ["0x0EB8", "0x7FFF", "0x8000", "0xFFFC", "0x1A2B4"])
    func `A thread ID can have more than fifteen bits`(thread: String) throws {
        #expect(try ReadLog(row { $0.thread = thread }).texts(.threadID) == [thread])
    }
}

import Testing

@testable import ULSLog

@Suite struct ColumnTests {
    @Test func `a native row has nine columns, trimmed of their padding`() throws {
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

    @Test func `columns need no padding`() throws {
        let padded = try ReadLog(row()).only()
        let bare = try ReadLog(row().split(separator: "\t").map { $0.trimmed }.joined(separator: "\t") + "\n").only()
        for column in ULSEvent.Column.allCases { #expect(bare.text(column) == padded.text(column)) }
        #expect(bare.time == padded.time)
    }

    @Test(arguments: 1...3) func `a column longer than its padding shifts those behind it`(column: Int) throws {
        let long = String(repeating: "x", count: 60)
        let text = row {
            switch column {
            case 1: $0.process = "\(long).exe (0x0001)"
            case 2: $0.area = long
            default: $0.category = long
            }
        }
        // Twice, before and behind ordinary rows: columns are remembered.
        let log = try ReadLog(row("first") + text + row("second") + text)
        #expect(log.messages == ["first", "said", "second", "said"])
        #expect(log.texts(.process)[3] == (column == 1 ? "\(long).exe" : "w3wp.exe"))
        #expect(log.texts(.area)[3] == (column == 2 ? long : "SharePoint Foundation"))
        #expect(log.texts(.category)[3] == (column == 3 ? long : "Runtime"))
        #expect(log.texts(.eventID) == ["b9y3", "b9y3", "b9y3", "b9y3"])
    }

    @Test func `a category that the service cut at 31 characters is kept as it is`() throws {
        let event = try ReadLog(row { $0.category = "End-to-end Something Measured T" }).only()
        #expect(event.text(.category) == "End-to-end Something Measured T")
    }

    @Test func `a row of eight columns has no correlation`() throws {
        let event = try ReadLog(row("short") { $0.correlation = nil }).only()
        #expect(event.text(.message) == "short")
        #expect(event.text(.correlation) == "")
    }

    @Test func `a row of seven columns is not understood`() throws {
        let short = "09/26/2011 10:39:40.52 \tw3wp.exe (0x1790)\t0x0EB8\tArea\tCategory\tb9y3\tHigh\r\n"
        let log = try ReadLog(row("above") + short + row("below"))
        #expect(log.messages == ["above", "below"])
        #expect(log.quality.notUnderstood == 1)
        #expect(log.lines == [1, 3])
    }

    @Test func `a message may hold tabs`() throws {
        let log = try ReadLog(row("one\ttwo\t\tthree") + row("one\ttwo") { $0.correlation = nil })
        #expect(log.messages == ["one\ttwo\t\tthree", "one\ttwo"])
        #expect(log.texts(.correlation) == [NativeRow.correlation, ""])
    }

    @Test func `a message may be empty`() throws {
        let log = try ReadLog(row("") + row("") { $0.correlation = nil } + row("") { $0.correlation = " " })
        #expect(log.messages == ["", "", ""])
        #expect(log.texts(.correlation) == [NativeRow.correlation, "", ""])
    }

    @Test func `an area may be empty, and a category that nobody registered is a number`() throws {
        let log = try ReadLog(row { ($0.area, $0.category) = ("", "0xEB2D003") })
        #expect(log.texts(.area) == [""])
        #expect(log.texts(.category) == ["0xEB2D003"])
    }

    @Test func `areas of custom code are kept`() throws {
        let areas = ["Unknown", "LDAPCP", "Patterns and Practices", "Überwachung"]
        let log = try ReadLog(areas.map { area in row { $0.area = area } }.joined())
        #expect(log.texts(.area) == areas)
    }

    @Test func `columns that a viewer padded with no-break spaces are trimmed`() throws {
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
    /// Without blanks at its ends.
    var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { " \r\n".contains($0) || $0 == "\r\n" }.reversed())
    }
}

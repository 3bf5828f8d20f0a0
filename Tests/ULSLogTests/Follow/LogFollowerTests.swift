import Foundation
import TestSupport
import Testing

@testable import ULSLog
@testable import ULSRows

/// Logs followed while they are written, with real files and simulated time.
struct LogFollowerTests {
    @Test func `Only new rows are shown, as soon as they are complete`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("A-20110926-1039.log")
        try Following.write(nativeHeader + row("old"), to: path)
        let following = try Following(folder)
        #expect(try following.messages() == [])
        try Following.append(row("new").utf8.dropLast(3), to: path)
        #expect(try following.settled() == [])
        try Following.append(row("new").utf8.suffix(3), to: path)
        #expect(try following.settled() == ["new"])
        let end = try following.finish()
        #expect(end.messages == [])
        #expect(end.report.events == 1)
        #expect(end.report.quality.balances)
        #expect(end.report.quality.notUnderstood == 0)
    }

    @Test func `A row that is followed by another row is shown immediately`() throws {
        let following = try Following(reading: nativeHeader)
        let path = following.path
        try Following.append(row("one") + row("two"), to: path)
        #expect(try following.messages() == ["one"])
        #expect(try following.messages(after: LogFollower.hold) == ["two"])
    }

    /// The events are the same as in the whole file, regardless of where the writer flushes its buffer.
    @Test(arguments: [1, 2, 3, 7, 64, 300, 1000])
    func `A file that is read as it grows yields the same events as the whole file`(piece: Int) throws {
        let folder = try TemporaryFolder()
        let text =
            nativeHeader + row("one") + row("two\r\nsecond line\r\n\tthird line") + row("cut...")
            + row("...in...") { $0.mark = "*" } + row("...three") { $0.mark = "*" } + row("äöü 漢字")
            + row("ends in dots...")
            + row("last")
        let path = folder.path("A-20110926-1039.log")
        try Following.write("", to: path)
        let following = try Following(folder)
        var found = try following.look()
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            try Following.append(rest.prefix(piece), to: path)
            rest = rest.dropFirst(piece)
            // Little time passes, because a writer writes related rows at once.
            found += try following.look(after: .microseconds(20))
        }
        found += try following.look(after: .seconds(1))
        let end = try following.finish()
        var expected: [ULSEvent] = []
        let report = try LogReader(inputs: [path]).forEachEvent(in: .files) { expected.append(copy $0) }
        #expect(found == expected)
        #expect(end.report.quality.records == report.quality.records)
        #expect(end.report.quality.lines == report.quality.lines)
        #expect(end.report.quality.balances)
    }

    @Test func `A line that immediately follows a row is part of it`() throws {
        let following = try Following(reading: nativeHeader)
        let path = following.path
        let bytes = Array(row("first\r\nsecond").utf8)
        let cut = try #require(bytes.firstIndex(of: 0x0A)) + 1
        try Following.append(bytes.prefix(cut), to: path)
        #expect(try following.look().isEmpty)
        try Following.append(bytes.dropFirst(cut), to: path)
        #expect(try following.look().isEmpty)
        #expect(try following.messages(after: LogFollower.hold) == ["first\r\nsecond"])
    }

    @Test func `A message that ends in dots is held until its thread writes again, or for some seconds`() throws {
        let following = try Following(reading: nativeHeader)
        let path = following.path
        try Following.append(row("Waiting...") + row("next") + row("more"), to: path)
        #expect(try following.messages() == ["Waiting...", "next"])
        #expect(try following.messages(after: LogFollower.hold) == ["more"])
        try Following.append(row("Loading...") + row("other") { $0.thread = "0x0001" }, to: path)
        #expect(try following.messages(after: .milliseconds(500)) == [])
        #expect(try following.messages(after: LogFollower.longHold) == ["Loading...", "other"])
    }

    @Test func `An exception is held until its thread writes another one or something else`() throws {
        let following = try Following(reading: nativeHeader)
        let path = following.path
        let other = row("Exception: A.B: other") { $0.time = "09/26/2011 10:39:40.53" }
        let old = row("Exception: A.B: old") + row("at A.B.Run()")
        try Following.append(old + other + row("next") + row("more"), to: path)
        #expect(try following.messages() == ["Exception: A.B: old\nat A.B.Run()", "Exception: A.B: other", "next"])
    }

    @Test(arguments: [50, 400, 1000])
    func `Late parts of a message and late lines of a row are joined`(delay: Int) throws {
        let following = try Following(reading: nativeHeader)
        let path = following.path
        var found: [String] = []
        func write(_ text: String) throws {
            try Following.append(text, to: path)
            found += try following.messages()
            found += try following.messages(after: .milliseconds(delay))
        }
        try write(row("a..."))
        try write(row("...b") { $0.mark = "*" })
        for line in row("first\r\n  at A\r\n  at B").split(separator: "\r\n") { try write(line + "\r\n") }
        found += try following.settled()
        #expect(found == ["ab", "first\r\n  at A\r\n  at B"])
        #expect(try following.finish().report.quality.notUnderstood == 0)
    }

    @Test func `Lines and parts that arrive too late are separate rows, and nothing is lost`() throws {
        let following = try Following(reading: nativeHeader)
        let path = following.path
        var found: [String] = []
        func write(_ text: String) throws {
            try Following.append(text, to: path)
            found += try following.messages()
            found += try following.messages(after: LogFollower.longHold * 2)
            found += try following.settled()
        }
        for line in row("first\r\n  at A\r\n  at B").split(separator: "\r\n") { try write(line + "\r\n") }
        try write(row("a..."))
        try write(row("...b") { $0.mark = "*" })
        try write("\r\n" + nativeHeader)
        try write(row("last"))
        #expect(found == ["first", "...  at A", "...  at B", "a...", "...b", "last"])
        let quality = try following.finish().report.quality
        #expect(quality.notUnderstood == 0 && quality.orphans == 0 && quality.balances)
    }

    @Test func `When following ends, the last row is shown even without a line end`() throws {
        let following = try Following(reading: nativeHeader)
        let path = following.path
        try Following.append(String(row("first") + row("last").dropLast()), to: path)
        #expect(try following.settled() == ["first"])
        let end = try following.finish()
        #expect(end.messages == ["last"])
        #expect(end.report.quality.balances && end.report.quality.records == 2)
    }

    @Test func `A server's next file is read from its beginning, after the rest of the previous one`() throws {
        let folder = try TemporaryFolder()
        let (first, second) = (folder.path("A-20110926-1039.log"), folder.path("A-20110926-1109.log"))
        try Following.write(nativeHeader + row("old"), to: first)
        let following = try Following(folder)
        _ = try following.look()
        try Following.append(nativeHeader + row("third"), to: second)
        try Following.append(row("first") + row("second"), to: first)
        #expect(try following.settled() == ["first", "second", "third"])
        try Following.append(row("fourth"), to: second)
        #expect(try following.settled() == ["fourth"])
        #expect(try following.finish().report.files.map(\.records) == [2, 2])
    }

    @Test func `A truncated file is read from its beginning, with a note`() throws {
        let following = try Following(reading: nativeHeader + row("old") + row("older"), ["a.log"])
        let path = following.path
        truncate(path, 0)
        try Following.append(row("new"), to: path)
        #expect(try following.settled() == ["new"])
        let report = try following.finish().report
        #expect(report.files.first?.notes.first?.contains("truncated") == true)
        #expect(report.files.first?.isIncomplete == true)
    }

    @Test func `A file that is moved is read to its end, and then the new file with its name is read`() throws {
        let following = try Following(reading: nativeHeader + row("old"), ["a.log"])
        let path = following.path
        try Following.append(row("before"), to: path)
        rename(path, following.folder.path("a.log.1"))
        try Following.append(row("after"), to: path)
        #expect(try following.settled() == ["before", "after"])
        // Its writer may not have detected this yet.
        try Following.append(row("late"), to: following.folder.path("a.log.1"))
        try Following.append(row("new"), to: path)
        #expect(Set(try following.settled()) == ["late", "new"])
    }

    @Test func `A file that is removed and recreated is read from its beginning`() throws {
        let following = try Following(reading: nativeHeader + row("old"), ["a.log"])
        let path = following.path
        unlink(path)
        #expect(try following.settled() == [])
        try Following.write(nativeHeader + row("new") + row("newer") + row("newest"), to: path)
        #expect(try following.settled() == ["new", "newer", "newest"])
    }

    @Test(arguments: ["", "*.log"])
    func `New files in a folder or matching a pattern are followed`(word: String) throws {
        let folder = try TemporaryFolder()
        let following = try Following(folder, [word])
        #expect(try following.messages() == [])
        try Following.append(nativeHeader + row("one"), to: folder.path("a.log"))
        #expect(try following.settled() == ["one"])
        try Following.append(nativeHeader + row("two"), to: folder.path("b.log"))
        try Following.write("not a log", to: folder.path("b.dat"))
        #expect(try following.settled() == ["two"])
    }

    @Test func `Rows of servers that write simultaneously are shown in order of time`() throws {
        let folder = try TemporaryFolder()
        let paths = ["A", "B"].map { folder.path("\($0)-20110926-1039.log") }
        for path in paths { try Following.write(nativeHeader, to: path) }
        let following = try Following(folder)
        _ = try following.look()
        func rows(_ names: [String], _ seconds: [Int]) -> String {
            zip(names, seconds).map { name, second in row(name) { $0.time = "09/26/2011 10:39:4\(second).00" } }
                .joined()
        }
        try Following.append(rows(["a1", "a4", "a5"], [1, 4, 5]), to: paths[0])
        try Following.append(rows(["b2", "b3", "b6"], [2, 3, 6]), to: paths[1])
        following.now += .milliseconds(10)
        #expect(try following.messages() == ["a1", "b2", "b3", "a4"])
        #expect(try following.messages(after: .seconds(1)) == ["a5", "b6"])
    }

    @Test func `The requested number of previous events is shown first, with line numbers`() throws {
        let folder = try TemporaryFolder()
        try Following.write(nativeHeader + row("older"), to: folder.path("A-20110926-1009.log"))
        let path = folder.path("A-20110926-1039.log")
        try Following.write(nativeHeader + (1...20).map { row("number \($0)") }.joined(), to: path)
        let following = try Following(folder, last: 3)
        let events = try following.look()
        #expect(events.map { $0.text(.message) } == ["number 18", "number 19", "number 20"])
        #expect(events.map(\.place.line) == [19, 20, 21])
        try Following.append(row("new"), to: path)
        let new = try following.look() + following.look(after: .seconds(1))
        #expect(new.map(\.place.line) == [22])
    }

    @Test func `Previous events of several servers are shown in order of time`() throws {
        let folder = try TemporaryFolder()
        for (server, seconds) in [("A", [1, 4, 5]), ("B", [2, 3]), ("C", [0])] {
            let rows = seconds.map { second in row("\(second)") { $0.time = "09/26/2011 10:39:4\(second).00" } }
            try Following.write(nativeHeader + rows.joined(), to: folder.path("\(server)-20110926-1039.log"))
        }
        #expect(try Following(folder, last: 10).messages() == ["0", "1", "2", "3", "4", "5"])
        #expect(try Following(folder, last: 2).messages() == ["4", "5"])
    }

    @Test func `After a file was idle, line numbers of new rows are correct`() throws {
        let following = try Following(reading: nativeHeader + (1...50).map { row("number \($0)") }.joined())
        let path = following.path
        try Following.append(row("new"), to: path)
        #expect(try following.look(after: .seconds(1)).isEmpty)
        #expect(try following.look(after: .seconds(1)).map(\.place.line) == [52])
    }

    @Test func `Filters apply to newly written rows`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.log")
        try Following.write(nativeHeader + row("said before"), to: path)
        let following = try Following(folder, last: 10) { $0.filter.contains = ["said"] }
        #expect(try following.messages() == ["said before"])
        try Following.append(
            row("nothing") + row("said it") + row("not") + row("said in ...") + row("...two rows"),
            to: path
        )
        #expect(try following.settled() == ["said it", "said in two rows"])
    }

    @Test func `Events before and after a hit are shown with it`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.log")
        try Following.write(nativeHeader, to: path)
        let following = try Following(folder, around: ContextReach(before: 1, after: 1)) {
            $0.filter.contains = ["hit"]
        }
        _ = try following.look()
        try Following.append(["a", "b", "hit", "c", "d"].map { row($0) }.joined(), to: path)
        #expect(try following.settled() == ["b", "hit", "c"])
        #expect(try following.finish().report.events == 1)
    }

    @Test func `UTF-16 files can also be followed`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.log")
        func utf16(_ text: String) -> [UInt8] { text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } }
        try Following.append([0xFF, 0xFE] + utf16(nativeHeader + row("old")), to: path)
        let following = try Following(folder)
        _ = try following.look()
        let new = utf16(row("änder"))
        try Following.append(new.prefix(101), to: path)
        #expect(try following.settled() == [])
        try Following.append(new.dropFirst(101), to: path)
        #expect(try following.settled() == ["änder"])
    }

    @Test func `Inputs that do not exist or do not grow are refused`() throws {
        let folder = try TemporaryFolder()
        #expect(throws: LogError.self) { try Following(folder, ["nothing.log"]) }
        try Data(StoredGzip.pack(Array("x".utf8))).write(to: URL(filePath: folder.path("a.log.gz")))
        #expect(throws: LogError.self) { try Following(folder, ["a.log.gz"]) }
        mkfifo(folder.path("pipe"), 0o600)
        #expect(throws: LogError.self) { try Following(folder, ["pipe"]) }
    }

    @Test func `Files that are repeatedly written and removed leave no open files and no held events`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.log")
        let following = try Following(folder, [""])
        _ = try following.look()
        for number in 0..<200 {
            try Following.write(nativeHeader + row("number \(number)"), to: path)
            #expect(try following.settled() == ["number \(number)"])
            unlink(path)
            _ = try following.look(after: .seconds(61))
            _ = try following.look(after: .seconds(61))
        }
        #expect(OpenFiles.below(folder.path("")).isEmpty)
    }
}

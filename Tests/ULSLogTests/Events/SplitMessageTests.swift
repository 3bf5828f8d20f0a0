import Testing

@testable import ULSLog
@testable import ULSRows

/// Returns a message split as the service splits it: 800 characters per row, and three dots where it continues.
private func split(_ message: String, _ change: (inout NativeRow) -> Void = { _ in }) -> [String] {
    var parts: [String] = []
    var rest = Substring(message)
    while !rest.isEmpty {
        let isFirst = parts.isEmpty
        let piece = rest.prefix(800)
        rest = rest.dropFirst(800)
        parts.append(
            row((isFirst ? "" : "...") + piece + (rest.isEmpty ? "" : "...")) {
                if !isFirst { $0.mark = "*" }
                change(&$0)
            }
        )
    }
    return parts
}

private func text(_ count: Int, _ seed: Int = 0) -> String {
    String((0..<count).map { Character(Unicode.Scalar(UInt8(97 + ($0 * 7 + $0 / 26 + seed) % 26))) })
}

@Suite struct SplitMessageTests {
    @Test func `A summary with a text filter counts the parts whose beginning is missing`() throws {
        let text = row("...rest that is found") { $0.mark = "*" } + row("found")
        let log = try ReadLog(text) { $0.filter.contains = ["found"] }
        #expect(log.summary.quality.orphans == 1)
    }

    @Test(arguments: [800, 801, 1600, 1601, 2450]) func `The parts of a message are joined`(count: Int) throws {
        let message = text(count)
        let parts = split(message)
        let log = try ReadLog(nativeHeader + parts.joined() + row("next"))
        #expect(log.messages == [message, "next"])
        #expect(log.events[0].parts == parts.count)
        #expect(log.events[0].place.line == 2)
        #expect(log.events[0].place.lineEnd == 1 + parts.count)
        #expect(log.quality.parts == parts.count - 1)
        #expect(log.quality.orphans == 0)
        #expect(log.texts(.correlation)[0] == NativeRow.correlation)
    }

    @Test(arguments: [".", "..", "...", "....", ".....", "......"])
    func `Exactly three dots are dropped, so a full stop at the cut is kept`(dots: String) throws {
        let before = text(800 - dots.count) + dots + text(30)
        let behind = text(800) + dots + text(30)
        let over = text(799) + dots + text(30)
        for message in [before, behind, over] {
            #expect(try ReadLog(split(message).joined() + row("next")).messages == [message, "next"])
        }
    }

    @Test(arguments: [".", "..", "..."]) func `The last part of a message can consist only of dots`(rest: String) throws
    {
        let message = text(800) + rest
        let log = try ReadLog(split(message).joined() + split(text(900, 3)).joined())
        #expect(log.messages == [message, text(900, 3)])
    }

    @Test func `A last part that is only a full stop is not continued`() throws {
        let log = try ReadLog(split(text(800) + ".").joined() + row("...registering"))
        #expect(log.messages == [text(800) + ".", "...registering"])
    }

    @Test func `Spaces at the cut are kept`() throws {
        let message = text(799) + "  " + text(50)
        #expect(try ReadLog(split(message).joined()).messages == [message])
    }

    @Test func `Rows of other threads can occur between the parts of a message`() throws {
        let one = split(text(2000))
        let two = split(text(1700, 5)) { $0.thread = "0x1234" }
        let log = try ReadLog(one[0] + two[0] + row("between") + one[1] + two[1] + one[2] + row("after") + two[2])
        #expect(log.messages == [text(2000), text(1700, 5), "between", "after"])
        #expect(log.events.map(\.parts) == [3, 3, 1, 1])
        #expect(log.lines == [1, 2, 3, 7])
        #expect(log.events[0].place.lineEnd == 6)
    }

    @Test func `A part at the beginning of a file is kept as the rest of a message whose beginning is missing`() throws
    {
        let parts = split(text(2000))
        let log = try ReadLog(parts[1] + parts[2] + row("next"))
        #expect(log.events.count == 2)
        #expect(log.events[0].isOrphan)
        #expect(log.events[0].parts == 2)
        #expect(log.messages[0] == "..." + text(2000).dropFirst(800))
        #expect(log.quality.orphans == 1)
        #expect(!log.events[1].isOrphan)
    }

    @Test func `A row with an asterisk but without leading dots is a separate event`() throws {
        let log = try ReadLog(
            row("Trace cut ...") { $0.eventID = "8094" }
                + row("Deleted a file") { ($0.mark, $0.eventID) = ("*", "b9wt") }
                + row("no dots") { ($0.mark, $0.eventID) = ("*", "8094") }
        )
        #expect(log.messages == ["Trace cut ...", "Deleted a file", "no dots"])
        #expect(log.quality.parts == 0)
        #expect(log.quality.orphans == 0)
    }

    @Test(arguments: ["process", "thread", "event ID", "level"])
    func `A part with a different process, thread, event ID or level is not joined to the message`(
        column: String
    ) throws {
        let parts = split(text(900))
        let other = split(text(900)) {
            switch column {
            case "process": $0.process = "w3wp.exe (0x0001)"
            case "thread": $0.thread = "0x0001"
            case "event ID": $0.eventID = "abcd"
            default: $0.level = "Medium"
            }
        }
        let log = try ReadLog(parts[0] + other[1])
        #expect(log.events.count == 2)
        #expect(log.events.map(\.isOrphan) == [false, true])
        #expect(log.messages[0] == text(800) + "...")
    }

    @Test func `A part with a different correlation is not joined to the message`() throws {
        let parts = split(text(900))
        let other = split(text(900)) { $0.correlation = NativeRow.elsewhere }
        #expect(try ReadLog(parts[0] + other[1]).quality.orphans == 1)
    }

    @Test func `A message that ends in dots is complete if the next row is unrelated`() throws {
        let log = try ReadLog(row("Looking for the key ...") + row("Found it") + row("Done ...") + row("... and more"))
        #expect(log.messages == ["Looking for the key ...", "Found it", "Done  and more"])
    }

    @Test func `Without an asterisk, dots suffice to join rows of the same thread and event ID`() throws {
        let log = try ReadLog(
            row("one ...") + row("... of another thread") { $0.thread = "0x0001" }
                + row("... of another event") { $0.eventID = "abcd" } + row("... registering worker")
        )
        #expect(log.messages.count == 3)
        #expect(log.messages[0] == "one  registering worker")
        #expect(log.quality.orphans == 0)
    }

    @Test func `A message that begins with dots is a complete event if its beginning is missing`() throws {
        let log = try ReadLog(row("... registering worker") + row("next"))
        #expect(log.messages == ["... registering worker", "next"])
        #expect(log.events.allSatisfy { !$0.isOrphan })
    }

    @Test func `The parts of a message can be in two files of one server`() throws {
        let folder = try SourceFolder()
        let parts = split(text(2000))
        let other = split(text(1000, 9))
        let paths = [
            try folder.write("WFE1-20110926-1030.log", nativeHeader + row("a") + parts[0]),
            try folder.write("WFE2-20110926-1030.log", nativeHeader + other[0]),
            try folder.write("WFE1-20110926-1100.log", nativeHeader + parts[1] + parts[2] + row("b")),
            try folder.write("WFE2-20110926-1100.log", nativeHeader + other[1]),
        ]
        for order in [LogReader.Order.files, .time] {
            let log = try ReadLog(paths, in: order)
            #expect(Set(log.messages) == ["a", "b", text(2000), text(1000, 9)])
            #expect(log.quality.orphans == 0)
            #expect(log.quality.parts == 3)
        }
    }

    @Test func `Parts in the files of two servers are not joined`() throws {
        let folder = try SourceFolder()
        let parts = split(text(900))
        let log = try ReadLog([
            folder.write("WFE1-20110926-1030.log", parts[0]), folder.write("WFE2-20110926-1031.log", parts[1]),
        ])
        #expect(log.quality.orphans == 1)
        #expect(log.events.count == 2)
    }

    @Test func `A part more than a mebibyte after its beginning is not joined`() throws {
        let parts = split(text(900))
        let noise = String(repeating: row(text(700)) { $0.thread = "0x0001" }, count: 1200)
        let log = try ReadLog(parts[0] + noise + parts[1])
        #expect(log.quality.orphans == 1)
        #expect(log.events.count == 1202)
        #expect(log.messages[0] == text(800) + "...")
    }

    @Test func `A joined message is truncated at its limit`() throws {
        let log = try ReadLog(split(text(300_000)).joined() + row("next"))
        #expect(log.events.count == 2)
        #expect(log.messages[0] == text(LogLimit.messageBytes.maximum))
        #expect(log.events[0].parts == 375)
        #expect(log.quality.limits == [LimitReached(limit: .messageBytes, count: 1)])
    }

    @Test func `Text that spans a cut is found`() throws {
        let message = text(796) + " needle " + text(100)
        let log = try ReadLog(split(message).joined() + row("other")) { $0.filter.contains = ["Needle"] }
        #expect(log.messages == [message])
    }

    @Test func `A filter selects all parts of a message or none`() throws {
        let parts = split(text(1700))
        let id = try #require(CorrelationPattern(NativeRow.correlation))
        let other = row("x") { $0.correlation = NativeRow.elsewhere }
        let log = try ReadLog(other + parts[0] + other + parts[1] + other + parts[2]) { $0.filter.correlations = [id] }
        #expect(log.messages == [text(1700)])
        #expect(log.lines == [2])
    }

    @Test func `A part with an asterisk continues its message even without the correlation`() throws {
        let parts = split(text(1700))
        let bare = split(text(1700)) { $0.correlation = nil }
        let other = row("Reading ...") { $0.correlation = NativeRow.elsewhere }
        for last in [parts[2], bare[2]] {
            let log = try ReadLog(other + parts[0] + bare[1] + last + row("next"))
            #expect(log.messages == ["Reading ...", text(1700), "next"])
            #expect(log.events[1].parts == 3 && log.quality.orphans == 0)
            #expect(log.texts(.correlation)[1] == NativeRow.correlation)
            #expect(log.summary.quality.parts == 2)
        }
        let elsewhere = split(text(900)) { ($0.correlation, $0.thread) = (nil, "0x0001") }
        #expect(try ReadLog(parts[0] + elsewhere[1]).quality.orphans == 1)
    }

    /// The rows of an exception, as an upgrade or the configuration wizard writes them.
    private static let trace = [
        "Task upgrade has failed with an unknown exception", "Exception: Contoso.OldException: It is too old.",
        "at Microsoft.SharePoint.Upgrade.SPSequence.Run()",
        "at Microsoft.SharePoint.Upgrade.SPUpgradeSession.Upgrade(Boolean a)",
        "Inner Exception: The file is locked.", "at System.IO.File.Open(String path)",
    ]

    @Test(arguments: trace.indices)
    func `The rows of an exception with the same time, thread and event ID are one event`(first: Int) throws {
        let lines = Self.trace[first...]
        let other = row("between") { $0.thread = "0x0001" }
        let log = try ReadLog(lines.map { row($0) }.joined(separator: other) + row("next"))
        // An inner exception or a frame alone is also continued.
        #expect(log.messages.first == lines.joined(separator: "\n"))
        #expect(log.events.first?.parts == lines.count && log.events.first?.isOrphan == false)
        #expect(log.messages.count == lines.count + 1)
        let summary = log.summary
        #expect((summary.events, summary.quality.parts) == (log.events.count, lines.count - 1))
    }

    @Test func `Exceptions at the end of one server's log leave room for those of the next server`() {
        var open = OpenMessages<UInt64>()
        let count = UInt64(LogLimit.openParts.maximum)
        for number in 0..<count { open.open(number, PartKeys(key: number), at: 1 << 30) }
        open.open(count, PartKeys(key: count), at: 0)
        #expect(open.evicted == 0)
        #expect(open.part(key: count, isMarked: false, at: 1, hasMore: false) == count)
    }

    @Test func `Rows of another time, event or exception are not part of an exception`() throws {
        let trace = Self.trace
        let log = try ReadLog(
            row(trace[1]) + row(trace[2]) { $0.time = "09/26/2011 10:39:40.53" } + row(trace[1])
                + row(trace[3]) { $0.eventID = "abcd" } + row("at once") + row("at System.Web")
        )
        #expect(log.events.allSatisfy { $0.parts == 1 })
        #expect(log.events.count == 6)
    }
}

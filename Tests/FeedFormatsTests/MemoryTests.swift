import ContentFeeding
import FeedFormats
import Foundation
import Testing

struct MemoryTests {
    /// In a process of its own, whose memory is only its own.
    @Test func aLineOfManyMembersTakesNoMoreThanOneOfText() async {
        await #expect(processExitsWith: .success) {
            let text = #"{"id":"m""# + String(repeating: #","a":1"#, count: 700_000) + "}\n"
            let before = try Self.peak()
            let reading = Reading(text, as: .jsonLines(), for: .add)
            #expect(reading.ids == ["m"])
            // The line as it is read, its copy, and some more.
            #expect(try Self.peak() - before < 6 * text.utf8.count)
        }
    }

    /// The most memory that the process ever had, in bytes.
    private static func peak() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.filter(\.isNumber))) << 10
    }
}

import Foundation
import Glibc
import TestSupport
import Testing

@testable import ULSLog
@testable import ULSRows

struct LogEventsTests {
    private func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// One row per second, for at most an hour.
    private func log(rows: Int) -> String {
        (0..<rows).map { number in
            row {
                $0.time = "09/26/2011 10:\(digits(number / 60)):\(digits(number % 60)).00"
                $0.message = "event \(number)"
            }
        }.joined()
    }

    private func reader(rows: Int) -> LogReader {
        LogReader(text: Array(log(rows: rows).utf8), name: "WFE1-20110926-1000.log")
    }

    @Test(arguments: [LogReader.Order.files, .time]) func `A loop receives the same events as a callback`(
        order: LogReader.Order
    ) async throws {
        let reader = reader(rows: 3_000)
        var expected: [ULSEvent] = []
        let report = try reader.forEachEvent(in: order) { expected.append(copy $0) }
        let events = reader.events(in: order)
        #expect(events.report == nil)
        for round in 1...2 {
            var found: [ULSEvent] = []
            for try await event in events { found.append(event) }
            #expect(found == expected && found.count == 3_000)
            #expect(events.report?.events == report.events)
            #expect(events.progress.events == round * 3_000)
        }
    }

    @Test func `For an input that cannot be opened, the loop throws an error`() async {
        let events = LogReader(inputs: ["/nowhere/at/all.log"]).events()
        let error = await #expect(throws: LogError.self) { for try await _ in events {} }
        #expect(error?.code == .cannotOpen)
        #expect(events.report == nil)
    }

    @Test func `Leaving a loop ends the reading`() async throws {
        let events = reader(rows: 3_600).events()
        for try await event in events {
            #expect(event.text(.message) == "event 0")
            break
        }
        // After a thousand events, the reading thread waits for space, and is notified that the consumer is gone.
        #expect(events.report == nil)
        #expect(events.progress.events < 3_600)
    }

    @Test func `In a canceled task, the loop throws an error instead of ending early`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("WFE1.log")
        #expect(mkfifo(path, 0o600) == 0)
        let events = LogReader(inputs: [path]).events(in: .files)
        let reading = Task { for try await _ in events {} }
        // The writing end stays open, so the reader has to wait. If it were opened only for writing, it would wait for
        // the reader, and block a thread that other tests need.
        let writer = open(path, O_RDWR)
        #expect(write(writer, "x", 1) == 1)
        var unread: Int32 = 1
        while unread > 0 {
            try await Task.sleep(for: .milliseconds(1))
            #expect(ioctl(writer, UInt(FIONREAD), &unread) == 0)
        }
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
        close(writer)
    }
}

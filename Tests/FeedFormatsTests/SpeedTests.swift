import ContentFeeding
import Foundation
import TestSupport
import Testing

@testable import FeedFormats

/// Measures in a release build: `FASTCTL_SPEED=1 swift test -c release --filter SpeedTests`.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["FASTCTL_SPEED"] != nil))
struct SpeedTests {
    @Test func tenMillionLines() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("ids")
        var text: [UInt8] = []
        for number in 1...10_000_000 {
            text.append(contentsOf: String(number).utf8)
            text.append(10)
        }
        try Data(text).write(to: URL(filePath: path))
        let clock = ContinuousClock()
        for _ in 1...3 {
            var count = 0
            let time = try await clock.measure {
                for try await chunk in try await FeedInput.open([.file(path)], for: .remove, format: .lines()) {
                    count += chunk.operations.count
                }
            }
            #expect(count == 10_000_000)
            print("lines:", time / 10_000_000, "an ID")
        }
    }
}

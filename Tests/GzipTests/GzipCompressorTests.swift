import Foundation
import Gzip
import TestSupport
import Testing

struct GzipCompressorTests {
    @Test func `A compressed message is restored by gunzip`() throws {
        let message = Array(String(repeating: #"{"delete":{"_id":"a"}}"# + "\n", count: 10_000).utf8)
        let compressed = try #require(GzipCompressor.compress(message))
        #expect(compressed.count < message.count / 10)

        let folder = try TemporaryFolder()
        try Data(compressed).write(to: URL(filePath: folder.path("message.gz")))
        #expect(try ChildProgram.run("gunzip", [folder.path("message.gz")]).status == 0)
        #expect(try Data(contentsOf: URL(filePath: folder.path("message"))) == Data(message))
    }

    @Test(arguments: [[], [1], [UInt8]((0...255))])
    func `A message that would not shrink is left unchanged`(message: [UInt8]) {
        #expect(GzipCompressor.compress(message) == nil)
    }
}

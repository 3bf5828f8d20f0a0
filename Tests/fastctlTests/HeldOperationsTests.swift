import ContentFeeding
import FeedFormats
import Foundation
import TestSupport
import Testing

@testable import fastctl

struct HeldOperationsTests {
    private func collect(
        _ count: Int,
        _ folder: TemporaryFolder,
        _ store: HeldOperations.Store
    ) async throws
        -> HeldOperations
    {
        let path = folder.path("ids")
        let ids = (0..<count).map { "\($0)-" + String(repeating: "x", count: 60_000) + "\n" }
        try ids.joined().write(toFile: path, atomically: false, encoding: .utf8)
        let input = try await FeedInput.open([.file(path)], for: .remove, format: .lines())
        return try await HeldOperations.collect(input, limit: count, in: store)
    }

    private func store(in folder: TemporaryFolder) throws -> HeldOperations.Store {
        let path = folder.path("spill")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        return HeldOperations.Store(directory: path)
    }

    @Test func longIDsGoToTheFileAndComeBackInPieces() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let held = try await collect(200, folder, try store(in: folder))
        #expect(OpenFiles.below(folder.path("spill")).count == 1)
        var ids: [String] = []
        for try await chunk in held {
            #expect(chunk.operations.reduce(0) { $0 + $1.byteCount } <= 4 << 20)
            ids += chunk.operations.map { String($0.documentID.text.prefix { $0 != "-" }) }
        }
        #expect(ids == (0..<200).map(String.init))
    }

    /// Also where only the last read gives less than it was asked for.
    @Test(arguments: [1_000, 1_000_000]) func aFileThatBecameShorterIsNoShortList(by count: Int) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let held = try await collect(200, folder, try store(in: folder))
        OpenFiles.shorten(below: folder.path("spill"), by: count)
        await #expect(throws: SpillError.self) { for try await _ in held {} }
    }
}

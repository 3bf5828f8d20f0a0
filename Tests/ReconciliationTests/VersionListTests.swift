import ContentFeeding
import TestSupport
import Testing

@testable import Reconciliation

/// Sorting in bounded memory, compared with sorting everything at once.
struct VersionListTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Reads a list to its end: each ID once, with its digest and the number of its occurrences.
    private func read(_ list: VersionList) throws -> [(id: String, digest: UInt64, copies: Int)] {
        var reader = try VersionListReader(list)
        var found: [(String, UInt64, Int)] = []
        while try reader.next() {
            found.append((String(decoding: reader.id, as: UTF8.self), reader.digest, reader.copies))
        }
        return found
    }

    private func list(_ ids: [String], memory: Int, maximumBytes: Int = 1 << 30) throws -> VersionList {
        let space = SpillSpace(in: folder.path("."), maximumBytes: maximumBytes)
        var builder = VersionListBuilder(in: space, memory: memory)
        for (place, id) in ids.enumerated() { try builder.append(DocumentID(id), UInt64(place)) }
        return try builder.finish()
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `IDs in any order are returned in the order of their bytes`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let count = Int.random(in: 0...3_000, using: &random)
        let prefix = ["", "https://example.org/", "é"].randomElement(using: &random) ?? ""
        let highest = Int.random(in: 1...4_000, using: &random)
        var ids = (0..<count).map { _ in "\(prefix)\(Int.random(in: 0..<highest, using: &random))" }
        if Bool.random(using: &random) { ids.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) } }
        let memory = [4 << 10, 20_000, 1 << 20].randomElement(using: &random) ?? 0
        let found = try read(try list(ids, memory: memory))
        let expected = Dictionary(grouping: ids.indices) { ids[$0] }
            .map { (id: $0.key, digest: UInt64($0.value[0]), copies: $0.value.count) }
            .sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
        #expect(found.map(\.id) == expected.map(\.id))
        #expect(found.map(\.copies) == expected.map(\.copies))
        #expect(found.map(\.digest) == expected.map(\.digest))
    }

    @Test func `Any number of versions that arrive in order forms a single run`() throws {
        let ids = (0..<5_000).map { "n\(10_000 + $0)" }
        let list = try list(ids, memory: 4 << 10)
        #expect(list.runs.count == 1 && list.cameInOrder && list.count == 5_000)
        #expect(try read(list).map(\.id) == ids)
    }

    @Test func `Versions that arrive out of order form several runs, each small enough for memory`() throws {
        let list = try list((0..<5_000).map { "n\(($0 * 7_919) % 5_000)" }, memory: 8 << 10)
        #expect(list.runs.count > 10 && !list.cameInOrder)
        for run in list.runs {
            guard case .spilled(_, let from, let to) = run else { continue }
            #expect(to - from <= 8 << 10)
        }
    }

    @Test func `IDs of any length are preserved, including the longest`() throws {
        let ids = [String(repeating: "b", count: DocumentID.maximumByteCount), "b", "a", "bb"]
        #expect(try read(try list(ids, memory: 4 << 10)).map(\.id) == ["a", "b", "bb", ids[0]])
    }

    @Test func `A full disk causes an error, and no list is returned`() throws {
        #expect(throws: SpillError.self) {
            try list((0..<5_000).map { "n\(($0 * 7_919) % 5_000)" }, memory: 4 << 10, maximumBytes: 30_000)
        }
    }

    @Test func `Files of a list have no name, and are deleted with the list`() throws {
        var kept: VersionList? = try list((0..<5_000).map { "n\(($0 * 7_919) % 5_000)" }, memory: 4 << 10)
        #expect(kept?.runs.isEmpty == false)
        #expect(!OpenFiles.below(folder.path("")).isEmpty)
        kept = nil
        #expect(OpenFiles.below(folder.path("")).isEmpty)
    }
}

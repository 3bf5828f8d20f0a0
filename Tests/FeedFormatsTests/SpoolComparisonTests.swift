import ContentFeeding
import Foundation
import TestSupport
import Testing

@testable import FeedFormats

/// The same pipe is resumed, and a different one is read from the beginning.
@Suite(.timeLimit(.minutes(10)))
struct SpoolComparisonTests {
    private let folder: TemporaryFolder
    private let (old, other): (String, String)

    init() throws {
        folder = try TemporaryFolder()
        (old, other) = (folder.path("old"), folder.path("other"))
    }

    @Test(arguments: 1...30)
    func `The first difference is found, and no data of the pipe is lost`(seed: UInt64) async throws {
        var generator = Seeded(seed)
        let kept = (0..<Int.random(in: 1...60_000, using: &generator)).map { _ in
            UInt8.random(in: 8...14, using: &generator)
        }
        try keep(kept)
        let place = Int.random(in: 0..<kept.count, using: &generator)
        var brought = kept
        if seed.isMultiple(of: 2) {
            brought[place] ^= 0x40
            brought += [1, 2, 3].prefix(Int.random(in: 0...3, using: &generator))
        } else {
            brought.removeLast(kept.count - place)
        }
        let pipe = try TestPipe(holding: brought)
        let comparison = try await compare(pipe)
        guard case .different(let line, let spool) = comparison else {
            Issue.record("\(comparison)")
            return
        }
        #expect(line == 1 + kept.prefix(place).count { $0 == 10 })
        #expect(spool.path == other && mode(other) == 0o600)
        #expect(try brought.starts(with: bytes(other)))
        let reading = try await Reading(drawing: open(pipe, spool))
        #expect(reading == Reading(brought, as: .lines()).from(pipe.source))
        #expect(try bytes(other) == brought && bytes(old) == kept)
        #expect(mode(other) == 0o400)
    }

    @Test(arguments: ["", "a\n", "a\nb"], ["", "c\nd\n"])
    func `If the pipe has the same data, reading continues into the kept spool`(kept: String, more: String) async throws
    {
        try keep(Array(kept.utf8))
        let pipe = try TestPipe(holding: Array((kept + more).utf8))
        let comparison = try await compare(pipe)
        guard case .same(let spool) = comparison else {
            Issue.record("\(comparison)")
            return
        }
        #expect(spool.path == old)
        #expect(!FileManager.default.fileExists(atPath: other))
        // Nothing is added before it is read.
        #expect(try bytes(old) == Array(kept.utf8))
        let reading = try await Reading(drawing: open(pipe, spool))
        #expect(reading.ids == (kept + more).split(separator: "\n").map(String.init))
        #expect(try bytes(old) == Array((kept + more).utf8) && mode(old) == 0o400)
    }

    @Test func `A complete spool can be extended with further data`() async throws {
        try keep(Array("a\n".utf8))
        chmod(old, 0o400)
        let pipe = try TestPipe()
        pipe.send("a\nb\n")
        guard case .same(let spool) = try await compare(pipe) else {
            Issue.record("not the same")
            return
        }
        var chunks = try await open(pipe, spool).makeAsyncIterator()
        let kept = try await chunks.next()
        let added = try await chunks.next()
        #expect([kept, added].map { $0?.operations.map(\.documentID.text) } == [["a"], ["b"]])
        #expect(mode(old) == 0o600)
        pipe.close()
        let end = try await chunks.next()
        #expect(end == nil)
        #expect(mode(old) == 0o400)
    }

    @Test func `A comparison does not read beyond the end of the spool`() async throws {
        try keep(Array("a\nb\n".utf8))
        let pipe = try TestPipe()
        pipe.send("a\nb\n")
        // The pipe is open and empty, so waiting for more would never end.
        guard case .same = try await compare(pipe) else {
            Issue.record("not the same")
            return
        }
        pipe.close()
    }

    @Test func `A slow pipe is compared as its data arrives`() async throws {
        let text = (1...500).map { "\($0)\n" }.joined()
        try keep(Array(text.utf8))
        let pipe = try TestPipe()
        async let comparison = compare(pipe)
        for character in text.utf8 {
            pipe.send(String(UnicodeScalar(character)))
            await Task.yield()
        }
        guard case .same(let spool) = try await comparison else {
            Issue.record("not the same")
            return
        }
        pipe.send("last\n")
        pipe.close()
        let reading = try await Reading(drawing: open(pipe, spool))
        #expect(reading.ids.count == 501)
    }

    @Test func `Data that spans several reads is compared`() async throws {
        var text = Array((1...200_000).map { "number \($0)\n" }.joined().utf8)
        try keep(text)
        let fifo = folder.path("fifo")
        try #require(mkfifo(fifo, 0o600) == 0)
        text[2_000_000] = UInt8(ascii: "x")
        let changed = String(decoding: text, as: UTF8.self)
        async let feeding: Void = send(changed, through: fifo)
        let comparison = try await InputSpool.compare(old, with: .file(fifo), maximumBytes: 1 << 30, orElse: other)
        guard case .different(let line, let spool) = comparison else {
            Issue.record("\(comparison)")
            return
        }
        #expect(line == 1 + text.prefix(2_000_000).count { $0 == 10 })
        let memory = InputMemory(offset: .start, spool: spool)
        let input = try await FeedInput.open([.file(fifo)], for: .remove, format: .lines(), memory: memory)
        let reading = try await Reading(drawing: input)
        await feeding
        #expect(reading.ids.count == 200_000)
        #expect(try bytes(other) == text)
    }

    @Test func `A canceled comparison stops waiting`() async throws {
        try keep(Array("a\nb\n".utf8))
        let pipe = try TestPipe()
        pipe.send("a\n")
        let (old, other, source) = (old, other, pipe.source)
        let comparing = Task {
            try await InputSpool.compare(old, with: source, maximumBytes: 100, orElse: other)
        }
        comparing.cancel()
        await #expect(throws: CancellationError.self) { _ = try await comparing.value }
        #expect(!FileManager.default.fileExists(atPath: other))
        pipe.close()
    }

    @Test func `A new spool that can't be created is reported by name`() async throws {
        try keep(Array("a\n".utf8))
        try Data("x".utf8).write(to: URL(filePath: other))
        let pipe = try TestPipe(holding: Array("b\n".utf8))
        let error = await #expect(throws: InputError.self) { _ = try await compare(pipe) }
        #expect(error?.code == .spoolFailed)
        #expect(try bytes(other) == Array("x".utf8))
    }

    private func keep(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(filePath: old)) }

    private func compare(_ pipe: TestPipe) async throws -> InputSpool.Comparison {
        try await InputSpool.compare(old, with: pipe.source, maximumBytes: 1 << 20, orElse: other)
    }

    private func open(_ pipe: TestPipe, _ spool: InputSpool) async throws -> FeedInput {
        let memory = InputMemory(offset: .start, spool: spool)
        return try await FeedInput.open([pipe.source], for: .remove, format: .lines(), memory: memory)
    }
}

extension Reading {
    /// The same data, from a source with a different name.
    fileprivate func from(_ source: InputSource) -> Reading {
        var copy = self
        copy.rejections = rejections.map {
            InputRejection(source: source.name, line: $0.line, reason: $0.reason)
        }
        return copy
    }
}

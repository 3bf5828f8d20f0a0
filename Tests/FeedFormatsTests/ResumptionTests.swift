import ContentFeeding
import Digests
import Foundation
import TestSupport
import Testing

@testable import FeedFormats

/// Input that an earlier run has read is skipped, but only if it is unchanged.
struct ResumptionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: ["a\nb\n", "a\nb", ""])
    func `An input with a fixed end is complete at that end, regardless of later data`(text: String) async throws {
        let path = folder.path("ids")
        try Data(text.utf8).write(to: URL(filePath: path))
        var memory = InputMemory()
        func read() async throws -> Reading {
            try await Reading(drawing: FeedInput.open([.file(path)], for: .remove, format: .lines(), memory: memory))
        }
        let before = try await read()
        memory.end = before.end
        try Data((text + "c\nd\n").utf8).write(to: URL(filePath: path))
        let after = try await read()
        #expect(after == before && after.ids == text.split(separator: "\n").map(String.init))
    }

    @Test(arguments: RandomInput.Shape.allCases, RandomInput.Encoding.allCases)
    func `Two runs split at any chunk read the whole input`(
        shape: RandomInput.Shape,
        encoding: RandomInput.Encoding
    ) async throws {
        for seed in 1...3 {
            let input = try RandomInput(shape, encoding, seed: seed, in: folder)
            let chunks = try await input.chunks()
            let whole = Reading(chunks)
            for (index, chunk) in chunks.enumerated() {
                var both = Reading(chunks[...index])
                let rest = try await input.chunks(InputMemory(offset: chunk.end, digest: chunk.digest))
                both.add(rest)
                #expect(both == whole, "\(input) from \(chunk.end)")
                let last = rest.last { !$0.isEarlier } ?? chunk
                #expect(last.digest == chunks.last?.digest, "\(input) from \(chunk.end)")
            }
        }
    }

    @Test(arguments: RandomInput.Shape.allCases, RandomInput.Encoding.allCases)
    func `When a removal resumes, the records read before are returned first`(
        shape: RandomInput.Shape,
        encoding: RandomInput.Encoding
    ) async throws {
        var counts: [(last: Int, all: Int)] = []
        for seed in 1...3 {
            let input = try RandomInput(shape, encoding, seed: seed, in: folder)
            let chunks = try await input.chunks()
            for (index, chunk) in chunks.enumerated() {
                let resumed = try await input.chunks(InputMemory(offset: chunk.end, digest: chunk.digest))
                let earlier = resumed.filter(\.isEarlier).flatMap(\.operations)
                let expected = shape.kind == .remove ? chunks[...index].flatMap(\.operations) : []
                #expect(earlier == expected, "\(input) from \(chunk.end)")
                let later = resumed.drop { $0.isEarlier }
                #expect(later.allSatisfy { !$0.isEarlier })
                // The last of more records than are kept in memory.
                let few = try await input.chunks(InputMemory(offset: chunk.end, digest: chunk.digest), remembered: 2)
                let last = few.filter(\.isEarlier).flatMap(\.operations)
                #expect(last == Array(expected.suffix(last.count)), "\(input) from \(chunk.end)")
                counts.append((last.count, expected.count))
            }
        }
        guard shape.kind == .remove else { return }
        #expect(counts.contains { $0.last > 0 && $0.last < $0.all }, "always all or nothing")
    }

    @Test(arguments: RandomInput.Shape.allCases, RandomInput.Encoding.allCases)
    func `A changed byte is detected before the position, but not after it`(
        shape: RandomInput.Shape,
        encoding: RandomInput.Encoding
    ) async throws {
        var generator = Seeded(7)
        for seed in 1...2 {
            let input = try RandomInput(shape, encoding, seed: seed, in: folder)
            for chunk in try await input.chunks() {
                let memory = InputMemory(offset: chunk.end, digest: chunk.digest)
                guard let (file, place) = input.byte(before: chunk.end, using: &generator) else { continue }
                let bytes = input.files[file].bytes
                var changed = bytes
                changed[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                try input.write(changed, to: file)
                let other = await #expect(throws: InputError.self) { try await input.chunks(memory) }
                #expect(other?.code == .changed, "\(input) from \(chunk.end), byte \(place)")
                try input.write(Array(bytes.prefix(place)), to: file)
                let shorter = await #expect(throws: InputError.self) { try await input.chunks(memory) }
                #expect(shorter?.code == .changed, "\(input) from \(chunk.end), \(place) bytes")
                try input.write(bytes, to: file)
            }
        }
    }

    @Test(arguments: RandomInput.Shape.allCases, RandomInput.Encoding.allCases)
    func `Data after the position must be unchanged only if it was sent`(
        shape: RandomInput.Shape,
        encoding: RandomInput.Encoding
    ) async throws {
        var generator = Seeded(11)
        for seed in 1...3 {
            let input = try RandomInput(shape, encoding, seed: seed, in: folder)
            let chunks = try await input.chunks()
            guard let sent = chunks.indices.randomElement(using: &generator) else { continue }
            for place in 0...sent {
                let before = place == 0 ? OperationChunk() : chunks[place - 1]
                var memory = InputMemory(offset: before.end, digest: before.digest)
                let rest = try await input.chunks(memory)
                memory.sentThrough = InputMark(chunks[sent].end, digest: chunks[sent].digest)
                let context = "\(input) from \(before.end) to \(chunks[sent].end)"
                #expect(try await Reading(input.chunks(memory)) == Reading(rest), "\(context)")
                guard let (file, byte) = input.byte(before: chunks[sent].end, using: &generator) else { continue }
                let bytes = input.files[file].bytes
                var changed = bytes
                changed[byte] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                for other in [changed, Array(bytes.prefix(byte))] {
                    try input.write(other, to: file)
                    let error = await #expect(throws: InputError.self) { try await input.chunks(memory) }
                    #expect(error?.code == .changed, "\(context), byte \(byte)")
                }
                try input.write(bytes, to: file)
            }
        }
    }

    @Test func `A record that has grown since it was sent is a different record, and later records may have changed`()
        async throws
    {
        let path = try file("ids", "a\nb\nc")
        var limits = InputLimits()
        limits.chunkCount = 1
        func read(_ memory: InputMemory) async throws -> [OperationChunk] {
            let input = try await FeedInput.open(
                [.file(path)],
                for: .remove,
                format: .lines(),
                limits: limits,
                memory: memory
            )
            return try await chunks(of: input)
        }
        let all = try await read(InputMemory())
        var memory = InputMemory()
        memory.sentThrough = InputMark(all[1].end, digest: all[1].digest)
        _ = try file("ids", "a\nb\nx\ny")
        #expect(try await Reading(read(memory)).ids == ["a", "b", "x", "y"])
        memory.sentThrough = InputMark(all[2].end, digest: all[2].digest)
        _ = try file("ids", "a\nb\ncc\n")
        let error = await #expect(throws: InputError.self) { _ = try await read(memory) }
        #expect(error?.description.hasSuffix("the record that ended after its first 5 bytes now continues") == true)
    }

    @Test(arguments: RandomInput.Encoding.allCases)
    func `A digest covers all bytes before the position, each source followed by its length`(
        encoding: RandomInput.Encoding
    ) async throws {
        for shape in RandomInput.Shape.allCases {
            let input = try RandomInput(shape, encoding, seed: 5, in: folder)
            for chunk in try await input.chunks() {
                var before: [UInt8] = []
                for bytes in input.raw.prefix(chunk.end.source) {
                    before += bytes + (0..<8).map { UInt8(truncatingIfNeeded: bytes.count >> (56 - 8 * $0)) }
                }
                before += input.raw[chunk.end.source].prefix(Int(chunk.end.byte))
                var expected = RunningBLAKE2b()
                expected.update(before.span)
                #expect(chunk.digest == expected.digestSoFar().bytes, "\(input) at \(chunk.end)")
            }
        }
    }

    @Test func `Without an input memory, no digest is computed`() async throws {
        let path = try file("ids", "a\nb\n")
        for try await chunk in try await FeedInput.open([.file(path)], for: .remove, format: .lines()) {
            #expect(chunk.digest == [])
        }
    }

    @Test func `A change of the input is reported with its position`() async throws {
        let text = (1...100_000).map { "number \($0)\n" }.joined()
        let path = try file("ids", text)
        var last = OperationChunk()
        for try await chunk in try await open(path, InputMemory()) {
            last = chunk
            if chunk.end.byte > 1_000_000 { break }
        }
        let memory = InputMemory(offset: last.end, digest: last.digest)
        let end = Int(last.end.byte)
        let words = BytesInWords(end)

        _ = try file("ids", text.replacing("number 7\n", with: "number 8\n"))
        await expectChange("its first \(words) differ from those that were read", path, memory)
        _ = try file("ids", String(text.prefix(end - 1)))
        await expectChange("it ends after \(BytesInWords(end - 1)), but \(words) of it had been read", path, memory)
        _ = try file("ids", String(text.prefix(end)))
        let rest = try await Reading(drawing: open(path, memory))
        #expect(rest.operations.isEmpty)
    }

    @Test(arguments: [("a\nb\n", "c\n", ["c"]), ("a\nb\n", "", []), ("", "a", ["a"])])
    func `An input that has grown can be resumed`(text: String, more: String, ids: [String]) async throws {
        let path = try file("ids", text)
        let before = try await chunks(of: open(path, InputMemory()))
        _ = try file("ids", text + more)
        let memory = InputMemory(offset: before.last?.end ?? .start, digest: before.last?.digest ?? [])
        let rest = try await Reading(drawing: open(path, memory))
        #expect(rest.ids == ids)
    }

    @Test func `A last record that has grown is a different record`() async throws {
        let path = try file("ids", "a\nb")
        let before = try await chunks(of: open(path, InputMemory()))
        #expect(before.last?.end.byte == 3)
        let memory = InputMemory(offset: before.last?.end ?? .start, digest: before.last?.digest ?? [])
        let same = try await Reading(drawing: open(path, memory))
        #expect(same.operations.isEmpty)
        _ = try file("ids", "a\nbc\n")
        await expectChange("the record that ended after its first 3 bytes now continues", path, memory)
    }

    @Test func `An input with fewer sources than were read is a different input`() async throws {
        let path = try file("ids", "a\n")
        let memory = InputMemory(offset: InputOffset(source: 1, byte: 2))
        await expectChange("2 sources were read", path, memory)
    }

    @Test func `A header longer than the read buffer does not affect the digest`() async throws {
        let header = "\n\n" + String(repeating: "x", count: 300) + ",id\n"
        let sources = [try file("one", header + "1,a\n2,b\n"), try file("two", header + "1,c\n")]
        var limits = InputLimits()
        limits.readBytes = 16
        let inputs = sources.map(InputSource.file)
        func read(_ memory: InputMemory) async throws -> [OperationChunk] {
            let format = InputFormat.csv(column: .named("id"))
            return try await chunks(
                of: FeedInput.open(inputs, for: .remove, format: format, limits: limits, memory: memory)
            )
        }
        let all = try await read(InputMemory())
        #expect(Reading(all).ids == ["a", "b", "c"])
        for (index, chunk) in all.enumerated() {
            let rest = try await read(InputMemory(offset: chunk.end, digest: chunk.digest))
            var both = Reading(all[...index])
            both.add(rest)
            #expect(both == Reading(all))
        }
    }

    private func file(_ name: String, _ text: String) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: folder.path(name)))
        return folder.path(name)
    }

    private func open(_ path: String, _ memory: InputMemory) async throws -> FeedInput {
        try await FeedInput.open([.file(path)], for: .remove, format: .lines(), memory: memory)
    }

    private func expectChange(_ reason: String, _ path: String, _ memory: InputMemory) async {
        let error = await #expect(throws: InputError.self) { _ = try await open(path, memory) }
        #expect(error?.description == "\(path): has changed since the job started: \(reason)")
        #expect(error?.code == .changed)
    }
}

/// Returns the chunks of an opened input.
func chunks(of input: FeedInput) async throws -> [OperationChunk] {
    var chunks: [OperationChunk] = []
    for try await chunk in input { chunks.append(chunk) }
    return chunks
}

extension InputMemory {
    init(offset: InputOffset, digest: [UInt8] = [], spool: InputSpool? = nil) {
        self.init()
        (self.offset, self.digest, self.spool) = (offset, digest, spool)
    }
}

extension Reading {
    init(_ chunks: some Sequence<OperationChunk>) {
        self = .empty
        add(chunks)
    }

    mutating func add(_ chunks: some Sequence<OperationChunk>) { for chunk in chunks { add(chunk) } }
}

import ContentFeeding
import DocumentSources
import FeedFormats
import Foundation
import TestSupport
import Testing

@testable import FeedJobs

/// A source that a job has read partially, and that is read to its end later.
struct SourceInputTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let lines = (0..<3500).map { #"{"id":"n\#($0)","v":0}"# }

    private func input(_ lines: [String], _ kind: ContentOperation.Kind = .add) throws -> SourceInput {
        let path = folder.path("all.jsonl")
        try lines.map { $0 + "\n" }.joined().write(toFile: path, atomically: true, encoding: .utf8)
        let source = OpenableSource(
            try SourceAddress("jsonl:\(path)"),
            in: SourceCatalog(environment: [:]),
            collection: nil
        )
        return SourceInput(source: source, kind: kind, configuration: FeedConfiguration())
    }

    private func chunks(_ input: FeedInput, atMost count: Int = .max) async throws -> [OperationChunk] {
        var iterator = input.makeAsyncIterator()
        var chunks: [OperationChunk] = []
        while chunks.count < count, let chunk = try await iterator.next() { chunks.append(chunk) }
        return chunks
    }

    /// Reads three pages, and returns the progress of a job that has settled all operations of the first page and some
    /// of the others.
    private func memory(after page: Int, _ kind: ContentOperation.Kind = .add) async throws -> InputMemory {
        let read = try await input(Self.lines, kind).open(InputMemory(), keepsRouting: true, SilentObserver())
        let chunks = try await chunks(read, atMost: 3)
        let before = page == 0 ? nil : chunks[page - 1]
        let progress = FeedProgress(
            job: JobID(rawValue: "J"),
            offset: before?.end ?? .start,
            inputDigest: before?.digest ?? []
        )
        var memory = InputMemory()
        memory.offset = progress.offset
        memory.digest = read.noted(in: progress).inputDigest
        return memory
    }

    @Test(arguments: [ContentOperation.Kind.add, .remove], 0...3)
    func `Reading an unchanged source resumes at the last page, with the same operations`(
        kind: ContentOperation.Kind,
        page: Int
    ) async throws {
        let memory = try await memory(after: page, kind)
        let rest = try await chunks(input(Self.lines, kind).open(memory, keepsRouting: true, SilentObserver()))
        #expect(rest.flatMap(\.operations).map(\.documentID.text) == (page * 1000..<3500).map { "n\($0)" })
        #expect(rest.first?.end.byte == UInt64(min(3500, (page + 1) * 1000)))
    }

    /// The second run is also interrupted, after reading only one page; the first run has sent some operations from
    /// three pages.
    @Test(arguments: 0...1)
    func `A recognized source is remembered completely, however little of it was read again`(page: Int) async throws {
        var memory = try await memory(after: page)
        let read = try await input(Self.lines).open(memory, keepsRouting: true, SilentObserver())
        let first = try #require(try await chunks(read, atMost: 1).first)
        for place in [(memory.offset, SourceTrail.split(memory.digest)?.place ?? []), (first.end, first.digest)] {
            let progress = FeedProgress(job: JobID(rawValue: "J"), offset: place.0, inputDigest: place.1)
            memory.offset = place.0
            memory.digest = read.noted(in: progress).inputDigest
            var lines = Self.lines
            lines[2500] = #"{"id":"n2500","v":1}"#
            let other = try input(lines)
            await #expect {
                _ = try await other.open(memory, keepsRouting: true, SilentObserver())
            } throws: { error in
                (error as? InputError)?.code == .changed
            }
        }
    }

    @Test func `Entries that were not yet read may have changed`() async throws {
        let memory = try await memory(after: 1)
        var lines = Self.lines
        lines[3000] = #"{"id":"n3000","v":1}"#
        lines.append(#"{"id":"more"}"#)
        let rest = try await chunks(input(lines).open(memory, keepsRouting: true, SilentObserver()))
        #expect(rest.flatMap(\.operations).count == 2501)
    }

    @Test(arguments: [0, 999, 1000, 1001, 2000, 2999])
    func `If an entry in the part that was read is changed, added or removed, the input counts as different`(
        place: Int
    ) async throws {
        let changes: [(inout [String]) -> Void] = [
            { $0[place] = #"{"id":"n\#(place)","v":1}"# },
            { $0.insert(#"{"id":"new"}"#, at: place) },
            { $0.remove(at: place) },
        ]
        for page in 0...1 {
            let memory = try await memory(after: page)
            for change in changes {
                var lines = Self.lines
                change(&lines)
                let other = try input(lines)
                await #expect("page \(page)") {
                    _ = try await other.open(memory, keepsRouting: true, SilentObserver())
                } throws: { error in
                    (error as? InputError)?.code == .changed
                }
            }
        }
    }

    @Test func `A source that now ends before the end of the part that was read counts as different`() async throws {
        let memory = try await memory(after: 1)
        let other = try input(Array(Self.lines.prefix(2500)))
        await #expect {
            _ = try await other.open(memory, keepsRouting: true, SilentObserver())
        } throws: { error in
            (error as? InputError)?.code == .changed
        }
    }

    @Test func `Data that a removal does not use may change`() async throws {
        let memory = try await memory(after: 0, .remove)
        var lines = Self.lines
        lines[5] = #"{"id":"n5","v":1}"#
        let rest = try await chunks(input(lines, .remove).open(memory, keepsRouting: true, SilentObserver()))
        #expect(rest.flatMap(\.operations).count == 3500)
    }

    @Test func `With a damaged input memory, the input counts as changed`() async throws {
        var memory = try await memory(after: 0)
        memory.digest.removeLast()
        let input = try input(Self.lines)
        await #expect(throws: InputError.self) {
            _ = try await input.open(memory, keepsRouting: true, SilentObserver())
        }
    }

    @Test func `If two input memories have the same position, the more complete one is kept`() {
        var short = FeedProgress(job: JobID(rawValue: "J"), inputDigest: [1])
        short.settled = [1]
        var long = FeedProgress(job: JobID(rawValue: "J"), inputDigest: [1, 0, 2])
        long.settled = [2]
        for union in [short.union(long), long.union(short)] {
            #expect(union.inputDigest == [1, 0, 2])
            #expect(union.settledCount == 2)
        }
        var further = FeedProgress(job: JobID(rawValue: "J"), offset: InputOffset(source: 1, byte: 9), inputDigest: [9])
        further.firstOperation = OperationID(rawValue: 3)
        further.lowestUnsettled = OperationID(rawValue: 3)
        #expect(further.union(long).inputDigest == [9] && long.union(further).inputDigest == [9])
    }
}

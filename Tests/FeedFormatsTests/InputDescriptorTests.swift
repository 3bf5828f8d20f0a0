import ContentFeeding
import FeedFormats
import Glibc
import TestSupport
import Testing

/// Reading from a pipe whose other end is held by the test.
@Suite(.timeLimit(.minutes(10)))
struct PipeTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("pipe")
        try #require(mkfifo(path, 0o600) == 0)
    }

    private func open() async throws -> FeedInput {
        try await FeedInput.open([.file(path)], for: .remove, format: .lines())
    }

    private func send(_ text: String, to writer: CInt) {
        let bytes = Array(text.utf8)
        #expect(write(writer, bytes, bytes.count) == bytes.count)
    }

    @Test func `Bytes that have arrived are returned without waiting for more`() async throws {
        let input = try await open()
        let writer = Glibc.open(path, O_WRONLY)
        var chunks = input.makeAsyncIterator()
        send("a\nb\nc", to: writer)
        let first = try await chunks.next()
        #expect(first?.operations.map(\.documentID) == ["a", "b"])
        #expect(first?.end == InputOffset(source: 0, byte: 4))
        send("d\n", to: writer)
        let second = try await chunks.next()
        #expect(second?.operations.map(\.documentID) == ["cd"])
        send("e", to: writer)
        close(writer)
        let last = try await chunks.next()
        #expect(last?.operations.map(\.documentID) == ["e"])
        let end = try await chunks.next()
        #expect(end == nil)
    }

    @Test func `Full chunks are returned without waiting for the rest of a record`() async throws {
        let input = try await open()
        let writer = Glibc.open(path, O_WRONLY)
        defer { close(writer) }
        var chunks = input.makeAsyncIterator()
        send(String(repeating: "a\n", count: 1000) + "b", to: writer)
        let first = try await chunks.next()
        #expect(first?.operations.count == 1000)
        input.stop()
    }

    @Test func `A canceled task stops waiting`() async throws {
        let input = try await open()
        let writer = Glibc.open(path, O_WRONLY)
        defer { close(writer) }
        send("a\nb", to: writer)
        let (drawn, signal) = AsyncStream.makeStream(of: Int.self)
        let reading = Task {
            for try await chunk in input { signal.yield(chunk.operations.count) }
        }
        for await count in drawn {
            #expect(count == 1)
            break
        }
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
    }

    @Test func `A canceled task also stops waiting while a table is opened`() async throws {
        let path = path
        let opening = Task {
            try await FeedInput.open([.file(path)], for: .remove, format: .csv(column: .named("id")))
        }
        opening.cancel()
        await #expect(throws: CancellationError.self) { _ = try await opening.value }
    }

    @Test func `An input can be stopped`() async throws {
        let input = try await open()
        let writer = Glibc.open(path, O_WRONLY)
        defer { close(writer) }
        var chunks = input.makeAsyncIterator()
        send("a\nb", to: writer)
        let first = try await chunks.next()
        #expect(first?.operations.count == 1)
        async let stopping: Void = input.stop()
        let rest = try await chunks.next()
        #expect(rest == nil)
        await stopping
    }

    @Test func `An inherited pipe without a writer is at its end`() async throws {
        var ends: [CInt] = [-1, -1]
        try #require(pipe(&ends) == 0)
        close(ends[1])
        let input = try await FeedInput.open([.file("/dev/fd/\(ends[0])")], for: .remove, format: .lines())
        close(ends[0])
        let reading = try await Reading(drawing: input)
        #expect(reading.operations.isEmpty)
    }
}

import ContentFeeding
import Foundation
import Glibc
import TestSupport
import Testing

@testable import FeedFormats

/// Data from a pipe can be read again.
@Suite(.timeLimit(.minutes(10)))
struct InputSpoolTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("spool")
    }

    @Test func `Data is in the spool, unchanged, before it is returned`() async throws {
        let pipe = try TestPipe()
        let spool = try InputSpool.create(path, maximumBytes: 1 << 20)
        var chunks = try await open(pipe, spool).makeAsyncIterator()
        var sent: [UInt8] = []
        for text in ["a\nb", "c\n", "\n\u{0}\r\nd\n", String(repeating: "e\n", count: 20_000)] {
            pipe.send(text)
            sent += Array(text.utf8)
            var end = 0
            while end < (sent.lastIndex(of: 10) ?? 0) + 1 {
                let next = try await chunks.next()
                let chunk = try #require(next)
                end = Int(chunk.end.byte)
                #expect(try bytes(path).starts(with: sent.prefix(end)))
            }
            #expect(mode(path) == 0o600 && !spool.isComplete)
        }
        pipe.send("f")
        pipe.close()
        let last = try await chunks.next()
        #expect(last?.operations.map(\.documentID) == ["f"])
        let end = try await chunks.next()
        #expect(end == nil)
        #expect(try bytes(path) == sent + [UInt8(ascii: "f")])
        #expect(mode(path) == 0o400 && spool.isComplete)
    }

    @Test(arguments: RandomInput.Shape.allCases, [RandomInput.Encoding.utf8, .littleEndian])
    func `A pipe and its spool contain the same input, wherever the first run stopped`(
        shape: RandomInput.Shape,
        encoding: RandomInput.Encoding
    ) async throws {
        for seed in 1...4 {
            let input = try RandomInput(shape, encoding, seed: seed, in: folder)
            guard let file = input.files.last else { continue }
            let plain = try await input.chunks(InputMemory(), with: .file(file.path), at: file.source)
            let pipe = try TestPipe(holding: file.bytes)
            var memory = InputMemory(offset: .start, spool: try InputSpool.create(path, maximumBytes: 1 << 20))
            let piped = try await input.chunks(memory, with: pipe.source, at: file.source)
            #expect(piped.map(\.end) == plain.map(\.end) && piped.map(\.digest) == plain.map(\.digest), "\(input)")
            #expect(Reading(piped).operations == Reading(plain).operations, "\(input)")
            memory.spool = try InputSpool.open(path)
            #expect(try bytes(path) == file.bytes)
            for (index, chunk) in piped.enumerated() {
                (memory.offset, memory.digest) = (chunk.end, chunk.digest)
                let notes = Notes()
                var both = Reading(piped[...index])
                both.add(try await input.chunks(memory, with: pipe.source, at: file.source) { notes.add($0) })
                #expect(both == Reading(piped), "\(input) from \(chunk.end)")
                #expect(!notes.all.contains { if case .endedEarly = $0 { true } else { false } })
            }
            try FileManager.default.removeItem(atPath: path)
        }
    }

    /// A killed run leaves an arbitrary initial part of its pipe's data.
    @Test(arguments: RandomInput.Shape.allCases, [RandomInput.Encoding.utf8, .bigEndian])
    func `A truncated spool yields only operations that the whole input contains`(
        shape: RandomInput.Shape,
        encoding: RandomInput.Encoding
    ) async throws {
        let input = try RandomInput(shape, encoding, seed: 2, in: folder)
        let file = try #require(input.files.last)
        let source = file.source
        let whole = Reading(try await input.chunks(InputMemory(), with: .file(file.path), at: source))
        var generator = Seeded(1)
        let counts = (0..<30).map { _ in Int.random(in: 0...file.bytes.count, using: &generator) }
        for count in Set(counts + (0...8).map { min($0, file.bytes.count) } + [file.bytes.count]) {
            unlink(path)
            try Data(file.bytes.prefix(count)).write(to: URL(filePath: path))
            let notes = Notes()
            var memory = InputMemory(offset: .start, spool: try InputSpool.open(path))
            let pipe = try TestPipe(holding: file.bytes)
            let parts = try await input.chunks(memory, with: pipe.source, at: source) { notes.add($0) }
            let part = Reading(parts)
            #expect(whole.operations.starts(with: part.operations), "\(input) at \(count)")
            #expect(notes.all.contains { if case .endedEarly = $0 { true } else { false } }, "\(input) at \(count)")
            // Then the same command runs with its pipe.
            let comparison = try await InputSpool.compare(
                path,
                with: pipe.source,
                maximumBytes: 1 << 20,
                orElse: folder.path("other")
            )
            guard case .same(let spool) = comparison else {
                Issue.record("\(input) at \(count): \(comparison)")
                continue
            }
            memory = InputMemory(offset: parts.last?.end ?? .start, digest: parts.last?.digest ?? [], spool: spool)
            let rest = try await input.chunks(memory, with: pipe.source, at: source)
            #expect(part.operations + Reading(rest).operations == whole.operations, "\(input) at \(count)")
            #expect(try bytes(path) == file.bytes)
        }
    }

    @Test func `An unfinished record in a truncated spool is not an ID`() async throws {
        try Data("abc\nde".utf8).write(to: URL(filePath: path))
        let notes = Notes()
        let memory = InputMemory(offset: .start, spool: try InputSpool.open(path))
        let input = try await FeedInput.open([.standardInput], for: .remove, format: .lines(), memory: memory) {
            notes.add($0)
        }
        let reading = try await Reading(drawing: input)
        #expect(reading.ids == ["abc"] && reading.end.byte == 4 && reading.input.lines == 1)
        #expect(notes.all == [.endedEarly(source: "standard input", unfinishedBytes: 2)])
        #expect(
            notes.all.first?.description == "standard input was not read to the end by the earlier run; only the part "
                + "that was read is known; 2 bytes of an unfinished record at the end are left out"
        )
    }

    @Test func `The input that a killed reader returned is kept`() async throws {
        let fifo = folder.path("fifo")
        try #require(mkfifo(fifo, 0o600) == 0)
        let text = (1...50_000).map { "number \($0)\n" }.joined()
        let (path, place) = (path, folder.path("place"))
        async let feeding: Void = send(text, through: fifo)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, fifo = fifo as String, place = place as String] in
            let spool = try InputSpool.create(path, maximumBytes: 1 << 30)
            let memory = InputMemory(offset: .start, spool: spool)
            var count = 0
            for try await chunk in try await FeedInput.open(
                [.file(fifo)],
                for: .remove,
                format: .lines(),
                memory: memory
            ) {
                count += chunk.operations.count
                guard count > 20_000 else { continue }
                let words = ["\(count)", "\(chunk.end.byte)"] + chunk.digest.map { "\($0)" }
                try Data(words.joined(separator: " ").utf8).write(to: URL(filePath: place))
                kill(getpid(), SIGKILL)
            }
        }
        await feeding
        let words = try String(contentsOfFile: place, encoding: .utf8).split(separator: " ").compactMap { UInt64($0) }
        let memory = InputMemory(
            offset: InputOffset(source: 0, byte: words[1]),
            digest: words[2...].map { UInt8($0) }
        )
        #expect(try text.utf8.starts(with: bytes(path)) && bytes(path).count >= words[1])

        async let feedingAgain: Void = send(text, through: fifo)
        let comparison = try await InputSpool.compare(
            path,
            with: .file(fifo),
            maximumBytes: 1 << 30,
            orElse: folder.path("other")
        )
        guard case .same(let spool) = comparison else {
            Issue.record("\(comparison)")
            return
        }
        var going = memory
        going.spool = spool
        let rest = try await Reading(
            drawing: FeedInput.open([.file(fifo)], for: .remove, format: .lines(), memory: going)
        )
        await feedingAgain
        #expect(rest.ids.first == "number \(words[0] + 1)" && rest.ids.last == "number 50000")
        #expect(rest.ids.count + Int(words[0]) == 50_000)
        #expect(try bytes(path) == Array(text.utf8))
    }

    @Test(arguments: [0, 1, 3, 4])
    func `The spool's limit ends the input after the last data that fits`(room: Int) async throws {
        let pipe = try TestPipe(holding: Array("a\nb\n".utf8))
        var ids: [String] = []
        let spool = try InputSpool.create(path, maximumBytes: room)
        var iterator = try await open(pipe, spool).makeAsyncIterator()
        var failure: InputError?
        do {
            while let chunk = try await iterator.next() { ids += chunk.operations.map(\.documentID.text) }
        } catch let error as InputError {
            failure = error
        }
        #expect(ids == Array(["a", "b"].prefix(room / 2)))
        #expect(try bytes(path) == Array("a\nb\n".utf8.prefix(room)))
        let limit = room == 1 ? "1 byte" : "\(room) bytes"
        #expect(failure?.code == (room < 4 ? .spoolFull : nil))
        #expect(
            failure?.reason
                == (room < 4 ? "the pipe delivered more than \(limit), the limit set by --spool-max" : nil)
        )
    }

    @Test func `A size limit is reported in its original unit`() {
        #expect(BytesInWords(8 << 30, inUnits: true).description == "8 GiB")
        #expect(BytesInWords(1536 << 10, inUnits: true).description == "1536 KiB")
        #expect(BytesInWords(1_234_567, inUnits: true).description == "1,234,567 bytes")
        #expect(BytesInWords(0, inUnits: true).description == "0 bytes")
        #expect(BytesInWords(1).description == "1 byte")
        #expect(BytesInWords(999).description == "999 bytes")
    }

    /// A limit on the size of files, in a separate process.
    @Test func `A file size limit ends the input after the data on disk`() async throws {
        await #expect(processExitsWith: .success) { [path = path as String] in
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 6, rlim_max: 6)
            let isSet = setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0
            try #require(isSet)
            let error = try await Self.fill(path, with: "a\nb\nc\nd\n")
            #expect(error?.code == .spoolFull)
            #expect(error?.description == "standard input: its data cannot be kept in '\(path)': file too large")
        }
    }

    /// A separate file system, which requires root.
    @Test(.enabled(if: geteuid() == 0)) func `A full disk ends the input after the data on disk`() async throws {
        let disk = folder.path("disk")
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
        // A container's root may lack the right to mount.
        guard mount("tmpfs", disk, "tmpfs", 0, "size=16k") == 0 else { return }
        // Detached, because the spool is still open.
        let detaches: CInt = 2
        defer { umount2(disk, detaches) }
        let (pipe, spoolPath) = (try TestPipe(), disk + "/spool")
        let spool = try InputSpool.create(spoolPath, maximumBytes: 1 << 30)
        var iterator = try await open(pipe, spool).makeAsyncIterator()
        pipe.send("first\n")
        let first = try await iterator.next()
        #expect(first?.operations.count == 1)
        pipe.send(String(repeating: "a\n", count: 15_000))
        let error = await #expect(throws: InputError.self) { while try await iterator.next() != nil {} }
        #expect(error?.code == .spoolFull)
        #expect(error?.reason == "its data cannot be kept in '\(spoolPath)': no space left on device")
        let kept = try bytes(spoolPath)
        #expect(kept.starts(with: "first\na\n".utf8))
    }

    @Test func `A spool that can't be created is reported by name`() async throws {
        try Data("old".utf8).write(to: URL(filePath: path))
        let cases: [(() throws -> InputSpool, String)] = [
            ({ try InputSpool.create(path, maximumBytes: 1) }, "'\(path)': file exists"),
            ({ try InputSpool.create(path + "/x", maximumBytes: 1) }, "'\(path)/x': not a directory"),
            ({ try InputSpool.open(folder.path("none")) }, "'\(folder.path("none"))': no such file or directory"),
            ({ try InputSpool.open(folder.path("")) }, "it is not a regular file"),
        ]
        for (open, reason) in cases {
            let error = #expect(throws: InputError.self) { _ = try open() }
            #expect(error?.code == .spoolFailed)
            #expect(error?.description.hasPrefix("standard input: its data cannot be kept in ") == true)
            #expect(error?.reason.hasSuffix(reason) == true, "\(error?.reason ?? "")")
        }
        #expect(try bytes(path) == Array("old".utf8))
    }

    @Test func `A spool that is truncated while being read is detected`() async throws {
        try Data(String(repeating: "a\n", count: 10_000).utf8).write(to: URL(filePath: path))
        var limits = InputLimits()
        limits.readBytes = 100
        let memory = InputMemory(offset: .start, spool: try InputSpool.open(path))
        var chunks = try await FeedInput.open(
            [.standardInput],
            for: .remove,
            format: .lines(),
            limits: limits,
            memory: memory
        ).makeAsyncIterator()
        _ = try await chunks.next()
        truncate(path, 10)
        let error = await #expect(throws: InputError.self) { while try await chunks.next() != nil {} }
        #expect(error?.code == .spoolFailed)
    }

    @Test func `Only one source may be a pipe or another input that can't be read twice`() async throws {
        let pipes = [try TestPipe(), try TestPipe()]
        try Data().write(to: URL(filePath: folder.path("ids")))
        #expect(InputSource.file(folder.path("ids")).canBeReadAgain && InputSource.arguments(["a"]).canBeReadAgain)
        #expect(InputSource.file(folder.path("none")).canBeReadAgain && InputSource.file("/").canBeReadAgain)
        for source in [.standardInput, .file("/dev/stdin"), .file("/dev/null"), pipes[0].source] as [InputSource] {
            #expect(!source.canBeReadAgain)
        }
        let spool = try InputSpool.create(path, maximumBytes: 1)
        let cases: [([InputSource], InputSpool?)] = [(pipes.map(\.source), spool), ([pipes[1].source], nil)]
        for (sources, spool) in cases {
            let error = await #expect(throws: InputError.self) {
                let memory = InputMemory(offset: .start, spool: spool)
                _ = try await FeedInput.open(sources, for: .remove, format: .lines(), memory: memory)
            }
            #expect(error?.code == .cannotOpen && error?.source == pipes[1].source.name)
            #expect(error?.reason.hasPrefix("it can be read only once, ") == true)
        }
    }

    private func open(_ pipe: TestPipe, _ spool: InputSpool) async throws -> FeedInput {
        let memory = InputMemory(offset: .start, spool: spool)
        return try await FeedInput.open([pipe.source], for: .remove, format: .lines(), memory: memory)
    }

    private static func fill(_ path: String, with text: String) async throws -> InputError? {
        let pipe = try TestPipe(holding: Array(text.utf8))
        #expect(dup2(pipe.reader, STDIN_FILENO) == STDIN_FILENO)
        let memory = InputMemory(offset: .start, spool: try InputSpool.create(path, maximumBytes: 1 << 20))
        do {
            let input = try await FeedInput.open([.standardInput], for: .remove, format: .lines(), memory: memory)
            for try await _ in input {}
            return nil
        } catch let error as InputError {
            return error
        }
    }
}

extension RandomInput {
    /// Returns the chunks if `source` replaces the source at `index`, and is the last one.
    fileprivate func chunks(
        _ memory: InputMemory,
        with source: InputSource,
        at index: Int,
        note: @escaping @Sendable (InputNote) -> Void = { _ in }
    ) async throws -> [OperationChunk] {
        let sources = sources[..<index] + [source]
        return try await FeedFormatsTests.chunks(
            of: FeedInput.open(
                Array(sources),
                for: shape.kind,
                format: shape.format,
                limits: limits,
                memory: memory,
                note: note
            )
        )
    }
}

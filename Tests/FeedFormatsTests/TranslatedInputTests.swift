import ContentFeeding
import Foundation
import TestSupport
import Testing
import TextKit

@testable import FeedFormats

/// Inputs that are compressed or in another encoding are read as their contents.
struct TranslatedInputTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let ids = (1...400).map { "\($0) Käse" }

    /// Writes text through a shell command, and returns the file.
    private func file(_ text: String, through command: String) throws -> InputSource {
        let path = folder.path("input")
        try text.write(toFile: path + ".txt", atomically: false, encoding: .utf8)
        let shell = try ChildProgram.run("sh", ["-c", "{ \(command); } <\(path).txt >\(path)"])
        try #require(shell.status == 0, "\(shell.errors)")
        return .file(path)
    }

    private func dialect(_ encoding: String?) throws -> InputDialect {
        var dialect = InputDialect()
        dialect.encoding = try encoding.map { try TextEncoding(of: $0) }
        return dialect
    }

    private func read(
        _ sources: [InputSource],
        _ encoding: String?,
        _ memory: InputMemory? = nil,
        readBytes: Int = 100
    ) async throws -> [OperationChunk] {
        var limits = InputLimits()
        limits.chunkCount = 50
        limits.readBytes = readBytes
        return try await chunks(
            of: FeedInput.open(
                sources,
                for: .remove,
                format: .lines(),
                dialect: dialect(encoding),
                limits: limits,
                memory: memory
            )
        )
    }

    private static let forms: [(command: String, encoding: String?)] = [
        ("gzip -c", nil), ("xz -c", nil), ("zstd -qc", nil), ("bzip2 -c", nil),
        ("iconv -t windows-1252", "windows-1252"), ("iconv -t utf-16le", "utf-16le"),
        ("iconv -t windows-1252 | gzip -c", "windows-1252"), ("cat", "windows-1252"),
        ("iconv -t utf-16 | xz -c", nil), ("iconv -t utf-16", "windows-1252"),
    ]

    @Test(arguments: forms.indices)
    func `Two runs split at any chunk read the whole input`(form: Int) async throws {
        let (command, encoding) = Self.forms[form]
        let isUTF8 = command == "cat"
        let mark = isUTF8 ? "\u{FEFF}" : ""
        let source = try file(mark + Self.ids.joined(separator: "\n") + "\n", through: command)
        for readBytes in [16, 4096] {
            let all = try await read([source], encoding, InputMemory(), readBytes: readBytes)
            #expect(all.flatMap(\.operations).map(\.documentID.text) == Self.ids)
            for (index, chunk) in all.enumerated() {
                let memory = InputMemory(offset: chunk.end, digest: chunk.digest)
                let rest = try await read([source], encoding, memory, readBytes: readBytes)
                let later = rest.filter { !$0.isEarlier }.flatMap(\.operations)
                #expect(later == all[(index + 1)...].flatMap(\.operations), "from \(chunk.end)")
                let earlier = rest.filter(\.isEarlier).flatMap(\.operations)
                #expect(earlier == all[...index].flatMap(\.operations), "from \(chunk.end)")
            }
        }
    }

    @Test(arguments: ["gzip -c", "zstd -qc", "xz -c"])
    func `A compressed pipe is stored unchanged, and read from the stored data`(command: String) async throws {
        guard case .file(let path) = try file(Self.ids.joined(separator: "\n"), through: command) else { return }
        let packed = try bytes(path)
        var memory = InputMemory()
        memory.spool = try InputSpool.create(folder.path("spool"), maximumBytes: 1 << 20)
        let pipe = try TestPipe(holding: packed)
        let first = try await read([pipe.source], nil, memory)
        #expect(first.flatMap(\.operations).map(\.documentID.text) == Self.ids)
        #expect(try bytes(folder.path("spool")) == packed)
        memory = InputMemory(offset: first[3].end, digest: first[3].digest, spool: try .open(folder.path("spool")))
        let rest = try await read([.standardInput], nil, memory).filter { !$0.isEarlier }
        #expect(rest.flatMap(\.operations) == first[4...].flatMap(\.operations))
        let other = try TestPipe(holding: packed)
        let unkept = try await read([other.source], nil)
        #expect(unkept.flatMap(\.operations) == first.flatMap(\.operations))
        withExtendedLifetime((pipe, other)) {}
    }

    @Test(arguments: ["gzip -c", "zstd -qc", "xz -c"])
    func `A truncated compressed file is not mistaken for a short list`(command: String) async throws {
        guard case .file(let path) = try file(Self.ids.joined(separator: "\n"), through: command) else { return }
        let packed = try bytes(path)
        for count in [packed.count - 1, packed.count / 2, 12] {
            try Data(packed.prefix(count)).write(to: URL(filePath: path))
            let error = await #expect(throws: InputError.self) { try await read([.file(path)], nil, InputMemory()) }
            #expect(error?.code == .cannotRead, "\(count) bytes: \(error?.description ?? "")")
        }
    }

    @Test(arguments: ["gzip -c", "xz -c", "bzip2 -c"])
    func `Bytes after the end of compressed data are not part of it`(command: String) async throws {
        guard case .file(let path) = try file(Self.ids.joined(separator: "\n"), through: command) else { return }
        let packed = try bytes(path)
        let zeros = [UInt8](repeating: 0, count: 1_024)
        // libarchive reports other bytes after xz data as an error.
        for (rest, isNoted) in [
            (zeros, false), (zeros + [1], true), (Array("garbage that is no packed text".utf8), true),
        ] where !isNoted || !command.hasPrefix("xz") {
            try Data(packed + rest).write(to: URL(filePath: path))
            let pipe = try TestPipe(holding: packed + rest)
            var memory = InputMemory()
            memory.spool = try InputSpool.create(folder.path("spool\(rest.count)"), maximumBytes: 1 << 20)
            for (source, memory) in [(InputSource.file(path), InputMemory()), (pipe.source, memory)] {
                let notes = Notes()
                let input = try await FeedInput.open(
                    [source],
                    for: .remove,
                    format: .lines(),
                    memory: memory,
                    note: { notes.add($0) }
                )
                let read = try await chunks(of: input)
                #expect(read.flatMap(\.operations).map(\.documentID.text) == Self.ids)
                #expect(notes.all == (isNoted ? [.trailingBytes(source: source.name)] : []), "\(source)")
            }
            withExtendedLifetime(pipe) {}
        }
    }

    @Test func `Damage in a compressed pipe is not mistaken for an early end`() async throws {
        guard case .file(let path) = try file(Self.ids.joined(separator: "\n"), through: "gzip -c") else { return }
        var packed = try bytes(path)
        packed[packed.count / 2] ^= 0xFF
        packed += [UInt8](repeating: 7, count: 1_000)
        let memory = InputMemory(spool: try InputSpool.create(folder.path("spool"), maximumBytes: 1 << 20))
        let pipe = try TestPipe(holding: packed)
        let error = await #expect(throws: InputError.self) { try await read([pipe.source], nil, memory) }
        #expect(error?.code == .cannotRead)
    }

    @Test func `Bytes that are invalid in the encoding are rejected`() async throws {
        let path = folder.path("ids")
        try Data([0x41, 0x0A, 0x81, 0x0A, 0xE4, 0x0A]).write(to: URL(filePath: path))
        let read = try await read([.file(path)], "windows-1252")
        #expect(read.flatMap(\.operations).map(\.documentID.text) == ["A", "ä"])
        #expect(read.flatMap(\.rejections).map(\.line) == [2])
    }

    @Test func `An archive of several files is refused before anything is read`() async throws {
        let source = try file("PK\u{3}\u{4} and more", through: "cat")
        let error = await #expect(throws: InputError.self) { try await read([source], nil) }
        #expect(error?.code == .cannotOpen)
    }

    @Test(arguments: ["B", "BZ", "BZh", "BZh9", "P", "PK", "\u{1F}", "7z", "("])
    func `Text that begins like a compressed file is read as text`(id: String) async throws {
        let source = try file(id, through: "cat")
        #expect(try await read([source], nil).flatMap(\.operations).map(\.documentID.text) == [id])
    }
}

/// Records that failed are written as they were read.
struct RecordTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func records(
        _ texts: [String],
        as format: InputFormat,
        for kind: ContentOperation.Kind = .remove,
        _ dialect: InputDialect = InputDialect(),
        arguments: [String] = [],
        failing: Set<UInt64>
    ) async throws -> (text: String, unwritable: Int) {
        var sources: [InputSource] = arguments.isEmpty ? [] : [.arguments(arguments)]
        for (index, text) in texts.enumerated() {
            let path = folder.path("\(index)")
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            sources.append(.file(path))
        }
        var limits = InputLimits()
        limits.chunkCount = 2
        limits.readBytes = 16
        limits.line = 40
        var results: [(text: String, unwritable: Int)] = []
        for memory in [nil, InputMemory()] {
            var bytes: [UInt8] = []
            let tally = try await FeedInput.records(
                of: sources,
                for: kind,
                format: format,
                dialect: dialect,
                limits: limits,
                memory: memory,
                where: { failing.contains($0.rawValue) },
                write: { bytes += $0 }
            )
            results.append((String(decoding: bytes, as: UTF8.self), tally.unwritable))
        }
        #expect(results[0] == results[1])
        return results[0]
    }

    @Test func `Lines that failed or were rejected are written`() async throws {
        let long = String(repeating: "x", count: 50)
        let (text, unwritable) = try await records(
            ["a\r\nb\n\nc\u{0}d\n", "e\n\(long)\nf"],
            as: .lines(),
            arguments: ["z"],
            failing: [1, 2, 5]
        )
        #expect(text == "z\na\r\nc\u{0}d\nf\n")
        #expect(unwritable == 1)
    }

    @Test func `Failed rows are written below a single row of titles`() async throws {
        var dialect = InputDialect()
        dialect.hasComments = true
        let table = "sep=;\r\nid;t\r\n# \"x\r\n1;\"a\n\"\r\n2;b\r\n"
        let (text, unwritable) = try await records(
            [table, table, "sep=;\r\nt;id\r\nx;9\r\n"],
            as: .csv(column: .named("id")),
            for: .add,
            dialect,
            failing: [1, 4, 5]
        )
        #expect(text == "sep=;\r\nid;t\r\n1;\"a\n\"\r\n2;b\r\n")
        // The third record does not have the columns of the first.
        #expect(unwritable == 1)
    }

    @Test func `Failed elements are written inside a copy of their message`() async throws {
        let (text, unwritable) = try await records(
            ["<delete>\n<id>1</id>\n<id>2</id><query>*</query></delete>\n"],
            as: .solrXML(),
            failing: [2]
        )
        #expect(unwritable == 0)
        let again = try await records([text], as: .solrXML(), failing: [1])
        #expect(again.text == text)
        #expect(text.contains("<id>2</id>") && text.contains("<query>") && !text.contains("<id>1</id>"))
    }

    @Test func `Failed documents are written unchanged`() async throws {
        let (text, _) = try await records(
            ["{\"id\":\"1\"}\n {\"id\" : \"2\"}\n{\"remove\":\"3\"}\nnone\n"],
            as: .jsonLines(),
            for: .update,
            failing: [2, 3]
        )
        #expect(text == " {\"id\" : \"2\"}\n{\"remove\":\"3\"}\nnone\n")
    }
}

import ContentFeeding
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FeedFormats

struct FeedInputTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ name: String, _ bytes: some Sequence<UInt8>) throws -> InputSource {
        try Data(bytes).write(to: URL(filePath: folder.path(name)))
        return .file(folder.path(name))
    }

    @Test func `Sources are read one after another`() async throws {
        let first = try file("first", "c\n\nd".utf8)
        let empty = try file("empty", "".utf8)
        let last = try file("last", "e\n\u{0}\n".utf8)
        let input = try await FeedInput.open(
            [.arguments(["a", "", "b"]), first, empty, last],
            for: .remove,
            format: .lines()
        )
        let reading = try await Reading(drawing: input)
        #expect(reading.ids == ["a", "b", "c", "d", "e"])
        #expect(reading.input == InputTally(lines: 8, blank: 1, rejected: 2, bytes: 5 + 4 + 4))
        #expect(reading.end == InputOffset(source: 3, byte: 4))
        #expect(reading.rejections.map(\.source) == ["argument", folder.path("last")])
        #expect(reading.rejectedLines == [2, 2])
    }

    @Test func `The first chunk can be inspected before it is returned`() async throws {
        let input = try await FeedInput.open([file("ids", "a\nb\n".utf8)], for: .remove, format: .lines())
        #expect(try await input.first()?.operations.map(\.documentID) == ["a", "b"])
        #expect(try await input.first()?.operations.count == 2)
        #expect(try await Reading(drawing: input).ids == ["a", "b"])
        #expect(try await input.first() == nil)
    }

    @Test func `IDs given as arguments have no format`() async throws {
        let ids = try await Reading(
            drawing: FeedInput.open([.arguments(["a\nb", " c"])], for: .remove, format: .csv(column: .named("id")))
        )
        #expect(ids.ids == ["a\nb", " c"])
        let documents = try await Reading(
            drawing: FeedInput.open([.arguments([#"{"id":"x"}"#])], for: .add, format: .jsonLines())
        )
        #expect(documents.ids == ["x"])
    }

    @Test func `Chunks are limited in size`() async throws {
        let source = try file("ids", (1...2500).map { "\($0)\n" }.joined().utf8)
        var sizes: [Int] = []
        for try await chunk in try await FeedInput.open([source], for: .remove, format: .lines()) {
            sizes.append(chunk.operations.count)
        }
        #expect(sizes == [1000, 1000, 500])
    }

    @Test(arguments: [InputFormat.lines(), .nul, .csv(column: .named("id")), .csv(column: .number(1))], [false, true])
    func `Reading can resume at the end of every chunk`(format: InputFormat, isUTF16: Bool) async throws {
        let end = format == .nul ? "\0" : "\r\n"
        let ids = (1...50).map { $0 % 7 == 0 ? "" : "é😀\($0)" }
        let text = (["id"] + ids).map { $0 + end }.joined()
        let source = try file(
            "ids",
            isUTF16 ? [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] } : Array(text.utf8)
        )
        var limits = InputLimits()
        limits.chunkCount = 4
        limits.readBytes = 64
        let whole = try await Reading(
            drawing: FeedInput.open([.arguments(["first"]), source], for: .remove, format: format, limits: limits)
        )
        var before = Reading([], as: .nul)
        for try await chunk in try await FeedInput.open(
            [.arguments(["first"]), source],
            for: .remove,
            format: format,
            limits: limits
        ) {
            before.add(chunk)
            let rest = try await FeedInput.open(
                [.arguments(["first"]), source],
                for: .remove,
                format: format,
                limits: limits,
                memory: InputMemory(offset: chunk.end)
            )
            var both = before
            for try await chunk in rest { both.add(chunk) }
            #expect(both == whole)
        }
        #expect(before == whole)
    }

    @Test func `An input that can't be opened is reported before anything is read`() async throws {
        let good = try file("good", "a\n".utf8)
        let cases: [(String, InputError.Code)] = [
            (folder.path("none"), .missing), (folder.path("."), .directory), (folder.path("good/x"), .missing),
        ]
        for (path, code) in cases {
            let error = await #expect(throws: InputError.self) {
                _ = try await FeedInput.open([good, .file(path)], for: .remove, format: .lines())
            }
            #expect(error?.code == code)
            #expect(error?.description.hasPrefix("cannot open '\(path)': ") == true)
        }
    }

    @Test func `An unknown column is reported before anything is read`() async throws {
        let good = try file("good", "docid,x\na,b\n".utf8)
        let other = try file("other", "\nname,DocID\na,b\n".utf8)
        let error = await #expect(throws: InputError.self) {
            _ = try await FeedInput.open([good, other], for: .remove, format: .csv(column: .named("docid")))
        }
        #expect(error?.code == .unknownColumn)
        #expect(error?.reason == "has no column 'docid'; its columns are name, DocID; did you mean 'DocID'?")
        let number = await #expect(throws: InputError.self) {
            _ = try await FeedInput.open([good], for: .remove, format: .csv(column: .number(3)))
        }
        #expect(number?.reason == "has no column 3: the first row has only 2")
        let header = await #expect(throws: InputError.self) {
            _ = try await FeedInput.open(
                [try file("bad", "a\"b\n".utf8)],
                for: .remove,
                format: .csv(column: .named("a"))
            )
        }
        #expect(header?.code == .malformedHeader)
    }

    @Test(arguments: [16, 17, 64, 4096], [false, true])
    func `UTF-16 input is read, and reported once`(readBytes: Int, isBigEndian: Bool) async throws {
        var units = Array("é\r\n😀x\r\n".utf16)
        units += [0xD800, 0x0A, 0x61, 0xDC00, 0x0A] + Array("last".utf16) + [0x0A, 0xD83D]
        let bytes = ([0xFEFF] + units).flatMap {
            isBigEndian ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0 & 255), UInt8($0 >> 8)]
        }
        let source = try file("ids", bytes)
        var limits = InputLimits()
        limits.readBytes = readBytes
        let notes = Notes()
        let reading = try await Reading(
            drawing: FeedInput.open([source], for: .remove, format: .lines(), limits: limits) { notes.add($0) }
        )
        #expect(reading.ids == ["é", "😀x", "last"])
        #expect(reading.rejectedLines == [3, 4, 6])
        #expect(reading.input.bytes == bytes.count)
        #expect(notes.all == [.transcodedFromUTF16(source: folder.path("ids"))])
    }

    @Test(arguments: [
        ("\u{FEFF}a\n", ["a"]), ("\u{FEFF}", []), ("\u{FEFF}\u{FEFF}a", ["\u{FEFF}a"]), ("a\u{FEFF}", ["a\u{FEFF}"]),
    ])
    func `A byte-order mark is not part of an ID`(text: String, ids: [String]) async throws {
        let source = try file("ids", text.utf8)
        let reading = try await Reading(drawing: FeedInput.open([source], for: .remove, format: .lines()))
        #expect(reading.ids.map { Array($0.utf8) } == ids.map { Array($0.utf8) })
        #expect(reading.input.bytes == text.utf8.count)
    }

    @Test(arguments: [1, 5, 100])
    func `An input that has changed can't be resumed`(byte: UInt64) async throws {
        let source = try file("ids", "ab\ncd\n".utf8)
        let start = InputOffset(source: 0, byte: byte)
        let error = await #expect(throws: InputError.self) {
            _ = try await FeedInput.open([source], for: .remove, format: .lines(), memory: InputMemory(offset: start))
        }
        #expect(error?.code == .changed)
    }

    @Test(arguments: [1, 17, 64, 4096])
    func `Documents larger than the read buffer are read`(readBytes: Int) async throws {
        var limits = InputLimits()
        limits.readBytes = readBytes
        limits.document = 3000
        limits.line = 100
        let documents = [10, 2900, 3000, 3200, 10].map { size in
            #"{"id":"\#(size)","t":""# + String(repeating: "x", count: size) + "\"}"
        }
        let source = try file("documents", documents.joined(separator: "\n").utf8)
        let reading = try await Reading(
            drawing: FeedInput.open([source], for: .update, format: .jsonLines(), limits: limits)
        )
        #expect(reading.ids == ["10", "2900", "10"])
        #expect(reading.rejectedLines == [3, 4])
    }

    @Test func `The limit on rejections applies to all sources together`() async throws {
        let source = try file("ids", String(repeating: "\0\n", count: 80).utf8)
        let reading = try await Reading(drawing: FeedInput.open([source, source], for: .remove, format: .lines()))
        #expect(reading.input.rejected == 160)
        #expect(reading.rejections.count == 100)
    }
}

/// The notes of an input, in order of arrival.
final class Notes: Sendable {
    private let notes = Mutex<[InputNote]>([])
    var all: [InputNote] { notes.withLock { $0 } }
    func add(_ note: InputNote) { notes.withLock { $0.append(note) } }
}

/// The results of reading an input, for all chunks together.
struct Reading: Equatable {
    var operations: [ContentOperation] = []
    var rejections: [InputRejection] = []
    var input = InputTally()
    var end = InputOffset.start
    var chunks = 0
    /// The reason, found in the first record, not to read the source.
    var refusal: InputError?

    var ids: [String] { operations.map(\.documentID.text) }
    var reasons: [String] { rejections.map(\.reason) }
    var rejectedLines: [Int] { rejections.map(\.line) }

    /// The contents of documents, as JSON.
    var documents: [String] {
        operations.filter { $0.kind != .remove }.map { String(decoding: $0.json, as: UTF8.self) }
    }

    static func == (left: Self, right: Self) -> Bool {
        left.operations == right.operations && left.rejections == right.rejections && left.input == right.input
            && left.end == right.end
    }

    /// Adds the operations to be fed.
    mutating func add(_ chunk: OperationChunk) {
        guard !chunk.isEarlier else { return }
        operations += chunk.operations
        rejections += chunk.rejections
        input += chunk.input
        end = chunk.end
        chunks += 1
    }

    /// Reads bytes that are split into pieces, without files.
    init(
        _ bytes: [UInt8],
        as format: InputFormat,
        for kind: ContentOperation.Kind = .remove,
        _ dialect: InputDialect = InputDialect(),
        limits: InputLimits = InputLimits(),
        piece: Int = 4096
    ) {
        var reader = format.reader(of: kind, source: "input", dialect, limits: limits)
        var builder = ChunkBuilder(limits: limits)
        var start = 0
        var before: UInt64 = 0
        var isAtEnd = false
        func drain() {
            let boundary = reader.boundary
            guard !builder.isEmpty || isAtEnd && boundary > before else { return }
            add(builder.take(end: InputOffset(source: 0, byte: boundary), bytes: Int(boundary - before)))
            before = boundary
        }
        while start < bytes.count {
            let end = min(start + piece, bytes.count)
            start += reader.read(bytes.span.extracting(start..<end), into: &builder)
            drain()
        }
        reader.finish(into: &builder)
        isAtEnd = true
        drain()
        refusal = reader.refusal
    }

    init(
        _ text: String,
        as format: InputFormat,
        for kind: ContentOperation.Kind = .remove,
        _ dialect: InputDialect = InputDialect(),
        piece: Int = 4096
    ) {
        self.init(Array(text.utf8), as: format, for: kind, dialect, piece: piece)
    }

    static let empty = Reading([], as: .nul)

    /// Reads an opened input to its end.
    init(drawing input: FeedInput) async throws {
        for try await chunk in input { add(chunk) }
    }
}

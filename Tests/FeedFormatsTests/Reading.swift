import ContentFeeding

@testable import FeedFormats

/// What an input says, all chunks together.
struct Reading: Equatable {
    var operations: [ContentOperation] = []
    var rejections: [InputRejection] = []
    var input = InputTally()
    var end = InputOffset.start
    var chunks = 0
    /// What the first record says against reading the source.
    var refusal: InputError?

    var ids: [String] { operations.map(\.documentID.text) }
    var reasons: [String] { rejections.map(\.reason) }
    var rejectedLines: [Int] { rejections.map(\.line) }

    /// What documents say, as JSON.
    var documents: [String] {
        operations.filter { $0.kind != .remove }.map { String(decoding: $0.json, as: UTF8.self) }
    }

    static func == (left: Self, right: Self) -> Bool {
        left.operations == right.operations && left.rejections == right.rejections && left.input == right.input
            && left.end == right.end
    }

    mutating func add(_ chunk: OperationChunk) {
        operations += chunk.operations
        rejections += chunk.rejections
        input += chunk.input
        end = chunk.end
        chunks += 1
    }

    /// Reads bytes cut into pieces, without files.
    init(
        _ bytes: [UInt8],
        as format: InputFormat,
        for kind: ContentOperation.Kind = .remove,
        limits: InputLimits = InputLimits(),
        piece: Int = 4096
    ) {
        var reader = format.reader(of: kind, source: "input", limits: limits)
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

    init(_ text: String, as format: InputFormat, for kind: ContentOperation.Kind = .remove, piece: Int = 4096) {
        self.init(Array(text.utf8), as: format, for: kind, piece: piece)
    }

    /// Draws an opened input.
    init(drawing input: FeedInput) async throws {
        for try await chunk in input { add(chunk) }
    }
}

import ContentFeeding
import Threads
import UnicodeText

/// A reader of the sources, one after the other, on a separate thread.
///
/// An actor, because a read may wait for a pipe and must not block one of Swift's threads meanwhile.
actor InputReader {
    nonisolated let canceller = ReadCanceller()
    nonisolated let progress = InputProgress()
    private nonisolated let executor = ThreadExecutor()
    private static let maximumChunks = 4
    private let note: @Sendable (InputNote) -> Void
    private var sources: [SourceReader] = []
    private var current = 0
    /// Readers of the last records that an earlier run has read, as far as they have not been handed over again.
    private var earlier: [SourceReader] = []
    private var rejectionsLeft = 0
    /// The digest of what the current source and those before it have handed over; `nil` if nothing is kept.
    private var digest: InputDigest?
    /// What takes records as they are read, if anything does.
    private var tap: RecordTap?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(note: @escaping @Sendable (InputNote) -> Void) { self.note = note }

    /// Takes the records from now on; call it before the sources are opened.
    func tap(where isWanted: @escaping @Sendable (OperationID) -> Bool) { tap = RecordTap(where: isWanted) }

    func takeRecords() -> [UInt8] { tap?.takeBytes() ?? [] }
    var recordTally: RecordTally { tap?.tally ?? RecordTally() }

    /// Opens all sources, reads again what an earlier run has read, and then the first records that decide whether each
    /// source can be read.
    func open(
        _ inputs: [InputSource],
        for kind: ContentOperation.Kind,
        format: InputFormat,
        dialect: InputDialect,
        limits: InputLimits,
        memory: InputMemory?
    ) throws {
        rejectionsLeft = limits.rejections
        let encoding = dialect.encoding
        let bytes =
            try memory.map { try Self.open(inputs, with: $0, encoding) }
            ?? inputs.map { try RawBytes($0, encoding: encoding) }
        progress.expect(bytes.map(\.storedSize))
        for (index, (source, bytes)) in zip(inputs, bytes).enumerated() {
            sources.append(
                SourceReader(source, bytes, index: index, format: format, dialect, of: kind, limits: limits, tap: tap)
            )
        }
        if let memory {
            let unread = sources
            try goOn(from: memory, remembersRecords: kind == .remove)
            if kind == .remove {
                let last = sources[current].earlier(to: memory.offset.byte)
                earlier = last?.isWhole ?? true ? Array(unread.prefix(current)) : []
                if let last { earlier.append(last.reader) }
            }
        }
        for index in sources.indices.dropFirst(current) { try prepare(index) }
        try Task.checkCancellation()
    }

    /// Opens sources so that each can be read again: one that can't is read through the spool.
    private static func open(
        _ inputs: [InputSource],
        with memory: InputMemory,
        _ encoding: TextEncoding?
    ) throws -> [RawBytes] {
        var spool = memory.spool
        return try inputs.map { source in
            if source.canBeReadAgain {
                let bytes = try RawBytes(source, encoding: encoding)
                if bytes.areKept { return bytes }
            }
            defer { spool = nil }
            guard spool == nil else { return try RawBytes(source, spool: spool, encoding: encoding) }
            let reason =
                memory.spool == nil
                ? "it can be read only once, and nothing keeps what it brings; write it to a file first"
                : "it can be read only once, as another source can, and one alone is kept; write it to a file first"
            throw InputError(.cannotOpen, source: source.name, reason: reason)
        }
    }

    /// Reads again everything before the place where an earlier run stopped.
    private func goOn(from memory: InputMemory, remembersRecords: Bool) throws(InputError) {
        let (digest, offset) = (InputDigest(), memory.offset)
        self.digest = digest
        while current < min(offset.source, sources.count) {
            sources[current].begin(digest)
            try sources[current].passOver(canceller: canceller)
            current += 1
        }
        guard current < sources.count else {
            guard offset > .start else { return }
            throw tooFewSources(for: offset)
        }
        sources[current].begin(digest)
        if offset > .start {
            try sources[current].skip(
                to: offset.byte,
                expecting: memory.digest,
                remembersRecords: remembersRecords,
                canceller: canceller,
                note: note
            )
        }
        if let sent = memory.sentThrough, sent.offset > offset { try check(sent, digest.branch) }
        if offset > .start { try sources[current].checkEnd(canceller: canceller, note: note) }
    }

    /// Makes sure that what an earlier run has sent is still there, behind the place where reading goes on; only copies
    /// read it.
    private func check(_ sent: InputMark, _ digest: InputDigest) throws(InputError) {
        for index in current..<sent.offset.source {
            guard index < sources.count else { throw tooFewSources(for: sent.offset) }
            var copy = sources[index].untapped
            copy.begin(digest)
            try copy.passOver(canceller: canceller)
        }
        guard sent.offset.source < sources.count else { throw tooFewSources(for: sent.offset) }
        var copy = sources[sent.offset.source].untapped
        copy.begin(digest)
        try copy.skip(
            to: sent.offset.byte,
            expecting: sent.digest,
            remembersRecords: false,
            canceller: canceller,
            note: { _ in }
        )
        try copy.checkEnd(canceller: canceller, note: { _ in })
    }

    private func tooFewSources(for place: InputOffset) -> InputError {
        let reason = "has changed since the job began: \(place.source + 1) sources were read"
        return InputError(.changed, source: sources.last?.name ?? "input", reason: reason)
    }

    /// Finds out whether a source can be read.
    private func prepare(_ index: Int) throws(InputError) {
        guard digest != nil, index > current else {
            return try sources[index].prepare(canceller: canceller, note: note)
        }
        // Only a copy reads ahead: the source is digested, and noted, when its turn comes.
        var copy = sources[index].untapped
        try copy.prepare(canceller: canceller, note: { _ in })
    }

    /// Goes on to the next source.
    private func proceed() throws(InputError) {
        sources[current].endDigest()
        current += 1
        guard let digest, current < sources.count else { return }
        sources[current].begin(digest)
        try sources[current].prepare(canceller: canceller, note: note)
    }

    /// Returns the next chunks of those that an earlier run has read.
    private func nextEarlier() throws -> [OperationChunk] {
        var chunks: [OperationChunk] = []
        while !earlier.isEmpty, chunks.count < Self.maximumChunks {
            if var chunk = try earlier[0].next(mayWait: true, canceller: canceller, note: { _ in }) {
                chunk.isEarlier = true
                chunks.append(chunk)
            } else {
                guard earlier[0].isAtEnd else { break }
                earlier.removeFirst()
            }
        }
        return chunks
    }

    /// Returns the chunks of one read; none at the end, or when cancelled.
    ///
    /// Several at once, because switching threads costs more than reading a chunk; few, so that they are still in the
    /// processor's cache when used.
    func next() throws -> [OperationChunk] {
        var chunks = try nextEarlier()
        while current < sources.count, chunks.count < Self.maximumChunks {
            if var chunk = try sources[current].next(mayWait: chunks.isEmpty, canceller: canceller, note: note) {
                chunk.rejections.removeLast(max(0, chunk.rejections.count - rejectionsLeft))
                rejectionsLeft -= chunk.rejections.count
                chunks.append(chunk)
            } else {
                guard sources[current].isAtEnd else { break }
                try proceed()
            }
        }
        progress.note(read: sources.prefix(current + 1).reduce(0) { $0 + $1.storedBytesRead })
        try Task.checkCancellation()
        return chunks
    }
}

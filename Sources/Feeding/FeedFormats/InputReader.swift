import ContentFeeding
import TextKit
import Threads

/// A reader of the sources, one after another, on a separate thread.
///
/// This is an actor with its own thread, because a read may wait for a pipe and must not block one of Swift's threads.
actor InputReader {
    nonisolated let canceller = ReadCanceller()
    nonisolated let progress = InputProgress()
    private nonisolated let executor = ThreadExecutor()
    private static let maximumChunks = 4
    private let note: @Sendable (InputNote) -> Void
    private var sources: [InputFileReader] = []
    private var current = 0
    /// Readers of the last records of an earlier run that have not been returned again yet.
    private var earlier: [InputFileReader] = []
    private var rejectionsLeft = 0
    /// The digest of the data returned so far from the current and earlier sources; `nil` if no digest is needed.
    private var digest: InputDigest?
    /// The receiver of records as they are read, if any.
    private var tap: RecordTap?
    /// The chunks that have been inspected but not delivered yet.
    private var ahead: [OperationChunk] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(note: @escaping @Sendable (InputNote) -> Void) { self.note = note }

    /// Starts receiving records; must be called before the sources are opened.
    func tap(where isWanted: @escaping @Sendable (OperationID) -> Bool) { tap = RecordTap(where: isWanted) }

    func takeRecords() -> [UInt8] { tap?.takeBytes() ?? [] }
    var recordTally: RecordTally { tap?.tally ?? RecordTally() }

    /// Opens all sources, rereads the input of an earlier run, and then reads the first records, to determine whether
    /// each source can be read.
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
        var bytes =
            try memory.map { try Self.open(inputs, with: $0, encoding) }
            ?? inputs.map { try RawBytes($0, encoding: encoding) }
        if let end = memory?.end {
            for index in bytes.indices where index >= end.source {
                (bytes[index].end, bytes[index].isWholeAtEnd) = (index == end.source ? end.byte : 0, true)
            }
        }
        progress.expect(bytes.map(\.storedSize))
        for (index, (source, bytes)) in zip(inputs, bytes).enumerated() {
            sources.append(
                InputFileReader(
                    source,
                    bytes,
                    index: index,
                    format: format,
                    dialect,
                    of: kind,
                    limits: limits,
                    tap: tap
                )
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

    /// Opens sources so that each can be read again, through the spool if necessary.
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
                ? "it can be read only once, and its data is not kept; write it to a file first"
                : "it can be read only once, like another source, and the data of only one can be kept; write it to a file first"
            throw InputError(.cannotOpen, source: source.name, reason: reason)
        }
    }

    /// Reads again everything before the position at which an earlier run stopped.
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

    /// Checks that the input sent by an earlier run is unchanged after the position at which reading continues; only
    /// copies of the readers are used for this check.
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
        let reason = "has changed since the job started: \(place.source + 1) sources were read"
        return InputError(.changed, source: sources.last?.name ?? "input", reason: reason)
    }

    /// Determines whether a source can be read.
    private func prepare(_ index: Int) throws(InputError) {
        guard digest != nil, index > current else {
            return try sources[index].prepare(canceller: canceller, note: note)
        }
        // Only a copy reads ahead: the digest and the notes are produced when the source itself is read.
        var copy = sources[index].untapped
        try copy.prepare(canceller: canceller, note: { _ in })
    }

    /// Advances to the next source.
    private func proceed() throws(InputError) {
        sources[current].endDigest()
        current += 1
        guard let digest, current < sources.count else { return }
        sources[current].begin(digest)
        try sources[current].prepare(canceller: canceller, note: note)
    }

    /// Returns the next chunks that an earlier run has already read.
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

    /// Returns the chunks of one read; empty at the end, or when canceled.
    ///
    /// Several chunks are returned at once, because switching threads costs more than reading a chunk; their number is
    /// small, so they are still in the processor's cache when used.
    func next() throws -> [OperationChunk] {
        if !ahead.isEmpty {
            defer { ahead = [] }
            return ahead
        }
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

    /// Returns the first chunk without consuming it: the following call of ``next()`` returns it again; `nil` at the
    /// end.
    func peek() throws -> OperationChunk? {
        if ahead.isEmpty { ahead = try next() }
        return ahead.first
    }
}

/// A reader of one source, which converts its bytes to chunks using the reader of its format.
struct InputFileReader {
    /// Whether everything has been returned.
    private(set) var isAtEnd = false
    private let index: Int
    let name: String
    private var bytes: SourceBytes
    private var records: any RecordReader
    private var chunk: ChunkBuilder
    /// The end of the last chunk, in bytes of the source.
    private var position: UInt64 = 0
    /// Whether the source has no more bytes.
    private(set) var hasEnded = false
    private var digest: InputDigest?
    /// Copies of this reader at earlier positions, oldest first.
    private var marks: [Mark] = []
    /// The minimum number of records that can be read again after a skip.
    private let remembered: Int

    private struct Mark {
        let reader: InputFileReader
        /// The number of preceding records.
        let records: Int
    }

    init(
        _ source: InputSource,
        _ raw: RawBytes,
        index: Int,
        format: InputFormat,
        _ dialect: InputDialect,
        of kind: ContentOperation.Kind,
        limits: InputLimits,
        tap: RecordTap? = nil
    ) {
        self.index = index
        remembered = limits.remembered
        name = source.name
        chunk = ChunkBuilder(limits: limits)
        (chunk.tap, chunk.source) = (tap, index)
        let isText: Bool
        if case .arguments = source {
            isText = true
            records = format.argumentReader(of: kind, source: source.name, limits: limits)
        } else {
            isText = false
            records = format.reader(of: kind, source: source.name, dialect, limits: limits)
        }
        bytes = SourceBytes(raw, dropsByteOrderMark: format.dropsByteOrderMark, limits: limits, isText: isText)
    }

    /// Starts computing the digest of the source's bytes, either before anything has been read, or instead of another
    /// digest.
    mutating func begin(_ digest: InputDigest) {
        self.digest = digest
        bytes.begin(digest)
    }

    /// Ends the source's part of the digest.
    mutating func endDigest() {
        bytes.digest(upTo: bytes.bytesRead)
        digest?.endSource(byteCount: bytes.bytesRead)
    }

    /// A copy that does not pass its records to a receiver.
    var untapped: InputFileReader {
        var copy = self
        copy.chunk.tap = nil
        return copy
    }

    /// The number of bytes read.
    var bytesRead: UInt64 { bytes.bytesRead }
    /// The number of stored bytes read, which may be compressed.
    var storedBytesRead: UInt64 { bytes.storedBytesRead }

    /// Reads the first record if it determines whether the source can be read.
    mutating func prepare(canceller: ReadCanceller, note: (InputNote) -> Void) throws(InputError) {
        chunk.stopsAtEachRecord = true
        while !records.isReady, !hasEnded, try advance(canceller: canceller, note: note) {}
        chunk.stopsAtEachRecord = false
        if let refusal = records.refusal { throw refusal }
    }

    /// Reads the whole source, only to compute the digest.
    mutating func passOver(canceller: ReadCanceller) throws(InputError) {
        while case .filled = try bytes.fill(canceller: canceller, note: { _ in }) {}
        endDigest()
    }

    /// Reads again all bytes before `end`, whose digest must be `expected` unless `expected` is empty; the call must be
    /// followed by ``checkEnd(canceller:note:)``.
    ///
    /// `remembersRecords` is whether the last records can be read again from ``earlier``.
    mutating func skip(
        to end: UInt64,
        expecting expected: [UInt8],
        remembersRecords: Bool,
        canceller: ReadCanceller,
        note: (InputNote) -> Void
    ) throws(InputError) {
        while bytes.bytesRead < end {
            let limit = Int(clamping: end - bytes.bytesRead)
            switch try bytes.fill(limit: limit, canceller: canceller, note: note) {
            case .interrupted: return
            case .filled:
                if remembersRecords { mark() }
                let (text, rest) = (bytes.buffer, bytes.rest)
                records.skip(text.span.extracting(rest))
                bytes.take(rest.count)
            case .ended:
                let count = BytesInWords(bytes.bytesRead)
                throw changed("it ends after \(count), but \(BytesInWords(end)) of it had been read")
            }
        }
        bytes.digest(upTo: end)
        if !expected.isEmpty, let digest, digest.bytes != expected {
            throw changed(
                index == 0
                    ? "its first \(BytesInWords(end)) differ from those that were read"
                    : "its first \(BytesInWords(end)), or the sources before it, differ from the data that was read"
            )
        }
        position = end
    }

    private mutating func mark() {
        let count = records.skipped
        if let last = marks.last, count - last.records < remembered / 16 { return }
        var copy = self
        copy.marks = []
        marks.append(Mark(reader: copy, records: count))
        while marks.count > 1, count - marks[1].records >= remembered { marks.removeFirst() }
    }

    /// Returns a reader of the last skipped records, or of all skipped records if there are only a few.
    mutating func earlier(to end: UInt64) -> (reader: InputFileReader, isWhole: Bool)? {
        guard let mark = marks.first else { return nil }
        marks = []
        var reader = mark.reader
        reader.digest = nil
        reader.bytes.readAgain(to: hasEnded ? nil : end)
        return (reader, mark.records == 0)
    }

    /// Checks that the last skipped record still ends at the same position: some formats need to see the bytes that
    /// follow, and the last record of a source may lack an end.
    mutating func checkEnd(canceller: ReadCanceller, note: (InputNote) -> Void) throws(InputError) {
        let end = position
        guard !records.isBetweenRecords || records.boundary > 0 && bytes.position(of: records.boundary) != end else {
            return
        }
        repeat {
            if case .interrupted = try bytes.fill(canceller: canceller, note: note) { return }
            guard bytes.bytesRead > end else {
                hasEnded = true
                return
            }
        } while bytes.rest.isEmpty
        var passed = ChunkBuilder(limits: InputLimits())
        passed.stopsAtEachRecord = true
        let (text, rest) = (bytes.buffer, bytes.rest)
        bytes.take(records.read(text.span.extracting(rest), into: &passed))
        guard bytes.position(of: records.boundary) == end else {
            throw changed("the record that ended after its first \(BytesInWords(end)) now continues")
        }
    }

    private func changed(_ reason: String) -> InputError {
        InputError(.changed, source: name, reason: "has changed since the job started: \(reason)")
    }

    /// Returns the next chunk; `nil` at the end, when canceled, or if reading would block and waiting is not allowed.
    mutating func next(
        mayWait: Bool,
        canceller: ReadCanceller,
        note: (InputNote) -> Void
    ) throws(InputError) -> OperationChunk? {
        while !hasEnded, chunk.isEmpty {
            guard mayWait || !bytes.rest.isEmpty, try advance(canceller: canceller, note: note) else { return nil }
        }
        guard !canceller.isCancelled else { return nil }
        let end = hasEnded && chunk.isEmpty && bytes.endEarly ? position : place
        if hasEnded, chunk.isEmpty, end == position {
            isAtEnd = true
            return nil
        }
        defer { position = end }
        var taken = chunk.take(end: InputOffset(source: index, byte: end), bytes: Int(end - position))
        if let digest {
            bytes.digest(upTo: end)
            taken.digest = digest.bytes
        }
        return taken
    }

    /// The end of the last record, in bytes of the source.
    private var place: UInt64 {
        mutating get {
            guard hasEnded, !bytes.endEarly else { return bytes.position(of: records.boundary) }
            return bytes.bytesRead
        }
    }

    /// Reads until the chunk is full or the buffer is empty; returns false when canceled.
    private mutating func advance(canceller: ReadCanceller, note: (InputNote) -> Void) throws(InputError) -> Bool {
        if bytes.rest.isEmpty {
            switch try bytes.fill(canceller: canceller, note: note) {
            case .filled: break
            case .interrupted: return false
            case .ended:
                hasEnded = true
                guard bytes.endEarly else {
                    records.finish(into: &chunk)
                    if records.repeatedTitles > 0 {
                        note(.repeatedTitles(source: name, count: records.repeatedTitles))
                    }
                    return true
                }
                // A source counts as begun only when its first record is complete.
                if !records.isReady { chunk.discard() }
                note(.endedEarly(source: name, unfinishedBytes: bytes.bytesRead - place))
                return true
            }
        }
        chunk.goOn()
        let (text, rest) = (bytes.buffer, bytes.rest)
        bytes.take(records.read(text.span.extracting(rest), into: &chunk))
        return true
    }
}

import Glibc

/// A spool that is read, and fed by its pipe when there is no more in it.
///
/// What it hands over is on disk: it can be read again after a power cut.
final class SpoolFeed {
    private let spool: InputSpool
    private let name: String
    private let pipe: InputDescriptor?
    /// The spool, open for writing; `nil` until something is to be written.
    private var writer: InputDescriptor?
    private var size: UInt64
    private var buffer: [UInt8] = []
    /// True when the pipe has said that there is no more; a terminal would not say it twice.
    private var pipeHasEnded = false
    /// True when the pipe has ended, now or in an earlier run.
    private(set) var isComplete: Bool

    /// The most bytes that are written before they are synced: a sync takes as long for few bytes as for many.
    private static let maximumPiece = 1 << 20
    /// `F_SETPIPE_SZ`, which Swift's module of the C library does not have.
    private static let setPipeSize: CInt = 1031

    init(_ spool: InputSpool, for source: InputSource) throws(InputError) {
        self.spool = spool
        name = source.name
        pipe =
            switch spool.pipe {
            case .none: nil
            case .unopened: try InputDescriptor.open(source)
            case .opened(let descriptor): descriptor
            }
        writer = spool.isNew ? spool.file : nil
        (size, isComplete) = (spool.byteCount, spool.isComplete)
        // The writer of the pipe goes on while a piece is synced.
        if let pipe { _ = fcntl(pipe.number, Self.setPipeSize, CInt(Self.maximumPiece)) }
    }

    /// The number of bytes that will have been read at the end; `nil` if only the pipe knows.
    var wholeSize: UInt64? {
        guard let pipe else { return size }
        return pipe.bytesLeft.map { size + $0 }
    }

    /// Reads what is at `offset` of the spool, waiting for the pipe if it has to come first; returns 0 at the end, `nil`
    /// when cancelled.
    func read(
        at offset: UInt64,
        into target: inout [UInt8],
        _ range: Range<Int>,
        canceller: ReadCanceller
    ) throws(InputError) -> Int? {
        while offset >= size {
            guard let pipe else { return 0 }
            guard let count = try draw(from: pipe, canceller: canceller) else { return nil }
            guard count > 0 else {
                complete()
                return 0
            }
            try append(count)
        }
        let count = spool.file.read(at: offset, into: &target, range.prefix(Int(clamping: size - offset)))
        guard count >= 0 else { throw InputError(spool: spool.path, source: name, errno: errno) }
        guard count > 0 else {
            throw InputError(.spoolFailed, spool: spool.path, source: name, reason: "the file has become shorter")
        }
        return count
    }

    /// Fills the buffer with what the pipe has, waiting for the first bytes only.
    private func draw(from pipe: InputDescriptor, canceller: ReadCanceller) throws(InputError) -> Int? {
        if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: Self.maximumPiece) }
        let room = spool.maximumBytes - Int(size)
        // At the limit, one byte more is still asked for: there may be none.
        let all = max(1, min(buffer.count, room))
        var count = 0
        while !pipeHasEnded, count < all, count == 0 || pipe.isReady(canceller: canceller) {
            guard let more = try pipe.read(into: &buffer, count..<all, canceller: canceller, source: name) else {
                return count > 0 ? count : nil
            }
            count += more
            pipeHasEnded = more == 0
        }
        guard count == 0 || room > 0 else { throw limitReached }
        return count
    }

    /// Adds the beginning of the buffer to the spool, and returns when it is on disk.
    private func append(_ count: Int) throws(InputError) {
        let writer = try openedWriter()
        guard writer.write(buffer, count), fdatasync(writer.number) == 0 else {
            throw InputError(spool: spool.path, source: name, errno: errno)
        }
        size += UInt64(count)
    }

    private func openedWriter() throws(InputError) -> InputDescriptor {
        if let writer { return writer }
        // What was the end of the pipe then is not its end now.
        fchmod(spool.file.number, 0o600)
        isComplete = false
        let number = open(spool.path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW)
        guard number >= 0 else { throw InputError(spool: spool.path, source: name, errno: errno) }
        let opened = InputDescriptor(owning: number)
        writer = opened
        return opened
    }

    /// Says in the file that it has all of the pipe.
    ///
    /// Where that fails, a later run that has only the spool trusts its last record less than it might.
    private func complete() {
        guard !isComplete else { return }
        fchmod(spool.file.number, 0o400)
        fsync(spool.file.number)
        isComplete = true
    }

    private var limitReached: InputError {
        let limit = BytesInWords(spool.maximumBytes, inUnits: true)
        return InputError(
            .spoolFull,
            source: name,
            reason: "more than \(limit) came through the pipe, which is the limit of --spool-max"
        )
    }
}

extension InputDescriptor {
    /// Writes the first `count` bytes; returns false, with the reason in `errno`, if that fails.
    func write(_ bytes: [UInt8], _ count: Int) -> Bool {
        var done = 0
        while done < count {
            let written = bytes.withUnsafeBytes { buffer in
                buffer.baseAddress.map { Glibc.write(number, $0 + done, count - done) } ?? -1
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return false }
            done += written
        }
        return true
    }
}

import CLibArchive
import Glibc
import Gzip

/// The bytes that libarchive reads: those already read to examine them, then the rest of the descriptor.
///
/// Gzip is expanded here: libarchive would drop up to 64 KiB of the text before the place where a file is torn. Such an
/// end looks like any other to libarchive; ``damage`` tells.
final class ArchiveInput {
    private static let bufferSize = 256 << 10

    private let read: (UnsafeMutableRawBufferPointer) -> Int
    /// The buffers that libarchive reads from until the next call, so they must not move.
    private let buffer: UnsafeMutableRawBufferPointer
    private let expanded: UnsafeMutableRawBufferPointer
    /// The part of the buffer not yet passed on or expanded.
    private var unread: Range<Int>
    /// Bytes that have come into the buffer.
    private var fetched: Int64
    private let expander: GzipExpander?
    private var isInMember = false
    private var isOver = false
    /// Why a gzip file could not be expanded to its end; `nil` if it could so far.
    private(set) var damage: String?

    /// Creates the input; some of it is read to see whether it is gzip.
    convenience init(descriptor: CInt, head: [UInt8]) {
        self.init(head: head) { Self.read(descriptor, $0) }
    }

    /// Creates the input from a source of bytes, which returns how many it has written: 0 at the end, a negative number
    /// with `errno` set if it fails.
    init(head: [UInt8], reading read: @escaping (UnsafeMutableRawBufferPointer) -> Int) {
        self.read = read
        buffer = .allocate(byteCount: max(head.count, Self.bufferSize), alignment: 16)
        buffer.copyBytes(from: head)
        (unread, fetched) = (0..<head.count, Int64(head.count))
        var (filled, hasEnded) = (head.count, false)
        while filled < Self.magic.count, !hasEnded {
            let count = read(UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
            hasEnded = count <= 0
            filled += max(0, count)
        }
        (unread, fetched) = (0..<filled, Int64(filled))
        expander = buffer[..<filled].starts(with: Self.magic) ? GzipExpander() : nil
        expanded = .allocate(byteCount: expander == nil ? 0 : Self.bufferSize, alignment: 16)
    }

    deinit {
        buffer.deallocate()
        expanded.deallocate()
    }

    /// What a member begins with: the name of the format, and its one method.
    private static let magic: [UInt8] = [0x1F, 0x8B, 8]

    var isExpanding: Bool { expander != nil }

    /// Bytes that were expanded; `nil` if libarchive itself knows how many it has used.
    var expandedFrom: Int64? { isExpanding ? fetched - Int64(unread.count) : nil }

    /// Makes `archive` read from this object, which must live as long as the archive does.
    func open(_ archive: OpaquePointer) -> CInt {
        archive_read_open(
            archive,
            Unmanaged.passUnretained(self).toOpaque(),
            nil,
            { archive, client, bytes in
                guard let client, let bytes else { return Int(ARCHIVE_FATAL) }
                guard let next = Unmanaged<ArchiveInput>.fromOpaque(client).takeUnretainedValue().next() else {
                    reportSystemError(archive)
                    return -1
                }
                bytes.pointee = next.baseAddress
                return next.count
            },
            nil
        )
    }

    /// Returns the number of bytes that have come, reading on if that is no more than `consumed`.
    func drained(after consumed: Int64) -> Int64 {
        if fetched <= consumed { _ = fetch() }
        return fetched
    }

    /// Returns the next bytes, none at the end; `nil`, with `errno` set, if the system fails.
    private func next() -> UnsafeRawBufferPointer? {
        guard let expander else {
            guard !unread.isEmpty || fetch() else { return nil }
            defer { unread = unread.upperBound..<unread.upperBound }
            return UnsafeRawBufferPointer(rebasing: buffer[unread])
        }
        var count = 0
        while count < expanded.count, !isOver {
            if unread.isEmpty {
                // What has come out of a pipe need not wait for the rest.
                if count > 0 { break }
                guard fetch() else { return nil }
                if unread.isEmpty { damage = isInMember ? "truncated gzip input" : nil }
            }
            guard !unread.isEmpty, isInMember || beginsMember() else {
                isOver = true
                break
            }
            isInMember = true
            let step = expander.expand(
                UnsafeRawBufferPointer(rebasing: buffer[unread]),
                into: UnsafeMutableRawBufferPointer(rebasing: expanded[count...])
            )
            unread = unread.lowerBound + step.used..<unread.upperBound
            count += step.produced
            switch step.state {
            case .goesOn: break
            case .memberEnded: isInMember = false
            case .damaged(let words): (damage, isOver) = (words, true)
            }
        }
        return UnsafeRawBufferPointer(rebasing: expanded[..<count])
    }

    /// Whether the unread bytes begin another member; reads on if they are too few to tell.
    private func beginsMember() -> Bool {
        while unread.count < Self.magic.count {
            let before = unread.count
            guard fetch(), unread.count > before else { return false }
        }
        return buffer[unread].starts(with: Self.magic)
    }

    /// Reads on behind the unread bytes; returns false, with `errno` set, if the system fails.
    private func fetch() -> Bool {
        buffer.copyBytes(from: Array(buffer[unread]))
        let kept = unread.count
        let count = read(UnsafeMutableRawBufferPointer(rebasing: buffer[kept...]))
        unread = 0..<kept + max(0, count)
        fetched += Int64(max(0, count))
        return count >= 0
    }

    /// Returns the number of bytes: 0 at the end, negative if the system fails.
    private static func read(_ descriptor: CInt, _ room: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            // A named pipe that nobody has opened for writing yet reads as if it had ended: wait for the first byte
            // instead.
            var waiting = pollfd(fd: descriptor, events: CShort(POLLIN), revents: 0)
            let count = poll(&waiting, 1, -1) < 0 ? -1 : Glibc.read(descriptor, room.baseAddress, room.count)
            if count >= 0 || (errno != EINTR && errno != EAGAIN) { return count }
        }
    }
}

/// Records the system's last error in `archive`, as libarchive's own readers do.
private func reportSystemError(_ archive: OpaquePointer?) {
    let number = errno
    carchive_set_error(archive, number, strerror(number))
}

import CLibArchive
import Glibc

/// The bytes that were taken from a pipe to look at them, then the rest of the pipe.
final class PipedInput {
    private static let bufferSize = 256 << 10

    private let descriptor: CInt
    /// Libarchive reads from it until the next call, so it must not move.
    private let buffer: UnsafeMutableRawBufferPointer
    /// How many bytes at the start of the buffer have not been handed on.
    private var headCount: Int
    private var given: Int64 = 0

    init(descriptor: CInt, head: [UInt8]) {
        self.descriptor = descriptor
        headCount = head.count
        buffer = .allocate(byteCount: max(head.count, Self.bufferSize), alignment: 16)
        buffer.copyBytes(from: head)
    }

    deinit { buffer.deallocate() }

    /// Makes `archive` read from here; this object must live as long as it does.
    func open(_ archive: OpaquePointer) -> CInt {
        archive_read_open(
            archive,
            Unmanaged.passUnretained(self).toOpaque(),
            nil,
            { archive, client, bytes in
                guard let client, let bytes else { return Int(ARCHIVE_FATAL) }
                let input = Unmanaged<PipedInput>.fromOpaque(client).takeUnretainedValue()
                bytes.pointee = UnsafeRawPointer(input.buffer.baseAddress)
                let count = input.next()
                if count < 0 { reportSystemError(archive) }
                input.given += Int64(max(0, count))
                return count
            },
            nil
        )
    }

    /// How many bytes the pipe has given by now, reading on if that is no more than `consumed`.
    func drained(after consumed: Int64) -> Int64 {
        if given <= consumed { given += Int64(max(0, next())) }
        return given
    }

    /// Fills the buffer and returns with how many bytes: 0 at the end, less when the system fails.
    private func next() -> Int {
        if headCount > 0 {
            defer { headCount = 0 }
            return headCount
        }
        while true {
            // A named pipe that nobody has opened for writing yet reads as ended: wait for the first byte instead.
            var waiting = pollfd(fd: descriptor, events: CShort(POLLIN), revents: 0)
            let count = poll(&waiting, 1, -1) < 0 ? -1 : read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 || (errno != EINTR && errno != EAGAIN) { return count }
        }
    }
}

/// Notes the system's last error in `archive`, as libarchive's own readers do.
private func reportSystemError(_ archive: OpaquePointer?) {
    let number = errno
    carchive_set_error(archive, number, strerror(number))
}

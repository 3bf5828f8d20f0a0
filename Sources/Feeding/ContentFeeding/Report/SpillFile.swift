import Glibc

/// A file without a name, for what memory should not hold: it is gone when the last user is.
public final class SpillFile: Sendable {
    private let descriptor: Int32
    private let directory: String

    /// Creates the file in `directory`, which decides the disk.
    public init(in directory: String) throws(SpillError) {
        self.directory = directory
        var template = Array((directory + "/.fastctl-spill-XXXXXX").utf8CString)
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw SpillError("cannot create a file in \(directory)", errno: errno) }
        unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit { close(descriptor) }

    public func write(_ bytes: [UInt8], at offset: Int) throws(SpillError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                pwrite(descriptor, buffer.baseAddress?.advanced(by: done), bytes.count - done, off_t(offset + done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SpillError("cannot write to a file in \(directory)", errno: errno) }
            done += count
        }
    }

    /// Reads up to `count` bytes; fewer at the end.
    public func read(at offset: Int, count: Int) throws(SpillError) -> [UInt8] {
        var done = -1
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            repeat {
                done = pread(descriptor, buffer.baseAddress, count, off_t(offset))
            } while done < 0 && errno == EINTR
            initialized = max(done, 0)
        }
        guard done >= 0 else { throw SpillError("cannot read back a file in \(directory)", errno: errno) }
        return bytes
    }
}

/// Where a feed may put what memory should not hold.
struct SpillLocation: Sendable {
    var directory: String
    var maximumBytes: Int
}

/// The spill file can't be written or read: the disk is full, or its limit is reached.
public struct SpillError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }

    init(_ description: String, errno code: Int32) {
        self.description = "\(description): \(String(cString: strerror(code)))"
    }
}

import Glibc
import Synchronization

/// The room on disk that a run has for data that memory should not hold: one budget for all its files together.
public final class SpillSpace: Sendable {
    /// The folder of the files, which determines the disk.
    public let directory: String
    /// The most bytes of all files together.
    public let maximumBytes: Int
    private let used = Mutex(0)

    /// Creates the room of a run in a folder.
    public init(in directory: String, maximumBytes: Int = 4 << 30) {
        (self.directory, self.maximumBytes) = (directory, maximumBytes)
    }

    fileprivate func take(_ count: Int) throws(SpillError) {
        let isTaken = used.withLock { used in
            guard count <= maximumBytes - used else { return false }
            used += count
            return true
        }
        guard !isTaken else { return }
        throw SpillError(
            "errors and IDs that memory should not hold need more than \(maximumBytes) bytes in \(directory)"
                + " (the --max-spill limit)"
        )
    }

    fileprivate func release(_ count: Int) { used.withLock { $0 -= count } }
}

/// An unnamed file for data that memory should not hold; it disappears with its last user, and frees its room.
public final class SpillFile: Sendable {
    private let descriptor: Int32
    private let space: SpillSpace
    private let size = Mutex(0)

    /// Creates the file in the folder of `space`.
    public init(in space: SpillSpace) throws(SpillError) {
        self.space = space
        var template = Array((space.directory + "/.fastctl-spill-XXXXXX").utf8CString)
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw SpillError("cannot create a file in \(space.directory)", errno: errno) }
        unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        space.release(size.withLock { $0 })
    }

    /// Writes bytes at a place; throws if there is no room for them, or if the disk fails.
    public func write(_ bytes: [UInt8], at offset: Int) throws(SpillError) {
        let growth = offset + bytes.count - size.withLock { $0 }
        if growth > 0 {
            try space.take(growth)
            size.withLock { $0 += growth }
        }
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                pwrite(descriptor, buffer.baseAddress?.advanced(by: done), bytes.count - done, off_t(offset + done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SpillError("cannot write to a file in \(space.directory)", errno: errno) }
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
        guard done >= 0 else { throw SpillError("cannot read back a file in \(space.directory)", errno: errno) }
        return bytes
    }
}

/// A failure to write or read the spill file: the disk is full, or its limit is reached.
public struct SpillError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// Creates an error that says what could not be kept, and why.
    public init(_ description: String) { self.description = description }

    fileprivate init(_ description: String, errno code: Int32) {
        self.description = "\(description): \(String(cString: strerror(code)))"
    }
}

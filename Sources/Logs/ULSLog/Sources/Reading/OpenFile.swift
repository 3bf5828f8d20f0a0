import FileMapping
import Glibc

/// An open file, pipe or device; it is closed when the last reference goes.
///
/// It may be read from several threads at once by place, and by one as a stream.
final class OpenFile: Sendable {
    let number: CInt
    /// What messages call it.
    let name: String

    private init(number: CInt, name: String) {
        self.number = number
        self.name = name
    }

    deinit { close(number) }

    /// Opens a file for reading, without waiting for a pipe's other end.
    static func open(_ path: String) throws(LogSourceError) -> OpenFile {
        // `/dev/fd/63` of a shell's `<(…)` is that very descriptor: opened anew it would lose what was written so far,
        // if its writer has gone.
        if let inherited = InheritedDescriptor(path) {
            return try duplicate(inherited.number, name: path)
        }
        let number = unsafe Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard number >= 0 else { throw LogSourceError(errno: errno, source: path) }
        return OpenFile(number: number, name: path)
    }

    static func standardInput() throws(LogSourceError) -> OpenFile {
        try duplicate(STDIN_FILENO, name: LogSource.standardInputName)
    }

    private static func duplicate(_ number: CInt, name: String) throws(LogSourceError) -> OpenFile {
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else {
            guard errno != EBADF else { throw LogSourceError(.missing, source: name, reason: "it is closed") }
            throw LogSourceError(errno: errno, source: name)
        }
        return OpenFile(number: copy, name: name)
    }

    func status() throws(LogSourceError) -> FileStatus {
        guard let status = FileStatus(descriptor: number) else { throw LogSourceError(errno: errno, source: name) }
        return status
    }

    /// Where the stream stands; `nil` for what has no places, like a pipe.
    var place: Int64? {
        let place = lseek(number, 0, SEEK_CUR)
        return place < 0 ? nil : Int64(place)
    }

    /// Reads from a place, until the buffer or the file ends, and returns how many bytes.
    func read(into buffer: inout [UInt8], from start: Int, at place: Int64) throws(LogSourceError) -> Int {
        try unsafe fill(&buffer, from: start, isOneReadEnough: false) { target, room, done in
            unsafe pread(number, target, room, off_t(place &+ Int64(done)))
        }
    }

    /// Maps a part of a file that has so many bytes; `nil` where the system does not.
    func map(at place: Int64, count: Int) -> FileMapping? {
        FileMapping(descriptor: number, offset: place, count: count)
    }

    /// Waits until there is something to read, and returns how many bytes that was; 0 at the end.
    func read(into buffer: inout [UInt8], from start: Int) throws(LogSourceError) -> Int {
        try unsafe fill(&buffer, from: start, isOneReadEnough: true) { target, room, _ in
            // A named pipe that nobody has opened for writing yet reads as ended: wait for the first byte instead.
            var waiting = pollfd(fd: number, events: CShort(POLLIN), revents: 0)
            return unsafe poll(&waiting, 1, -1) < 0 ? -1 : Glibc.read(number, target, room)
        }
    }

    private func fill(
        _ buffer: inout [UInt8],
        from start: Int,
        isOneReadEnough: Bool,
        read: (UnsafeMutableRawPointer, _ room: Int, _ done: Int) -> Int
    ) throws(LogSourceError) -> Int {
        guard start < buffer.count else { return 0 }
        var done = 0
        let failure: CInt? = unsafe buffer.withUnsafeMutableBytes { bytes -> CInt? in
            guard let base = bytes.baseAddress else { return nil }
            while start + done < bytes.count {
                let count = unsafe read(base + start + done, bytes.count - start - done, done)
                if count < 0 {
                    if errno == EINTR || errno == EAGAIN { continue }
                    return errno
                }
                done += count
                if count == 0 || isOneReadEnough { return nil }
            }
            return nil
        }
        if let failure { throw LogSourceError(errno: failure, source: name) }
        return done
    }
}

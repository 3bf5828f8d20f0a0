import FeedFormats
import Foundation
import Glibc
import Testing

/// A pipe of this process, which an input names by its descriptor.
final class TestPipe: Sendable {
    let reader: CInt
    private let writer: CInt

    init() throws {
        var ends: [CInt] = [-1, -1]
        try #require(Glibc.pipe(&ends) == 0)
        (reader, writer) = (ends[0], ends[1])
    }

    /// A pipe with bytes that fit into it, and with its writing end closed.
    convenience init(holding bytes: [UInt8]) throws {
        try self.init()
        #expect(write(writer, bytes, bytes.count) == bytes.count)
        close()
    }

    deinit { Glibc.close(reader) }

    var source: InputSource { .file("/dev/fd/\(reader)") }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(write(writer, bytes, bytes.count) == bytes.count)
    }

    func close() { Glibc.close(writer) }
}

/// Writes text into a named pipe on a separate thread, until the reader closes it.
func send(_ text: String, through fifo: String) async {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            signal(SIGPIPE, SIG_IGN)
            let writer = Glibc.open(fifo, O_WRONLY)
            let bytes = Array(text.utf8)
            _ = bytes.withUnsafeBytes { write(writer, $0.baseAddress, $0.count) }
            close(writer)
            continuation.resume()
        }
    }
}

func bytes(_ path: String) throws -> [UInt8] { try Array(Data(contentsOf: URL(filePath: path))) }

func mode(_ path: String) -> UInt32 {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
}

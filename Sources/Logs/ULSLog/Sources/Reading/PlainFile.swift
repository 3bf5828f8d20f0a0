import FileMapping
import Glibc
import UnicodeText

/// A file of plain text that is read by place, from several threads if wanted.
final class PlainFile: Sendable {
    private let file: OpenFile
    /// As it was when it was opened: a reader stops here, whatever the writer adds.
    let sizeAtOpening: Int64
    /// Where the text begins: behind the byte-order mark of UTF-8, if there is one.
    let textStart: Int64
    private let identity: FileIdentity

    /// The path, as it was given.
    var path: String { file.name }

    /// Opens the file at `path`.
    ///
    /// - Throws: A ``LogSourceError`` also when a folder or a device is found there.
    init(path: String) throws(LogSourceError) {
        let file = try OpenFile.open(path)
        let status = try file.status()
        guard status.kind == .file else {
            throw LogSourceError(.special, source: path, reason: "it is no file any more")
        }
        var head = [UInt8](repeating: 0, count: ByteOrderMark.maximumLength)
        let count = try file.read(into: &head, from: 0, at: 0)
        textStart = ByteOrderMark(startOf: head.span.extracting(first: count)) == .utf8 ? 3 : 0
        sizeAtOpening = status.size
        identity = status.identity
        self.file = file
    }

    /// Reads from `place` in the file into `buffer`, behind `start`, until the buffer or the file ends.
    ///
    /// - Returns: How many bytes; less than there is room for only where the file ends.
    func read(into buffer: inout [UInt8], from start: Int = 0, at place: Int64) throws(LogSourceError) -> Int {
        try file.read(into: &buffer, from: start, at: place)
    }

    /// Maps a part of the file that was there when it was opened; `nil` where the system does not.
    func map(at place: Int64, count: Int) -> FileMapping? {
        count > 0 && place + Int64(count) <= sizeAtOpening ? file.map(at: place, count: count) : nil
    }

    /// The size at this moment, in bytes.
    func size() throws(LogSourceError) -> Int64 { try file.status().size }

    /// What has happened to the file since it was opened, or had a size before; `nil` when nothing has.
    func change(since size: Int64? = nil) throws(LogSourceError) -> FileChange? {
        let size = size ?? sizeAtOpening
        let now = try file.status()
        if now.size < size { return .shrank(from: size, to: now.size) }
        // A descriptor that the process was started with has no path of its own.
        if !now.hasName { return .removed }
        if InheritedDescriptor(path) == nil {
            guard let there = FileStatus(path: path) else { return .removed }
            if there.identity != identity { return .replaced }
        }
        return now.size > size ? .grew(from: size, to: now.size) : nil
    }
}

import ArchiveStream
import Glibc
import TestSupport

/// Makes files by the system's own tools, in a folder that goes with the object.
final class Packing {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    deinit { folder.remove() }

    /// Runs a command of the shell in the folder, and returns the path of the file that it made.
    func make(_ name: String, _ command: String) -> String {
        let root = folder.path("")
        let status = system("cd '\(root)' && \(command)")
        precondition(status == 0, "cannot run \(command)")
        return folder.path(name)
    }

    func bytes(of path: String) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        buffer.removeLast(buffer.count - max(0, read(descriptor, &buffer, buffer.count)))
        return buffer
    }

    func write(_ bytes: [UInt8], to path: String) {
        let descriptor = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
        defer { close(descriptor) }
        let count = Glibc.write(descriptor, bytes, bytes.count)
        precondition(count == bytes.count, "cannot write \(path)")
    }

    /// Runs lines of Python in the folder, and returns the path of the file that they made.
    func make(_ name: String, python lines: String...) -> String {
        make(name, "python3 - <<'END'\nimport io, tarfile, zipfile, gzip, os\n\(lines.joined(separator: "\n"))\nEND\n")
    }
}

/// What came out of an archive.
struct Contents: Equatable {
    /// The names in their order; a text without a name is `-`.
    var names: [String] = []
    var bytes: [[UInt8]] = []
    var passedOver = 0

    var sizes: [Int] { bytes.map(\.count) }
    var texts: [String] { bytes.map { String(decoding: $0, as: UTF8.self) } }
}

/// How a test hands a file to the reader.
enum Door: CaseIterable {
    case file
    case pipe
    /// A pipe of which the first bytes were taken before.
    case peekedPipe
}

/// Reads all of a file, small pieces at a time.
func contents(
    of path: String,
    through door: Door = .file,
    limits: ArchiveLimits = ArchiveLimits(),
    pieces: Int = 4096
) throws -> Contents {
    let stream = door == .file ? nil : popen("cat '\(path)'", "re")
    let descriptor = stream.map { fileno($0) } ?? open(path, O_RDONLY | O_CLOEXEC)
    precondition(descriptor >= 0, "cannot open \(path)")
    defer { if let stream { pclose(stream) } else { close(descriptor) } }
    var head = [UInt8](repeating: 0, count: door == .peekedPipe ? 10 : 0)
    if !head.isEmpty { head.removeLast(head.count - read(descriptor, &head, head.count)) }

    var archive = try ArchiveReader(descriptor: descriptor, startingWith: head, limits: limits)
    var contents = Contents()
    var buffer = [UInt8](repeating: 0, count: pieces)
    while let entry = try archive.nextEntry() {
        contents.names.append(entry.name ?? "-")
        contents.bytes.append([])
        while let count = try archive.read(into: &buffer) {
            contents.bytes[contents.bytes.count - 1] += buffer[..<count]
        }
    }
    contents.passedOver = archive.passedOver
    return contents
}

/// Opens a file for `body`.
func withArchive(_ path: String, _ body: (inout ArchiveReader) throws -> Void) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    precondition(descriptor >= 0, "cannot open \(path)")
    defer { close(descriptor) }
    var archive = try ArchiveReader(descriptor: descriptor)
    try body(&archive)
}

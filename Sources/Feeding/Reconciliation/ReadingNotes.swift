import Digests
public import Files
import Glibc
import JSONText

/// Notes of how many entries a source had when it was last read whole: a folder with a small file for each source and
/// collection.
public struct ReadingNotes: Sendable {
    private let folder: String

    /// A note is small; more bytes than that are none of ours.
    private static let mostBytes = 64 << 10

    /// Creates the notes in a folder, which is created when something is noted.
    public init(in folder: String) { self.folder = folder }

    /// Returns the number of entries at the last reading; `nil` if there is none that can be read.
    ///
    /// `names` are what tells the source and the collection from others.
    public func entries(of names: [String]) -> Int? {
        guard let bytes = try? SmallFile.read(path(of: names), maximum: Self.mostBytes),
            let note = try? JSONValue(bytes), note["of"].elements.compactMap(\.text) == names
        else { return nil }
        return note["entries"].int.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// Notes a reading.
    public func note(_ entries: Int, of names: [String]) throws(FileError) {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("of", names)
            writer.member("entries", entries)
        }
        writer.endLine()
        makeFolder()
        try AtomicFile.write(writer.takeBytes(), to: path(of: names), keeping: 0o600)
    }

    /// Creates the folder, for its owner only; what stands against it shows when the file is created.
    private func makeFolder() {
        var end = folder.startIndex
        while end < folder.endIndex {
            end = folder[folder.index(after: end)...].firstIndex(of: "/") ?? folder.endIndex
            mkdir(String(folder[..<end]), 0o700)
        }
    }

    private func path(of names: [String]) -> String {
        var function = SHA256()
        let digest = function.digest(of: names.flatMap { Array("\($0.utf8.count):\($0)".utf8) })
        return "\(folder)/\(digest.hexadecimal.prefix(32)).json"
    }
}

import Foundation

/// The open files of this process, those without a name included.
public enum OpenFiles {
    /// The descriptors of files whose path, which they may have lost, is below `folder`; with their paths.
    public static func below(_ folder: String) -> [(descriptor: Int32, path: String)] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.compactMap { name in
            guard let descriptor = Int32(name),
                let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name),
                path.hasPrefix(folder)
            else { return nil }
            return (descriptor, path)
        }
    }

    /// Cuts files without a name below `folder` to this size.
    public static func truncate(below folder: String, to size: Int) {
        for (descriptor, _) in below(folder) { _ = ftruncate(descriptor, off_t(size)) }
    }

    /// Cuts so many bytes from the end of files without a name below `folder`.
    public static func shorten(below folder: String, by count: Int) {
        for (descriptor, _) in below(folder) {
            _ = ftruncate(descriptor, lseek(descriptor, 0, SEEK_END) - off_t(count))
        }
    }

    /// Puts something in the place of files below `folder` that can't be read.
    public static func makeUnreadable(below folder: String) {
        for (descriptor, _) in below(folder) {
            let null = open("/dev/null", O_WRONLY)
            _ = dup2(null, descriptor)
            close(null)
        }
    }
}

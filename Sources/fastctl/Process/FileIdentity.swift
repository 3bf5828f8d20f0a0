import Glibc

/// Which file a path leads to, by whatever name; also of one that is not there yet.
struct FileIdentity: Hashable {
    private let device: UInt
    private let inode: UInt
    /// The name in the folder, for a file that is not there.
    private let name: String

    init?(_ path: String) {
        var status = stat()
        if stat(path, &status) == 0 {
            (device, inode, name) = (UInt(status.st_dev), UInt(status.st_ino), "")
            return
        }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let folder = parts.dropLast().joined(separator: "/")
        guard stat(folder.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : folder, &status) == 0 else { return nil }
        (device, inode, name) = (UInt(status.st_dev), UInt(status.st_ino), String(parts.last ?? ""))
    }
}

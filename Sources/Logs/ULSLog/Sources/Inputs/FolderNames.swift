import Glibc

/// The names in a folder, as the system lists them.
enum FolderNames {
    /// Returns all names, in no order.
    ///
    /// A name that is no UTF-8 comes with U+FFFD in it, and will not be found by that.
    static func list(_ path: String, limit: Int) throws(LogSourceError) -> [String] {
        guard let folder = unsafe opendir(path) else { throw LogSourceError(errno: errno, source: path) }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(folder) else {
                guard errno == 0 else { throw LogSourceError(errno: errno, source: path) }
                return names
            }
            guard names.count < limit else {
                throw LogSourceError(.tooMany, source: path, reason: "more than \(limit) files are in this folder")
            }
            if let name = unsafe name(of: entry) { names.append(name) }
        }
    }

    /// The name stands in the entry as a field of C, up to a NUL.
    private static func name(of entry: UnsafeMutablePointer<dirent>) -> String? {
        guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return nil }
        let text = unsafe UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
        return unsafe String(cString: text)
    }
}

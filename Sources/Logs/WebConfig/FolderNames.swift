import Glibc

/// The names in a folder, as the system lists them.
enum FolderNames {
    /// Returns all names but `.` and `..`, in no order.
    ///
    /// A name that is no UTF-8 comes with U+FFFD in it, and will not be found by that.
    static func list(_ folder: WebConfigSource, limit: Int) throws(WebConfigError) -> [String] {
        guard let stream = opendir(folder.path) else { throw WebConfigError(errno: errno, source: folder) }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw WebConfigError(errno: errno, source: folder) }
                return names
            }
            guard let name = name(of: entry), name != ".", name != ".." else { continue }
            guard names.count < limit else {
                throw WebConfigError(
                    code: .tooLarge,
                    source: folder,
                    message: "there are too many files in and around this folder",
                    advice: "give the folders of the web sites you want to know about"
                )
            }
            names.append(name)
        }
    }

    /// The name stands in the entry as a field of C, up to a NUL.
    private static func name(of entry: UnsafeMutablePointer<dirent>) -> String? {
        guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return nil }
        return String(cString: UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self))
    }
}

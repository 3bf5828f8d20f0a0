import Glibc

/// The shared libraries that this process has loaded, as the system names their files.
enum LoadedLibraries {
    /// Libraries that are opened when they are first used, by the names of CCurl and CHyperscan.
    private static let late = ["libcurl.so.4", "libhs.so.5"]

    /// Names with the versions of their files, by name: `libcurl` and `4.8.0`.
    static var versions: [(name: String, version: String)] {
        // What a bug report needs is what would be loaded, whether or not it was needed until now.
        for name in late { dlopen(name, RTLD_NOW | RTLD_LOCAL) }
        var found: [String: String] = [:]
        for line in maps.split(separator: "\n") {
            guard let file = line.split(separator: "/").last, let mark = file.range(of: ".so.") else { continue }
            found[String(file[..<mark.lowerBound])] = String(file[mark.upperBound...])
        }
        return found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private static var maps: String {
        guard let file = fopen("/proc/self/maps", "r") else { return "" }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = fread(&piece, 1, piece.count, file)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += piece.prefix(count)
        }
    }
}

extension Substring {
    /// Returns where a text first stands in this one.
    fileprivate func range(of text: String) -> Range<Index>? {
        indices.lazy.compactMap { start in
            self[start...].hasPrefix(text) ? start..<self.index(start, offsetBy: text.count) : nil
        }.first
    }
}

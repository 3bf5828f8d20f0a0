import Glibc
import Spelling

/// The folder of the machine's time zone database.
struct ZoneFolder {
    /// Where the package `tzdata` puts it.
    static let standardPath = "/usr/share/zoneinfo"
    /// The list of names is no longer, in bytes.
    private static let longestList = 1 << 20

    var path: String

    /// The zone of that name, which is known to be well formed.
    func rules(named name: String) throws(TimeZoneError) -> TimeZoneRules {
        let bytes: [UInt8]
        switch Self.read(path + "/" + name, longest: ZoneFile.longest) {
        case .content(let content): bytes = content
        case .missing: throw missing(name)
        case .failure(let reason):
            throw TimeZoneError(code: .cannotRead, message: "cannot read the time zone '\(name)': \(reason)")
        }
        guard let rules = ZoneFile.rules(named: name, from: bytes) else {
            throw TimeZoneError(
                code: .damaged,
                message: "'\(path)/\(name)' is no time zone, or damaged: install the package tzdata again, or give an"
                    + " offset such as +02:00"
            )
        }
        return rules
    }

    private func missing(_ name: String) -> TimeZoneError {
        guard unsafe access(path, F_OK) == 0 else {
            return TimeZoneError(
                code: .noDatabase,
                message: "there are no time zones in '\(path)': install the package tzdata, or give an offset such as"
                    + " +02:00"
            )
        }
        let advice =
            if name.lowercased().hasSuffix("standard time") {
                "Windows' names are not known here, give one like Europe/Berlin or an offset such as +02:00"
            } else if let nearest = nearest(to: name) {
                "did you mean '\(nearest)'?"
            } else {
                "give a name like Europe/Berlin or an offset such as +02:00"
            }
        return TimeZoneError(code: .unknownName, message: "there is no time zone '\(name)': \(advice)")
    }

    /// A name like this one, or that of the city alone.
    private func nearest(to name: String) -> String? {
        guard case .content(let list) = Self.read(path + "/tzdata.zi", longest: Self.longestList) else { return nil }
        var names: [String] = []
        for line in list.split(separator: UInt8(ascii: "\n")) {
            // `Z name …` is a zone, `L target name` another name for one.
            let words = line.split(separator: UInt8(ascii: " "), maxSplits: 3)
            guard let kind = words.first, kind.elementsEqual("Z".utf8) || kind.elementsEqual("L".utf8) else {
                continue
            }
            let place = kind.elementsEqual("Z".utf8) ? 1 : 2
            if words.count > place { names.append(String(decoding: words[place], as: UTF8.self)) }
        }
        let city = "/" + name.lowercased()
        return names.first { $0.lowercased().hasSuffix(city) } ?? name.nearest(in: names)
    }

    private enum Content {
        case content([UInt8])
        case missing
        case failure(String)
    }

    private static func read(_ path: String, longest: Int) -> Content {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            return errno == ENOENT || errno == ENOTDIR ? .missing : unsafe .failure(String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return .missing }
        guard status.st_size <= longest else { return .failure("the file is larger than \(longest) bytes") }
        var content = [UInt8](repeating: 0, count: longest)
        var length = 0
        while length < longest {
            let count = unsafe content.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress.map { unsafe $0 + length }, longest - length)
            }
            if count == 0 { break }
            if count > 0 {
                length += count
            } else if errno != EINTR {
                return unsafe .failure(String(cString: strerror(errno)))
            }
        }
        return .content(Array(content[..<length]))
    }
}

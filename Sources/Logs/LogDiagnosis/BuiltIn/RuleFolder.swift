import Glibc

/// A folder of rules, as `--rules` names it.
enum RuleFolder {
    /// The most names in a folder.
    static let maximumFiles = 1000
    /// The most bytes of a file.
    static let maximumBytes = 256 << 10

    /// The texts of all rules and tests in a folder, by name.
    ///
    /// Other files may lie there, but no other YAML: a misspelt name would hide a rule.
    static func read(_ path: String) throws(RuleError) -> [RuleFile] {
        let names = try names(in: path).filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }.sorted()
        let folder = path.hasSuffix("/") ? path : path + "/"
        var texts: [RuleFile] = []
        for name in names {
            let file = folder + name
            guard RuleFile(name: name, text: "").nominal != nil else {
                throw RuleError(file: file, message: "rules are called FSnnnn.yaml, and their tests FSnnnn.tests.yaml")
            }
            texts.append(RuleFile(name: file, text: try text(of: file)))
        }
        if texts.isEmpty { throw RuleError(file: path, message: "there is no rule: no file is called FSnnnn.yaml") }
        return texts
    }

    private static func names(in path: String) throws(RuleError) -> [String] {
        guard let folder = opendir(path) else {
            let advice = errno == ENOTDIR ? "; give the folder that holds the rules" : ""
            throw RuleError(file: path, message: reason + advice)
        }
        defer { closedir(folder) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(folder) else {
                guard errno == 0 else { throw RuleError(file: path, message: reason) }
                return names
            }
            guard names.count < maximumFiles else {
                throw RuleError(file: path, message: "more than \(maximumFiles) files are in this folder")
            }
            if let name = name(of: entry) { names.append(name) }
        }
    }

    /// The name stands in the entry as a field of C, up to a NUL.
    private static func name(of entry: UnsafeMutablePointer<dirent>) -> String? {
        guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return nil }
        return String(cString: UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self))
    }

    private static func text(of path: String) throws(RuleError) -> String {
        // A pipe must not be waited for, and a link may lead anywhere.
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else {
            let message = errno == ELOOP ? "it is a symbolic link, which is not followed" : reason
            throw RuleError(file: path, message: message)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw RuleError(file: path, message: reason) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw RuleError(file: path, message: "it is no file") }
        var bytes = [UInt8](repeating: 0, count: maximumBytes + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw RuleError(file: path, message: reason) }
            guard got > 0 else { break }
            count += got
        }
        guard count <= maximumBytes else {
            throw RuleError(file: path, message: "longer than \(maximumBytes >> 10) KiB, which no rule is")
        }
        guard let text = String(validating: bytes.prefix(count), as: UTF8.self) else {
            throw RuleError(file: path, message: "it is not UTF-8")
        }
        return text
    }

    /// The reason of the last failure, as the system says it.
    private static var reason: String { String(cString: strerror(errno)) }
}

import Glibc

/// How many processors this process may use, which may be fewer than the machine has (`taskset`, containers).
enum ProcessorCount {
    /// One, where the system does not say.
    ///
    /// Swift sees no `sched_getaffinity`, which would say the same.
    static var available: Int {
        guard let file = fopen("/proc/self/status", "re") else { return 1 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 4096)
        while fgets(&line, CInt(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if let count = count(inStatusLine: text) { return max(1, count) }
        }
        return 1
    }

    /// The processors in a line like `Cpus_allowed:	f,00000003`; `nil` for any other.
    static func count(inStatusLine line: String) -> Int? {
        let name = "Cpus_allowed:"
        guard line.hasPrefix(name) else { return nil }
        return line.dropFirst(name.count).reduce(0) { $0 + ($1.hexDigitValue?.nonzeroBitCount ?? 0) }
    }
}

import Glibc

/// The environment variables that this program reads.
enum ProcessEnvironment {
    private static let names = [
        "FASTCTL_COLLECTION", "FASTCTL_CONTEXT", "FASTCTL_PAGER", "FASTCTL_RULES", "FASTCTL_TARGET", "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_STATE_HOME",
        "HOME",
        "COLUMNS", "PAGER", "TERM", "NO_COLOR",
        "CLICOLOR_FORCE", "FORCE_COLOR", "LC_ALL", "LC_CTYPE", "LANG", "GITHUB_ACTIONS", "TF_BUILD",
        "TEAMCITY_VERSION", "CI", "GITLAB_CI",
    ]

    /// Variables whose value is a secret; all that is known here is whether there is one.
    private static let secretNames = ["FASTCTL_CREDENTIALS"]

    static var values: [String: String] {
        var values: [String: String] = [:]
        for name in secretNames where getenv(name).map({ $0.pointee != 0 }) ?? false { values[name] = "secret" }
        for name in names { values[name] = getenv(name).flatMap { String(validatingCString: $0) } }
        return values
    }

    /// The width of lines meant for people.
    static var width: Int {
        let output = FileDescriptor.standardOutput
        return min(columns ?? output.terminalWidth ?? FileDescriptor.standardError.terminalWidth ?? 80, 120)
    }

    /// The width that the user asks for, which comes before the terminal's own, as in git and ls.
    static var columns: Int? { values["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } }

    /// The folder that relative paths begin at.
    static var currentFolder: String {
        guard let path = getcwd(nil, 0) else { return "." }
        defer { free(path) }
        return String(cString: path)
    }

    /// The folder for what is kept from one command to the next; `nil` if the environment names none.
    static var stateFolder: String? {
        let environment = values
        let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        guard let base = state ?? environment["HOME"].map({ $0 + "/.local/state" }), base.hasPrefix("/") else {
            return nil
        }
        return base + "/fastctl"
    }

    static func absolutePath(of path: String) -> String { path.hasPrefix("/") ? path : currentFolder + "/" + path }

    /// The current time, counted from 1970.
    static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

/// The number of processors this process may use, which may be fewer than the machine has (`taskset`, containers).
enum ProcessorCount {
    /// The number, or 1 if the system does not report it.
    ///
    /// Swift does not see `sched_getaffinity`, which would report the same.
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

    /// Returns the number of processors in a line such as `Cpus_allowed:	f,00000003`; `nil` for any other.
    static func count(inStatusLine line: String) -> Int? {
        let name = "Cpus_allowed:"
        guard line.hasPrefix(name) else { return nil }
        return line.dropFirst(name.count).reduce(0) { $0 + ($1.hexDigitValue?.nonzeroBitCount ?? 0) }
    }
}

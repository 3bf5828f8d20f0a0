public import Foundation
import Glibc
import Synchronization

/// A program that runs alongside the tests.
///
/// Foundation's `Process` is not used: it lists the open files of the tests and crashes if there are more than 1,300,
/// and it keeps files of programs that have ended.
public final class ChildProgram: Sendable {
    /// The process ID.
    public let process: Int32
    /// The status that the system reported when the process was reaped.
    private let ending: Mutex<Int32?> = Mutex(nil)

    /// Starts a program, a path or a name to be looked up in the `PATH` of the tests; only the three files are open in
    /// it, and no signal is blocked or ignored.
    public init(
        _ program: String,
        _ arguments: [String] = [],
        in folder: String? = nil,
        environment: [String: String]? = nil,
        input: Int32? = nil,
        output: Int32? = nil,
        errors: Int32? = nil
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        // The copies are above the three descriptors, so none of them is overwritten before it is copied.
        var copies: [Int32] = []
        defer { for copy in copies { close(copy) } }
        for (number, file) in [input, output, errors].enumerated() {
            let copy = fcntl(file ?? null, F_DUPFD_CLOEXEC, 3)
            // Otherwise, the program would inherit the file of the tests.
            guard copy >= 0 else { throw NotStarted(program, "file \(number): \(String(cString: strerror(errno)))") }
            copies.append(copy)
            posix_spawn_file_actions_adddup2(&actions, copy, Int32(number))
        }
        guard GNU.closeFrom(3, &actions), folder.map({ GNU.changeFolder($0, &actions) }) ?? true else {
            throw NotStarted(program, "the system's C library is too old")
        }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        // Some tests ignore SIGPIPE, and a shell can't undo that.
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        // A separate process group, so that the programs that it started end with it.
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        posix_spawnattr_setflags(&attributes, Int16(flags))

        let variables = (environment ?? ProcessInfo.processInfo.environment).map { "\($0)=\($1)" }
        let words = ([program] + arguments).map { strdup($0) } + [nil]
        let settings = variables.map { strdup($0) } + [nil]
        defer { for text in words + settings { free(text) } }
        var number: Int32 = 0
        let code = posix_spawnp(&number, program, &actions, &attributes, words, settings)
        guard code == 0 else { throw NotStarted(program, String(cString: strerror(code))) }
        process = number
    }

    deinit {
        guard status == nil else { return }
        kill(-process, SIGKILL)
        _ = wait()
    }

    /// The exit code once the program has ended; 128 plus the signal's number if a signal ended it.
    ///
    /// This blocks while another thread is in ``wait()``.
    public var status: Int32? { collect(WNOHANG) }

    /// Waits for the program to end; returns the exit code, or 128 plus the signal's number if a signal ended it.
    public func wait() -> Int32 { collect(0) ?? -1 }

    private func collect(_ options: Int32) -> Int32? {
        ending.withLock { ending in
            if let ending { return ending }
            var word: Int32 = 0
            var collected: Int32
            repeat { collected = waitpid(process, &word, options) } while collected == -1 && errno == EINTR
            guard collected == process else { return nil }
            let signal = word & 0x7F
            ending = signal == 0 ? word >> 8 & 0xFF : 128 + signal
            return ending
        }
    }

    private struct NotStarted: Error, CustomStringConvertible {
        let program: String
        let reason: String
        var description: String { "\(program) did not start: \(reason)" }

        init(_ program: String, _ reason: String) { (self.program, self.reason) = (program, reason) }
    }
}

/// GNU's additions to POSIX, looked up by name, because the headers declare them only for C code that requests them.
private enum GNU {
    private typealias Actions = UnsafeMutablePointer<posix_spawn_file_actions_t>

    static func closeFrom(_ first: Int32, _ actions: inout posix_spawn_file_actions_t) -> Bool {
        guard let name = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") else { return false }
        let function = unsafeBitCast(name, to: (@convention(c) (Actions, Int32) -> Int32).self)
        return function(&actions, first) == 0
    }

    static func changeFolder(_ folder: String, _ actions: inout posix_spawn_file_actions_t) -> Bool {
        guard let name = dlsym(nil, "posix_spawn_file_actions_addchdir_np") else { return false }
        let function = unsafeBitCast(name, to: (@convention(c) (Actions, UnsafePointer<CChar>) -> Int32).self)
        return function(&actions, folder) == 0
    }
}

extension ChildProgram {
    /// The command under test: `FASTCTL_BINARY`, or the one that is built with the tests; `nil` if there is neither.
    ///
    /// `make check` sets the variable to the release build, which users get.
    public static let fastctl: URL? = {
        if let path = ProcessInfo.processInfo.environment["FASTCTL_BINARY"], !path.isEmpty {
            let binary = URL(filePath: path).standardizedFileURL.resolvingSymlinksInPath()
            // Otherwise, all of its tests would be skipped, and a release would count as tested.
            guard FileManager.default.isExecutableFile(atPath: binary.path), binary.lastPathComponent == "fastctl"
            else {
                fatalError("FASTCTL_BINARY is no program named fastctl: \(path)")
            }
            return binary
        }
        let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        let binary = tests.deletingLastPathComponent().appending(path: "fastctl")
        return FileManager.default.isExecutableFile(atPath: binary.path) ? binary : nil
    }()

    /// A program's exit code and output.
    public struct Result: Sendable {
        /// The exit code; 128 plus the signal's number if a signal ended it.
        public let status: Int32
        /// The standard output.
        public let output: String
        /// The standard error.
        public let errors: String
    }

    /// Runs a program with `input` as its standard input until it ends.
    public static func run(
        _ program: String,
        _ arguments: [String] = [],
        in folder: String? = nil,
        environment: [String: String]? = nil,
        input: String = ""
    ) throws -> Result {
        let (given, output, errors) = try (UnnamedFile(input), UnnamedFile(), UnnamedFile())
        let child = try ChildProgram(
            program,
            arguments,
            in: folder,
            environment: environment,
            input: given.number,
            output: output.number,
            errors: errors.number
        )
        return try Result(status: child.wait(), output: output.text(), errors: errors.text())
    }
}

/// An unnamed file, so that neither side has to wait for the other, as with a pipe.
private final class UnnamedFile {
    private let file: UnsafeMutablePointer<FILE>

    init(_ text: String = "") throws {
        guard let file = tmpfile() else { throw CocoaError(.fileWriteUnknown) }
        self.file = file
        guard !text.isEmpty else { return }
        try handle.write(contentsOf: Data(text.utf8))
        lseek(number, 0, SEEK_SET)
    }

    deinit { fclose(file) }

    var number: Int32 { fileno(file) }

    private var handle: FileHandle { FileHandle(fileDescriptor: number, closeOnDealloc: false) }

    func text() throws -> String {
        lseek(number, 0, SEEK_SET)
        return String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
    }
}

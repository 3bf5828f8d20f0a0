import Foundation
import Glibc
import Synchronization

/// A program that runs beside the tests.
///
/// Not Foundation's `Process`: it lists the open files of the tests and crashes when there are more than 1,300, and it keeps
/// files of programs that have ended.
public final class ChildProgram: Sendable {
    /// The number of the process.
    public let process: Int32
    /// What the system said when the process was collected.
    private let ending: Mutex<Int32?> = Mutex(nil)

    /// Starts a program, a path or a name to be looked up in `PATH`; the three files are all that it has open.
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
        // Above the three, so that none of them is overwritten before it is copied.
        var copies: [Int32] = []
        defer { for copy in copies { close(copy) } }
        for (number, file) in [input, output, errors].enumerated() {
            copies.append(fcntl(file ?? null, F_DUPFD_CLOEXEC, 3))
            posix_spawn_file_actions_adddup2(&actions, copies[number], Int32(number))
        }
        GNU.closeFrom(3, &actions)
        if let folder { GNU.changeFolder(folder, &actions) }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))

        let variables = (environment ?? ProcessInfo.processInfo.environment).map { "\($0)=\($1)" }
        let words = ([program] + arguments).map { strdup($0) } + [nil]
        let settings = variables.map { strdup($0) } + [nil]
        defer { for text in words + settings { free(text) } }
        var number: Int32 = 0
        let code = posix_spawnp(&number, program, &actions, &attributes, words, settings)
        guard code == 0 else { throw NotStarted(program: program, reason: String(cString: strerror(code))) }
        process = number
    }

    deinit {
        guard status == nil else { return }
        kill(process, SIGKILL)
        _ = wait()
    }

    /// The exit code when it has ended; 128 more than a signal's number if that ended it.
    public var status: Int32? { collect(WNOHANG) }

    /// Waits for its end; the exit code, or 128 more than a signal's number if that ended it.
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
    }
}

/// What GNU adds to POSIX, by name: its headers show it only to C that asks for it.
private enum GNU {
    private typealias Actions = UnsafeMutablePointer<posix_spawn_file_actions_t>

    static func closeFrom(_ first: Int32, _ actions: inout posix_spawn_file_actions_t) {
        let name = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np")
        _ = unsafeBitCast(name, to: (@convention(c) (Actions, Int32) -> Int32).self)(&actions, first)
    }

    static func changeFolder(_ folder: String, _ actions: inout posix_spawn_file_actions_t) {
        let name = dlsym(nil, "posix_spawn_file_actions_addchdir_np")
        _ = unsafeBitCast(name, to: (@convention(c) (Actions, UnsafePointer<CChar>) -> Int32).self)(&actions, folder)
    }
}

extension ChildProgram {
    /// How a program ended, and what it printed.
    public struct Result: Sendable {
        /// The exit code; 128 more than a signal's number if that ended it.
        public let status: Int32
        /// What it printed.
        public let output: String
        /// What it said of errors.
        public let errors: String
    }

    /// Runs a program, which reads `input`, to its end.
    public static func run(
        _ program: String,
        _ arguments: [String] = [],
        in folder: String? = nil,
        environment: [String: String]? = nil,
        input: String = ""
    ) throws -> Result {
        let (given, output, errors) = (UnnamedFile(input), UnnamedFile(), UnnamedFile())
        let child = try ChildProgram(
            program,
            arguments,
            in: folder,
            environment: environment,
            input: given.number,
            output: output.number,
            errors: errors.number
        )
        return Result(status: child.wait(), output: output.text, errors: errors.text)
    }
}

/// A file without a name, so that neither side waits for the other as at a pipe.
private final class UnnamedFile {
    private let file = tmpfile()

    init(_ text: String = "") {
        guard !text.isEmpty else { return }
        try? handle.write(contentsOf: Data(text.utf8))
        lseek(number, 0, SEEK_SET)
    }

    deinit { if let file { fclose(file) } }

    var number: Int32 { file.map { fileno($0) } ?? -1 }

    private var handle: FileHandle { FileHandle(fileDescriptor: number, closeOnDealloc: false) }

    var text: String {
        lseek(number, 0, SEEK_SET)
        return String(decoding: (try? handle.readToEnd()) ?? Data(), as: UTF8.self)
    }
}

import Foundation
import Glibc
import TestSupport
import Testing
import Threads

/// The binary while it runs in a separate folder: its open files, its messages, and its end after a signal.
final class RunningCommand {
    /// The other end of a standard stream.
    enum Stream {
        case nothing
        /// A pipe whose other end is held by the test, which neither writes nor reads.
        case silentPipe
        /// The same pipe as for standard output.
        case standardOutput
        /// A file in the command's folder.
        case file(String)
        /// The command's own terminal.
        case terminal(Int32)
    }

    /// The exit status of a command, and the time of its end.
    struct End {
        let status: Int32
        /// The time from the signal to the end.
        let duration: Duration
    }

    let folder: TemporaryFolder
    private let program: ChildProgram
    /// The ends of silent pipes that are held by the test.
    private let pipes: [Int32]

    init(
        _ words: [String],
        in folder: TemporaryFolder,
        input: Stream = .nothing,
        output: Stream = .nothing,
        errors: Stream = .file("errors"),
        through shell: String? = nil
    ) throws {
        self.folder = folder
        let binary = try #require(ChildProgram.fastctl).path
        let ends = try [
            StreamEnds(input, isRead: true, in: folder), StreamEnds(output, isRead: false, in: folder),
            StreamEnds(errors, isRead: false, in: folder),
        ]
        defer { for case let file? in ends.map(\.opened) { close(file) } }
        pipes = ends.compactMap(\.held)
        let sharesOutput = if case .standardOutput = errors { true } else { false }
        program = try ChildProgram(
            shell == nil ? binary : "/bin/sh",
            shell.map { ["-c", $0, binary] + words } ?? words,
            in: URL(filePath: folder.path("")).standardizedFileURL.path,
            environment: Self.environment(folder),
            input: ends[0].given,
            output: ends[1].given,
            errors: ends[sharesOutput ? 1 : 2].given
        )
    }

    deinit { for pipe in pipes { close(pipe) } }

    static func environment(_ folder: TemporaryFolder) -> [String: String] {
        [
            "PATH": "/usr/bin:/bin", "HOME": folder.path(""), "LC_ALL": "C.UTF-8", "TERM": "dumb",
            "XDG_DATA_HOME": folder.path("data"),
        ]
    }

    /// Returns the content that the command has written to a file in its folder.
    func text(_ name: String) -> String { (try? String(contentsOfFile: folder.path(name), encoding: .utf8)) ?? "" }

    /// Returns once the command has reached its wait; fails if the command ends instead.
    ///
    /// A separate thread polls, because the command has its own limits, and the tests' threads may be busy.
    func reach(_ isThere: @escaping @Sendable (CommandProbe) -> Bool) async throws {
        let probe = CommandProbe(process: program.process, folder: folder, pipe: pipes.first)
        let isReached = await onOwnThread {
            while probe.isRunning {
                if isThere(probe) { return true }
                usleep(1_000)
            }
            return false
        }
        try #require(isReached, "it ended: \(text("errors"))")
    }

    func send(_ signal: Int32) { kill(program.process, signal) }

    /// Sends the signal, and returns the end of the command.
    func end(by signal: Int32) async throws -> End {
        let probe = CommandProbe(process: program.process, folder: folder, pipe: nil)
        let duration = await onOwnThread {
            let start = ContinuousClock.now
            kill(probe.process, signal)
            while probe.isRunning { usleep(1_000) }
            return ContinuousClock.now - start
        }
        return End(status: try await status(), duration: duration)
    }

    /// Returns the exit code once the command has ended; 128 plus the signal's number if a signal ended it.
    func status() async throws -> Int32 {
        while true {
            if let status = program.status { return status }
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}

/// The files behind one standard stream.
private struct StreamEnds {
    /// The file that the command receives; `nil` for none.
    var given: Int32?
    /// The file that stays open only until the command has inherited it.
    var opened: Int32?
    /// The end of a pipe that is held by the test.
    var held: Int32?

    init(_ stream: RunningCommand.Stream, isRead: Bool, in folder: TemporaryFolder) throws {
        switch stream {
        case .nothing, .standardOutput: break
        case .silentPipe:
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            (given, held) = isRead ? (ends[0], ends[1]) : (ends[1], ends[0])
            opened = given
        case .file(let name):
            let way = isRead ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC
            given = open(folder.path(name), way | O_CLOEXEC, 0o600)
            opened = given
        case .terminal(let number): given = number
        }
    }
}

/// The properties of a running command that are visible from outside.
struct CommandProbe: Sendable {
    let process: Int32
    let folder: TemporaryFolder
    /// The end of its first silent pipe that is held by the test.
    let pipe: Int32?

    /// Whether the command is still running.
    var isRunning: Bool {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
        return status.split(separator: ") ").last?.hasPrefix("Z") == false
    }

    /// Whether its standard input has been opened a second time, which means that it is about to be read.
    var readsInput: Bool { descriptors.filter { $0 == target(of: 0) }.count > 1 }

    /// Returns whether the command has the file open.
    func holds(_ name: String) -> Bool { descriptors.contains(folder.path(name)) }

    /// Returns whether the command has written a file in its folder.
    func hasWritten(_ name: String) -> Bool {
        ((try? String(contentsOfFile: folder.path(name), encoding: .utf8)) ?? "").isEmpty == false
    }

    /// Whether the pipe, which is never read from, is full.
    var hasFilledItsPipe: Bool {
        var count: Int32 = 0
        return pipe.map { ioctl($0, UInt(FIONREAD), &count) == 0 && count >= 65_536 } ?? false
    }

    private var descriptors: [String] { OpenFiles.all(of: "\(process)").map(\.path) }

    private func target(of number: Int32) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/\(number)")
    }
}

import Foundation
import Glibc
import TestSupport
import Testing
import Threads

/// The binary while it runs, in a folder of its own: what it has open, what it says, and how a signal ends it.
final class RunningCommand {
    /// Where a standard stream leads.
    enum Stream {
        case nothing
        /// A pipe whose other end the test holds, and neither writes nor reads.
        case silentPipe
        /// The same pipe as standard output's.
        case standardOutput
        /// A file in the command's folder.
        case file(String)
        /// The command's own terminal.
        case terminal(Int32)
    }

    /// How a command ended, and when.
    struct End {
        let status: Int32
        /// From the signal to the end.
        let duration: Duration
    }

    let folder: TemporaryFolder
    private let process = Process()
    /// The ends of silent pipes that the test holds.
    private var pipes: [Pipe] = []

    init(
        _ words: [String],
        in folder: TemporaryFolder,
        input: Stream = .nothing,
        output: Stream = .nothing,
        errors: Stream = .file("errors"),
        through shell: String? = nil
    ) throws {
        self.folder = folder
        let binary = try #require(GoldenCase.binary).path
        process.executableURL = URL(filePath: shell == nil ? binary : "/bin/sh")
        process.arguments = shell.map { ["-c", $0, binary] + words } ?? words
        process.currentDirectoryURL = URL(filePath: folder.path("")).standardizedFileURL
        process.environment = Self.environment(folder)
        process.standardInput = try place(input, isRead: true)
        let place = try place(output, isRead: false)
        process.standardOutput = place
        if case .standardOutput = errors {
            process.standardError = place
        } else {
            process.standardError = try self.place(errors, isRead: false)
        }
        try process.run()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    static func environment(_ folder: TemporaryFolder) -> [String: String] {
        [
            "PATH": "/usr/bin:/bin", "HOME": folder.path(""), "LC_ALL": "C.UTF-8", "TERM": "dumb",
            "XDG_DATA_HOME": folder.path("data"),
        ]
    }

    private func place(_ stream: Stream, isRead: Bool) throws -> Any {
        switch stream {
        case .nothing, .standardOutput: return FileHandle.nullDevice
        case .silentPipe:
            let pipe = Pipe()
            pipes.append(pipe)
            return pipe
        case .file(let name):
            let path = folder.path(name)
            if !isRead { _ = FileManager.default.createFile(atPath: path, contents: nil) }
            return try #require(isRead ? FileHandle(forReadingAtPath: path) : FileHandle(forWritingAtPath: path))
        case .terminal(let number): return FileHandle(fileDescriptor: number, closeOnDealloc: false)
        }
    }

    /// What the command has written to a file in its folder.
    func text(_ name: String) -> String { (try? String(contentsOfFile: folder.path(name), encoding: .utf8)) ?? "" }

    /// Returns when the command has come to its wait; fails if it ends instead.
    ///
    /// A thread looks, because the command has limits of its own, and the tests' own threads may be busy.
    func reach(_ isThere: @escaping @Sendable (CommandProbe) -> Bool) async throws {
        let probe = CommandProbe(
            process: process.processIdentifier,
            folder: folder,
            pipe: pipes.first?.fileHandleForReading.fileDescriptor
        )
        let isReached = await onOwnThread {
            while probe.isRunning {
                if isThere(probe) { return true }
                usleep(1_000)
            }
            return false
        }
        try #require(isReached, "it ended: \(text("errors"))")
    }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Sends the signal and returns how the command ended.
    func end(by signal: Int32) async throws -> End {
        let probe = CommandProbe(process: process.processIdentifier, folder: folder, pipe: nil)
        let duration = await onOwnThread {
            let start = ContinuousClock.now
            kill(probe.process, signal)
            while probe.isRunning { usleep(1_000) }
            return ContinuousClock.now - start
        }
        return End(status: try await status(), duration: duration)
    }

    /// Returns the exit code when the command has ended; 128 more than a signal's number if that ended it.
    func status() async throws -> Int32 {
        while process.isRunning { try await Task.sleep(for: .milliseconds(2)) }
        return process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
    }
}

/// What can be seen of a running command from outside.
struct CommandProbe: Sendable {
    let process: Int32
    let folder: TemporaryFolder
    /// The end of its first silent pipe that the test holds.
    let pipe: Int32?

    /// Whether it has not ended, collected or not.
    var isRunning: Bool {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
        return status.split(separator: ") ").last?.hasPrefix("Z") == false
    }

    /// Whether its standard input is open a second time: it is about to be read.
    var readsInput: Bool { descriptors.filter { $0 == target(of: 0) }.count > 1 }

    /// Whether it has the file open.
    func holds(_ name: String) -> Bool { descriptors.contains(folder.path(name)) }

    /// Whether it has written a file in its folder.
    func hasWritten(_ name: String) -> Bool {
        ((try? String(contentsOfFile: folder.path(name), encoding: .utf8)) ?? "").isEmpty == false
    }

    /// Whether the pipe is full, as long as nobody reads it.
    var hasFilledItsPipe: Bool {
        var count: Int32 = 0
        return pipe.map { ioctl($0, UInt(FIONREAD), &count) == 0 && count >= 65_536 } ?? false
    }

    private var descriptors: [String] { OpenFiles.all(of: "\(process)").map(\.path) }

    private func target(of number: Int32) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/\(number)")
    }
}

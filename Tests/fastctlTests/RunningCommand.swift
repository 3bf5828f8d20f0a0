import Foundation
import Glibc
import TestSupport
import Testing

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

    var isRunning: Bool { process.isRunning }

    /// What the command has written to a file in its folder.
    func text(_ name: String) -> String { (try? String(contentsOfFile: folder.path(name), encoding: .utf8)) ?? "" }

    /// Whether its standard input is open a second time: it is about to be read.
    var readsInput: Bool { descriptors.filter { $0 == target(of: 0) }.count > 1 }

    /// Whether it has the file open.
    func holds(_ name: String) -> Bool { descriptors.contains(folder.path(name)) }

    /// Whether the first silent pipe is full, as long as nobody reads it.
    var hasFilledItsPipe: Bool {
        guard let end = pipes.first?.fileHandleForReading.fileDescriptor else { return false }
        var count: Int32 = 0
        return ioctl(end, UInt(FIONREAD), &count) == 0 && count >= 65_536
    }

    private var descriptors: [String] {
        let folder = "/proc/\(process.processIdentifier)/fd"
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).compactMap { target(of: $0) }
    }

    private func target(of number: some CustomStringConvertible) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process.processIdentifier)/fd/\(number)")
    }

    /// Returns when the command has come to its wait; fails if it ends instead.
    func reach(_ isThere: (RunningCommand) -> Bool) async throws {
        while !isThere(self) {
            try #require(isRunning, "it ended: \(text("errors"))")
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Sends the signal and returns how the command ended.
    func end(by signal: Int32) async throws -> End {
        let start = ContinuousClock.now
        send(signal)
        return End(status: try await status(), duration: .now - start)
    }

    /// Returns the exit code when the command has ended; 128 more than a signal's number if that ended it.
    func status() async throws -> Int32 {
        while process.isRunning { try await Task.sleep(for: .milliseconds(2)) }
        return process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
    }
}

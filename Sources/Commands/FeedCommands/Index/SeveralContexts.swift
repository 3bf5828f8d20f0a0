package import ArgumentParsing
import CommandKit
import Files
import Glibc
import TextKit

/// A command that can run for several contexts, one after the other.
protocol ContextCommand: Command {
    /// Whether it reads its input from standard input.
    var readsStandardInput: Bool { get }
}

extension Remove: ContextCommand {
    var readsStandardInput: Bool {
        input.readsStandardInput(with: ids) && !selection.isGiven && !source.isGiven
    }
}

extension Add: ContextCommand {
    var readsStandardInput: Bool { files.contains("-") || files.isEmpty && !source.isGiven }
}

extension Update: ContextCommand {
    var readsStandardInput: Bool { files.contains("-") || files.isEmpty }
}

extension Get: ContextCommand {
    var readsStandardInput: Bool { input.readsStandardInput(with: ids) }
}

extension Exists: ContextCommand {
    var readsStandardInput: Bool { input.readsStandardInput(with: ids) }
}

extension Find: ContextCommand {
    var readsStandardInput: Bool { false }
}

extension IDOptions {
    /// Whether IDs come from standard input, perhaps in addition to arguments.
    fileprivate func readsStandardInput(with ids: [String]) -> Bool {
        ids.contains("-") || files.contains("-") || ids.isEmpty && files.isEmpty
    }
}

/// A command line for several contexts, such as `--context a,b`.
///
/// The command runs for each of them in a process of its own, because each run has its own jobs, locks and end. All of
/// them read the same input.
package struct SeveralContexts {
    private let words: CommandLineWords
    private let names: [String]
    private let command: any ContextCommand

    /// Reads a command line; `nil` if it does not name several contexts.
    package init?(_ words: [String], of program: Program, environment: [String: String]) throws {
        self.words = CommandLineWords(words)
        guard let value = self.words.value(of: "--context"), value.contains(","),
            let command = try? program.command(for: words, environment: environment)
        else { return nil }
        names = value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard Set(names).count == names.count, !names.contains("") else {
            throw ArgumentError("--context \(value) needs the names of different contexts, separated by commas")
        }
        guard let command = command as? any ContextCommand else {
            throw ArgumentError("this command needs one context, not \(names.count): --context \(names[0])")
        }
        self.command = command
    }

    /// Runs the command for each context, and returns the exit code that takes precedence.
    package func run() throws -> ExitCode {
        let input = command.readsStandardInput ? try SharedInput() : nil
        var ends: [ExitStatus?] = []
        var interruption: ExitStatus?
        for name in names where interruption == nil {
            StandardError.say("\(name):")
            let end = try run(for: name, input)
            let status = end.code.flatMap(ExitStatus.init(rawValue:))
            ends.append(status)
            interruption = end.interruption ?? status.flatMap { [.interrupted, .terminated].contains($0) ? $0 : nil }
        }
        for (index, name) in names.enumerated() {
            let end = index < ends.count ? ends[index] : nil
            StandardError.say(index < ends.count ? "\(name): \(Self.words(for: end))" : "\(name): not begun")
        }
        let left = ends.count < names.count ? [interruption ?? .incomplete] : []
        return ExitCode(ExitStatus.first(of: ends.map { $0 ?? .terminated } + left))
    }

    private static func words(for end: ExitStatus?) -> String {
        guard let end else { return "ended without an exit code of its own" }
        return end == .done ? "done" : "exit code \(end.rawValue)"
    }

    // MARK: Processes

    /// The options for files that a run writes; each run writes its own.
    private static let files = ["--backup", "--report", "--failed"]

    /// Returns the command line for one context.
    private func words(for name: String) -> [String] {
        var line = words.setting("--context", to: name)
        for option in Self.files {
            guard let path = line.value(of: option), path != "-" else { continue }
            line = line.setting(option, to: Self.path(path, for: name))
        }
        return line.words
    }

    /// Returns the path of one context's file: `removed.a.jsonl` for `removed.jsonl`.
    package static func path(_ path: String, for name: String) -> String {
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        let file = path.dropFirst(folder.count)
        guard let dot = file.firstIndex(of: "."), dot > file.startIndex else { return "\(path).\(name)" }
        return "\(folder)\(file[..<dot]).\(name)\(file[dot...])"
    }

    /// Runs the command for one context.
    private func run(for name: String, _ input: SharedInput?) throws -> CommandProcess.Ending {
        try CommandProcess.run(words(for: name), input: input?.rewound() ?? STDIN_FILENO)
    }
}

/// Standard input that several processes read from its beginning, one after the other.
private final class SharedInput {
    private let descriptor: Int32
    private let start: off_t

    /// Uses the file on standard input, or stores what a pipe delivers in a file without a name.
    init() throws {
        let start = lseek(STDIN_FILENO, 0, SEEK_CUR)
        guard start < 0 else {
            (descriptor, self.start) = (STDIN_FILENO, start)
            return
        }
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(folder)/fastctl-input-XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        self.start = 0
        guard descriptor >= 0 else { throw Self.failure("cannot store the input in '\(folder)'") }
        // The processes inherit the descriptor, so the file needs no name.
        unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.failure("cannot read standard input") }
            if count == 0 { return }
            var written = 0
            while written < count {
                let step = bytes[written..<count].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                guard step > 0 || errno == EINTR else { throw Self.failure("cannot store the input in '\(folder)'") }
                written += max(step, 0)
            }
        }
    }

    /// Returns the descriptor, at the beginning of the input.
    func rewound() throws -> Int32 {
        guard lseek(descriptor, start, SEEK_SET) >= 0 else { throw Self.failure("cannot read the input again") }
        return descriptor
    }

    private static func failure(_ words: String) -> Failure {
        Failure(.inputOutput, "\(words): \(String(cString: strerror(errno)))", advice: "use a file as the input")
    }

    deinit { if descriptor != STDIN_FILENO, descriptor >= 0 { close(descriptor) } }
}

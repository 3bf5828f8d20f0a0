@preconcurrency import Glibc

extension Program {
    /// Runs what this process's command line names, in this process's environment.
    public func run(terminal: Terminal) async throws -> ExitCode {
        do {
            return try await run(Self.readWords(), environment: readEnvironment(), terminal: terminal)
        } catch let error as ArgumentError {
            return report(error.description, of: CommandPath(self), on: terminal)
        }
    }

    /// The words of this process's command line, without the program's name.
    ///
    /// `CommandLine.arguments` repairs what is not UTF-8 and so names something else; here that is an error, which names
    /// the place of the word.
    public static func readWords() throws(ArgumentError) -> [String] {
        var words: [String] = []
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let start = CommandLine.unsafeArgv[index] else { break }
            words.append(try word(bytes(from: start), at: index))
        }
        return words
    }

    /// The word that `bytes` spell; `position` counts from 1.
    static func word(_ bytes: [UInt8], at position: Int) throws(ArgumentError) -> String {
        if let word = String(validating: bytes, as: UTF8.self) { return word }
        throw ArgumentError(
            "argument \(position) is not UTF-8: '\(visible(bytes))'",
            advice: "Convert it, or give it in a file"
        )
    }

    /// This process's environment.
    ///
    /// A variable that is not UTF-8 is an error where an option reads it, because leaving it out would mean something
    /// else; all others are left out.
    public func readEnvironment() throws(ArgumentError) -> [String: String] {
        var entries: [[UInt8]] = []
        var next = environ
        while let start = next.pointee {
            entries.append(Self.bytes(from: start))
            next += 1
        }
        return try environment(of: entries)
    }

    /// The variables that `entries` of the form `NAME=value` set.
    func environment(of entries: [[UInt8]]) throws(ArgumentError) -> [String: String] {
        let declared = Set(
            CommandPath(self).visibleTree.flatMap(\.table.declarations.all).compactMap(\.definition.environmentName)
        )
        var environment: [String: String] = [:]
        for entry in entries {
            let halves = entry.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2, let name = String(validating: halves[0], as: UTF8.self) else { continue }
            if let value = String(validating: halves[1], as: UTF8.self) {
                environment[name] = value
            } else if declared.contains(name) {
                throw ArgumentError("the environment variable \(name) is not UTF-8: '\(Self.visible(halves[1]))'")
            }
        }
        return environment
    }

    private static func bytes(from start: UnsafePointer<CChar>) -> [UInt8] {
        UnsafeBufferPointer(start: start, count: strlen(start)).map { UInt8(bitPattern: $0) }
    }

    private static func visible(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { byte in
            (0x20...0x7E).contains(byte)
                ? String(UnicodeScalar(byte)) : "\\x" + String(byte, radix: 16, uppercase: true)
        }
        .joined()
    }
}

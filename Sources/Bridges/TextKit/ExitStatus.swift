// MARK: Exit codes and failures

/// The exit codes of all commands of the program.
public enum ExitStatus: Int32, Hashable, Sendable, CaseIterable {
    case done = 0
    case documentsFailed = 1
    case refused = 3
    case notEvaluated = 4
    case usage = 64
    case inputRejected = 65
    case inputNotOpened = 66
    case targetUnusable = 69
    case unbalanced = 70
    case exhausted = 71
    case outputNotCreated = 73
    case inputOutput = 74
    case incomplete = 75
    case permission = 77
    case configuration = 78
    case interrupted = 130
    case terminated = 143

    /// The statuses in order of precedence: if several apply, the first of them is used.
    ///
    /// A status that stops a command before it begins never occurs together with another.
    public static let precedence: [ExitStatus] = [
        .usage, .inputNotOpened, .refused,
        .unbalanced, .exhausted, .inputOutput, .outputNotCreated, .permission, .configuration, .targetUnusable,
        .terminated, .interrupted, .incomplete, .inputRejected, .documentsFailed, .notEvaluated, .done,
    ]

    /// Returns the status that takes precedence; `done` if there are none.
    public static func first(of several: some Collection<ExitStatus>) -> ExitStatus {
        precedence.first { several.contains($0) } ?? .done
    }

    /// The meaning of the exit code, as listed in the manual.
    public var meaning: String {
        switch self {
        case .done: "Done, with nothing to report; also used if there was nothing to do."
        case .documentsFailed:
            "Done, but some documents failed, findings are at or above --fail-on, a condition of --fail-if holds, or a source and its collection differ."
        case .refused: "Refused by a guard before anything was sent."
        case .notEvaluated: "Analyzed, but not everything could be evaluated."
        case .usage: "The command line is wrong. Nothing was sent."
        case .inputRejected: "Some of the input was rejected; the rest was done."
        case .inputNotOpened: "An input cannot be opened. Nothing was sent."
        case .targetUnusable:
            "The target or a source is unusable: unreachable, not a database, not this engine, incomplete."
        case .unbalanced: "The counts do not balance: a bug in this program."
        case .exhausted: "The system refuses memory, threads or open files."
        case .outputNotCreated: "An output cannot be created."
        case .inputOutput: "Reading or writing failed, or a disk is full."
        case .incomplete:
            "Incomplete; the last line shows how to continue. Also: the store is locked by another process."
        case .permission: "The credentials or permissions do not allow the operation."
        case .configuration:
            "The configuration is wrong: an unknown collection, an invalid name, a store that does not exist."
        case .interrupted: "Interrupted by Ctrl-C, and ended cleanly; the last line shows how to continue."
        case .terminated: "Stopped by a signal, and ended cleanly; the last line shows how to continue."
        }
    }
}

/// An error that has an exit status and advice.
public protocol AdvisedError: Error {
    /// The error in a form for people: the exit status, the cause, and the next step.
    var failure: Failure { get }
}

/// A failure as reported to the user: the exit status, the cause, and the next step.
public struct Failure: AdvisedError, Sendable {
    public let status: ExitStatus
    /// The cause, as a fragment that can follow a program's name.
    public let message: String
    /// The next step; `nil` if there is no advice.
    public let advice: String?

    public init(_ status: ExitStatus, _ message: String, advice: String?) {
        self.status = status
        self.message = message
        self.advice = advice
    }

    /// Creates a failure from any error; an error without its own description is reported as a bug of the program.
    public init(_ error: any Error) {
        switch error {
        case let error as any AdvisedError: self = error.failure
        case is CancellationError: self.init(.interrupted, "interrupted", advice: "run it again")
        default: self.init(.unbalanced, "\(error)", advice: "please report this: it is a bug in this program")
        }
    }

    public var failure: Failure { self }
}

// MARK: Command lines

/// A command line to display and copy, quoted exactly as a shell needs it.
package struct CommandLineWords: Hashable, Sendable, CustomStringConvertible {
    package private(set) var words: [String]

    /// Creates a command line from its words, the program's name first.
    package init(_ words: [String]) { self.words = words }

    /// Returns the value of an option; `nil` if the option is missing.
    package func value(of option: String) -> String? {
        let end = words.firstIndex(of: "--") ?? words.endIndex
        if let index = words[..<end].firstIndex(of: option), index + 1 < words.endIndex { return words[index + 1] }
        return words[..<end].first { $0.hasPrefix(option + "=") }.map { String($0.dropFirst(option.count + 1)) }
    }

    /// Returns the command line with a new value for an option that takes one; a missing option is added.
    package func setting(_ option: String, to value: String) -> Self {
        let end = words.firstIndex(of: "--") ?? words.endIndex
        var copy = self
        if let index = words[..<end].firstIndex(of: option), index + 1 < words.endIndex {
            copy.words[index + 1] = value
        } else if let index = words[..<end].firstIndex(where: { $0.hasPrefix(option + "=") }) {
            copy.words[index] = "\(option)=\(value)"
        } else {
            copy.words.insert(contentsOf: [option, value], at: end)
        }
        return copy
    }

    /// Returns the command line without a flag.
    package func removing(_ flag: String) -> Self {
        let end = words.firstIndex(of: "--") ?? words.endIndex
        var copy = self
        copy.words = words[..<end].filter { $0 != flag } + words[end...]
        return copy
    }

    /// Returns only the program name in a helper's command: its arguments, or a variable assignment before it, may
    /// contain a secret.
    package static func helperName(in command: String) -> Substring {
        command.prefix { !$0.isWhitespace && $0 != "=" }.prefix(shownLength)
    }

    /// Returns a helper's command for display: its name, followed by `…` in place of the rest.
    package static func shownHelper(_ command: String) -> String {
        let name = helperName(in: command)
        return name == command ? command : "\(name) …"
    }

    /// The maximum number of characters to show of a helper's name.
    private static let shownLength = 60

    package var description: String { words.map(Self.quoted).joined(separator: " ") }

    /// Returns a word quoted so that a shell reads it back unchanged.
    package static func quoted(_ word: String) -> String {
        if !word.isEmpty, word.utf8.allSatisfy(isPlain) { return word }
        guard word.unicodeScalars.contains(where: isInvisible) else {
            return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
        }
        return "$'" + word.unicodeScalars.map(escaped).joined() + "'"
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || "_@%+=:,./-".utf8.contains(byte)
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
        default: false
        }
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        if scalar == "'" || scalar == "\\" { return "\\\(scalar)" }
        guard isInvisible(scalar) else { return String(scalar) }
        let (mark, width) = scalar.value < 0x80 ? ("\\x", 2) : ("\\U", 8)
        return mark + scalar.value.padded(to: width, radix: 16)
    }
}

// MARK: Similar names

extension String {
    /// Returns the candidate most similar to this text, if any is similar enough.
    ///
    /// A similar candidate has at most one typo for every three characters of this text, ignoring case. Of two equally
    /// similar candidates, the first in alphabetical order is returned.
    package func nearest(in candidates: some Sequence<String>) -> String? { nearest(in: candidates, within: count / 3) }

    /// Returns the candidate most similar to this text with at most `limit` typos, if any.
    package func nearest(in candidates: some Sequence<String>, within limit: Int) -> String? {
        candidates.map { (text: $0, slips: slips(to: $0)) }
            .filter { $0.slips <= limit }
            .min { ($0.slips, $0.text) < ($1.slips, $1.text) }?
            .text
    }

    /// Returns the number of insertions, removals, replacements and swaps of neighbors that convert this text to
    /// `other`.
    private func slips(to other: String) -> Int {
        let (from, to) = (Array(lowercased()), Array(other.lowercased()))
        var before: [Int] = []
        var row = Array(0...to.count)
        for (index, character) in from.enumerated() {
            var next = [index + 1]
            for column in to.indices {
                var best = row[column] + (character == to[column] ? 0 : 1)
                best = Swift.min(best, row[column + 1] + 1, next[column] + 1)
                if index > 0, column > 0, character == to[column - 1], from[index - 1] == to[column] {
                    best = Swift.min(best, before[column - 1] + 1)
                }
                next.append(best)
            }
            (before, row) = (row, next)
        }
        return row[to.count]
    }
}

extension [UInt8] {
    /// Returns whether one byte is wrong, missing, extra, or swapped with the next one.
    package func isOneSlip(from other: [UInt8]) -> Bool {
        let start = zip(self, other).prefix { $0 == $1 }.count
        let (a, b) = (self[start...], other[start...])
        switch count - other.count {
        case 0:
            if a.dropFirst().elementsEqual(b.dropFirst()) { return true }
            return a.count >= 2 && a[start] == b[start + 1] && a[start + 1] == b[start]
                && a.dropFirst(2).elementsEqual(b.dropFirst(2))
        case 1: return a.dropFirst().elementsEqual(b)
        case -1: return a.elementsEqual(b.dropFirst())
        default: return false
        }
    }
}

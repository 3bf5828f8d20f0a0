import ArgumentParsing
import FailureExplanation
import Glibc
import LogDiagnosis
import ReportRendering
import ULSLog

/// What was pasted into standard input of `explain`.
struct ExplainPaste: Sendable {
    private(set) var bytes: [UInt8] = []
    /// True if there was more than is read.
    private(set) var isCut = false

    /// What was found in it.
    struct Found: Sendable {
        var failures: [ExplainedFailure] = []
        /// The rows that look like failures and are noise, and by which rules.
        var noise = 0
        var noiseRules: [String] = []
    }

    /// The failures that are told unless all are wanted; more of them are a log, and better diagnosed.
    static let maximumFailures = 20
    /// The most lines that are answered one by one, and the longest of them.
    private static let (maximumLines, longestLine) = (1000, 160)

    init() throws {
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(STDIN_FILENO, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                let reason = String(cString: strerror(errno))
                throw CommandFailure(.inputOutput, "cannot read standard input: \(reason)", advice: nil)
            }
            guard count > 0 else { return }
            bytes += piece[..<count]
            guard bytes.count <= ExceptionText.maximumBytes else { break }
        }
        bytes.removeLast(bytes.count - ExceptionText.maximumBytes)
        isCut = true
    }

    /// Explains each line if all are codes or known texts; else each failure of its rows once; else its text as a whole.
    ///
    /// - Parameters:
    ///   - maximum: The failures of rows that are told; the last one says how many are not.
    ///   - noise: Returns the rules about noise, once a row needs them.
    /// - Returns: what was found; of a text in which nothing is known, an empty explanation.
    /// - Throws: any error that `noise` throws.
    func failures(maximum: Int, noise: () throws -> NoiseRules) throws -> Found {
        if let answers = answersByLine() { return Found(failures: answers) }
        var rows = PastedRows(maximum: maximum)
        let reader = LogReader(text: bytes, name: "standard input")
        var failure: (any Error)?
        var rules: NoiseRules?
        _ = try? reader.forEachEvent(in: .files) { event in
            guard failure == nil, !event.text(.eventID).isEmpty else { return }
            rows.count += 1
            let explained = ExplainedFailure(copy event)
            guard explained.isFailure else { return }
            do {
                let known = try rules ?? noise()
                rules = known
                rows.take(explained, noise: known.rule(for: event))
            } catch { failure = error }
        }
        if let failure { throw failure }
        guard rows.found.failures.isEmpty else { return rows.finished }
        var found = rows.found
        let text = String(decoding: bytes, as: UTF8.self)
        let whole = ExplainedFailure(asked: text, explanation: Explanation(of: text))
        // What rows don't tell one by one, they don't tell together; a component alone is no failure.
        let isKnown = found.noise == 0 && !whole.isEmpty && (rows.count == 0 || whole.isFailure)
        found.failures = [isKnown ? whole : .unknownPaste(text)]
        return found
    }

    /// The answers to the lines, if each could as well be an argument and one is known; `nil` for a text.
    private func answersByLine() -> [ExplainedFailure]? {
        let lines = bytes.split { $0 == 0x0A || $0 == 0x0D }.map(\.withoutBlanks).filter { !$0.isEmpty }
        guard lines.count <= Self.maximumLines, lines.allSatisfy({ $0.count <= Self.longestLine }) else { return nil }
        let questions = lines.map { String(decoding: $0, as: UTF8.self) }
        guard questions.allSatisfy(FailureCodes.isQuestion) else { return nil }
        let answers = questions.map { ExplainedFailure(answerTo: $0) }
        return answers.count == 1 || answers.contains { !$0.isEmpty } ? answers : nil
    }
}

extension ArraySlice<UInt8> {
    /// Without white space around it.
    fileprivate var withoutBlanks: ArraySlice<UInt8> {
        let rest = drop { $0 <= 0x20 }
        return rest[..<(rest.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? rest.startIndex)]
    }
}

/// The failures of a paste's rows, each once, in the order of the text.
private struct PastedRows {
    let maximum: Int
    var count = 0
    private(set) var found = ExplainPaste.Found()
    private var places: [String: Int] = [:]
    private var leftOut: Set<String> = []

    init(maximum: Int) { self.maximum = maximum }

    mutating func take(_ failure: ExplainedFailure, noise: Rule?) {
        if let noise {
            found.noise += 1
            let name = "\(noise.id.text) (\(noise.title))"
            if !found.noiseRules.contains(name) { found.noiseRules.append(name) }
        } else if let place = places[failure.identity] {
            found.failures[place].add(failure)
        } else if found.failures.count < maximum {
            places[failure.identity] = found.failures.count
            found.failures.append(failure)
        } else {
            leftOut.insert(failure.identity)
        }
    }

    var finished: ExplainPaste.Found {
        var found = found
        found.failures[found.failures.count - 1].notShown = leftOut.count
        return found
    }
}

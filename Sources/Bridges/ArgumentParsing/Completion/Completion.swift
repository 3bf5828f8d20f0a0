/// What a shell may offer for one word of an unfinished command line.
public struct Completion: Sendable, Equatable {
    /// One word that may stand there, and what it means.
    public struct Candidate: Sendable, Equatable {
        public var word: String
        public var summary: String

        public init(_ word: String, _ summary: String = "") {
            self.word = word
            self.summary = summary
        }
    }

    /// What the shell offers besides the candidates.
    public enum Directive: String, Sendable {
        case words, files, folders
    }

    public var candidates: [Candidate] = []
    public var directive = Directive.words

    /// What may stand at `index` in `words`, which begin after the program's name; the word there may be half-typed.
    public static func candidates(
        root: any Command.Type,
        words: [String],
        index: Int,
        environment: [String: String] = [:]
    ) async -> Completion {
        await candidates(of: Program(root), words: words, index: index, environment: environment)
    }

    static func candidates(
        of program: Program,
        words: [String],
        index: Int,
        environment: [String: String]
    ) async -> Completion {
        let end = min(max(0, index), words.count)
        let reader = CompletionReader(program, words: words.prefix(end))
        let typed = end < words.count ? words[end] : ""
        let context = CompletionContext(prefix: typed, environment: environment, values: reader.values)
        let found = await CompletionFinder(reader: reader, context: context).find(typed)
        // One candidate stands on one line, and a terminal must not obey it.
        let candidates = found.candidates.filter { $0.word.hasScalarPrefix(typed) && $0.word.isPlain }
        return Completion(candidates: candidates, directive: found.directive)
    }
}

extension String {
    /// By scalars, as shells compare.
    fileprivate func hasScalarPrefix(_ prefix: String) -> Bool { unicodeScalars.starts(with: prefix.unicodeScalars) }

    /// Without controls, line ends and tabs among them.
    fileprivate var isPlain: Bool {
        unicodeScalars.allSatisfy { ![.control, .lineSeparator].contains($0.properties.generalCategory) }
    }
}

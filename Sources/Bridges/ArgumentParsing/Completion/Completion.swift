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
        Completion()
    }
}

public import FailureExplanation
public import ULSLog

/// What was asked about, with all that can be said of it.
public struct ExplainedFailure: Sendable {
    /// The row that a failure was first found in.
    public struct Row: Sendable {
        public var event: ULSEvent
        /// The rows of the input that show the same failure, this one included.
        public var count: Int

        public init(_ event: ULSEvent) {
            self.event = event
            count = 1
        }
    }

    /// The code or the text; of a row its message.
    public var asked: String
    /// What was found: certain.
    public var codes: [FailureCode]
    /// What else the text says; `nil` for a code.
    public var explanation: Explanation?
    public var row: Row?
    /// True for a paste as a whole in which nothing is known.
    public private(set) var isUnknownPaste = false
    /// How many more failures of the same paste are not told, for this is the last one that is.
    public var notShown = 0

    /// Creates the explanation of a code: what the tables of all spaces say of it; nothing if they don't know it.
    public init(asked: String, codes: [FailureCode]) {
        self.asked = asked
        self.codes = codes
    }

    /// Creates the explanation of a text.
    public init(asked: String, explanation: Explanation) {
        self.asked = asked
        self.explanation = explanation
        var codes: [FailureCode] = []
        for found in explanation.decoded where !codes.contains(found.code) { codes.append(found.code) }
        // Codes that only say that something failed come last.
        self.codes = codes.filter { !$0.isEmptyHanded } + codes.filter(\.isEmptyHanded)
    }

    /// Creates the answer to a word or a text, as people ask; it is empty if nothing is known of it.
    public init(answerTo words: String) {
        let codes = words.contains(" ") ? [] : FailureCodes.lookUp(words)
        self.init(asked: words, codes: codes)
        guard codes.isEmpty else { return }
        let explained = ExplainedFailure(asked: words, explanation: Explanation(of: words))
        self = explained.isEmpty ? ExplainedFailure(asked: words, codes: FailureCodes.lookUp(words)) : explained
    }

    /// A paste in which nothing is known.
    public static func unknownPaste(_ text: String) -> ExplainedFailure {
        var failure = ExplainedFailure(asked: text, codes: [])
        failure.isUnknownPaste = true
        return failure
    }

    /// Creates the explanation of a row's message.
    public init(_ event: ULSEvent) {
        let message = event.text(.message)
        self.init(
            asked: message,
            explanation: Explanation(
                of: message,
                area: event.text(.area),
                category: event.text(.category),
                process: event.text(.process)
            )
        )
        row = Row(event)
    }

    /// True if nothing can be said.
    public var isEmpty: Bool { codes.isEmpty && explanation?.isEmpty ?? true }

    /// True if it holds an exception or a code, and so a failure; a component alone is none.
    public var isFailure: Bool { !codes.isEmpty || explanation?.chains.isEmpty == false }

    /// Counts another row of the same failure, and takes from it what this one was logged without.
    public mutating func add(_ other: ExplainedFailure) {
        row?.count += 1
        guard explanation?.exception?.type == nil, other.explanation?.exception?.type != nil else { return }
        (explanation, codes) = (other.explanation, other.codes)
    }

    /// What the rows of one failure have in common.
    public var identity: String {
        if let chain = explanation?.chain { return chain.identity }
        let place = explanation?.place?.component.id ?? ""
        return codes.map { "\($0.space.rawValue):\($0.number)" }.joined(separator: ",") + "|" + place
    }

    /// What gave a code of the text away; `nil` if the code itself was asked for.
    func evidence(of code: FailureCode) -> FoundCode.Evidence? {
        explanation?.decoded.first { $0.code == code }?.evidence
    }

    /// Where the codes stand in what was asked.
    ///
    /// They may have been found in another row of the same failure, or before names were masked.
    var places: [FailureCode: Range<Int>] {
        guard explanation != nil else { return [:] }
        let columns = row.map { row in
            [ULSEvent.Column.area, .category, .process].map { row.event.text($0) }.joined(separator: " ")
        }
        let found = FailureCodes.find(in: asked, beside: columns ?? "")
        return Dictionary(found.map { ($0.code, $0.range) }) { first, _ in first }
    }

    /// What to look at, each once, in this order.
    var checks: [Check] {
        if let explanation { return explanation.checks }
        var checks: [Check] = []
        for check in codes.flatMap(\.checks) where !checks.contains(check) { checks.append(check) }
        return checks
    }
}

extension FailureCode {
    /// True for E_FAIL, DISP_E_EXCEPTION and the plain exceptions of .NET, which wrap what really failed.
    fileprivate var isEmptyHanded: Bool {
        space != .permission && [0x8000_4005, 0x8002_0009, 0x8013_1500, 0x8013_1501].contains(number)
    }
}

extension FoundActivity.Evidence {
    /// What kind of evidence it is, in one word, and what it is.
    var words: (kind: String, text: String) {
        switch self {
        case .frame(let frame): ("frame", frame.name)
        case .text(let words): ("text", words)
        }
    }

    /// What speaks for the activity, and how much.
    var sentence: String {
        switch self {
        case .frame(let frame): "certain, by the frame \(frame.name)"
        case .text(let words): "likely, by the words \"\(words)\""
        }
    }
}

extension FoundComponent.Evidence {
    /// What kind of evidence it is, in one word, and what it is.
    var words: (kind: String, text: String) {
        switch self {
        case .frame(let name): ("frame", name)
        case .exceptionType(let type): ("exceptionType", type)
        case .category(let category): ("category", category)
        case .message(let words): ("message", words)
        case .text(let word): ("text", word)
        case .process(let process): ("process", process)
        }
    }

    /// What speaks for the component, as the end of a sentence.
    var sentence: String {
        switch self {
        case .frame(let name): "by the frame \(name)"
        case .exceptionType(let type): "by the exception \(type)"
        case .category(let category): "by the category \(category)"
        case .message(let words): "by the message \"\(words)\""
        case .text(let word): "by the words \"\(word)\""
        case .process(let process): "by the process \(process)"
        }
    }
}

public import ULSLog

/// One failure that a rule has found.
public struct Finding: Sendable {
    public var rule: Rule
    /// Which of the rule's verdicts holds.
    public var verdict: String
    public var severity: Severity
    public var confidence: Confidence
    /// What is wrong, in one sentence, its places filled.
    public var message: String
    /// The checks that are true and say so, in the order of the verdict.
    public var symptoms: [Symptom]
    /// Parts of messages: those of the rule's `per` first, then by name.
    public var captures: [Capture]
    /// Elements of web.config that the verdict rests on, each file by itself.
    public var config: [ConfigEvidence]
    /// How many events, or groups of them, the true checks counted; 0 for one that rests on configuration only.
    public var occurrences: Int
    /// Servers whose events count, in order.
    public var servers: [String]
    public var firstTime: LogTime?
    public var lastTime: LogTime?
    /// Some events that count; the lead first.
    public var evidence: [Evidence]
    /// The steps that are meant for the verdict, their places filled.
    public var fix: [FixStep]
    /// Verdicts that come before this one and are not known.
    public var undecided: [String]
    /// The same for the same failure in another run: of the rule, its `per` captures and the config element's path.
    public var fingerprint: String

    public init(rule: Rule, verdict: VerdictDefinition, message: String, fingerprint: String) {
        self.rule = rule
        self.verdict = verdict.id
        severity = verdict.severity
        confidence = verdict.confidence
        self.message = message
        symptoms = []
        captures = []
        config = []
        occurrences = 0
        servers = []
        evidence = []
        fix = []
        undecided = []
        self.fingerprint = fingerprint
    }
}

/// A check that is true, and what it says.
public struct Symptom: Sendable, Hashable {
    public var check: String
    /// The check's label, its places filled.
    public var text: String
    /// How many events or groups.
    public var count: Int

    public init(check: String, text: String, count: Int) {
        self.check = check
        self.text = text
        self.count = count
    }
}

/// A named part of a message.
public struct Capture: Sendable, Hashable {
    public var name: String
    public var value: String

    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

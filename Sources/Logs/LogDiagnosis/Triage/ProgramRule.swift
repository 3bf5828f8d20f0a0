import YAML

/// Rules about files that are given to this program, which it decides itself: no check of theirs is data.
///
/// They are found by `rules show` and stand in reports beside the others.
public enum ProgramRule {
    /// A suppression that is out of date.
    static let suppression = Rule(
        id: RuleID(ofProgram: "FS9001"),
        slug: "suppression-out-of-date",
        revision: 1,
        status: .stable,
        kind: .failure,
        title: "A suppression is out of date",
        category: "program",
        tags: ["suppressions"],
        needs: Needs(),
        supersedes: [],
        per: [],
        selectors: .init(),
        checks: .init(),
        verdicts: [
            verdict("expired", "The suppression of {subject} held until {until}: what it hid is told again."),
            verdict(
                "replaced",
                "The suppression of {subject} held until {until}; another entry still hides the same.",
                .info
            ),
            verdict("stale", "The suppression of {subject} hides nothing any more."),
            verdict("unknown-rule", "The suppression of {subject} names a rule that does not exist."),
        ],
        explanation: Explanation(
            what:
                "An entry of the file of suppressions has expired, is for a rule that finds nothing it could hide, or names a rule that does not exist.",
            why:
                "Suppressions are decided for a while and forgotten. One that nobody needs hides the next failure of its kind.",
            impact: "None on users of the farm."
        ),
        fix: [
            FixStep(
                step: "If the reason still holds, give the entry a later day in 'until'; otherwise remove it.",
                effect: "none",
                verdicts: ["expired"]
            ),
            FixStep(step: "Remove the entry.", effect: "none", verdicts: ["stale", "replaced"]),
            FixStep(
                step: "Correct the ID; if the rule is one of your own, name its folder with --rules.",
                effect: "none",
                verdicts: ["unknown-rule"]
            ),
        ],
        verify: "fastctl diagnose --suppress FILE /logs",
        references: []
    )

    /// A web.config that does not say what it must.
    static let expectation = Rule(
        id: RuleID(ofProgram: "FS9002"),
        slug: "webconfig-not-as-expected",
        revision: 1,
        status: .stable,
        kind: .failure,
        title: "web.config is not as expected",
        category: "program",
        tags: ["webconfig"],
        needs: Needs(webConfig: .required),
        supersedes: [],
        per: [],
        selectors: .init(),
        checks: .init(),
        verdicts: [
            verdict("different", "{setting} is '{found}' in {file}; expected: {expected}.", .error),
            verdict("absent", "{setting} is not written in {file}; expected: {expected}{standard|}.", .error),
            verdict("unexpected", "{setting} is '{found}' in {file}, and must not be written.", .error),
            verdict("unreadable", "{setting} is {found}, as {file} says; expected: {expected}.", .error),
            verdict("refused", "{file} could not be read, so nothing in it is as expected: {found}.", .error),
            verdict("missing", "No web.config of {server} was given, but values are expected of it.", .error),
        ],
        explanation: Explanation(
            what: "A web.config differs from the file of expectations that was given.",
            why:
                "Somebody changed it, or a server was set up differently. Requests then end differently from server to server.",
            impact: nil
        ),
        fix: [
            FixStep(
                step: "Find out who changed it; correct the web.config, or else what is expected of it.",
                effect: "saving a web.config restarts its web application",
                verdicts: ["different", "absent", "unexpected", "unreadable"]
            ),
            FixStep(step: "Mend the file.", verdicts: ["refused"]),
            FixStep(step: "Name the server's file: SERVER[/ZONE]=PATH.", effect: "none", verdicts: ["missing"]),
        ],
        verify: "fastctl webconfig check --expect FILE PATH",
        references: []
    )

    /// All of them.
    public static let all = [suppression, expectation]

    static let allIDs = Set(all.map(\.id))

    private static func verdict(_ id: String, _ message: String, _ severity: Severity = .warning) -> VerdictDefinition {
        VerdictDefinition(
            id: id,
            when: .check("the program finds it so"),
            severity: severity,
            confidence: .certain,
            message: message
        )
    }
}

extension RuleID {
    /// An ID that is written in this program.
    fileprivate init(ofProgram text: String) { self.text = text }
}

extension Finding {
    /// Creates a finding of a rule of the program; `values` are those of the message's placeholders, and `identity` tells
    /// it from other findings of the rule, the same in each run.
    init(
        of rule: Rule,
        verdict id: String,
        _ values: [Capture],
        identity: [String],
        at place: FilePlace
    ) {
        let verdict = rule.verdicts.first { $0.id == id } ?? rule.verdicts[0]
        let message = MessageTemplate(verdict.message)?.filled { name in values.first { $0.name == name }?.value }
        self.init(
            rule: rule,
            verdict: verdict,
            message: message ?? verdict.message,
            fingerprint: Self.fingerprint(of: [rule.id.text] + identity)
        )
        captures = values
        filePlace = place
        fix = rule.fix.filter { $0.verdicts.isEmpty || $0.verdicts.contains(id) }
    }
}

/// Whether texts are what reports make of them: sentences, a heading, a name.
struct TextLint {
    private(set) var complaints: [RuleComplaint] = []

    init(_ subject: LintSubject) {
        let rule = subject.rule
        func sentence(_ text: String?, _ path: String...) {
            guard let text, !text.hasSuffix("."), !text.hasSuffix("!"), !text.hasSuffix("?") else { return }
            complaints.append(subject.warning("this is a sentence: end it with a full stop", subject.outline[path]))
        }
        sentence(rule.explanation.what, "explain", "what")
        sentence(rule.explanation.why, "explain", "why")
        sentence(rule.explanation.impact, "explain", "impact")
        for (index, step) in rule.fix.enumerated() { sentence(step.step, "fix", "\(index)", "step") }
        for (index, verdict) in rule.verdicts.enumerated() {
            sentence(verdict.message, "verdicts", "\(index)", "message")
        }
        if rule.title.hasSuffix(".") {
            complaints.append(subject.warning("the title is a heading: leave out the full stop", at: "title"))
        }
        let words = rule.slug.split(separator: "-", omittingEmptySubsequences: false)
        let isSlug = words.allSatisfy { word in
            !word.isEmpty && word.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber) }
        }
        if !isSlug {
            complaints.append(
                subject.warning("the slug is small words with hyphens: list-view-cannot-be-saved", at: "slug")
            )
        }
    }
}

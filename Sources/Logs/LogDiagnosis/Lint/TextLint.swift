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
        for (text, path) in Self.written(rule) where text.lowercased().replacing("-", with: " ").hasPrefix("fill in") {
            complaints.append(subject.warning("this is still to be filled in", subject.outline[path]))
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

    /// All texts that an author writes, and the keys that lead there.
    private static func written(_ rule: Rule) -> [(text: String, path: [String])] {
        var texts: [(String?, [String])] = [
            (rule.slug, ["slug"]), (rule.title, ["title"]), (rule.category, ["category"]),
            (rule.explanation.what, ["explain", "what"]), (rule.explanation.why, ["explain", "why"]),
            (rule.explanation.impact, ["explain", "impact"]), (rule.verify, ["verify"]),
        ]
        for (index, verdict) in rule.verdicts.enumerated() {
            texts.append((verdict.message, ["verdicts", "\(index)", "message"]))
        }
        for (index, step) in rule.fix.enumerated() {
            let parts = [("step", step.step), ("where", step.location), ("effect", step.effect), ("undo", step.undo)]
            for (key, text) in parts { texts.append((text, ["fix", "\(index)", key])) }
        }
        for (index, reference) in rule.references.enumerated() {
            texts.append((reference.title, ["references", "\(index)", "title"]))
        }
        return texts.compactMap { text, path in text.map { ($0, path) } }
    }
}

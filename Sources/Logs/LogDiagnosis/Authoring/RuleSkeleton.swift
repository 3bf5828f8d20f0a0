public import ULSLog

/// A new rule and its tests, begun from an event that somebody saw.
///
/// They load and pass: the event is the first test. What only its author knows begins with "Fill in", and lint says
/// where that is left.
public struct RuleSkeleton: Sendable {
    /// The rule's file, `FSnnnn.yaml`.
    public let rule: RuleFile
    /// The file of its tests, `FSnnnn.tests.yaml`.
    public let tests: RuleFile

    /// What a text begins with that is to be written anew.
    static let mark = "Fill in"

    public init(event: borrowing ULSEvent, id: RuleID) {
        let facts = SkeletonFacts(event)
        rule = RuleFile(name: "\(id).yaml", text: Self.rule(id, facts))
        tests = RuleFile(name: "\(id).tests.yaml", text: Self.tests(id, facts))
    }

    private static func rule(_ id: RuleID, _ facts: SkeletonFacts) -> String {
        """
        schema: fastctl.rule/1
        id: \(id)
        slug: fill-in-what-breaks
        revision: 1 # one more with every change of meaning
        status: experimental # stable when its signature is known from a log or a source, and the tests are complete
        title: "\(mark) what is wrong, as a heading"
        category: fill-in # such as configuration, database, search, permissions, timer
        needs: {uls: required}

        select:
          # What one event must be. Narrow enough that nothing else is: event ID, and a text that is never translated,
          # such as an exception's type or a stack frame. All keys must hold, and one value of each list.
          failed:
        \(facts.conditions.map { "    \($0)\n" }.joined())\
            # Parts of the message that help the reader, to be named in sentences as {name}:
            # capture: "text before '{name}' text behind"

        check:
          # Also sequence, absence, config, differs and quality.
          seen:
            count: {of: failed, gte: 1}
            label: "{count} such events"

        verdicts:
          # The first that is true wins.
          - id: seen
            when: seen
            symptoms: [seen]
            severity: warning # error where users see failures; an experimental rule warns at most
            confidence: likely # certain when logs and configuration agree
            message: "\(mark) what is wrong, in one sentence, with {count}."

        explain:
          what: "\(mark) what happens."
          why: "\(mark) why it happens."
          impact: "\(mark) what users notice."

        fix:
          - step: "\(mark) what to do."
            where: "\(mark) on which machines or in which places"
            effect: "\(mark) what else it does, such as a recycled application pool"
            undo: "\(mark) how to go back"

        verify: "\(mark) how to see that it is cured."

        references:
          - title: "\(mark) where these facts come from"

        """
    }

    private static func tests(_ id: RuleID, _ facts: SkeletonFacts) -> String {
        """
        schema: fastctl.rule-tests/1
        rule: \(id)
        tests:
          # Take out names of people, servers and customers before you share this.
          - name: the event as it was seen
        \(facts.log())\
            expect:
              - {verdict: seen, severity: warning, confidence: likely, symptoms: {seen: 1}, count: 1}
        \(facts.nearMisses)\
          - name: PASS an ordinary log
            uls:
              - {id: \(facts.otherEventID), level: Verbose, msg: Nothing happens here.}
            expect: []
          - name: NOT EVALUATED no logs are given
            web_config: <configuration/>
            expect: not_evaluated

        """
    }
}

import ArgumentParsing

struct Rules: CommandGroup {
    static let configuration = CommandConfiguration(
        "rules",
        group: "Logs",
        summary: "List, show, check and write the rules of diagnose.",
        examples: [
            .init("fastctl rules list", "What diagnose knows"),
            .init("fastctl rules show FS0101", "What a rule looks for, and what it advises"),
            .init(
                "fastctl rules new --from WFE1-20240311-1003.log:12",
                "A rule of your own, begun with a row of a log"
            ),
        ],
        subcommands: [ListRules.self, ShowRule.self, LintRules.self, TestRules.self, NewRule.self]
    )
}

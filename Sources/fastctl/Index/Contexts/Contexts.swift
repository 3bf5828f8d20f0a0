import ArgumentParsing

struct Contexts: CommandGroup {
    static let configuration = CommandConfiguration(
        "contexts",
        group: "Index",
        summary: "Keep targets by their names.",
        discussion: """
            A context is a target with a name, and what else is needed to use it: a collection, the place of its \
            credentials, certificates, a proxy. Contexts are kept in $XDG_CONFIG_HOME/fastctl/config.yaml, and in a \
            fastctl.yaml of the folder one works in or of one above it. Options come before the environment, that \
            before the project's file, and that before the user's.

            Writing to a context that is protected needs its name once more, on the terminal or with --confirm.
            """,
        examples: [
            .init(
                "fastctl contexts add prod --target opensearch+https://search:9200 --credentials-file ~/.search --protected",
                "Keep a target, which is protected from slips"
            ),
            .init("fastctl remove --context prod -c web ID1 --confirm prod", "Use it"),
            .init("fastctl contexts show", "See what is in force, and why"),
        ],
        subcommands: [ListContexts.self, ShowContext.self, AddContext.self, UseContext.self, RemoveContext.self]
    )
}

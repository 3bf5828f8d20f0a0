import ArgumentParsing

struct Collections: CommandGroup {
    static let configuration = CommandConfiguration(
        "collections",
        group: "Index",
        summary: "List, make, empty and tend collections.",
        examples: [
            .init("fastctl collections list", "See what there is"),
            .init("fastctl collections create WebCollection", "Make a collection, and the store if there is none"),
        ],
        subcommands: [
            ListCollections.self, ShowCollection.self, CreateCollection.self, ClearCollection.self,
            DeleteCollection.self, OptimizeCollection.self,
        ]
    )
}

import ArgumentParsing
import ContentFeeding

/// Options for choosing documents by what they hold; all conditions must match.
struct QueryOptions: OptionSetting {
    @Option(
        "--query",
        value: "EXPR",
        completion: ArgumentCompletion.none,
        help: "Only documents that match a query in the engine's own language, as in 'fastctl find'"
    )
    var expression: String?

    @Option(
        "--where",
        value: "NAME=VALUE",
        help: "Only documents whose top-level field has exactly this value; may be repeated"
    )
    var fields: [FieldArgument]

    func validate() throws {
        if expression?.isEmpty ?? false { throw ValidationError("--query is empty") }
    }

    /// Whether any condition was given.
    var isGiven: Bool { expression != nil || !fields.isEmpty }

    var query: SearchQuery {
        var query = SearchQuery(fields: fields.map(\.field))
        query.expression = expression
        return query
    }
}

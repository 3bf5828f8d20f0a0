import ContentFeeding
import JSONText

/// A query in the engine's language, as a bool query whose clauses must all hold and give no score.
///
/// - A word or phrase must occur in one of the index's default fields (`index.query.default_field`, all fields unless
///   someone changed it), cut into words as each field is: no character in it is an operator.
/// - A field must have exactly the value: analysed text is asked through its keyword subfield.
/// - An expression is a `query_string` query, with all its operators.
struct SearchBody {
    private let query: SearchQuery
    private let fields: [FieldCondition]
    private let asksForVectors: Bool

    /// `asksForVectors` where the engine would leave them out otherwise.
    init(_ query: SearchQuery, fields: [FieldCondition], asksForVectors: Bool) {
        (self.query, self.fields, self.asksForVectors) = (query, fields, asksForVectors)
    }

    /// Writes the members `query`, `_source` and `version`.
    func write(to writer: inout JSONWriter) {
        if !query.includesDocuments {
            writer.member("_source", false)
        } else if asksForVectors {
            writer.object("_source") { $0.member("exclude_vectors", false) }
        }
        writer.member("version", true)
        writer.object("query") { writer in
            writer.object("bool") { writer in
                writer.array("filter") { writer in
                    for text in query.words + query.phrases { Self.writeOccurrence(of: text, to: &writer) }
                    for field in fields { field.write(to: &writer) }
                    if let expression = query.expression { Self.writeExpression(expression, to: &writer) }
                }
            }
        }
    }

    private static func writeOccurrence(of text: String, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.object("multi_match") { writer in
                writer.member("query", text)
                writer.member("type", "phrase")
                writer.member("lenient", true)
            }
        }
    }

    private static func writeExpression(_ expression: String, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.object("query_string") { writer in
                writer.member("query", expression)
                writer.member("default_operator", "AND")
            }
        }
    }
}

/// A field that must have a value, by the name under which the engine compares whole values.
struct FieldCondition: Hashable, Sendable {
    let name: String
    let value: String

    /// `match` compares whole values in every field that is no text, and a number or date that the value is none of
    /// matches nothing.
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.object("match") { writer in
                writer.object(name) { writer in
                    writer.member("query", value)
                    writer.member("lenient", true)
                }
            }
        }
    }
}

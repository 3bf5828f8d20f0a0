import ContentFeeding

/// A search in Solr's parameters.
///
/// Words and values never become part of a query's syntax: they are quoted, or stand in parameters of their own. What
/// users write as `expression` is the whole query and goes as it is.
struct SolrQuery {
    /// A page ends with so many documents, or so many IDs.
    static let documentsPerPage = 500
    static let idsPerPage = 5_000
    /// Solr's cursor of the first page.
    static let start = "*"

    let parameters: [(name: String, value: String)]
    /// Where the page begins; Solr gives the same back when there is nothing behind it.
    let cursor: String
    /// The documents are needed, if only to compare them.
    let wantsJSON: Bool

    /// `nil` when nothing can be found: words are wanted, and there is no text.
    init?(
        _ query: SearchQuery,
        textFields: [String],
        conditions: [FieldCondition],
        uniqueKey: String,
        cursor: String?
    ) {
        wantsJSON = query.includesDocuments || conditions.contains(where: \.isTokenized)
        let rows = wantsJSON ? Self.documentsPerPage : Self.idsPerPage
        self.cursor = cursor ?? Self.start
        let expression = query.expression ?? ""
        var parameters = [
            ("q", expression.isEmpty ? "*:*" : expression), ("defType", "lucene"), ("sort", "\(uniqueKey) asc"),
            ("cursorMark", self.cursor), ("rows", String(rows)), ("fl", wantsJSON ? "*" : uniqueKey),
            ("shards.tolerant", "false"), ("expandMacros", "false"),
        ]
        let terms = query.words + query.phrases
        if !terms.isEmpty, textFields.isEmpty { return nil }
        for term in terms { parameters.append(("fq", Self.filter(term, in: textFields))) }
        for (index, condition) in conditions.enumerated() {
            let name = Self.localParameter(condition.name)
            // A tokenized field is looked up by its words in their order; what is found is compared afterwards.
            let parser = condition.isTokenized ? "field" : "term"
            parameters.append(("fq", "{!\(parser) f=\(name) cache=false v=$fastctl.field\(index)}"))
            parameters.append(("fastctl.field\(index)", condition.value))
        }
        self.parameters = parameters
    }

    /// The term, as a phrase, in any of the fields.
    ///
    /// Each field cuts the phrase as it cuts its text. Where nothing of it remains, Solr would leave the clause out; the
    /// last one, which finds nothing, keeps the filter from finding everything then.
    static func filter(_ term: String, in fields: [String]) -> String {
        let phrase = quoted(term)
        let clauses = fields.map { "\(escaped($0)):\(phrase)" } + ["(*:* -*:*)"]
        return "{!lucene q.op=OR cache=false}" + clauses.joined(separator: " ")
    }

    /// A phrase in the query language: inside quotes only quotes and backslashes mean something.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }

    /// A field's name in the query language.
    static func escaped(_ name: String) -> String {
        var escaped = ""
        for scalar in name.unicodeScalars {
            let isPlain = scalar == "_" || scalar.isASCII && (scalar.properties.isAlphabetic || "0"..."9" ~= scalar)
            if !isPlain { escaped.unicodeScalars.append("\\") }
            escaped.unicodeScalars.append(scalar)
        }
        return escaped
    }

    /// A value inside `{!…}`.
    static func localParameter(_ text: String) -> String {
        var quoted = "'"
        for scalar in text.unicodeScalars {
            if scalar == "'" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "'"
    }
}

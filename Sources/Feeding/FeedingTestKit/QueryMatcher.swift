import ContentFeeding
import JSONText

/// A search query, cut into words, against documents.
///
/// A word is a run of letters and digits, whatever their case. A query word that is several words, like `e-mail`, must
/// occur as a phrase; one without letters and digits matches nothing.
struct QueryMatcher {
    private let phrases: [[String]]
    private let fields: [SearchQuery.Field]

    init(_ query: SearchQuery) {
        phrases = (query.words + query.phrases).map(Self.words)
        fields = query.fields
    }

    func matches(_ json: [UInt8]) -> Bool {
        var texts: [[String]] = []
        guard (try? JSONStrings.visit(json.span) { texts.append(Self.words($0)) }) != nil else { return false }
        return phrases.allSatisfy { phrase in texts.contains { Self.contains($0, phrase) } }
            && fields.allSatisfy { field in
                (try? JSONStrings.field(field.name, of: json.span, equals: field.value)) ?? false
            }
    }

    private static func words(_ text: String) -> [String] {
        text.split { !$0.isLetter && !$0.isNumber }.map { $0.lowercased() }
    }

    private static func contains(_ words: [String], _ phrase: [String]) -> Bool {
        guard !phrase.isEmpty, phrase.count <= words.count else { return false }
        return (0...words.count - phrase.count).contains { words[$0...].starts(with: phrase) }
    }
}

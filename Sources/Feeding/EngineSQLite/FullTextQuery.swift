/// Words and phrases in the language of FTS5, in which only quoted text is safe.
enum FullTextQuery: Hashable {
    /// No condition.
    case everything
    /// A condition that no document meets.
    case nothing
    case matching(String)

    /// All of `words` and `phrases` must occur.
    ///
    /// A word is cut as the documents' text is, so `wi-fi` is the phrase "wi fi". One without a letter or digit can't
    /// occur in the index, so it matches nothing.
    init(words: [String], phrases: [String]) {
        let terms = words + phrases
        if terms.isEmpty {
            self = .everything
        } else if terms.allSatisfy(\.hasToken) {
            self = .matching(terms.map { "\"\($0.quoted)\"" }.joined(separator: " "))
        } else {
            self = .nothing
        }
    }
}

extension String {
    /// Whether the tokenizer `unicode61` finds a word in it: letters, numbers and private characters make words.
    fileprivate var hasToken: Bool {
        unicodeScalars.contains { scalar in
            guard scalar != DocumentJSON.separator else { return false }
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
                .letterNumber, .otherNumber, .privateUse:
                return true
            default: return false
            }
        }
    }

    /// Without what would end the quotation, the query, or a string of a document.
    fileprivate var quoted: String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"", "\0", DocumentJSON.separator: text.unicodeScalars.append(" ")
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

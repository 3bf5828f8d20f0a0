/// The part of a message that another one of its kind has too.
enum TellingPhrase {
    /// The fewest and the most bytes of a phrase.
    private static let shortest = 8
    private static let longest = 60

    /// The type of an exception if there is one, else the first text of some length without numbers, names in quotes
    /// and paths; `nil` if there is none.
    static func of(_ message: String) -> String? {
        let words = message.split { !isNameCharacter($0) }.map(trimmed)
        if let exception = words.first(where: { $0.hasSuffix("Exception") && $0.contains(".") }) { return exception }
        let runs = message.split { !isTextCharacter($0) }.map(shortened).filter { $0.utf8.count >= shortest }
        return runs.first { $0.utf8.count >= 2 * shortest } ?? runs.first
    }

    private static func isNameCharacter(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || character == "." || character == "_")
    }

    private static func isTextCharacter(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || " .,_-()".contains(character))
    }

    private static func trimmed(_ name: Substring) -> String {
        var name = name
        while name.last == "." { name.removeLast() }
        while name.first == "." { name.removeFirst() }
        return String(name)
    }

    /// Whole words from the beginning, without blanks around them.
    private static func shortened(_ text: Substring) -> String {
        var text = text.drop { $0 == " " }
        if text.count > longest {
            text = text.prefix(longest)
            if let blank = text.lastIndex(of: " ") { text = text[..<blank] }
        }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

import Digests

/// The correlations that tests write as a letter or a word.
enum TestCorrelation {
    /// A GUID that depends on the word alone; a GUID stays as it is.
    static func guid(_ word: String) -> String {
        if isGUID(word) { return word }
        var function = SHA256()
        let digits = Array(function.digest(of: word.utf8.span).hexadecimal)
        return [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20..<32]]
            .map { String($0) }.joined(separator: "-")
    }

    private static func isGUID(_ text: String) -> Bool {
        text.split(separator: "-", omittingEmptySubsequences: false).map(\.count) == [8, 4, 4, 4, 12]
            && text.allSatisfy { $0 == "-" || $0.isHexDigit }
    }
}

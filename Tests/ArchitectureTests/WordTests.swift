import Foundation
import Testing

/// Words that describe a thing instead of naming it, or that native speakers of English would not choose.
///
/// A word that is quoted from another program, a tool or a log counts like any other.
struct WordTests {
    /// The maximum number of these words in texts that users see, and in comments.
    private static let (mostInTexts, mostInComments) = (0, 0)

    private static let root = URL(filePath: #filePath).appending(path: "../../..").standardized

    @Test func `README and the guide contain no forbidden word`() throws {
        let guide = try FileManager.default.contentsOfDirectory(
            atPath: Self.root.appending(path: "Documentation/Guide").path
        )
        let pages = guide.filter { $0.hasSuffix(".md") }.map { "Documentation/Guide/\($0)" }
        for page in ["README.md", "CONTRIBUTING.md"] + pages {
            let text = try String(contentsOf: Self.root.appending(path: page), encoding: .utf8)
            for word in Words.forbidden(in: text) { Issue.record("\(page): \(word)") }
        }
    }

    @Test func `Texts and comments contain no more forbidden words than allowed`() throws {
        var (texts, comments) = ([String](), [String]())
        for (path, source) in try Self.sources() {
            let split = Words.split(source)
            texts += split.texts.flatMap(Words.forbidden).map { "\(path): \($0)" }
            comments += split.comments.flatMap(Words.forbidden).map { "\(path): \($0)" }
        }
        #expect(texts.count == Self.mostInTexts, "texts that users see: \(texts.joined(separator: "\n"))")
        #expect(comments.count <= Self.mostInComments, "comments have \(comments.count)")
        #expect(comments.count >= Self.mostInComments - 20, "comments have only \(comments.count): lower the ceiling")
    }

    @Test func `A forbidden word is found only in texts and comments`() {
        let source = #"""
            /// Nobody knows it.
            let told = f("a \(says) text", "that tells \"nobody\"") // and somebody
            let block = """
                It goes on \
                anew.
                """
            """#
        let split = Words.split(source)
        #expect(split.texts.flatMap(Words.forbidden) == ["tells", "nobody", "goes on", "anew"])
        #expect(split.comments.flatMap(Words.forbidden) == ["Nobody", "somebody"])
    }

    private static func sources() throws -> [(path: String, text: String)] {
        let folder = root.appending(path: "Sources")
        let paths = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
        return try paths.filter { $0.hasSuffix(".swift") }.sorted().map { path in
            (path, try String(contentsOf: folder.appending(path: path), encoding: .utf8))
        }
    }
}

private enum Words {
    /// Returns the forbidden words of a text, in their order.
    static func forbidden(in text: String) -> [String] {
        // A regular expression is slow, and nearly all texts contain none of these words.
        let small = text.lowercased()
        guard stems.contains(where: small.contains) else { return [] }
        // "There is no file" is plain English; "it is no file" is not.
        return text.replacing(
            /(?i)\bthere (?:is|are) no\b|\b(?:is|are) no longer\b|\b(?:none|one|each|regardless) of which\b/,
            with: ""
        ).matches(
            of: /(?i)\b(?:says?|said|tells?|told|nobody|somebody|whoever|anew|goes on|but for|of which|is no|are no)\b/
        ).map { String($0.0).split(whereSeparator: \.isWhitespace).joined(separator: " ") }
    }

    private static let stems = [
        "say", "said", "tell", "told", "body", "whoever", "anew", "goes on", "but for", "of which", "is no", "are no",
    ]

    /// Returns the string literals of a source that contain spaces, without their interpolations, and its comments.
    static func split(_ source: String) -> (texts: [String], comments: [String]) {
        var (texts, comments) = ([String](), [String]())
        var block: String?
        for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
            if let open = block {
                if line.contains("\"\"\"") {
                    texts.append(open)
                    block = nil
                } else {
                    let isJoined = line.hasSuffix("\\")
                    block = open + plain(line.trimmingCharacters(in: .whitespaces).dropLast(isJoined ? 1 : 0)) + " "
                }
                continue
            }
            var (rest, comment) = (String(line), String?.none)
            var literals: [String] = []
            if line.utf8.contains(UInt8(ascii: "\"")) {
                let literal = /"(?:[^"\\]|\\.)*"/
                literals = rest.matches(of: literal).map { String($0.0) }
                rest = rest.replacing(literal, with: "''")
            }
            if line.utf8.contains(UInt8(ascii: "/")), let place = rest.firstRange(of: "//") {
                comment = String(rest[place.lowerBound...])
            }
            if line.contains("\"\"\"") {
                block = ""
                literals = []
            }
            texts += literals.map { plain($0.dropFirst().dropLast()) }.filter { $0.contains(" ") }
            if let comment { comments.append(comment) }
        }
        return (texts, comments)
    }

    /// Returns a literal's text without its interpolations.
    private static func plain(_ literal: some StringProtocol) -> String {
        var (text, depth, isEscaped) = ("", 0, false)
        for character in literal {
            if depth > 0 {
                depth += character == "(" ? 1 : character == ")" ? -1 : 0
            } else if isEscaped {
                isEscaped = false
                if character == "(" {
                    depth = 1
                } else if character != "n" {
                    text.append(character)
                } else {
                    text += " "
                }
            } else if character == "\\" {
                isEscaped = true
            } else {
                text.append(character)
            }
        }
        return text
    }
}

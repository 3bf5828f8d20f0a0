/// The parts of a text that name failures without reporting one: sentences about a repair, and lists of titles.
///
/// A repair has a subject ("the error", "it") and, a few words later, its end ("is gone", "has been fixed"); the list
/// after its colon belongs to it. Titles are recognized by their first words, such as "How to", in two lines or more.
enum PastFailures {
    /// Returns the ranges of these parts, in bytes and in order.
    static func ranges(in text: [UInt8]) -> [Range<Int>] {
        // Most texts have neither.
        let signs = [
            "fix", "gone", "solved", "away", "longer", "again", "orking", "ow to", "isappear", "esolved", "ehoben",
            "mehr",
        ]
        let lower = text.map(\.lowercased)
        guard signs.contains(where: { lower.firstRange(of: $0.utf8) != nil }) else { return [] }
        let lines = lines(of: lower)
        var ranges: [Range<Int>] = []
        var isInList = false
        let hasTitles = lines.count(where: { isTitle(lower[$0]) }) >= 2
        for line in lines {
            let isItem = isItem(lower[line])
            if isInList ? isItem : hasTitles && !ends(lower[line], with: ".?!") {
                ranges.append(line)
                continue
            }
            if !line.isEmpty { isInList = false }
            let sentences = sentences(of: line, in: lower)
            for (place, sentence) in sentences.enumerated() {
                guard let repair = repair(sentence, in: lower) else { continue }
                // "It is fixed now" is about the sentence before it; without one, "it" is not known to be a failure.
                if repair.isPronoun {
                    guard place > 0 else { continue }
                    ranges.append(sentences[place - 1])
                }
                ranges.append(repair.range)
                isInList = ends(lower[sentence], with: ":")
            }
        }
        return ranges
    }

    // MARK: Repairs

    /// Returns the part of a sentence that reports a repair, up to a word such as "but", and whether its subject is only
    /// a pronoun; `nil` if there is none.
    private static func repair(_ sentence: Range<Int>, in text: [UInt8]) -> (range: Range<Int>, isPronoun: Bool)? {
        guard sentence.count <= longest, !ends(text[sentence], with: "?") else { return nil }
        let opening = text[sentence].drop { !$0.isLetter }
        if openings.contains(where: { opening.starts(with: $0.utf8) }) { return (sentence, false) }
        var (words, end, last): ([String], Int, Int) = ([], sentence.upperBound, sentence.lowerBound)
        for part in text[sentence].split(whereSeparator: { !($0.isLetter || $0 == 0x27) }) {
            let word = String(decoding: part, as: UTF8.self)
            // "Error: the list is gone" is about the list, and `System.Exception` is not the subject of a sentence.
            if text[last..<part.startIndex].contains(where: { ":.\"()".utf8.contains($0) }) { words.append(barrier) }
            last = part.endIndex
            if contrasts.contains(word) {
                end = part.startIndex
                break
            }
            words.append(word)
        }
        guard let place = words.indices.first(where: { isEnd($0, in: words) }) else { return nil }
        let subject = words[..<place].reversed().prefix { $0 != barrier }.last {
            subjects.contains($0) || pronouns.contains($0)
        }
        return (sentence.lowerBound..<end, subject.map(pronouns.contains) == true)
    }

    /// Returns whether a word ends a failure: `fixed` in "the errors are fixed", `longer` in "no longer occurs".
    private static func isEnd(_ place: Int, in words: [String]) -> Bool {
        let (word, before) = (words[place], words[..<place])
        guard ends.contains(word), !before.contains(where: conditions.contains) else { return false }
        let next = words[place...].dropFirst().prefix(1).first ?? ""
        let near = (before.split(separator: barrier, omittingEmptySubsequences: false).last ?? []).suffix(7)
        let isDenied = near.suffix(4).contains { denials.contains($0) || $0.hasSuffix("n't") }
        let hasSubject = near.contains { subjects.contains($0) || pronouns.contains($0) }
        switch word {
        case "fixed", "solved", "resolved", "gone", "repaired", "behoben":
            return hasSubject && !isDenied && near.suffix(4).contains(where: auxiliaries.contains)
        case "disappeared": return hasSubject && !isDenied
        case "away": return before.last == "went" && hasSubject
        case "longer":
            guard before.last == "no" else { return false }
            let isSeen = ["see", "get", "seeing", "getting", "receive", "encounter"].contains(next)
            let rest = words[place...].dropFirst().prefix(7)
            return endings.contains(next) || isSeen && rest.contains(where: subjects.contains)
        case "mehr":
            return before.last == "nicht" && hasSubject && near.suffix(3).contains(where: occurring.contains)
        case "works", "working", "work": return ["again", "now"].contains(next) && !isDenied
        default: return false
        }
    }

    /// The maximum number of bytes of a sentence about a repair, which bounds the time that each word takes.
    private static let longest = 400
    /// The words that end a failure, some of them only with others around them.
    private static let ends = """
        fixed solved resolved gone repaired disappeared away longer works working work behoben mehr
        """.wordSet
    /// A mark in place of the signs that divide the subject of a sentence from what follows.
    private static let barrier = "|"
    /// The first words of an item in a list of repairs.
    private static let openings = ["fixed: ", "solved: ", "resolved: ", "fixed an issue ", "fixed a "]
    private static let subjects = """
        error errors issue issues problem problems failure failures message messages warning warnings exception
        exceptions timeout timeouts crash crashes symptom symptoms bug bugs fehler problem meldung
        """.wordSet
    private static let pronouns = "it they this these everything".wordSet
    private static let auxiliaries = """
        is are was were been be got has have it's i've ist sind wurde wurden
        """.wordSet
    private static let endings = """
        occur occurs occurring happen happens happening appear appears appearing fail fails failing reproduce reproduces
        """.wordSet
    private static let contrasts = "but however although except yet still nevertheless".wordSet
    /// Words that make a repair only a condition or a wish.
    private static let conditions = """
        because since if once until till unless when whenever after before whether how why please hope hopefully will would
        should could can may might must cannot needs wait
        """.wordSet
    private static let denials = "not never no without nor nicht".wordSet
    /// The German verbs of "der Fehler tritt nicht mehr auf"; "er antwortet nicht mehr" reports a failure.
    private static let occurring = "tritt treten erscheint erscheinen besteht bestehen".wordSet

    // MARK: Titles

    private static let titles = [
        "how to ", "how do i ", "fix ", "fixing ", "troubleshoot", "cheat sheet", "understanding ", "resolving ",
        "guide to ", "tips for ", "solved: ", "[solved] ", "what is ", "tutorial", "introduction to ", "faq",
    ]

    private static func isTitle(_ line: ArraySlice<UInt8>) -> Bool {
        let line = line.drop { !($0.isLetter || $0 == 0x5B) }
        return !ends(line, with: ".?!:") && titles.contains { line.starts(with: $0.utf8) }
    }

    /// Returns whether a line is an item of a list.
    private static func isItem(_ line: ArraySlice<UInt8>) -> Bool {
        let line = line.drop { $0 <= 0x20 }
        let mark = line.prefix { $0 > 0x20 }
        return ["-", "*", "\u{2022}"].contains(String(decoding: mark, as: UTF8.self))
            || mark.first?.isDigit == true && ends(mark, with: ".)")
    }

    // MARK: Lines and sentences

    private static func lines(of text: [UInt8]) -> [Range<Int>] {
        text.split(separator: 0x0A, omittingEmptySubsequences: false).map(\.indices)
    }

    private static func sentences(of line: Range<Int>, in text: [UInt8]) -> [Range<Int>] {
        var (sentences, start): ([Range<Int>], Int) = ([], line.lowerBound)
        for place in line where ".!?;".utf8.contains(text[place]) {
            guard place + 1 == line.upperBound || text[place + 1] <= 0x20 else { continue }
            sentences.append(start..<place + 1)
            start = place + 1
        }
        if start < line.upperBound { sentences.append(start..<line.upperBound) }
        return sentences
    }

    private static func ends(_ text: ArraySlice<UInt8>, with marks: String) -> Bool {
        text.last { $0 > 0x20 }.map { marks.utf8.contains($0) } == true
    }
}

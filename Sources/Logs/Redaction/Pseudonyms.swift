import Digests

/// Pseudonyms of names: numbers in order of appearance, or digests under a key.
struct Pseudonyms: Sendable {
    private let key: [UInt8]?
    private var known: [NameClass: [String: String]] = [:]
    /// Pseudonyms under a key that are taken, because two names must not share one.
    private var taken: Set<String> = []
    private(set) var isFull = false

    /// The most names of one class; more of them share `user-?`.
    static let maximum = 50_000

    init(key: [UInt8]?) { self.key = key }

    /// Returns the pseudonym of a name, whose case does not matter.
    mutating func pseudonym(of name: String, as nameClass: NameClass) -> String {
        let name = name.lowercased()
        if let pseudonym = known[nameClass]?[name] { return pseudonym }
        let count = known[nameClass]?.count ?? 0
        guard count < Self.maximum else {
            isFull = true
            return "\(nameClass.rawValue)-?"
        }
        let pseudonym = keyed(name, nameClass) ?? "\(nameClass.rawValue)-\(count + 1)"
        known[nameClass, default: [:]][name] = pseudonym
        return pseudonym
    }

    /// The number of names of each class that have a pseudonym.
    var counts: [RedactionSummary.Count] {
        NameClass.allCases.compactMap { nameClass in
            let names = known[nameClass]?.count ?? 0
            return names > 0 ? RedactionSummary.Count(nameClass: nameClass, names: names) : nil
        }
    }

    private mutating func keyed(_ name: String, _ nameClass: NameClass) -> String? {
        guard let key else { return nil }
        var function = HMACSHA256(key: key)
        let digest = function.digest(of: "\(nameClass.rawValue)\u{0}\(name)".utf8).hexadecimal
        // Eight digits tell a hundred thousand names apart but for one pair; that pair gets more.
        for length in stride(from: 8, through: 64, by: 8) {
            let pseudonym = "\(nameClass.rawValue)-\(digest.prefix(length))"
            if taken.insert(pseudonym).inserted { return pseudonym }
        }
        return nil
    }

    /// Returns whether a text looks like a pseudonym: it is not masked again.
    static func isPseudonym(_ text: String) -> Bool {
        guard let dash = text.lastIndex(of: "-"), NameClass(rawValue: text[..<dash].lowercased()) != nil else {
            return false
        }
        let rest = text[text.index(after: dash)...]
        if rest.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) { return !rest.isEmpty }
        return rest == "?" || rest.utf8.count >= 8 && rest.utf8.allSatisfy(\.isHexadecimalDigit)
    }
}

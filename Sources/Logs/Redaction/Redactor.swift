import Digests
import TextKit

/// A redactor that masks names and secrets in texts from logs, always using the same pseudonym for the same name.
///
/// ```swift
/// var redactor = Redactor()
/// redactor.learn(message)          // all texts first: a name that one gives away is masked in all
/// message = redactor.text(message) // CONTOSO\ann failed → domain-1\user-1 failed
/// ```
///
/// The time is linear in the length of a text. Correlations, versions, class names, and the names of SharePoint's own
/// pages are kept. Masking a text that is already masked does not change it.
package struct Redactor: Sendable {
    private var book = NameBook()
    private var pseudonyms: Pseudonyms
    /// The servers of the farm; a server's fully qualified name counts as the same name.
    private var servers: Set<String> = []
    /// The servers that wrote the logs, in lowercase.
    private var writers: Set<String> = []
    private var isLearning = false
    private var masked = 0
    private var secrets = 0
    private var queryValues = 0
    private let isKeyed: Bool

    /// The maximum depth of texts within texts, such as an escaped address in a query.
    private static let maximumDepth = 4

    /// Creates a redactor; with a key, pseudonyms are the same in every run.
    package init(key: [UInt8]? = nil) {
        pseudonyms = Pseudonyms(key: key)
        isKeyed = key != nil
    }

    /// The values masked so far.
    package var summary: RedactionSummary {
        var summary = RedactionSummary(isApplied: true)
        summary.isKeyed = isKeyed
        summary.values = masked + secrets + queryValues
        summary.names = pseudonyms.counts
        summary.secrets = secrets
        summary.queryValues = queryValues
        summary.isFull = pseudonyms.isFull
        return summary
    }

    /// Each pseudonym with the name that it replaces, in lowercase, by class and in the order of the pseudonyms.
    package var key: [(pseudonym: String, name: String)] { pseudonyms.all }

    /// The replacement for a secret and for a query's value.
    package static let mask = "***"

    /// Learns the names that are recognizable in a text.
    package mutating func learn(_ text: String) { _ = reading { $0.text(text) } }

    /// Learns a name from a field that contains only the name.
    package mutating func learn(_ name: String?, as nameClass: NameClass) {
        guard let name, !name.isEmpty else { return }
        _ = reading { $0.name(name, as: nameClass) }
    }

    /// Learns that a server wrote the logs; these servers are numbered by name, before all other hosts, so that they
    /// have the same pseudonyms in all reports on the same logs.
    ///
    /// This applies only while the redactor is learning; once a name has been masked, the numbers do not change.
    package mutating func learn(writer name: String?) {
        guard isLearning, let name, !name.isEmpty, !Pseudonyms.isPseudonym(name) else { return }
        writers.insert(name.lowercased())
    }

    /// Calls `body` only to learn names: nothing is masked or counted.
    package mutating func reading<Result>(_ body: (inout Redactor) -> Result) -> Result {
        isLearning = true
        defer { isLearning = false }
        return body(&self)
    }

    /// Whether the redactor only learns; see ``reading(_:)``.
    package var isReading: Bool { isLearning }

    /// Calls `body` with the redactor; the same method exists for an optional redactor.
    package mutating func masking<Result>(_ body: (inout Redactor) -> Result) -> Result { body(&self) }

    /// Returns a text without secrets and with pseudonyms in place of names.
    package mutating func text(_ text: String) -> String {
        var output: [UInt8] = []
        append(text.utf8.span, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends UTF-8 text, masked.
    package mutating func append(_ text: Span<UInt8>, to output: inout [UInt8]) {
        append(text, 0..<text.count, depth: 0, to: &output)
    }

    /// Returns the replacement for a secret from a field that contains only the secret.
    package mutating func secret() -> String {
        if !isLearning { secrets += 1 }
        return Self.mask
    }

    /// Returns the pseudonym of a name from a field that contains only the name.
    package mutating func name(_ name: String, as nameClass: NameClass) -> String {
        let span = name.utf8.span
        guard !name.isEmpty, !Pseudonyms.isPseudonym(name) else { return name }
        var output: [UInt8] = []
        let parts: [Detection.Part]
        switch nameClass {
        case .user: parts = Accounts.nameParts(span, span.indices)
        case .host:
            // `SQL01\INSTANCE` and `wfe1:32843` are a host with an addition.
            let end = span.nameEnd(from: 0, before: span.count)
            parts = NetworkNames.hostParts(span, 0..<end) + [.text(end..<span.count)]
        default: parts = [.name(nameClass, span.indices)]
        }
        for part in parts { append(part, of: span, depth: 0, to: &output) }
        return String(decoding: output, as: UTF8.self)
    }

    /// Returns the masked address or path of a site; here, unlike in a sentence, `/hr` is a path.
    package mutating func address(_ address: String) -> String {
        guard address.hasPrefix("/"), !address.hasSuffix("/") else { return text(address) }
        return String(text(address + "/").dropLast())
    }

    /// Returns the path of a file that was given to the program, without the names of servers and people.
    package mutating func path(_ path: String) -> String {
        // The name of an entry follows that of its archive, after a colon.
        let text = path.utf8.span
        var output: [UInt8] = []
        var start = 0
        var parent = ""
        for end in 0...text.count
        where end == text.count || "/\\:".utf8.contains(text[end]) && !text.has("://", at: end) {
            let folder = start..<end
            let isHome = ["users", "home", "documents and settings"].contains(parent) && end < text.count
            if isHome, !folder.isEmpty, !text.isGUID(folder) {
                append(.name(.user, folder), of: text, depth: 0, to: &output)
            } else if Secrets.isFolder(text, folder, in: parent) {
                append(.secret(folder), of: text, depth: 0, to: &output)
            } else {
                append(text, folder, depth: 1, inFolder: true, to: &output)
            }
            if end < text.count { output.append(text[end]) }
            parent = text.string(folder).lowercased()
            start = end + 1
        }
        return String(decoding: output, as: UTF8.self)
    }
}

extension Redactor {
    private mutating func append(
        _ text: Span<UInt8>,
        _ range: Range<Int>,
        depth: Int,
        inFolder: Bool = false,
        to output: inout [UInt8]
    ) {
        let limit = range.upperBound
        var offset = range.lowerBound
        var owners = Mailboxes(text, range).owners[...]
        while offset < limit {
            if let owner = owners.first, owner.range.lowerBound <= offset {
                owners.removeFirst()
                // Another detection may have covered the position.
                guard owner.range.lowerBound == offset else { continue }
                append(.name(.user, owner.range, isLearned: owner.isPlain), of: text, depth: depth, to: &output)
                offset = owner.range.upperBound
                continue
            }
            let byte = text[offset]
            if byte.isWord {
                if depth < Self.maximumDepth,
                    let found = Detections.atWord(text, offset, before: limit, inFolder: inFolder), found.end > offset
                {
                    for part in found.parts { append(part, of: text, depth: depth, to: &output) }
                    offset = found.end
                } else {
                    offset = appendWords(text, offset, before: limit, to: &output)
                }
            } else if depth < Self.maximumDepth, let found = Detections.atSign(text, offset, before: limit),
                found.end > offset
            {
                for part in found.parts { append(part, of: text, depth: depth, to: &output) }
                offset = found.end
            } else {
                output.append(byte)
                offset += 1
            }
        }
    }

    /// Appends the words of a name, masking known names among them, and returns their end.
    private mutating func appendWords(
        _ text: Span<UInt8>,
        _ start: Int,
        before limit: Int,
        to output: inout [UInt8]
    ) -> Int {
        let end = text.end(from: start, before: limit) { $0.isWord || $0.isJoint }
        var offset = start
        while offset < end {
            guard text[offset].isWord else {
                output.append(text[offset])
                offset += 1
                continue
            }
            let word = offset..<text.end(from: offset, before: end, while: \.isWord)
            if !isLearning, !(book.isEmpty && servers.isEmpty), let match = known(text, word, before: limit) {
                appendName(String(decoding: match.name, as: UTF8.self), match.nameClass, to: &output)
                offset = match.end
            } else {
                for index in word { output.append(text[index]) }
                offset = word.upperBound
            }
        }
        return offset
    }

    private func known(_ text: Span<UInt8>, _ word: Range<Int>, before limit: Int) -> NameBook.Match? {
        if let match = book.match(in: text, word: word, before: limit) {
            // `Contoso.Net.Mail`: a namespace that begins like a host.
            let isCode =
                match.name.contains(UInt8(ascii: ".")) && text[word.lowerBound].isUppercase
                && text[match.end - 1].isLowercase && text.byte(match.end) == UInt8(ascii: ".")
                && text.byte(match.end + 1).isUppercase
            return isCode ? nil : match
        }
        // `portal80`: a web site of a host, which may itself have a common name.
        let host = NetworkNames.withoutPort(text, word)
        if host.count < word.count {
            let name = text.string(host).lowercased()
            if servers.contains(name) { return .init(nameClass: .host, end: host.upperBound, name: Array(name.utf8)) }
        }
        // A name may be truncated only at the end, before the dots that mark the truncation.
        let rest = limit - word.lowerBound
        guard rest >= NameBook.beginning, rest < 200 else { return nil }
        var end = limit
        if end >= 3, text.has("\u{2026}", at: end - 3) { end -= 3 }
        while end > word.lowerBound, text[end - 1] == UInt8(ascii: ".") { end -= 1 }
        return book.cutMatch(in: text, from: word.lowerBound, before: end)
    }

    private mutating func append(_ part: Detection.Part, of text: Span<UInt8>, depth: Int, to output: inout [UInt8]) {
        switch part {
        case .keep(let range): for index in range { output.append(text[index]) }
        case .words(let range):
            var offset = range.lowerBound
            while offset < range.upperBound {
                if text[offset].isWord {
                    offset = appendWords(text, offset, before: range.upperBound, to: &output)
                } else {
                    output.append(text[offset])
                    offset += 1
                }
            }
        case .text(let range): append(text, range, depth: depth + 1, to: &output)
        case .decoded(let bytes): append(bytes.span, 0..<bytes.count, depth: depth + 1, to: &output)
        case .name(let nameClass, let range, let isLearned):
            guard !range.isEmpty else { return }
            if isLearning {
                if isLearned { learn(text, range, as: nameClass) }
                return
            }
            appendName(text.string(range), nameClass, to: &output)
        case .secret(let range):
            guard !range.isEmpty else { return }
            if !isLearning { secrets += 1 }
            output.append(contentsOf: Self.mask.utf8)
        case .query(let range):
            guard !range.isEmpty else { return }
            if !isLearning { queryValues += 1 }
            output.append(contentsOf: Self.mask.utf8)
        }
    }

    private mutating func appendName(_ name: String, _ nameClass: NameClass, to output: inout [UInt8]) {
        if Pseudonyms.isPseudonym(name) { return output.append(contentsOf: name.utf8) }
        masked += 1
        if !pseudonyms.hasNumbers { pseudonyms.number(hosts: Set(writers.map { shortName(of: $0) })) }
        let pseudonym = pseudonyms.pseudonym(of: nameClass == .host ? shortName(of: name) : name, as: nameClass)
        output.append(contentsOf: pseudonym.utf8)
    }

    /// Returns the name of a server without its domain; other hosts keep their domains, because `portal.a.com` is not
    /// `portal.b.com`.
    private func shortName(of host: String) -> String {
        guard let dot = host.firstIndex(of: ".") else { return host }
        let first = host[..<dot].lowercased()
        return servers.contains(first) ? first : host
    }

    private mutating func learn(_ text: Span<UInt8>, _ range: Range<Int>, as nameClass: NameClass) {
        book.learn(text.extracting(range), as: nameClass)
        guard nameClass == .host || nameClass == .domain else { return }
        guard let dot = text.first(UInt8(ascii: "."), in: range) else {
            if nameClass == .host { servers.insert(text.string(range).lowercased()) }
            return
        }
        // `wfe1.contoso.local` implies the domains `contoso.local` and `contoso`.
        let domain = nameClass == .domain ? range : dot + 1..<range.upperBound
        guard let next = text.first(UInt8(ascii: "."), in: domain) else { return }
        book.learn(text.extracting(domain), as: .domain)
        if next - domain.lowerBound >= 5 { book.learn(text.extracting(domain.lowerBound..<next), as: .domain) }
    }
}

/// The class of a name, which is the beginning of its pseudonym.
public enum NameClass: String, Sendable, Hashable, CaseIterable {
    case user, domain, host
    /// An IPv4 or IPv6 address.
    case ip
    case mac
    case sid
    /// A part of a path that the tenant named: a site, a library, or a page.
    case path
}

/// The counts of masked values in a report, and the kinds of values that are not redacted.
public struct RedactionSummary: Sendable, Hashable {
    /// The count of names of one class.
    public struct Count: Sendable, Hashable {
        public var nameClass: NameClass
        /// The number of different names.
        public var names: Int
    }

    /// False for a report that shows everything by request.
    public var isApplied: Bool
    /// Whether a key makes pseudonyms the same in every run; otherwise, the servers of the logs are numbered by name,
    /// and all other names in order of appearance.
    public var isKeyed = false
    /// The number of masked values, counting every occurrence in the report.
    public var values = 0
    /// The counts of masked names by class, in the order of ``NameClass``.
    public var names: [Count] = []
    /// The number of removed passwords, tokens, keys and query values, counting every occurrence.
    public var secrets = 0
    public var queryValues = 0
    /// Whether the command has an option to show everything.
    package var isOptional = true
    /// Whether there were more names than the table holds; all others have the pseudonym `user-?`, `host-?`, and so on.
    public var isFull = false

    public init(isApplied: Bool) { self.isApplied = isApplied }

    /// The summary of a report that, by request, is not redacted.
    public static let off = RedactionSummary(isApplied: false)

    /// The kinds of values that redaction does not detect.
    public static let notLookedFor = [
        "names outside the accounts, addresses and fields of this report",
        "titles of documents, lists and sites in running text",
        "names of databases, custom code, folders and archives",
    ]
}

/// The pseudonyms of names: numbers in order of appearance, except for servers already known, or keyed digests.
struct Pseudonyms: Sendable {
    private let key: [UInt8]?
    private var known: [NameClass: [String: String]] = [:]
    /// The pseudonyms in use if there is a key, because two names must not share a pseudonym.
    private var taken: Set<String> = []
    /// The numbers of hosts that do not depend on the order of appearance; `nil` before any name is masked.
    private var numbers: [String: Int]?
    /// The last number of each class that is numbered in order of appearance.
    private var last: [NameClass: Int] = [:]
    private(set) var isFull = false

    /// The maximum number of names of one class; all others share `user-?`.
    static let maximum = 50_000

    init(key: [UInt8]?) { self.key = key }

    var hasNumbers: Bool { numbers != nil }

    /// Numbers these hosts by name; hosts that appear later get higher numbers.
    mutating func number(hosts: Set<String>) {
        numbers = Dictionary(uniqueKeysWithValues: hosts.sorted().enumerated().map { ($1, $0 + 1) })
        last[.host] = hosts.count
    }

    /// Returns the pseudonym of a name, ignoring case.
    mutating func pseudonym(of name: String, as nameClass: NameClass) -> String {
        let name = name.lowercased()
        if let pseudonym = known[nameClass]?[name] { return pseudonym }
        let count = known[nameClass]?.count ?? 0
        guard count < Self.maximum else {
            isFull = true
            return "\(nameClass.rawValue)-?"
        }
        let pseudonym = keyed(name, nameClass) ?? "\(nameClass.rawValue)-\(number(of: name, nameClass))"
        known[nameClass, default: [:]][name] = pseudonym
        return pseudonym
    }

    /// Each pseudonym with its name, by class and in order.
    var all: [(pseudonym: String, name: String)] {
        NameClass.allCases.flatMap { nameClass in
            (known[nameClass] ?? [:]).map { (pseudonym: $1, name: $0) }
                .sorted { ($0.pseudonym.utf8.count, $0.pseudonym) < ($1.pseudonym.utf8.count, $1.pseudonym) }
        }
    }

    /// The number of names of each class that have a pseudonym.
    var counts: [RedactionSummary.Count] {
        NameClass.allCases.compactMap { nameClass in
            let names = known[nameClass]?.count ?? 0
            return names > 0 ? RedactionSummary.Count(nameClass: nameClass, names: names) : nil
        }
    }

    private mutating func number(of name: String, _ nameClass: NameClass) -> Int {
        if nameClass == .host, let number = numbers?[name] { return number }
        last[nameClass, default: 0] += 1
        return last[nameClass] ?? 0
    }

    private mutating func keyed(_ name: String, _ nameClass: NameClass) -> String? {
        guard let key else { return nil }
        var function = HMACSHA256(key: key)
        let digest = function.digest(of: "\(nameClass.rawValue)\u{0}\(name)".utf8).hexadecimal
        // Eight digits are enough for all but about one pair among a hundred thousand names; that pair gets more
        // digits.
        for length in stride(from: 8, through: 64, by: 8) {
            let pseudonym = "\(nameClass.rawValue)-\(digest.prefix(length))"
            if taken.insert(pseudonym).inserted { return pseudonym }
        }
        return nil
    }

    /// Returns whether a text looks like a pseudonym, which is not masked again.
    static func isPseudonym(_ text: String) -> Bool {
        guard let dash = text.lastIndex(of: "-"), NameClass(rawValue: text[..<dash].lowercased()) != nil else {
            return false
        }
        let rest = text[text.index(after: dash)...]
        if rest.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) { return !rest.isEmpty }
        return rest == "?" || rest.utf8.count >= 8 && rest.utf8.allSatisfy(\.isHexadecimal)
    }
}

import TextKit

/// A failure code, with the name that the table of its space gives it.
package struct FailureCode: Sendable, Equatable {
    /// The owner of a number: the same number means different things in different spaces.
    package enum Space: String, Sendable, Equatable, CaseIterable {
        case win32, hresult, ntstatus, clr, ldap, wmi, x509, http, kerberos, sql, search, sharepoint
        /// Results of Windows Management Infrastructure, on which Desired State Configuration is built.
        case mi
        /// Exit codes of setup programs of SharePoint and Office, and messages of Windows Installer.
        case setup
        /// Microsoft Entra ID, which writes `AADSTS` before its numbers.
        case entra
        /// Windows Identity Foundation, which writes `ID` before its numbers.
        case wif
        case permission
        case userRight = "user-right"
        /// Codes of exceptions that a program, such as the .NET runtime, raises itself; they are not NTSTATUS codes of
        /// Windows.
        case exception
        /// Sentences without a number of their own; their numbers are those of the project's own table.
        case sentence

        /// True if each code or sentence stands for one failure of one program, so that its causes are more specific than
        /// those of a class of failures.
        var isSpecific: Bool { [.sql, .search, .sharepoint, .setup, .entra, .wif, .sentence].contains(self) }
    }

    /// A property that several codes share, for which a component can list causes.
    package enum Kind: String, Sendable {
        /// A plain "Access denied".
        case refusal
        /// A path that Windows refused, regardless of the component.
        case refusedFile = "refused-file"
        /// A missing file or assembly.
        case absence
        /// A response that was an HTML page.
        case page
        /// A response that is part of a normal exchange, and not a failure.
        case normal
        /// A message that reports no failure, although its words, codes and exceptions look like one.
        case harmless
        /// An unspecified failure: it may accompany any failure, so its causes are shown only if there is no more
        /// specific code.
        case vague
        /// A report only that the program encountered something unexpected.
        case unexpected

        /// True if any other code found alongside is more specific.
        var tellsLittle: Bool { self == .vague || self == .unexpected }
        /// True if the code only reports that something was refused, missing or unexpected.
        var givesNoReason: Bool { [.refusal, .absence, .vague, .unexpected].contains(self) }
    }

    package var space: Space
    /// The number as an unsigned value: 0x80070005 and -2147024891 are the same.
    ///
    /// The number includes a substatus or a state; see ``plain``.
    package var number: UInt64
    /// The name in the header files of its space; `nil` if only the parts of the number are known.
    package var name: String?
    /// The meaning in one sentence; `nil` if there is none in the tables.
    package var meaning: String?
    /// A property shared with other codes; `nil` for most.
    package var kind: Kind?
    /// Whether it only reports that something failed, and the reason is in another sentence, exception or row.
    package var isOuter = false
    /// Whether its causes are only possible: there are several, or they are those of any failure with this number, or of
    /// an outer one.
    package var isSupposed: Bool { isGeneral || causes.count > 1 }
    /// Whether any program reports it, or it only reports a failure whose reason another code or text gives.
    package var isGeneral: Bool { !space.isSpecific || isOuter }
    /// Whether it is a product's own code or sentence with causes, and so more specific than others beside it.
    var hasOwnCauses: Bool { space.isSpecific && kind == nil && !causes.isEmpty }
    /// The ID of the component that alone writes the sentence; `nil` for most.
    var component: String?
    /// The most common causes in a SharePoint farm, with the usual one first.
    package var causes: [String] = []
    /// The conditions of causes and checks, as texts state them, `Is user licensed == False`, or with the IDs of
    /// components: `in client soap`.
    var conditions: [String: String] = [:]
    /// The recommended checks.
    package var checks: [Check] = []

    package init(space: Space, number: UInt64, name: String? = nil) {
        (self.space, self.number, self.name) = (space, number, name)
    }
}

/// Something to check, without changing anything.
package struct Check: Sendable, Equatable {
    /// The subject of the check, as a sentence.
    package var text: String
    /// A command that shows the answer and changes nothing; `nil` if there is none.
    package var command: String?
    /// True if it only shows whether the component can be reached.
    var isOfConnection = false
    /// True if it shows the rows of the same request.
    var isTrace: Bool { command?.contains("trace CORRELATION") == true }
    /// True if the text itself advises it, so it may change something.
    package var isAdvice = false
    /// True if the command contains names from the text.
    package var isFilled = false

    package init(_ text: String, command: String? = nil) {
        self.text = text
        self.command = command
    }
}

/// A code in a text, and the evidence for it.
package struct FoundCode: Sendable, Equatable {
    /// A phrase is a known sentence in place of a number; it never outranks a number.
    ///
    /// The source and the number of an event of Windows identify its text, whatever language it is in.
    package enum Evidence: String, Sendable, CaseIterable { case number, name, phrase, event }

    package var code: FailureCode
    package var evidence: Evidence
    /// The position of the code, in UTF-8 bytes.
    package var range: Range<Int>
    /// The number of bytes without the variable parts of a sentence; `nil` if there are none.
    var fixed: Int?

    /// The number of bytes that the table has.
    fileprivate var weight: Int { fixed ?? range.count }

    /// Returns whether another code is part of this sentence, and not of a variable part of it.
    fileprivate func states(_ other: FoundCode) -> Bool {
        fixed == nil && range.lowerBound <= other.range.lowerBound && other.range.upperBound <= range.upperBound
    }
}

/// The meanings of the numbers, names and sentences with which Windows, .NET, SQL Server and SharePoint report
/// failures.
///
/// The tables are those of `Rules/Codes`. A code is decoded to the documented meaning of its number and nothing more.
/// Causes and checks are given only if they are well known.
package enum FailureCodes {
    /// Finds the codes in running text.
    ///
    /// A number counts if its form or the words before it mark it as a code: a plain number is not one. A sentence
    /// counts if a table contains it. If two codes overlap, a number takes precedence over a name, and a name over a
    /// sentence; otherwise, the longer one wins, without the variable parts of a sentence. A code that occurs twice, as
    /// in `0x80070005 (E_ACCESSDENIED)`, is returned once, with its best evidence.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - words: Other information about the text, such as the category of the row: if several components use the same
    ///     number, these words show its owner.
    /// - Returns: The codes in the order of the text.
    package static func find(in text: String, beside words: String = "") -> [FoundCode] {
        let bytes = Array(text.utf8)
        var scan = CodeScan(bytes, beside: words)
        let phrases = PhraseTable.builtIn.matches(in: bytes)
        // A sentence that has a number in its own words gives its meaning: `Error 1935. An error occurred during …`.
        let numbers = scan.candidates().filter { number in !phrases.contains { $0.states(number) } }
        let found = numbers + phrases
        return FoundCodes.chosen(HTMLBody(in: bytes)?.told(of: found) ?? found)
    }

    /// Finds the code that stands for an event of Windows: for one of SQL Server, that with the same number; for others,
    /// the sentence for which the tables have the source and the number, as in `Microsoft-Windows-WAS 5021`.
    package static func find(event number: String, of source: String) -> [FoundCode] {
        let ofSQL = source.hasPrefix("MSSQL") ? UInt64(number).flatMap { code($0, in: .sql) } : nil
        let known = ["", "Microsoft-Windows-"].flatMap { prefix in
            let event = Array("\(prefix)\(source) \(number)".utf8)
            return PhraseTable.builtIn.matches(in: event).filter { $0.range.count == event.count }
        }
        return ([ofSQL].compactMap(\.self) + known.map(\.code)).map {
            FoundCode(code: $0, evidence: .event, range: 0..<0)
        }
    }

    /// Looks up a user's input: `0x800703FA`, `1332`, `-2147024894`, `sql:4060`, `http:503.2`, `data 52e`, a name, a
    /// sentence.
    ///
    /// - Returns: One code for each space that defines the number: first those with a meaning, starting with `win32`;
    ///   an empty list if the input is unknown.
    package static func lookUp(_ words: String) -> [FailureCode] {
        let words = words.trimmed
        guard !words.isEmpty else { return [] }
        if let colon = words.firstIndex(of: ":"), let space = FailureCode.Space(typed: words[..<colon]) {
            return lookUp(String(words[words.index(after: colon)...]).trimmed, in: space)
        }
        let numbered = numbered(words)
        if !numbered.isEmpty { return numbered }
        if let code = directoryData(words) { return [code] }
        let named = CodeTables.builtIn.entries(named: words).filter { $0.space != .sentence }.map(code)
        return named.isEmpty ? find(in: words).map(\.code) : unique(named)
    }

    /// Returns true for a line that can be looked up as a whole: a word, a sentence, or a code without further
    /// information.
    package static func isQuestion(_ line: String) -> Bool {
        let words = line.trimmed
        guard words.utf8.contains(where: { $0 <= 0x20 }) else { return true }
        if directoryData(words) != nil || !CodeTables.builtIn.entries(named: words).isEmpty { return true }
        if let colon = words.firstIndex(of: ":"), FailureCode.Space(typed: words[..<colon]) != nil {
            return !lookUp(words).isEmpty
        }
        let found = find(in: words)
        guard found.count == 1, let range = found.first?.range else { return false }
        // A full stop may follow.
        return range.lowerBound == 0 && words.utf8.count - range.upperBound <= 1
    }

    /// Decodes a number in a space.
    ///
    /// The facility and an embedded Win32 code, NTSTATUS or HTTP status are decoded even if the tables have no name; a
    /// permission mask becomes the names of its rights.
    ///
    /// - Returns: `nil` if nothing is known about the number.
    package static func code(_ number: UInt64, in space: FailureCode.Space) -> FailureCode? {
        switch space {
        case .permission: return PermissionMask.code(number)
        case .http:
            let entry = CodeTables.builtIn.entry(number, .http)
            let status = CodeTables.builtIn.entry(CodeNumber.status(number), .http)
            return (entry ?? status).map { filled(number, .http, CodeTables.builtIn.name(of: $0)) }
        case .sql:
            guard let entry = CodeTables.builtIn.entry(CodeNumber.withoutState(number), .sql) else { return nil }
            let state = CodeNumber.state(number).map { ", state \($0)" } ?? ""
            return filled(number, .sql, CodeTables.builtIn.name(of: entry) + state)
        case .hresult, .ntstatus, .clr, .wmi, .search, .sharepoint, .exception:
            if let entry = CodeTables.builtIn.entry(number, space) { return code(entry) }
            return StructuredCode(number)?.decoded(in: space)
        case .win32, .ldap, .x509, .kerberos, .mi, .setup, .entra, .wif, .userRight, .sentence:
            return CodeTables.builtIn.entry(number, space).map(code)
        }
    }

    /// The sentence for the responses of a Windows sign-in that succeeded.
    static let signIn: UInt64 = 979
    /// The sentence for a mail server's refusal.
    static let mailReply: UInt64 = 412

    /// The lowercase literals for a case-insensitive search for rows worth reading: any text with a phrase contains at
    /// least one.
    package static var phrases: [String] { PhraseTable.builtIn.literals }

    /// The known sentences, in lowercase, those with the most fixed bytes first.
    package static var sentences: [KnownSentence] { PhraseTable.builtIn.phrases.map(KnownSentence.init) }

    static func code(_ entry: CodeTables.Entry) -> FailureCode {
        filled(entry.number, entry.space, CodeTables.builtIn.name(of: entry))
    }

    /// Returns a code with its documented meaning, or with the meaning of the code that it wraps.
    static func filled(_ number: UInt64, _ space: FailureCode.Space, _ name: String?) -> FailureCode {
        var code = FailureCode(space: space, number: number, name: name)
        var keys = [CodeKey(space, number)]
        // A named substatus is more specific than its status, and may be a different failure.
        if space == .http, CodeTables.builtIn.entry(number, .http) == nil {
            keys.append(CodeKey(.http, CodeNumber.status(number)))
        }
        if space == .sql { keys.append(CodeKey(.sql, CodeNumber.withoutState(number))) }
        if let inner = StructuredCode(number)?.inner, space == .hresult || space == .clr { keys.append(inner) }
        for key in keys {
            guard let words = CodeMeanings.builtIn.words(of: key) else { continue }
            (code.meaning, code.kind, code.component) = (words.meaning, words.kind, words.component)
            code.isOuter = words.isOuter
            (code.causes, code.conditions, code.checks) = (words.causes, words.conditions, words.checks)
            break
        }
        return code
    }
}

extension FailureCodes {
    private static func lookUp(_ words: String, in space: FailureCode.Space) -> [FailureCode] {
        if let number = CodeNumber.parse(Array(words.utf8), in: space) {
            // An HRESULT may belong to .NET or to the crawler, regardless of the words used for it.
            let known = StructuredCode(number)?.spacesToTell ?? []
            let isElsewhere = space == .hresult && !known.isEmpty && !known.contains(.hresult)
            return code(number, in: isElsewhere ? known[0] : space).map { [$0] } ?? []
        }
        return CodeTables.builtIn.entries(named: words).filter { $0.space == space }.prefix(1).map(code)
    }

    /// Returns the possible meanings of a number without context.
    private static func numbered(_ words: String) -> [FailureCode] {
        let text = Array(words.utf8)
        let isHex = text.starts(with: "0x".utf8) || text.starts(with: "0X".utf8)
        let isLong = text.count == 8 && text.first.map { "8cCdD".utf8.contains($0) } == true
        if isHex || (isLong && !text.allSatisfy(\.isDigit)) || (isLong && text.starts(with: "800".utf8)) {
            guard let number = CodeNumber.hex(text.dropFirst(isHex ? 2 : 0)) else { return [] }
            // Sixteen digits may be a negative number.
            let isExtended = number >> 31 == 0x1_FFFF_FFFF
            return spaces(of: isExtended ? number & 0xFFFF_FFFF : number, [.win32, .kerberos, .ldap])
        }
        if let point = text.firstIndex(of: UInt8(ascii: ".")), CodeNumber.decimal(text[..<point]) != nil {
            return CodeNumber.parse(text, in: .http).flatMap { code($0, in: .http) }.map { [$0] } ?? []
        }
        let small: [FailureCode.Space] = [.win32, .sql, .http, .ldap, .kerberos, .setup]
        return CodeNumber.parse(text, in: .win32).map { spaces(of: $0, small) } ?? []
    }

    private static func spaces(of number: UInt64, _ small: [FailureCode.Space]) -> [FailureCode] {
        if let structured = StructuredCode(number) {
            let isOfSQL = CodeTables.builtIn.entry(number, .sql) != nil
            return (structured.spacesToTell + (isOfSQL ? [.sql] : [])).compactMap { code(number, in: $0) }
        }
        let codes = small.compactMap { CodeTables.builtIn.entry(number, $0).map(code) }
        // Codes with a documented meaning are the ones that occur in practice.
        return codes.filter { $0.meaning != nil } + codes.filter { $0.meaning == nil }
    }

    /// Returns the code for `data 52e`, a domain controller's reason for refusing a bind.
    private static func directoryData(_ words: String) -> FailureCode? {
        let parts = words.lowercased().split(separator: " ")
        guard parts.count == 2, parts[0] == "data", parts[1].utf8.count == 3,
            let number = CodeNumber.hex(Array(parts[1].utf8))
        else { return nil }
        return code(number, in: .win32)
    }

    private static func unique(_ codes: [FailureCode]) -> [FailureCode] {
        var seen: Set<CodeKey> = []
        return codes.filter { seen.insert(CodeKey($0.space, $0.number)).inserted }
    }
}

extension FailureCode {
    /// The number in its space's usual notation: `0x80070005`, `1332`, `503.2`.
    package var spelled: String { CodeNumber.spelled(number, in: space) }

    /// The number, without the state if it is a SQL Server error.
    package var plain: UInt64 { space == .sql ? CodeNumber.withoutState(number) : number }

    /// True for an error that SQL Server sends about a statement, which therefore reached it.
    var isOfStatement: Bool { space == .sql && 100..<10_000 ~= plain && !Self.ofConnections.contains(plain) }

    /// The other errors concern networks, logins and the server itself, as do those below 100 and above 9,999.
    private static let ofConnections: Set<UInt64> = [
        121, 233, 258, 976, 978, 979, 982, 983, 1418, 4014, 4060, 4062, 4063, 4064, 6005,
    ]

    /// Keeps the causes that the facts in a text allow, beginning with those whose conditions they meet.
    mutating func heed(_ facts: StatedFacts) {
        causes =
            causes.filter { conditions[$0].flatMap(facts.holds) == true }
            + causes.filter { conditions[$0].flatMap(facts.holds) == nil }
    }

    /// Begins with the causes whose condition, such as `With 0x80070005: …`, a text meets, and ends with those whose
    /// condition it does not, because it may have the same in other words.
    mutating func heed(_ text: String, _ numbers: [UInt64]) {
        let signs = causes.map(Self.signs)
        guard signs.contains(where: { $0 != nil }) else { return }
        func plain(_ number: UInt64) -> UInt64 { number >> 16 == 0x8007 ? number & 0xFFFF : number }
        func spaced(_ text: some StringProtocol) -> String {
            " \(text.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: " ")) "
        }
        let words = spaced(text)
        let isMet = signs.map { signs in
            signs.map { signs in
                signs.contains { sign in
                    let isHex = sign.hasPrefix("0x")
                    let number = UInt64(isHex ? sign.dropFirst(2) : sign, radix: isHex ? 16 : 10)
                    let isFound = number.map { wanted in numbers.contains { plain($0) == plain(wanted) } } == true
                    return isFound || words.contains(spaced(sign))
                }
            }
        }
        let all = zip(causes, isMet)
        causes = [true, nil, false].flatMap { met in all.filter { $0.1 == met }.map(\.0) }
    }

    /// Returns the condition of a cause, as quoted words, numbers and names of types, one of them in the text: `With
    /// status 400 or 401: …`, `If the text is "not supported": …`; `nil` if it has no condition, or one in other words.
    private static func signs(of cause: String) -> [Substring]? {
        guard cause.hasPrefix("With ") || cause.hasPrefix("If "), !cause.contains("; with ") else { return nil }
        var (rest, signs) = (cause[...], [] as [Substring])
        while let first = rest.first, first != ":", first != "," {
            if first == "\"" {
                guard let end = rest.dropFirst().firstIndex(of: "\"") else { return nil }
                signs.append(rest[..<end].dropFirst())
                rest = rest[end...].dropFirst()
            } else if " ()".contains(first) {
                rest = rest.dropFirst()
            } else {
                let word = rest.prefix { !" :,()".contains($0) }
                rest = rest[word.endIndex...]
                if isSign(word) { signs.append(word) } else if !aroundSigns.contains(word.lowercased()) { return nil }
            }
        }
        return signs.isEmpty || rest.isEmpty ? nil : signs
    }

    /// Returns whether a word is a number, other than a year, or the name of a type or method.
    private static func isSign(_ word: Substring) -> Bool {
        let isNumber = word.utf8.count > 2 && word.contains(where: \.isNumber) && !word.hasPrefix("20")
        return isNumber
            || word.utf8.count > 7 && word != "SharePoint" && word.dropFirst().contains(where: \.isUppercase)
    }

    private static let aroundSigns = Set(
        "with if the a an text row rows exception message status line error event state code or and in of is has names"
            .split(separator: " ").map(String.init)
    )

    /// Keeps the causes and checks that concern the component of the failure, if it is known.
    mutating func heed(_ component: String?) {
        func fits(_ text: String) -> Bool {
            let words = conditions[text]?.split(separator: " ") ?? []
            guard let limit = words.first, ["in", "not"].contains(limit) else { return true }
            return words.dropFirst().contains { $0 == component ?? "" } == (limit == "in")
        }
        causes.removeAll { !fits($0) }
        // Those for this component alone are more specific.
        let own = causes.filter { conditions[$0]?.hasPrefix("in ") == true }
        causes = own + causes.filter { !own.contains($0) }
        checks.removeAll { !fits($0.text) }
    }

    /// The display name: the number and the name; a sentence has only a name.
    package var title: String {
        guard space != .sentence else { return name ?? spelled }
        return [spelled, name].compactMap(\.self).joined(separator: " ")
    }
}

extension FailureCode.Space {
    /// Creates a space from the word that users type before a colon.
    fileprivate init?(typed: Substring) {
        let name = typed.lowercased()
        let others: [String: Self] = [
            "hr": .hresult, "nt": .ntstatus, "status": .ntstatus, "win": .win32, "iis": .http, "x.509": .x509,
            "kdc": .kerberos, "krb": .kerberos, "mask": .permission, "permissions": .permission, "right": .userRight,
            "mssql": .sql, "dotnet": .clr, ".net": .clr, "aadsts": .entra,
        ]
        guard let space = Self(rawValue: name) ?? others[name] else { return nil }
        self = space
    }
}

/// The identity of a code.
struct CodeKey: Hashable, Sendable {
    var space: FailureCode.Space
    var number: UInt64

    init(_ space: FailureCode.Space, _ number: UInt64) {
        self.space = space
        self.number = number
    }
}

extension String {
    /// The text without surrounding white space and quotes.
    var trimmed: String {
        let isOutside = { (byte: UInt8) in byte <= 0x20 || byte == 0x22 || byte == 0x27 }
        let bytes = utf8.drop(while: isOutside)
        guard let last = bytes.lastIndex(where: { !isOutside($0) }) else { return "" }
        return String(Substring(bytes[...last]))
    }
}

/// The selection of the relevant codes among all those found in a text.
enum FoundCodes {
    /// Returns the codes in the order of the text, without those that a better one overlaps or repeats.
    static func chosen(_ candidates: [FoundCode]) -> [FoundCode] {
        let best = order(of: candidates.count) { one, other in
            let (left, right) = (candidates[one], candidates[other])
            if left.evidence != right.evidence { return left.evidence.rank < right.evidence.rank }
            return left.weight > right.weight
        }
        var chosen: [FoundCode] = []
        for place in best {
            let code = candidates[place]
            let isTold = chosen.contains { $0.range.overlaps(code.range) || $0.code.saysTheSame(as: code.code) }
            if !isTold { chosen.append(code) }
            if chosen.count == maximum { break }
        }
        return order(of: chosen.count) { chosen[$0].range.lowerBound < chosen[$1].range.lowerBound }.map { chosen[$0] }
    }

    /// The maximum number of codes in a text; more codes are a listing rather than a failure.
    private static let maximum = 64
}

extension FoundCode.Evidence {
    /// The rank, the best first.
    fileprivate var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension FailureCode {
    /// Returns whether both are the same code, whatever causes are given for it.
    package func isSame(as other: FailureCode) -> Bool { space == other.space && number == other.number }

    /// Returns whether both codes mean the same failure, like 0x80070005 and Windows error 5.
    fileprivate func saysTheSame(as other: FailureCode) -> Bool { innermost == other.innermost }

    private var innermost: CodeKey {
        if space == .hresult || space == .clr, let inner = StructuredCode(number)?.inner { return inner }
        return CodeKey(space, plain)
    }
}

/// A mask of SharePoint's permissions.
enum PermissionMask {
    private static let all: UInt64 = 0x7FFF_FFFF_FFFF_FFFF

    /// Returns the mask with the names of its rights; `nil` if it has none.
    static func code(_ mask: UInt64) -> FailureCode? {
        guard mask != 0 else { return nil }
        if let entry = CodeTables.builtIn.entry(mask, .permission) { return FailureCodes.code(entry) }
        var rest = mask
        var names: [String] = []
        for entry in CodeTables.builtIn.entries(of: .permission) where entry.number != all && mask & entry.number != 0 {
            names.append(CodeTables.builtIn.name(of: entry))
            rest &= ~entry.number
        }
        if rest != 0 { names.append("0x" + String(rest, radix: 16, uppercase: true)) }
        return FailureCodes.filled(mask, .permission, names.joined(separator: ", "))
    }
}

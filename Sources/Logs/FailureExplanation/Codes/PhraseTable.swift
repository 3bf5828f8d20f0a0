import TextKit

/// The sentences that appear in place of numbers: the files `phrases*.tsv` of `Rules/Codes`.
///
/// A line contains a code and a sentence, or a comment; ` * ` in a sentence matches up to 160 bytes. Case, the amount
/// of white space and the form of apostrophes are ignored. All sentences are searched for at once: the first eight
/// bytes of each are the key of a hash table, in which the start of each word is looked up.
struct PhraseTable: Sendable {
    struct Phrase: Sendable {
        var code: CodeKey
        /// The fixed parts, folded like ``FoldedText``.
        let parts: [[UInt8]]
        /// The number of fixed bytes.
        let weight: Int

        init(code: CodeKey, parts: [[UInt8]]) {
            self.code = code
            self.parts = parts
            weight = parts.reduce(0) { $0 + $1.count }
        }
    }

    static let builtIn = PhraseTable(CodeFile.builtIn { $0.hasPrefix("phrases") })
    /// The maximum number of bytes that `*` matches.
    static let longestGap = 160

    /// The phrases with the most fixed bytes first.
    let phrases: [Phrase]
    /// The first phrase of each key; each phrase leads to the next one of its key.
    private var first: [UInt64: Int32] = [:]
    private var next: [Int32]

    init(_ files: [CodeFile]) {
        var found: [Phrase] = []
        for file in files where file.name.hasPrefix("phrases") {
            for line in Array(file.text.utf8).split(separator: UInt8(ascii: "\n")) {
                guard line.first != UInt8(ascii: "#"), let tab = line.firstIndex(of: UInt8(ascii: "\t")),
                    let code = CodeKey(line[..<tab])
                else { continue }
                found.append(Phrase(code: code, parts: Self.parts(line[(tab + 1)...])))
            }
        }
        phrases = order(of: found.count) { found[$0].weight > found[$1].weight }.map { found[$0] }
        next = [Int32](repeating: -1, count: found.count)
        first.reserveCapacity(found.count)
        for number in phrases.indices.reversed() {
            guard let key = phrases[number].parts.first.flatMap({ Self.key($0, at: 0) }) else { continue }
            next[number] = first.updateValue(Int32(number), forKey: key) ?? -1
        }
    }

    private static func parts(_ sentence: ArraySlice<UInt8>) -> [[UInt8]] {
        let isASCII = sentence.allSatisfy { $0 < 0x80 }
        let folded = isASCII ? sentence.map(\.lowercased) : FoldedText(Array(sentence)).bytes
        guard folded.contains(UInt8(ascii: "*")) else { return [folded] }
        return folded.split(separator: UInt8(ascii: "*"))
            .map { part in
                var part = Array(part)
                // Next to a gap, spaces are not fixed.
                while part.first == 0x20 { part.removeFirst() }
                while part.last == 0x20 { part.removeLast() }
                return part
            }
            .filter { !$0.isEmpty }
    }

    private static func key(_ bytes: [UInt8], at start: Int) -> UInt64? {
        guard start + 8 <= bytes.count else { return nil }
        var key: UInt64 = 0
        for byte in bytes[start..<(start + 8)] { key = key << 8 | UInt64(byte) }
        return key
    }

    /// One literal for each phrase: its longest run of bytes that can differ only in ASCII case.
    var literals: [String] {
        phrases.map { phrase in
            let runs = phrase.parts.flatMap { $0.split { $0 >= 0x80 || $0 == UInt8(ascii: "'") } }
            let run = runs.max { $0.count < $1.count } ?? []
            guard run.count < 8 else { return String(decoding: run, as: UTF8.self) }
            return String(decoding: phrase.parts.max { $0.count < $1.count } ?? [], as: UTF8.self)
        }
    }

    /// Returns all phrases in a text; they may overlap.
    func matches(in bytes: [UInt8]) -> [FoundCode] {
        let text = FoldedText(bytes)
        var found: [FoundCode] = []
        var told: Set<CodeKey> = []
        for start in text.bytes.indices where text.isStartOfWord(start) {
            guard let key = Self.key(text.bytes, at: start) else { continue }
            var candidate = Int(first[key] ?? -1)
            while candidate >= 0 {
                let phrase = phrases[candidate]
                candidate = Int(next[candidate])
                // One occurrence is enough.
                guard let end = text.end(of: phrase.parts, at: start, gap: Self.longestGap),
                    told.insert(phrase.code).inserted,
                    let code = FailureCodes.code(phrase.code.number, in: phrase.code.space)
                else { continue }
                let range = Int(text.origins[start])..<Int(text.origins[end])
                let fixed = phrase.parts.count > 1 ? phrase.weight : nil
                found.append(FoundCode(code: code, evidence: .phrase, range: range, fixed: fixed))
                break
            }
        }
        return found
    }
}

/// A known sentence in lowercase; its gaps are written as `*`.
package struct KnownSentence: Sendable {
    package let text: String
    private let key: CodeKey

    init(_ phrase: PhraseTable.Phrase) {
        text = phrase.parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " * ")
        key = phrase.code
    }

    /// The code that the sentence stands for, with its causes.
    package var code: FailureCode? { FailureCodes.code(key.number, in: key.space) }
}

/// The words before a number, which identify it, in lowercase and with single spaces.
struct CodeContext {
    private let words: String

    /// The statuses that are often mentioned without the word HTTP.
    static let plainStatus: Set<UInt64> = [400, 401, 403, 404, 405, 407, 408, 429, 500, 502, 503, 504]

    fileprivate init(_ words: String) { self.words = words }

    /// Returns whether the words end with one of these, matched as whole words.
    func ends(with endings: [String]) -> Bool {
        endings.contains { ending in
            guard words.hasSuffix(ending) else { return false }
            return words.utf8.count == ending.utf8.count || words.utf8.dropLast(ending.utf8.count).last == 0x20
        }
    }

    /// True if the words announce an error, whose number may be small.
    var isError: Bool {
        ends(with: [
            "error", "error code", "errorcode", "error code is", "error is", "error number", "error no", "err",
            "failure code", "fehler", "fehlercode", "erreur", "code d erreur", "code erreur", "failed with error",
            "failed with code",
        ]) || isWindows
    }

    /// True if the words introduce a number of eight hexadecimal digits, whose form is the best evidence.
    var isFullError: Bool {
        isError
            || ends(with: ["hr", "hresult", "result", "exception", "exception code", "status", "code", "failed with"])
    }

    var isWindows: Bool {
        ends(with: [
            "win32 error", "win32 error code", "win32error", "win32errorcode", "win32 code", "lasterror", "last error",
            "getlasterror", "getlasterror is", "getlasterror returned", "nativeerrorcode", "native error code",
            "system error", "system error code",
            "systemfehler", "erreur syst me", "os error", "operating system error", "windows error",
            "windows error code",
            "win32exception", "socketerrorcode",
        ])
    }

    var isHTTP: Bool {
        ends(with: [
            "status code", "statuscode", "http", "http status", "http status code", "http error", "httpstatuscode",
            "http 1 1",
            "http 1 0", "http 2", "http response", "http response code", "http code", "http fehler", "erreur http",
            "http statuscode", "code d tat http", "server returned", "server returned an error",
            // .NET's WebException in German and French.
            "einen fehler zur ckgegeben", "a retourn une erreur",
        ])
    }

    /// True if a program ended with the number.
    var isExit: Bool {
        ends(with: [
            "exit code", "exitcode", "exit code was", "exit code is", "exit code of", "exited with code", "exited with",
            "ended with code", "return code", "returned code", "returned exit code", "r ckgabecode", "code de retour",
        ])
    }

    var isResultOfMI: Bool { ends(with: ["miresult", "mi result"]) }

    var isLDAP: Bool {
        ends(with: ["ldap error", "ldap error code", "ldap result code", "ldap code", "ldap resultcode", "ldap fehler"])
    }

    /// True before the code in an event of Windows auditing.
    var isOfEvent: Bool { ends(with: ["failure code", "result code", "fehlercode", "ergebniscode"]) }

    var isKerberos: Bool {
        ends(with: ["kerberos error", "kerberos error code", "krb error", "kdc error", "kdc error code"])
    }

    /// Returns whether the number is a SQL Server error, judging by the words alone or by an adjacent State and Class.
    func isSQL(_ around: Surroundings) -> Bool {
        if ends(with: [
            "sql error", "sql error code", "sqlerror", "sql exception", "sqlexception", "sql server error",
            "sql server error code", "sql fehler", "erreur sql",
        ]) {
            return true
        }
        if ends(with: ["msg", "nachricht"]) { return around.has(["level ", "state ", "ebene ", "status "]) }
        let isNumber = ends(with: [
            "error", "number", "error number", "error code", "errorcode", "fehler", "fehlernummer", "erreur",
        ])
        return isNumber && around.hasStateOfSQL
    }

    /// Returns whether the number is a permission mask, as in `asking for 0x10000, have 0x2000000000`.
    func isPermission(asked before: Surroundings) -> Bool {
        ends(with: ["asking for", "permission mask", "permissionmask", "permmask", "basepermissions"])
            || (ends(with: ["have"]) && before.has(["asking for"]))
    }
}

/// A piece of text in lowercase.
struct Surroundings {
    private let text: [UInt8]

    init(_ bytes: ArraySlice<UInt8>) { text = bytes.map(\.lowercased) }

    func has(_ needles: [String]) -> Bool {
        needles.contains { needle in
            let needle = Array(needle.utf8)
            guard text.count >= needle.count else { return false }
            return (0...(text.count - needle.count)).contains { place in
                text[place] == needle[0] && text[place...].starts(with: needle)
            }
        }
    }

    /// True if the text has State with Class or Severity, the way SQL Server errors are logged.
    var hasStateOfSQL: Bool { has(["state:", "state "]) && has(["class:", "class ", "severity", "level "]) }

    var isOfWindows: Bool { has(["win32", "windows", "lasterror", "operating system", "system error", "os error"]) }

    /// True if the text names Windows Management Infrastructure as the type of an error: `Error Type: MI`.
    var isOfMI: Bool {
        let label = Array("error type: mi".utf8)
        return text.indices.contains {
            text[$0...].starts(with: label) && text[$0...].dropFirst(label.count).first?.isOfWord != true
        }
    }

    /// True if the text names a setup program of SharePoint, Office or Windows Installer.
    var isOfSetup: Bool { has(["setup", "msiexec", "install", "sharepoint", "office", ".msi", ".msp", "update"]) }

    var isOfSQL: Bool {
        hasStateOfSQL || has(["sql", "query execution", "stored procedure", "deadlock", "database"])
    }
}

extension CodeScan {
    /// Returns the words before a place within the same sentence.
    func context(before place: Int) -> CodeContext {
        var words: [UInt8] = []
        var position = place
        while position > 0, place - position < 40 {
            position -= 1
            let byte = bytes[position]
            if byte.isLetterOrDigit {
                words.append(byte.lowercased)
            } else if Self.ends.contains(byte) && !(byte == 0x09 && words.isEmpty)
                || byte == UInt8(ascii: ".") && words.last == 0x20
            {
                break
            } else if let last = words.last, last != 0x20 {
                words.append(0x20)
            }
        }
        if words.last == 0x20 { words.removeLast() }
        return CodeContext(String(decoding: words.reversed(), as: UTF8.self))
    }

    /// A number after one of these has nothing to do with the words before it.
    private static let ends: Set<UInt8> = Set(";,)]}>|\n\t".utf8)

    func around(_ word: Range<Int>) -> Surroundings {
        Surroundings(bytes[max(0, word.lowerBound - 100)..<min(bytes.count, word.upperBound + 100)])
    }

    func before(_ place: Int, _ count: Int) -> Surroundings { Surroundings(bytes[max(0, place - count)..<place]) }

    /// Returns whether a number is part of a GUID: `80070005-0000-…`, with or without braces.
    func isInGUID(_ word: Range<Int>) -> Bool {
        bytes[word.upperBound...].first == UInt8(ascii: "-")
            || (word.lowerBound > 0 && bytes[word.lowerBound - 1] == UInt8(ascii: "-"))
    }

    /// Returns whether the number has a minus sign that is not a hyphen between words, and is not a root of the registry:
    /// `RegOpenKeyExW(-2147483646,SYSTEM`.
    func isNegative(_ word: Range<Int>) -> Bool {
        guard word.lowerBound > 0, bytes[word.lowerBound - 1] == UInt8(ascii: "-") else { return false }
        let isRoot = bytes[word].starts(with: "21474836".utf8)
        if isRoot, bytes[word.upperBound...].first == UInt8(ascii: ","), word.lowerBound > 1,
            bytes[word.lowerBound - 2] == UInt8(ascii: "(")
        {
            return false
        }
        return word.lowerBound == 1 || !(bytes[word.lowerBound - 2].isOfWord || bytes[word.lowerBound - 2] == 0x2D)
    }

    /// Returns whether a number is part of a larger one: `10.0.0.1`, `12:30`, `50%`, `1,205`, `3/4`.
    func isPartOfLargerNumber(_ word: Range<Int>) -> Bool {
        let after = bytes[word.upperBound...].prefix(2)
        if let sign = after.first, "%/-\\".utf8.contains(sign) { return true }
        if after.count == 2, ".:,".utf8.contains(after.first ?? 0), (after.last ?? 0).isDigit { return true }
        guard word.lowerBound > 1, bytes[word.lowerBound - 2].isDigit else { return false }
        return ".:,-/".utf8.contains(bytes[word.lowerBound - 1])
    }

    /// Returns whether a number counts something, as in `error: 3 items`.
    func isCount(_ word: Range<Int>) -> Bool {
        let next = bytes[word.upperBound...].prefix(20).drop { $0 == 0x20 }.prefix { $0.isOfWord }.map(
            \.lowercased
        )
        return Self.counted.contains(String(decoding: next, as: UTF8.self))
    }

    private static let counted = """
        of out item items row rows document documents file files time times second seconds ms minutes hours days
        error errors warnings users records retries attempts bytes kb mb objects sites lists servers messages jobs
        """.wordSet

    /// Returns whether a number is an HTTP status: its reason follows, in words of HTTP or .NET, or JSON names it so.
    func isBeforeReason(_ word: Range<Int>) -> Bool {
        guard word.count == 3, let status = CodeNumber.decimal(bytes[word]), 400...599 ~= status else { return false }
        guard let entry = CodeTables.builtIn.entry(status, .http) else { return false }
        let after = String(decoding: bytes[word.upperBound...].prefix(60).map(\.lowercased), as: UTF8.self)
        let reason = after.drop { ")]: ".contains($0) }
        return reason.hasPrefix(CodeTables.builtIn.name(of: entry).lowercased())
            || (status == 503 && reason.hasPrefix("server unavailable"))
            || after.drop { $0.isWhitespace || ",\"'".contains($0) }.hasPrefix("statustext")
            || bytes[..<word.lowerBound].suffix(10).filter { $0 > 0x20 }.suffix(9).elementsEqual("\"status\":".utf8)
            // A status in round brackets; a sentence with "response" is a phrase of its own.
            || bytes[..<word.lowerBound].last == 0x28 && bytes[word.upperBound...].first == 0x29
                && around(word).has(["request", "remote server"]) && !before(word.lowerBound, 24).has(["response"])
    }
}

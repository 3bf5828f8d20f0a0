/// The words before a number, which say what it is: in lowercase, with one space between them.
struct CodeContext {
    private let words: String

    /// Statuses that people give without saying that they are HTTP's.
    static let plainStatus: Set<UInt64> = [400, 401, 403, 404, 405, 407, 408, 429, 500, 502, 503, 504]

    fileprivate init(_ words: String) { self.words = words }

    /// Tells whether these are the last words, as whole words.
    func ends(with endings: [String]) -> Bool {
        endings.contains { ending in
            guard words.hasSuffix(ending) else { return false }
            return words.utf8.count == ending.utf8.count || words.utf8.dropLast(ending.utf8.count).last == 0x20
        }
    }

    /// An error is meant, whose number may be small.
    var isError: Bool {
        ends(with: [
            "error", "error code", "errorcode", "error code is", "error is", "error number", "error no", "err",
            "failure code", "fehler", "fehlercode", "erreur", "code d erreur", "code erreur", "failed with error",
            "failed with code",
        ]) || isWindows
    }

    /// The words before a number of eight hexadecimal digits, which says most by its form.
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

    var isLDAP: Bool {
        ends(with: ["ldap error", "ldap error code", "ldap result code", "ldap code", "ldap resultcode", "ldap fehler"])
    }

    var isKerberos: Bool {
        ends(with: ["kerberos error", "kerberos error code", "krb error", "kdc error", "kdc error code"])
    }

    /// Tells whether it is an error of SQL Server, by the words alone or by State and Class beside them.
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

    /// `asking for 0x10000, have 0x2000000000`.
    func isPermission(asked before: Surroundings) -> Bool {
        ends(with: ["asking for", "permission mask", "permissionmask", "permmask", "basepermissions"])
            || (ends(with: ["have"]) && before.has(["asking for"]))
    }
}

/// A piece of text in lowercase.
struct Surroundings {
    private let text: [UInt8]

    init(_ bytes: ArraySlice<UInt8>) { text = bytes.map(\.lowercasedASCII) }

    func has(_ needles: [String]) -> Bool {
        needles.contains { needle in
            let needle = Array(needle.utf8)
            guard text.count >= needle.count else { return false }
            return (0...(text.count - needle.count)).contains { place in
                text[place] == needle[0] && text[place...].starts(with: needle)
            }
        }
    }

    /// State with Class or Severity, as SQL Server's errors are logged.
    var hasStateOfSQL: Bool { has(["state:", "state "]) && has(["class:", "class ", "severity", "level "]) }

    var isOfSQL: Bool {
        hasStateOfSQL || has(["sql", "query execution", "stored procedure", "deadlock", "database"])
    }
}

extension CodeScan {
    /// The words before a place, as far as the same sentence goes.
    func context(before place: Int) -> CodeContext {
        var words: [UInt8] = []
        var position = place
        while position > 0, place - position < 40 {
            position -= 1
            let byte = bytes[position]
            if byte.isDigit || (byte | 0x20) &- 0x61 <= 25 {
                words.append(byte.lowercasedASCII)
            } else if Self.ends.contains(byte) || (byte == UInt8(ascii: ".") && words.last == 0x20) {
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

    /// `80070005-0000-…`, with or without braces.
    func isInGUID(_ word: Range<Int>) -> Bool {
        bytes[word.upperBound...].first == UInt8(ascii: "-")
            || (word.lowerBound > 0 && bytes[word.lowerBound - 1] == UInt8(ascii: "-"))
    }

    /// A minus sign before it that joins no word to it.
    func isNegative(_ word: Range<Int>) -> Bool {
        guard word.lowerBound > 0, bytes[word.lowerBound - 1] == UInt8(ascii: "-") else { return false }
        return word.lowerBound == 1 || !(bytes[word.lowerBound - 2].isOfWord || bytes[word.lowerBound - 2] == 0x2D)
    }

    /// `10.0.0.1`, `12:30`, `50%`, `1,205`, `3/4`.
    func isPartOfLargerNumber(_ word: Range<Int>) -> Bool {
        let after = bytes[word.upperBound...].prefix(2)
        if let sign = after.first, "%/-\\".utf8.contains(sign) { return true }
        if after.count == 2, ".:,".utf8.contains(after.first ?? 0), (after.last ?? 0).isDigit { return true }
        guard word.lowerBound > 1, bytes[word.lowerBound - 2].isDigit else { return false }
        return ".:,-/".utf8.contains(bytes[word.lowerBound - 1])
    }

    /// `error: 3 items`: the number counts something.
    func isCount(_ word: Range<Int>) -> Bool {
        let next = bytes[word.upperBound...].prefix(20).drop { $0 == 0x20 }.prefix { $0.isOfWord }.map(
            \.lowercasedASCII
        )
        return Self.counted.contains(String(decoding: next, as: UTF8.self))
    }

    private static let counted: Set<String> = [
        "of", "out", "item", "items", "row", "rows", "document", "documents", "file", "files", "time", "times",
        "second",
        "seconds", "ms", "minutes", "hours", "days", "error", "errors", "warnings", "users", "records", "retries",
        "attempts",
        "bytes", "kb", "mb", "objects", "sites", "lists", "servers", "messages", "jobs",
    ]

    /// `(401) Unauthorized` and `503 Service Unavailable`.
    func isBeforeReason(_ word: Range<Int>) -> Bool {
        guard word.count == 3, let status = CodeNumber.decimal(bytes[word]), 400...599 ~= status else { return false }
        let after = bytes[word.upperBound...].prefix(40).drop { $0 == 0x29 || $0 == 0x20 || $0 == 0x3A }
        guard let entry = CodeTables.builtIn.entry(status, .http) else { return false }
        let words = after.map(\.lowercasedASCII)
        return words.starts(with: CodeTables.builtIn.name(of: entry).lowercased().utf8)
            // .NET's words for 503.
            || (status == 503 && words.starts(with: "server unavailable".utf8))
    }
}

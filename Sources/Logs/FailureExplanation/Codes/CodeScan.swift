/// Looks for codes that stand in a text as numbers or names.
struct CodeScan {
    let bytes: [UInt8]
    private let words: String
    private lazy var subjects = TextSubjects(bytes, beside: words)
    private let tables = CodeTables.builtIn
    private var found: [FoundCode] = []
    private var told: Set<Told> = []

    private struct Told: Hashable {
        var evidence: FoundCode.Evidence
        var code: CodeKey
    }

    /// Creates a scan of a text, of which `words` tell more, such as its category.
    init(_ bytes: [UInt8], beside words: String = "") {
        self.bytes = bytes
        self.words = words
    }

    /// All of them; they may overlap.
    mutating func candidates() -> [FoundCode] {
        var position = 0
        while position < bytes.count {
            guard bytes[position].isOfWord else {
                position += 1
                continue
            }
            let end = bytes[position...].firstIndex { !$0.isOfWord } ?? bytes.count
            read(position..<end)
            position = end
        }
        return found
    }

    private mutating func read(_ word: Range<Int>) {
        let first = bytes[word.lowerBound]
        if !first.isDigit {
            if 4...70 ~= word.count { readName(word) }
            if word.count == 8, let number = CodeNumber.hex(bytes[word]) { readBareHex(word, number) }
        } else if first == 0x30, word.count > 2, bytes[word.lowerBound + 1] | 0x20 == UInt8(ascii: "x") {
            readHex(word)
        } else if word.count == 8, let number = CodeNumber.hex(bytes[word]), !isInGUID(word) {
            readBareHex(word, number)
        } else if bytes[word].allSatisfy(\.isDigit) {
            if isNegative(word) { readNegative(word) } else { readDecimal(word) }
        } else if word.count <= 4, let number = CodeNumber.hex(bytes[word]) {
            readDirectoryData(word, number)
        }
    }

    // MARK: Names

    /// What Microsoft Entra ID writes before its numbers: `AADSTS7000215`.
    private static let entra = Array("AADSTS".utf8)

    private mutating func readName(_ word: Range<Int>) {
        if bytes[word].starts(with: Self.entra), let number = CodeNumber.decimal(bytes[word].dropFirst(6)) {
            return addKnown(word, number, .entra)
        }
        if isOfIdentityFoundation(word), let number = CodeNumber.decimal(bytes[word].dropFirst(2)) {
            return addKnown(word, number, .wif)
        }
        guard let entry = tables.entry(named: bytes[word]), !entry.isSuccess else { return }
        switch entry.space {
        // Their names are plain words; those of search that are not have an underscore.
        case .sql, .sharepoint, .entra, .wif, .permission, .sentence: return
        case .search where !bytes[word].contains(UInt8(ascii: "_")): return
        case .http where !isHTTPReason(word): return
        case .x509 where !isChainStatus(word, entry): return
        default: add(.name, word, entry.number, entry.space)
        }
    }

    /// `ID4220: The SAML …`; a word alone is one only where there is nothing else.
    private func isOfIdentityFoundation(_ word: Range<Int>) -> Bool {
        guard word.count == 6, bytes[word].starts(with: "ID".utf8), bytes[word].dropFirst(2).allSatisfy(\.isDigit)
        else { return false }
        return bytes[word.upperBound...].first == UInt8(ascii: ":") || word == bytes.indices
    }

    /// `StatusCode: Forbidden` and `returned : Forbidden`; the words alone are plain English.
    private func isHTTPReason(_ word: Range<Int>) -> Bool {
        let context = context(before: word.lowerBound)
        return context.ends(with: ["status code", "statuscode", "http status", "returned"])
            && !bytes[max(0, word.lowerBound - 3)..<word.lowerBound].elementsEqual("ed ".utf8)
    }

    /// Most flags are words of their own; `Revoked` and `Cyclic` count beside another flag or after "status".
    private func isChainStatus(_ word: Range<Int>, _ entry: CodeTables.Entry) -> Bool {
        guard entry.number == 4 || entry.number == 0x80, !bytes[word].contains(UInt8(ascii: "_")) else { return true }
        if context(before: word.lowerBound).ends(with: ["status", "chainstatus"]) { return true }
        let after = bytes[word.upperBound...].prefix(2)
        if after.elementsEqual(", ".utf8) {
            let next = bytes[(word.upperBound + 2)...].prefix { $0.isOfWord }
            return tables.entry(named: next)?.space == .x509
        }
        guard bytes[..<word.lowerBound].suffix(2).elementsEqual(", ".utf8) else { return false }
        let end = word.lowerBound - 2
        let start = bytes[..<end].lastIndex { !$0.isOfWord }.map { $0 + 1 } ?? 0
        return start < end && tables.entry(named: bytes[start..<end])?.space == .x509
    }

    // MARK: Numbers

    /// `0x80070005`; `0x5` and `0x2000000000` where the words before it say what it is.
    private mutating func readHex(_ word: Range<Int>) {
        var digits = bytes[word].dropFirst(2)
        while let last = digits.last, "uUlL".utf8.contains(last) { digits.removeLast() }
        guard var number = CodeNumber.hex(digits) else { return }
        let count = digits.count
        if count == 16, number >> 31 == 0x1_FFFF_FFFF { number &= 0xFFFF_FFFF }
        let context = context(before: word.lowerBound)
        if context.isPermission(asked: before(word.lowerBound, 80)) {
            if number != 0 { add(.number, word, number, .permission) }
        } else if number > 0x7FFF_FFFF, number <= 0xFFFF_FFFF, count == 8 || count == 16 {
            if !context.ends(with: ["at", "address", "offset", "thread", "tid", "handle"]) {
                addStructured(word, number, isSaid: context.isFullError)
            }
        } else if number > 0, number <= 0xFFFF {
            readSmallHex(word, number, context)
        }
    }

    private mutating func readSmallHex(_ word: Range<Int>, _ number: UInt64, _ context: CodeContext) {
        let around = around(word)
        if context.isKerberos || (context.isError && around.has(["kerberos", "kdc", "pre-authentication"])) {
            addKnown(word, number, .kerberos)
        } else if context.isLDAP {
            addKnown(word, number, .ldap)
        } else if context.isError {
            addKnown(word, number, .win32)
        }
    }

    /// `800703fa` and `00000020` after "error".
    private mutating func readBareHex(_ word: Range<Int>, _ number: UInt64) {
        guard !isInGUID(word) else { return }
        let isOfDirectory = isOfDirectory(word)
        let context = context(before: word.lowerBound)
        guard isOfDirectory || context.isFullError else { return }
        if number > 0x7FFF_FFFF {
            addStructured(word, number, isSaid: true)
        } else if number > 0, number <= 0xFFFF, isOfDirectory || context.isError,
            bytes[word].starts(with: "0000".utf8)
        {
            addKnown(word, number, .win32)
        }
    }

    /// `000004DC: LdapErr: DSID-0C090A5C, …` and `00000005: SecErr: DSID-…`, as domain controllers write.
    private func isOfDirectory(_ word: Range<Int>) -> Bool {
        let after = bytes[word.upperBound...].prefix(16)
        guard after.starts(with: ": ".utf8) else { return false }
        let kind = after.dropFirst(2).prefix { $0.isOfWord }
        return 5...7 ~= kind.count && kind.suffix(3).elementsEqual("Err".utf8)
            && after.dropFirst(2 + kind.count).starts(with: ": ".utf8)
    }

    /// `data 52e` in what a domain controller says of a refused bind.
    private mutating func readDirectoryData(_ word: Range<Int>, _ number: UInt64) {
        guard context(before: word.lowerBound).ends(with: ["data"]) else { return }
        if before(word.lowerBound, 60).has(["acceptsecuritycontext error"]) { addKnown(word, number, .win32) }
    }

    private mutating func readNegative(_ word: Range<Int>) {
        guard word.count == 10 || word.count == 1, let size = CodeNumber.decimal(bytes[word]), size > 0 else { return }
        let start = word.lowerBound - 1
        let number = 0x1_0000_0000 - min(size, 0x8000_0000)
        if word.count == 10 {
            if size <= 0x8000_0000 { addStructured(start..<word.upperBound, number, isSaid: false) }
        } else if context(before: start).isSQL(around(word)) {
            addKnown(start..<word.upperBound, number, .sql)
        }
    }

    private mutating func readDecimal(_ word: Range<Int>) {
        guard word.count <= 10, let number = CodeNumber.decimal(bytes[word]), number > 0 else { return }
        if word.count == 10, number > 0x7FFF_FFFF {
            if context(before: word.lowerBound).isFullError { addStructured(word, number, isSaid: false) }
            return
        }
        guard number <= 65_535, !isPartOfLargerNumber(word) else { return readStatus(word, number) }
        // `(provider: TCP Provider, error: 0 - …)` counts the providers' own errors.
        if before(word.lowerBound, 20).has(["provider, error"]) { return }
        let context = context(before: word.lowerBound)
        if context.isHTTP || isBeforeReason(word) {
            readStatus(word, number)
        } else if context.isLDAP {
            addKnown(word, number, .ldap)
        } else if context.isKerberos {
            addKnown(word, number, .kerberos)
        } else if context.isSQL(around(word)) {
            readErrorOfSQL(word, number)
        } else if context.isWindows {
            addKnown(word, number, .win32)
        } else if context.isError {
            readUnspecific(word, number)
        } else if context.ends(with: ["data"]) {
            if let number = CodeNumber.hex(bytes[word]) { readDirectoryData(word, number) }
        }
    }

    /// `error 1332`: nothing says whose.
    private mutating func readUnspecific(_ word: Range<Int>, _ number: UInt64) {
        guard !isCount(word) else { return }
        let around = around(word)
        if CodeContext.plainStatus.contains(number), !around.has(["win32", "query", "sql"]) {
            addKnown(word, number, .http)
        } else if isErrorOfSQL(number, around) {
            readErrorOfSQL(word, number)
        } else if number >= Self.plainNumbers || FailureCodes.code(number, in: .win32)?.meaning != nil,
            !around.has(["stored procedure", "storedprocedure"])
        {
            addKnown(word, number, .win32)
        }
    }

    /// Smaller numbers may be anybody's; they are read as those of Windows only where they are usual ones.
    private static let plainNumbers: UInt64 = 1000

    /// SQL Server's numbers from 4,000 on that Windows has not are its own even where nothing names it.
    private func isErrorOfSQL(_ number: UInt64, _ around: Surroundings) -> Bool {
        guard number >= 100, tables.entry(number, .sql) != nil else { return false }
        return around.isOfSQL || (number >= 4000 && tables.entry(number, .win32) == nil)
    }

    /// An error of SQL Server, with its state if the meanings tell states apart.
    private mutating func readErrorOfSQL(_ word: Range<Int>, _ number: UInt64) {
        guard tables.entry(number, .sql) != nil else { return }
        let full = state(after: word).map { CodeNumber.withState(number, $0) }
        let isTold = full.map { CodeMeanings.builtIn.words(of: CodeKey(.sql, $0)) != nil } ?? false
        add(.number, word, isTold ? full ?? number : number, .sql)
    }

    /// `, Severity: 14, State: 38`, `,State:1,Class:14`, `, Level 14, State 1`, `, Schweregrad: 14, Status: 38`.
    private func state(after word: Range<Int>) -> UInt64? {
        let line = bytes[word.upperBound...].prefix(60).prefix { $0 != UInt8(ascii: "\n") }
        for name in ["state", "status", "tat"] {
            let name = Array(name.utf8)
            for start in line.indices where line[start...].count > name.count {
                guard zip(line[start...], name).allSatisfy({ $0.lowercasedASCII == $1 }) else { continue }
                let value = line[(start + name.count)...].drop {
                    $0 == 0x20 || $0 == UInt8(ascii: ":") || $0 == 0xA0 || $0 == 0xC2
                }
                let digits = value.prefix { $0.isDigit }
                if let state = CodeNumber.decimal(digits), state <= 255 { return state }
            }
        }
        return nil
    }

    /// A status of HTTP with the substatus after a point, if there is one.
    private mutating func readStatus(_ word: Range<Int>, _ number: UInt64) {
        guard 400...599 ~= number, word.count == 3 else { return }
        guard context(before: word.lowerBound).isHTTP || isBeforeReason(word) else { return }
        var end = word.upperBound
        var status = number
        if bytes[end...].first == UInt8(ascii: ".") {
            let detail = bytes[(end + 1)...].prefix { $0.isDigit }
            if 1...3 ~= detail.count, let detail = CodeNumber.decimal(detail) {
                let full = CodeNumber.withSubstatus(number, detail)
                if tables.entry(full, .http) != nil {
                    status = full
                    end += 1 + String(detail).utf8.count
                }
            }
        }
        addKnown(word.lowerBound..<end, status, .http)
    }

    // MARK: What was found

    private mutating func addKnown(_ range: Range<Int>, _ number: UInt64, _ space: FailureCode.Space) {
        if tables.entry(number, space) != nil { add(.number, range, number, space) }
    }

    /// A number of 32 bits; one that no table has counts if it looks like one, or is said to be one.
    private mutating func addStructured(_ range: Range<Int>, _ number: UInt64, isSaid: Bool) {
        guard let structured = StructuredCode(number), !structured.saysNothing else { return }
        guard let space = structured.space(subjects) ?? (isSaid ? structured.saidSpace : nil) else { return }
        add(.number, range, number, space)
    }

    private mutating func add(
        _ evidence: FoundCode.Evidence,
        _ range: Range<Int>,
        _ number: UInt64,
        _ space: FailureCode.Space
    ) {
        // Once is enough; a listing may have one code a thousand times.
        guard told.insert(Told(evidence: evidence, code: CodeKey(space, number))).inserted,
            let code = FailureCodes.code(number, in: space)
        else { return }
        found.append(FoundCode(code: code, evidence: evidence, range: range))
    }
}

extension CodeTables.Entry {
    /// Says that all went well, or nothing.
    fileprivate var isSuccess: Bool {
        switch space {
        case .hresult, .ntstatus, .clr, .wmi, .search: number < 0x8000_0000
        case .http: CodeNumber.status(number) < 400
        default: number == 0
        }
    }
}

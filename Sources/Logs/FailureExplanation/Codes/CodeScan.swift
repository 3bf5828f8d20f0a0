import TextKit

/// A scan of a text for codes written as numbers or names.
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

    /// Creates a scan of a text; `words` provide context, such as its category.
    init(_ bytes: [UInt8], beside words: String = "") {
        self.bytes = bytes
        self.words = words
    }

    /// Returns all codes; they may overlap.
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

    private mutating func readName(_ word: Range<Int>) {
        // An error of Microsoft Entra ID: `AADSTS7000215`.
        if bytes[word].starts(with: "AADSTS".utf8), let number = CodeNumber.decimal(bytes[word].dropFirst(6)) {
            return addKnown(word, number, .entra)
        }
        if isOfIdentityFoundation(word), let number = CodeNumber.decimal(bytes[word].dropFirst(2)) {
            return addKnown(word, number, .wif)
        }
        guard let entry = tables.entry(named: bytes[word]), !entry.isSuccess else { return }
        switch entry.space {
        // The names in these spaces are plain words; so are those in the search space, unless they contain an
        // underscore.
        case .sql, .sharepoint, .setup, .entra, .wif, .permission, .sentence: return
        case .search where !bytes[word].contains(UInt8(ascii: "_")): return
        case .http where !isHTTPReason(word): return
        case .x509 where !isChainStatus(word, entry): return
        default: add(.name, word, entry.number, entry.space)
        }
    }

    /// Returns whether a word is an ID from Windows Identity Foundation, `ID4220: The SAML …`; a word by itself counts
    /// only if it is the entire text.
    private func isOfIdentityFoundation(_ word: Range<Int>) -> Bool {
        guard word.count == 6, bytes[word].starts(with: "ID".utf8), bytes[word].dropFirst(2).allSatisfy(\.isDigit)
        else { return false }
        return bytes[word.upperBound...].first == UInt8(ascii: ":") || word == bytes.indices
    }

    /// Returns whether a word is an HTTP reason, as in `StatusCode: Forbidden` and `returned : Forbidden`; the words
    /// alone are plain English.
    private func isHTTPReason(_ word: Range<Int>) -> Bool {
        let context = context(before: word.lowerBound)
        return context.ends(with: ["status code", "statuscode", "http status", "returned"])
            && !bytes[max(0, word.lowerBound - 3)..<word.lowerBound].elementsEqual("ed ".utf8)
    }

    /// Returns whether a word is a certificate chain status; most flags are distinctive words, but `Revoked` and
    /// `Cyclic` count only next to another flag or after "status".
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

    /// Reads `0x80070005`, and also `0x5` and `0x2000000000` if the preceding words identify them.
    private mutating func readHex(_ word: Range<Int>) {
        var digits = bytes[word].dropFirst(2)
        while let last = digits.last, "uUlL".utf8.contains(last) { digits.removeLast() }
        guard var number = CodeNumber.hex(digits) else { return }
        let count = digits.count
        if count == 16, number >> 31 == 0x1_FFFF_FFFF { number &= 0xFFFF_FFFF }
        let context = context(before: word.lowerBound)
        if context.isPermission(asked: before(word.lowerBound, 80)) {
            readPermissions(word, number)
        } else if number > 0x7FFF_FFFF, number <= 0xFFFF_FFFF, count == 8 || count == 16 {
            if !context.ends(with: ["at", "address", "offset", "thread", "tid", "handle"]) {
                addStructured(word, number, isSaid: context.isFullError)
            }
        } else if number > 0, number <= 0xFFFF {
            readSmallHex(word, number, context)
        }
    }

    /// Reads a mask of rights; of those in `asking for 0x40802, have 0x802`, only the missing ones.
    private mutating func readPermissions(_ word: Range<Int>, _ asked: UInt64) {
        let rest = bytes[word.upperBound...].prefix(48)
        guard let start = rest.firstRange(of: Self.owned)?.upperBound else {
            let isOwned = bytes[..<word.lowerBound].suffix(Self.owned.count - 2).elementsEqual(Self.owned.dropLast(2))
            if !isOwned, asked != 0 { add(.number, word, asked, .permission) }
            return
        }
        guard let owned = CodeNumber.hex(rest[start...].prefix { $0.isHexadecimal }), asked & ~owned != 0 else {
            return
        }
        add(.number, word, asked & ~owned, .permission)
        guard let last = found.indices.last, found[last].range == word else { return }
        found[last].code.meaning = "Rights that the operation requires and the caller does not have."
    }

    private static let owned = Array(", have 0x".utf8)

    /// Whether the text is an event of Kerberos, whose code is far from the word.
    private var isOfKerberos: Bool { Surroundings(bytes[...]).has(["kerberos"]) }

    private mutating func readSmallHex(_ word: Range<Int>, _ number: UInt64, _ context: CodeContext) {
        let around = around(word)
        let isOfEvent = context.isOfEvent && isOfKerberos
        if context.isKerberos || isOfEvent || context.isError && around.has(["kerberos", "kdc", "pre-authentication"]) {
            addKnown(word, number, .kerberos)
        } else if context.isLDAP {
            addKnown(word, number, .ldap)
        } else if context.isExit {
            readExit(word, number)
        } else if context.isError {
            addKnown(word, number, .win32)
        }
    }

    /// Reads `800703fa`, and also `00000020` after "error".
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

    /// Returns whether a word is a domain controller's code: `000004DC: LdapErr: DSID-0C090A5C, …` or `00000005:
    /// SecErr: DSID-…`.
    private func isOfDirectory(_ word: Range<Int>) -> Bool {
        let after = bytes[word.upperBound...].prefix(16)
        guard after.starts(with: ": ".utf8) else { return false }
        let kind = after.dropFirst(2).prefix { $0.isOfWord }
        return 5...7 ~= kind.count && kind.suffix(3).elementsEqual("Err".utf8)
            && after.dropFirst(2 + kind.count).starts(with: ": ".utf8)
    }

    /// Reads `data 52e` in a domain controller's message on a refused bind.
    private mutating func readDirectoryData(_ word: Range<Int>, _ number: UInt64) {
        guard context(before: word.lowerBound).ends(with: ["data"]) else { return }
        if before(word.lowerBound, 60).has(["acceptsecuritycontext error"]) { addKnown(word, number, .win32) }
    }

    private mutating func readNegative(_ word: Range<Int>) {
        guard word.count == 10 || word.count == 1, let size = CodeNumber.decimal(bytes[word]), size > 0 else { return }
        let start = word.lowerBound - 1
        let number = 0x1_0000_0000 - min(size, 0x8000_0000)
        if word.count == 10 {
            if size <= 0x8000_0000 { addStructured(start..<typeEnd(after: word), number, isSaid: false) }
        } else if context(before: start).isSQL(around(word)) {
            addKnown(start..<word.upperBound, number, .sql)
        }
    }

    /// Returns the end of the exception type after a number, as in `-2147024809, System.ArgumentException`, which
    /// belongs to the code; the end of the number if there is none.
    private func typeEnd(after word: Range<Int>) -> Int {
        let rest = bytes[word.upperBound...].prefix(200)
        guard rest.starts(with: ", ".utf8) else { return word.upperBound }
        let type = rest.dropFirst(2).prefix { $0.isOfWord || $0 == UInt8(ascii: ".") }
        return type.suffix(9).elementsEqual("Exception".utf8) ? type.endIndex : word.upperBound
    }

    private mutating func readDecimal(_ word: Range<Int>) {
        guard word.count <= 10, let number = CodeNumber.decimal(bytes[word]), number > 0 else { return }
        // `550 5.7.1` is a permanent reply of a mail server, with its own status.
        let reply = Array(bytes[word.upperBound...].prefix(5))
        if 550...559 ~= number, reply.count == 5, reply[1] == UInt8(ascii: "5"), reply[2] == UInt8(ascii: "."),
            reply[3].isDigit, reply[4] == UInt8(ascii: ".")
        {
            return addKnown(word, FailureCodes.mailReply, .sentence)
        }
        if 400...599 ~= number, readRequest(word, number) { return }
        if word.count == 10, number > 0x7FFF_FFFF {
            if context(before: word.lowerBound).isFullError { addStructured(word, number, isSaid: false) }
            return
        }
        guard number <= 65_535, !isPartOfLargerNumber(word) else { return readStatus(word, number) }
        // `(provider: TCP Provider, error: 0 - …)` counts the providers' own errors.
        if before(word.lowerBound, 20).has(["provider, error"]) { return }
        // The alerts of TLS have numbers of their own.
        if before(word.lowerBound, 40).has(["fatal error code is", "fatal alert was", "alert code"]) { return }
        let context = context(before: word.lowerBound)
        if context.isHTTP || isBeforeReason(word) {
            readStatus(word, number)
        } else if context.ends(with: ["status"]), CodeContext.plainStatus.contains(number) {
            addKnown(word, number, .http)
        } else if context.isLDAP {
            addKnown(word, number, .ldap)
        } else if context.isKerberos {
            addKnown(word, number, .kerberos)
        } else if context.isExit {
            readExit(word, number)
        } else if context.isResultOfMI || context.isError && around(word).isOfMI {
            addKnown(word, number, .mi)
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

    /// Reads `error 1332`, without any hint as to which component defines the number.
    private mutating func readUnspecific(_ word: Range<Int>, _ number: UInt64) {
        guard !isCount(word) else { return }
        let around = around(word)
        let isOfWindows = number >= Self.plainNumbers || around.isOfWindows || isCall(before: word.lowerBound)
        if CodeContext.plainStatus.contains(number), !around.has(["win32", "query", "sql"]) {
            addKnown(word, number, .http)
        } else if isErrorOfSQL(number, around) {
            readErrorOfSQL(word, number)
        } else if isOfWindows, !around.has(["stored procedure", "storedprocedure"]) {
            addKnown(word, number, .win32)
        }
    }

    /// Reads `exit code 30030`, whose meaning depends on the program: a setup program has its own codes, and Windows
    /// Installer has those of Windows.
    private mutating func readExit(_ word: Range<Int>, _ number: UInt64) {
        guard around(word).isOfSetup else { return }
        addKnown(word, number, tables.entry(number, .setup) != nil || number < Self.plainNumbers ? .setup : .win32)
    }

    /// The limit below which numbers may come from any component, so that they are read as Windows errors only if words
    /// near them support that.
    private static let plainNumbers: UInt64 = 1000

    /// Returns whether the name of a function of Windows precedes a number: `LogonUser failed with error 5`.
    private func isCall(before place: Int) -> Bool {
        bytes[max(0, place - 60)..<place].split { !$0.isOfWord }.contains { name in
            Self.verbs.contains { name.starts(with: $0.utf8) && name.dropFirst($0.count).first?.isUppercase == true }
        }
    }

    /// The beginnings of most names.
    private static let verbs = """
        Adjust Close Connect Control Copy Create Crypt Delete Duplicate Enum Find Get Impersonate Load Logon Lookup Move
        Net Open Query Read Reg Set Start Write
        """.wordSet

    /// Returns whether a number is a SQL Server error; a number of 4,000 or above that SQL Server defines and Windows
    /// does not is one even if the text does not mention SQL Server.
    private func isErrorOfSQL(_ number: UInt64, _ around: Surroundings) -> Bool {
        guard number >= 100, tables.entry(number, .sql) != nil else { return false }
        return around.isOfSQL || (number >= 4000 && tables.entry(number, .win32) == nil)
    }

    /// Reads a SQL Server error, with its state if the meanings distinguish states.
    private mutating func readErrorOfSQL(_ word: Range<Int>, _ number: UInt64) {
        guard tables.entry(number, .sql) != nil else { return }
        let full = state(after: word).map { CodeNumber.withState(number, $0) }
        let isTold = full.map { CodeMeanings.builtIn.words(of: CodeKey(.sql, $0)) != nil } ?? false
        add(.number, word, isTold ? full ?? number : number, .sql)
    }

    /// Returns the state after a number: `, Severity: 14, State: 38`, `,State:1,Class:14`, `, Level 14, State 1`, `,
    /// Schweregrad: 14, Status: 38`.
    private func state(after word: Range<Int>) -> UInt64? {
        let line = bytes[word.upperBound...].prefix(60).prefix { $0 != UInt8(ascii: "\n") }
        for name in ["state", "status", "tat"] {
            let name = Array(name.utf8)
            for start in line.indices where line[start...].count > name.count {
                guard zip(line[start...], name).allSatisfy({ $0.lowercased == $1 }) else { continue }
                let value = line[(start + name.count)...].drop {
                    $0 == 0x20 || $0 == UInt8(ascii: ":") || $0 == 0xA0 || $0 == 0xC2
                }
                let digits = value.prefix { $0.isDigit }
                if let state = CodeNumber.decimal(digits), state <= 255 { return state }
            }
        }
        return nil
    }

    /// Reads an HTTP status, along with the substatus after a period, if there is one.
    private mutating func readStatus(_ word: Range<Int>, _ number: UInt64) {
        guard 400...599 ~= number, word.count == 3 else { return }
        guard context(before: word.lowerBound).isHTTP || isBeforeReason(word) else { return }
        let rest = bytes[word.upperBound...]
        let detail = rest.first == UInt8(ascii: ".") ? rest.dropFirst().prefix { $0.isDigit } : rest.prefix(0)
        if let full = status(number, detail) { return addKnown(word.lowerBound..<detail.endIndex, full, .http) }
        addKnown(word, number, .http)
    }

    /// Returns a status with its substatus if the tables have both.
    private func status(_ number: UInt64, _ detail: ArraySlice<UInt8>) -> UInt64? {
        guard detail.count <= 3, let detail = CodeNumber.decimal(detail) else { return nil }
        let full = CodeNumber.withSubstatus(number, detail)
        return tables.entry(full, .http) == nil ? nil : full
    }

    /// Reads a failed request in a row of an IIS log: a status, a substatus and a Windows error after the request.
    private mutating func readRequest(_ word: Range<Int>, _ number: UInt64) -> Bool {
        let rest = bytes[word.upperBound...].prefix(32).split { $0 <= 0x20 }.prefix { CodeNumber.decimal($0) != nil }
        guard rest.count > 1, let error = CodeNumber.decimal(rest[1]) else { return false }
        let row = bytes[..<word.lowerBound].suffix(1024).split { $0 <= 0x20 }
        let date = row.lastIndex { $0.count == 10 && $0.split(separator: UInt8(ascii: "-")).map(\.count) == [4, 2, 2] }
        guard let date, let target = row[date...].firstIndex(where: { $0.first == UInt8(ascii: "/") }),
            4...6 ~= target - date, row[target - 1].allSatisfy(\.isUppercase), row.last?.allSatisfy(\.isDigit) == false
        else { return false }
        if number == 401, let next = nextStatus(row[date...], target - date, behind: word.upperBound) {
            // Only the last response of a sign-in counts.
            if 200..<400 ~= next { addKnown(word, FailureCodes.signIn, .sentence) }
            return true
        }
        addKnown(word, status(number, rest[0]) ?? number, .http)
        addStructured(rest[1].indices, error, isSaid: true)
        // That access was denied (5) only repeats the status.
        if error > 0, number != 401 || error != 5 { addKnown(rest[1].indices, error, .win32) }
        return true
    }

    /// Returns the status of the next row with the same columns for the same method, target and client, whose address
    /// follows the target; `nil` if there is none.
    private func nextStatus(_ row: ArraySlice<ArraySlice<UInt8>>, _ target: Int, behind end: Int) -> UInt64? {
        let start = row.startIndex
        let client = row.indices.dropFirst(target + 1).first { column in
            row[column].allSatisfy { $0.isHexadecimal || ".:%".utf8.contains($0) }
                && row[column].count { ".:".utf8.contains($0) } > 1
        }
        guard let client else { return nil }
        let rest = bytes[end...].prefix(1 << 16).split { $0 <= 0x20 }
        for next in rest.indices {
            guard rest[next].count == 10, rest[next].contains(UInt8(ascii: "-")), next + row.count < rest.endIndex,
                let status = CodeNumber.decimal(rest[next + row.count]),
                [target - 1, target, client - start].allSatisfy({ rest[next + $0] == row[start + $0] })
            else { continue }
            return status
        }
        return nil
    }

    // MARK: What was found

    private mutating func addKnown(_ range: Range<Int>, _ number: UInt64, _ space: FailureCode.Space) {
        if tables.entry(number, space) != nil { add(.number, range, number, space) }
    }

    /// Adds a 32-bit number; an unknown number counts only if it looks like a code or the text calls it one.
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
        // One occurrence is enough; a listing may contain a code a thousand times.
        guard told.insert(Told(evidence: evidence, code: CodeKey(space, number))).inserted,
            let code = FailureCodes.code(number, in: space)
        else { return }
        found.append(FoundCode(code: code, evidence: evidence, range: range))
    }
}

extension CodeTables.Entry {
    /// True for codes that report success or carry no information.
    fileprivate var isSuccess: Bool {
        switch space {
        case .hresult, .ntstatus, .clr, .wmi, .search: number < 0x8000_0000
        case .http: CodeNumber.status(number) < 400
        default: number == 0
        }
    }
}

/// A 32-bit number whose parts show its owner: an HRESULT, an NTSTATUS or an exception code.
///
/// The first bit is set in all of them. The second is set in an NTSTATUS; HRESULTs of MSXML and of Windows Media have
/// it too, and are recognized by their facility, which NTSTATUS codes do not use. The third bit marks numbers that are
/// not defined by Microsoft.
struct StructuredCode {
    private let number: UInt64

    /// Creates a code; `nil` for numbers of any other size and for numbers that report success.
    init?(_ number: UInt64) {
        guard number > 0x7FFF_FFFF, number <= 0xFFFF_FFFF else { return nil }
        self.number = number
    }

    private var facility: UInt64 { number >> 16 & 0x7FF }
    private var low: UInt64 { number & 0xFFFF }
    private var isNTStatus: Bool { number >> 30 == 3 && !isOfMedia }
    /// True if the number has the bit that marks codes that programs define themselves.
    private var isOfCustomer: Bool { number & 0x2000_0000 != 0 }
    /// An HRESULT of facility 12 or 13 with both severity bits set: MSXML and Windows Media.
    private var isOfMedia: Bool { [0xC00C, 0xC00D].contains(number >> 16) }
    /// Each interface defines its own numbers in this range, and components reuse them.
    private var isOfInterface: Bool { number >> 16 == 0x8004 }

    /// The code of another space that this code wraps.
    var inner: CodeKey? {
        if number >> 28 == 0xD { return CodeKey(.ntstatus, number & ~0x1000_0000) }
        guard !isNTStatus else { return nil }
        return facility == 7 ? CodeKey(.win32, low) : facility == 25 ? CodeKey(.http, low) : nil
    }

    /// The spaces that define the number, most specific first; for a number in no table, the most likely space.
    var knownSpaces: [FailureCode.Space] {
        let tables = CodeTables.builtIn
        var spaces = [.sharepoint, .hresult].filter { tables.entry(number, $0) != nil }
        // An HRESULT that wraps a named code is as specific as a named HRESULT.
        let wraps = inner.map { tables.entry($0.number, $0.space) != nil } ?? false
        if wraps, !spaces.contains(.hresult) { spaces.append(.hresult) }
        if isOfInterface {
            // The number alone does not show its owner.
            if spaces.isEmpty, !users.isEmpty { spaces.append(.hresult) }
        } else {
            spaces += [.search, .wmi].filter { tables.entry(number, $0) != nil }
        }
        spaces += [.clr, .ntstatus, .exception].filter { tables.entry(number, $0) != nil }
        return spaces.isEmpty ? likelySpace.map { [$0] } ?? [] : spaces
    }

    /// The spaces that define the number, including all components that use it, for an explicit lookup.
    var spacesToTell: [FailureCode.Space] {
        let isNamed = CodeTables.builtIn.entry(number, .hresult) != nil
        return users.isEmpty ? knownSpaces : knownSpaces.filter { $0 != .hresult || isNamed } + users
    }

    /// Returns the space of the number in a text about `subjects`; `nil` if it is more likely an address or a mask.
    func space(_ subjects: @autoclosure () -> TextSubjects) -> FailureCode.Space? {
        let known = knownSpaces.first
        let tables = CodeTables.builtIn
        if isOfInterface, tables.entry(number, .hresult) == nil, !users.isEmpty {
            let subjects = subjects()
            let users = users.filter { $0 == .wmi ? subjects.contains(.wmi) : subjects.contains(.search) }
            return users.count == 1 ? users[0] : known
        }
        // The same number refers to a file in Windows and to an assembly in .NET, or to an interface and to a type.
        let subject: TextSubjects? = inner?.space == .win32 ? .assembly : number == 0x8000_4002 ? .cast : nil
        if known == .hresult, tables.entry(number, .clr) != nil, let subject, subjects().contains(subject) {
            return .clr
        }
        return known
    }

    /// The space of a number that is in no table, if the text calls it a code.
    var saidSpace: FailureCode.Space { isNTStatus ? isOfCustomer ? .exception : .ntstatus : .hresult }

    /// True if no table contains the number and its parts mean nothing either, as in an NTSTATUS without a name:
    /// "facility 0, code 3000" would only repeat the number.
    var saysNothing: Bool {
        guard inner == nil, !isOfCustomer, facility == 0 || isNTStatus || Self.facilities[facility] == nil else {
            return false
        }
        return FailureCode.Space.allCases.allSatisfy { CodeTables.builtIn.entry(number, $0) == nil }
    }

    /// The components whose tables contain this interface-defined number.
    private var users: [FailureCode.Space] {
        isOfInterface ? [.search, .wmi].filter { CodeTables.builtIn.entry(number, $0) != nil } : []
    }

    /// The likely space of a number that is in no table; `nil` if it is more likely an address or a mask.
    private var likelySpace: FailureCode.Space? {
        if isOfCustomer { return nil }
        if facility == 0x102 || facility == 0x107, !isNTStatus { return .sharepoint }
        if number >> 16 == 0x8013 { return .clr }
        if number >> 28 == 0xD { return .hresult }
        if isNTStatus { return number >> 16 & 0x0FFF <= 0x2A ? .ntstatus : nil }
        return number >> 16 <= 0x80FF ? .hresult : nil
    }

    /// Returns the meaning of the parts of the number, as a code of `space`.
    func decoded(in space: FailureCode.Space) -> FailureCode {
        let tables = CodeTables.builtIn
        let name = inner.flatMap { tables.entry($0.number, $0.space) }.map { tables.name(of: $0) }
        var code = FailureCodes.filled(number, space, name)
        if code.meaning == nil { code.meaning = sentence }
        return code
    }

    private var sentence: String {
        if let inner {
            switch inner.space {
            case .win32: return "Windows error \(inner.number), as an HRESULT."
            case .http: return "HTTP status \(inner.number), as an HRESULT."
            default: return "NTSTATUS \(CodeNumber.spelled(inner.number, in: .ntstatus)), as an HRESULT."
            }
        }
        if isOfCustomer {
            return
                "A code that a program defined for itself (the customer bit is set), not one from Windows or .NET."
        }
        if isNTStatus { return "An NTSTATUS of severity error, facility \(number >> 16 & 0xFFF), code \(low)." }
        if !users.isEmpty {
            let names = users.compactMap { space in
                CodeTables.builtIn.entry(number, space).map { "\(CodeTables.builtIn.name(of: $0)) (\(space.rawValue))" }
            }
            return "Each component has its own numbers here, and the text does not show which component this is. "
                + "It may be \(names.joined(separator: " or "))."
        }
        let owner = Self.facilities[facility].map { "\(facility) (\($0))" } ?? "\(facility)"
        return "An error from facility \(owner), code \(low), which has no name in the tables."
    }

    /// The facilities in winerror.h, plus those of SharePoint, derived from the numbers that it throws.
    private static let facilities: [UInt64: String] = [
        0: "general", 1: "RPC", 2: "Automation", 3: "structured storage", 4: "the interface's own", 8: "Windows",
        9: "security", 10: "control", 11: "certificates", 12: "internet and MSXML", 13: "media", 14: "MSMQ",
        15: "setup", 16: "smart cards", 17: "COM+", 19: ".NET", 23: "side by side", 32: "background copy",
        33: "configuration", 35: "metadirectory", 36: "Windows Update", 37: "directory service",
        0x102: "SharePoint", 0x107: "SharePoint",
    ]
}

/// The subjects of a text, which indicate the owner of a number.
struct TextSubjects: OptionSet, Sendable {
    let rawValue: UInt8

    static let wmi = TextSubjects(rawValue: 1)
    static let search = TextSubjects(rawValue: 2)
    static let assembly = TextSubjects(rawValue: 4)
    static let cast = TextSubjects(rawValue: 8)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Reads a text and other words that are known to describe it.
    init(_ text: [UInt8], beside words: String) {
        self = []
        let text = Surroundings(text[...])
        let words = Surroundings(Array(words.utf8)[...])
        if text.has(["wmi", "wbem", "managementexception", "root\\cimv2", "win32_"]) { insert(.wmi) }
        if words.has(["search", "mss", "crawl"]) || text.has(Self.wordsOfSearch) { insert(.search) }
        if text.has(["file or assembly", "datei oder assembly", "fichier ou l'assembly"]) { insert(.assembly) }
        let isOfCOM = text.has(["com object", "__comobject", "queryinterface", "e_nointerface"])
        if !isOfCOM, text.has(["invalidcastexception", "unable to cast object"]) { insert(.cast) }
    }

    private static let wordsOfSearch = [
        "crawl", "gatherer", "start address", "startaddress", "content source", "protocol handler", "mssearch",
        "mssdmn", "content access account", "durchforst", "startadresse",
    ]
}

/// An HTML page from a response, after the log's own text.
///
/// The page's title and text are meant for a person with a browser: "Access is denied" in it is not a Windows error.
struct HTMLBody {
    private let range: Range<Int>
    private let isAnswer: Bool

    /// Finds the page; `nil` if there is none, or if nothing precedes it, because a page that is the entire text is
    /// itself the subject.
    init?(in bytes: [UInt8]) {
        let page = bytes.firstIndex(ofLowercase: "<!doctype html") ?? bytes.firstIndex(ofLowercase: "<html")
        guard let start = page, bytes[..<start].contains(where: { $0 > 0x20 }) else { return nil }
        range = start..<(bytes.firstIndex(ofLowercase: "</html>", from: start) ?? bytes.count)
        let before = Surroundings(bytes[max(0, start - 200)..<start])
        isAnswer = before.has(["response", "answer", "returned", "status", "xml document", "invalidoperation"])
    }

    /// Returns the codes without those found in words of the page, plus a code that reports that the response was a
    /// page.
    ///
    /// A number in a page is kept because, unlike a sentence, it is not there by chance.
    func told(of found: [FoundCode]) -> [FoundCode] {
        var told = found.filter { $0.evidence == .number || !range.contains($0.range.lowerBound) }
        guard isAnswer || told.contains(where: { $0.code.space == .http }) else { return told }
        if let code = FailureCodes.code(Self.sentence, in: .sentence) {
            // The evidence is the page's tag.
            told.append(FoundCode(code: code, evidence: .name, range: range.lowerBound..<range.lowerBound + 5))
        }
        return told
    }

    /// "Response is an HTML page" in the table of sentences.
    private static let sentence: UInt64 = 26
}

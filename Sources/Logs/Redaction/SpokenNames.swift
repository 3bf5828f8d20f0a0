import TextKit

/// Names without a sign or quotes, which are recognizable only by the words around them.
enum SpokenNames {
    /// Returns the name in `for user ann`, `The user ann does not have access`, `SQL Server. SQLFARM not found` or
    /// `SPSQL,1433`.
    static func name(_ text: Span<UInt8>, _ word: Range<Int>, before limit: Int) -> Detection? {
        guard text[word.lowerBound].isWord, !text[word.lowerBound].isDigit else { return nil }
        let isServer =
            text.has(",143", at: word.upperBound) && isServerPort(text, word.upperBound + 1)
            || text.byte(word.lowerBound - 1) == 0x20 && (isServer(text, word) || isArgument(text, word))
        if isServer {
            return Detection(NetworkNames.hostParts(text, word), end: word.upperBound)
        }
        guard text.has("user ", at: word.lowerBound - 5), isUser(text, word, before: limit) else { return nil }
        return Detection(Accounts.nameParts(text, word), end: word.upperBound)
    }

    /// Returns whether a word of letters and digits may name a person: it is neither a common word nor one that often
    /// follows `user`.
    static func isName(_ text: Span<UInt8>, _ word: Range<Int>) -> Bool {
        guard (2...64).contains(word.count), word.contains(where: { text[$0].isLetter || text[$0] >= 0x80 }),
            word.allSatisfy({ text[$0].isWord || text[$0].isJoint })
        else { return false }
        let name = text.string(word)
        let folded = name.lowercased()
        return !CommonWords.contains(folded) && !others.contains(folded) && !Pseudonyms.isPseudonym(folded)
            && !TypeNames.isType(name)
    }

    /// Returns whether a word is the argument of a parameter that names a computer: `-ComputerName app`.
    private static func isArgument(_ text: Span<UInt8>, _ word: Range<Int>) -> Bool {
        let parameter = parameters.first { text.has($0, at: word.lowerBound - $0.utf8CodeUnitCount) }
        guard let parameter, isName(text, word), !isPlaceholder(text, word) else { return false }
        // The hyphen in `SQL-Server` begins no parameter.
        return !text.byte(word.lowerBound - parameter.utf8CodeUnitCount - 1).isWord
    }

    /// Returns whether a word stands for a name that the reader has to know: `CONTROLLER-OF-THAT-DOMAIN`.
    private static func isPlaceholder(_ text: Span<UInt8>, _ word: Range<Int>) -> Bool {
        word.allSatisfy { text[$0].isUppercase || text[$0] == UInt8(ascii: "-") }
            && word.count(where: { text[$0] == UInt8(ascii: "-") }) >= 2
    }

    private static let parameters: [StaticString] = [
        "-computername ", "-servername ", "-machinename ", "-hostname ", "-databaseserver ", "-serverinstance ",
        "-server ",
    ]

    /// Returns whether a name has a hyphen, unlike compounds such as `read-only` and `off-line`.
    static func isHyphenated(_ text: Span<UInt8>, _ name: Range<Int>) -> Bool {
        guard let hyphen = text.first(UInt8(ascii: "-"), in: name) else { return false }
        let first = text.string(name.lowerBound..<hyphen).lowercased()
        return !CommonWords.contains(first) && !beginnings.contains(first)
    }

    private static let beginnings: Set<String> = [
        "built", "co", "cross", "in", "multi", "non", "off", "on", "pre", "re", "self", "single", "stand", "un", "up",
        "well",
    ]

    /// Returns whether a number is `1433` or `1434`, the ports of SQL Server.
    private static func isServerPort(_ text: Span<UInt8>, _ start: Int) -> Bool {
        (text.has("1433", at: start) || text.has("1434", at: start)) && !text.byte(start + 4).isWord
    }

    private static func isServer(_ text: Span<UInt8>, _ word: Range<Int>) -> Bool {
        if text.has("sql server. ", at: word.lowerBound - 12), text.has(" not found", at: word.upperBound) {
            return true
        }
        // Whether the name is in capital letters, like NetBIOS names.
        guard text[word.lowerBound].isUppercase, (4...15).contains(word.count),
            word.allSatisfy({ text[$0].isUppercase || text[$0].isDigit || text[$0] == UInt8(ascii: "-") }),
            let owner = owners.first(where: { text.has($0, at: word.lowerBound - $0.utf8CodeUnitCount) }),
            text.byte(word.lowerBound - 2).isLowercase,
            !text.byte(word.lowerBound - owner.utf8CodeUnitCount - 1).isWord
        else { return false }
        let name = text.string(word).lowercased()
        return !CommonWords.contains(name) && !abbreviations.contains(name)
    }

    private static let owners: [StaticString] = ["server ", "instance ", "machine ", "computer ", "host "]

    /// The abbreviations that follow these words.
    private static let abbreviations: Set<String> = [
        "odbc", "oledb", "mssql", "mssqlserver", "sqlexpress", "sharepoint", "ldap", "ntlm", "kerberos", "unicode",
        "utf-8",
        "wmi", "dcom", "rpc", "guid", "hresult", "fqdn", "netbios", "tcp-ip", "ipv4", "ipv6", "clsid", "olap", "ssas",
        "ssrs", "ssis", "msdtc", "stopped", "started", "offline",
    ]

    private static func isUser(_ text: Span<UInt8>, _ word: Range<Int>, before limit: Int) -> Bool {
        guard isName(text, word), !text.byte(word.lowerBound - 6).isWord else { return false }
        let end = word.upperBound
        if verbs.contains(where: { text.has($0, at: end) }) { return true }
        let isAtEnd =
            end == limit || ",;:!?)]'\"\r\n".utf8.contains(text[end])
            || text[end] == UInt8(ascii: ".") && (end + 1 == limit || text[end + 1].isBlank || text[end + 1] == 0x0A)
        return isAtEnd && prepositions.contains { text.has($0, at: word.lowerBound - 5 - $0.utf8CodeUnitCount) }
    }

    private static let prepositions: [StaticString] = ["for ", "to ", "by ", "of ", "as ", "from "]

    /// The wording of sentences about a user.
    private static let verbs: [StaticString] = [
        " does not ", " doesn't ", " has no ", " has not ", " is not ", " isn't ", " was not ", " cannot ", " can't ",
        " could not ", " did not ", " is denied", " was denied", " is disabled", " is locked", " not found",
        " failed to ",
        " has insufficient ", " lacks ", " has been denied",
    ]

    /// Words, in addition to common ones, that may follow `user` but are not names.
    private static let others: Set<String> = Set(
        """
        accounts active agent agents also and anonymous authenticated card cards choice choices classes consent controls \
        cookie cookies counts created creation credential credentials defined delegation deleted deletion detail details \
        disabled does enabled entered entries entry expired experience given has identities identification identifier id \
        ids imported imports inactive impersonation in input interaction interactive interface interfaces is its license \
        licenses locked lookup lookups mapping mappings membership memberships migration mode modes not object objects on \
        only or partition partitions photo photos picture pictures policies preference preferences principal principals \
        privilege privileges properties provided provisioning quota quotas registration registrations requested right \
        rights segment segments selected sid sids solution solutions specified state succeeded supplied synchronization \
        that thread threads to token tokens upn valid validation verified was with without
        """.split(whereSeparator: \.isWhitespace).map(String.init)
    )
}

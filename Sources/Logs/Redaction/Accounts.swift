import TextKit

/// Accounts: `CONTOSO\ann`, claims such as `i:0#.w|contoso\ann`, and mail addresses.
enum Accounts {
    /// Returns the account `DOMAIN\user`, with the domain at `domain`; `nil` if it is more likely a path.
    static func account(_ text: Span<UInt8>, _ domain: Range<Int>, before limit: Int) -> Detection? {
        guard !isPath(text, before: domain.lowerBound), !isCounter(text, before: domain.lowerBound),
            !isInQuotedPath(text, domain)
        else { return nil }
        guard let (separator, user) = split(text, domain, before: limit) else { return nil }
        if let end = publicAccountEnd(text, domain, user, before: limit) {
            return Detection([.keep(domain.lowerBound..<end)], end: end)
        }
        // The Windows Internal Database, an instance of SQL Server on a computer.
        if text.has("microsoft##", at: user.lowerBound) {
            return Detection([.name(.host, domain), .keep(domain.upperBound..<user.upperBound)], end: user.upperBound)
        }
        let next = user.upperBound < limit ? text[user.upperBound] : 0
        guard next != UInt8(ascii: "\\"), next != UInt8(ascii: "/"), next != UInt8(ascii: "*"),
            !WindowsPaths.isFileName(text, user),
            domain.count <= 15 || text.first(UInt8(ascii: "."), in: domain) != nil,
            domain.contains(where: { text[$0].isLetter || text[$0] >= 0x80 }),
            !WindowsPaths.isFolder(text.string(domain).lowercased()), !isEscape(text, user),
            !Pseudonyms.isPseudonym(text.string(domain)), !isAlternative(text, domain, user),
            !isLineEnd(text, domain, user)
        else { return nil }
        if isServer(text, domain) {
            return Detection([.name(.host, domain.lowerBound..<user.upperBound)], end: user.upperBound)
        }
        return Detection(parts(domain, separator, user, text), end: user.upperBound)
    }

    /// Returns whether the name is a server with its instance of SQL Server: `the availability replica 'SQL1\SP'`.
    private static func isServer(_ text: Span<UInt8>, _ domain: Range<Int>) -> Bool {
        let isQuoted = domain.lowerBound > 0 && "'\"".utf8.contains(text[domain.lowerBound - 1])
        let start = domain.lowerBound - (isQuoted ? 1 : 0)
        return servers.contains { text.has($0, at: start - $0.utf8CodeUnitCount) }
    }

    private static let servers: [StaticString] = ["replica ", "instance ", "server ", "server at "]

    /// Returns whether a backslash takes the place of a slash: `C\C++`, `AD\LDS`, `client\server`.
    private static func isAlternative(_ text: Span<UInt8>, _ domain: Range<Int>, _ user: Range<Int>) -> Bool {
        domain.count <= 2 && user.count == 1
            || alternatives.contains("\(text.string(domain))\\\(text.string(user))".lowercased())
    }

    private static let alternatives: Set<String> = [
        #"ad\lds"#, #"tcp\ip"#, #"and\or"#, #"client\server"#, #"input\output"#, #"read\write"#, #"ntlm\kerberos"#,
        #"kerberos\ntlm"#, #"http\https"#, #"ssl\tls"#, #"yes\no"#, #"tools\web"#, #"native\gather"#, #"on\off"#,
        #"true\false"#, #"memory\available"#,
    ]

    /// Returns the local account `.\user`.
    static func localAccount(_ text: Span<UInt8>, _ start: Int, before limit: Int) -> Detection? {
        guard text.byte(start + 1) == UInt8(ascii: "\\"), start == 0 || isBoundary(text[start - 1]) else { return nil }
        let end = text.nameEnd(from: start + 2, before: limit)
        let user = start + 2..<end
        guard !user.isEmpty, text[user.lowerBound].isWord, end == limit || text[end] != UInt8(ascii: "\\"),
            !WindowsPaths.isFileName(text, user)
        else { return nil }
        return Detection([.keep(start..<start + 2), .name(.user, user)], end: end)
    }

    /// Returns the mail address `ann@contoso.com`, with `ann` at `name`.
    static func mail(_ text: Span<UInt8>, _ name: Range<Int>, before limit: Int) -> Detection? {
        let start = name.upperBound + 1
        let end = text.nameEnd(from: start, before: limit)
        let domain = start..<max(start, end)
        // The IDs of applications have the form GUID@GUID.
        if text.isGUID(domain) { return Detection([.keep(name.lowerBound..<end)], end: end) }
        guard let suffix = text.fileSuffix(domain), suffix.utf8.count >= 2, text[start].isWord,
            suffix.utf8.allSatisfy(\.isWord)
        else { return process(text, name, domain) }
        return Detection([.name(.user, name), .keep(name.upperBound..<start), .name(.domain, domain)], end: end)
    }

    /// Returns a process and its host, `nodecontroller@WEB01:1234` or `1234@WEB01`; or a user and a host, `ann@WEB01`.
    private static func process(_ text: Span<UInt8>, _ name: Range<Int>, _ host: Range<Int>) -> Detection? {
        guard host.count > 2, text[host.lowerBound].isLetter else { return nil }
        let hasNumber = text.byte(host.upperBound) == UInt8(ascii: ":") && text.byte(host.upperBound + 1).isDigit
        let isNumbered = name.allSatisfy { text[$0].isDigit }
        let hasForm = !host.contains { text[$0].isLowercase } && host.contains { !text[$0].isLetter }
        guard hasNumber || isNumbered || hasForm else { return nil }
        let owner: Detection.Part = hasNumber || isNumbered ? .words(name) : .name(.user, name)
        let parts = NetworkNames.hostParts(text, host)
        return Detection([owner, .keep(name.upperBound..<host.lowerBound)] + parts, end: host.upperBound)
    }

    /// Returns a claim: `i:0#.w|contoso\ann`, `0#.f|membership|ann@contoso.com`, `i:0).w|s-1-5-21-…`,
    /// `c:0-.f|rolemanager|…`.
    static func claim(_ text: Span<UInt8>, _ start: Int, before limit: Int) -> Detection? {
        let hasKind = "ic".utf8.contains(text[start].lowercased) && text.byte(start + 1) == UInt8(ascii: ":")
        let mark = start + (hasKind ? 2 : 0)
        guard text.byte(mark) == UInt8(ascii: "0"), text.byte(mark + 2) == UInt8(ascii: "."),
            text.byte(mark + 3).isLetter, text.byte(mark + 4) == UInt8(ascii: "|"), mark + 5 < limit
        else { return nil }
        let value = mark + 5..<claimEnd(text, mark + 5, before: limit)
        var last = value.lowerBound
        for index in value where text[index] == UInt8(ascii: "|") { last = index + 1 }
        let account = last..<value.upperBound
        let head: [Detection.Part] = [.keep(start..<value.lowerBound), .words(value.lowerBound..<last)]
        return Detection(head + nameParts(text, account), end: value.upperBound)
    }

    /// Returns the parts of the value of an account field: an account, an address, a SID, or a plain name.
    static func nameParts(_ text: Span<UInt8>, _ name: Range<Int>) -> [Detection.Part] {
        guard !name.isEmpty else { return [] }
        if text.has("s-1-", at: name.lowerBound) || text.isGUID(name) { return [.text(name)] }
        // A claim, or the beginning of one in a sentence about claims: `i:0#.w`.
        if text.first(UInt8(ascii: "|"), in: name) != nil || text.has("0#.", at: name.lowerBound + 2) {
            return [.text(name)]
        }
        if text.has("true", at: name.lowerBound) || text.has("windows", at: name.lowerBound) { return [.keep(name)] }
        if let at = text.first(UInt8(ascii: "@"), in: name) {
            let (user, domain) = (name.lowerBound..<at, at + 1..<name.upperBound)
            if text.isGUID(user) || text.isGUID(domain) { return [.keep(name)] }
            return [.name(.user, user), .keep(at..<at + 1), .name(.domain, domain)]
        }
        guard let backslash = text.first(UInt8(ascii: "\\"), in: name) else { return owner(name, text) }
        let domain = name.lowerBound..<backslash
        let userStart = text.end(from: backslash, before: name.upperBound) { $0 == UInt8(ascii: "\\") }
        let user = userStart..<name.upperBound
        if isPublic(text, domain, user) { return [.keep(name)] }
        return parts(domain, backslash..<userStart, user, text)
    }

    private static func parts(
        _ domain: Range<Int>,
        _ separator: Range<Int>,
        _ user: Range<Int>,
        _ text: Span<UInt8>
    ) -> [Detection.Part] {
        [.name(.domain, domain), .keep(separator)] + owner(user, text)
    }

    /// Returns the parts of the name of an account; that of a machine is its name followed by a dollar sign.
    private static func owner(_ name: Range<Int>, _ text: Span<UInt8>) -> [Detection.Part] {
        guard name.count > 1, text[name.upperBound - 1] == UInt8(ascii: "$") else { return [.name(.user, name)] }
        return [.name(.host, name.dropLast()), .keep(name.upperBound - 1..<name.upperBound)]
    }

    /// Returns the backslashes after a domain, and the name that follows them.
    ///
    /// Text within JSON has two or four backslashes, or `\u005C`.
    private static func split(
        _ text: Span<UInt8>,
        _ domain: Range<Int>,
        before limit: Int
    ) -> (separator: Range<Int>, user: Range<Int>)? {
        var start = text.end(from: domain.upperBound, before: limit) { $0 == UInt8(ascii: "\\") }
        if text.has("u005c", at: start) { start += 5 }
        guard start < limit, text[start].isWord || text[start] == UInt8(ascii: "_"), start - domain.upperBound <= 6
        else {
            return nil
        }
        let end = text.nameEnd(from: start, before: limit)
        return end > start ? (domain.upperBound..<start, start..<end) : nil
    }

    private static func isPath(_ text: Span<UInt8>, before start: Int) -> Bool {
        let before = text.byte(start - 1)
        return before == UInt8(ascii: "\\") || before == UInt8(ascii: "/") || before == UInt8(ascii: "%")
    }

    /// Returns whether the text is in a quoted path, `'D:\Cache\Style Library\Images'`, which extends to the closing
    /// quote, including blanks.
    private static func isInQuotedPath(_ text: Span<UInt8>, _ domain: Range<Int>) -> Bool {
        guard text.byte(domain.lowerBound - 1).isBlank else { return false }
        var index = domain.lowerBound - 1
        let first = max(0, index - longestPath)
        while index >= first, !text[index].isQuote, text[index] != 0x0A { index -= 1 }
        guard index >= first, text[index].isQuote else { return false }
        let isPath =
            text.byte(index + 1).isLetter && text.byte(index + 2) == UInt8(ascii: ":")
            && text.byte(index + 3) == UInt8(ascii: "\\")
        guard isPath else { return false }
        let end = min(text.count, domain.upperBound + longestPath)
        return (domain.upperBound..<end).first { text[$0].isQuote || text[$0] == 0x0A }.map { text[$0].isQuote }
            ?? false
    }

    private static let longestPath = 260

    /// Returns whether the text is a performance counter, whose object has a colon: `\MSOLAP$POWERPIVOT:Memory\…`.
    private static func isCounter(_ text: Span<UInt8>, before start: Int) -> Bool {
        guard text.byte(start - 1) == UInt8(ascii: ":") else { return false }
        var index = start - 2
        while index >= 0, text[index].isWord { index -= 1 }
        let mark = text.byte(index)
        return index < start - 2 && (mark == UInt8(ascii: "$") || mark == UInt8(ascii: "\\"))
    }

    /// Returns whether the backslash begins an escaped line end, as in event 8311: `O=A, C=US\nIssuer Name: CN=…`.
    private static func isLineEnd(_ text: Span<UInt8>, _ domain: Range<Int>, _ user: Range<Int>) -> Bool {
        let next = user.lowerBound + 1
        guard text[user.lowerBound] == UInt8(ascii: "n"), (0x41...0x5A).contains(text.byte(next)) else { return false }
        if text.has("issuer name:", at: next) || text.has("thumbprint:", at: next) { return true }
        // The attribute of a certificate's name is one or two letters, unlike those of users: `User=CONTOSO\nSmith`.
        guard text.byte(domain.lowerBound - 1) == UInt8(ascii: "=") else { return false }
        var start = domain.lowerBound - 1
        while text.byte(start - 1).isLetter { start -= 1 }
        return ["c", "cn", "dc", "l", "o", "ou", "s", "st"].contains(
            text.string(start..<domain.lowerBound - 1).lowercased()
        )
    }

    /// Returns whether the text is a JSON escape such as `\u003C` rather than a name.
    private static func isEscape(_ text: Span<UInt8>, _ user: Range<Int>) -> Bool {
        user.count >= 5 && text[user.lowerBound] == UInt8(ascii: "u")
            && (1...4).allSatisfy { text[user.lowerBound + $0].isHexadecimal }
            && text.has("u00", at: user.lowerBound)
    }

    static func isBoundary(_ byte: UInt8) -> Bool { byte.isBlank || byte.isQuote || "(=:,|[<>;{".utf8.contains(byte) }

    private static func claimEnd(_ text: Span<UInt8>, _ start: Int, before limit: Int) -> Int {
        var from = start
        // The names of these accounts have a space.
        for name: StaticString in ["nt authority\\network service", "nt authority\\local service", "nt authority\\"]
        where text.has(name, at: start) {
            from = start + name.utf8CodeUnitCount
            break
        }
        return text.end(from: from, before: limit) { !$0.isBlank && !$0.isQuote && !",;<>[]{}()&".utf8.contains($0) }
    }
}

extension Accounts {
    /// Returns the end of an account that exists in every Windows installation; `nil` for any other account.
    private static func publicAccountEnd(
        _ text: Span<UInt8>,
        _ domain: Range<Int>,
        _ user: Range<Int>,
        before limit: Int
    ) -> Int? {
        isPublic(text, domain, user) ? user.upperBound : nil
    }

    /// Returns whether an account is public: `NT AUTHORITY\…`, `IIS APPPOOL\…`, `BUILTIN\…` or `SHAREPOINT\system`, in
    /// some of the languages of Windows.
    private static func isPublic(_ text: Span<UInt8>, _ domain: Range<Int>, _ user: Range<Int>) -> Bool {
        let name = text.string(domain).lowercased()
        switch name {
        case "builtin", "apppool", "iis apppool", "nt authority", "nt service", "window manager", "vordefiniert",
            "nt-autorität", "autorite nt", "mitgeliefert":
            return true
        case "authority", "service": return text.has("nt ", at: domain.lowerBound - 3)
        case "manager": return text.has("window ", at: domain.lowerBound - 7)
        case "host": return text.has("font driver ", at: domain.lowerBound - 12)
        case "sharepoint": return text.has("system", at: user.lowerBound)
        // The wording of sentences about the form of an account.
        case "domain": return ["user", "name", "account"].contains(text.string(user).lowercased())
        default: return false
        }
    }
}

/// Hosts and their addresses: `wfe1.contoso.local`, `10.1.2.3`, `fe80::1`, `00-15-5D-01-02-03`; and SIDs.
enum NetworkNames {
    /// Returns the detection for a word with its joints, if the word by itself is a host, an address or a SID.
    static func name(_ text: Span<UInt8>, _ name: Range<Int>, before limit: Int) -> Detection? {
        guard name.count >= 6 else { return nil }
        if let found = sid(text, name) ?? mac(text, name) { return found }
        if let server = LogFileNames.server(in: text, name) {
            return Detection([.name(.host, server), .keep(server.upperBound..<name.upperBound)], end: name.upperBound)
        }
        guard text.first(UInt8(ascii: "."), in: name) != nil else {
            return isDefault(text, name) ? Detection([.name(.host, name)], end: name.upperBound) : nil
        }
        if text[name.lowerBound].isDigit, let found = ipv4(text, name, before: limit) { return found }
        let host = withoutPort(text, name)
        guard isHost(text, host), text.byte(name.upperBound) != UInt8(ascii: "(") else { return nil }
        return Detection(hostParts(text, host) + [.keep(host.upperBound..<name.upperBound)], end: name.upperBound)
    }

    /// Returns whether a word is a name that the setup of Windows gives a computer: `WIN-` and eleven letters or digits,
    /// or another word and seven or eight.
    private static func isDefault(_ text: Span<UInt8>, _ name: Range<Int>) -> Bool {
        guard let dash = text.first(UInt8(ascii: "-"), in: name) else { return false }
        let rest = dash + 1..<name.upperBound
        let lengths = ["win": [11], "desktop": [7], "laptop": [7, 8]][text.string(name.lowerBound..<dash).lowercased()]
        return lengths?.contains(rest.count) == true
            && rest.allSatisfy { text[$0].isUppercase || text[$0].isDigit } && rest.contains { text[$0].isDigit }
    }

    /// Returns a name without the port at its end, as in `portal.contoso.com80`, the name of a web site and its folder.
    static func withoutPort(_ text: Span<UInt8>, _ name: Range<Int>) -> Range<Int> {
        var end = name.upperBound
        while end > name.lowerBound, text[end - 1].isDigit { end -= 1 }
        let port = end..<name.upperBound
        let isPort = ["80", "81", "443", "8080", "8443"].contains(text.string(port)) || port.count == 5
        return isPort && end > name.lowerBound && text[end - 1].isLetter ? name.lowerBound..<end : name
    }

    /// Returns the parts of text in a position where only a host can occur.
    static func hostParts(_ text: Span<UInt8>, _ host: Range<Int>) -> [Detection.Part] {
        let name = text.string(host)
        // `http://*:80/` is a binding to all hosts.
        if !host.contains(where: { text[$0].isWord }) { return [.keep(host)] }
        if isPublic(name.lowercased()) || TypeNames.isType(name) { return [.keep(host)] }
        if text[host.lowerBound].isDigit, let found = ipv4(text, host, before: host.upperBound) { return found.parts }
        return [.name(.host, host)]
    }

    /// Returns `S-1-5-21-…`, the SID of a domain or an account, but not a SID that exists in every Windows
    /// installation.
    private static func sid(_ text: Span<UInt8>, _ name: Range<Int>) -> Detection? {
        guard text.has("s-1-", at: name.lowerBound), name.dropFirst(2).allSatisfy({ isSIDByte(text[$0]) }),
            name.count(where: { text[$0] == UInt8(ascii: "-") }) >= 5
        else { return nil }
        return Detection([.name(.sid, name)], end: name.upperBound)
    }

    private static func isSIDByte(_ byte: UInt8) -> Bool { byte.isDigit || byte == UInt8(ascii: "-") }

    private static func mac(_ text: Span<UInt8>, _ name: Range<Int>) -> Detection? {
        guard name.count == 17, isMAC(text, name.lowerBound, separator: UInt8(ascii: "-")) else { return nil }
        return Detection([.name(.mac, name)], end: name.upperBound)
    }

    private static func isMAC(_ text: Span<UInt8>, _ start: Int, separator: UInt8) -> Bool {
        (0..<17).allSatisfy { index in
            let byte = text.byte(start + index)
            return index % 3 == 2 ? byte == separator : byte.isHexadecimal
        }
    }

    /// Returns the IPv4 address `10.1.2.3`; versions have larger numbers, end in `.0.0`, or are next to a word that
    /// marks them.
    private static func ipv4(_ text: Span<UInt8>, _ name: Range<Int>, before limit: Int) -> Detection? {
        guard name.allSatisfy({ text[$0].isDigit || text[$0] == UInt8(ascii: ".") }) else { return nil }
        let numbers = text.string(name).split(separator: ".", omittingEmptySubsequences: false).map { Int($0) ?? 256 }
        guard numbers.count == 4, numbers.allSatisfy({ $0 < 256 }) else { return nil }
        let isVersion =
            numbers[2...] == [0, 0] || text.has(" version", at: name.upperBound)
            || text.has(" is different from the current version", at: name.upperBound)
            || Self.isVersion(text, at: name.lowerBound)
        if isVersion || [0, 127, 255].contains(numbers[0]) {
            return Detection([.keep(name)], end: name.upperBound)
        }
        return Detection([.name(.ip, name)], end: name.upperBound)
    }

    /// Returns whether a word before a number marks it as a version, directly or with other versions, types and plain
    /// words in between: `versions 9.0.0.1 and 15.0.0.1`, `assembly Contoso.Core, 9.0.0.1`.
    private static func isVersion(_ text: Span<UInt8>, at number: Int) -> Bool {
        var start = number
        for _ in 0..<4 {
            while start > 0, " =:,('\"[".utf8.contains(text[start - 1]) { start -= 1 }
            let end = start
            while start > 0, text[start - 1].isWord || text[start - 1].isJoint { start -= 1 }
            let word = text.string(start..<end)
            if versionWords.contains(word.lowercased()) { return true }
            let isPlain = wordsBetween.contains(word.lowercased()) || TypeNames.isType(word)
            guard isPlain || word.utf8.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: ".") }), !word.isEmpty else {
                return false
            }
        }
        return false
    }

    /// `Action 16.0.13.0 of Microsoft.SharePoint.Upgrade.SPDatabaseSequence` is a step of an upgrade.
    private static let versionWords: Set<String> = [
        "version", "versions", "fileversion", "productversion", "assemblyversion", "ver", "v", "build", "builds",
        "assembly", "assemblies", "revision", "action", "schema", "schemaversion",
    ]
    /// Words that connect a version to the word that marks it; none introduces a host.
    private static let wordsBetween: Set<String> = [
        "is", "was", "number", "to", "and", "or", "than", "expected", "found", "required", "requires", "current",
        "installed", "newer", "older", "culture",
    ]

    /// Returns an IPv6 address, or a MAC address with colons.
    static func colonAddress(_ text: Span<UInt8>, _ start: Int, before limit: Int) -> Detection? {
        guard start == 0 || !text[start - 1].isWord && text[start - 1] != UInt8(ascii: ":") else { return nil }
        let end = text.end(from: start, before: limit) { $0.isHexadecimal || $0 == UInt8(ascii: ":") }
        guard end == limit || !text[end].isWord else { return nil }
        if let whole = mappedAddress(text, start..<end, before: limit) {
            return Detection([.name(.ip, whole)], end: whole.upperBound)
        }
        let range = start..<end
        if range.count == 17, isMAC(text, start, separator: UInt8(ascii: ":")) {
            return Detection([.name(.mac, range)], end: end)
        }
        let groups = text.string(range).split(separator: ":", omittingEmptySubsequences: false)
        let filled = groups.filter { !$0.isEmpty }
        // The time in `14:57:10:054::[1744]`, as Windows Installer logs it.
        let isTime =
            groups.prefix(4).map(\.utf8.count) == [2, 2, 2, 3] && text.byte(end) == UInt8(ascii: "[")
            && groups.prefix(4).allSatisfy { $0.utf8.allSatisfy(\.isDigit) }
        if isTime { return nil }
        guard filled.allSatisfy({ $0.utf8.count <= 4 }), !text.has("::1", at: start) || range.count != 3 else {
            return nil
        }
        let isShort = range.dropLast().contains { text[$0] == UInt8(ascii: ":") && text[$0 + 1] == UInt8(ascii: ":") }
        // `::` by itself has many meanings in code; times also contain colons.
        let isShortened = isShort && filled.count >= 2 && filled.contains { $0.utf8.count >= 3 } && groups.count <= 8
        guard isShortened || groups.count == 8 && filled.count == 8 else { return nil }
        return Detection([.name(.ip, range)], end: end)
    }
}

extension NetworkNames {
    /// Returns the IPv6 address whose last part is written as an IPv4 address, `::ffff:10.1.2.3`, if one begins with a
    /// range of digits and colons.
    private static func mappedAddress(_ text: Span<UInt8>, _ digits: Range<Int>, before limit: Int) -> Range<Int>? {
        guard text.byte(digits.upperBound) == UInt8(ascii: "."),
            let colon = digits.last(where: { text[$0] == UInt8(ascii: ":") }),
            digits.dropLast().contains(where: { text.has("::", at: $0) })
        else { return nil }
        let tail = colon + 1..<text.nameEnd(from: colon + 1, before: limit)
        let numbers = text.string(tail).split(separator: ".", omittingEmptySubsequences: false).map { Int($0) ?? 256 }
        return numbers.count == 4 && numbers.allSatisfy { $0 < 256 } ? digits.lowerBound..<tail.upperBound : nil
    }

    /// Returns whether a name with dots names a host, not a class or a file.
    private static func isHost(_ text: Span<UInt8>, _ name: Range<Int>) -> Bool {
        let labels = text.string(name).split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, let top = labels.last, labels.allSatisfy({ !$0.isEmpty && $0.utf8.count < 64 }),
            name.allSatisfy({ text[$0].isWord || text[$0] == UInt8(ascii: ".") || text[$0] == UInt8(ascii: "-") })
        else { return false }
        let isUppercase = !name.contains { text[$0].isLowercase }
        guard isUppercase || !top.utf8.contains(where: \.isUppercase) else { return false }
        let domain = String(top).lowercased()
        // If there are only two labels, one must be long: `asp.net` is not a host.
        let isLong = labels.count > 2 || labels[0].utf8.count > 4
        guard isLong, !TypeNames.isType(text.string(name)) else { return false }
        return topDomains.contains(domain) || !isUppercase && countries.contains(domain)
    }

    /// Returns whether a host name is public, that is, not the name of one of the tenant's hosts.
    static func isPublic(_ host: String) -> Bool {
        if publicHosts.contains(host) || Pseudonyms.isPseudonym(host) { return true }
        if host.hasSuffix(".corp.microsoft.com") { return false }
        return publicDomains.contains { host == $0 || host.hasSuffix("." + $0) }
    }

    private static let publicHosts: Set<String> = [
        "localhost", "(local)", "host", "tempuri.org", "login.windows.net", "accounts.accesscontrol.windows.net",
        "crl.verisign.com", "www.verisign.com",
    ]
    private static let publicDomains = [
        "microsoft.com", "w3.org", "xmlsoap.org", "oasis-open.org", "openxmlformats.org", "microsoftonline.com",
        "asp.net",
        "iana.org", "ietf.org", "purl.org", "windowsupdate.com", "github.com", "dublincore.org",
    ]
    private static let topDomains: Set<String> = [
        "com", "net", "org", "local", "lan", "corp", "internal", "intranet", "int", "edu", "gov", "mil", "biz", "cloud",
        "intern", "home", "lab", "test", "priv", "invalid", "domain", "info", "example",
    ]
    private static let countries: Set<String> = [
        "de", "at", "ch", "uk", "fr", "nl", "eu", "se", "dk", "pl", "cz", "jp", "br", "ru", "au", "ca", "es", "it",
        "fi",
        "pt", "hu", "ro", "gr", "nz", "za", "ie", "be", "sk", "si", "hr", "lu", "li", "us", "cn", "kr", "sg", "hk",
        "mx",
    ]
}

/// Names of .NET types and namespaces, which contain dots just as host names do.
enum TypeNames {
    /// Returns whether a name with dots has the form of a type: it begins with `System.` or `Microsoft.`, or its last
    /// word is typical of a type, such as `Contoso.Net.MailSender`.
    static func isType(_ name: String) -> Bool {
        let words = name.split(separator: ".", omittingEmptySubsequences: false)
        guard words.count >= 2, let last = words.last, words.allSatisfy({ $0.utf8.first?.isLetter ?? false }),
            !name.utf8.contains(UInt8(ascii: "-"))
        else { return false }
        if ["system", "microsoft"].contains(words[0].lowercased()) {
            return words[1].lowercased() == "net" || words[0] != words[0].lowercased() && startsLarge(words[1])
        }
        let letters = Array(last.utf8)
        return startsLarge(last) && zip(letters, letters.dropFirst()).contains { $0.isLowercase && $1.isUppercase }
            || last.hasSuffix("Exception")
    }

    /// Returns whether a word begins with a capital letter but does not consist of capital letters alone.
    private static func startsLarge(_ word: Substring) -> Bool {
        (word.utf8.first?.isUppercase ?? false) && word.utf8.contains(where: \.isLowercase)
    }
}

/// Secrets that are recognizable by their form: tokens, certificates, and long keys.
enum Secrets {
    /// Returns a JSON web token, a bearer token, or a long run of machine-generated characters.
    static func token(_ text: Span<UInt8>, _ start: Int, before limit: Int) -> Detection? {
        if let found = bearer(text, start, before: limit) ?? cloudKey(text, start, before: limit) { return found }
        if let found = webToken(text, start, before: limit) { return found }
        // Only the beginning is examined; otherwise, text made of short words without blanks would be reread for each
        // word.
        var end = text.end(from: start, before: min(limit, start + longestLookedAt), while: isTokenByte)
        guard end - start >= shortest, !text.has("s-1-", at: start), !isContentType(text, start),
            looksRandom(text, start..<end), !isThumbprint(text, start..<end)
        else { return nil }
        end = text.end(from: end, before: limit, while: isTokenByte)
        return Detection([.secret(start..<end)], end: end)
    }

    /// Returns whether the text is the ID of a content type derived from Document or Document Set, which has random
    /// digits but is as public as a class name.
    private static func isContentType(_ text: Span<UInt8>, _ start: Int) -> Bool {
        text.has("0x010100", at: start) || text.has("0x0120d5", at: start)
    }

    /// Returns whether a run is the thumbprint of a certificate, which is as public as the certificate, and by which it
    /// is found.
    private static func isThumbprint(_ text: Span<UInt8>, _ run: Range<Int>) -> Bool {
        let hash = run.suffix(40)
        guard hash.count == 40, hash.allSatisfy({ text[$0].isHexadecimal }) else { return false }
        var end = hash.lowerBound
        while end > 0, hash.lowerBound - end < 4, !text[end - 1].isLetter { end -= 1 }
        return thumbprints.contains { text.has($0, at: end - $0.utf8CodeUnitCount) }
            && (run.count == 40 || end >= run.lowerBound)
    }

    /// The words before a thumbprint: its name in English and German, and the stores of certificates.
    private static let thumbprints: [StaticString] = [
        "thumbprint", "fingerabdruck", "certificate hash", "certificate", "machine\\my", "user\\my", "machine\\root",
    ]

    /// Returns a JSON web token, which begins with an encoded `{"`.
    static func webToken(_ text: Span<UInt8>, _ start: Int, before limit: Int) -> Detection? {
        guard text[start] == UInt8(ascii: "e"), text.has("eyj", at: start) else { return nil }
        let end = text.end(from: start, before: limit) { isTokenByte($0) || $0 == UInt8(ascii: ".") }
        return end - start >= 12 ? Detection([.secret(start..<end)], end: end) : nil
    }

    /// Returns whether the name of a folder or file is a secret.
    ///
    /// A long run of letters and digits in a folder such as `token` is a secret; elsewhere, a folder name never is,
    /// even if it looks as random as the name of a temporary folder.
    static func isFolder(_ text: Span<UInt8>, _ name: Range<Int>, in parent: String) -> Bool {
        guard name.count >= shortestInFolder, Fields.isSecret(parent) || folders.contains(parent) else { return false }
        return name.allSatisfy { isTokenByte(text[$0]) || text[$0] == UInt8(ascii: ".") }
            && name.contains { text[$0].isDigit } && name.contains { text[$0].isLetter } && !text.isGUID(name)
    }

    /// The names of folders that contain secrets, in addition to the names of secret fields.
    private static let folders: Set<String> = [
        "token", "tokens", "secrets", "passwords", "signature", "bearer", "jwt", "keys", "key",
    ]

    /// The minimum length, in bytes, of a name that may be a secret in one of these folders.
    private static let shortestInFolder = 16

    /// Returns a certificate, from `-----BEGIN CERTIFICATE-----` to its end or the end of the text.
    static func certificate(_ text: Span<UInt8>, _ start: Int, before limit: Int) -> Detection? {
        guard text.has("-----begin ", at: start) else { return nil }
        let head = text.end(from: start + 11, before: limit) { $0 != UInt8(ascii: "-") && $0 != 0x0A }
        let body = text.end(from: head, before: limit) { $0 == UInt8(ascii: "-") }
        let end = (body..<limit).first { text.has("-----end ", at: $0) } ?? limit
        return Detection([.keep(start..<body), .secret(body..<end)], end: end)
    }

    /// Returns the credentials in `Bearer …`, `Basic …` or `Negotiate …`.
    private static func bearer(_ text: Span<UInt8>, _ start: Int, before limit: Int) -> Detection? {
        let first = text[start].lowercased
        guard first == UInt8(ascii: "b") || first == UInt8(ascii: "n"),
            let scheme = schemes.first(where: { text.has($0, at: start) })
        else { return nil }
        let token = start + scheme.utf8CodeUnitCount
        let end = text.end(from: token, before: limit) { isTokenByte($0) || $0 == UInt8(ascii: ".") }
        let range = token..<end
        let isToken = range.contains { text[$0].isDigit || text[$0] == UInt8(ascii: "=") }
        let isMixed = range.dropFirst().contains { text[$0].isUppercase } && range.contains { text[$0].isLowercase }
        guard range.count >= 8, isToken || isMixed, !text.isGUID(range) else { return nil }
        return Detection([.keep(start..<token), .secret(range)], end: end)
    }

    /// Returns `AKIAIOSFODNN7EXAMPLE`, the ID of an AWS key, along with the key if it follows immediately.
    private static func cloudKey(_ text: Span<UInt8>, _ start: Int, before limit: Int) -> Detection? {
        guard text[start] == UInt8(ascii: "A"), text.has("akia", at: start) || text.has("asia", at: start) else {
            return nil
        }
        let end = text.end(from: start, before: limit) { $0.isUppercase || $0.isDigit }
        guard end - start == 20, end == limit || !isTokenByte(text[end]) || text[end] == UInt8(ascii: "/") else {
            return nil
        }
        let key = text.end(from: end, before: min(limit, end + 3)) { " :,;/|\t".utf8.contains($0) }
        let keyEnd = text.end(from: key, before: limit, while: isTokenByte)
        guard key > end, keyEnd - key == 40 else { return Detection([.secret(start..<end)], end: end) }
        return Detection([.secret(start..<end), .keep(end..<key), .secret(key..<keyEnd)], end: keyEnd)
    }

    private static let schemes: [StaticString] = ["bearer ", "basic ", "negotiate ", "ntlm "]

    private static let longestLookedAt = 512

    /// The minimum length, in bytes, of a run that is considered a key because of its form alone.
    private static let shortest = 40

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch Unicode.Scalar(byte) {
        case "a"..."z", "A"..."Z", "0"..."9", "+", "/", "=", "_", "-": true
        default: false
        }
    }

    /// Returns whether a run is a hexadecimal key or digest, or text in base64, rather than a path or a long name.
    private static func looksRandom(_ text: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var (count, digits, changes, hexadecimal) = (0, 0, 0, 0)
        var before: UInt8 = 0
        var index = range.lowerBound
        while index < range.upperBound {
            // A GUID is as random as a key but not a secret; the names of folders and requests end with GUIDs.
            if index + 36 <= range.upperBound, text.isGUID(index..<index + 36) {
                index += 36
                continue
            }
            let byte = text[index]
            count += 1
            if byte.isDigit { digits += 1 }
            if byte.isHexadecimal { hexadecimal += 1 }
            let kind: UInt8 = byte.isDigit ? 1 : byte.isUppercase ? 2 : byte.isLowercase ? 3 : 0
            // Separators of words and dates do not count: `2024-03-11/10-03` is a path.
            if kind != 0 {
                if kind != before { changes += 1 }
                before = kind
            }
            index += 1
        }
        guard count >= shortest else { return false }
        if hexadecimal >= count - 2, digits * 10 >= count { return true }
        // In names, the kind of letter changes about every five characters; in base64, every other character.
        return digits * 20 >= count && changes * 3 >= count
    }
}

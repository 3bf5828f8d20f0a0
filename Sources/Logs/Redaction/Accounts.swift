/// Accounts: `CONTOSO\ann`, claims such as `i:0#.w|contoso\ann`, and mail addresses.
enum Accounts {
    /// `DOMAIN\user`, of which the domain is at `domain`; `nil` if it is rather a path.
    static func account(_ text: Span<UInt8>, _ domain: Range<Int>, before limit: Int) -> Sighting? {
        guard !isPath(text, before: domain.lowerBound), !isCounter(text, before: domain.lowerBound),
            !isInQuotedPath(text, domain)
        else { return nil }
        guard let (separator, user) = split(text, domain, before: limit) else { return nil }
        if let end = publicAccountEnd(text, domain, user, before: limit) {
            return Sighting([.keep(domain.lowerBound..<end)], end: end)
        }
        let next = user.upperBound < limit ? text[user.upperBound] : 0
        guard next != UInt8(ascii: "\\"), next != UInt8(ascii: "/"), next != UInt8(ascii: "*"),
            !FilePaths.isFileName(text, user), domain.count <= 15 || text.first(UInt8(ascii: "."), in: domain) != nil,
            domain.contains(where: { text[$0].isLetter || text[$0] >= 0x80 }),
            !FilePaths.isFolder(text.string(domain).lowercased()), !isEscape(text, user),
            !Pseudonyms.isPseudonym(text.string(domain))
        else { return nil }
        return Sighting(parts(domain, separator, user, text), end: user.upperBound)
    }

    /// `.\user`: an account of the machine itself.
    static func localAccount(_ text: Span<UInt8>, _ start: Int, before limit: Int) -> Sighting? {
        guard text.byte(start + 1) == UInt8(ascii: "\\"), start == 0 || isBoundary(text[start - 1]) else { return nil }
        let end = text.nameEnd(from: start + 2, before: limit)
        let user = start + 2..<end
        guard !user.isEmpty, text[user.lowerBound].isWord, end == limit || text[end] != UInt8(ascii: "\\"),
            !FilePaths.isFileName(text, user)
        else { return nil }
        return Sighting([.keep(start..<start + 2), .name(.user, user)], end: end)
    }

    /// `ann@contoso.com`, of which `ann` is at `name`.
    static func mail(_ text: Span<UInt8>, _ name: Range<Int>, before limit: Int) -> Sighting? {
        let start = name.upperBound + 1
        let end = text.nameEnd(from: start, before: limit)
        let domain = start..<max(start, end)
        // Applications are GUID@GUID.
        if text.isGUID(domain) { return Sighting([.keep(name.lowerBound..<end)], end: end) }
        guard let suffix = text.fileSuffix(domain), suffix.utf8.count >= 2, text[start].isWord,
            suffix.utf8.allSatisfy(\.isWord)
        else { return nil }
        return Sighting([.name(.user, name), .keep(name.upperBound..<start), .name(.domain, domain)], end: end)
    }

    /// `i:0#.w|contoso\ann`, `0#.f|membership|ann@contoso.com`, `i:0).w|s-1-5-21-…`, `c:0-.f|rolemanager|…`.
    static func claim(_ text: Span<UInt8>, _ start: Int, before limit: Int) -> Sighting? {
        let hasKind = "ic".utf8.contains(text[start].folded) && text.byte(start + 1) == UInt8(ascii: ":")
        let mark = start + (hasKind ? 2 : 0)
        guard text.byte(mark) == UInt8(ascii: "0"), text.byte(mark + 2) == UInt8(ascii: "."),
            text.byte(mark + 3).isLetter, text.byte(mark + 4) == UInt8(ascii: "|"), mark + 5 < limit
        else { return nil }
        let value = mark + 5..<claimEnd(text, mark + 5, before: limit)
        var last = value.lowerBound
        for index in value where text[index] == UInt8(ascii: "|") { last = index + 1 }
        let account = last..<value.upperBound
        let head: [Sighting.Part] = [.keep(start..<value.lowerBound), .words(value.lowerBound..<last)]
        return Sighting(head + nameParts(text, account), end: value.upperBound)
    }

    /// Returns the parts of what a field for accounts holds: an account, an address, a SID, or a plain name.
    static func nameParts(_ text: Span<UInt8>, _ name: Range<Int>) -> [Sighting.Part] {
        guard !name.isEmpty else { return [] }
        if text.has("s-1-", at: name.lowerBound) || text.isGUID(name) { return [.text(name)] }
        if text.has("true", at: name.lowerBound) || text.has("windows", at: name.lowerBound) { return [.keep(name)] }
        if let at = text.first(UInt8(ascii: "@"), in: name) {
            let (user, domain) = (name.lowerBound..<at, at + 1..<name.upperBound)
            if text.isGUID(user) || text.isGUID(domain) { return [.keep(name)] }
            return [.name(.user, user), .keep(at..<at + 1), .name(.domain, domain)]
        }
        guard let backslash = text.first(UInt8(ascii: "\\"), in: name) else { return [.name(.user, name)] }
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
    ) -> [Sighting.Part] {
        // The account of a machine is its name and a dollar sign.
        let isMachine = user.count > 1 && text[user.upperBound - 1] == UInt8(ascii: "$")
        let owner: [Sighting.Part] =
            isMachine
            ? [.name(.host, user.dropLast()), .keep(user.upperBound - 1..<user.upperBound)] : [.name(.user, user)]
        return [.name(.domain, domain), .keep(separator)] + owner
    }

    /// Returns the backslashes after a domain and the name after them.
    ///
    /// A text within JSON has two or four backslashes, or `\u005C`.
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

    /// `'D:\Cache\Style Library\Images'`: a path that begins right after a quote goes on to the next one, blanks and all.
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

    /// `\MSOLAP$POWERPIVOT:Memory\…`: a performance counter, whose object has a colon.
    private static func isCounter(_ text: Span<UInt8>, before start: Int) -> Bool {
        guard text.byte(start - 1) == UInt8(ascii: ":") else { return false }
        var index = start - 2
        while index >= 0, text[index].isWord { index -= 1 }
        let mark = text.byte(index)
        return index < start - 2 && (mark == UInt8(ascii: "$") || mark == UInt8(ascii: "\\"))
    }

    /// `\u003C` and the like: an escape of JSON, not a name.
    private static func isEscape(_ text: Span<UInt8>, _ user: Range<Int>) -> Bool {
        user.count >= 5 && text[user.lowerBound] == UInt8(ascii: "u")
            && (1...4).allSatisfy { text[user.lowerBound + $0].isHexadecimalDigit }
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
    /// Returns the end of an account that every Windows has; `nil` if it is another.
    private static func publicAccountEnd(
        _ text: Span<UInt8>,
        _ domain: Range<Int>,
        _ user: Range<Int>,
        before limit: Int
    ) -> Int? {
        isPublic(text, domain, user) ? user.upperBound : nil
    }

    /// `NT AUTHORITY\…`, `IIS APPPOOL\…`, `BUILTIN\…`, `SHAREPOINT\system`, in some of the languages of Windows.
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
        // What sentences say of the form of an account.
        case "domain": return ["user", "name", "account"].contains(text.string(user).lowercased())
        default: return false
        }
    }
}

/// Hosts and their addresses: `wfe1.contoso.local`, `10.1.2.3`, `fe80::1`, `00-15-5D-01-02-03`; and SIDs.
enum NetworkNames {
    /// Returns what a word with its joints is, if it is one of these by itself.
    static func name(_ text: Span<UInt8>, _ name: Range<Int>, before limit: Int) -> Sighting? {
        guard name.count >= 6 else { return nil }
        if let found = sid(text, name) ?? mac(text, name) { return found }
        if let server = LogFileNames.server(in: text, name) {
            return Sighting([.name(.host, server), .keep(server.upperBound..<name.upperBound)], end: name.upperBound)
        }
        guard text.first(UInt8(ascii: "."), in: name) != nil else { return nil }
        if text[name.lowerBound].isDigit, let found = ipv4(text, name, before: limit) { return found }
        guard isHost(text, name), text.byte(name.upperBound) != UInt8(ascii: "(") else { return nil }
        return Sighting(hostParts(text, name), end: name.upperBound)
    }

    /// Returns the parts of what stands where only a host can.
    static func hostParts(_ text: Span<UInt8>, _ host: Range<Int>) -> [Sighting.Part] {
        if host.isEmpty || isPublic(text.string(host).lowercased()) { return [.keep(host)] }
        if text[host.lowerBound].isDigit, let found = ipv4(text, host, before: host.upperBound) { return found.parts }
        return [.name(.host, host)]
    }

    /// `S-1-5-21-…`: of a domain or an account, not one of those that every Windows has.
    private static func sid(_ text: Span<UInt8>, _ name: Range<Int>) -> Sighting? {
        guard text.has("s-1-", at: name.lowerBound), name.dropFirst(2).allSatisfy({ isSIDByte(text[$0]) }),
            name.count(where: { text[$0] == UInt8(ascii: "-") }) >= 5
        else { return nil }
        return Sighting([.name(.sid, name)], end: name.upperBound)
    }

    private static func isSIDByte(_ byte: UInt8) -> Bool { byte.isDigit || byte == UInt8(ascii: "-") }

    private static func mac(_ text: Span<UInt8>, _ name: Range<Int>) -> Sighting? {
        guard name.count == 17, isMAC(text, name.lowerBound, separator: UInt8(ascii: "-")) else { return nil }
        return Sighting([.name(.mac, name)], end: name.upperBound)
    }

    private static func isMAC(_ text: Span<UInt8>, _ start: Int, separator: UInt8) -> Bool {
        (0..<17).allSatisfy { index in
            let byte = text.byte(start + index)
            return index % 3 == 2 ? byte == separator : byte.isHexadecimalDigit
        }
    }

    /// `10.1.2.3`; versions have greater numbers, or end in `.0.0`, or a word before them says so.
    private static func ipv4(_ text: Span<UInt8>, _ name: Range<Int>, before limit: Int) -> Sighting? {
        guard name.allSatisfy({ text[$0].isDigit || text[$0] == UInt8(ascii: ".") }) else { return nil }
        let numbers = text.string(name).split(separator: ".", omittingEmptySubsequences: false).map { Int($0) ?? 256 }
        guard numbers.count == 4, numbers.allSatisfy({ $0 < 256 }) else { return nil }
        let isVersion =
            numbers[2...] == [0, 0] || text.has("version", at: name.lowerBound - 8)
            || text.byte(name.lowerBound - 1).folded == UInt8(ascii: "v") || text.has("build ", at: name.lowerBound - 6)
            // `Action 16.0.13.0 of Microsoft.SharePoint.Upgrade.SPDatabaseSequence`: a step of an upgrade.
            || text.has("action ", at: name.lowerBound - 7) || text.has("schema ", at: name.lowerBound - 7)
        if isVersion || [0, 127, 255].contains(numbers[0]) {
            return Sighting([.keep(name)], end: name.upperBound)
        }
        return Sighting([.name(.ip, name)], end: name.upperBound)
    }

    /// An IPv6 address, or a MAC address with colons.
    static func colonAddress(_ text: Span<UInt8>, _ start: Int, before limit: Int) -> Sighting? {
        guard start == 0 || !text[start - 1].isWord && text[start - 1] != UInt8(ascii: ":") else { return nil }
        let end = text.end(from: start, before: limit) { $0.isHexadecimalDigit || $0 == UInt8(ascii: ":") }
        guard end == limit || !text[end].isWord else { return nil }
        let range = start..<end
        if range.count == 17, isMAC(text, start, separator: UInt8(ascii: ":")) {
            return Sighting([.name(.mac, range)], end: end)
        }
        let groups = text.string(range).split(separator: ":", omittingEmptySubsequences: false)
        let filled = groups.filter { !$0.isEmpty }
        guard filled.allSatisfy({ $0.utf8.count <= 4 }), !text.has("::1", at: start) || range.count != 3 else {
            return nil
        }
        let isShort = range.dropLast().contains { text[$0] == UInt8(ascii: ":") && text[$0 + 1] == UInt8(ascii: ":") }
        // `::` alone stands for much in code; times have colons too.
        let isShortened = isShort && filled.count >= 2 && filled.contains { $0.utf8.count >= 3 } && groups.count <= 8
        guard isShortened || groups.count == 8 && filled.count == 8 else { return nil }
        return Sighting([.name(.ip, range)], end: end)
    }
}

extension NetworkNames {
    /// Returns whether a name with dots is that of a host, not of a class or a file.
    private static func isHost(_ text: Span<UInt8>, _ name: Range<Int>) -> Bool {
        let labels = text.string(name).split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, let top = labels.last, labels.allSatisfy({ !$0.isEmpty && $0.utf8.count < 64 }),
            name.allSatisfy({ text[$0].isWord || text[$0] == UInt8(ascii: ".") || text[$0] == UInt8(ascii: "-") })
        else { return false }
        let isUppercase = !name.contains { text[$0].isLowercase }
        guard isUppercase || !top.utf8.contains(where: \.isUppercase) else { return false }
        let domain = String(top).lowercased()
        // Of two labels, one must be long: `asp.net` is no host.
        let isLong = labels.count > 2 || labels[0].utf8.count > 4
        guard isLong else { return false }
        return topDomains.contains(domain) || !isUppercase && countries.contains(domain)
    }

    /// Names that stand for no host of a tenant.
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

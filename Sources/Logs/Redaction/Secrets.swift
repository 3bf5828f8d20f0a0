/// Secrets that give themselves away: tokens, certificates, long keys.
enum Secrets {
    /// A JSON web token, a bearer's token, or a long run of what only a computer writes.
    static func token(_ text: Span<UInt8>, _ start: Int, before limit: Int) -> Sighting? {
        if let found = bearer(text, start, before: limit) { return found }
        if let found = webToken(text, start, before: limit) { return found }
        // Only the beginning is looked at, or a text of short words without blanks would be read again for each of them.
        var end = text.end(from: start, before: min(limit, start + longestLookedAt), while: isTokenByte)
        guard end - start >= shortest, !text.has("s-1-", at: start), !isContentType(text, start),
            looksRandom(text, start..<end)
        else { return nil }
        end = text.end(from: end, before: limit, while: isTokenByte)
        return Sighting([.secret(start..<end)], end: end)
    }

    /// The ID of a content type below Document or Document Set: random digits, and as public as the name of a class.
    private static func isContentType(_ text: Span<UInt8>, _ start: Int) -> Bool {
        text.has("0x010100", at: start) || text.has("0x0120d5", at: start)
    }

    /// A JSON web token: its first bytes are those of `{"`.
    static func webToken(_ text: Span<UInt8>, _ start: Int, before limit: Int) -> Sighting? {
        guard text[start] == UInt8(ascii: "e"), text.has("eyj", at: start) else { return nil }
        let end = text.end(from: start, before: limit) { isTokenByte($0) || $0 == UInt8(ascii: ".") }
        return end - start >= 12 ? Sighting([.secret(start..<end)], end: end) : nil
    }

    /// Returns whether a folder or file is named by a secret.
    ///
    /// That is a long run of letters and digits in a folder such as `token`; elsewhere the name of a folder is none, be
    /// it as random as that of a temporary folder.
    static func isFolder(_ text: Span<UInt8>, _ name: Range<Int>, in parent: String) -> Bool {
        guard name.count >= shortestInFolder, Fields.isSecret(parent) || folders.contains(parent) else { return false }
        return name.allSatisfy { isTokenByte(text[$0]) || text[$0] == UInt8(ascii: ".") }
            && name.contains { text[$0].isDigit } && name.contains { text[$0].isLetter } && !text.isGUID(name)
    }

    /// Folders that hold secrets, besides those called like a field that does.
    private static let folders: Set<String> = [
        "token", "tokens", "secrets", "passwords", "signature", "bearer", "jwt", "keys", "key",
    ]

    /// The fewest bytes of a name that may be a secret in such a folder.
    private static let shortestInFolder = 16

    /// `-----BEGIN CERTIFICATE-----`, to its end or that of the text.
    static func certificate(_ text: Span<UInt8>, _ start: Int, before limit: Int) -> Sighting? {
        guard text.has("-----begin ", at: start) else { return nil }
        let head = text.end(from: start + 11, before: limit) { $0 != UInt8(ascii: "-") && $0 != 0x0A }
        let body = text.end(from: head, before: limit) { $0 == UInt8(ascii: "-") }
        let end = (body..<limit).first { text.has("-----end ", at: $0) } ?? limit
        return Sighting([.keep(start..<body), .secret(body..<end)], end: end)
    }

    /// `Bearer …`, `Basic …`, `Negotiate …`.
    private static func bearer(_ text: Span<UInt8>, _ start: Int, before limit: Int) -> Sighting? {
        let first = text[start].folded
        guard first == UInt8(ascii: "b") || first == UInt8(ascii: "n"),
            let scheme = schemes.first(where: { text.has($0, at: start) })
        else { return nil }
        let token = start + scheme.utf8CodeUnitCount
        let end = text.end(from: token, before: limit) { isTokenByte($0) || $0 == UInt8(ascii: ".") }
        let range = token..<end
        let isToken = range.contains { text[$0].isDigit || text[$0] == UInt8(ascii: "=") }
        let isMixed = range.dropFirst().contains { text[$0].isUppercase } && range.contains { text[$0].isLowercase }
        guard range.count >= 8, isToken || isMixed, !text.isGUID(range) else { return nil }
        return Sighting([.keep(start..<token), .secret(range)], end: end)
    }

    private static let schemes: [StaticString] = ["bearer ", "basic ", "negotiate ", "ntlm "]

    private static let longestLookedAt = 512

    /// The fewest bytes of a run that is a key by its looks alone.
    private static let shortest = 40

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch Unicode.Scalar(byte) {
        case "a"..."z", "A"..."Z", "0"..."9", "+", "/", "=", "_", "-": true
        default: false
        }
    }

    /// Returns whether a run is a key or a digest in hexadecimal digits, or text in base64, not a path or a long name.
    private static func looksRandom(_ text: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var (count, digits, changes, hexadecimal) = (0, 0, 0, 0)
        var before: UInt8 = 0
        var index = range.lowerBound
        while index < range.upperBound {
            // A GUID is as random as a key, and no secret: names of folders and requests end with one.
            if index + 36 <= range.upperBound, text.isGUID(index..<index + 36) {
                index += 36
                continue
            }
            let byte = text[index]
            count += 1
            if byte.isDigit { digits += 1 }
            if byte.isHexadecimalDigit { hexadecimal += 1 }
            let kind: UInt8 = byte.isDigit ? 1 : byte.isUppercase ? 2 : byte.isLowercase ? 3 : 0
            // What joins words and dates is no change: `2024-03-11/10-03` is a path.
            if kind != 0 {
                if kind != before { changes += 1 }
                before = kind
            }
            index += 1
        }
        guard count >= shortest else { return false }
        if hexadecimal >= count - 2, digits * 10 >= count { return true }
        // Names change from one kind of letter to another every five or so; base64 every second.
        return digits * 20 >= count && changes * 3 >= count
    }
}

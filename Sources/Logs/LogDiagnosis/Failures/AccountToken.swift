/// A part of a message that may be an account: `contoso\ann`, `i:0#.w|contoso\ann`, `NT AUTHORITY\NETWORK SERVICE`.
enum AccountToken {
    /// Whether a token looks like an account, and not like a file.
    static func isAccount(_ message: Span<UInt8>, _ token: Range<Int>) -> Bool {
        hasForm(message, token) && !endsLikeFile(message, token)
    }

    /// Whether a token looks like an account: `contoso\ann`, or a claim such as `i:0#.w|contoso\ann`.
    static func hasForm(_ message: Span<UInt8>, _ token: Range<Int>) -> Bool {
        // Any claim but that of an app: `i:0i.t|ms.sp.ext|…`.
        if message.hasText("i:0", at: token.lowerBound) { return !message.hasText("i:0i.t|", at: token.lowerBound) }
        var backslashes = 0
        for index in token {
            let byte = message[index]
            if byte == UInt8(ascii: "\\") {
                backslashes += 1
            } else if byte == UInt8(ascii: "/") || byte == UInt8(ascii: ":") || byte == 0x20 {
                return false
            }
        }
        return backslashes == 1 && message[token.lowerBound] != UInt8(ascii: "\\")
            && message[token.upperBound - 1] != UInt8(ascii: "\\")
    }

    /// Whether a token ends like the name of a file, as `bin\app.dll` does; names of people have points too, but not
    /// these endings.
    static func endsLikeFile(_ message: Span<UInt8>, _ token: Range<Int>) -> Bool {
        let first = max(token.lowerBound, token.upperBound - 8)
        guard let point = (first..<token.upperBound).last(where: { message[$0] == UInt8(ascii: ".") }) else {
            return false
        }
        return fileEndings.contains { ending in
            ending.utf8CodeUnitCount == token.upperBound - point - 1
                && (0..<ending.utf8CodeUnitCount).allSatisfy { message[point + 1 + $0] | 0x20 == ending.utf8Start[$0] }
        }
    }

    private static let fileEndings: [StaticString] = [
        "dll", "exe", "config", "xml", "xsd", "xsl", "aspx", "ascx", "asmx", "svc", "master", "txt", "log", "css", "js",
        "html", "htm", "png", "gif", "jpg", "wsp", "cab", "ini", "dat", "mdf", "ldf", "resx", "dwp", "webpart", "etl",
        "docx", "xlsx", "pptx", "pdf", "tmp", "zip", "ps1", "bin", "cxx", "cpp", "hxx", "inl", "cs",
    ]

    /// Returns where the account lies whose backslash is in a token: without quotes of print and the full stop of a
    /// sentence, and with the other words of `NT AUTHORITY\NETWORK SERVICE`.
    static func whole(_ message: Span<UInt8>, _ token: Range<Int>) -> Range<Int> {
        var (start, end) = (token.lowerBound, token.upperBound)
        if isPrintedQuote(message, at: start) { start += 3 }
        while end > start {
            let mark = isPrintedQuote(message, at: end - 3) ? 3 : ".:!?`".utf8.contains(message[end - 1]) ? 1 : 0
            guard mark > 0 else { break }
            end -= mark
        }
        if message.hasText("AUTHORITY\\", at: start), message.hasText("NT ", at: start - 3) {
            start -= 3
            if message.hasText(" SERVICE", at: end) { end += 8 }
        } else if message.hasText("APPPOOL\\", at: start), message.hasText("IIS ", at: start - 4) {
            start -= 4
        }
        return start..<max(start, end)
    }

    /// `‘`, `’`, `“`, `”`.
    private static func isPrintedQuote(_ message: Span<UInt8>, at index: Int) -> Bool {
        message.hasText("‘", at: index) || message.hasText("’", at: index) || message.hasText("“", at: index)
            || message.hasText("”", at: index)
    }
}

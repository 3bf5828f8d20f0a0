/// The name under which requests and scopes are counted.
///
/// What differs from one call to the next is left out, so that calls of the same kind have the same key:
///
/// | name | key |
/// |---|---|
/// | `Request (GET:http://wfe1:80/sites/a/Lists/L/AllItems.aspx?id=5#x)` | `GET /sites/a/Lists/L/AllItems.aspx` |
/// | `Request (GET:https://intranet)` | `GET /` |
/// | `Request (POST:http://wfe1/_vti_bin/owssvr14.dll?CS=65001)` | `POST /_vti_bin/owssvr14.dll` |
/// | `Request (GET:http://wfe1/_layouts/15/p_1_4.zip)` | `GET /_layouts/*/p_*_*.zip` |
/// | `Request (GET:http://wfe1/Shared%20Documents/2013)` | `GET /Shared%20Documents/*` |
/// | `Timer Job job-upgrade-sites` | `Timer Job job-upgrade-sites` |
/// | `Caller:http://host/ws-trust/200512/Issue` | `Caller:/ws-trust/*/Issue` |
/// | `Installing 'X' (ID: 'ca2543e6-29a1-40c1-bba9-bd8510a4c17b')` | `Installing 'X' (ID: '*')` |
/// | `WSS_Content_ca2543e629a140c1bba9bd8510a4c17b` | `WSS_Content_*` |
/// | `SPFileStreamManager#1` | `SPFileStreamManager#*` |
///
/// A word is a run of ASCII letters, ASCII digits and anything beyond ASCII; an escape (`%20`) parts words. A word that
/// is a number becomes `*`: all digits, `0x` with hexadecimal digits, or eight and more hexadecimal digits of which one
/// is a decimal digit (`feedface` is a word). So does a GUID, with the braces around it, also written `%7B` and `%7D`.
/// Digits inside a word stay. Addresses lose scheme, host, query and fragment; paths stay as they are written, escapes
/// and case included.
enum ScopeKey {
    /// No key is longer, in bytes; what is cut off is shown as `…`.
    static let longest = 200

    /// Appends the key of a scope's name.
    static func append(name: Span<UInt8>, to key: inout [UInt8]) {
        let start = key.count
        var offset = name.skippingBlanks(from: 0)
        var end = name.endWithoutBlanks(from: offset)
        let isRequest = name.reads("request (", at: offset)
        if isRequest {
            offset += 9
            if end > offset, name[end - 1] == UInt8(ascii: ")") { end -= 1 }
            appendMethod(of: name, &offset, to: &key)
        }
        var walk = ScopeKeyWalk(offset: offset, isRequest: isRequest)
        let text = name.extracting(0..<max(end, offset))
        while walk.offset < text.count, key.count - start <= longest { walk.appendNext(of: text, to: &key) }
        cut(&key, from: start)
    }

    /// Appends `GET ` for `GET:`; a scheme (`http://`) is no method.
    private static func appendMethod(of name: Span<UInt8>, _ offset: inout Int, to key: inout [UInt8]) {
        var end = offset
        while end < name.count, end - offset < 16, name[end].isScopeLetter { end += 1 }
        guard end > offset, end < name.count, name[end] == UInt8(ascii: ":"), !name.reads("://", at: end) else {
            return
        }
        for place in offset..<end { key.append(name[place]) }
        key.append(UInt8(ascii: " "))
        offset = end + 1
    }

    /// Cuts at the start of a character.
    private static func cut(_ key: inout [UInt8], from start: Int) {
        guard key.count - start > longest else { return }
        let ellipsis: [3 of UInt8] = [0xE2, 0x80, 0xA6]
        var end = start + longest - ellipsis.count
        // A character has at most three bytes that only continue it.
        for _ in 0..<3 where key[end] & 0xC0 == 0x80 { end -= 1 }
        key.removeSubrange(end...)
        for index in ellipsis.indices { key.append(ellipsis[index]) }
    }
}

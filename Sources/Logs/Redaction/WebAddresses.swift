import TextKit

/// Web addresses: the host, the tenant's own parts of the path, and the values in the query are masked.
///
/// `http://portal/sites/hr/Lists/Salaries/AllItems.aspx?ID=7` becomes
/// `http://host-1/sites/path-1/Lists/path-2/AllItems.aspx?ID=***`. Names given by SharePoint itself, such as
/// `/_layouts/15/start.aspx`, are kept because they show the purpose of a request.
enum WebAddresses {
    /// Returns an address whose scheme is at `scheme`, before a colon.
    static func address(_ text: Span<UInt8>, _ scheme: Range<Int>, before limit: Int) -> Detection? {
        guard text.has("://", at: scheme.upperBound), scheme.count >= 2 else { return nil }
        let start = scheme.upperBound + 3
        // `Request (GET:http://…)`: the closing parenthesis ends the address.
        let before = text.byte(scheme.lowerBound - 1)
        let isRequest =
            before == UInt8(ascii: ":")
            && methods.contains { method in
                text.has(method, at: scheme.lowerBound - 1 - method.utf8CodeUnitCount)
            }
        let quote = before == UInt8(ascii: ":") && !isRequest ? 0 : before
        let end = addressEnd(text, from: start, before: limit, quote: quote)
        let authorityEnd = text.end(from: start, before: end) { !"/?#\\".utf8.contains($0) }
        // A distinguished name, with blanks and commas, follows.
        if text.has("ldap", at: scheme.lowerBound) || text.has("gc:", at: scheme.lowerBound) {
            let hasHost = text.first(UInt8(ascii: "="), in: start..<authorityEnd) == nil
            let host = start..<(hasHost ? hostEnd(text, start..<authorityEnd) : start)
            let parts = [.keep(scheme.lowerBound..<start)] + NetworkNames.hostParts(text, host)
            return Detection(parts, end: host.upperBound)
        }
        var parts: [Detection.Part] = [.keep(scheme.lowerBound..<start)]
        var hostStart = start
        if let at = (start..<authorityEnd).last(where: { text[$0] == UInt8(ascii: "@") }) {
            parts += [.secret(start..<at), .keep(at..<at + 1)]
            hostStart = at + 1
        }
        let hostEnd = hostEnd(text, hostStart..<authorityEnd)
        let host = hostStart..<hostEnd
        let hostName = text.string(host).lowercased()
        let isPublic = NetworkNames.isPublic(hostName) && hostName != "localhost" && !Pseudonyms.isPseudonym(hostName)
        if isPublic { return Detection([.keep(scheme.lowerBound..<end)], end: end) }
        parts += hostParts(text, host)
        parts.append(.keep(hostEnd..<authorityEnd))
        // These ports are those of SharePoint's own services, and pipes have the names of Windows services.
        let isService =
            [":32843", ":32844", ":32845"].contains(text.string(hostEnd..<authorityEnd))
            || text.has("pipe", at: scheme.upperBound - 4)
        appendPath(text, authorityEnd..<end, isOwn: isService, to: &parts)
        return Detection(parts, end: end)
    }

    /// Returns a name from a standard or a schema, `urn:oasis:names:tc:SAML:2.0:assertion`, which contains no names of
    /// the farm, unlike the realm `urn:contoso:portal`.
    static func standardName(_ text: Span<UInt8>, _ start: Int, before limit: Int) -> Detection? {
        guard text.has("urn:", at: start), authorities.contains(where: { text.has($0, at: start + 4) }) else {
            return nil
        }
        let end = text.end(from: start, before: limit) { $0.isWord || $0.isJoint || ":/#".utf8.contains($0) }
        return Detection([.keep(start..<end)], end: end)
    }

    /// The authorities for these names.
    private static let authorities: [StaticString] = ["oasis:", "ietf:", "schemas-microsoft-com:"]

    /// Returns a path without a host: `/sites/hr/Lists/Salaries`.
    static func relative(_ text: Span<UInt8>, _ start: Int, before limit: Int) -> Detection? {
        let before = text.byte(start - 1)
        guard start == 0 || Accounts.isBoundary(before) && before != UInt8(ascii: "<"), start + 1 < limit,
            text[start + 1].isWord || text[start + 1] == UInt8(ascii: "_")
        else { return nil }
        let end = addressEnd(text, from: start, before: min(limit, start + longestEscaped), quote: before)
        let pathEnd = text.end(from: start, before: end) { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let path = start..<pathEnd
        let isFile = text.fileSuffix(path).map(WindowsPaths.suffixes.contains) ?? false
        let isNamed = namesOfPaths.contains { text.has($0, at: start - $0.utf8CodeUnitCount) } && path.count > 1
        guard isFile || isNamed || path.count(where: { text[$0] == UInt8(ascii: "/") }) > 1,
            !path.contains(where: { text[$0] == UInt8(ascii: ":") })
        else { return nil }
        var parts: [Detection.Part] = []
        appendPath(text, start..<end, isOwn: false, to: &parts)
        return Detection(parts, end: end)
    }

    /// Returns `LDAP:/<path>=contoso`, the remains of a directory address in a message template.
    static func maskedDirectory(_ text: Span<UInt8>, _ start: Int, before limit: Int) -> Detection? {
        guard text.has("<path>=", at: start), text.has("ldap:/", at: start - 6) || text.has("gc:/", at: start - 4)
        else {
            return nil
        }
        let name = start + 7
        let end = text.end(from: name, before: limit) { !$0.isQuote && !",;<>|\r\n\t".utf8.contains($0) }
        return Detection([.keep(start..<name), .name(.path, name..<end, isLearned: false)], end: end)
    }

    private static let methods: [StaticString] = ["(get", "(post", "(head", "(put", "(options", "(propfind", "(delete"]

    /// Returns where the address of `Request (GET:http://…)` ends: in logs, it may contain blanks.
    private static func requestEnd(_ text: Span<UInt8>, _ range: Range<Int>) -> Int? {
        var depth = 0
        for index in range {
            switch text[index] {
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")") where depth == 0: return index
            case UInt8(ascii: ")"): depth -= 1
            case 0x0A, 0x0D, 0x09, UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ","), UInt8(ascii: ";"):
                return nil
            default: break
            }
        }
        return nil
    }

    /// The evidence that a word after a slash is a path.
    private static let namesOfPaths: [StaticString] = [
        "get ", "post ", "head ", "put ", "site=", "web=", "url: ", "url=",
    ]

    /// Returns a query after the name of a page outside an address: `owssvr.dll?CS=65001`.
    static func query(after name: Range<Int>, _ text: Span<UInt8>, before limit: Int) -> Detection? {
        let key = text.nameEnd(from: name.upperBound + 1, before: limit)
        guard key > name.upperBound + 1, text.byte(key) == UInt8(ascii: "=") else { return nil }
        let end = addressEnd(text, from: name.upperBound, before: limit, quote: 0)
        var parts: [Detection.Part] = [.text(name)]
        appendQuery(text, name.upperBound..<end, to: &parts)
        return Detection(parts, end: end)
    }

    /// Returns a text that is escaped for use in an address: `i%3A0%23.w%7Ccontoso%5Cann`,
    /// `http%3A%2F%2Fportal%2Fsites%2Fhr`.
    static func escaped(_ text: Span<UInt8>, _ start: Int, before limit: Int) -> Detection? {
        guard (start..<min(limit, start + longestSearch)).contains(where: { isEscapedMark(text, $0) }) else {
            return nil
        }
        let end = text.end(from: start, before: min(limit, start + longestEscaped)) { byte in
            !byte.isBlank && !byte.isQuote && !"<>&;,".utf8.contains(byte)
        }
        var decoded: [UInt8] = []
        var hasMark = false
        var offset = start
        while offset < end {
            if isEscapedMark(text, offset) { hasMark = true }
            if text[offset] == UInt8(ascii: "%"), offset + 2 < end,
                let byte = UInt8(hexadecimal: text[offset + 1], text[offset + 2])
            {
                decoded.append(byte)
                offset += 3
            } else {
                decoded.append(text[offset])
                offset += 1
            }
        }
        return hasMark ? Detection([.decoded(decoded)], end: end) : nil
    }

    /// Returns whether an escaped `\`, `|`, `@`, `:` or `/` begins at an offset, because names are near these
    /// characters.
    private static func isEscapedMark(_ text: Span<UInt8>, _ offset: Int) -> Bool {
        guard text[offset] == UInt8(ascii: "%") else { return false }
        return switch (text.byte(offset + 1), text.byte(offset + 2).lowercased) {
        case (UInt8(ascii: "5"), UInt8(ascii: "c")), (UInt8(ascii: "7"), UInt8(ascii: "c")): true
        case (UInt8(ascii: "4"), UInt8(ascii: "0")), (UInt8(ascii: "3"), UInt8(ascii: "a")): true
        case (UInt8(ascii: "2"), UInt8(ascii: "f")): true
        default: false
        }
    }

    /// The number of bytes after a word that are searched for an escape.
    private static let longestSearch = 256
    /// The maximum number of bytes of an escaped text, and of a path without a host, that are read as a unit.
    private static let longestEscaped = 2048

    /// Returns the parts of the host in an address, where IPv6 addresses are in brackets.
    private static func hostParts(_ text: Span<UInt8>, _ host: Range<Int>) -> [Detection.Part] {
        guard host.count > 2, text[host.lowerBound] == UInt8(ascii: "[") else {
            return NetworkNames.hostParts(text, host)
        }
        return [
            .keep(host.lowerBound..<host.lowerBound + 1), .name(.ip, host.dropFirst().dropLast()),
            .keep(host.upperBound - 1..<host.upperBound),
        ]
    }

    private static func hostEnd(_ text: Span<UInt8>, _ authority: Range<Int>) -> Int {
        if text.byte(authority.lowerBound) == UInt8(ascii: "["),
            let bracket = text.first(UInt8(ascii: "]"), in: authority)
        {
            return bracket + 1
        }
        return text.end(from: authority.lowerBound, before: authority.upperBound) { $0 != UInt8(ascii: ":") }
    }

    /// Returns where an address ends: at a quote or blank, or at a bracket that closes the enclosing pair.
    private static func addressEnd(_ text: Span<UInt8>, from start: Int, before limit: Int, quote: UInt8) -> Int {
        let reach = start..<min(limit, start + 2048)
        if quote.isQuote, let close = text.first(quote, in: reach) { return close }
        if quote == UInt8(ascii: "["), let close = text.first(UInt8(ascii: "]"), in: reach) { return close }
        if quote == UInt8(ascii: ":"), let close = requestEnd(text, reach) { return close }
        var depth = 0
        var end = start
        while end < limit, !text[end].isBlank || isInLibrary(text, end), !"\"<>`|;,".utf8.contains(text[end]) {
            switch text[end] {
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
                if depth == 0 { return end }
                depth -= 1
            case UInt8(ascii: "'") where depth == 0: return end
            default: break
            }
            end += 1
        }
        while end > start, ".:!".utf8.contains(text[end - 1]) { end -= 1 }
        return end
    }

    /// Returns whether a blank is part of the usual name of a library: `/Shared Documents/a.docx`.
    private static func isInLibrary(_ text: Span<UInt8>, _ blank: Int) -> Bool {
        text.has("/shared documents", at: blank - 7) && !text.byte(blank + 10).isWord
            || text.has("/style library", at: blank - 6) && !text.byte(blank + 8).isWord
    }
}

extension WebAddresses {
    /// Appends a path with its query; `isOwn` means that SharePoint itself named the entire path.
    private static func appendPath(
        _ text: Span<UInt8>,
        _ range: Range<Int>,
        isOwn: Bool,
        to parts: inout [Detection.Part]
    ) {
        let pathEnd = text.end(from: range.lowerBound, before: range.upperBound) {
            $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
        }
        var isOwn = isOwn
        var parent = ""
        var offset = range.lowerBound
        while offset < pathEnd {
            let name = text.end(from: offset, before: pathEnd) { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
            parts.append(.keep(offset..<name))
            offset = text.end(from: name, before: pathEnd) { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "\\") }
            guard offset > name else { continue }
            let segment = name..<offset
            if text[name] == UInt8(ascii: "_"), !text.has("_catalogs", at: name) { isOwn = true }
            if isOwn, let path = quotedPath(text, segment, before: pathEnd) {
                parts.append(.words(name..<path.lowerBound))
                appendPath(text, path, isOwn: false, to: &parts)
                offset = path.upperBound
            } else if isOwn {
                appendOwn(text, segment, to: &parts)
            } else if parent == "personal" || parent == "users" {
                parts.append(.name(.user, segment))
            } else {
                append(text, segment, to: &parts)
            }
            parent = text.string(segment).lowercased()
        }
        appendQuery(text, pathEnd..<range.upperBound, to: &parts)
    }

    /// Returns the path in quotes that begins in a part of a path: `getfilebyserverrelativeurl('/sites/hr/a.js')`.
    private static func quotedPath(_ text: Span<UInt8>, _ segment: Range<Int>, before limit: Int) -> Range<Int>? {
        guard let open = segment.last(where: { text[$0] == UInt8(ascii: "'") }), text.has("('", at: open - 1),
            let close = text.first(UInt8(ascii: "'"), in: segment.upperBound..<limit), close > open + 1
        else { return nil }
        return open + 1..<close
    }

    /// Appends a part of the path that SharePoint named, although even that may contain a name, as in
    /// `getbytitle('Salaries')`.
    private static func appendOwn(_ text: Span<UInt8>, _ segment: Range<Int>, to parts: inout [Detection.Part]) {
        var offset = segment.lowerBound
        while let open = text.first(UInt8(ascii: "'"), in: offset..<segment.upperBound),
            let close = text.first(UInt8(ascii: "'"), in: open + 1..<segment.upperBound)
        {
            parts += [.words(offset..<open + 1), .name(.path, open + 1..<close, isLearned: false)]
            offset = close
            guard close + 1 < segment.upperBound else {
                break
            }
            parts.append(.keep(close..<close + 1))
            offset = close + 1
        }
        parts.append(.words(offset..<segment.upperBound))
    }

    private static func append(_ text: Span<UInt8>, _ segment: Range<Int>, to parts: inout [Detection.Part]) {
        let name = text.string(segment).lowercased()
        let suffix = text.fileSuffix(segment).flatMap { WindowsPaths.suffixes.contains($0) ? $0 : nil }
        let isPlain = segment.allSatisfy { text[$0].isDigit || "*.-…{}()#".utf8.contains(text[$0]) }
        let isHash = segment.count == 32 && segment.allSatisfy { text[$0].isHexadecimal }
        let isEndpoint = suffix.map(endpoints.contains) ?? false
        // The crawler's address of a content database.
        let isDatabase = text.has("contentdbid={", at: segment.lowerBound) && segment.count == 50
        if isPlain || isHash || isEndpoint || isDatabase || known.contains(name) || text.isGUID(segment)
            || Pseudonyms.isPseudonym(name)
        {
            return parts.append(.keep(segment))
        }
        let nameEnd = segment.upperBound - (suffix.map { $0.utf8.count + 1 } ?? 0)
        parts += [
            .name(.path, segment.lowerBound..<nameEnd, isLearned: false), .keep(nameEnd..<segment.upperBound),
        ]
    }

    /// Appends `?key=value&…#…` without the values; numbers of up to three digits and Boolean values are not names.
    private static func appendQuery(_ text: Span<UInt8>, _ range: Range<Int>, to parts: inout [Detection.Part]) {
        var offset = range.lowerBound
        while offset < range.upperBound {
            // `?`, `&`, `&amp;` or `#`.
            var start = offset + 1
            if text.has("&amp;", at: offset) { start += 4 }
            let end = text.end(from: min(start, range.upperBound), before: range.upperBound) {
                $0 != UInt8(ascii: "&") && $0 != UInt8(ascii: "#")
            }
            let equals = text.first(UInt8(ascii: "="), in: min(start, end)..<end)
            let valueStart = equals.map { $0 + 1 } ?? min(start, end)
            parts.append(.keep(offset..<valueStart))
            let value = valueStart..<end
            let key = equals.map { text.string(start..<$0).lowercased() } ?? ""
            let isNumber = value.count <= 3 && value.allSatisfy { text[$0].isDigit }
            let isPlain = isNumber || ["true", "false", "***"].contains(text.string(value).lowercased())
            parts.append(isPlain || plainKeys.contains(key) ? .words(value) : .query(value))
            offset = end
        }
    }

    private static let plainKeys: Set<String> = [
        "cs", "lcid", "ui", "isdlg", "pageview", "defaultitemopen", "mode", "cmd",
    ]

    private static let endpoints: Set<String> = ["svc", "asmx", "ashx", "dll", "axd", "asax"]

    private static let known: Set<String> = Set(
        """
        sites teams personal my forms lists pages sitepages siteassets documents shared%20documents style%20library \
        publishingimages site%20pages search searchcenter default.aspx allitems.aspx dispform.aspx editform.aspx \
        newform.aspx home.aspx results.aspx osssearchresults.aspx peopleresults.aspx person.aspx start.aspx viewlsts.aspx \
        mysite mysites tasks calendar announcements app_themes bin wpresources web.config global.asax favicon.ico ws-trust \
        ws-sx rst rstr issue robots.txt %E2%80%A6 … . .. securitytokenserviceapplication topology docs cts \
        _catalogs masterpage wp lt users owssvr.dll pptc services
        """.split(whereSeparator: \.isWhitespace).map { $0.lowercased() } + ["shared documents", "style library"]
    )
}

/// Windows paths, which may contain the names of people, servers and sites.
enum WindowsPaths {
    /// Returns the path `C:\Users\ann\…`, with `C` at `drive`.
    static func drivePath(_ text: Span<UInt8>, _ drive: Range<Int>, before limit: Int) -> Detection? {
        let separator = text.byte(drive.upperBound + 1)
        guard drive.count == 1, text[drive.lowerBound].isLetter,
            separator == UInt8(ascii: "\\")
                || separator == UInt8(ascii: "/") && text.byte(drive.upperBound + 2) != separator
        else { return nil }
        var parts: [Detection.Part] = [.keep(drive.lowerBound..<drive.upperBound + 1)]
        let end = appendFolders(text, from: drive.upperBound + 1, before: limit, to: &parts)
        return Detection(parts, end: end)
    }

    /// Returns the registry path `HKLM\SOFTWARE\…`, which has a colon after the hive in PowerShell.
    static func registryPath(_ text: Span<UInt8>, _ hive: Range<Int>, before limit: Int) -> Detection? {
        let start = hive.upperBound + (text.byte(hive.upperBound) == UInt8(ascii: ":") ? 1 : 0)
        let name = text.string(hive).lowercased()
        guard text.byte(start) == UInt8(ascii: "\\"), hives.contains(name) || name.hasPrefix("hkey_") else {
            return nil
        }
        var parts: [Detection.Part] = [.keep(hive.lowerBound..<start)]
        let end = appendFolders(text, from: start, before: limit, to: &parts)
        return Detection(parts, end: end)
    }

    private static let hives: Set<String> = ["hklm", "hkcu", "hkcr", "hku"]

    /// Returns the path `\\server\share\…`.
    static func sharePath(_ text: Span<UInt8>, _ start: Int, before limit: Int) -> Detection? {
        let host = text.end(from: start, before: limit) { $0 == UInt8(ascii: "\\") }
        guard host - start == 2 || host - start == 4, host < limit, text[host].isWord,
            start == 0 || Accounts.isBoundary(text[start - 1])
        else { return nil }
        let end = text.nameEnd(from: host, before: limit)
        // A regular expression and an escaped line end are not shares.
        guard end < limit, text[end] == UInt8(ascii: "\\") || text[end] == UInt8(ascii: "@"), end - host > 1 else {
            return nil
        }
        var parts: [Detection.Part] = [.keep(start..<host)] + NetworkNames.hostParts(text, host..<end)
        let pathEnd = appendFolders(text, from: end, before: limit, to: &parts)
        return Detection(parts, end: pathEnd)
    }

    /// Appends the parts of a path, beginning at its first separator.
    private static func appendFolders(
        _ text: Span<UInt8>,
        from start: Int,
        before limit: Int,
        to parts: inout [Detection.Part]
    ) -> Int {
        var offset = start
        var parent = ""
        while offset < limit, text[offset] == UInt8(ascii: "\\") || text[offset] == UInt8(ascii: "/") {
            let name = text.end(from: offset, before: limit) { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "/") }
            parts.append(.keep(offset..<name))
            offset = folderEnd(text, name, before: limit)
            guard offset > name else { break }
            let folder = text.string(name..<offset).lowercased()
            switch parent {
            case "users" where !sharedProfiles.contains(folder),
                "documents and settings" where !sharedProfiles.contains(folder):
                parts.append(.name(.user, name..<offset))
            case _ where homes.contains(parent) && isHome(text, name..<offset, before: limit):
                let end = profileEnd(text, name..<offset)
                parts += [.name(.user, name..<end), .keep(end..<offset)]
            case "virtualdirectories" where (name..<offset).contains(where: { !text[$0].isDigit }):
                parts += siteFolder(text, name..<offset)
            case _ where Secrets.isFolder(text, name..<offset, in: parent): parts.append(.secret(name..<offset))
            default:
                let server = LogFileNames.server(in: text, name..<offset)
                if let server { parts.append(.name(.host, server)) }
                parts.append(.words((server?.upperBound ?? name)..<offset))
            }
            parent = folder
        }
        return offset
    }

    /// Returns whether a folder inside a home folder is that of a person, because the path continues and the folder's
    /// name has no other meaning.
    private static func isHome(_ text: Span<UInt8>, _ folder: Range<Int>, before limit: Int) -> Bool {
        let next = folder.upperBound < limit ? text[folder.upperBound] : 0
        return (next == UInt8(ascii: "\\") || next == UInt8(ascii: "/")) && SpokenNames.isName(text, folder)
            && !isFolder(text.string(folder).lowercased()) && !isFileName(text, folder)
    }

    /// Returns the end of the name in `ann.V6`, a roaming profile for one version of Windows.
    private static func profileEnd(_ text: Span<UInt8>, _ folder: Range<Int>) -> Int {
        let mark = folder.upperBound - 3
        return mark > folder.lowerBound && text.has(".v", at: mark) && text[mark + 2].isDigit ? mark : folder.upperBound
    }

    /// The shares and folders that contain a folder for each person.
    private static let homes: Set<String> = [
        "home", "home$", "homes", "homes$", "profiles", "profiles$", "profile$", "users$", "userdata", "userdata$",
        "userprofiles", "userprofiles$", "roamingprofiles", "roamingprofiles$", "homedirs", "homedirs$",
    ]

    /// Returns the folder of a web site, which is named after its address and port: `portal.contoso.com80`.
    private static func siteFolder(_ text: Span<UInt8>, _ folder: Range<Int>) -> [Detection.Part] {
        var end = folder.upperBound
        while end > folder.lowerBound, text[end - 1].isDigit { end -= 1 }
        return NetworkNames.hostParts(text, folder.lowerBound..<end) + [.keep(end..<folder.upperBound)]
    }

    /// Returns the end of the name of a folder or file; a name with spaces must be known, because otherwise a path
    /// would have no end.
    private static func folderEnd(_ text: Span<UInt8>, _ start: Int, before limit: Int) -> Int {
        for name in spacedFolders where text.has(name, at: start) {
            let end = start + name.utf8CodeUnitCount
            if end == limit || !text[end].isWord { return end }
        }
        return text.end(from: start, before: limit) { byte in
            !byte.isBlank && !byte.isQuote && !"\\/:*?<>|,;()[]".utf8.contains(byte)
        }
    }

    /// Returns whether a name ends like a file name.
    static func isFileName(_ text: Span<UInt8>, _ name: Range<Int>) -> Bool {
        text.fileSuffix(name).map(suffixes.contains) ?? false
    }

    /// Returns whether a name before a backslash is the beginning of a path, or part of one.
    static func isFolder(_ name: String) -> Bool { folders.contains(name) || name.hasPrefix("hkey_") }

    static let suffixes: Set<String> = Set(
        """
        asax ascx ashx asmx asp aspx axd bak bat bin bmp browser cab cache cdf cer cfg chm cmd config cpp crl crt cs css \
        csv dat db dbf ddf dll doc docm docx dot dotx dwp eml etl evtx exe flt frm gif gz h htm html ico inf ini ipfs jar \
        jpeg jpg js json key lck ldf lnk log manifest master mdb mdf mht mp3 mp4 msg msi msp mspx mui ndf node nupkg odc \
        one onepkg pdb pdf pfx png pot potx pps ppsx ppt pptm pptx ps1 psd1 psm1 pub py rdl reg resources resx rtf sln \
        snk sql stg stp svc svg swf sys tar thmx tif tiff tmp tt ttf txt udcx usage vb vbs vsd vsdm vsdx webpart wma wmv \
        woff wsdl wsf wsp xaml xap xla xlam xls xlsb xlsm xlsx xml xoml xps xsd xsf xsl xslt xsn zip
        """.split(whereSeparator: \.isWhitespace).map(String.init)
    )

    private static let folders: Set<String> = [
        "hklm", "hkcu", "hkcr", "hku", "bin", "temp", "tmp", "windows", "files", "shared", "logs", "log", "data",
        "system32", "syswow64", "config", "template", "templates", "features", "layouts", "resources", "microsoft",
        "software", "system", "extensions", "servers", "programdata", "inetpub", "wwwroot", "wss", "virtualdirectories",
        "app_data", "app_browsers", "app_code", "_layouts", "_app_bin", "gac_msil", "controltemplates", "sitetemplates",
        "src", "source", "sources", "obj", "debug", "release", "lib", "packages", "users", "root", "15", "14", "16",
        "appdata", "local", "roaming", "cert:", "localmachine", "currentuser", "server",
    ]

    private static let sharedProfiles: Set<String> = [
        "public", "default", "default user", "all users", "administrator", "networkservice", "localservice",
    ]

    private static let spacedFolders: [StaticString] = [
        "program files (x86)", "program files", "common files", "microsoft shared", "web server extensions",
        "microsoft office servers", "microsoft office web apps", "temporary asp.net files", "documents and settings",
        "microsoft sql server", "office server", "shared tools", "microsoft sharepoint",
        "appfabric 1.1 for windows server",
        "microsoft office", "reference assemblies", "windows sharepoint services", "gemeinsame dateien", "all users",
        "default user",
    ]
}

/// Names of log files: `WFE1-20240311-1003.log`.
enum LogFileNames {
    /// Returns the range of the server's name in the name of a log written by the service; `nil` for any other name.
    static func server(in text: Span<UInt8>, _ name: Range<Int>) -> Range<Int>? {
        // `.log`, possibly followed by a compression suffix.
        guard
            let dot = name.first(where: {
                text[$0] == UInt8(ascii: ".") && (text.has(".log", at: $0) || text.has(".usage", at: $0))
            })
        else { return nil }
        var end = dot
        var parts = 0
        while parts < 3, let dash = (name.lowerBound..<end).last(where: { text[$0] == UInt8(ascii: "-") }) {
            let part = dash + 1..<end
            guard !part.isEmpty, part.allSatisfy({ text[$0].isDigit }) else { return nil }
            end = dash
            parts += 1
            // The logs of upgrades begin with the word, not with the name of a server.
            let isServer = end > name.lowerBound && text.string(name.lowerBound..<end).lowercased() != "upgrade"
            if part.count == 8 { return isServer ? name.lowerBound..<end : nil }
        }
        return nil
    }
}

/// Paths of Windows: whose folder it is, on which server, and of which site.
enum FilePaths {
    /// `C:\Users\ann\…`, of which `C` is at `drive`.
    static func drivePath(_ text: Span<UInt8>, _ drive: Range<Int>, before limit: Int) -> Sighting? {
        let separator = text.byte(drive.upperBound + 1)
        guard drive.count == 1, text[drive.lowerBound].isLetter,
            separator == UInt8(ascii: "\\")
                || separator == UInt8(ascii: "/") && text.byte(drive.upperBound + 2) != separator
        else { return nil }
        var parts: [Sighting.Part] = [.keep(drive.lowerBound..<drive.upperBound + 1)]
        let end = appendFolders(text, from: drive.upperBound + 1, before: limit, to: &parts)
        return Sighting(parts, end: end)
    }

    /// `HKLM\SOFTWARE\…`, with a colon in PowerShell.
    static func registryPath(_ text: Span<UInt8>, _ hive: Range<Int>, before limit: Int) -> Sighting? {
        let start = hive.upperBound + (text.byte(hive.upperBound) == UInt8(ascii: ":") ? 1 : 0)
        let name = text.string(hive).lowercased()
        guard text.byte(start) == UInt8(ascii: "\\"), hives.contains(name) || name.hasPrefix("hkey_") else {
            return nil
        }
        var parts: [Sighting.Part] = [.keep(hive.lowerBound..<start)]
        let end = appendFolders(text, from: start, before: limit, to: &parts)
        return Sighting(parts, end: end)
    }

    private static let hives: Set<String> = ["hklm", "hkcu", "hkcr", "hku"]

    /// `\\server\share\…`.
    static func sharePath(_ text: Span<UInt8>, _ start: Int, before limit: Int) -> Sighting? {
        let host = text.end(from: start, before: limit) { $0 == UInt8(ascii: "\\") }
        guard host - start == 2 || host - start == 4, host < limit, text[host].isWord,
            start == 0 || Accounts.isBoundary(text[start - 1])
        else { return nil }
        let end = text.nameEnd(from: host, before: limit)
        // A regular expression and an escaped line end are no shares.
        guard end < limit, text[end] == UInt8(ascii: "\\") || text[end] == UInt8(ascii: "@"), end - host > 1 else {
            return nil
        }
        var parts: [Sighting.Part] = [.keep(start..<host)] + NetworkNames.hostParts(text, host..<end)
        let pathEnd = appendFolders(text, from: end, before: limit, to: &parts)
        return Sighting(parts, end: pathEnd)
    }

    /// Appends the parts of a path from its first separator on.
    private static func appendFolders(
        _ text: Span<UInt8>,
        from start: Int,
        before limit: Int,
        to parts: inout [Sighting.Part]
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

    /// `portal.contoso.com80`: the folder of a web site is named after its address and port.
    private static func siteFolder(_ text: Span<UInt8>, _ folder: Range<Int>) -> [Sighting.Part] {
        var end = folder.upperBound
        while end > folder.lowerBound, text[end - 1].isDigit { end -= 1 }
        return NetworkNames.hostParts(text, folder.lowerBound..<end) + [.keep(end..<folder.upperBound)]
    }

    /// Returns the end of a folder's or file's name; one with spaces must be known, or nothing would end a path.
    private static func folderEnd(_ text: Span<UInt8>, _ start: Int, before limit: Int) -> Int {
        for name in spacedFolders where text.has(name, at: start) {
            let end = start + name.utf8CodeUnitCount
            if end == limit || !text[end].isWord { return end }
        }
        return text.end(from: start, before: limit) { byte in
            !byte.isBlank && !byte.isQuote && !"\\/:*?<>|,;()[]".utf8.contains(byte)
        }
    }

    /// Returns whether a name ends like that of a file.
    static func isFileName(_ text: Span<UInt8>, _ name: Range<Int>) -> Bool {
        text.fileSuffix(name).map(suffixes.contains) ?? false
    }

    /// Returns whether what stands before a backslash is the beginning of a path, or part of one.
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
    /// Returns the range of the server's name in the name of a log that the service wrote; `nil` if it is none.
    static func server(in text: Span<UInt8>, _ name: Range<Int>) -> Range<Int>? {
        // `.log`, perhaps followed by what a compressor adds.
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
            if part.count == 8 { return end > name.lowerBound ? name.lowerBound..<end : nil }
        }
        return nil
    }
}

import TextKit

extension Explanation {
    /// Removes the checks of a farm from a failure outside it, and puts the names of the text into the commands.
    mutating func fitChecksToNames(_ words: FrameText, inRow: Bool) {
        if isAway(words, inRow: inRow) { checks.removeAll(where: \.isOfFarm) }
        let names = frame.placeholders(in: words)
        for index in checks.indices { checks[index].fill(names) }
    }

    /// Returns whether the failure is in Microsoft 365 or in a client tool, which checks of a farm do not reach.
    ///
    /// Its component is there, or its text names a site there, without a row and without code of a farm.
    private func isAway(_ words: FrameText, inRow: Bool) -> Bool {
        if let component = place?.component, component.isAway || component.isHybrid { return component.isAway }
        let isOfFarm = chains.flatMap(\.frames).contains {
            $0.name.hasPrefix("Microsoft.SharePoint.") && !$0.name.hasPrefix("Microsoft.SharePoint.Client.")
        }
        return !inRow && !isOfFarm && words.hosts.contains { $0.hasSuffix(".sharepoint.com") }
    }
}

extension FrameText {
    /// The ports that the text names: `port 9355`, `sp1:9355`.
    var ports: Set<Int> { Set(endpoints.map(\.port)) }

    /// The hosts in addresses.
    var hosts: [String] {
        names.filter { $0.form == .address }.compactMap { name in
            name.text[...].parts(around: "://").map { String($0.1.prefix { !"/:?".contains($0) }) }
        }
    }

    /// The ports with the hosts next to them, other than in addresses.
    var endpoints: [(host: String?, port: Int)] {
        var endpoints = names.compactMap { name in
            name.form == .address ? Self.port(of: name.text).map { (host: nil as String?, port: $0) } : nil
        }
        for (before, word) in zip(words, words.dropFirst()) where before.clause == word.clause {
            guard let port = Int(word.text), 80...65535 ~= port else { continue }
            let end = before.start + before.text.utf8.count
            let isJoined = bytes[word.start - 1] == UInt8(ascii: ":") && end == word.start - 1
            // `sp1:9355`, `10.1.2.3:9355`, but neither `error:1332` nor `10:03:00`.
            let isHost = before.text.utf8.contains(where: \.isDigit) && before.text.utf8.contains(where: \.isLetter)
            let isAfterDot = before.start > 0 && bytes[before.start - 1] == UInt8(ascii: ".")
            // `SolrCore.java:1565` is a line of a source file.
            if isAfterDot, ["java", "cs", "vb", "cpp", "js", "ts", "py"].contains(before.text) { continue }
            guard before.text == "port" || isJoined && (isHost || isAfterDot) else { continue }
            let start = bytes[..<end].lastIndex { !($0.isOfWord || ".-".utf8.contains($0)) }.map { $0 + 1 } ?? 0
            endpoints.append((isJoined ? String(decoding: bytes[start..<end], as: UTF8.self) : nil, port))
        }
        return endpoints
    }

    private static func port(of address: String) -> Int? {
        guard let (_, rest) = address[...].parts(around: "://") else { return nil }
        // The usual ports of a request belong to its site.
        return rest.prefix { $0 != "/" }.split(separator: ":").dropFirst().last.flatMap { Int($0) }
            .flatMap { [80, 443].contains($0) ? nil : $0 }
    }
}

extension FailureFrame {
    /// Returns the names in a text by the words in capitals that stand for them in commands; a word for which the text
    /// has no name, or several, is left out.
    func placeholders(in text: FrameText) -> [String: String] {
        func only(_ names: [String]) -> String? { Set(names).count == 1 ? names.first : nil }
        func only(_ form: FrameText.Name.Form) -> String? { only(text.names.filter { $0.form == form }.map(\.text)) }
        func name(of kinds: String...) -> String? {
            object.flatMap { kinds.contains($0.value.kind) ? $0.value.name : nil }
        }
        // The address of a request has the other side of a connection only if the connection failed.
        let hosts = text.endpoints.compactMap(\.host) + (isOfConnection ? text.hosts : [])
        let host = name(of: "server", "directory-server") ?? only(hosts)
        let thumbprint = name(of: "certificate").flatMap { $0.utf8.allSatisfy(\.isHexadecimal) ? $0 : nil }
        let address = only(text.names.filter { $0.form == .address }.map(\.text)).flatMap(Self.site)
        let path = only(.path).map { $0.hasPrefix("\\\\?\\") ? String($0.dropFirst(4)) : $0 }
        let account = only(.account).flatMap { $0.split(separator: "\\").last.map(String.init) }
        let names = [
            "SERVER": host, "HOST": host, "URL": address, "ADDRESS": address, "PATH": path, "ACCOUNT": account,
            "DATABASE": name(of: "database"), "TITLE": name(of: "list"), "THUMBPRINT": thumbprint,
            "CORRELATION": text.correlation,
            "CMDLET": actor?.value.kind == "cmdlet" ? actor?.value.name : nil,
        ]
        // A name from a log must not change the command.
        return names.compactMapValues(\.self).filter { word, name in
            let marks = word == "PATH" ? "\\:/._-() ".utf8 : word == "TITLE" ? "._- ".utf8 : ":/._-".utf8
            return name.utf8.allSatisfy { $0.isLetterOrDigit || marks.contains($0) } && name.first != "-"
        }
    }

    private var isOfConnection: Bool {
        ["unreachable", "timed-out", "name-not-resolved", "untrusted"].contains(failure?.value.id)
    }

    /// Returns the address of the site that an address of a page or service is on; `nil` if it names a file or a
    /// service of Microsoft.
    private static func site(_ address: String) -> String? {
        let plain = address.prefix { $0 != "?" && $0 != "#" }
        let site = plain.parts(around: "/_")?.0 ?? plain
        let parts = site.split(separator: "/")
        guard parts.count >= 2, ["http:", "https:"].contains(parts[0]),
            parts.count == 2 || parts.last?.contains(".") == false,
            ![".microsoftonline.com", ".microsoft.com", ".windows.net"].contains(where: parts[1].hasSuffix)
        else { return nil }
        return String(site)
    }
}

extension Check {
    /// Puts the port that a text names into a command for a server that it leaves open, as in `-Port 443`, unless the
    /// text has that port; several ports remain open.
    package mutating func take(_ ports: Set<Int>) {
        guard let (before, after) = command?[...].parts(around: " -Port "),
            let host = before.split(separator: " ").last, !host.contains(where: \.isLowercase)
        else { return }
        let port = after.prefix { $0.isLetter || $0.isNumber }
        guard Int(port).map(ports.contains) != true else { return }
        let value = ports.count == 1 ? ports.first.map(String.init) ?? "PORT" : "PORT"
        command = "\(before) -Port \(value)\(after.dropFirst(port.count))"
    }

    /// Puts the names of a text in place of the words in capitals that stand for them in the command.
    mutating func fill(_ names: [String: String]) {
        guard let command, !names.isEmpty else { return }
        var (filled, word) = ("", "")
        for character in command + " " {
            if character.isLetter || character.isNumber || character == "_" {
                word.append(character)
            } else {
                filled += (names[word] ?? word) + String(character)
                word = ""
            }
        }
        filled.removeLast()
        (isFilled, self.command) = (filled != command, filled)
    }

    /// True if only a server of a farm can answer it.
    var isOfFarm: Bool {
        let words = "\(text) \(command ?? "")"
        let cmdlets = words.split { !($0.isLetter || $0 == "-") }.filter { $0.contains("-SP") }
        return cmdlets.contains { !$0.contains("-SPO") && !$0.contains("-SPMT") }
            || Self.ofFarm.contains { words.contains($0) }
    }

    private static let ofFarm = [
        "Central Administration", "IIS", "ULS", "OWSTIMER", "w3wp", "SPTimerV4", "stsadm", "fastctl", "inetpub",
        "the farm", "setspn", "Lsa",
    ]
}

import TextKit

/// A detailed error page of IIS, copied as text: its status and its fields.
///
/// Every such page also lists causes and remedies that are common for its status ("Most likely causes", "Things you can
/// try"). They are not evidence of this failure, so they are not read.
struct ServerPage {
    /// The status as the page writes it: `500.19`.
    private(set) var status = ""
    /// The values by label, each on one line.
    private(set) var fields: [String: String] = [:]
    /// The text with blanks in place of all other lines, so that positions stay the same.
    private(set) var evidence = ""

    private static let labels = [
        "Module", "Notification", "Handler", "Error Code", "Config Error", "Config File", "Requested URL",
        "Physical Path", "Logon Method", "Logon User",
    ]

    /// Reads a text; `nil` if it is not such a page.
    init?(_ text: String) {
        guard text.contains("HTTP Error ") || text.contains("Requested URL") else { return nil }
        var (label, lines): (String, [[UInt8]]) = ("", [])
        for line in Array(text.utf8).withPlainMarks.split(separator: 0x0A, omittingEmptySubsequences: false) {
            let words = line.split { $0 <= 0x20 }.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
            lines.append(Array(line))
            if words.hasPrefix("HTTP Error "), status.isEmpty {
                status = String(words.dropFirst("HTTP Error ".count).prefix { $0.isNumber || $0 == "." })
            } else if let next = Self.labels.first(where: { label in
                words.hasPrefix(label) && [nil, " ", ":"].contains(words.dropFirst(label.count).first)
            }) {
                label = next
                fields[label] = String(words.dropFirst(label.count).drop { $0 == ":" || $0 == " " })
            } else if let value = fields[label], !words.isEmpty, !words.hasSuffix(":"),
                value.isEmpty || label == "Config Error"
            {
                // The next cell of a table, or the rest of a sentence.
                fields[label] = value.isEmpty ? words : "\(value) \(words)"
            } else {
                if !words.isEmpty || fields[label] != "" { label = "" }
                lines[lines.count - 1] = [UInt8](repeating: 0x20, count: line.count)
            }
        }
        guard status.count >= 3 && fields.count >= 2 || fields["Module"] != nil && fields.count >= 4 else { return nil }
        evidence = String(decoding: Array(lines.joined(separator: [0x0A])), as: UTF8.self)
    }
}

extension ServerPage {
    /// Returns the failure as a sentence without a full stop: the status, the module, and its own error or the code.
    func sentence(_ codes: [FoundCode]) -> String {
        let module = fields["Module"].map { " from the module '\($0)'" } ?? ""
        let words = fields["Config Error"].flatMap { $0.isEmpty ? nil : $0 }
        let error = words.map { $0[...].parts(around: ". ").map { String($0.0) } ?? $0 }
        let code = codes.first { $0.code.space != .http && $0.evidence == .number }?.code.title
        let reason = error ?? code ?? codes.first { $0.code.space == .http }?.code.name
        let subject = status.isEmpty ? "A request failed" : "HTTP \(status)"
        return subject + module + (reason.map { ": \($0.hasSuffix(".") ? String($0.dropLast()) : $0)" } ?? "")
    }
}

extension FrameText {
    /// Returns whether a quotation mark begins or ends a cell of a report in CSV: of a row with a cell that begins like
    /// a status of failure, and another one with a sentence.
    mutating func isCell(at position: Int) -> Bool {
        if position == 0 || bytes[position - 1] == 0x0A {
            let line = bytes[position...].prefix { $0 != 0x0A }
            let cells = String(decoding: line.dropFirst(), as: UTF8.self).lowercased().split(by: "\",\"")
            let isReport =
                cells.contains { $0.utf8.count < 32 && ($0.hasPrefix("failed") || $0.hasPrefix("error")) }
                && cells.contains { $0.utf8.count(where: { $0 == 0x20 }) >= 3 }
            rowEnd = cells.count >= 3 && isReport ? line.endIndex : 0
        }
        return position < rowEnd
    }

    /// Returns the clause of a message that a program printed as an error, whatever its words and its language.
    ///
    /// It follows a text that reports one, or a cmdlet or a label such as `Error:` at the beginning of a line, or precedes
    /// the category of the error.
    func reportedClause() -> Int? {
        let places = envelopes.filter(\.reports).map(\.range.upperBound)
        if let clause = places.lazy.compactMap({ self.clause(from: $0) }).first { return clause }
        let isRecord = envelopes.contains { $0.category != nil }
        let lines = bytes.split(separator: 0x0A).compactMap { messageOfCmdlet($0, isRecord: isRecord) }
        // A list of cmdlets with their descriptions has several.
        if let start = lines.first, lines.count == 1 || isRecord { return clause(from: start) }
        guard let end = envelopes.first(where: { $0.category != nil })?.range.lowerBound else { return nil }
        return words.last { $0.start < end }?.clause
    }

    /// Returns the first clause with words from a position.
    private func clause(from start: Int) -> Int? { words.first { $0.start >= start }?.clause }

    /// Returns the start of the message after a cmdlet and a colon, as PowerShell prints an error: `New-SPSite : …`.
    private func messageOfCmdlet(_ line: ArraySlice<UInt8>, isRecord: Bool) -> Int? {
        let name = line.prefix { $0 > 0x20 && $0 != UInt8(ascii: ":") }
        let rest = line[name.endIndex...]
        if rest.starts(with: ": ".utf8), Self.errorLabels.contains(String(decoding: name, as: UTF8.self)) {
            return rest.dropFirst(2).first { $0 > 0x20 } == nil ? nil : rest.startIndex + 2
        }
        let isBeforeMessage = rest.starts(with: " : ".utf8) || rest.elementsEqual(" :".utf8)
        guard isBeforeMessage || isRecord && rest.starts(with: ": ".utf8),
            FrameTables.isCmdlet(String(decoding: name, as: UTF8.self))
        else { return nil }
        let message = rest.drop { $0 == 0x20 || $0 == UInt8(ascii: ":") }
        let verb = String(decoding: message.prefix { $0.isLetter }, as: UTF8.self)
        return Self.describing.contains(verb) ? nil : message.startIndex
    }

    private static let errorLabels: Set = ["Error", "ERROR", "FatalError", "FATAL", "Fehler", "Erreur", "Exception"]
    /// The beginnings of descriptions of cmdlets.
    private static let describing = """
        Gets Sets Returns Lists Shows Adds Removes Creates Deletes Updates Starts Stops
        """.wordSet

    /// Returns whether words are the end of a sentence with a full stop, as "failed" is in "The backup failed.".
    func endsSentence(_ match: WordPatterns.Match) -> Bool {
        words[match.words.upperBound...].dropFirst().first?.clause != match.clause && isBeforeStop(match.clause)
            && words.count { $0.clause == match.clause } >= 3
    }

    /// Words of clauses that address the reader or hold in general.
    private static let general = """
        you your we our should how why note please example typically usually always recommended
        """.wordSet
    /// Words that point at an object of an event.
    private static let pointing = "this current specified specifying given".wordSet
    private static let products = ["SharePoint", "PowerShell", "OneDrive", "OneNote", "InfoPath", "JavaScript"]

    /// Returns whether a clause is about an event rather than the general behavior of a product: it has a name or an
    /// identifier, or points at an object, and it does not address the reader.
    func reportsEvent(_ clause: Int) -> Bool {
        let words = words.filter { $0.clause == clause }.map(\.text)
        guard !words.contains(where: Self.general.contains) else { return false }
        return words.contains(where: Self.pointing.contains) || names.contains { $0.clause == clause }
            || identifiers.contains { name, place in
                place < self.words.count && self.words[place].clause == clause && !Self.products.contains(name)
                    && !FrameTables.isCmdlet(name)
            }
    }
}

/// The tags of HTML that a copied page contains.
private let htmlTags = """
    !doctype html head title meta link style script body h1 h2 h3 h4 p div span br hr table tr td th ul li b font pre nativehr
    nativestack
    """.wordSet

extension ArraySlice<UInt8> {
    /// Returns the end of a tag of HTML that begins at a position, such as `</title>`, which divides sentences.
    func tagEnd(at open: Int) -> Int? {
        let name = self[(open + 1)...].prefix(12).drop { $0 == 0x2F }.prefix { $0.isOfWord || $0 == 0x21 }
        guard htmlTags.contains(String(decoding: name, as: UTF8.self).lowercased()) else { return nil }
        return self[open...].firstIndex(of: 0x3E).map { $0 + 1 }
    }
}

/// The rows of the log of the configuration wizard, `PSCDiagnostics*.log`: date, time, thread, level and message.
enum WizardRows {
    private static let levels = ["ERR", "WRN", "INF"].map { Array($0.utf8) }

    /// The beginnings of rows at other levels with the exception of a task that failed.
    private static let reasons = ["friendlyMessage for task", "debugMessage for task"].map { Array($0.utf8) }

    /// Returns a text with blanks in place of all but the messages of the level ERR and the exceptions of tasks, with the
    /// lines that continue them, so that positions stay the same; `nil` if there are none.
    static func errors(in text: String) -> String? {
        guard text.has("ERR") else { return nil }
        var (bytes, isError, isFound) = (Array(text.utf8), false, false)
        for line in bytes.split(separator: 0x0A) {
            let parts = line.split(maxSplits: 4) { $0 <= 0x20 }
            let isRow = parts.count == 5 && levels.contains(Array(parts[3])) && parts[2].allSatisfy(\.isDigit)
            if isRow { isError = parts[3].elementsEqual(levels[0]) || reasons.contains { parts[4].starts(with: $0) } }
            let end = !isError ? line.endIndex : isRow ? parts[4].startIndex : line.startIndex
            for place in line.startIndex..<end { bytes[place] = 0x20 }
            isFound = isFound || isError
        }
        return isFound ? String(decoding: bytes, as: UTF8.self) : nil
    }
}

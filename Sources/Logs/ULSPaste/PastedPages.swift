import TextKit
import ULSRows

/// An ASP.NET error page that was copied as text: its title, description, exception, source location and stack trace
/// are separate paragraphs about one failure.
///
/// The words of a page are translated. However, the exception occurs twice on the page, as `Exception Details: Ns.Type:
/// message` and `[Type: message]`, and its message often occurs a third time, as the title.
enum ErrorPage {
    /// Returns the paragraphs, combining those of each page.
    static func joined(_ paragraphs: [OpenMessage]) -> [OpenMessage] {
        let texts = paragraphs.map(\.record.message)
        var joined: [OpenMessage] = []
        var next = 0
        for index in texts.indices where index >= next {
            let part =
                paragraphs[index].correlation.isEmpty
                ? Details(texts[index]).flatMap { page(around: index, $0, texts, from: next) }
                : SharePointPage.range(around: index, texts, from: next)
            guard let part else { continue }
            joined += paragraphs[next..<part.lowerBound]
            joined.append(paragraphs[part].dropFirst().reduce(into: paragraphs[part.lowerBound]) { $0.append($1) })
            next = part.upperBound
        }
        return joined + paragraphs[next...]
    }

    /// Returns the paragraphs of the page whose details are at `index`; `nil` if nothing repeats the details.
    private static func page(around index: Int, _ details: Details, _ texts: [[UInt8]], from first: Int) -> Range<Int>?
    {
        let before = max(first, index - reach)..<index
        let title = before.last { texts[$0].count >= shortestTitle && details.message.starts(with: texts[$0]) }
        let behind = index..<min(texts.count, index + 2 * reach)
        let trace = behind.first { texts[$0].contains(details.bracketed, in: texts[$0].indices) }
        guard title != nil || trace != nil else { return nil }
        var start = title ?? index
        if start > first, isHeading(texts[start - 1]) { start -= 1 }
        var end = (trace ?? index) + 1
        while end < texts.count, texts[end].first == UInt8(ascii: "[") || isVersion(texts[end]) { end += 1 }
        return start..<end
    }

    /// Returns whether a text resembles the first line of a page, which contains the application's path.
    private static func isHeading(_ text: [UInt8]) -> Bool {
        text.count < 120 && text.contains(UInt8(ascii: "/")) && !text.contains(0x0A)
    }

    private static func isVersion(_ text: [UInt8]) -> Bool {
        text.contains(Array("asp.net version:".utf8), in: text.indices)
    }

    /// The maximum number of paragraphs between the title and the details; up to twice as many may precede the stack
    /// trace.
    private static let reach = 4
    private static let shortestTitle = 12

    /// A paragraph that consists of a heading, an exception type and a message.
    private struct Details {
        let message: ArraySlice<UInt8>
        /// The type as written above its frames, in lowercase: `[type: `.
        let bracketed: [UInt8]

        init?(_ text: [UInt8]) {
            let colon = UInt8(ascii: ":")
            guard let heading = text.prefix(60).firstIndex(of: colon) else { return nil }
            let type = text.blanks(from: heading + 1, to: text.count).end
            let end = text.endOfWord(from: type, to: min(text.count, type + 200))
            guard end - type > 4, text[end - 1] == colon, let dot = text[type..<end].lastIndex(of: UInt8(ascii: ".")),
                text[type..<(end - 1)].allSatisfy({
                    $0.isDigit || $0.lowercased.isLowercase || Self.nameBytes.contains($0)
                })
            else { return nil }
            message = text[text.trimmed(end..<text.count)]
            bracketed = [UInt8(ascii: "[")] + text[(dot + 1)..<end].map(\.lowercased)
        }

        private static let nameBytes = Set("._+`".utf8)
    }
}

/// SharePoint's own error page: a heading, a general text, and below it the correlation ID and the time of the request,
/// with blank lines between them.
enum SharePointPage {
    /// Returns the paragraphs of the page whose correlation ID is in the paragraph at `index`; `nil` if there are no
    /// others.
    static func range(around index: Int, _ texts: [[UInt8]], from first: Int) -> Range<Int>? {
        let before = max(first, index - reach)..<index
        let details = (before.lowerBound...index).first { texts[$0].contains(product, in: texts[$0].indices) }
        // Without the heading, only the paragraph above the details is part of the page.
        let text = details.map { details in
            // Otherwise, the text is in the same paragraph, above `Troubleshoot issues with Microsoft SharePoint`.
            let beginning = 0..<min(texts[details].count, longestTitle)
            guard texts[details].contains(product, in: beginning) else { return details }
            let above = (before.lowerBound..<details).last { texts[$0].map(\.lowercased) != title }
            return above.map { texts[$0].count < longestText ? $0 : $0 + 1 } ?? details
        }
        let start = (before.lowerBound...index).last { isHeading(texts[$0]) } ?? text ?? index
        var end = index + 1
        while end < texts.count, time(in: texts[end]) != nil || lastLines.contains(texts[end].map(\.lowercased)) {
            end += 1
        }
        return start == index && end == index + 1 ? nil : start..<end
    }

    /// Returns whether a text has the heading or the details of a page, and not just a correlation ID.
    static func isPart(_ text: [UInt8]) -> Bool { isHeading(text) || text.contains(product, in: text.indices) }

    /// Returns the correlation ID, if a line consists of its label and the ID.
    static func correlation(in line: [UInt8]) -> ArraySlice<UInt8>? {
        guard let value = value(of: correlationLabels, in: line), value.count == lengthOfID,
            value.allSatisfy({ $0.isHexadecimal || $0 == UInt8(ascii: "-") })
        else { return nil }
        return value
    }

    /// Returns the time of the request, if a line consists of its label and a time.
    static func time(in line: [UInt8]) -> ArraySlice<UInt8>? {
        guard let value = value(of: timeLabels, in: line),
            let time = PastedTime(line, at: value.startIndex, to: value.endIndex), time.kind == .dateAndTime
        else { return nil }
        return line[time.range]
    }

    private static func value(of labels: [[UInt8]], in line: [UInt8]) -> ArraySlice<UInt8>? {
        guard let colon = line.prefix(longestLabel).firstIndex(of: UInt8(ascii: ":")),
            labels.contains(line[line.trimmed(0..<colon)].map(\.lowercased))
        else { return nil }
        return line[line.trimmed((colon + 1)..<line.count)]
    }

    private static func isHeading(_ text: [UInt8]) -> Bool {
        let text = text.prefix(longestLabel).map(\.lowercased)
        return words.contains(text) || headings.contains { text.hasPrefix($0) }
    }

    /// The maximum number of paragraphs above the correlation ID, and the maximum length of the text, in bytes.
    private static let reach = 6
    private static let longestText = 1000
    private static let longestLabel = 40
    private static let longestTitle = 60
    private static let lengthOfID = 36
    private static let title = Array("technical details".utf8)
    private static let product = Array("microsoft sharepoint".utf8)
    private static let headings = [
        "sorry, something went wrong", "leider ist ein fehler aufgetreten", "sorry, this site hasn't been shared",
    ].map { Array($0.utf8) }
    private static let words = ["error", "error:", "fehler", "erreur"].map { Array($0.utf8) }
    private static let correlationLabels = [
        "correlation id", "korrelations-id", "id de corrélation", "id. de correlación", "id correlazione",
    ].map { $0.utf8.map(\.lowercased) }
    private static let timeLabels = [
        "date and time", "datum und uhrzeit", "date et heure", "fecha y hora", "data e ora",
    ].map { Array($0.utf8) }
    private static let lastLines = ["go back to site", "zurück zur website", "web parts maintenance page"]
        .map { Array($0.utf8) }
}

/// The detailed error page of IIS, whose sections have blank lines between them.
enum ServerErrorPage {
    /// Returns whether a line begins the page, as `HTTP Error 500.19 - …` or `Server Error in '/' Application` does.
    static func begins(_ line: [UInt8]) -> Bool {
        let start = line.blanks(from: 0, to: line.count).end
        if beginsOfASPNET(line) { return true }
        guard line.hasPrefix(title, at: start), start + title.count < line.count else { return false }
        return line[start + title.count].isDigit
    }

    /// Returns whether a line begins an error page of ASP.NET.
    static func beginsOfASPNET(_ line: [UInt8]) -> Bool {
        line.hasPrefix(titleOfASPNET, at: line.blanks(from: 0, to: line.count).end)
    }

    /// Returns whether a line is the last of an error page of ASP.NET.
    static func ends(_ line: [UInt8]) -> Bool { line.hasPrefix(version, at: line.blanks(from: 0, to: line.count).end) }

    /// Returns whether a line after a blank line is part of the page above: the title of a section, a field, or a line
    /// of the configuration with its number.
    static func goesOn(_ line: [UInt8]) -> Bool {
        let start = line.blanks(from: 0, to: line.count).end
        let number = line[start...].prefix { $0.isDigit }
        if start >= 2, !number.isEmpty, number.endIndex < line.count, line[number.endIndex] == UInt8(ascii: ":") {
            return true
        }
        if sentences.contains(where: { line.hasPrefix($0, at: start) }) { return true }
        return labels.contains { label in
            guard line.hasPrefix(label, at: start) else { return false }
            let gap = line.blanks(from: start + label.count, to: line.count)
            return gap.end == line.count || gap.isWide || line[start + label.count] == UInt8(ascii: ":")
        }
    }

    private static let title = Array("HTTP Error ".utf8)
    private static let titleOfASPNET = Array("Server Error in '".utf8)
    private static let version = Array("Version Information".utf8)
    private static let labels = [
        "Detailed Error Information", "Most likely causes", "Things you can try", "More Information",
        "Links and More Information", "Config Source", "Config Error", "Config File", "Module", "Notification",
        "Handler",
        "Error Code", "Requested URL", "Physical Path", "Logon Method", "Logon User",
    ].map { Array($0.utf8) }
    /// The sentences below the title.
    private static let sentences = [
        "The requested page cannot be accessed", "The resource you are looking for",
        "You do not have permission to view",
        "The page you requested", "There is a problem with the resource",
    ].map { Array($0.utf8) }
}

/// An event of Windows auditing, such as 4625, whose sections are separated by blank lines.
enum AuditEvent {
    /// Returns whether a line after a blank line is the title of a section: `Subject:`, `Logon Type: 3`.
    static func isSection(_ line: [UInt8]) -> Bool {
        let start = line.blanks(from: 0, to: line.count).end
        guard start == 0, let colon = line.prefix(longestTitle).firstIndex(of: UInt8(ascii: ":")) else { return false }
        let title = line[..<colon].map(\.lowercased)
        let gap = line.blanks(from: colon + 1, to: line.count)
        return gap.end == line.count && sections.contains(title) || gap.isWide && values.contains(title)
    }

    /// Returns whether a line after a blank line explains the fields of the event above it.
    static func explains(_ line: [UInt8]) -> Bool { explanations.contains { line.hasPrefix($0, at: 0) } }

    private static let longestTitle = 64
    private static let sections = Set(
        [
            "subject", "logon information", "account for which logon failed", "failure information",
            "process information", "network information", "detailed authentication information", "new logon",
            "account information", "service information", "additional information", "certificate information",
            "account whose credentials were used", "target server", "target account", "account that was locked out",
            "access request information", "share information", "changed attributes",
            "antragsteller", "kontoinformationen", "dienstinformationen", "netzwerkinformationen",
            "fehlerinformationen", "prozessinformationen", "detaillierte authentifizierungsinformationen",
            "zusätzliche informationen", "konto, für das die anmeldung fehlgeschlagen ist",
        ].map { Array($0.utf8) }
    )
    /// The titles with a value beside them.
    private static let values = Set(
        ["logon type", "impersonation level", "authentication package", "anmeldetyp"].map { Array($0.utf8) }
    )
    private static let explanations = [
        "This event is generated when", "The Subject fields", "The Logon Type field", "The logon type field",
        "The Process Information fields", "The Network Information fields", "The network fields",
        "The New Logon fields",
        "The impersonation level field", "The authentication information fields", "Certificate information is only",
        "Pre-authentication types", "If the PIN number", "This event can be correlated",
    ].map { Array($0.utf8) }
}

/// An event from ASP.NET's health monitoring, pasted without the Windows event record that it describes: `Event code:
/// 3005`, `Event message: …`, and sections of indented fields, with blank lines between them.
enum HealthEvent {
    /// Returns whether a line or text begins a health monitoring event.
    static func begins(_ line: [UInt8]) -> Bool {
        let start = line.blanks(from: 0, to: line.count).end
        guard line.hasPrefix(key, at: start) else { return false }
        let code = line.blanks(from: start + key.count, to: line.count).end
        let end = line[code...].prefix { $0.isDigit }.endIndex
        // ASP.NET's own codes have four digits; those defined by programs have six.
        return 4...6 ~= end - code && (end == line.count || line[end] <= 0x20)
    }

    /// Returns whether a line after a blank line is part of the event above, because it is a section title, a field, or
    /// a frame.
    static func goesOn(_ line: [UInt8]) -> Bool {
        guard !begins(line) else { return false }
        if StackLine.matches(line) { return true }
        let start = line.blanks(from: 0, to: line.count).end
        let window = start..<min(line.count, start + longestKey)
        guard let colon = line[window].firstIndex(of: UInt8(ascii: ":")) else { return false }
        let key = line[start..<colon].map(\.lowercased)
        return key.hasPrefix(event) || key.suffix(information.count) == information[...] || sections.contains(key)
            || start > 0 && key.allSatisfy { $0.isLowercase || $0 == 0x20 }
    }

    /// Returns the time of an event, if a line contains it.
    static func time(in line: [UInt8]) -> ArraySlice<UInt8>? {
        let start = line.blanks(from: 0, to: line.count).end
        guard line.hasPrefix(timeKey, at: start) else { return nil }
        let value = line.trimmed(start + timeKey.count..<line.count)
        guard let time = PastedTime(line, at: value.lowerBound, to: value.upperBound), time.kind == .dateAndTime else {
            return nil
        }
        return line[time.range]
    }

    private static let key = Array("Event code:".utf8)
    private static let timeKey = Array("Event time:".utf8)
    private static let event = Array("event ".utf8)
    private static let information = Array(" information".utf8)
    private static let sections = Set(["custom event details", "stack trace"].map { Array($0.utf8) })
    private static let longestKey = 40
}

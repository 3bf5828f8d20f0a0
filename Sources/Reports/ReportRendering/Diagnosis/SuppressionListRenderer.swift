import JSONText
public import LogDiagnosis

/// Lists suppressions: text for people, `fastctl.suppression/1` objects as an array or one per line, or what they hide.
public enum SuppressionListRenderer {
    /// Appends the suppressions in the order of the file; `today` tells which of them have expired.
    public static func append(
        _ file: SuppressionFile,
        on today: CalendarDay?,
        as format: OutputFormat,
        nameEnd: NameEnd = .line,
        _ layout: TextLayout,
        to bytes: inout [UInt8]
    ) {
        switch format {
        case .json, .ndjson:
            var list = JSONList(isArray: format == .json)
            for entry in file.entries { list.append(to: &bytes) { append(entry, on: today, to: &$0) } }
            list.end(in: &bytes)
        case .name:
            for entry in file.entries {
                bytes.append(contentsOf: entry.id.utf8)
                bytes.append(nameEnd == .nul ? 0 : 0x0A)
            }
        case .text: page(of: file, on: today).append(to: &bytes, layout)
        }
    }

    private static func page(of file: SuppressionFile, on today: CalendarDay?) -> Page {
        var page = Page()
        var table = TextTable(columns: [
            .init(title: "WHAT"), .init(title: "UNTIL"), .init(title: "OWNER", minimum: 8),
            .init(title: "REASON", minimum: 16), .init(title: "LINE", alignment: .right),
        ])
        for entry in file.entries {
            let until = entry.until.map { "\($0)\(isExpired(entry, on: today) ? " expired" : "")" }
            table.append([
                .untrusted(entry.subjectText), "\(until ?? "-")", .untrusted(entry.owner), .untrusted(entry.reason),
                .count(entry.place.line),
            ])
        }
        page.table(table)
        return page
    }

    private static func append(_ entry: Suppression, on today: CalendarDay?, to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.suppression/1") { object in
            object.member("rule", entry.rule?.text)
            object.member("cluster", entry.rule == nil ? entry.id : nil)
            object.member("reason", entry.reason)
            object.member("owner", entry.owner)
            object.member("until", entry.until?.description)
            object.member("expired", isExpired(entry, on: today))
            object.member("file", entry.place.file)
            object.member("line", entry.place.line)
        }
    }

    private static func isExpired(_ entry: Suppression, on today: CalendarDay?) -> Bool {
        today.map(entry.isExpired) ?? false
    }
}

extension Suppression {
    fileprivate var rule: RuleID? { if case .rule(let id) = subject { id } else { nil } }

    /// The ID of what it hides.
    fileprivate var id: String {
        switch subject {
        case .rule(let id): id.text
        case .cluster(let id): id
        }
    }
}

import JSONText
public import ULSLog

/// Shows how one line was read.
public enum ExplanationRenderer {
    /// Formats of an explanation.
    public static let formats: [LogOutputFormat] = [.text, .json, .ndjson, .markdown]

    public static func append(
        _ explanation: ParseExplanation,
        as format: LogOutputFormat = .text,
        layout: TextLayout = TextLayout(),
        to bytes: inout [UInt8]
    ) {
        switch format {
        case .json, .ndjson: appendObject(explanation, to: &bytes)
        case .markdown: page(of: explanation).appendMarkdown(to: &bytes)
        case .text, .csv, .uls: page(of: explanation).append(to: &bytes, layout)
        }
    }

    private static func page(of explanation: ParseExplanation) -> Page {
        var page = Page()
        page.sentence("\(outside: "\(explanation.file):\(explanation.line)"): \(outside: explanation.kind)")
        var table = TextTable(columns: [
            .init(title: "COLUMN"), .init(title: "BYTES", alignment: .right), .init(title: "TEXT", minimum: 16),
        ])
        for field in explanation.fields {
            let bytes = field.last >= field.first ? "\(field.first)-\(field.last)" : "-"
            table.append([.outside(field.column), "\(bytes)", .outside(field.text.isEmpty ? nil : field.text)])
        }
        page.table(table)
        for note in explanation.notes { page.sentence("Note: \(outside: note)") }
        if let event = explanation.event {
            let lines =
                event.place.line == event.place.lineEnd
                ? "line \(event.place.line)" : "lines \(event.place.line) to \(event.place.lineEnd)"
            page.sentence("Its event stands on \(lines), in \(GroupedNumber.of(event.parts, "part", "parts")).")
        } else {
            page.sentence("It is in no event.")
        }
        return page
    }

    private static func appendObject(_ explanation: ParseExplanation, to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.explanation/1") { object in
            object.member("file", LogString(text: explanation.file))
            object.member("line", explanation.line)
            object.member("kind", LogString(text: explanation.kind))
            object.array("fields") { array in
                for field in explanation.fields {
                    array.object { object in
                        object.member("column", LogString(text: field.column))
                        object.member("first", field.first)
                        object.member("last", field.last)
                        object.member("text", LogString(text: field.text))
                    }
                }
            }
            object.member("notes", explanation.notes.map { LogString(text: $0) })
            object.key("event")
            if let event = explanation.event {
                var json: [UInt8] = []
                LogEventObject.append(event, to: &json)
                object.raw(json)
            } else {
                object.null()
            }
        }
        bytes.append(0x0A)
    }
}

public import ULSLog

/// Shows how one line was read.
public enum ExplanationRenderer {
    public static func append(
        _ explanation: ParseExplanation,
        layout: TextLayout = TextLayout(),
        to bytes: inout [UInt8]
    ) {
        var page = Page()
        page.sentence("\(untrusted: "\(explanation.file):\(explanation.line)"): \(untrusted: explanation.kind)")
        var table = TextTable(columns: [
            .init(title: "COLUMN"), .init(title: "BYTES", alignment: .right), .init(title: "TEXT", minimum: 16),
        ])
        for field in explanation.fields {
            let bytes = field.last >= field.first ? "\(field.first)-\(field.last)" : "-"
            table.append([.untrusted(field.column), "\(bytes)", .untrusted(field.text.isEmpty ? nil : field.text)])
        }
        page.table(table)
        for note in explanation.notes { page.sentence("Note: \(untrusted: note)") }
        if let event = explanation.event {
            let lines =
                event.place.line == event.place.lineEnd
                ? "line \(event.place.line)" : "lines \(event.place.line) to \(event.place.lineEnd)"
            page.sentence("Its event is on \(lines), in \(Quantity(grouped: event.parts, "part", "parts")).")
        } else {
            page.sentence("It belongs to no event.")
        }
        page.append(to: &bytes, layout)
    }
}

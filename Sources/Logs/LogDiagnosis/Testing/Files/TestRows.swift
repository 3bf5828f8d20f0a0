import YAML

/// The rows of a test, with what they leave out filled in.
struct TestRows {
    private(set) var rows: [TestRow] = []

    init(_ written: [Located<TestDocument.Row>], _ texts: Placeholders) throws(YAMLError) {
        var next = TestTime.first
        for row in written {
            let time = try Self.time(texts.filling(row.value.t), at: row.place) ?? next
            next = time.aSecondLater
            rows.append(Self.row(row.value, time, texts))
            try check(rows[rows.count - 1], at: row.place)
        }
    }

    private static func time(_ text: String?, at place: Place) throws(YAMLError) -> TestTime? {
        guard let text else { return nil }
        guard let time = TestTime(text) else {
            let message = "\u{201C}\(text)\u{201D} is no time: write 10:00:00.00 or 2026-03-02 10:00:00.00"
            throw YAMLError(message: message, place: place)
        }
        return time
    }

    private static func row(_ row: TestDocument.Row, _ time: TestTime, _ texts: Placeholders) -> TestRow {
        TestRow(
            time: time,
            eventID: texts.filling(row.id) ?? "0000",
            level: texts.filling(row.level) ?? "Medium",
            area: texts.filling(row.area) ?? "SharePoint Foundation",
            category: texts.filling(row.category) ?? "General",
            message: texts.filling(row.msg),
            correlation: texts.filling(row.corr).map(TestCorrelation.guid),
            process: texts.filling(row.process) ?? "w3wp.exe",
            processID: texts.filling(row.pid) ?? "0x1A2C",
            threadID: texts.filling(row.thread) ?? "0x0A10",
            server: texts.filling(row.server),
            split: row.split ?? TestRow.nativeSplit
        )
    }

    /// A tab would begin another column, and a line end another row.
    private func check(_ row: TestRow, at place: Place) throws(YAMLError) {
        let columns = [
            row.eventID, row.level, row.area, row.category, row.process, row.processID, row.threadID, row.server ?? "",
        ]
        if columns.contains(where: { $0.contains { $0 == "\t" || $0.isNewline } }) {
            throw YAMLError(message: "a column holds a tab or a line end", place: place)
        }
        if row.message.contains("\t") { throw YAMLError(message: "the message holds a tab", place: place) }
        if row.split < 1 { throw YAMLError(message: "split is how many characters go into a row", place: place) }
        if row.message.utf8.count / row.split >= TestRow.maximumParts {
            throw YAMLError(message: "the message makes more than \(TestRow.maximumParts) rows", place: place)
        }
    }
}

extension TextTable {
    /// Appends the table in GitHub's Markdown; text from outside is code.
    func appendMarkdown(to bytes: inout [UInt8]) {
        let shown = columns.indices.filter { !columns[$0].isDecoration }
        for index in shown { bytes.append(text: "| \(columns[index].title) ") }
        bytes.append(text: "|\n" as StaticString)
        for index in shown { bytes.append(text: columns[index].alignment == .right ? "| ---: " : "| --- ") }
        bytes.append(text: "|\n" as StaticString)
        for row in rows {
            for index in shown where index < row.count {
                bytes.append(text: "| " as StaticString)
                if row[index].isOwn {
                    bytes.append(text: row[index].text)
                } else {
                    bytes.append(markdownCode: row[index].text)
                }
                bytes.append(0x20)
            }
            bytes.append(text: "|\n" as StaticString)
        }
    }
}

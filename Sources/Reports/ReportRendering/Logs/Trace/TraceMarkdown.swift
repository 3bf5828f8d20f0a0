import ULSLog

/// A trace to paste into a ticket: a title, a table of facts, and the tree in a fence.
enum TraceMarkdown {
    static func append(_ trace: RequestTrace, to bytes: inout [UInt8]) throws {
        bytes.append(text: "## Request " as StaticString)
        bytes.append(markdownCode: trace.name ?? trace.correlation)
        bytes.append(text: "\n\n| | |\n| --- | --- |\n" as StaticString)
        for (name, value) in TraceHead(trace).rows {
            bytes.append(text: "| \(name) | ")
            value.appendMarkdown(to: &bytes)
            bytes.append(text: " |\n" as StaticString)
        }
        bytes.append(0x0A)
        var tree: [UInt8] = []
        try TraceTree(trace, TextLayout(), maximumMessageWidth: maximumMessageWidth).append(to: &tree) { _ in }
        bytes.append(markdownFence: tree)
    }

    /// A ticket is to be read; the whole message is in the other forms.
    private static let maximumMessageWidth = 500
}

import ContentFeeding
import JSONText

extension DocumentLine {
    /// The first top-level string that is not the document's ID; `nil` where there is none.
    static func title(of document: StoredDocument) -> String? {
        var scanner = JSONScanner(document.json.span)
        // What the store holds was checked when it was added; were it not, a line without a title does no harm.
        return try? title(in: &scanner, besides: document.id.text)
    }

    private static func title(in scanner: inout JSONScanner, besides id: String) throws -> String? {
        try scanner.enterObject()
        while try scanner.nextKey() != nil {
            guard try scanner.kind() == .string else {
                _ = try scanner.skipValue()
                continue
            }
            let text = try scanner.stringText()
            if text != id, !text.isEmpty { return text }
        }
        return nil
    }
}

import ContentFeeding
import TextSafety

/// A found document on a line: its ID, and the first of its strings that is not the ID, as wide as there is room.
struct DocumentLine {
    let width: Int

    func append(_ document: StoredDocument, to bytes: inout [UInt8]) {
        SafeText.append(document.id.utf8, to: &bytes)
        let room = width - SafeText.width(document.id.text) - 2
        if room >= 8, let title = Self.title(of: document) {
            bytes.append(contentsOf: "  ".utf8)
            SafeText.append(title, maximum: room, to: &bytes)
        }
        bytes.append(0x0A)
    }
}

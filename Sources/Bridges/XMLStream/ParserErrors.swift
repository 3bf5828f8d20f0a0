import CLibXML2

/// What libxml2 reports of one document, of which the first thing counts.
///
/// libxml2's own "last error" belongs to the thread: another reader on it would overwrite it.
final class ParserErrors {
    private(set) var first: XMLError?

    /// Receives the errors of `reader` for as long as it lives, which must not be longer than this object.
    func listen(to reader: xmlTextReaderPtr) {
        xmlTextReaderSetStructuredErrorHandler(
            reader,
            { context, error in
                guard let context, let error else { return }
                Unmanaged<ParserErrors>.fromOpaque(context).takeUnretainedValue().note(error.pointee)
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    private func note(_ error: xmlError) {
        guard first == nil, error.level.rawValue >= XML_ERR_ERROR.rawValue else { return }
        first = XMLError(error)
    }
}

extension XMLError {
    /// The longest message taken from libxml2, which quotes the document, in characters.
    private static let maximumMessage = 200

    init(_ error: xmlError) {
        self.init(code: .malformed, message: Self.message(error), line: max(1, Int(error.line)))
    }

    /// What libxml2 says, on one line; about its own trouble with a text it says nothing of use.
    private static func message(_ error: xmlError) -> String {
        let text = error.message.map { String(cString: $0) } ?? ""
        guard !text.isEmpty, error.code != CInt(bitPattern: XML_ERR_INTERNAL_ERROR.rawValue) else {
            return "not well-formed"
        }
        return String(text.split(whereSeparator: \.isWhitespace).joined(separator: " ").prefix(maximumMessage))
    }
}

import XMLStream

/// Parses one element of a message, with errors that name its own lines.
struct ElementReader: ~Copyable {
    private var reader: XMLReader

    static let unexpected = RejectedRecord("holds what does not belong there; check the format")

    /// The longest text of a field, in bytes: what the parser takes with some to spare.
    private static let maximumText = 9 << 20
    /// How deep elements may stand in one another: a field stands in a document, and nothing in a field.
    private static let maximumDepth = 8

    init(_ element: Span<UInt8>, limits: InputLimits) throws(RejectedRecord) {
        var bytes: [UInt8] = []
        bytes.append(copying: element)
        var xml = XMLReader.Limits()
        xml.bytes = limits.documentLine
        xml.token = Self.maximumText
        xml.depth = Self.maximumDepth
        do throws(XMLError) {
            reader = try XMLReader(bytes, limits: xml)
        } catch {
            throw RejectedRecord(notXML: error)
        }
    }

    mutating func next() throws(RejectedRecord) -> XMLReader.Event? {
        do throws(XMLError) {
            return try reader.next()
        } catch {
            throw RejectedRecord(notXML: error)
        }
    }

    /// The text up to the end of the element that has begun, which holds no other.
    mutating func text(in name: String) throws(RejectedRecord) -> String {
        var text = ""
        while let event = try next() {
            switch event {
            case .text(let more): text += more
            case .endElement: return text
            case .startElement(let inner, _):
                throw RejectedRecord("<\(inner)> in <\(name)>, where only text can be; write < as &lt; in text")
            }
        }
        throw Self.unexpected
    }
}

extension RejectedRecord {
    init(notXML error: XMLError) {
        switch error.code {
        case .malformed where error.line > 1:
            self.init("not well-formed in line \(error.line) of it: \(error.message); correct it")
        case .malformed: self.init("not well-formed: \(error.message); correct it")
        case .unsupportedEncoding: self.init("not UTF-8; convert the input first, for example with iconv -t UTF-8")
        default: self.init("not read: \(error.message)")
        }
    }
}

import ContentFeeding
import XMLStream

/// Reads what stands in one element of a Solr message.
enum SolrElement {
    static let queryRefusal =
        "a query, where only IDs can be removed; let 'fastctl find … -o name | fastctl remove' find them"

    /// The ID that an `<id>` holds, blanks and all.
    static func id(
        _ element: Span<UInt8>,
        limits: InputLimits,
        from ids: DocumentIDPages
    ) throws(RejectedRecord) -> DocumentID {
        if let plain = plainText(of: element) {
            return try ids.id(record: element.extracting(plain), limit: limits.id)
        }
        var reader = try ElementReader(element, limits: limits)
        guard case .startElement(let name, let attributes) = try reader.next() else { throw ElementReader.unexpected }
        try refuse(attributes, of: name)
        return try ids.id(record: reader.text(in: name).utf8.span, limit: limits.id)
    }

    /// Refuses what the start tag of a container asks for.
    static func checkOpening(_ tag: Span<UInt8>) throws(RejectedRecord) {
        var bytes: [UInt8] = []
        bytes.append(copying: tag.extracting(0..<tag.count - 1))
        if bytes.last != UInt8(ascii: "/") { bytes.append(UInt8(ascii: "/")) }
        bytes.append(UInt8(ascii: ">"))
        var reader = try ElementReader(bytes.span, limits: InputLimits())
        guard case .startElement(let name, let attributes) = try reader.next() else { throw ElementReader.unexpected }
        try refuse(attributes, of: name)
    }

    /// Attributes change what Solr does, so none is passed over.
    static func refuse(_ attributes: some Sequence<XMLReader.Attribute>, of name: String) throws(RejectedRecord) {
        for attribute in attributes {
            throw RejectedRecord("'\(attribute.name)' of <\(name)> is not carried out; take it out")
        }
    }

    /// The encoding that an XML declaration names, if that is not the one the bytes are in by now.
    static func foreignEncoding(declaredBy aside: Span<UInt8>) -> String? {
        guard aside.count <= maximumDeclaration else { return nil }
        let words = aside.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }.split {
            "\"'= \t\r\n".contains($0)
        }
        guard words.first == "<?xml", let name = words.firstIndex(of: "encoding"), name + 1 < words.endIndex else {
            return nil
        }
        let encoding = words[name + 1]
        return readEncodings.contains(encoding.lowercased()) ? nil : String(encoding.prefix(40))
    }

    /// UTF-16 has been turned into UTF-8 on the way here.
    private static let readEncodings = ["utf-8", "us-ascii", "ascii", "utf-16", "utf-16le", "utf-16be"]
    /// The longest XML declaration, in bytes; real ones have 40.
    private static let maximumDeclaration = 512

    /// The text of `<id>…</id>` where no byte of it means anything but itself: nearly always, and much faster.
    private static func plainText(of element: Span<UInt8>) -> Range<Int>? {
        let (start, end): (StaticString, StaticString) = ("<id>", "</id>")
        let (lower, upper) = (start.utf8CodeUnitCount, element.count - end.utf8CodeUnitCount)
        guard lower <= upper, element.has(start, at: 0), element.has(end, at: upper) else { return nil }
        for index in lower..<upper {
            switch element[index] {
            // Markup and references; `]` may end character data, and 0xEF begins what is no character of XML.
            case UInt8(ascii: "<"), UInt8(ascii: "&"), UInt8(ascii: "]"), 0xEF: return nil
            case 0x09, 0x0A, 0x20...: break
            default: return nil
            }
        }
        return lower..<upper
    }
}

extension Span<UInt8> {
    fileprivate func has(_ text: StaticString, at start: Int) -> Bool {
        for index in 0..<text.utf8CodeUnitCount where self[start + index] != text.utf8Start[index] { return false }
        return true
    }
}

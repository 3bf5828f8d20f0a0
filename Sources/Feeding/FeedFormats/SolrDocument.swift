import ContentFeeding
import JSONText
import XMLStream

/// A `<doc>` of a Solr message: fields and their values, which are strings.
struct SolrDocument {
    private var names: [String] = []
    /// Values of each field; none if an update removes the field.
    private var values: [[String]] = []
    /// Index of each name, by its bytes, because that is how Solr and JSON compare names.
    private var places: [[UInt8]: Int] = [:]

    /// Reads a document; in an update, a field may say `update="set"`, which is what an update does anyway.
    init(_ element: Span<UInt8>, isUpdate: Bool, limits: InputLimits) throws(RejectedRecord) {
        var reader = try ElementReader(element, limits: limits)
        guard case .startElement(let name, let attributes) = try reader.next() else { throw ElementReader.unexpected }
        try SolrElement.refuse(attributes, of: name)
        while let event = try reader.next() {
            switch event {
            case .startElement("field", let attributes):
                let field = try SolrField(attributes, isUpdate: isUpdate)
                add(try reader.text(in: "field"), to: field)
            case .startElement("doc", _):
                throw RejectedRecord("a document inside a document; write each one separately")
            case .startElement(let name, _):
                throw RejectedRecord("<\(name)> in <doc>, where only <field> is allowed")
            case .text(let text):
                guard text.utf8.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }) else {
                    throw RejectedRecord("text between fields; put it in a <field>")
                }
            case .endElement: break
            }
        }
    }

    private mutating func add(_ value: String, to field: SolrField) {
        let key = Array(field.name.utf8)
        let place = places[key] ?? names.count
        if place == names.count {
            places[key] = place
            names.append(field.name)
            values.append([])
        }
        if !field.isNull { values[place].append(value) }
    }

    /// Returns the document as JSON; a field given more than once is an array.
    func document(
        idField: String,
        limits: InputLimits,
        from ids: DocumentIDPages
    ) throws(RejectedRecord) -> Document {
        guard let place = places[Array(idField.utf8)] else {
            throw RejectedRecord("has no field '\(idField)' for the ID; add it, or name another with --field")
        }
        guard values[place].count == 1 else {
            throw RejectedRecord("has \(values[place].count) values in '\(idField)'; keep the one that is the ID")
        }
        let id = try ids.id(record: values[place][0].utf8.span, limit: limits.id)
        var writer = JSONWriter()
        writer.object { writer in
            for (name, values) in zip(names, values) {
                writer.key(name)
                switch values.count {
                case 0: writer.null()
                case 1: writer.value(values[0])
                default: writer.value(values)
                }
            }
        }
        let json = writer.takeBytes()
        guard json.count <= limits.document else { throw RejectedRecord(Document.tooLong(limits.document)) }
        return Document(id: id, json: json)
    }
}

/// The attributes of a `<field>` start tag.
private struct SolrField {
    var name = ""
    /// True when an update removes the field.
    var isNull = false

    init(_ attributes: [XMLReader.Attribute], isUpdate: Bool) throws(RejectedRecord) {
        for attribute in attributes {
            switch (attribute.name, attribute.value) {
            case ("name", let name): self.name = name
            case ("update", "set") where isUpdate: break
            case ("update", let change) where isUpdate:
                throw RejectedRecord("update=\"\(change)\" on a field: an update can only set fields")
            case ("update", _): throw RejectedRecord("a change to a document: use 'fastctl update'")
            case ("null", "true") where isUpdate: isNull = true
            default: try SolrElement.refuse([attribute], of: "field")
            }
        }
        guard !name.isEmpty else { throw RejectedRecord("a <field> without a name; add name=\"…\"") }
    }
}

/// A parser of one element of a message; errors name lines within that element.
struct ElementReader: ~Copyable {
    private var reader: XMLReader

    static let unexpected = RejectedRecord("has unexpected content; check the format")

    /// The deepest nesting of elements: a field is in a document, and nothing is in a field.
    private static let maximumDepth = 8

    init(_ element: Span<UInt8>, limits: InputLimits) throws(RejectedRecord) {
        var bytes: [UInt8] = []
        bytes.append(copying: element)
        var xml = XMLReader.Limits()
        xml.bytes = limits.documentLine
        // A field may be as long as the document that it is in.
        xml.token = limits.documentLine
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

    /// Returns the text up to the end of the element that has begun, which may hold no other.
    mutating func text(in name: String) throws(RejectedRecord) -> String {
        var text = ""
        while let event = try next() {
            switch event {
            case .text(let more): text += more
            case .endElement: return text
            case .startElement(let inner, _):
                throw RejectedRecord("<\(inner)> in <\(name)>, where only text is allowed; write < as &lt; in text")
            }
        }
        throw Self.unexpected
    }
}

extension RejectedRecord {
    init(notXML error: XMLError) {
        switch error.code {
        case .malformed where error.line > 1:
            self.init("not well-formed in line \(error.line) of the element: \(error.message); correct it")
        case .malformed: self.init("not well-formed: \(error.message); correct it")
        case .unsupportedEncoding: self.init("not UTF-8; convert the input first, for example with iconv -t UTF-8")
        default: self.init("not read: \(error.message)")
        }
    }
}

import ContentFeeding
import JSONText
import XMLStream

/// A `<doc>` of a Solr message: fields with their values, which are strings.
struct SolrDocument {
    private var names: [String] = []
    /// What each field holds; no value where an update takes the field away.
    private var values: [[String]] = []
    /// Where a name stands; by its bytes, because that is how Solr and JSON compare names.
    private var places: [[UInt8]: Int] = [:]

    /// Reads a document; in an update a field may say that it is set, which is what an update does.
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
                throw RejectedRecord("a document in a document; give each one of its own")
            case .startElement(let name, _):
                throw RejectedRecord("<\(name)> in <doc>, where only <field> can be")
            case .text(let text):
                guard text.utf8.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }) else {
                    throw RejectedRecord("text between fields; put it into a <field>")
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

    /// The document as JSON; a field that was given more than once is an array.
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

/// What the start tag of a `<field>` says.
struct SolrField {
    var name = ""
    /// True when an update takes the field away.
    var isNull = false

    init(_ attributes: [XMLReader.Attribute], isUpdate: Bool) throws(RejectedRecord) {
        for attribute in attributes {
            switch (attribute.name, attribute.value) {
            case ("name", let name): self.name = name
            case ("update", "set") where isUpdate: break
            case ("update", let change) where isUpdate:
                throw RejectedRecord("update=\"\(change)\" of a field: an update sets fields and does nothing else")
            case ("update", _): throw RejectedRecord("a change to a document: give it to 'fastctl update'")
            case ("null", "true") where isUpdate: isNull = true
            default: try SolrElement.refuse([attribute], of: "field")
            }
        }
        guard !name.isEmpty else { throw RejectedRecord("a <field> without a name; add name=\"…\"") }
    }
}

import ContentFeeding
import JSONText

/// An entity of a table, as the service writes it.
enum TableEntity {
    /// The key of the documents that holds the version.
    static let versionKey = "etag"
    /// The properties that every entity has, and that together are its name.
    static let keys = ["PartitionKey", "RowKey"]

    /// Turns a page of entities into entries.
    struct Reader: Sendable {
        let name: String
        /// The property that is the ID; `nil` for the keys.
        let id: String?
        let contents: SourceContents

        /// Reads a page, strictly: a part of it is never taken for the whole.
        func part(_ page: [UInt8]) throws(SourceError) -> PagePart {
            var part = PagePart()
            do throws(JSONError) {
                var scanner = JSONScanner(page.span)
                var isPage = false
                try scanner.enterObject()
                while let key = try scanner.nextKey() {
                    guard scanner.isEqual(key, "value"), !isPage else {
                        try scanner.skipValue()
                        continue
                    }
                    isPage = true
                    try scanner.enterArray()
                    while try scanner.nextElement() {
                        let members = try Members(of: &scanner, id: id)
                        guard let keys = members.keys, let etag = members.etag else {
                            throw JSONError(
                                offset: scanner.offset,
                                message: "an entity without PartitionKey, RowKey or ETag"
                            )
                        }
                        switch members.documentID(keys) {
                        case .success(let id):
                            let json = contents == .documents ? members.json(id: id, page) : nil
                            part.entries.append(SourceEntry(id: id, version: etag, json: json))
                        case .failure(let problem):
                            part.rejections.append(
                                InputRejection(
                                    source: name,
                                    line: part.entries.count + part.rejections.count + 1,
                                    reason: "the entity '\(keys)' \(problem.words)"
                                )
                            )
                        }
                    }
                }
                try scanner.end()
                guard isPage else { throw JSONError(offset: 0, message: "it has no list of entities") }
            } catch {
                throw SourceError(
                    .unusable,
                    "a page of \(name) is damaged or cut: \(error.message), at byte \(error.offset)",
                    advice: "try again later"
                )
            }
            return part
        }
    }
}

/// The members of one entity, each where its bytes are.
private struct Members {
    /// A property, without its type.
    private struct Property {
        let name: String
        let kind: JSONKind
        let value: Range<Int>
        /// Whether it is a number in quotes, because JavaScript would round it.
        var isQuotedInteger = false
    }

    private var properties: [Property] = []
    private var partition: String?
    private var row: String?
    private(set) var etag: String?
    /// The value of the property that is the ID; `nil` if it is none that can be an ID.
    private var idText: String?
    private let idProperty: String?

    /// Why an entity is no entry.
    struct Problem: Error { let words: String }

    private static let typeSuffix = "@odata.type"

    init(of scanner: inout JSONScanner, id: String?) throws(JSONError) {
        idProperty = id
        var integers: Set<String> = []
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            let name = scanner.text(of: key)
            if name == "odata.etag" {
                etag = try scanner.stringText()
            } else if name.hasSuffix(Self.typeSuffix) {
                if try scanner.stringText() == "Edm.Int64" {
                    integers.insert(String(name.dropLast(Self.typeSuffix.count)))
                }
            } else if name.hasPrefix("odata.") {
                try scanner.skipValue()
            } else {
                try add(name, &scanner)
            }
        }
        guard !integers.isEmpty else { return }
        for index in properties.indices where integers.contains(properties[index].name) {
            properties[index].isQuotedInteger = properties[index].kind == .string
        }
    }

    private mutating func add(_ name: String, _ scanner: inout JSONScanner) throws(JSONError) {
        let kind = try scanner.kind()
        let isKey = name == "PartitionKey" || name == "RowKey"
        guard isKey || name == idProperty else {
            properties.append(Property(name: name, kind: kind, value: try scanner.skipValue()))
            return
        }
        let start = scanner.offset
        if kind == .string {
            let text = try scanner.stringText()
            if name == "PartitionKey" { partition = text }
            if name == "RowKey" { row = text }
            if name == idProperty { idText = text }
        } else {
            let value = try scanner.skipValue()
            if kind == .number, name == idProperty { idText = scanner.rawText(value) }
        }
        properties.append(Property(name: name, kind: kind, value: start..<scanner.offset))
    }

    /// The keys as one text: neither of them may hold a slash.
    var keys: String? {
        guard let partition, let row else { return nil }
        return "\(partition)/\(row)"
    }

    func documentID(_ keys: String) -> Result<DocumentID, Problem> {
        if let idProperty, idText == nil {
            return .failure(Problem(words: "has no text or number in '\(idProperty)', which is to be its ID"))
        }
        if idProperty == nil, partition?.utf8.contains(UInt8(ascii: "/")) ?? false {
            return .failure(Problem(words: "has a slash in its PartitionKey, so its ID could be another one's too"))
        }
        do throws(InvalidDocumentID) {
            return .success(try DocumentID(idText ?? keys))
        } catch {
            return .failure(Problem(words: "can't be a document: \(error)"))
        }
    }

    /// Returns the document: our own keys, then the entity's properties, in its order.
    func json(id: DocumentID, _ page: [UInt8]) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("id", id.text)
            writer.member(TableEntity.versionKey, etag)
            for property in properties where !(property.name == "id" && property.name == idProperty) {
                writer.key(key(of: property))
                let value = page.span.extracting(property.value)
                if property.isQuotedInteger, let digits = Self.integer(value) {
                    writer.raw(digits)
                } else {
                    writer.raw(value)
                }
            }
        }
        return writer.takeBytes()
    }

    /// Returns a property's key in the document: one of our own names is not given twice.
    private func key(of property: Property) -> String {
        var name = property.name
        guard name == "id" || name == TableEntity.versionKey else { return name }
        repeat { name += "_" } while properties.contains { $0.name == name }
        return name
    }

    /// Returns the digits of a quoted whole number; `nil` if it is none that JSON could say.
    private static func integer(_ quoted: Span<UInt8>) -> [UInt8]? {
        let digits = quoted.withUnsafeBufferPointer { Array($0.dropFirst().dropLast()) }
        guard let value = Int64(String(decoding: digits, as: UTF8.self)) else { return nil }
        return Array("\(value)".utf8)
    }
}

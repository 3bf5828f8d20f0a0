package import ContentFeeding
package import FeedJobs
import JSONText
import Reconciliation
package import ReportKit
import TextKit

/// `fastctl.collectionChange/1`: a change to a collection.
package struct CollectionChange: Sendable {
    package enum Action: String, Sendable {
        case created, defined, cleared, deleted, optimized
    }

    private let action: Action
    private let collection: CollectionName
    private let target: String
    private let documents: Int?
    private let bytes: (before: Int, after: Int)?
    private let losses: [DefinitionLoss]?

    /// `documents` is the number of documents that were removed or merged, `nil` if unknown; `bytes` is the size of the
    /// store before and afterward, `nil` if not requested; `losses` are the values of a definition that were not carried
    /// over, `nil` without a definition.
    package init(
        _ action: Action,
        _ collection: CollectionName,
        at target: String,
        documents: Int?,
        bytes: (before: Int, after: Int)? = nil,
        losses: [DefinitionLoss]? = nil
    ) {
        self.action = action
        self.collection = collection
        self.target = target
        self.documents = documents
        self.bytes = bytes
        self.losses = losses
    }

    /// Appends the object on a line.
    package func append(to output: inout [UInt8]) {
        output.append(object: "fastctl.collectionChange/1") { object in
            object.member("action", action.rawValue)
            object.member("name", collection.rawValue)
            object.member("target", target)
            object.member("documents", documents)
            object.member("bytesBefore", bytes?.before)
            object.member("bytesAfter", bytes?.after)
            guard let losses else { return }
            object.array("notCarried") { array in
                for loss in losses {
                    array.object { object in
                        object.member("part", loss.part.rawValue)
                        object.member("path", loss.place)
                        object.member("value", loss.value)
                        object.member("reason", loss.reason)
                    }
                }
            }
        }
        output.append(0x0A)
    }
}

/// The table of the values of a definition that were not carried over to another engine.
package enum DefinitionLossTable {
    /// The maximum length of a value in the table, in characters; JSON contains the whole value.
    private static let longest = 60

    /// Returns the lines of the table, without line ends.
    package static func lines(_ losses: [DefinitionLoss]) -> [String] {
        var table = TextTable(["PART", "PATH", "VALUE", "REASON"])
        for loss in losses {
            let value = DefinitionDifferenceEntry.text(loss.value) ?? ""
            let shown = value.count > longest ? value.prefix(longest - 1) + "…" : value[...]
            table.append([loss.part.rawValue, loss.place, String(shown), loss.reason].map { .untrusted($0) })
        }
        var bytes: [UInt8] = []
        table.append(to: &bytes, width: Int(Int16.max))
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}

/// `fastctl.collection/1`: a collection's counts and settings.
package enum CollectionObject {
    /// Appends the object, without a line end.
    package static func append(_ collection: CollectionDescription, to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.collection/1") { object in
            object.member("name", collection.name.rawValue)
            object.member("documents", collection.documents)
            object.member("waiting", collection.waiting)
            object.member("bytes", collection.bytes)
            object.object("settings") { settings in
                for setting in collection.settings { settings.member(setting.name, setting.value) }
            }
        }
    }
}

/// `fastctl.alias/1`: another name for collections.
package enum AliasObject {
    /// Appends the object, without a line end.
    package static func append(_ alias: CollectionAlias, to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.alias/1") { object in
            object.member("name", alias.name.rawValue)
            object.member("collections", alias.collections.map(\.rawValue))
        }
    }
}

/// `fastctl.definitionDifference/1`: a difference between the definitions of two collections.
package struct DefinitionDifferenceEntry: ListEntry {
    private let part: String
    private let place: String
    private let first: JSONValue?
    private let second: JSONValue?

    package init(_ difference: DefinitionDifference) {
        (part, place) = (difference.part.rawValue, difference.place)
        (first, second) = (difference.first, difference.second)
    }

    /// Creates the entry for different numbers of documents.
    package init(documents first: Int, _ second: Int) {
        (part, place) = ("documents", "")
        (self.first, self.second) = (.number("\(first)"), .number("\(second)"))
    }

    package static let titles = ["PART", "PATH", "A", "B"]
    package static let alignments: [TextTable.Alignment] = [.left, .left, .left, .left]
    package static let fieldTitles = ["part", "path", "difference", "a", "b"]

    package var entryName: String? { nil }
    package var row: [String] { [part, place, Self.text(first) ?? "-", Self.text(second) ?? "-"] }
    package var fields: [String?] { [part, place, kind, Self.text(first), Self.text(second)] }

    package func append(to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.definitionDifference/1") { object in
            object.member("part", part)
            object.member("path", place)
            object.member("difference", kind)
            object.member("a", first)
            object.member("b", second)
        }
    }

    private var kind: String { first == nil ? "onlyInB" : second == nil ? "onlyInA" : "changed" }

    /// Returns a value as text: a string without its quotes, and anything else as JSON.
    fileprivate static func text(_ value: JSONValue?) -> String? {
        guard let value else { return nil }
        if let text = value.text { return text }
        var writer = JSONWriter()
        writer.value(value)
        return writer.text
    }
}

/// `fastctl.existence/1`: the existence of documents, written one after another, as objects or comma-separated values.
package struct ExistenceList {
    private let form: OutputForm
    private let collection: CollectionName
    private var list: JSONList
    private var table: CSVText?

    /// Appends the text before the first result.
    package init(
        _ form: OutputForm,
        _ style: CSVStyle,
        in collection: CollectionName,
        to bytes: inout [UInt8]
    ) {
        self.form = form
        self.collection = collection
        list = JSONList(isArray: form == .json)
        if form == .csv { table = CSVText(["id", "collection", "routing", "exists"], style, to: &bytes) }
    }

    /// Appends a result; appends nothing in the text and names forms.
    package mutating func append(_ key: DocumentKey, exists: Bool, to bytes: inout [UInt8]) {
        switch form {
        case .text, .name: break
        case .csv:
            table?.append([key.id.text, collection.rawValue, key.routing?.text, String(exists)], to: &bytes)
        case .json, .ndjson:
            list.append(to: &bytes) { bytes in
                bytes.append(object: "fastctl.existence/1") { object in
                    object.member("id", key.id)
                    object.member("collection", collection.rawValue)
                    object.member("routing", key.routing?.text)
                    object.member("exists", exists)
                }
            }
        default: form.failAsUndeclared()
        }
    }

    /// Appends the text after the last result.
    package func end(in bytes: inout [UInt8]) { if form == .json { list.end(in: &bytes) } }
}

/// Documents as comma-separated values: the members of `fastctl.document/1`, with the document itself as JSON.
package struct DocumentTable {
    private let table: CSVText

    /// Appends the titles.
    package init(_ style: CSVStyle, to bytes: inout [UInt8]) {
        table = CSVText(["id", "collection", "version", "routing", "document"], style, to: &bytes)
    }

    package func append(_ document: StoredDocument, in collection: CollectionName, to bytes: inout [UInt8]) {
        // Control characters in the document's strings are escaped, as in the other formats.
        let json = JSONWriter.object { $0.member("document", foreign: document.json) }
        let text = String(decoding: json.dropFirst(#"{"document":"#.utf8.count).dropLast(), as: UTF8.self)
        table.append(
            [
                document.id.text, collection.rawValue, document.version.map { String($0) }, document.routing?.text,
                text,
            ],
            to: &bytes
        )
    }
}

/// Documents in a form that other programs read: requests for `_bulk`, data for elasticdump, or a message for Solr.
///
/// In the first two forms, the stored bytes of a document are written unchanged, except that line breaks become spaces.
package struct DocumentDump {
    private let form: OutputForm
    private let collection: CollectionName

    /// Appends the text before the first document; `nil` for another form.
    package init?(_ form: OutputForm, of collection: CollectionName, to bytes: inout [UInt8]) {
        guard OutputForm.documents.contains(form) else { return nil }
        (self.form, self.collection) = (form, collection)
        if form == .solrXML { bytes.append(json: "<add>\n") }
    }

    /// Appends the text after the last document.
    package func end(in bytes: inout [UInt8]) { if form == .solrXML { bytes.append(json: "</add>\n") } }

    /// Appends a document; if the form can't represent it, returns the reason and appends nothing.
    package func append(_ document: StoredDocument, to bytes: inout [UInt8]) -> String? {
        if form == .solrXML { return SolrXMLDocument.append(document, to: &bytes) }
        bytes += JSONWriter.object { line in
            if form == .bulk {
                line.object("index") { action in
                    action.member("_index", collection.rawValue)
                    action.key("_id")
                    action.value(utf8: document.id.utf8)
                    if let routing = document.routing { action.member("routing", routing.text) }
                }
            } else {
                line.member("_index", collection.rawValue)
                line.member("_type", "_doc")
                line.key("_id")
                line.value(utf8: document.id.utf8)
                line.member("_score", 1)
                if let routing = document.routing { line.member("_routing", routing.text) }
                line.member("_source", raw: document.json.onOneLine)
            }
        }
        bytes.append(0x0A)
        guard form == .bulk else { return nil }
        bytes += document.json.onOneLine
        bytes.append(0x0A)
        return nil
    }
}

/// A document as a `<doc>` for Solr, whose fields have one or more scalar values.
private enum SolrXMLDocument {
    private struct Flaw: Error { let reason: String }

    /// Appends the element; returns the reason if the document can't be represented as one.
    static func append(_ document: StoredDocument, to bytes: inout [UInt8]) -> String? {
        var element = Array("<doc>".utf8)
        do {
            guard try append(document, fields: &element) else {
                try append(document.id.text, field: "id", to: &element)
                return finish(&element, to: &bytes)
            }
            return finish(&element, to: &bytes)
        } catch let flaw as Flaw {
            return flaw.reason
        } catch {
            return "it is not JSON (\(error))"
        }
    }

    private static func finish(_ element: inout [UInt8], to bytes: inout [UInt8]) -> String? {
        bytes += element
        bytes.append(json: "</doc>\n")
        return nil
    }

    /// Appends all fields; returns whether one of them is `id`.
    private static func append(_ document: StoredDocument, fields element: inout [UInt8]) throws -> Bool {
        var scanner = JSONScanner(document.json.span)
        var hasID = false
        try scanner.enterObject()
        while let token = try scanner.nextKey() {
            let key = scanner.text(of: token)
            let isID = key == "id"
            if isID, hasID { throw Flaw(reason: "it has the key 'id' twice") }
            hasID = hasID || isID
            if !isID, try scanner.kind() == .array {
                try scanner.enterArray()
                while try scanner.nextElement() {
                    guard let text = try text(of: &scanner, key) else {
                        throw Flaw(reason: "'\(key)' contains null")
                    }
                    try append(text, field: key, to: &element)
                }
            } else if let text = try text(of: &scanner, key) {
                guard !isID || text.utf8.elementsEqual(document.id.text.utf8) else {
                    throw Flaw(reason: "its key 'id' differs from its ID")
                }
                try append(text, field: key, to: &element)
            }
        }
        return hasID
    }

    /// Returns a scalar as text; `nil` for null.
    private static func text(of scanner: inout JSONScanner, _ key: String) throws -> String? {
        switch try scanner.kind() {
        case .string: return try scanner.stringText()
        case .number, .bool: return scanner.rawText(try scanner.skipValue())
        case .null:
            try scanner.null()
            return nil
        case .object, .array: throw Flaw(reason: "'\(key.prefix(40))' is nested, which fields of Solr's XML are not")
        }
    }

    private static func append(_ text: String, field: String, to element: inout [UInt8]) throws {
        for scalar in [field, text].lazy.flatMap(\.unicodeScalars) {
            switch scalar.value {
            case 0x09, 0x0A, 0x0D, 0x20...0xFFFD, 0x10000...: break
            default: throw Flaw(reason: "'\(field.prefix(40))' has a character that XML does not allow")
            }
        }
        element.append(json: "<field name=\"")
        element.append(xml: field, inAttribute: true)
        element.append(json: "\">")
        element.append(xml: text)
        element.append(json: "</field>")
    }
}

extension DocumentObject {
    /// Appends the object for standard output, without a line end; control characters in the document's strings are
    /// escaped, and line breaks become spaces.
    package static func append(
        printable document: StoredDocument,
        in collection: CollectionName,
        to bytes: inout [UInt8]
    ) {
        append(document, in: collection, to: &bytes) { $0.member("document", foreign: document.json.onOneLine) }
    }
}

/// `fastctl.source/1`: the kind of a source of documents, and its number of entries.
package struct SourceObject: Sendable {
    /// The source's address, without secrets.
    package var source: String
    /// Whether entries are in ascending order of their IDs.
    package var isOrdered: Bool
    /// The key that contains a document's version; `nil` if documents have no version.
    package var versionKey: String?
    /// Whether entries have documents.
    package var hasDocuments: Bool
    /// The ID of the first entry, and the top-level keys of its document; `nil` if there is none, or if it was not
    /// requested.
    package var first: (id: String, version: String?, keys: [String])?
    /// The numbers of entries and rejections; `nil` if they were not counted.
    package var count: (entries: Int, rejected: Int)?

    /// Creates the description of a source that was not read.
    package init(_ source: String, isOrdered: Bool, versionKey: String?, hasDocuments: Bool) {
        (self.source, self.isOrdered) = (source, isOrdered)
        (self.versionKey, self.hasDocuments) = (versionKey, hasDocuments)
    }

    /// Appends the object on a line.
    package func append(to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.source/1") { object in
            object.member("source", source)
            object.member("ordered", isOrdered)
            object.member("versionKey", versionKey)
            object.member("documents", hasDocuments)
            object.member("firstID", first?.id)
            object.member("firstVersion", first?.version)
            object.member("keys", first?.keys)
            object.member("entries", count?.entries)
            object.member("rejected", count?.rejected)
        }
        bytes.append(0x0A)
    }

    /// The description in readable form, as titles and values.
    package var lines: [(title: String, value: String)] {
        var lines = [("source", source), ("documents", hasDocuments ? "yes" : "no, only their IDs")]
        lines.append(
            (
                "version",
                versionKey.map { "in the key '\($0)'" } ?? first?.version.map { _ in "yes, but not in a key" } ?? "none"
            )
        )
        lines.append(("order", isOrdered ? "by ID" : "any"))
        if let first {
            lines.append(("first", first.id))
            lines.append(("keys", first.keys.joined(separator: ", ")))
        }
        return lines.map { (title: $0.0, value: $0.1) }
    }
}

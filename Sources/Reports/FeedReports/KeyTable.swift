package import ContentFeeding
import JSONText
package import ReportKit
import TextKit

/// A table of documents whose columns are keys; a nested key is written with dots, such as `price.net`.
///
/// The first row needs all keys. If they are not given, documents are held until the last one is known, so no value is
/// lost, and none is printed without its column.
package struct KeyTable {
    /// The columns of the table.
    package enum Columns: Hashable, Sendable {
        /// The ID, and each key of the documents that holds a value other than an object, in order of appearance.
        case all
        /// These keys; `id` is the ID.
        case keys([String])
    }

    /// The columns would not fit; nothing has been printed.
    package struct TooLarge: Error { package let reason: String }

    /// The limits on documents that are held.
    package struct Limits: Hashable, Sendable {
        /// The total size of the documents that are held, in bytes.
        package var heldBytes = 256 << 20
        /// The number of columns; spreadsheets have this limit as well.
        package var columns = 16_384
        /// The length of the title of a column, in bytes.
        package var titleBytes = 1_000

        package init() {}
    }

    private let columns: Columns
    private let style: CSVStyle
    private let limits: Limits
    /// The table; `nil` until the columns are known.
    private var table: CSVText?
    private var titles: [String] = []
    private var places: [[UInt8]: Int] = [:]
    private var held: [StoredDocument] = []
    private var heldBytes = 0
    private var hasDocuments = false
    /// The columns in which a document had a value.
    private var used: Set<Int> = []

    private static let id = "id"

    /// Appends the titles if they are known.
    package init(_ columns: Columns, _ style: CSVStyle, limits: Limits = Limits(), to bytes: inout [UInt8]) {
        (self.columns, self.style, self.limits) = (columns, style, limits)
        switch columns {
        case .all: _ = place(of: Self.id)
        case .keys(let keys):
            titles = keys
            table = CSVText(keys, style, quotesEmpty: true, to: &bytes)
        }
    }

    /// The given columns in which no document had a value; none if there was no document.
    package var unused: [String] {
        guard case .keys(let keys) = columns, hasDocuments else { return [] }
        return keys.indices.filter { !used.contains($0) }.map { keys[$0] }
    }

    /// Appends a document's row, or holds the document; if the table can't represent it, returns the reason.
    ///
    /// - Throws: ``TooLarge`` if the documents can't be held.
    package mutating func append(_ document: StoredDocument, to bytes: inout [UInt8]) throws(TooLarge) -> String? {
        hasDocuments = true
        if let table {
            do throws(JSONError) { table.append(try row(of: document), to: &bytes) } catch {
                return Self.unreadable(error)
            }
            return nil
        }
        let values: KeyValues
        do throws(KeyValues.Flaw) { values = try KeyValues(of: document, limits) } catch { return error.reason }
        for (key, _) in values.all where place(of: key) >= limits.columns {
            throw TooLarge(reason: "the documents have more than \(limits.columns) keys")
        }
        heldBytes += document.json.count + document.id.utf8.count
        guard heldBytes <= limits.heldBytes else {
            throw TooLarge(reason: "the documents found are larger than \(limits.heldBytes >> 20) MiB")
        }
        held.append(document)
        return nil
    }

    /// Ends the list of documents: their columns are known now, and the titles are appended unless they already were.
    package mutating func end(in bytes: inout [UInt8]) {
        guard table == nil else { return }
        table = CSVText(titles, style, quotesEmpty: true, to: &bytes)
        // Rows are taken from the end.
        held.reverse()
    }

    /// Appends the row of the next document that was held; returns false if there is none.
    package mutating func appendNext(to bytes: inout [UInt8]) -> Bool {
        guard let document = held.popLast() else { return false }
        var row = [String?](repeating: nil, count: titles.count)
        // This document was already read once.
        if let values = try? KeyValues(of: document, limits) {
            for (key, value) in values.all { row[place(of: key)] = value }
        }
        row[0] = document.id.text
        table?.append(row, to: &bytes)
        return true
    }

    /// Returns the index of a key's column, which is added if it does not exist.
    private mutating func place(of key: String) -> Int {
        let bytes = Array(key.utf8)
        if let place = places[bytes] { return place }
        places[bytes] = titles.count
        titles.append(key)
        return titles.count - 1
    }

    private mutating func row(of document: StoredDocument) throws(JSONError) -> [String?] {
        let members = try JSONMembers(of: document.json.span)
        var row: [String?] = []
        for (index, key) in titles.enumerated() {
            let cell =
                key == Self.id ? document.id.text : try Self.cell(of: key[...], among: members, in: document.json.span)
            if cell != nil { used.insert(index) }
            row.append(cell)
        }
        return row
    }

    /// Returns the value of a key; if there is none with that name, a dot leads into an object.
    private static func cell(
        of key: Substring,
        among members: JSONMembers,
        in json: Span<UInt8>
    ) throws(JSONError) -> String? {
        if let member = members[String(key)] {
            return try KeyValues.text(of: json.extracting(member.value), member.kind)
        }
        for dot in key.indices where key[dot] == "." {
            guard let member = members[String(key[..<dot])], member.kind == .object else { continue }
            let nested = json.extracting(member.value)
            if let cell = try cell(of: key[key.index(after: dot)...], among: JSONMembers(of: nested), in: nested) {
                return cell
            }
        }
        return nil
    }

    fileprivate static func unreadable(_ error: JSONError) -> String { "it can't be read as JSON: \(error)" }
}

/// The values of a document, with nested keys written with dots.
private struct KeyValues {
    struct Flaw: Error { let reason: String }

    /// The values other than `null`; an object without members is a value.
    private(set) var all: [(key: String, value: String)] = []
    private var keys: Set<[UInt8]> = []
    private let limits: KeyTable.Limits

    init(of document: StoredDocument, _ limits: KeyTable.Limits) throws(Flaw) {
        self.limits = limits
        try add(document.json.span, below: "")
        guard let index = all.firstIndex(where: { $0.key == "id" }) else { return }
        guard all[index].value.utf8.elementsEqual(document.id.text.utf8) else {
            throw Flaw(reason: "its key 'id' holds another value than its ID")
        }
        all.remove(at: index)
    }

    private mutating func add(_ json: Span<UInt8>, below prefix: String) throws(Flaw) {
        let members: JSONMembers
        do throws(JSONError) { members = try JSONMembers(of: json) } catch {
            throw Flaw(reason: KeyTable.unreadable(error))
        }
        for member in members.all {
            let key = prefix + member.key
            guard key.utf8.count <= limits.titleBytes else {
                throw Flaw(reason: "the key '\(key.prefix(40))…' is longer than \(limits.titleBytes) bytes")
            }
            let value = json.extracting(member.value)
            if member.kind == .object, !Self.isEmptyObject(value) {
                try add(value, below: key + ".")
                continue
            }
            let text: String?
            do throws(JSONError) { text = try Self.text(of: value, member.kind) } catch {
                throw Flaw(reason: KeyTable.unreadable(error))
            }
            guard keys.insert(Array(key.utf8)).inserted else { throw Flaw(reason: "it has two values of '\(key)'") }
            if let text { all.append((key, text)) }
        }
    }

    private static func isEmptyObject(_ json: Span<UInt8>) -> Bool {
        json.indices.dropFirst().dropLast().allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains(json[$0]) }
    }

    /// Returns a string's text, or the JSON of another value, with control characters in its strings escaped; `nil` for
    /// `null`.
    static func text(of json: Span<UInt8>, _ kind: JSONKind) throws(JSONError) -> String? {
        switch kind {
        case .null: return nil
        case .string:
            var scanner = JSONScanner(json)
            return try scanner.stringText()
        default:
            var bytes: [UInt8] = []
            bytes.append(escapingJSON: json)
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}

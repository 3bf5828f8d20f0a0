import ContentFeeding
import EngineHTTP
import HTTPClient
import JSONText
import TextKit

/// The entities of a table in Azure Storage, each of them read as one document.
///
/// A document has the entity's properties under their own names, `id`, `etag`, and the service's system properties:
/// `PartitionKey`, `RowKey` and `Timestamp`. A property named `id` or `etag` becomes `id_` or `etag_`. 64-bit integers
/// are written with all their digits; times, GUIDs, bytes (base64), and non-finite numbers become strings.
public struct AzureTableSource: DocumentSource {
    /// The source's address.
    public let name: String
    /// The traits of the source's entries.
    public let traits: SourceTraits

    private let address: AzureAddress
    private let options: Options
    private let access: HTTPAccess

    /// The options that select entities, and the property that provides the documents' IDs.
    public struct Options: Hashable, Sendable {
        /// A filter on entities in the service's own syntax (OData); `nil` for all entities.
        public var filter: String?
        /// The property that is the document's ID; `nil` for `PartitionKey/RowKey`.
        public var id: String?

        /// Creates the options for reading a whole table with `PartitionKey/RowKey` as the IDs.
        public init() {}
    }

    /// Creates the source of a table such as `https://ACCOUNT.table.core.windows.net/TABLE`; nothing is sent yet.
    public init(
        _ url: String,
        options: Options = Options(),
        access: HTTPAccess = HTTPAccess()
    ) throws(SourceError) {
        address = try AzureAddress(url)
        let table = address.path
        guard Self.isTable(table) else {
            throw SourceError(
                .invalidAddress,
                "'\(table)' is not a valid table name",
                advice: "expected 3 to 63 letters and digits, beginning with a letter"
            )
        }
        if let id = options.id, !Self.isProperty(id) {
            throw SourceError(
                .invalidAddress,
                "'\(id)' is not a valid property name",
                advice: "expected letters, digits and '_'"
            )
        }
        if let filter = options.filter, filter.isEmpty || filter.utf8.count > Self.maximumFilter {
            throw SourceError(
                .invalidAddress,
                "the table's filter is \(filter.isEmpty ? "empty" : "longer than \(Self.maximumFilter) bytes")"
            )
        }
        self.options = options
        self.access = access
        var name = "azure-table+" + address.adding(String(table)).name
        let parameters = [("filter", options.filter), ("id", options.id)].compactMap { key, value in
            value.map { "\(key)=\(HTTPAddress.escaped($0))" }
        }
        if !parameters.isEmpty { name += "?" + parameters.joined(separator: "&") }
        self.name = name
        var traits = SourceTraits()
        traits.versionKey = TableEntity.versionKey
        self.traits = traits
    }

    private static let maximumFilter = 4 << 10

    private static func isTable(_ name: Substring) -> Bool {
        (3...63).contains(name.utf8.count) && name.utf8.allSatisfy(\.isLetterOrDigit)
            && name.utf8.first?.isLetter ?? false
    }

    private static func isProperty(_ name: String) -> Bool {
        (1...255).contains(name.utf8.count)
            && name.unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isXIDContinue }
    }

    /// Opens the table.
    public func reader(
        of contents: SourceContents,
        from place: SourcePlace
    ) async throws(SourceError) -> any SourceReader {
        let storage = AzureStorage(.table, account: address.account)
        let service = TableService(
            connection: try await SourceConnection(access, for: storage),
            address: query(for: contents),
            entities: TableEntity.Reader(name: name, id: options.id, contents: contents)
        )
        return try await PagedReader(service, named: name, from: place)
    }

    /// Returns the address of a query for all entities.
    private func query(for contents: SourceContents) -> HTTPAddress {
        var query = address.adding("\(address.path)()").with("$top", "\(Self.entitiesPerPage)")
        if let filter = options.filter { query = query.with("$filter", filter) }
        if contents == .versions {
            let id = options.id.map { TableEntity.keys.contains($0) ? [] : [$0] } ?? []
            query = query.with("$select", (TableEntity.keys + id).joined(separator: ","))
        }
        return query
    }

    /// The maximum number of entities that the service returns at once.
    private static let entitiesPerPage = 1_000
}

/// The pages of a query.
private struct TableService: PagedService {
    let connection: SourceConnection
    let address: HTTPAddress
    let entities: TableEntity.Reader

    private static let headers = [
        HTTPHeader("Accept", "application/json;odata=minimalmetadata"), HTTPHeader("x-ms-version", "2019-02-02"),
        HTTPHeader("DataServiceVersion", "3.0;NetFx"), HTTPHeader("MaxDataServiceVersion", "3.0;NetFx"),
    ]

    func list(at place: String) async throws(SourceError) -> ListedPage<[UInt8]> {
        var address = address
        if !place.isEmpty {
            let keys = place.split(separator: "\n", omittingEmptySubsequences: false).map { HTTPAddress.unescaped($0) }
            guard keys.count == 2, let partition = keys[0], let row = keys[1], !partition.isEmpty else {
                throw SourceError(.unusable, "\(entities.name): the position to resume from is not one in a table")
            }
            address = address.with("NextPartitionKey", partition)
            if !row.isEmpty { address = address.with("NextRowKey", row) }
        }
        let reply = try await connection.get(address, headers: Self.headers)
        // A page may be empty and still not be the last: the service ends a page after five seconds.
        let next = reply.header("x-ms-continuation-NextPartitionKey").map { partition in
            let row = reply.header("x-ms-continuation-NextRowKey") ?? ""
            return "\(HTTPAddress.escaped(partition))\n\(HTTPAddress.escaped(row))"
        }
        return ListedPage(list: reply.body, partCount: 1, next: next)
    }

    func part(_ number: Int, of list: [UInt8]) async throws(SourceError) -> PagePart { try entities.part(list) }
}

/// An entity of a table, in the service's format.
enum TableEntity {
    /// The key that holds a document's version.
    static let versionKey = "etag"
    /// The two properties that together identify an entity.
    static let keys = ["PartitionKey", "RowKey"]

    /// Converts a page of entities to entries.
    struct Reader: Sendable {
        let name: String
        /// The property that is the ID; `nil` for the keys.
        let id: String?
        let contents: SourceContents

        /// Parses a page strictly: a part of it is never mistaken for the whole.
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
                        let members = try EntityMembers(of: &scanner, id: id)
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
                    "a page from \(name) is damaged or truncated: \(error.message), at byte \(error.offset)",
                    advice: "try again later"
                )
            }
            return part
        }
    }
}

/// The members of one entity, as byte ranges of the page.
private struct EntityMembers {
    /// A property, without its type.
    private struct Property {
        let name: String
        let kind: JSONKind
        let value: Range<Int>
        /// Whether the value is a number in quotes, because JavaScript would round it.
        var isQuotedInteger = false
    }

    private var properties: [Property] = []
    private var partition: String?
    private var row: String?
    private(set) var etag: String?
    /// The value of the property that is the ID; `nil` if it can't be an ID.
    private var idText: String?
    private let idProperty: String?

    /// The reason why an entity can't become an entry.
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

    /// The two keys, joined by a slash; Azure allows a slash in neither of them.
    var keys: String? {
        guard let partition, let row else { return nil }
        return "\(partition)/\(row)"
    }

    func documentID(_ keys: String) -> Result<DocumentID, Problem> {
        if let idProperty, idText == nil {
            return .failure(Problem(words: "has no text or number in '\(idProperty)', which should be its ID"))
        }
        if idProperty == nil, partition?.utf8.contains(UInt8(ascii: "/")) ?? false {
            return .failure(Problem(words: "has a slash in its PartitionKey, so its ID would not be unique"))
        }
        do throws(InvalidDocumentID) {
            return .success(try DocumentID(idText ?? keys))
        } catch {
            return .failure(Problem(words: "can't be a document: \(error)"))
        }
    }

    /// Returns the document: our own keys, then the entity's properties in their original order.
    func json(id: DocumentID, _ page: [UInt8]) -> [UInt8] {
        JSONWriter.object { writer in
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
    }

    /// Returns a property's key in the document, which must differ from our own keys.
    private func key(of property: Property) -> String {
        var name = property.name
        guard name == "id" || name == TableEntity.versionKey else { return name }
        repeat { name += "_" } while properties.contains { $0.name == name }
        return name
    }

    /// Returns the digits of a quoted whole number; `nil` if JSON can't represent it.
    private static func integer(_ quoted: Span<UInt8>) -> [UInt8]? {
        let digits = quoted.withUnsafeBufferPointer { Array($0.dropFirst().dropLast()) }
        guard let value = Int64(String(decoding: digits, as: UTF8.self)) else { return nil }
        return Array("\(value)".utf8)
    }
}

/// The address of a table, or of a container's blobs, in an account of Azure Storage.
struct AzureAddress: Hashable, Sendable {
    /// The service's address including the account's path prefix, which is empty except for an emulator.
    let service: HTTPAddress
    /// The account's name, from the address.
    let account: String
    /// The path below the account: a table, or a container and a prefix of names.
    let path: Substring

    /// Parses an address such as `https://ACCOUNT.table.core.windows.net/TABLE` or
    /// `http://127.0.0.1:10002/ACCOUNT/TABLE`.
    init(_ url: String) throws(SourceError) {
        guard !url.contains("@"), var address = HTTPAddress(url) else {
            // The address may contain a secret, so it is not shown.
            throw SourceError(
                .invalidAddress,
                "the storage account's address is not valid",
                advice: "expected https://ACCOUNT.table.core.windows.net/TABLE or …blob.core.windows.net/CONTAINER"
            )
        }
        guard address.query.isEmpty else {
            throw SourceError(
                .invalidAddress,
                "the address \(address.name) has parameters that are not supported here",
                advice: "a SAS does not go in the address: put it in the credentials file, where others can't read it"
            )
        }
        var path = address.path.dropFirst()
        let host = address.node.host
        let label = host.prefix { $0 != "." }
        // A host without a domain is an emulator, whose paths begin with the account's name.
        let isEmulator = label.count == host.count || address.node.isLoopback || label.allSatisfy(\.isNumber)
        if isEmulator {
            let first = path.prefix { $0 != "/" }
            path = path.dropFirst(first.count + 1)
            address.path = "/\(first)"
            account = String(first)
        } else {
            address.path = ""
            let secondary = "-secondary"
            account = String(label.hasSuffix(secondary) ? label.dropLast(secondary.count) : label)
        }
        guard !account.isEmpty, !path.isEmpty else {
            throw SourceError(
                .invalidAddress,
                "the address \(address.server)\(address.path)/\(path) names \(account.isEmpty ? "no account" : "nothing in the account")",
                advice: "expected \(isEmulator ? "\(address.server)/ACCOUNT/NAME" : "\(address.server)/NAME")"
            )
        }
        service = address
        self.path = path
    }

    /// Returns the address of a resource in the account.
    func adding(_ path: String) -> HTTPAddress {
        var address = service
        address.path += "/" + path
        return address
    }
}

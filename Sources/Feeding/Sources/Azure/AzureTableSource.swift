import ContentFeeding
import EngineHTTP
import HTTPClient

/// The entities of a table in Azure Storage, each a document.
///
/// A document has the entity's properties under their names, and besides them `id`, `etag` and what the service keeps:
/// `PartitionKey`, `RowKey` and `Timestamp`. A property that is called `id` or `etag` itself is found as `id_` or
/// `etag_`. Whole numbers of 64 bits are written with all their digits; times, GUIDs, bytes (base64), and numbers that
/// are not finite are strings.
public struct AzureTableSource: DocumentSource {
    /// The source's address.
    public let name: String
    /// What can be expected of its entries.
    public let traits: SourceTraits

    private let address: AzureAddress
    private let options: Options
    private let access: HTTPAccess

    /// What is read of the table, and how its entities are called.
    public struct Options: Hashable, Sendable {
        /// A condition on entities in the service's own words (OData); `nil` for all.
        public var filter: String?
        /// The property that is the document's ID; `nil` for `PartitionKey/RowKey`.
        public var id: String?

        /// Creates the options of a whole table whose keys are the IDs.
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
                "'\(table)' is no name of a table",
                advice: "expected 3 to 63 letters and digits, beginning with a letter"
            )
        }
        if let id = options.id, !Self.isProperty(id) {
            throw SourceError(
                .invalidAddress,
                "'\(id)' is no name of a property",
                advice: "expected letters, digits and '_'"
            )
        }
        if let filter = options.filter, filter.isEmpty || filter.utf8.count > Self.maximumFilter {
            throw SourceError(
                .invalidAddress,
                "the filter of the table is \(filter.isEmpty ? "empty" : "longer than \(Self.maximumFilter) bytes")"
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
        (3...63).contains(name.utf8.count) && name.utf8.allSatisfy { isLetter($0) || isDigit($0) }
            && name.utf8.first.map(isLetter) ?? false
    }

    private static func isProperty(_ name: String) -> Bool {
        (1...255).contains(name.utf8.count)
            && name.unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isXIDContinue }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

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

    /// The most that the service gives at once.
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
                throw SourceError(.unusable, "\(entities.name): the place to go on at is not one of a table")
            }
            address = address.with("NextPartitionKey", partition)
            if !row.isEmpty { address = address.with("NextRowKey", row) }
        }
        let reply = try await connection.get(address, headers: Self.headers)
        // A page may be without entities, and still have a successor: the service stops after five seconds.
        let next = reply.header("x-ms-continuation-NextPartitionKey").map { partition in
            let row = reply.header("x-ms-continuation-NextRowKey") ?? ""
            return "\(HTTPAddress.escaped(partition))\n\(HTTPAddress.escaped(row))"
        }
        return ListedPage(list: reply.body, partCount: 1, next: next)
    }

    func part(_ number: Int, of list: [UInt8]) async throws(SourceError) -> PagePart { try entities.part(list) }
}

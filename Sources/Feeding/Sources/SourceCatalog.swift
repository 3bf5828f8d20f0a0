import EngineHTTP

/// Opens sources by their addresses; the one place that knows all kinds.
public struct SourceCatalog: Sendable {
    /// A file with the credentials of a source on the web, that only its owner can read.
    public var credentialsFile: String?
    /// A file with the only authorities that certificates of a source on the web may come from.
    public var authorityFile: String?
    /// The environment, in which credentials may be.
    public var environment: [String: String]

    /// The environment variable with the credentials of a source, if no file is given.
    public static let credentialsVariable = "FASTCTL_SOURCE_CREDENTIALS"

    /// Creates a catalog in an environment; it need not hold a secret, only the fact that there is one.
    public init(environment: [String: String] = [:]) { self.environment = environment }

    /// Opens a source; what it holds is read later.
    ///
    /// - Throws: A ``SourceError``; also for a collection, which its engine opens.
    public func open(_ address: SourceAddress) throws(SourceError) -> any DocumentSource {
        let name = "\(address)"
        switch address.location {
        case .azureTable(let url):
            var options = AzureTableSource.Options()
            options.filter = address["filter"]
            options.id = address["id"]
            return try AzureTableSource(url, options: options, access: access(isAzure: true))
        case .azureBlob(let url):
            let content: AzureBlobSource.Content? = try address.choice("content")
            return try AzureBlobSource(url, content: content ?? .all, access: access(isAzure: true))
        case .folder(let path): return try FolderSource(path, FolderSource.Options(address), named: name)
        case .sitemap(let url): return try SitemapSource(url, access: access(isAzure: false))
        case .sitemapFile(let path): return SitemapSource(path: path)
        case .file(let format, let path):
            return try FileSource(path, format, FileSource.Options(address), named: name)
        case .query(let sql, let path):
            var options = SQLiteQuerySource.Options()
            options.idColumn = address["id"]
            options.versionColumn = address["version"]
            options.routingColumn = address["routing"]
            return try SQLiteQuerySource(sql, inFile: path, options, named: name)
        case .collection: throw SourceError(.unsupported, "'\(address)' is a collection, which its engine opens")
        }
    }

    private func access(isAzure: Bool) -> HTTPAccess {
        var connection = ConnectionOptions()
        connection.tls.authorityFile = authorityFile
        if let credentialsFile {
            connection.credentials = .file(path: credentialsFile)
        } else if environment[Self.credentialsVariable].map({ !$0.isEmpty }) ?? false {
            connection.credentials = .environment(variable: Self.credentialsVariable)
        } else if isAzure {
            connection.credentials = .azureEnvironment
        }
        return HTTPAccess(connection)
    }
}

extension FileSource.Options {
    fileprivate init(_ address: SourceAddress) throws(SourceError) {
        self.init()
        idKey = address["id"] ?? idKey
        versionKey = address["version"]
        routingKey = address["routing"]
        encoding = address["encoding"]
        guard let text = address["delimiter"] else { return }
        let bytes = Array((text == "tab" ? "\t" : text).utf8)
        guard bytes.count == 1, bytes[0] < 0x80, !"\"\r\n".utf8.contains(bytes[0]) else {
            throw SourceError(
                .invalidAddress,
                "delimiter=\(text) is no character between cells",
                advice: "as in ; or tab"
            )
        }
        delimiter = bytes[0]
    }
}

extension FolderSource.Options {
    fileprivate init(_ address: SourceAddress) throws(SourceError) {
        self.init()
        let globs = address.values(of: "glob")
        if !globs.isEmpty { patterns = globs }
        base = address["base"]
        identity = try address.choice("id") ?? (base == nil ? .path : .url)
        version = try address.choice("version") ?? .modified
        encoding = address["encoding"]
    }
}

extension SourceAddress {
    /// Returns the choice that a parameter names; `nil` if it was not given.
    fileprivate func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String
    ) throws(SourceError) -> Choice? {
        guard let text = self[name] else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw SourceError(.invalidAddress, "\(name)=\(text) is not known", advice: "expected one of \(choices)")
        }
        return choice
    }
}

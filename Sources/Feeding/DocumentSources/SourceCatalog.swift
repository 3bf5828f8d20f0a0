import EngineHTTP
import FeedFormats
import Glibc
import TextKit

/// Opens sources by their addresses; this is the only type that refers to every kind of source.
public struct SourceCatalog: Sendable {
    /// A file with the credentials of a web source; only the file's owner may have permission to read it.
    public var credentialsFile: String?
    /// A file of certificate authorities; for a web source, no others are trusted.
    public var authorityFile: String?
    /// The environment variables, which may contain credentials.
    public var environment: [String: String]

    /// The receiver of remarks for the user while a source is read, such as the reason for a delay.
    public var remark: @Sendable (String) -> Void = { _ in }

    /// The environment variable with the credentials of a source, if no file is given.
    public static let credentialsVariable = "FASTCTL_SOURCE_CREDENTIALS"

    /// Creates a catalog that uses these environment variables.
    public init(environment: [String: String] = [:]) { self.environment = environment }

    /// Opens a source; its contents are read later.
    ///
    /// - Throws: A ``SourceError``, also for the address of a collection, because only its engine can open it.
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
            return try AzureBlobSource(
                url,
                content: content ?? .all,
                encoding: address["encoding"],
                access: access(isAzure: true)
            )
        case .folder(let path): return try FolderSource(path, FolderSource.Options(address), named: name)
        case .sitemap(let url): return try SitemapSource(url, access: access(isAzure: false))
        case .sitemapFile(let path): return SitemapSource(path: path)
        case .file(let format, let path):
            return try FileSource(path, format, FileSource.Options(address), named: name, remark: remark)
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
        var access = HTTPAccess(connection)
        access.remark = remark
        return access
    }
}

extension FileSource.Options {
    fileprivate init(_ address: SourceAddress) throws(SourceError) {
        self.init()
        idKey = address["id"] ?? idKey
        versionKey = address["version"]
        routingKey = address["routing"]
        encoding = address["encoding"]
        do throws(TableColumnsError) {
            columns = try address["columns"].map { text throws(TableColumnsError) in try TableColumns(text) }
        } catch {
            throw SourceError(
                .invalidAddress,
                "columns: \(error.reason)",
                advice: "expected names and types, such as price:number,tags:list(;)"
            )
        }
        if let text = address["skip-lines"] {
            guard let count = Int(text), count >= 0 else {
                throw SourceError(
                    .invalidAddress,
                    "skip-lines=\(text) is not a valid number",
                    advice: "expected the number of lines before the table's titles"
                )
            }
            skippedLines = count
        }
        guard let text = address["delimiter"] else { return }
        let bytes = Array((text == "tab" ? "\t" : text).utf8)
        guard bytes.count == 1, bytes[0] < 0x80, !"\"\r\n".utf8.contains(bytes[0]) else {
            throw SourceError(
                .invalidAddress,
                "delimiter=\(text) is not a valid delimiter",
                advice: "expected a character such as ; or tab"
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
    /// Returns the choice that a parameter names; `nil` if the parameter was not given.
    fileprivate func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String
    ) throws(SourceError) -> Choice? {
        guard let text = self[name] else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw SourceError(
                .invalidAddress,
                "\(name)=\(text) is not a valid value",
                advice: "expected one of \(choices)"
            )
        }
        return choice
    }
}

/// The address of a source: its kind, its location, and parameters that determine how its entries are read.
///
/// The first `?name=` begins the parameters, which are separated by `&`; in their values, `%XX` represents a byte. A
/// database query is always the last parameter, and extends unescaped to the end of the address.
public struct SourceAddress: Hashable, Sendable {
    /// The kind of a source, and its location.
    public enum Location: Hashable, Sendable {
        /// A table of Azure storage: an `http` or `https` address without parameters.
        case azureTable(url: String)
        /// A container of Azure storage, or the blobs in it whose names begin with a prefix.
        case azureBlob(url: String)
        /// The files below a folder.
        case folder(path: String)
        /// A sitemap, or an index of sitemaps; any parameters are part of the sitemap's own address.
        case sitemap(url: String)
        /// A sitemap in a file.
        case sitemapFile(path: String)
        /// A file of documents.
        case file(FileSource.Format, path: String)
        /// The rows that a query returns from an SQLite database.
        case query(String, database: String)
        /// A collection in a context's target, in a target given by its address, or, if `of` is `nil`, in the command's
        /// own target.
        case collection(String, of: String?)
    }

    /// A parameter, with its name and its decoded value.
    public struct Parameter: Hashable, Sendable {
        /// The name, already checked to be valid for the kind of source.
        public let name: String
        /// The value.
        public let value: String
    }

    /// The kind of a source, and its location.
    public let location: Location
    /// The parameters, except a database query, in the order given.
    public let parameters: [Parameter]

    private init(_ location: Location, _ parameters: [Parameter] = []) {
        (self.location, self.parameters) = (location, parameters)
    }

    /// The longest address, in bytes.
    public static let maximumByteCount = 64 << 10

    /// Parses an address.
    ///
    /// - Throws: A ``SourceError`` whose message never repeats a possible secret.
    public init(_ text: String) throws(SourceError) {
        guard text.utf8.count <= Self.maximumByteCount, !text.utf8.contains(0) else {
            throw SourceError(.invalidAddress, "the source's address is too long, or contains a NUL byte")
        }
        guard let scheme = Scheme(startOf: text) else {
            self = try Self.collection(text)
            return
        }
        self = try scheme.address(of: String(text.dropFirst(scheme.prefix.count)))
    }

    /// Returns all values of a parameter that may be given more than once.
    public func values(of name: String) -> [String] { parameters.filter { $0.name == name }.map(\.value) }

    /// The value of a parameter; `nil` if it was not given.
    public subscript(name: String) -> String? { parameters.last { $0.name == name }?.value }

    /// The path of the file or folder that is read; `nil` for remote sources and collections.
    public var path: String? {
        switch location {
        case .folder(let path), .sitemapFile(let path), .file(_, let path), .query(_, let path): path
        case .azureTable, .azureBlob, .sitemap, .collection: nil
        }
    }

    /// Returns the address with its path made absolute, so that it no longer depends on the current folder.
    public func absolute(in folder: String) -> SourceAddress {
        func absolute(_ path: String) -> String { path.hasPrefix("/") ? path : folder + "/" + path }
        let location: Location =
            switch location {
            case .folder(let path): .folder(path: absolute(path))
            case .sitemapFile(let path): .sitemapFile(path: absolute(path))
            case .file(let format, let path): .file(format, path: absolute(path))
            case .query(let sql, let path): .query(sql, database: absolute(path))
            case .azureTable, .azureBlob, .sitemap, .collection: self.location
            }
        return SourceAddress(location, parameters)
    }
}

extension SourceAddress: CustomStringConvertible {
    /// The address in its written form, which contains no secrets.
    public var description: String {
        let place: String
        var query: String?
        switch location {
        case .azureTable(let url): place = "azure-table+\(url)"
        case .azureBlob(let url): place = "azure-blob+\(url)"
        case .folder(let path): place = "dir:\(path)"
        case .sitemap(let url): place = "sitemap+\(url)"
        case .sitemapFile(let path): place = "sitemap:\(path)"
        case .file(let format, let path): place = "\(format.rawValue):\(path)"
        case .query(let sql, let path): (place, query) = ("sqlite-query:\(path)", sql)
        case .collection(let name, let target): place = (target.map { $0 + "/" } ?? "") + name
        }
        let all =
            parameters.map { "\($0.name)=\(Self.encoded($0.value))" } + [query.map { "query=\($0)" }].compactMap(\.self)
        return all.isEmpty ? place : place + "?" + all.joined(separator: "&")
    }

    /// Escapes characters that would end a value, or be mistaken for an escape.
    private static func encoded(_ value: String) -> String {
        var text = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "%": text += "%25"
            case "&": text += "%26"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

/// The schemes of addresses, with their parameters.
private enum Scheme: String, CaseIterable {
    case azureTable = "azure-table"
    case azureBlob = "azure-blob"
    case dir, sitemap, jsonl, csv, tsv
    case query = "sqlite-query"

    /// Finds the scheme before the first colon; a scheme with a suffix such as `+http` is followed by a URL.
    init?(startOf text: String) {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let word = text[..<colon].split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
        guard let scheme = Scheme(rawValue: word[0].lowercased()), word.count == 1 || scheme.isRemote else {
            return nil
        }
        self = scheme
    }

    var prefix: String { rawValue }

    /// The prefixes of addresses of collections.
    private static let engines = ["sqlite:", "opensearch+https:", "elasticsearch+https:", "solr+https:"]

    /// Returns whether this word, followed by a colon, begins the address of an engine.
    static func isEngine(_ word: String) -> Bool {
        let product = word.prefix { $0 != "+" }
        return engines.contains { $0.prefix { $0 != "+" && $0 != ":" } == product }
    }

    /// Returns the error for an unknown scheme: such an address must not be interpreted as the name of a collection in
    /// the command's own target.
    ///
    /// The word is shown only if it can't be part of a secret.
    static func refusal(of word: String) -> SourceError {
        let isPlain = word.utf8.count <= 40 && word.utf8.allSatisfy { $0.isLetterOrDigit || "-+".utf8.contains($0) }
        if word == "sqlite" {
            return SourceError(
                .invalidAddress,
                "the store's address does not name a collection",
                advice: "write sqlite:PATH/COLLECTION"
            )
        }
        let known = allCases.map { $0.isRemote ? "\($0.rawValue)+https:" : "\($0.rawValue):" } + ["sitemap:"] + engines
        let nearest = (isPlain ? "\(word):".nearest(in: known) : nil).map { "did you mean \($0)? " } ?? ""
        return SourceError(
            .invalidAddress,
            isPlain ? "'\(word):' is not a known kind of source" : "the address begins with an unknown kind of source",
            advice: "\(nearest)known kinds are \(known.joined(separator: " ")); for a collection with a colon in its "
                + "name, write CONTEXT/COLLECTION or sqlite:PATH/COLLECTION"
        )
    }

    /// Whether the scheme may be followed by a URL.
    private var isRemote: Bool { [.azureTable, .azureBlob, .sitemap].contains(self) }

    /// The names of the parameters that are valid for this kind of address.
    private var names: [String] {
        switch self {
        case .azureTable: ["filter", "id"]
        case .azureBlob: ["content", "encoding"]
        case .sitemap: []
        case .dir: ["glob", "id", "base", "version", "encoding"]
        case .jsonl: ["id", "version", "routing", "encoding"]
        case .csv, .tsv: ["id", "version", "routing", "encoding", "delimiter", "skip-lines", "columns"]
        case .query: ["id", "version", "routing", "query"]
        }
    }

    func address(of rest: String) throws(SourceError) -> SourceAddress {
        guard rest.hasPrefix("+") else { return try local(String(rest.dropFirst())) }
        let url = try RemotePlace(String(rest.dropFirst()), of: rawValue)
        switch self {
        case .sitemap: return .at(.sitemap(url: url.text + (url.query.map { "?" + $0 } ?? "")))
        case .azureTable, .azureBlob:
            let parameters = try url.query.map { query throws(SourceError) in try readParameters(query) } ?? []
            return .at(self == .azureTable ? .azureTable(url: url.text) : .azureBlob(url: url.text), parameters)
        case .dir, .jsonl, .csv, .tsv, .query: throw expectation("\(rawValue):PATH")
        }
    }

    private func local(_ rest: String) throws(SourceError) -> SourceAddress {
        if self == .azureTable || self == .azureBlob { throw expectation("\(rawValue)+https://…") }
        let (path, query) = names.isEmpty ? (rest, nil) : Self.split(rest)
        guard !path.isEmpty else { throw expectation("\(rawValue):PATH") }
        var parameters = try query.map { query throws(SourceError) in try readParameters(query) } ?? []
        switch self {
        case .azureTable, .azureBlob: throw expectation("\(rawValue)+https://…")
        case .dir: return .at(.folder(path: path), parameters)
        case .sitemap: return .at(.sitemapFile(path: path))
        case .jsonl: return .at(.file(.jsonLines, path: path), parameters)
        case .csv: return .at(.file(.csv, path: path), parameters)
        case .tsv: return .at(.file(.tsv, path: path), parameters)
        case .query:
            guard let sql = parameters.last, sql.name == "query", !sql.value.isEmpty else {
                throw expectation("sqlite-query:PATH?query=SELECT id, title FROM page")
            }
            parameters.removeLast()
            return .at(.query(sql.value, database: path), parameters)
        }
    }

    private func expectation(_ example: String) -> SourceError {
        SourceError(.invalidAddress, "a '\(rawValue)' address has the form \(example)")
    }

    /// Splits a path from the parameters, which begin at the first `?` that is followed by a name and `=`.
    static func split(_ text: String) -> (path: String, query: String?) {
        var rest = text[...]
        while let mark = rest.firstIndex(of: "?") {
            let after = text[text.index(after: mark)...]
            let name = after.prefix { $0.isLetter || $0 == "-" }
            if !name.isEmpty, after.dropFirst(name.count).hasPrefix("=") {
                return (String(text[..<mark]), String(after))
            }
            rest = after
        }
        return (text, nil)
    }

    /// Parses parameters; the kind of source must support all of them.
    private func readParameters(_ text: String) throws(SourceError) -> [SourceAddress.Parameter] {
        var parameters: [SourceAddress.Parameter] = []
        var rest = text[...]
        while !rest.isEmpty {
            guard let equals = rest.firstIndex(of: "=") else {
                throw SourceError(.invalidAddress, "a source parameter must have the form NAME=VALUE")
            }
            let name = String(rest[..<equals])
            rest = rest[rest.index(after: equals)...]
            guard names.contains(name) else { throw refusal(of: name) }
            if parameters.contains(where: { $0.name == name }), name != "glob" {
                throw SourceError(.invalidAddress, "the parameter '\(name)' was given twice")
            }
            // SQL may contain the characters used as separators and escapes.
            if name == "query" {
                parameters.append(.init(name: name, value: String(rest)))
                break
            }
            let end = rest.firstIndex(of: "&") ?? rest.endIndex
            guard let value = PercentEncoding.decoded(rest[..<end]), !value.isEmpty else {
                throw SourceError(.invalidAddress, "the parameter '\(name)' is empty, or not UTF-8")
            }
            parameters.append(.init(name: name, value: value))
            rest = end == rest.endIndex ? "" : rest[rest.index(after: end)...]
        }
        return parameters
    }

    private func refusal(of name: String) -> SourceError {
        if RemotePlace.isSecret(name) { return RemotePlace.secretRefusal }
        let known = names.isEmpty ? "it accepts none" : "it accepts \(names.joined(separator: ", "))"
        let nearest = name.nearest(in: names).map { "did you mean \($0)?" }
        let isPlain =
            name.utf8.count <= 40 && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        return SourceError(
            .invalidAddress,
            "a '\(rawValue)' source has no parameter\(isPlain ? " '\(name)'" : " of that name"): \(known)",
            advice: nearest
        )
    }
}

extension SourceAddress {
    fileprivate static func at(_ location: Location, _ parameters: [Parameter] = []) -> SourceAddress {
        SourceAddress(location, parameters)
    }

    /// Parses `COLLECTION`, `CONTEXT/COLLECTION` or `ADDRESS/COLLECTION`, unless it is clearly a path.
    private static func collection(_ text: String) throws(SourceError) -> SourceAddress {
        let (place, query) = Scheme.split(text)
        if let address = address(ofPath: place) {
            throw SourceError(.invalidAddress, "'\(place)' is a path, not a source", advice: "write \(address)")
        }
        if let colon = place.firstIndex(of: ":"), place[colon...].hasPrefix("://") {
            let scheme = place[..<colon].lowercased()
            guard !["http", "https"].contains(scheme) else {
                throw SourceError(
                    .invalidAddress,
                    "a web address does not show what kind of source it is",
                    advice: "put azure-table+, azure-blob+ or sitemap+ before it"
                )
            }
            try RemotePlace.refuseUser(in: place[colon...].dropFirst(3))
        }
        let slash = place.lastIndex(of: "/")
        let name = slash.map { String(place[place.index(after: $0)...]) } ?? place
        let target = slash.map { String(place[..<$0]) }
        guard !name.isEmpty, target != "" else {
            throw SourceError(
                .invalidAddress,
                "a source is a collection, such as pages, old/pages or sqlite:store.sqlite/pages, or another address",
                advice: "such as dir:PATH, jsonl:PATH, sqlite-query:PATH?query=SELECT…; see 'fastctl source --help'"
            )
        }
        if let colon = place.firstIndex(of: ":"), !place[..<colon].contains("/"), !place[colon...].hasPrefix("://") {
            let word = place[..<colon].lowercased()
            guard target != nil, Scheme.isEngine(word) else { throw Scheme.refusal(of: word) }
        }
        var parameters: [Parameter] = []
        for part in query?.split(separator: "&", omittingEmptySubsequences: false) ?? [] {
            guard part.hasPrefix("version="), let key = PercentEncoding.decoded(part.dropFirst(8)), !key.isEmpty,
                parameters.isEmpty
            else {
                throw SourceError(
                    .invalidAddress,
                    "a collection used as a source accepts only the parameter version=KEY"
                )
            }
            parameters.append(Parameter(name: "version", value: key))
        }
        return SourceAddress(.collection(name, of: target), parameters)
    }

    /// Returns the proper address for an existing file or folder that was given as a path; `nil` if it may be a
    /// collection.
    private static func address(ofPath text: String) -> String? {
        let name = text.split(separator: "/").last ?? ""
        guard ["/", "./", "../", "~"].contains(where: text.hasPrefix) || text.hasSuffix("/") || name.contains("."),
            !text.contains(":")
        else { return nil }
        var status = stat()
        guard stat(text, &status) == 0 else { return nil }
        if status.st_mode & S_IFMT == S_IFDIR { return "dir:\(text)" }
        let plain = CompressionSuffix.removed(from: name) ?? name
        switch plain.lastIndex(of: ".").map({ plain[$0...] }) {
        case ".csv": return "csv:\(text)"
        case ".tsv": return "tsv:\(text)"
        case ".xml": return "sitemap:\(text)"
        case ".db", ".sqlite", ".sqlite3": return "sqlite-query:\(text)?query=SELECT …, or sqlite:\(text)/COLLECTION"
        default: return "jsonl:\(text)"
        }
    }
}

/// A URL of a source, split before its parameters, without secrets.
struct RemotePlace {
    let text: String
    let query: String?

    init(_ text: String, of kind: String) throws(SourceError) {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let lowercased = parts[0].lowercased()
        guard let scheme = ["https://", "http://"].first(where: lowercased.hasPrefix),
            case let rest = parts[0].dropFirst(scheme.count), let host = rest.split(separator: "/").first,
            !rest.hasPrefix("/")
        else {
            throw SourceError(.invalidAddress, "a '\(kind)' address has the form \(kind)+https://HOST/…")
        }
        // A filter may contain unescaped blanks, which are escaped when requests are sent.
        guard !parts[0].contains(" "), !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        else {
            throw SourceError(.invalidAddress, "a space before the '?' in an address must be written as %20")
        }
        guard !text.contains("#") else {
            throw SourceError(.invalidAddress, "a source's address can't have a part after '#'")
        }
        try Self.refuseUser(in: host)
        query = parts.count > 1 ? String(parts[1]) : nil
        for parameter in query?.split(separator: "&") ?? [] {
            let name = parameter.prefix { $0 != "=" }
            if Self.isSecret(PercentEncoding.decoded(name) ?? "sig") { throw Self.secretRefusal }
        }
        self.text = scheme + rest
    }

    /// Rejects an address with credentials before the host.
    static func refuseUser(in rest: Substring) throws(SourceError) {
        guard rest.prefix(while: { $0 != "/" }).contains("@") else { return }
        throw secretRefusal
    }

    /// Returns whether a parameter of this name may contain a secret, such as the parameters of a shared access
    /// signature.
    static func isSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        return ["sig", "se", "sv", "sp", "sr", "st", "ss", "srt", "spr", "skoid", "accountkey", "key", "code"].contains(
            name
        )
            || ["password", "secret", "token", "signature", "apikey", "api-key", "api_key"].contains(
                where: name.contains
            )
    }

    static var secretRefusal: SourceError {
        SourceError(
            .invalidAddress,
            "credentials do not belong in an address, which every user of the machine can read",
            advice: "put them in a file readable only by you: --source-credentials-file FILE"
        )
    }
}

/// Percent-encoding (`%XX`) in addresses.
enum PercentEncoding {
    /// Returns the decoded text; a `%` without two hexadecimal digits after it is kept.
    ///
    /// Returns `nil` if the result is not UTF-8, or contains a NUL byte.
    static func decoded(_ text: some StringProtocol) -> String? {
        bytes(text).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Returns the decoded bytes; `nil` if any of them is NUL.
    static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let decoded = Percent.decoded(text.utf8)
        return decoded.contains(0) ? nil : decoded
    }

    /// Escapes all characters except unreserved ones and slashes, as required for paths in URLs.
    static func encoded(path bytes: some Sequence<UInt8>) -> String {
        Percent.encoded(bytes) { $0.isUnreserved || $0 == UInt8(ascii: "/") }
    }
}

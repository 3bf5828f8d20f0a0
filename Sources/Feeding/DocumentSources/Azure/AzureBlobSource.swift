import ContentFeeding
import EngineHTTP
import HTTPClient
import JSONText
import TextKit
import XMLStream

/// The blobs of a container in Azure Storage, each of them read as one document.
///
/// A document has the blob's `id` (its name), `etag`, `contentType`, `size`, `lastModified`, and each metadata item
/// under its own name. Text becomes the document's `body`, a JSON object is merged into the document, and other
/// content, such as an image, becomes its `content`, in base64. If a name is already taken, `_` is appended to it. A
/// content encoding of gzip is decoded, and the encoding of text is that of its byte-order mark, or else the one that the
/// blob's type declares.
public struct AzureBlobSource: DocumentSource {
    /// The source's address.
    public let name: String
    /// The traits of the source's entries.
    public let traits: SourceTraits

    private let address: AzureAddress
    private let container: String
    private let prefix: String
    private let content: Content
    private let encoding: TextEncoding?
    private let access: HTTPAccess

    /// The blobs whose content becomes part of their documents.
    public enum Content: String, Hashable, Sendable, CaseIterable {
        /// Blobs of all types.
        case all
        /// Text and JSON only; for other blobs, such as videos, the document has only the properties in the list of
        /// blobs.
        case text
    }

    /// Creates the source of a container such as `https://ACCOUNT.blob.core.windows.net/CONTAINER`, or of its blobs
    /// whose names begin with the rest of the path; nothing is sent yet.
    ///
    /// `encoding` is the name of the encoding of text that has no byte-order mark and whose type declares none; `nil` for
    /// UTF-8.
    public init(
        _ url: String,
        content: Content = .all,
        encoding: String? = nil,
        access: HTTPAccess = HTTPAccess()
    ) throws(SourceError) {
        self.content = content
        self.encoding = try encoding.map { name throws(SourceError) in try TextEncoding(source: name) }
        address = try AzureAddress(url)
        container = String(address.path.prefix { $0 != "/" })
        guard Self.isContainer(container) else {
            throw SourceError(
                .invalidAddress,
                "'\(container)' is not a valid container name",
                advice: "expected 3 to 63 lowercase letters, digits and hyphens"
            )
        }
        guard let prefix = HTTPAddress.unescaped(address.path.dropFirst(container.count + 1)) else {
            throw SourceError(
                .invalidAddress,
                "the escapes in '\(address.adding(String(address.path)).name)' are not valid UTF-8"
            )
        }
        self.prefix = prefix
        self.access = access
        name = "azure-blob+" + address.adding(String(address.path)).name
        var traits = SourceTraits()
        traits.versionKey = BlobDocument.versionKey
        self.traits = traits
    }

    private static func isContainer(_ name: String) -> Bool {
        name == "$root" || name == "$web"
            || (3...63).contains(name.utf8.count)
                && name.utf8.allSatisfy { $0.isLowercase || $0.isDigit || $0 == UInt8(ascii: "-") }
    }

    /// Opens the container.
    public func reader(
        of contents: SourceContents,
        from place: SourcePlace
    ) async throws(SourceError) -> any SourceReader {
        let storage = AzureStorage(.blob, account: address.account)
        let service = BlobService(
            connection: try await SourceConnection(access, for: storage),
            name: name,
            container: address.adding(container),
            prefix: prefix,
            contents: contents,
            content: content,
            encoding: encoding
        )
        return try await PagedReader(service, named: name, from: place)
    }
}

/// The lists of blobs in a container, and the blobs themselves.
private struct BlobService: PagedService {
    let connection: SourceConnection
    let name: String
    let container: HTTPAddress
    let prefix: String
    let contents: SourceContents
    let content: AzureBlobSource.Content
    let encoding: TextEncoding?

    /// A list, divided into parts that are each small enough for all their blobs to fit into memory.
    struct List: Sendable {
        let marker: String
        let parts: [ArraySlice<BlobListing.Blob>]
    }

    private static let headers = [HTTPHeader("x-ms-version", "2021-12-02")]
    /// The maximum number of blobs in a list.
    private static let blobsPerList = 1_000
    /// The limits on the number and total size of the blobs fetched for one part; a single larger blob may exceed them.
    private static let blobsPerPart = 200
    private static let bytesPerPart = 16 << 20
    /// The number of blobs that are fetched simultaneously.
    private static let fetchesAtOnce = 8
    /// The maximum number of attempts to read a blob that keeps changing while it is read.
    private static let maximumReadings = 4

    func list(at place: String) async throws(SourceError) -> ListedPage<List> {
        // Within a list, a position consists of the list's marker and the name of the last blob returned.
        let words = place.split(separator: "\n", omittingEmptySubsequences: false).map { HTTPAddress.unescaped($0) }
        guard (1...2).contains(words.count), let marker = words[0], let last = words.last else {
            throw SourceError(.unusable, "\(name): the position to resume from is not one in a container")
        }
        let listing = try await listing(prefix: prefix, marker: marker, limit: Self.blobsPerList)
        var blobs = listing.blobs[...]
        // If that blob no longer exists, the whole list is returned again, so that nothing is skipped.
        if words.count == 2, let index = blobs.firstIndex(where: { $0.name == last }) {
            blobs = blobs[(index + 1)...]
        }
        let parts = contents == .documents ? parts(of: blobs) : [blobs]
        return ListedPage(
            list: List(marker: marker, parts: parts),
            partCount: parts.count,
            next: listing.next.map { HTTPAddress.escaped($0) }
        )
    }

    private func isFetched(_ blob: BlobListing.Blob) -> Bool { content == .all || blob.isText }

    private func parts(of blobs: ArraySlice<BlobListing.Blob>) -> [ArraySlice<BlobListing.Blob>] {
        var parts: [ArraySlice<BlobListing.Blob>] = []
        var (start, bytes) = (blobs.startIndex, 0)
        for index in blobs.indices {
            let size = isFetched(blobs[index]) ? min(blobs[index].expandedSize, Document.maximumByteCount) : 0
            if index > start, bytes + size > Self.bytesPerPart || index - start >= Self.blobsPerPart {
                parts.append(blobs[start..<index])
                (start, bytes) = (index, 0)
            }
            bytes += size
        }
        return parts + [blobs[start...]]
    }

    private func listing(prefix: String, marker: String, limit: Int) async throws(SourceError) -> BlobListing {
        var address = container.with("restype", "container").with("comp", "list").with("include", "metadata")
            .with("maxresults", "\(limit)")
        if !prefix.isEmpty { address = address.with("prefix", prefix) }
        if !marker.isEmpty { address = address.with("marker", marker) }
        return try BlobListing(try await connection.get(address, headers: Self.headers).body, of: name)
    }

    func part(_ number: Int, of list: List) async throws(SourceError) -> PagePart {
        let blobs = list.parts[number]
        var part = PagePart()
        if number + 1 < list.parts.count, let last = blobs.last {
            part.next = "\(HTTPAddress.escaped(list.marker))\n\(HTTPAddress.escaped(last.name))"
        }
        let results = contents == .documents ? await documents(of: blobs) : blobs.map { .success(version(of: $0)) }
        for result in results {
            switch try result.get() {
            case .entry(let entry): part.entries.append(entry)
            case .rejected(let reason):
                let line = part.entries.count + part.rejections.count + 1
                part.rejections.append(InputRejection(source: name, line: line, reason: reason))
            case .gone: break
            }
        }
        return part
    }

    /// The outcome of fetching a listed blob.
    private enum Outcome: Sendable {
        case entry(SourceEntry)
        case rejected(String)
        /// The blob was removed after it was listed: the container now reports it as missing.
        case gone
    }

    private func version(of blob: BlobListing.Blob) -> Outcome { entry(blob) { nil } }

    private func entry(_ blob: BlobListing.Blob, _ json: () -> [UInt8]?) -> Outcome {
        do throws(InvalidDocumentID) {
            return .entry(SourceEntry(id: try DocumentID(blob.name), version: blob.etag, json: json()))
        } catch {
            return .rejected("the blob '\(blob.name)' can't be a document: \(error)")
        }
    }

    /// Fetches several blobs simultaneously, and returns the outcomes in the order of the blobs.
    private func documents(of blobs: ArraySlice<BlobListing.Blob>) async -> [Result<Outcome, SourceError>] {
        await withTaskGroup(of: (Int, Result<Outcome, SourceError>).self) { group in
            var outcomes: [Int: Result<Outcome, SourceError>] = [:]
            for index in blobs.indices {
                if index - blobs.startIndex >= Self.fetchesAtOnce, let (done, outcome) = await group.next() {
                    outcomes[done] = outcome
                    // The remaining blobs would be discarded.
                    if case .failure = outcome { break }
                }
                group.addTask {
                    do throws(SourceError) {
                        // Bind the result first: if a tuple contains an `await`, the optimizer of Swift 6.3.1 stores
                        // the index before the `await`, and overwrites it with 0 afterwards. `OptimizerTests` rejects
                        // that pattern.
                        let outcome = try await document(of: blobs[index])
                        return (index, .success(outcome))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            for await (done, outcome) in group { outcomes[done] = outcome }
            return blobs.indices.compactMap { outcomes[$0] }
        }
    }

    /// Reads a listed blob; if it has changed since it was listed, it is listed and read again, so no document combines
    /// the content of one version with the ETag of another.
    private func document(of listed: BlobListing.Blob) async throws(SourceError) -> Outcome {
        var blob = listed
        for _ in 0..<Self.maximumReadings {
            guard isFetched(blob) else { return entry(blob) { BlobDocument(blob).json } }
            guard blob.size <= Document.maximumByteCount else {
                return .rejected(
                    "the blob '\(blob.name)' is longer than a document may be: \(blob.size) bytes of at most "
                        + "\(Document.maximumByteCount)\(blob.isText ? "" : "; ?content=text leaves its content out of the document")"
                )
            }
            let address = container.appending(blob.name)
            let condition = HTTPHeader("If-Match", "\"\(blob.etag)\"")
            let reply = try await connection.get(
                address,
                headers: Self.headers + [condition],
                decodes: false,
                accepting: [404, 409, 412]
            )
            let code = reply.header("x-ms-error-code")
            switch (reply.status, code) {
            case (412, _):
                // Among all names with a given prefix, the prefix itself sorts first.
                let found = try await listing(prefix: blob.name, marker: "", limit: 1).blobs.first
                guard let found, found.name == blob.name else { return .gone }
                blob = found
            case (404, "BlobNotFound"): return .gone
            case (409, "BlobArchived"):
                return .rejected("the blob '\(blob.name)' is archived, and can't be read before it is rehydrated")
            case (200...299, _):
                do throws(BlobDocument.Problem) {
                    let body = try BlobDocument.decoded(reply.body, reply.header("content-encoding"))
                    let document =
                        try blob.isText
                        ? BlobDocument(blob, text: body, encoding) : BlobDocument(blob, bytes: body)
                    return entry(blob) { document.json }
                } catch {
                    return .rejected("the blob '\(blob.name)' \(error.words)")
                }
            default:
                throw SourceError(
                    .unusable,
                    "\(address.name) responded with \(reply.status)\(code.map { " (\($0))" } ?? "")",
                    advice: "is this the right address?"
                )
            }
        }
        throw SourceError(
            .changed,
            "the blob '\(listed.name)' of \(name) changes faster than it can be read",
            advice: "try again when it is written less often"
        )
    }
}

/// A blob as a document.
struct BlobDocument {
    /// The key that holds a document's version.
    static let versionKey = "etag"

    /// One JSON object.
    let json: [UInt8]

    /// The reason why a blob can't become a document, as text that can follow the blob's name.
    struct Problem: Error { let words: String }

    /// Creates the document of a blob whose content is not part of it.
    init(_ blob: BlobListing.Blob) {
        json = Fields(blob).json
    }

    /// Creates the document of a blob with binary content, such as an image.
    init(_ blob: BlobListing.Blob, bytes content: [UInt8]) throws(Problem) {
        var fields = Fields(blob)
        fields.add("content", Base64.text(content))
        json = fields.json
        try Self.refuseLong(json)
    }

    private static func refuseLong(_ json: [UInt8]) throws(Problem) {
        guard json.count <= Document.maximumByteCount else {
            throw Problem(words: "is longer than a document may be: \(json.count) bytes as JSON")
        }
    }

    /// The factor by which decompressed content may exceed the compressed content, and the size that is always allowed,
    /// so the blobs read at once fit into memory.
    fileprivate static let (maximumExpansion, smallSize) = (64, 1 << 20)

    /// Returns the content of a blob in a content encoding; it may be compressed with gzip.
    static func decoded(_ body: [UInt8], _ contentEncoding: String?) throws(Problem) -> [UInt8] {
        guard !body.isEmpty else { return body }
        switch contentEncoding?.lowercased() {
        case nil, "", "identity": return body
        case "gzip", "x-gzip":
            let limit = min(Document.maximumByteCount, max(smallSize, body.count * maximumExpansion))
            do throws(GzipFlaw) { return try GzipFlaw.expanded(body, limit: limit) } catch {
                throw Problem(words: "can't be decompressed: \(error.words)")
            }
        case let name?:
            throw Problem(words: "has the content encoding '\(name.prefix(40))', but only gzip can be decoded")
        }
    }

    /// Creates the document of a blob that contains text or JSON; `encoding` is that of text which declares none.
    init(_ blob: BlobListing.Blob, text content: [UInt8], _ encoding: TextEncoding? = nil) throws(Problem) {
        let declared: TextEncoding?
        do throws(UnknownEncoding) {
            declared = try blob.charset.map { name throws(UnknownEncoding) in try TextEncoding(declared: name) }
        } catch {
            throw Problem(words: "declares the unknown encoding '\(error.name.prefix(40))'")
        }
        let utf8: [UInt8]
        do throws(FileFlaw) { utf8 = try TextDecoder(declared ?? encoding).utf8(content) } catch {
            guard declared != nil else { throw Problem(words: error.reason) }
            throw Problem(words: "\(error.reason.prefix { $0 != ";" }), though its type is \(blob.contentType)")
        }
        let (content, text) = (utf8, String(decoding: utf8, as: UTF8.self))
        var fields = Fields(blob)
        if blob.isJSON, let object = try? JSONMembers(of: content.span) {
            for member in object.all { fields.add(member.key, raw: Array(content[member.value])) }
        } else {
            fields.add("body", text)
        }
        json = fields.json
        try Self.refuseLong(json)
    }

    /// Members with unique names.
    private struct Fields {
        private var members: [(name: String, json: [UInt8])] = []
        private var names: Set<String> = []

        init(_ blob: BlobListing.Blob) {
            add("id", blob.name)
            add(BlobDocument.versionKey, blob.etag)
            add("contentType", blob.contentType)
            add("size", blob.size)
            add("lastModified", blob.lastModified)
            for item in blob.metadata { add(item.name, item.value) }
        }

        mutating func add(_ name: String, _ value: some JSONWritable) {
            var writer = JSONWriter()
            writer.value(value)
            add(name, raw: writer.bytes)
        }

        mutating func add(_ name: String, raw json: [UInt8]) {
            var name = name
            while !names.insert(name).inserted { name += "_" }
            members.append((name, json))
        }

        var json: [UInt8] {
            JSONWriter.object { writer in
                for member in members { writer.member(member.name, raw: member.json) }
            }
        }
    }
}

/// One page of a container's list of blobs.
struct BlobListing: Sendable {
    /// A blob's entry in a list.
    struct Blob: Hashable, Sendable {
        var name = ""
        /// The ETag, without quotes.
        var etag = ""
        var contentType = ""
        var size = 0
        var lastModified = ""
        var metadata: [Metadata] = []
        /// The content encoding; empty if there is none.
        fileprivate var contentEncoding = ""
        /// Whether the blob is a data-lake folder, according to its type or its metadata, regardless of letter case.
        fileprivate var isFolder = false

        struct Metadata: Hashable, Sendable {
            let name: String
            let value: String
        }

        /// Whether the blob's declared type is text, including JSON.
        var isText: Bool { isPlainText || isJSON }

        private var isPlainText: Bool {
            let type = mediaType
            // SVG counts as an image, although it is XML.
            guard !type.hasPrefix("image/") else { return false }
            return type.hasPrefix("text/") || type == "application/xml" || type == "application/xhtml+xml"
                || type == "application/javascript" || type.hasSuffix("+xml")
        }

        /// Whether the blob's declared type is JSON.
        var isJSON: Bool { mediaType == "application/json" || mediaType.hasSuffix("+json") }

        /// The largest size that the content may have when it is decoded.
        var expandedSize: Int {
            guard !contentEncoding.isEmpty, contentEncoding.lowercased() != "identity" else { return size }
            let (product, overflow) = size.multipliedReportingOverflow(by: BlobDocument.maximumExpansion)
            return overflow ? size : max(BlobDocument.smallSize, product)
        }

        /// The encoding of text that the type declares, in lower case.
        var charset: String? {
            for parameter in contentType.split(separator: ";").dropFirst() {
                let words = parameter.split(separator: "=", maxSplits: 1).map { String($0).trimmed().lowercased() }
                guard words.count == 2, words[0] == "charset" else { continue }
                let name = words[1].filter { $0 != "\"" && $0 != "'" }
                return name.isEmpty ? nil : name
            }
            return nil
        }

        private var mediaType: String { contentType.prefix { $0 != ";" && $0 != " " }.lowercased() }
    }

    private(set) var blobs: [Blob] = []
    /// The marker of the next list; `nil` in the last list.
    private(set) var next: String?

    /// Parses a list strictly: a part of it is never mistaken for the whole.
    init(_ xml: [UInt8], of source: String) throws(SourceError) {
        do throws(XMLError) {
            var limits = XMLReader.Limits()
            limits.bytes = 64 << 20
            limits.nodes = 1_000_000
            var reader = try XMLReader(xml, limits: limits)
            var builder = Builder()
            while let event = try reader.next() { builder.take(event) }
            guard builder.isWhole, builder.blobs.allSatisfy({ !$0.name.isEmpty && !$0.etag.isEmpty }) else {
                throw XMLError(code: .malformed, message: "it is not a list of blobs", line: 1)
            }
            // A folder in an account with a hierarchical namespace is not a document.
            blobs = builder.blobs.filter { !$0.isFolder }
            next = builder.next.isEmpty ? nil : builder.next
        } catch {
            throw SourceError(
                .unusable,
                "a list from \(source) is damaged or truncated: \(error)",
                advice: "try again later"
            )
        }
    }

    /// Builds blobs from the elements of a list.
    private struct Builder {
        private(set) var blobs: [Blob] = []
        private(set) var next = ""
        /// Whether the list is complete: the element that announces a next page comes last.
        private(set) var isWhole = false
        private var path: [String] = []
        private var text = ""
        private var blob = Blob()
        private var isEncoded = false

        mutating func take(_ event: XMLReader.Event) {
            switch event {
            case .startElement(let name, let attributes):
                path.append(name)
                text = ""
                if path.count == 3, name == "Blob" { blob = Blob() }
                if path.count == 4, name == "Name" {
                    isEncoded = attributes.contains { $0.name == "Encoded" && $0.value == "true" }
                }
            case .text(let piece): text += piece
            case .endElement(let name):
                end(name)
                path.removeLast()
                text = ""
            }
        }

        private mutating func end(_ name: String) {
            guard path.first == "EnumerationResults" else { return }
            if path.count == 2, name == "NextMarker" { (next, isWhole) = (text, true) }
            guard path.count >= 3, path[1] == "Blobs", path[2] == "Blob" else { return }
            switch (path.count, path.count > 4 ? path[3] : "", name) {
            case (3, _, _):
                // Some tools create folders without metadata: empty blobs whose names end with a slash.
                if blob.size == 0, blob.name.hasSuffix("/") { blob.isFolder = true }
                blobs.append(blob)
            case (4, _, "Name"): blob.name = isEncoded ? HTTPAddress.unescaped(text) ?? "" : text
            case (5, "Properties", "Etag"): blob.etag = text.filter { $0 != "\"" }
            case (5, "Properties", "Content-Type"): blob.contentType = text
            case (5, "Properties", "Content-Encoding"): blob.contentEncoding = text
            case (5, "Properties", "Content-Length"): blob.size = Int(text) ?? 0
            case (5, "Properties", "Last-Modified"): blob.lastModified = text
            case (5, "Properties", "ResourceType"): blob.isFolder = blob.isFolder || text == "directory"
            case (5, "Metadata", _):
                if name.lowercased() == "hdi_isfolder", text.lowercased() == "true" { blob.isFolder = true }
                blob.metadata.append(Blob.Metadata(name: name, value: text))
            default: break
            }
        }
    }
}

import ContentFeeding
import XMLStream

/// One answer to the question which blobs a container has.
struct BlobListing: Sendable {
    /// A blob, as it is listed.
    struct Blob: Hashable, Sendable {
        var name = ""
        /// Without quotes.
        var etag = ""
        var contentType = ""
        var size = 0
        var lastModified = ""
        var metadata: [Metadata] = []
        fileprivate var isFolder = false

        struct Metadata: Hashable, Sendable {
            let name: String
            let value: String
        }

        /// Whether its content is text, JSON included, as it says itself.
        var isText: Bool { isPlainText || isJSON }

        private var isPlainText: Bool {
            let type = mediaType
            // A picture that is drawn in XML is a picture.
            guard !type.hasPrefix("image/") else { return false }
            return type.hasPrefix("text/") || type == "application/xml" || type == "application/xhtml+xml"
                || type == "application/javascript" || type.hasSuffix("+xml")
        }

        /// Whether its content is JSON, as it says itself.
        var isJSON: Bool { mediaType == "application/json" || mediaType.hasSuffix("+json") }

        private var mediaType: String { contentType.prefix { $0 != ";" && $0 != " " }.lowercased() }
    }

    private(set) var blobs: [Blob] = []
    /// Where the next list begins; `nil` after the last.
    private(set) var next: String?

    /// Reads a list, strictly: a part of it is never taken for the whole.
    init(_ xml: [UInt8], of source: String) throws(SourceError) {
        do throws(XMLError) {
            var limits = XMLReader.Limits()
            limits.bytes = 64 << 20
            limits.nodes = 1_000_000
            var reader = try XMLReader(xml, limits: limits)
            var builder = Builder()
            while let event = try reader.next() { builder.take(event) }
            guard builder.isWhole, builder.blobs.allSatisfy({ !$0.name.isEmpty && !$0.etag.isEmpty }) else {
                throw XMLError(code: .malformed, message: "it is no list of blobs", line: 1)
            }
            // A folder of an account with a hierarchy is no document.
            blobs = builder.blobs.filter { !$0.isFolder }
            next = builder.next.isEmpty ? nil : builder.next
        } catch {
            throw SourceError(
                .unusable,
                "a list of \(source) is damaged or cut: \(error)",
                advice: "try again later"
            )
        }
    }

    /// Puts blobs together from the elements of a list.
    private struct Builder {
        private(set) var blobs: [Blob] = []
        private(set) var next = ""
        /// Whether it is a list to its end: the element that says whether there is more comes last.
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
            case (3, _, _): blobs.append(blob)
            case (4, _, "Name"): blob.name = isEncoded ? HTTPAddress.unescaped(text) ?? "" : text
            case (5, "Properties", "Etag"): blob.etag = text.filter { $0 != "\"" }
            case (5, "Properties", "Content-Type"): blob.contentType = text
            case (5, "Properties", "Content-Length"): blob.size = Int(text) ?? 0
            case (5, "Properties", "Last-Modified"): blob.lastModified = text
            case (5, "Properties", "ResourceType"): blob.isFolder = blob.isFolder || text == "directory"
            case (5, "Metadata", _):
                if name == "hdi_isfolder", text == "true" { blob.isFolder = true }
                blob.metadata.append(Blob.Metadata(name: name, value: text))
            default: break
            }
        }
    }
}

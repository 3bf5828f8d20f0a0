import ContentFeeding
import JSONText

/// A blob as a document.
struct BlobDocument {
    /// The key of the documents that holds the version.
    static let versionKey = "etag"

    /// One JSON object.
    let json: [UInt8]

    /// Why a blob is no document, worded to follow its name.
    struct Problem: Error { let words: String }

    /// Creates the document of a blob whose content is not part of it.
    init(_ blob: BlobListing.Blob) {
        json = Fields(blob).json
    }

    /// Creates the document of a blob that holds anything else, such as a picture.
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

    /// Creates the document of a blob that holds text, or JSON.
    init(_ blob: BlobListing.Blob, text content: [UInt8]) throws(Problem) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let content = content.starts(with: mark) ? Array(content.dropFirst(mark.count)) : content
        guard let text = String(validating: content, as: UTF8.self) else {
            throw Problem(words: "is not UTF-8, though its type is \(blob.contentType)")
        }
        var fields = Fields(blob)
        if blob.isJSON, let object = try? JSONMembers(of: content.span) {
            for member in object.all { fields.add(member.key, raw: Array(content[member.value])) }
        } else {
            fields.add("body", text)
        }
        json = fields.json
        try Self.refuseLong(json)
    }

    /// Members, each under a name of its own.
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
            var writer = JSONWriter()
            writer.object { writer in
                for member in members { writer.member(member.name, raw: member.json) }
            }
            return writer.takeBytes()
        }
    }
}

import ContentFeeding
import JSONText
import UnicodeText
import XMLStream

/// What is wrong with a file that was to become a document, as a sentence.
struct FileFlaw: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// Makes documents of files, by the ends of their names: pages of HTML, objects in JSON, anything else as text.
struct FileDocument: Hashable, Sendable {
    /// What is known of a file without reading it.
    struct Facts {
        let id: DocumentID
        let path: String
        let lastModified: String
        let version: String
    }

    /// The key that holds the version of what a document was made from.
    static let versionKey = "sourceVersion"

    /// The longest title taken from a text, in characters.
    private static let maximumTitle = 200

    /// The encoding of text that does not tell its own; `nil` for UTF-8.
    let fallback: TextEncoding?

    /// Returns the document as JSON.
    func json(_ bytes: [UInt8], _ facts: Facts) throws(FileFlaw) -> [UInt8] {
        switch Self.ending(of: facts.path) {
        case "html", "htm", "xhtml": try page(bytes, facts)
        case "json": try object(bytes, facts)
        default: try text(bytes, facts)
        }
    }

    private static func ending(of path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        return name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
    }

    private func page(_ bytes: [UInt8], _ facts: Facts) throws(FileFlaw) -> [UInt8] {
        let encoding = try HTMLEncoding.declared(in: bytes)
        let text = try TextDecoder(encoding ?? fallback).utf8(bytes)
        let page: HTMLText
        do throws(XMLError) { page = try HTMLText(text) } catch {
            throw FileFlaw("can't be read as HTML: \(error)")
        }
        return document(facts, title: page.title ?? Self.name(of: facts.path), body: page.body) { writer in
            if let description = page.description { writer.member("description", description) }
            if let language = page.language { writer.member("language", language) }
            writer.member("links", page.links)
        }
    }

    private func text(_ bytes: [UInt8], _ facts: Facts) throws(FileFlaw) -> [UInt8] {
        let text = try TextDecoder(fallback).utf8(bytes)
        guard !text.contains(0) else { throw FileFlaw("is no text: it has NUL bytes") }
        let body = String(decoding: text, as: UTF8.self)
        let first = body.split(whereSeparator: \.isNewline).lazy.map(\.trimmed).first { !$0.isEmpty }
        let title = first.map { String($0.prefix(Self.maximumTitle)) } ?? Self.name(of: facts.path)
        return document(facts, title: title, body: body) { _ in }
    }

    private static func name(of path: String) -> String { String(path.split(separator: "/").last ?? "") }

    private func document(
        _ facts: Facts,
        title: String,
        body: String,
        _ more: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("id", facts.id.text)
            writer.member("path", facts.path)
            writer.member("title", title)
            writer.member("body", body)
            more(&writer)
            writer.member("lastModified", facts.lastModified)
            writer.member(Self.versionKey, facts.version)
        }
        return writer.takeBytes()
    }

    /// Returns the object as it is, with its ID and version where it does not have members of that name.
    private func object(_ bytes: [UInt8], _ facts: Facts) throws(FileFlaw) -> [UInt8] {
        let text = try TextDecoder(fallback).utf8(bytes)
        let members: JSONMembers
        do throws(JSONError) { members = try JSONMembers(of: text.span) } catch {
            throw FileFlaw("is not one JSON object: \(error)")
        }
        if let key = members.duplicateKey { throw FileFlaw("has the member '\(key)' twice") }
        var writer = JSONWriter()
        writer.object { writer in
            if members["id"] == nil { writer.member("id", facts.id.text) }
            for member in members.all { writer.member(member.key, raw: Array(text[member.value])) }
            if members[Self.versionKey] == nil { writer.member(Self.versionKey, facts.version) }
        }
        return writer.takeBytes()
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var rest = self
        while let first = rest.first, first.isWhitespace { rest.removeFirst() }
        while let last = rest.last, last.isWhitespace { rest.removeLast() }
        return rest
    }
}

/// Turns the bytes of a file into UTF-8, and refuses what that would change.
private struct TextDecoder {
    private let encoding: TextEncoding?

    /// `encoding` is that of bytes without a byte-order mark; `nil` for UTF-8.
    init(_ encoding: TextEncoding?) { self.encoding = encoding }

    func utf8(_ bytes: [UInt8]) throws(FileFlaw) -> [UInt8] {
        let mark = ByteOrderMark(startOf: bytes.span)
        let rest = Array(bytes.dropFirst(mark?.length ?? 0))
        guard let encoding = mark?.encoding ?? encoding, var transcoder = encoding.makeTranscoder() else {
            guard String(validating: rest, as: UTF8.self) != nil else {
                throw FileFlaw("is not UTF-8; name its encoding, for example encoding=windows-1252")
            }
            return rest
        }
        var text: [UInt8] = []
        transcoder.transcode(rest.span, into: &text)
        transcoder.finish(into: &text)
        guard transcoder.undecodable == 0 else { throw FileFlaw("is not \(encoding), as it should be") }
        return text
    }
}

/// The encoding that a page says it has.
private enum HTMLEncoding {
    /// Where browsers look for it, in bytes.
    private static let prescanned = 1024

    /// Returns the encoding in the first `<meta>` that names one; `nil` if none does.
    static func declared(in bytes: [UInt8]) throws(FileFlaw) -> TextEncoding? {
        // Names are ASCII, whatever the encoding is.
        let head = String(decoding: bytes.prefix(prescanned), as: UTF8.self).lowercased()
        var rest = head[...]
        while let meta = rest.range(of: "<meta") {
            rest = rest[meta.upperBound...]
            let tag = rest.prefix { $0 != ">" }
            guard let key = tag.range(of: "charset") else { continue }
            let value = tag[key.upperBound...].drop { $0.isWhitespace }
            guard value.first == "=" else { continue }
            let name = value.dropFirst().drop { $0.isWhitespace || $0 == "\"" || $0 == "'" }
                .prefix { !$0.isWhitespace && !"\"';/>".contains($0) }
            return try encoding(String(name))
        }
        return nil
    }

    private static func encoding(_ name: String) throws(FileFlaw) -> TextEncoding? {
        // What calls itself so is read as the code page that contains it, by all browsers.
        let latin = ["iso-8859-1", "iso8859-1", "latin1", "ascii", "us-ascii"]
        // A page that names UTF-16 in ASCII is not in it.
        if ["utf-16", "utf-16le", "utf-16be"].contains(name) { return nil }
        do throws(UnknownEncoding) {
            return try TextEncoding(of: latin.contains(name) ? "windows-1252" : name)
        } catch {
            throw FileFlaw("says that its encoding is '\(name.prefix(40))', which is not known")
        }
    }
}

extension Substring {
    /// Returns where a text begins first, compared by characters.
    fileprivate func range(of text: String) -> Range<Index>? { self.ranges(of: text).first }
}

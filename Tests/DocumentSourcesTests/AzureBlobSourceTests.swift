import ContentFeeding
import DocumentSources
import Gzip
import Synchronization
import TestSupport
import Testing

/// A container whose blobs are listed, changed and removed.
@Suite(.timeLimit(.minutes(2)))
struct AzureBlobSourceTests {
    /// A blob in the container.
    private struct Blob: Sendable {
        var name: String
        var etag = "0x1"
        var type = "text/plain; charset=utf-8"
        var content = Array("text".utf8)
        /// The size in the list, if it differs from the actual size.
        var size: Int?
        var metadata = ""
        /// The content encoding of the blob.
        var contentEncoding = ""

        var xml: String {
            "<Blob><Name>\(name)</Name><Properties><Last-Modified>Fri, 26 Jun 2015 23:39:12 GMT</Last-Modified>"
                + "<Etag>\(etag)</Etag><Content-Length>\(size ?? content.count)</Content-Length>"
                + "<Content-Encoding>\(contentEncoding)</Content-Encoding>"
                + "<Content-Type>\(type)</Content-Type></Properties><Metadata>\(metadata)</Metadata><OrMetadata /></Blob>"
        }
    }

    /// A container made by the test, with lists of four blobs.
    private final class Container: Sendable {
        let blobs: Mutex<[Blob]>
        /// Called with the name of each requested blob, before the response.
        let isAsked: @Sendable (inout [Blob], String) -> Void

        init(_ blobs: [Blob], isAsked: @escaping @Sendable (inout [Blob], String) -> Void = { _, _ in }) {
            self.blobs = Mutex(blobs)
            self.isAsked = isAsked
        }

        func answer(_ request: ScriptedSite.Request) -> ScriptedSite.Reply {
            blobs.withLock { blobs in
                guard request.query["comp"] == "list" else { return get(request, &blobs) }
                let prefix = request.query["prefix"] ?? ""
                let limit = min(4, request.query["maxresults"].flatMap { Int($0) } ?? 0)
                let found = blobs.filter { $0.name.hasPrefix(prefix) && $0.name >= request.query["marker"] ?? "" }
                let next = found.count > limit ? found[limit].name : ""
                let list = found.prefix(limit).map(\.xml).joined()
                return .text(
                    "\u{FEFF}<?xml version=\"1.0\" encoding=\"utf-8\"?><EnumerationResults ContainerName=\"c\">"
                        + "<Blobs>\(list)</Blobs><NextMarker>\(next)</NextMarker></EnumerationResults>"
                )
            }
        }

        private func get(_ request: ScriptedSite.Request, _ blobs: inout [Blob]) -> ScriptedSite.Reply {
            let name = String(request.path.dropFirst("/acc/pictures/".count))
            isAsked(&blobs, name)
            guard let blob = blobs.first(where: { $0.name == name }) else {
                return .text("", status: 404, ["x-ms-error-code": "BlobNotFound"])
            }
            guard request.header("if-match") == "\"\(blob.etag)\"" else {
                return .text("", status: 412, ["x-ms-error-code": "ConditionNotMet"])
            }
            let headers = blob.contentEncoding.isEmpty ? [:] : ["Content-Encoding": blob.contentEncoding]
            return .answer(headers: headers, blob.content)
        }
    }

    private static func read(
        _ container: Container,
        _ contents: SourceContents = .documents,
        path: String = "pictures",
        content: AzureBlobSource.Content = .all,
        encoding: String? = nil,
        from place: SourcePlace = .beginning
    ) async throws -> Reading {
        let site = try ScriptedSite { container.answer($0) }
        return await Reading(
            try AzureBlobSource("\(site.url)/acc/\(path)", content: content, encoding: encoding, access: .tireless()),
            contents,
            from: place
        )
    }

    private static func texts(_ reading: Reading) -> [String] {
        reading.entries.map { String(decoding: $0.json ?? [], as: UTF8.self) }
    }

    private static let facts = #""size":4,"lastModified":"Fri, 26 Jun 2015 23:39:12 GMT""#

    @Test func `All lists are read to the end, and blobs become documents`() async throws {
        let names = (10..<33).map { "a dir/\($0) ä%+?#.txt" }
        let reading = try await Self.read(Container(names.map { Blob(name: $0) }))
        #expect(reading.error == nil && reading.ids == names && reading.pages == 6)
        #expect(
            Self.texts(reading)[0] == #"{"id":"a dir/10 ä%+?#.txt","etag":"0x1","#
                + #""contentType":"text/plain; charset=utf-8",\#(Self.facts),"body":"text"}"#
        )
        let versions = try await Self.read(Container(names.map { Blob(name: $0) }), .versions)
        #expect(versions.ids == names && versions.entries.allSatisfy { $0.json == nil && $0.version == "0x1" })
    }

    @Test func `A prefix selects names that begin with it`() async throws {
        let container = Container(["a", "a b/1", "a b/2", "a c"].map { Blob(name: $0) })
        let reading = try await Self.read(container, .versions, path: "pictures/a%20b/")
        #expect(reading.ids == ["a b/1", "a b/2"])
    }

    @Test func `The content of a blob determines the keys of its document`() async throws {
        let container = Container([
            Blob(name: "1.json", type: "application/json", content: Array(#"{"a":[1, 2],"id":"x","id_":0}"#.utf8)),
            Blob(name: "2.json", type: "application/json", content: Array("[1]".utf8)),
            Blob(
                name: "3.jpg",
                type: "image/jpeg",
                content: [0xFF, 0xD8, 0xFF, 0xE0],
                size: 1 << 40,
                metadata: "<Author>me &amp; you</Author><size>big</size>"
            ),
            Blob(name: "4.txt", content: [0xEF, 0xBB, 0xBF] + Array("é\u{0}".utf8)),
        ])
        let texts = Self.texts(try await Self.read(container, content: .text))
        let modified = #""lastModified":"Fri, 26 Jun 2015 23:39:12 GMT""#
        #expect(
            texts == [
                #"{"id":"1.json","etag":"0x1","contentType":"application/json","size":29,\#(modified),"a":[1, 2],"id_":"x","id__":0}"#,
                #"{"id":"2.json","etag":"0x1","contentType":"application/json","size":3,\#(modified),"body":"[1]"}"#,
                #"{"id":"3.jpg","etag":"0x1","contentType":"image/jpeg","size":1099511627776,\#(modified),"Author":"me & you","size_":"big"}"#,
                #"{"id":"4.txt","etag":"0x1","contentType":"text/plain; charset=utf-8","size":6,\#(modified),"body":"é\u0000"}"#,
            ]
        )
    }

    @Test func `Content is decoded by its header, its byte-order mark, its type, or the address`() async throws {
        func packed(_ text: String) throws -> [UInt8] { try #require(GzipCompressor.compress(Array(text.utf8))) }
        func hundred(_ text: String) -> String { String(repeating: text, count: 100) }
        let long = String(repeating: "a", count: 1 << 20)
        let container = Container([
            Blob(name: "1", content: try packed(hundred("é")) + packed(hundred("x")), contentEncoding: "gzip"),
            Blob(name: "2", type: "image/x", content: try packed(hundred("abc")), contentEncoding: "GZIP"),
            Blob(name: "3", type: "text/plain;format=f; Charset=\"ISO-8859-1\"", content: [0x80, 0xE9]),
            Blob(name: "4", type: "text/plain; charset=windows-1252", content: [0xFF, 0xFE, 0xE9, 0x00]),
            Blob(name: "5", type: "application/json", content: Array(#"{"a":""#.utf8) + [0xE9] + Array(#""}"#.utf8)),
            Blob(name: "6", content: Array("é".utf8), contentEncoding: "identity"),
            Blob(name: "7", content: try packed(long), contentEncoding: "gzip"),
            Blob(name: "8", content: Array(try packed(long).dropLast()), contentEncoding: "gzip"),
            Blob(name: "9", contentEncoding: "br"), Blob(name: "a", type: "text/plain; charset=x-none"),
            Blob(name: "b", content: try packed(long + "b"), contentEncoding: "gzip"),
        ])
        let reading = try await Self.read(container, encoding: "windows-1250")
        #expect(reading.error == nil && reading.ids == ["1", "2", "3", "4", "5", "6", "7"])
        let bodies = [hundred("é") + hundred("x"), hundred("YWJj"), "€é", "é", "é", "é", long]
        for (text, body) in zip(Self.texts(reading), bodies) { #expect(text.hasSuffix(#":"\#(body)"}"#)) }
        let reasons = [
            "it is cut off", "'br', but only gzip", "unknown encoding 'x-none'", "longer than 1048576 bytes",
        ]
        #expect(reading.rejections.count == reasons.count)
        for (rejection, reason) in zip(reading.rejections, reasons) { #expect(rejection.contains(reason)) }
        #expect(throws: SourceError.self) { try AzureBlobSource("https://a.org/acc/pictures", encoding: "x-none") }
    }

    @Test func `An image is not read as text, even if its format is XML`() async throws {
        let container = Container([
            Blob(name: "a.svg", type: "image/svg+xml"), Blob(name: "b.xml", type: "application/xml"),
            Blob(name: "c.jpg", type: "image/jpeg", content: [0xFF, 0xD8, 0xFF, 0xE0]),
        ])
        let texts = Self.texts(try await Self.read(container))
        try #require(texts.count == 3)
        #expect(texts[0].hasSuffix(#""content":"dGV4dA=="}"#) && !texts[0].contains("body"))
        #expect(texts[1].hasSuffix(#""body":"text"}"#))
        #expect(texts[2].hasSuffix(#""content":"/9j/4A=="}"#))
        let onlyText = Self.texts(try await Self.read(container, content: .text))
        #expect(onlyText[0].hasSuffix("GMT\"}") && onlyText[1] == texts[1] && onlyText[2].hasSuffix("GMT\"}"))
    }

    @Test func `A blob that can't be a document is reported by name`() async throws {
        let container = Container([
            Blob(name: "1 long", size: Document.maximumByteCount + 1), Blob(name: "2 latin", content: [0xE9]),
            Blob(name: "3", content: [UInt8](repeating: 1, count: 3 << 20)), Blob(name: "4"),
        ])
        let reading = try await Self.read(container)
        #expect(reading.error == nil && reading.ids == ["4"] && reading.rejections.count == 3)
        #expect(reading.rejections[0].contains("'1 long' is longer than a document may be: 16777217 bytes"))
        #expect(reading.rejections[1].contains("'2 latin' is not UTF-8"))
        #expect(reading.rejections[2].contains("'3' is longer than a document may be"))
        // Their documents still exist.
        #expect(try await Self.read(container, .versions).ids.count == 4)
    }

    @Test func `A blob that changes after it was listed is read consistently in its current state`() async throws {
        let container = Container((0..<4).map { Blob(name: "\($0)") }) { blobs, name in
            guard name == "2", let index = blobs.firstIndex(where: { $0.name == "2" }), blobs[index].etag != "0x3"
            else {
                return
            }
            blobs[index].etag = blobs[index].etag == "0x1" ? "0x2" : "0x3"
            blobs[index].content = Array("text of \(blobs[index].etag)".utf8)
        }
        let reading = try await Self.read(container)
        #expect(reading.error == nil && reading.entries[2].version == "0x3")
        #expect(Self.texts(reading)[2].contains(#""etag":"0x3""#) && Self.texts(reading)[2].contains("text of 0x3"))
    }

    @Test func `A blob that never stops changing is an error`() async throws {
        let container = Container([Blob(name: "a"), Blob(name: "b")]) { blobs, name in
            if name == "b" { blobs[1].etag += "0" }
        }
        let reading = try await Self.read(container)
        #expect(reading.error?.code == .changed && reading.error?.message.contains("'b'") == true)
        #expect(reading.entries.isEmpty)
    }

    @Test(arguments: [true, false])
    func `A blob that is removed after it was listed is skipped`(isOthersThere: Bool) async throws {
        let container = Container(["a", "b", "b2"].map { Blob(name: $0) }) { blobs, name in
            if name == "b" { blobs.removeAll { $0.name == "b" || !isOthersThere && $0.name == "b2" } }
        }
        let reading = try await Self.read(container)
        #expect(reading.error == nil && reading.rejections.isEmpty)
        #expect(reading.ids == (isOthersThere ? ["a", "b2"] : reading.ids))
        #expect(reading.ids.contains("a") && !reading.ids.contains("b"))
    }

    @Test func `A container that disappears is not mistaken for an empty container`() async throws {
        let container = Container([Blob(name: "a")])
        let site = try ScriptedSite { request in
            request.query["comp"] == "list"
                ? container.answer(request) : .text("", status: 404, ["x-ms-error-code": "ContainerNotFound"])
        }
        let reading = await Reading(try AzureBlobSource("\(site.url)/acc/pictures", access: .tireless()), .documents)
        #expect(reading.error?.message.contains("ContainerNotFound") == true && reading.entries.isEmpty)
    }

    @Test func `Large blobs are read in parts, and reading can resume between them`() async throws {
        let blobs = (0..<6).map { Blob(name: "\($0)", content: [UInt8](repeating: 0x61, count: 7 << 20)) }
        let container = Container(blobs)
        let whole = try await Self.read(container)
        #expect(whole.error == nil && whole.ids.count == 6 && whole.pages == 3)
        let rest = try await Self.read(container, from: whole.places[0])
        #expect(rest.ids == ["2", "3", "4", "5"])
        // Even if the last returned blob is gone, none is skipped.
        container.blobs.withLock { _ = $0.remove(at: 1) }
        let again = try await Self.read(container, from: whole.places[0])
        #expect(again.ids == ["0", "2", "3", "4", "5"])
    }

    @Test func `A list that is truncated anywhere is an error`() async throws {
        guard
            case .answer(_, _, let list) = Container([Blob(name: "a"), Blob(name: "b")]).answer(
                ScriptedSite.Request("GET /acc/pictures?comp=list&maxresults=9 HTTP/1.1\r\n\r\n", number: 1)
            )
        else { return }
        for length in stride(from: 0, to: list.count, by: 7) {
            let site = try ScriptedSite { _ in .answer(Array(list.prefix(length))) }
            let source = try AzureBlobSource("\(site.url)/acc/pictures", access: .tireless())
            let reading = await Reading(source, .versions)
            #expect(reading.error?.code == .unusable && reading.entries.isEmpty, "cut at \(length)")
        }
    }

    @Test func `Folders of a hierarchical account are not documents, and unusual names are decoded`() async throws {
        let site = try ScriptedSite { _ in
            .text(
                "<EnumerationResults><Blobs><Blob><Name>d</Name><Properties><Etag>1</Etag><ResourceType>directory"
                    + "</ResourceType></Properties></Blob><Blob><Name>e</Name><Properties><Etag>1</Etag></Properties>"
                    + "<Metadata><Hdi_IsFolder>True</Hdi_IsFolder></Metadata></Blob><Blob><Name>e/</Name><Properties>"
                    + "<Etag>1</Etag><Content-Length>0</Content-Length></Properties></Blob><Blob><Name Encoded=\"true\">f%EF%BF%BE"
                    + "</Name><Properties><Etag>\"2\"</Etag></Properties></Blob></Blobs><NextMarker/></EnumerationResults>"
            )
        }
        let source = try AzureBlobSource("\(site.url)/acc/pictures", access: .tireless())
        let reading = await Reading(source, .versions)
        #expect(reading.ids == ["f\u{FFFE}"] && reading.entries.first?.version == "2")
    }

    @Test(arguments: [
        "http://127.0.0.1/acc", "https://a.blob.core.windows.net/UPPER", "https://a.b.c/pictures?sig=hunter2",
    ])
    func `An address without a container is refused`(url: String) throws {
        let error = try #require(throws: SourceError.self) { _ = try AzureBlobSource(url) }
        #expect(error.code == .invalidAddress && !error.description.contains("hunter2"))
    }
}

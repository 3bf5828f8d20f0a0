import ContentFeeding
import Digests
import DocumentSources
import Foundation
import HTTPClient
import TestSupport
import Testing
import TextKit

@testable import EngineHTTP

/// Sources in Azure Storage, provided by Microsoft's emulator.
@Suite(
    .enabled(if: LiveEngine.isAvailable(.azurite), "FASTCTL_ENGINES does not name the folder of engines"),
    .timeLimit(.minutes(5))
)
struct AzuriteTests {
    @Test func `Entities on many pages are read completely, and also from the middle to the end`() async throws {
        let account = try await Account()
        let table = try await account.makeTable(entities: 30_000)
        let source = try AzureTableSource(table, access: account.access)
        let whole = try await Self.read(source, .versions)
        #expect(whole.ids.count == 30_000 && Set(whole.ids).count == 30_000 && whole.versions.count == 30_000)
        #expect(whole.ids.first == "p00000/000" && whole.ids.last == "p00299/099")
        #expect(whole.places.count == 30)
        let rest = try await Self.read(source, .documents, from: whole.places[20])
        #expect(rest.ids == Array(whole.ids.dropFirst(21_000)))
        #expect(
            rest.first?.hasPrefix(#"{"id":"p00210/000","etag":"W/\"datetime'"#) == true
                && rest.first?.contains(#""Number":9007199254761993"#) == true
        )
    }

    @Test(arguments: [false, true])
    func `Filters, IDs and keys in any script match the service's interpretation`(isSecure: Bool) async throws {
        let account = try await Account(isSecure: isSecure)
        let table = try await account.makeTable(entities: 0)
        for (partition, row) in [("a b", "1"), ("a b", "ä'2\""), ("日本", "+%&="), ("", "")] {
            try await account.add(["PartitionKey": partition, "RowKey": row, "Code": "C\(row)"], to: table)
        }
        let all = try await Self.read(AzureTableSource(table, access: account.access), .documents)
        #expect(Set(all.ids) == ["a b/1", "a b/ä'2\"", "日本/+%&=", "/"])
        var options = AzureTableSource.Options()
        (options.filter, options.id) = ("PartitionKey eq 'a b' and RowKey ne '1'", "Code")
        let some = try await Self.read(AzureTableSource(table, options: options, access: account.access), .versions)
        #expect(some.ids == ["Cä'2\""])
        options.filter = "this is no filter"
        let error = await Self.failure(try AzureTableSource(table, options: options, access: account.access))
        #expect(error?.code == .unusable && error?.message.contains("responded with 400") == true)
    }

    @Test(arguments: [false, true])
    func `Blobs are read with their text and metadata`(isSecure: Bool) async throws {
        let account = try await Account(isSecure: isSecure)
        let container = try await account.makeContainer()
        for number in 0..<25 {
            try await account.put(
                "text \(number)",
                at: container + "/a%20dir/b%C3%A4-\(100 + number).txt",
                "text/plain"
            )
        }
        try await account.put(#"{"title":"T"}"#, at: container + "/j.json", "application/json")
        try await account.put("\u{FF}\u{D8}", at: container + "/Z.jpg", "image/jpeg", ["x-ms-meta-Author": "me"])
        let source = try AzureBlobSource(container, access: account.access)
        let all = try await Self.read(source, .documents)
        #expect(all.ids == ["Z.jpg"] + (0..<25).map { "a dir/bä-\(100 + $0).txt" } + ["j.json"])
        #expect(all.first?.contains(#""contentType":"image/jpeg","size":4,"#) == true)
        #expect(all.first?.hasSuffix(#""Author":"me","content":"w7/DmA=="}"#) == true)
        #expect(all.last?.hasSuffix(#""title":"T"}"#) == true)
        let some = try AzureBlobSource(container + "/a%20dir/b%C3%A4-10", access: account.access)
        let texts = try await Self.read(some, .documents)
        #expect(texts.ids.count == 10 && texts.last?.contains(#""body":"text 9""#) == true)
        #expect(try await Self.read(source, .versions).versions == all.versions)
    }

    @Test func `The service's refusal is quoted without secrets`() async throws {
        let account = try await Account()
        let missing = await Self.failure(try AzureTableSource(account.tables + "/nothere", access: account.access))
        #expect(missing?.code == .missing || missing?.code == .unusable)
        let container = await Self.failure(try AzureBlobSource(account.blobs + "/nothere", access: account.access))
        #expect(container?.code == .missing && container?.message.contains("ContainerNotFound") == true)
        let sas = "sv=2021-08-06&se=2020-01-01T00%3A00%3A00Z&sr=c&sp=rl&sig=aHVudGVyMg%3D%3D"
        let table = try await account.makeTable(entities: 0)
        let ended = await Self.failure(try AzureTableSource(table, access: account.access(sas)))
        #expect(ended?.code == .permission && ended?.message.contains("2020-01-01T00:00:00Z") == true)
        #expect(ended?.description.contains("aHVudGVyMg") == false)
        let key = Base64.text([UInt8](repeating: 1, count: 64))
        let wrong = await Self.failure(try AzureTableSource(table, access: account.access("AccountKey=\(key)")))
        #expect(wrong?.code == .permission && wrong?.message.contains("AuthorizationFailure") == true)
    }

    @Test func `A shared access signature is sufficient for reading`() async throws {
        let account = try await Account()
        let container = try await account.makeContainer()
        try await account.put("x", at: container + "/x.txt", "text/plain")
        let source = try AzureBlobSource(container, access: account.access(account.signature(of: container)))
        #expect(try await Self.read(source, .documents).ids == ["x.txt"])
    }

    /// The parts of the result that tests need.
    private struct Whole {
        var ids: [String] = []
        var versions: [String] = []
        var places: [SourcePlace] = []
        var first: String?
        var last: String?
    }

    private static func read(
        _ source: some DocumentSource,
        _ contents: SourceContents,
        from place: SourcePlace = .beginning
    ) async throws -> Whole {
        let reader = try await source.reader(of: contents, from: place)
        var whole = Whole()
        while let page = try await reader.next() {
            #expect(page.rejections.isEmpty)
            whole.ids += page.entries.map(\.id.text)
            whole.versions += page.entries.compactMap(\.version)
            whole.places.append(page.next)
            let documents = page.entries.compactMap { $0.json.map { String(decoding: $0, as: UTF8.self) } }
            whole.first = whole.first ?? documents.first
            whole.last = documents.last ?? whole.last
        }
        return whole
    }

    private static func failure(_ source: some DocumentSource) async -> SourceError? {
        do throws(SourceError) {
            let reader = try await source.reader(of: .versions, from: .beginning)
            while try await reader.next() != nil {}
            return nil
        } catch {
            return error
        }
    }
}

/// The emulator's account, and functions to fill it.
private struct Account {
    let blobs: String
    let tables: String
    private let authorityFile: String?
    private let transport: HTTPTransport

    /// The emulator's well-known account, which is not secret.
    private static let name = "devstoreaccount1"
    private static let key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="

    init(isSecure: Bool = false) async throws {
        let engine = try await LiveEngine.shared(.azurite, secure: isSecure)
        var parts = try #require(URLComponents(string: engine.urls[0]))
        parts.path = "/\(Self.name)"
        blobs = try #require(parts.string)
        parts.port = try #require(parts.port) + 2
        tables = try #require(parts.string)
        authorityFile = isSecure ? engine.folder + "/tls/ca.pem" : nil
        var configuration = HTTPConfiguration()
        configuration.tls.authorityFile = authorityFile
        transport = HTTPTransport(configuration)
        // The emulator's start waits for the service of blobs, and the one of tables comes later.
        for _ in 0..<200 {
            if (try? await transport.send(HTTPRequest(.get, tables))) != nil { break }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    var access: HTTPAccess { access("AccountName=\(Self.name);AccountKey=\(Self.key)") }

    func access(_ credentials: String) -> HTTPAccess {
        var connection = ConnectionOptions()
        connection.credentials = .helper(command: "echo '\(credentials)'")
        connection.tls.authorityFile = authorityFile
        return HTTPAccess(connection)
    }

    /// Returns the parameters that grant read access to a container for an hour.
    func signature(of container: String) -> String {
        let name = container.split(separator: "/").last ?? ""
        let end = Date(timeIntervalSinceNow: 3600).ISO8601Format()
        let version = "2021-08-06"
        let text = ["rl", "", end, "/blob/\(Self.name)/\(name)", "", "", "", version, "c", "", "", "", "", "", "", ""]
        var function = HMACSHA256(key: Base64.bytes(Self.key) ?? [])
        let signature = Base64.text(function.digest(of: text.joined(separator: "\n").utf8).bytes)
            .replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
        return "sv=\(version)&sr=c&sp=rl&se=\(end.replacing(":", with: "%3A"))&sig=\(signature)"
    }

    private func send(
        _ method: HTTPRequest.Method,
        _ url: String,
        _ service: AzureStorage.Service,
        _ headers: [HTTPHeader],
        _ body: [UInt8]
    ) async throws {
        var request = HTTPRequest(method, url, headers: headers, body: body)
        let version = service == .table ? "2019-02-02" : "2021-12-02"
        request.headers.append(HTTPHeader("x-ms-version", version))
        let signer = SharedKeySigner(
            storage: AzureStorage(service, account: Self.name),
            key: Base64.bytes(Self.key) ?? []
        )
        signer.sign(&request, at: .now())
        let reply = try await transport.send(request)
        let words = String(decoding: reply.body, as: UTF8.self)
        // The service also accepts a transaction that fails, and reports the failure in its parts.
        try #require(
            (200...299).contains(reply.status) && !words.contains("HTTP/1.1 4"),
            "\(reply.status): \(words.prefix(500))"
        )
    }

    private static let json = [
        HTTPHeader("Content-Type", "application/json"), HTTPHeader("Accept", "application/json;odata=nometadata"),
    ]

    func makeContainer() async throws -> String {
        let container = "\(blobs)/c\(UUID().uuidString.lowercased())"
        try await send(.put, container + "?restype=container", .blob, [HTTPHeader("Content-Type", "text/plain")], [])
        return container
    }

    func put(_ text: String, at url: String, _ type: String, _ metadata: [String: String] = [:]) async throws {
        let headers =
            metadata.map { HTTPHeader($0.key, $0.value) } + [
                HTTPHeader("x-ms-blob-type", "BlockBlob"), HTTPHeader("Content-Type", type),
            ]
        try await send(.put, url, .blob, headers, Array(text.utf8))
    }

    func add(_ entity: [String: String], to table: String) async throws {
        try await send(.post, table, .table, Self.json, Array(try JSONEncoder().encode(entity)))
    }

    /// Creates a table, filled by transactions of a hundred entities.
    func makeTable(entities count: Int) async throws -> String {
        let name = "t" + UUID().uuidString.filter { $0 != "-" }
        try await send(.post, "\(tables)/Tables", .table, Self.json, Array(#"{"TableName":"\#(name)"}"#.utf8))
        for partition in 0..<count / 100 {
            let key = "p" + String(100_000 + partition).dropFirst()
            let operations = (0..<100).map { row in
                let number = 9_007_199_254_740_993 + partition * 100 + row
                return """
                    --changeset_1\r
                    Content-Type: application/http\r
                    Content-Transfer-Encoding: binary\r
                    \r
                    POST \(tables)/\(name) HTTP/1.1\r
                    Content-Type: application/json\r
                    Prefer: return-no-content\r
                    \r
                    {"PartitionKey":"\(key)","RowKey":"\(String(1_000 + row).dropFirst())",\
                    "Number@odata.type":"Edm.Int64","Number":"\(number)"}\r

                    """
            }
            let body =
                "--batch_1\r\nContent-Type: multipart/mixed; boundary=changeset_1\r\n\r\n\(operations.joined())"
                + "--changeset_1--\r\n--batch_1--\r\n"
            let type = HTTPHeader("Content-Type", "multipart/mixed; boundary=batch_1")
            try await send(
                .post,
                "\(tables)/$batch",
                .table,
                [type, HTTPHeader("Accept", "application/json")],
                Array(body.utf8)
            )
        }
        return "\(tables)/\(name)"
    }
}

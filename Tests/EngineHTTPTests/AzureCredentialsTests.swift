import ContentFeeding
import HTTPClient
import TestSupport
import Testing
import TextKit

@testable import EngineHTTP

/// Credentials for Azure Storage, and the requests that are signed with them.
struct AzureCredentialsTests {
    private static let key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+Pw=="
    private static let signature = "sv=2021-08-06&se=2026-11-23T15%3A00%3A00Z&sr=c&sp=rl&sig=hunter2%2Bx%3D"

    private static func credentials(_ line: String) throws -> AzureCredentials? {
        let source = CredentialSource.file(path: "/etc/secret")
        let loaded = try CredentialText.credentials(Array(line.utf8), from: source)
        guard case .azure(let credentials) = loaded.proof else { return nil }
        return credentials
    }

    @Test(arguments: [
        ("AccountKey=\(key)", nil), ("DefaultEndpointsProtocol=https;AccountName=acc1;AccountKey=\(key)", "acc1"),
        ("AccountName=acc1; AccountKey=\(key);BlobEndpoint=http://127.0.0.1:10000/acc1;", "acc1"),
    ])
    func `A connection string contains a key`(line: String, account: String?) throws {
        let credentials = try #require(try Self.credentials(line))
        #expect(credentials.account == account && credentials.secret == .key(Array(0..<64)))
        #expect("\(credentials)" == "(credentials)" && !String(reflecting: credentials).contains("AQID"))
    }

    @Test(arguments: ["", "?", "SharedAccessSignature=", "AccountName=acc1;SharedAccessSignature=?"])
    func `A shared access signature is a valid credential`(start: String) throws {
        let credentials = try #require(try Self.credentials(start + Self.signature))
        #expect(credentials.secret == .signature(Self.signature) && credentials.end == "2026-11-23T15:00:00Z")
    }

    @Test(arguments: [
        "AccountKey=no base64", "AccountKey=", "AccountName=NO;AccountKey=\(key)", "SharedAccessSignature=sv=1",
    ])
    func `Credentials in Azure's form that can't be used are refused`(line: String) throws {
        let error = try #require(throws: EngineError.self) { _ = try Self.credentials(line) }
        #expect(error.code == .permission && error.advice?.contains("AccountKey=KEY") == true)
        #expect(!error.message.contains("base64 ") && !error.message.contains(Self.key))
    }

    @Test func `Text that is in no form is refused with the forms of the server for which it is meant`() async throws {
        let (folder, path) = try CredentialTests.file(Self.key, mode: 0o600)
        defer { folder.remove() }
        var options = ConnectionOptions()
        options.credentials = .file(path: path)
        for (storage, form) in [(AzureStorage(.table, account: "acc1"), "AccountKey=KEY"), (nil, "user:password")] {
            let error = await #expect(throws: EngineError.self) { _ = try await RequestProver(options, for: storage) }
            #expect(error?.advice?.contains(form) == true && error?.message.contains(Self.key) == false)
        }
    }

    @Test(arguments: ["user:AccountKey=x", "user:a&sv=1&sig=2", "Bearer sv=1&sig=2", "user:a;b=AccountKey"])
    func `Credentials in other forms are left unchanged`(line: String) throws {
        #expect(try Self.credentials(line) == nil)
    }

    @Test func `A key in one of the Azure tools' variables needs no prefix`() {
        let text = AzureCredentials.text(Array(Self.key.utf8), ofVariable: "AZURE_STORAGE_KEY")
        #expect(String(decoding: text, as: UTF8.self) == "AccountKey=\(Self.key)")
        #expect(AzureCredentials.text([1], ofVariable: "AZURE_STORAGE_SAS_TOKEN") == [1])
    }

    /// Signatures of another implementation, Python's hmac, made from the texts that Azure's documentation describes.
    @Test(arguments: [
        (
            AzureStorage.Service.table, "https://myaccount.table.core.windows.net/events()?$top=1000", "",
            "Aw2xy21adNs4WdLc7DX42dfmJBh9jD7XIvGBr2h4Fb8="
        ),
        (
            .table, "https://myaccount.table.core.windows.net/events?comp=acl", "",
            "M4ZwZySlDikasUpWhycbOUj01trjTetQilpa53OaA4Q="
        ),
        (
            .blob,
            "https://myaccount.blob.core.windows.net/pictures?restype=container&comp=list&include=metadata&marker=a%20b%2F%C3%A4",
            "", "xbZYl2PC/ZWOxdZ0E6yn/MauCZ767ErBsLEDBm+yasU="
        ),
        (
            .blob, "https://myaccount.blob.core.windows.net/pictures/a%20b/%C3%A4.txt", "\"0x8D\"",
            "NAFQEkx0/X6aekDM5IDd2CyTiTPU6+TVKqhAXdtioaA="
        ),
    ])
    func `Signatures match those of another implementation`(
        service: AzureStorage.Service,
        url: String,
        condition: String,
        signature: String
    ) throws {
        var request = HTTPRequest(.get, url)
        if service == .blob { request.headers.append(HTTPHeader("x-ms-version", "2021-12-02")) }
        if !condition.isEmpty { request.headers.append(HTTPHeader("If-Match", condition)) }
        let signer = SharedKeySigner(storage: AzureStorage(service, account: "myaccount"), key: Array(0..<64))
        signer.sign(&request, at: WallTime(seconds: 1_435_361_952))
        #expect(request.headers.contains(HTTPHeader("x-ms-date", "Fri, 26 Jun 2015 23:39:12 GMT")))
        #expect(request.headers.contains(HTTPHeader("Authorization", "SharedKey myaccount:\(signature)")))
    }

    @Test func `Bodies and their types are also signed`() throws {
        let headers = [
            HTTPHeader("x-ms-version", "2021-12-02"), HTTPHeader("x-ms-blob-type", "BlockBlob"),
            HTTPHeader("x-ms-meta-X", "1"), HTTPHeader("Content-Type", "text/plain"),
        ]
        let url = "https://myaccount.blob.core.windows.net/pictures/a"
        var request = HTTPRequest(.put, url, headers: headers, body: Array("hello".utf8))
        let signer = SharedKeySigner(storage: AzureStorage(.blob, account: "myaccount"), key: Array(0..<64))
        signer.sign(&request, at: WallTime(seconds: 1_435_361_952))
        let signature = "SharedKey myaccount:q0rxP5le7qgdqqpyLWhDetDjecm8FCWF7/4Ti69XDck="
        #expect(request.headers.contains(HTTPHeader("Authorization", signature)))
    }

    @Test func `For an emulator, signed paths also begin with the account name`() {
        var request = HTTPRequest(.get, "http://127.0.0.1:10002/devstoreaccount1/events()")
        let signer = SharedKeySigner(storage: AzureStorage(.table, account: "devstoreaccount1"), key: Array(0..<64))
        signer.sign(&request, at: WallTime(seconds: 1_435_361_952))
        let signature = "SharedKey devstoreaccount1:CwETwMaxcZfuzkm6AojMZm1Pa7zyoHgPhBYKVtLauC8="
        #expect(request.headers.contains(HTTPHeader("Authorization", signature)))
    }

    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 GMT"),
    ])
    func `Times are written in HTTP's format and read back`(seconds: Int, text: String) {
        #expect(WallTime(seconds: seconds).httpDate == text)
        #expect(WallTime(httpDate: text)?.seconds == seconds)
    }

    @Test func `Base64 is read back as written`() {
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37) }
            #expect(Base64.bytes(Base64.text(bytes)) == bytes)
        }
        #expect(Base64.text(Array("foob".utf8)) == "Zm9vYg==")
        for text in ["Zm9vYg=", "Zm9v Yg=", "Z===", "Zm9vYg==Zm9v", "Zm9\u{e9}"] { #expect(Base64.bytes(text) == nil) }
    }

    @Test func `Azure's credentials are never sent to an engine`() async throws {
        var options = ConnectionOptions()
        options.credentials = .helper(command: "echo AccountKey=\(Self.key)")
        let node = NodeAddress(scheme: .http, host: "127.0.0.1", port: 1)
        let error = await #expect(throws: EngineError.self) {
            _ = try await EngineConnection(to: [node], options: options)
        }
        #expect(error?.code == .permission && error?.message.contains("Azure Storage") == true)
    }
}

import ContentFeeding
import DocumentSources
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import EngineHTTP

/// A table that is returned in pages, and fails at a point chosen by the test.
@Suite(.timeLimit(.minutes(2)))
struct AzureTableSourceTests {
    private static let key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+Pw=="

    /// Returns a page of at most five entities, from a table of `count`.
    private static func page(_ request: ScriptedSite.Request, of count: Int) -> ScriptedSite.Reply {
        let start = request.query["NextRowKey"].flatMap { Int($0) } ?? 0
        let end = min(start + 5, count)
        let entities = (start..<end).map { number in
            #"{"odata.etag":"W/\"\#(number)\"","PartitionKey":"p","RowKey":"\#(number)","Number":\#(number)}"#
        }
        let next = ["x-ms-continuation-NextPartitionKey": "p/ä", "x-ms-continuation-NextRowKey": "\(end)"]
        let body = #"{"odata.metadata":"m","value":[\#(entities.joined(separator: ","))]}"#
        return .text(body, end < count ? next.mapValues(Self.escaped) : [:])
    }

    /// Headers are ASCII, and Azure's continuation can be any text.
    private static func escaped(_ text: String) -> String { text.replacing("ä", with: "!") }

    private static func source(
        _ site: ScriptedSite,
        id: String? = nil,
        filter: String? = nil,
        _ access: HTTPAccess = .tireless()
    ) throws -> AzureTableSource {
        var options = AzureTableSource.Options()
        (options.id, options.filter) = (id, filter)
        return try AzureTableSource("\(site.url)/acc/events", options: options, access: access)
    }

    /// Returns a table with one page.
    private static func site(_ entities: String) throws -> ScriptedSite {
        try ScriptedSite { _ in .text(#"{"value":[\#(entities)]}"#) }
    }

    @Test func `Each page of a table is read once`() async throws {
        let site = try ScriptedSite { Self.page($0, of: 23) }
        let reading = try await Reading(Self.source(site, filter: "Number gt -1"), .documents)
        #expect(reading.error == nil && reading.pages == 5)
        #expect(reading.ids == (0..<23).map { "p/\($0)" })
        #expect(reading.entries[7].version == "W/\"7\"")
        #expect(site.requests.count == 5)
        #expect(site.requests.allSatisfy { $0.path == "/acc/events()" && $0.query["$filter"] == "Number gt -1" })
        #expect(site.requests[3].query["NextPartitionKey"] == "p/!" && site.requests[3].query["NextRowKey"] == "15")
        #expect(site.requests.allSatisfy { $0.header("accept") == "application/json;odata=minimalmetadata" })
    }

    @Test func `If only versions are needed, only the keys are requested`() async throws {
        let site = try ScriptedSite { Self.page($0, of: 3) }
        let reading = try await Reading(Self.source(site, id: "Number"), .versions)
        #expect(site.requests[0].query["$select"] == "PartitionKey,RowKey,Number")
        #expect(reading.ids == ["0", "1", "2"] && reading.entries.allSatisfy { $0.json == nil && $0.version != nil })
        let rows = try await Reading(Self.source(site, id: "RowKey"), .versions)
        #expect(site.requests[1].query["$select"] == "PartitionKey,RowKey" && rows.ids == ["0", "1", "2"])
    }

    @Test func `Every type of property is kept`() async throws {
        let site = try Self.site(
            #"{"odata.etag":"E","PartitionKey":"p 1","RowKey":"rä'1","Timestamp":"2026-01-02T03:04:05.1234567Z","#
                + #""big@odata.type":"Edm.Int64","big":"-9007199254740993","small":7,"yes":true,"text":"a\"b\n","#
                + #""when@odata.type":"Edm.DateTime","when":"2026-01-02T03:04:05Z","bin@odata.type":"Edm.Binary","#
                + #""bin":"AQID","nan@odata.type":"Edm.Double","nan":"NaN","d":1.50,"none":null,"#
                + #""id":"mine","etag":"mine too","etag_":"taken","odd@odata.type":"Edm.Int64","odd":"1e3"}"#
        )
        let reading = try await Reading(Self.source(site), .documents)
        let json = try #require(reading.entries.first?.json)
        #expect(reading.ids == ["p 1/rä'1"])
        #expect(
            String(decoding: json, as: UTF8.self)
                == #"{"id":"p 1/rä'1","etag":"E","PartitionKey":"p 1","RowKey":"rä'1","#
                + #""Timestamp":"2026-01-02T03:04:05.1234567Z","big":-9007199254740993,"small":7,"yes":true,"#
                + #""text":"a\"b\n","when":"2026-01-02T03:04:05Z","bin":"AQID","nan":"NaN","d":1.50,"none":null,"#
                + #""id_":"mine","etag__":"mine too","etag_":"taken","odd":"1e3"}"#
        )
    }

    @Test func `A property can be the ID, and entities without that property are reported`() async throws {
        let site = try Self.site(
            #"{"odata.etag":"1","PartitionKey":"p","RowKey":"1","Code":"A1"},"#
                + #"{"odata.etag":"2","PartitionKey":"p","RowKey":"2"},"#
                + #"{"odata.etag":"3","PartitionKey":"p","RowKey":"3","Code":null},"#
                + #"{"odata.etag":"4","PartitionKey":"p","RowKey":"4","Code@odata.type":"Edm.Int64","Code":"12"},"#
                + #"{"odata.etag":"5","PartitionKey":"p","RowKey":"5","Code":""}"#
        )
        let reading = try await Reading(Self.source(site, id: "Code"), .documents)
        #expect(reading.ids == ["A1", "12"])
        #expect(
            reading.rejections.count == 3 && reading.rejections[0].contains("'p/2' has no text or number in 'Code'")
        )
    }

    @Test func `An ID that two entities could share is refused`() async throws {
        let site = try Self.site(#"{"odata.etag":"1","PartitionKey":"a/b","RowKey":"c"}"#)
        let reading = try await Reading(Self.source(site), .versions)
        #expect(reading.ids.isEmpty && reading.rejections.count == 1)
    }

    @Test func `A page without entities is not necessarily the last`() async throws {
        let site = try ScriptedSite { request in
            request.number == 1
                ? .text(#"{"value":[]}"#, ["x-ms-continuation-NextPartitionKey": "p"]) : Self.page(request, of: 2)
        }
        let reading = try await Reading(Self.source(site), .versions)
        #expect(reading.ids == ["p/0", "p/1"] && reading.pages == 2)
        #expect(site.requests[1].query["NextPartitionKey"] == "p" && site.requests[1].query["NextRowKey"] == nil)
    }

    /// The ways a page can fail permanently.
    enum Failure: CaseIterable, Sendable {
        case error500, busy, cut, hangUp, half, empty, notJSON, forbidden, missing, redirect, noETag, notAPage

        func reply(_ page: ScriptedSite.Reply) -> ScriptedSite.Reply {
            guard case .answer(_, let headers, let body) = page else { return page }
            return switch self {
            case .error500: .text("<Error><Code>InternalError</Code></Error>", status: 500)
            case .busy: .text("", status: 503, ["Retry-After": "7"])
            case .cut: .cut(body)
            case .hangUp: .hangUp
            case .half: .answer(headers: headers, Array(body.prefix(body.count / 2)))
            case .empty: .answer(headers: headers, [])
            case .notJSON: .text("<html>", headers)
            case .forbidden: .text("", status: 403, ["x-ms-error-code": "AuthorizationFailure"])
            case .missing: .text("", status: 404, ["x-ms-error-code": "TableNotFound"])
            case .redirect: .text("", status: 302, ["Location": "https://elsewhere/?sig=hunter2"])
            case .noETag: .text(#"{"value":[{"PartitionKey":"p","RowKey":"1"}]}"#)
            case .notAPage: .text("{}")
            }
        }
    }

    @Test(arguments: Failure.allCases)
    func `A source that fails at any page reports an error instead of the end, and resumes where it stopped`(
        failure: Failure
    ) async throws {
        for dead in 0..<5 {
            let isDead = Mutex(true)
            let site = try ScriptedSite { request in
                let page = Self.page(request, of: 23)
                let start = request.query["NextRowKey"].flatMap { Int($0) } ?? 0
                return start == dead * 5 && isDead.withLock { $0 } ? failure.reply(page) : page
            }
            let source = try Self.source(site)
            var reading: Reading
            if dead == 0 {
                reading = await Reading(source, .documents)
                // Damage is detected when the page is read, and all other failures are detected earlier.
                #expect(reading.error != nil && reading.entries.isEmpty, "\(failure)")
                isDead.withLock { $0 = false }
                reading = await Reading(source, .documents)
            } else {
                let reader = try await source.reader(of: .documents, from: .beginning)
                reading = await Reading(MadeReader(reader: reader), .documents)
                #expect(reading.error != nil, "\(failure) at page \(dead)")
                #expect(reading.ids == (0..<dead * 5).map { "p/\($0)" }, "\(failure) at page \(dead)")
                #expect(reading.error?.description.contains("hunter2") == false)
                await reading.goOn(reader)
                #expect(reading.error != nil && reading.entries.count == dead * 5, "\(failure) again")
                isDead.withLock { $0 = false }
                await reading.goOn(reader)
            }
            #expect(reading.error == nil && reading.ids == (0..<23).map { "p/\($0)" }, "\(failure) at page \(dead)")
        }
    }

    /// A source whose reader already exists.
    private struct MadeReader: DocumentSource {
        let reader: any SourceReader
        var name: String { "made" }
        var traits: SourceTraits { SourceTraits() }

        func reader(of: SourceContents, from: SourcePlace) async throws(SourceError) -> any SourceReader { reader }
    }

    @Test func `A busy service is retried after the pause that it requests, at every page`() async throws {
        let clock = TirelessClock()
        let site = try ScriptedSite { request in
            if request.number % 3 == 1 { return .text("", status: 503, ["Retry-After": "17"]) }
            return request.number % 3 == 2 ? .hangUp : Self.page(request, of: 23)
        }
        let reading = try await Reading(Self.source(site, .tireless(clock)), .versions)
        #expect(reading.error == nil && reading.ids == (0..<23).map { "p/\($0)" })
        #expect(clock.pauses.count == 10 && clock.pauses.count { $0 >= .seconds(17) } == 5)
    }

    @Test func `A server that has never responded is not retried for long`() async throws {
        let clock = TirelessClock()
        let source = try AzureTableSource("http://127.0.0.1:1/acc/events", access: .tireless(clock))
        let error = await Reading(source, .versions).error
        #expect(error?.code == .unreachable && error?.message.contains("(3 attempts)") == true)
        #expect(clock.pauses.count == 2)
    }

    @Test func `A repeated continuation token is an error`() async throws {
        // From page 5 on, three pages form a cycle.
        let site = try ScriptedSite { request in
            let start = request.query["NextRowKey"].flatMap { Int($0) } ?? 0
            let next = ["x-ms-continuation-NextPartitionKey": "p", "x-ms-continuation-NextRowKey": "\(start % 15 + 5)"]
            return .text(#"{"value":[]}"#, next)
        }
        let reading = try await Reading(Self.source(site), .versions)
        #expect(reading.error?.code == .unusable && reading.error?.message.contains("repeats itself") == true)
        #expect(reading.pages < 20)
    }

    @Test func `Changes between two pages do not affect other entities`() async throws {
        // At each page, the entities before and after it change.
        let site = try ScriptedSite { request in
            guard case .answer(_, let headers, let body) = Self.page(request, of: 23) else { return .hangUp }
            let text = String(decoding: body, as: UTF8.self)
            return .text(text.replacing(#"W/\""#, with: #"W/\"v\#(request.number)-"#), headers)
        }
        let reading = try await Reading(Self.source(site), .versions)
        #expect(reading.error == nil && reading.ids == (0..<23).map { "p/\($0)" })
        #expect(reading.entries[0].version == "W/\"v1-0\"" && reading.entries[22].version == "W/\"v5-22\"")
    }

    @Test func `Reading can resume from any position`() async throws {
        let site = try ScriptedSite { Self.page($0, of: 23) }
        let whole = try await Reading(Self.source(site), .versions)
        for (index, place) in whole.places.enumerated() {
            let rest = try await Reading(Self.source(site), .versions, from: place)
            #expect(rest.error == nil && rest.ids == Array(whole.ids.dropFirst(5 * (index + 1))))
        }
        for place in ["x", "a\nb\nc", "%", "\nb", String(repeating: "a", count: 20_000)] {
            let reading = try await Reading(Self.source(site), .versions, from: SourcePlace(rawValue: place))
            #expect(reading.error?.code == .unusable && reading.entries.isEmpty)
        }
    }

    @Test func `A wrong system clock is reported as the cause`() async throws {
        let site = try ScriptedSite { _ in
            .text(
                "<Error><Code>AuthenticationFailed</Code><Message>Server failed to authenticate.\nRequestId:1</Message></Error>",
                status: 403,
                ["Date": "Fri, 26 Jun 2015 23:00:00 GMT"]
            )
        }
        var access = HTTPAccess.tireless(credentials: "AccountKey=\(Self.key)")
        access.now = { WallTime(seconds: 1_435_361_952) }
        let error = try #require(await Reading(try Self.source(site, access), .versions).error)
        #expect(error.code == .permission)
        #expect(error.message.contains("(AuthenticationFailed: Server failed to authenticate.)"))
        #expect(error.message.contains("39 min 12 s ahead of the server's") && error.advice?.contains("clock") == true)
        #expect(!error.message.contains("RequestId") && site.requests.count == 1)
        #expect(site.requests[0].header("authorization")?.hasPrefix("SharedKey acc:") == true)
        #expect(site.requests[0].header("x-ms-date") == "Fri, 26 Jun 2015 23:39:12 GMT")
    }

    @Test func `An expired SAS is reported with its expiry, and never shown`() async throws {
        let site = try ScriptedSite { request in
            .text(
                "<Error><Code>AuthenticationFailed</Code><Message>Bad sig=\(request.query["sig"] ?? "")</Message>"
                    + "<AuthenticationErrorDetail>Signature not valid in the specified time frame: hunter2+x="
                    + "</AuthenticationErrorDetail></Error>",
                status: 403
            )
        }
        let sas = "?sv=2021-08-06&se=2026-01-02T03%3A04%3A05Z&sp=r&sig=hunter2%2Bx%3D"
        let error = try #require(await Reading(try Self.source(site, .tireless(credentials: sas)), .versions).error)
        #expect(site.requests[0].query["sig"] == "hunter2+x=" && site.requests[0].query["$top"] == "1000")
        #expect(error.message.contains("expires at 2026-01-02T03:04:05Z") && error.code == .permission)
        #expect(error.message.contains("specified time frame") && !error.description.contains("hunter2"))
    }

    @Test func `Expired credentials are read again in the middle of a run`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("sas")
        func write(_ signature: String) throws {
            try Data("sv=1&sig=\(signature)".utf8).write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
        try write("old")
        let wanted = Mutex("old")
        let site = try ScriptedSite { request in
            request.query["sig"] == wanted.withLock { $0 } ? Self.page(request, of: 23) : .text("", status: 403)
        }
        var access = HTTPAccess.tireless()
        access.connection.credentials = .file(path: path)
        let reader = try await Self.source(site, access).reader(of: .versions, from: .beginning)
        _ = try await reader.next()
        try write("new")
        wanted.withLock { $0 = "new" }
        var reading = await Reading(MadeReader(reader: reader), .versions)
        // The page requested in advance may have been refused before the file was renewed.
        if reading.error != nil { await reading.goOn(reader) }
        #expect(reading.error == nil && reading.ids == (5..<23).map { "p/\($0)" })
    }

    @Test func `Credentials of a different kind are refused before anything is sent`() async throws {
        let site = try ScriptedSite { Self.page($0, of: 1) }
        let reading = try await Reading(Self.source(site, .tireless(credentials: "user:hunter2")), .versions)
        #expect(reading.error?.code == .permission && reading.error?.advice?.contains("AccountKey=KEY") == true)
        #expect(site.requests.isEmpty && reading.error?.description.contains("hunter2") == false)
    }

    @Test(arguments: [
        "https://acc.table.core.windows.net", "https://acc.table.core.windows.net/", "http://127.0.0.1:1/acc",
        "https://acc.table.core.windows.net/ev-ents", "https://acc.table.core.windows.net/a/b", "ftp://a/events",
        "https://acc.table.core.windows.net/events?sv=1&sig=hunter2", "https://u:hunter2@a.b/events", "events",
        "https://acc.table.core.windows.net:99999/events", "https:///events",
    ])
    func `An address without a table is refused`(url: String) throws {
        let error = try #require(throws: SourceError.self) { _ = try AzureTableSource(url) }
        #expect(error.code == .invalidAddress && !error.description.contains("hunter2"))
    }

    @Test func `The name of a source includes every parameter that determines its entities`() throws {
        var options = AzureTableSource.Options()
        (options.filter, options.id) = ("A eq 'ü&'", "Code")
        let source = try AzureTableSource("HTTPS://Acc.table.core.windows.net:443/events", options: options)
        #expect(
            source.name
                == "azure-table+https://acc.table.core.windows.net/events?filter=A%20eq%20%27%C3%BC%26%27&id=Code"
        )
        #expect(source.traits.versionKey == "etag")
    }
}

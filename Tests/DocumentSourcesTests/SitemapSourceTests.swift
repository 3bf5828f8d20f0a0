import ContentFeeding
import DocumentSources
import Foundation
import Gzip
import Synchronization
import TestSupport
import Testing

/// A site whose sitemaps list pages, and each other.
@Suite(.timeLimit(.minutes(2)))
struct SitemapSourceTests {
    private static func pages(_ range: Range<Int>) -> String {
        let items = range.map { "<url><loc>https://a.example/\($0)</loc><lastmod>2026-01-\($0)</lastmod></url>" }
        return "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\(items.joined())</urlset>"
    }

    private static func index(_ addresses: [String]) -> String {
        "<sitemapindex>\(addresses.map { "<sitemap><loc>\($0)</loc></sitemap>" }.joined())</sitemapindex>"
    }

    /// Returns a site with an index of three sitemaps, one of them behind another index.
    private static func site(
        broken: @escaping @Sendable (String) -> ScriptedSite.Reply? = { _ in nil }
    ) throws -> ScriptedSite {
        try ScriptedSite { request in
            if let reply = broken(request.path) { return reply }
            let here = "http://\(request.header("host") ?? "")"
            return switch request.path {
            case "/": .text(index(["\(here)/1", "\(here)/more?a=1&amp;b=2", "\(here)/4"]))
            case "/more": .text(index(["\(here)/2", "\(here)/3"]))
            case "/1": .text(pages(10..<12))
            case "/2": .text(pages(12..<12))
            case "/3": .text(pages(12..<2_512))
            case "/4": .text(pages(2_512..<2_513))
            default: .text("", status: 404)
            }
        }
    }

    private static func read(
        _ site: ScriptedSite,
        _ contents: SourceContents = .documents,
        path: String = "/",
        from place: SourcePlace = .beginning
    ) async throws -> Reading {
        await Reading(try SitemapSource(site.url + path, access: .tireless()), contents, from: place)
    }

    private static let allPages = (10..<2_513).map { "https://a.example/\($0)" }

    @Test func `All sitemaps in an index are read, in order`() async throws {
        let site = try Self.site()
        let reading = try await Self.read(site)
        #expect(reading.error == nil && reading.ids == Self.allPages && reading.pages == 5)
        #expect(reading.entries[0].version == "2026-01-10")
        #expect(
            String(decoding: reading.entries[0].json ?? [], as: UTF8.self)
                == #"{"id":"https://a.example/10","url":"https://a.example/10","lastmod":"2026-01-10"}"#
        )
        #expect(site.requests.map(\.path) == ["/", "/1", "/more", "/2", "/3", "/4"])
        #expect(site.requests[2].query == ["a": "1", "b": "2"])
    }

    @Test func `Reading can resume from any position`() async throws {
        let site = try Self.site()
        let whole = try await Self.read(site, .versions)
        var count = 0
        for (place, length) in zip(whole.places, [2, 1_000, 1_000, 500, 1]) {
            count += length
            let rest = try await Self.read(site, .versions, from: place)
            #expect(rest.error == nil && rest.ids == Array(Self.allPages.dropFirst(count)))
        }
    }

    @Test(arguments: ["x", "-1", "99", "1\nhttp://elsewhere/\n0", "0\nhttp://elsewhere/\n0", "1", "1\n\n0"])
    func `A position that no longer exists is an error`(place: String) async throws {
        let site = try Self.site()
        let reading = try await Self.read(site, .versions, from: SourcePlace(rawValue: place))
        // A position in the index itself still exists.
        #expect(place == "1" ? reading.error == nil : reading.error?.code == .changed && reading.entries.isEmpty)
    }

    @Test(arguments: ["/", "/1", "/more", "/2", "/3", "/4"], 0..<4)
    func `If a sitemap fails, the whole reading fails, and can be retried later`(
        path: String,
        failure: Int
    ) async throws {
        let isBroken = Mutex(true)
        let site = try Self.site { asked in
            guard asked == path, isBroken.withLock({ $0 }) else { return nil }
            return [
                .text("", status: 500), .text("<urlset><url><loc>https://a.example/10</loc></url>"), .hangUp,
                .text("<html></html>"),
            ][failure]
        }
        let reading = try await Self.read(site)
        #expect(reading.error != nil && reading.ids == Array(Self.allPages.prefix(reading.ids.count)))
        isBroken.withLock { $0 = false }
        let rest = try await Self.read(site, from: reading.places.last ?? .beginning)
        #expect(rest.error == nil && reading.ids + rest.ids == Self.allPages)
    }

    @Test func `A reader can continue after a failure`() async throws {
        let isBroken = Mutex(true)
        let site = try Self.site { $0 == "/3" && isBroken.withLock { $0 } ? .text("", status: 403) : nil }
        let reader = try await SitemapSource(site.url, access: .tireless()).reader(of: .versions, from: .beginning)
        var ids: [String] = []
        var failures = 0
        while true {
            do {
                guard let page = try await reader.next() else { break }
                ids += page.entries.map(\.id.text)
            } catch {
                failures += 1
                if failures == 2 { isBroken.withLock { $0 = false } }
            }
        }
        #expect(failures == 2 && ids == Self.allPages)
    }

    @Test func `A truncated sitemap is always detected`() async throws {
        let text = Array(Self.pages(10..<13).utf8)
        let packed = try #require(GzipCompressor.compress(text))
        for whole in [text, packed] {
            for length in stride(from: 0, to: whole.count, by: whole.count == text.count ? 5 : 1) {
                let site = try ScriptedSite { _ in .answer(Array(whole.prefix(length))) }
                let reading = try await Self.read(site, .versions)
                #expect(reading.error?.code == .unusable && reading.entries.isEmpty, "cut at \(length)")
            }
            let site = try ScriptedSite { _ in .answer(whole) }
            #expect(try await Self.read(site, .versions).ids == Array(Self.allPages.prefix(3)))
        }
    }

    @Test(arguments: [
        "http://169.254.169.254/latest/", "https://elsewhere.example/s.xml", "ftp://a/", "/s.xml",
        "http://127.0.0.1:1/",
    ])
    func `A sitemap index can't lead to another server`(address: String) async throws {
        let site = try ScriptedSite { _ in .text(Self.index([address])) }
        let reading = try await Self.read(site)
        #expect(
            reading.error?.code == .unusable && reading.error?.message.contains("is not on http://127.0.0.1") == true
        )
        #expect(site.requests.count == 1)
    }

    @Test func `Indexes that refer to each other do not cause an endless loop`() async throws {
        let site = try ScriptedSite { request in .text(Self.index(["http://\(request.header("host") ?? "")/"])) }
        let reading = try await Self.read(site)
        #expect(reading.error?.message.contains("nested more than 3 levels deep") == true && site.requests.count == 4)
    }

    @Test(arguments: ["/", "/3"], [201, 202, 204, 206, 302, 404, 410])
    func `A sitemap that arrives incompletely is not mistaken for a short sitemap`(
        path: String,
        status: Int
    ) async throws {
        let site = try Self.site { asked in
            asked == path ? .text(Self.pages(10..<12), status: status, ["Location": "/x"]) : nil
        }
        let reading = try await Self.read(site, .versions)
        let error = try #require(reading.error)
        #expect(error.message.contains("\(status)") && reading.ids.count == (path == "/" ? 0 : 2))
        // If only part of it arrives, the source itself is reported as unusable.
        let isOfPlace = path == "/" && status > 300
        #expect((error.code == .unusable) == !isOfPlace, "\(error)")
    }

    @Test(arguments: [
        ("", true), (" xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"", true),
        (" xmlns='http://www.google.com/schemas/sitemap/0.84'", true),
        (" xmlns='https://elsewhere.example/urls'", false),
    ])
    func `A list in a different XML vocabulary is not a sitemap`(declaration: String, isSitemap: Bool) async throws {
        let site = try ScriptedSite { _ in
            .text("<urlset\(declaration)><url><loc>https://a.example/1</loc></url></urlset>")
        }
        let reading = try await Self.read(site, .versions)
        #expect(reading.error?.code == (isSitemap ? nil : .unusable) && reading.ids.count == (isSitemap ? 1 : 0))
    }

    @Test func `A page that keeps failing is reported after two seconds, and then every thirty seconds`() async throws {
        for broken in [ScriptedSite.Reply.cut(Array("<urlset>".utf8)), .text("", status: 503)] {
            let site = try Self.site { $0 == "/3" ? broken : nil }
            let remarks = Mutex<[(ContinuousClock.Instant, String)]>([])
            let clock = TirelessClock()
            var access = HTTPAccess.tireless(clock)
            access.remark = { line in remarks.withLock { $0.append((clock.now, line)) } }
            let start = clock.now
            #expect(await Reading(try SitemapSource(site.url, access: access), .versions).error?.code == .unreachable)
            let told = remarks.withLock { $0 }
            let total = start.duration(to: clock.now)
            #expect(told.count >= 2 && told.count <= Int(total / .seconds(30)) + 1, "\(told)")
            #expect(told.allSatisfy { $0.1.hasPrefix("waiting for \(site.url)/3: ") }, "\(told)")
            #expect(told.first.map { start.duration(to: $0.0) < .seconds(10) } ?? false)
            for (one, next) in zip(told, told.dropFirst()) { #expect(one.0.duration(to: next.0) >= .seconds(30)) }
        }
    }

    @Test func `Only a page's own address counts, and invalid addresses are reported`() async throws {
        let site = try ScriptedSite { _ in
            .text(
                """
                <?xml version="1.0"?>
                <s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="i">
                <s:url><s:loc> https://a.example/?a=1&amp;b=2 </s:loc><image:image><image:loc>https://x/</image:loc>
                </image:image><s:changefreq>daily</s:changefreq><s:priority>0.50</s:priority></s:url>
                <s:url><s:loc>/relative</s:loc></s:url>
                <s:url><s:lastmod>2026</s:lastmod></s:url>
                <s:url><s:loc><![CDATA[https://a.example/ü]]></s:loc><s:priority>high</s:priority></s:url>
                </s:urlset>
                """
            )
        }
        let reading = try await Self.read(site)
        #expect(reading.ids == ["https://a.example/?a=1&b=2", "https://a.example/ü"])
        #expect(reading.rejections == ["'/relative' is not a web address", "an entry without <loc>"])
        #expect(reading.entries[0].version == nil)
        #expect(
            String(decoding: reading.entries[0].json ?? [], as: UTF8.self) == #"{"id":"https://a.example/?a=1&b=2","#
                + #""url":"https://a.example/?a=1&b=2","changefreq":"daily","priority":0.5}"#
        )
    }

    @Test func `A sitemap with more entries than allowed is refused`() async throws {
        let url = "<url><loc>https://a.example/1</loc></url>"
        for (count, isAllowed) in [(50_000, true), (50_001, false)] {
            let text = "<urlset>" + String(repeating: url, count: count) + "</urlset>"
            let site = try ScriptedSite { _ in .text(text) }
            let reading = try await Self.read(site, .versions)
            #expect((reading.error == nil) == isAllowed)
            #expect(isAllowed ? reading.entries.count == count : reading.entries.isEmpty)
        }
    }

    @Test func `A compressed sitemap that is too long is not decompressed`() async throws {
        let packed = try #require(GzipCompressor.compress([UInt8](repeating: 0x20, count: 51 << 20)))
        let site = try ScriptedSite { _ in .answer(packed) }
        let reading = try await Self.read(site, .versions)
        #expect(reading.error?.message.contains("longer than a sitemap may be") == true)
    }

    @Test func `A sitemap is read from a file, but a sitemap index is not`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("sitemap.xml")
        try Data(Self.pages(10..<13).utf8).write(to: URL(filePath: path))
        let source = SitemapSource(path: path)
        #expect(source.name == "sitemap:\(path)" && source.traits.versionKey == "lastmod")
        #expect(await Reading(source, .documents).ids == Array(Self.allPages.prefix(3)))
        try Data(Self.index(["https://a.example/1"]).utf8).write(to: URL(filePath: path))
        #expect(await Reading(source, .documents).error?.code == .unsupported)
        #expect(await Reading(SitemapSource(path: path + "x"), .documents).error?.code == .missing)
    }
}

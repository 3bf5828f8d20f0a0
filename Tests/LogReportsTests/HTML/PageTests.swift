import Digests
import Foundation
import LogDiagnosis
import LogReports
import TestSupport
import Testing
import TextKit
import ULSLog

@testable import ReportKit

/// A page is one file that runs nothing, stays within its size limit, and shows the same to every reader.
struct PageTests {
    private static let elements: Set<String> = [
        "a", "bdi", "body", "caption", "code", "dd", "desc", "details", "div", "dl", "dt", "fieldset", "figcaption",
        "figure",
        "footer", "g", "h1", "h2", "h3", "h4", "head", "header", "html", "input", "label", "legend", "li", "line",
        "link",
        "main", "meta", "nav", "ol", "p", "pre", "rect", "section", "span", "strong", "style", "summary", "svg",
        "table",
        "tbody", "td", "text", "th", "thead", "title", "tr", "ul",
    ]

    private static let attributes: Set<String> = [
        "aria-hidden", "aria-label", "aria-labelledby", "charset", "checked", "class", "content", "fill", "font-size",
        "for",
        "height", "href", "http-equiv", "id", "lang", "name", "rel", "role", "scope", "stroke", "tabindex",
        "text-anchor",
        "type", "width", "x", "x1", "x2", "y", "y1", "y2",
    ]

    private static let pages: [(name: String, page: @Sendable ([String]) throws -> String)] = [
        ("diagnosis", { PageFixtures.page(of: try PageFixtures.diagnosis($0)) }), ("trace", { PageFixtures.trace($0) }),
        ("summary", { PageFixtures.summary($0) }), ("slow", { PageFixtures.slow($0) }),
    ]

    @Test func `The collection has more than two hundred hostile texts`() {
        #expect(Set(HostileMarkup.all).count > 200)
    }

    @Test(arguments: ["diagnosis", "trace", "summary", "slow"])
    func `Hostile text never becomes an element, an attribute or a link`(name: String) throws {
        let make = try #require(Self.pages.first { $0.name == name }).page
        let title = try pageTitle(make(["harmless"]))
        for chunk in stride(from: 0, to: HostileMarkup.all.count, by: 12) {
            let texts = Array(HostileMarkup.all[chunk..<min(chunk + 12, HostileMarkup.all.count)])
            let page = try make(texts)
            let reading = PageReading(page)
            try #require(reading.problem == nil, "\(reading.problem ?? ""): \(texts)")
            #expect(try pageTitle(page) == title)
            for element in reading.elements {
                #expect(Self.elements.contains(element.name), "\(element.name): \(texts)")
                let names = Set(element.attributes.keys)
                #expect(names.isSubset(of: Self.attributes), "\(element.name) \(names): \(texts)")
                if let address = element.attributes["href"] {
                    #expect(address.hasPrefix("#") || address == "data:," || WebAddress.isPlain(address), "\(address)")
                }
            }
        }
    }

    @Test(arguments: ["diagnosis", "trace", "summary", "slow"])
    func `Headings, tables, charts and links have an accessible structure`(name: String) throws {
        let make = try #require(Self.pages.first { $0.name == name }).page
        let reading = PageReading(try make(["one", "two"]))
        #expect(reading.problem == nil)
        let html = try #require(reading.elements.first)
        #expect(html.attributes["lang"] == "en")
        #expect(reading.all("h1").count == 1)
        // No heading skips a level.
        var level = 1
        for element in reading.elements where ["h1", "h2", "h3", "h4"].contains(element.name) {
            let next = Int(element.name.dropFirst()) ?? 0
            #expect(next <= level + 1)
            level = next
        }
        for table in reading.all("table") {
            let children = reading.children(of: table)
            #expect(children.first?.name == "caption")
            #expect(children.map(\.name).contains("thead"))
        }
        #expect(reading.elements.filter { $0.name == "th" }.allSatisfy { $0.attributes["scope"] == "col" })
        let pictures = reading.all("svg").filter { reading.elements[$0].attributes["role"] == "img" }
        for picture in pictures {
            #expect(reading.children(of: picture).prefix(2).map(\.name) == ["title", "desc"])
        }
        for figure in reading.all("figure") {
            let children = reading.children(of: figure).map(\.name)
            #expect(children.contains("figcaption") && children.contains("details"))
        }
        let ids = reading.elements.compactMap { $0.attributes["id"] }
        #expect(Set(ids).count == ids.count)
        for element in reading.elements {
            if let link = element.attributes["href"], link.hasPrefix("#") {
                #expect(ids.contains(String(link.dropFirst())))
            }
            if let input = element.attributes["for"] { #expect(ids.contains(input)) }
            for name in element.attributes["aria-labelledby"]?.split(separator: " ") ?? [] {
                #expect(ids.contains(String(name)))
            }
        }
    }

    @Test func `The content security policy allows only the page's own style and data images`() throws {
        let page = PageFixtures.page(of: try PageFixtures.diagnosis(["x"]))
        let style = try #require(page.firstMatch(of: /<style>([^<]*)<\/style>/)).1
        var digest = SHA256()
        let hash = Data(digest.digest(of: Array(style.utf8)).bytes).base64EncodedString()
        let reading = PageReading(page)
        let head = try #require(reading.all("head").first)
        let policy = try #require(reading.children(of: head).first?.attributes["content"])
        #expect(
            policy
                == "default-src 'none'; style-src 'sha256-\(hash)'; img-src data:; base-uri 'none'; form-action 'none'"
        )
    }

    @Test func `A page stays within its size limit, and states how much it leaves out`() throws {
        let texts = (0..<400).map { "\($0) " + String(repeating: "<\u{202E}", count: 2000) }
        for (name, make) in Self.pages {
            let page = try make(texts)
            #expect(page.utf8.count <= HTMLDocument.maximumBytes, "\(name): \(page.utf8.count)")
            #expect(PageReading(page).problem == nil)
            #expect(page.contains(/and [0-9,]+ more (finding|row|kind|event|name)s/), "\(name)")
        }
    }

    @Test func `A link leads to an existing section, and is plain text if that section was omitted`() throws {
        let texts = (0..<200).map { "\($0) " + String(repeating: "W", count: 2000) }
        let reading = PageReading(PageFixtures.page(of: try PageFixtures.diagnosis(texts)))
        try #require(reading.problem == nil)
        let cards = reading.elements.filter { $0.attributes["class"]?.hasPrefix("card ") ?? false }
        let targets = Set(reading.all("a").compactMap { reading.elements[$0].attributes["href"] }).filter {
            $0.hasPrefix("#finding-") || $0.hasPrefix("#kind-")
        }
        #expect(targets.isSubset(of: cards.compactMap { $0.attributes["id"].map { "#" + $0 } }))
        // The overview names more findings than there are cards.
        #expect(targets.count > 10)
        let overview = try #require(reading.elements.firstIndex { $0.attributes["class"] == "overview" })
        let named = reading.children(of: overview).count
        #expect(named > targets.filter { $0.hasPrefix("#finding-") }.count)
    }

    @Test(arguments: ["summary", "slow"])
    func `A correlation ID is shown in full, on one line`(name: String) throws {
        let page = try #require(Self.pages.first { $0.name == name }).page(["x"])
        #expect(page.contains("<td><code><bdi>9446a0f0-1577-472e-a8af-a552b1b4cc39</bdi></code></td>"))
        let cell = try #require(HTMLStyle.sheet.firstMatch(of: /\n *td \{ ([^}]*) \}\n *td\.wide/)).1
        #expect(cell == "white-space: nowrap;")
    }

    @Test(arguments: ["summary", "slow", "trace", "diagnosis"])
    func `Clickable elements are labeled controls, and scrollable elements can be focused`(name: String) throws {
        let make = try #require(Self.pages.first { $0.name == name }).page
        let reading = PageReading(try make(["one", "two"]))
        let labels = Set(reading.all("label").compactMap { reading.elements[$0].attributes["for"] })
        let inputs = reading.all("input").map { reading.elements[$0].attributes }
        #expect(!inputs.isEmpty)
        for input in inputs {
            #expect(["radio", "checkbox"].contains(input["type"]))
            #expect(labels.contains(try #require(input["id"])))
        }
        for group in Set(inputs.filter { $0["type"] == "radio" }.compactMap { $0["name"] }) {
            #expect(inputs.filter { $0["name"] == group && $0["checked"] != nil }.count == 1)
        }
        let scrolled = reading.elements.filter { $0.attributes["class"] == "scroll" }
        #expect(!scrolled.isEmpty && scrolled.allSatisfy { $0.attributes["tabindex"] == "0" })
    }

    @Test func `Sorting by number puts the greatest first, and keeps the order of equal values`() {
        var table = HTMLTable("Names", [.init(title: "Name")])
        for name in ["a", "b", "c", "d"] { table.append([.phrase("\(name)")]) }
        table.order("size", by: [1, 3, 1, 2])
        #expect(table.orders.map(\.rows) == [[1, 3, 0, 2]])
        table.order("too few", by: [1])
        #expect(table.orders.count == 1)
    }

    @Test func `Omitted rows are counted exactly`() {
        var document = HTMLDocument(title: "Counts") { _ in }
        document.section("rows", "Rows") { page in
            var table = HTMLTable("Numbers", [.init(title: "Number")])
            for number in 0..<10_000 { table.append([.phrase("number \(number)")]) }
            page.table(table)
        }
        var bytes: [UInt8] = []
        document.append(to: &bytes, maximum: 230_000)
        let page = String(decoding: bytes, as: UTF8.self)
        let shown = page.matches(of: /<td>number/).count
        #expect(shown > 100 && shown < 10_000)
        #expect(page.contains("and \(Quantity(grouped: 10_000 - shown)) more rows"))
        #expect(bytes.count <= 230_000)
    }

    @Test func `The same report produces the same page`() throws {
        let report = try PageFixtures.diagnosis(["a", "b"])
        var options = DiagnosisFixtures.options
        var pages: Set<[UInt8]> = []
        for second in 0..<3 {
            options.startedAt = .seconds(1_700_000_000 + second)
            options.duration = .seconds(second)
            options.host = "host\(second)"
            options.token = "token\(second)"
            var bytes: [UInt8] = []
            DiagnosisRenderer(report, options).append(as: .html, to: &bytes)
            pages.insert(bytes)
        }
        #expect(pages.count == 1)
    }

    @Test func `The first sentence is the verdict`() throws {
        func verdict(_ report: DiagnosisReport) throws -> String {
            String(
                try #require(
                    PageFixtures.page(of: report).firstMatch(of: /<p class="verdict [a-z]+"><strong>(.*?)<\/strong>/)
                ).1
            )
        }
        #expect(try verdict(PageFixtures.diagnosis(["x"])) == "Something is broken: 2 errors.")
        #expect(
            try verdict(DiagnosisFixtures.clusters())
                == "No known failure was found, but 1 kind of row shows a problem that no rule explains."
        )
        var report = DiagnosisReport()
        report.logs = DiagnosisFixtures.logs
        #expect(try verdict(report) == "Nothing could be evaluated.")
        report.passed = [try DiagnosisFixtures.rule("FS0401")]
        #expect(try verdict(report) == "No known failure was found.")
    }

    @Test func `The numbers below a chart match the chart`() throws {
        let page = PageFixtures.page(of: try PageFixtures.diagnosis(["WFE1", "WFE2"]))
        // 2 servers, 30 minutes, 3 rows per minute, and one problem.
        #expect(page.contains("181 rows, at most 7 in 30 s (from 10:56:30 on)"))
        #expect(page.contains("1 problem, at most 1 in 30 s (from 10:56:30 on)"))
        #expect(page.contains("<li><svg class=\"swatch\""))
    }

    private func pageTitle(_ page: String) throws -> Substring {
        try #require(page.firstMatch(of: /<title>(.*?)<\/title>/)).1
    }
}

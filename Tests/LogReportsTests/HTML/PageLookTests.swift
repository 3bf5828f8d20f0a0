import Foundation
import LogDiagnosis
import TestSupport
import Testing

@testable import ReportKit

private let pagePython = ProcessInfo.processInfo.environment["FASTCTL_PAGE_PYTHON"]

/// Pages in a real browser: light, dark, narrow and printed, checked by axe, and with hostile content.
///
/// They run if `FASTCTL_PAGE_PYTHON` names a Python with selenium and axe-core-python in addition to Debian's chromium
/// and chromium-driver; `make pages` sets that up. If `FASTCTL_PAGE_SHOTS` names a folder, screenshots are written into
/// it.
@Suite(.enabled(if: pagePython != nil, "FASTCTL_PAGE_PYTHON is not set: make pages"), .serialized)
struct PageLookTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized

    private let folder = FileManager.default.temporaryDirectory.appending(path: "pages-\(UUID())")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    @Test func `Pages about a farm are readable, and no page loads external resources`() throws {
        try farm().write(to: folder.appending(path: "farm.log"), atomically: true, encoding: .utf8)
        let samples = Self.root.appending(path: "Samples/owssvr-aspnet-tracing").path
        var pages = ["diagnosis.html", "healthy.html", "summary.html", "slow.html", "trace.html", "absent.html"]
        try fastctl(
            "diagnose",
            "\(samples)/TEST-SP-20110926-1039.log",
            "--web-config",
            "\(samples)/tracing-on",
            "--web-config",
            "WFE2=\(samples)/tracing-off",
            "farm.log",
            "-o",
            "html=diagnosis.html"
        )
        try fastctl("diagnose", "farm.log", "--until", "2024-03-11 10:04", "-o", "html=healthy.html")
        try fastctl("logs", "summary", "farm.log", "-o", "html", to: "summary.html")
        try fastctl("logs", "slow", "farm.log", "-o", "html", to: "slow.html")
        try fastctl("logs", "trace", "4a5d0c9e", "farm.log", "-o", "html", to: "trace.html")
        try fastctl("logs", "trace", "11111111", "farm.log", "-o", "html", to: "absent.html")
        if let sample = ProcessInfo.processInfo.environment["FASTCTL_SAMPLES"] {
            let log = "\(sample)/003-tx-office-web-apps-sp2013-preview.log"
            try fastctl("diagnose", log, "-o", "html=sample.html")
            try fastctl("logs", "trace", "3cd81d9b", log, "-o", "html", to: "sample-trace.html")
            pages += ["sample.html", "sample-trace.html"]
        }
        try look(at: pages)
    }

    @Test func `Hostile text in any field of a report has no effect`() throws {
        var pages: [String] = []
        // Every finding has all fields; a few dozen fit into the budget of one page.
        for start in stride(from: 0, to: HostileMarkup.all.count, by: 60) {
            let texts = Array(HostileMarkup.all[start..<min(start + 60, HostileMarkup.all.count)])
            let page = "hostile-\(start).html"
            try PageFixtures.page(of: try PageFixtures.diagnosis(texts))
                .write(to: folder.appending(path: page), atomically: true, encoding: .utf8)
            pages.append(page)
        }
        try PageFixtures.trace(HostileMarkup.all)
            .write(to: folder.appending(path: "hostile-trace.html"), atomically: true, encoding: .utf8)
        try PageFixtures.summary(HostileMarkup.all)
            .write(to: folder.appending(path: "hostile-summary.html"), atomically: true, encoding: .utf8)
        try look(at: pages + ["hostile-trace.html", "hostile-summary.html"], axe: "light")
    }

    @Test func `Hostile text in log columns, file names and web.config has no effect`() throws {
        let texts = HostileMarkup.all.filter { !$0.isEmpty && !$0.contains { "\t\r\n\0".contains($0) } }
        var names: [String] = []
        for (number, text) in texts.filter({ $0.utf8.count < 200 && !$0.contains("/") }).prefix(20).enumerated() {
            let name = "\(text)\(number)-20240311-1003.log"
            let part = texts.enumerated().filter { $0.offset % 20 == number }.map(\.element)
            try (Self.header + part.map(hostileRow).joined())
                .write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
            names.append("./" + name)
        }
        #expect(names.count == 20)
        var config = "<configuration>"
        for text in texts.prefix(200) {
            let value = escaped(text)
            config += "<location path=\"\(value)\"><system.web><customErrors mode=\"\(value)\"/>"
            config += "<trace enabled=\"true\" pageOutput=\"\(value)\"/></system.web></location>"
        }
        try (config + "</configuration>").write(
            to: folder.appending(path: "web.config"),
            atomically: true,
            encoding: .utf8
        )
        try fastctl(["diagnose", "--web-config", "web.config", "-o", "html=attacked-diagnosis.html"] + names)
        try fastctl(["logs", "summary", "--top", "1000", "-o", "html"] + names, to: "attacked-summary.html")
        try fastctl(["logs", "slow", "--top", "1000", "-o", "html"] + names, to: "attacked-slow.html")
        try fastctl(["logs", "trace", "4a5d0c9e", "-o", "html"] + names, to: "attacked-trace.html")
        try look(
            at: ["attacked-diagnosis.html", "attacked-summary.html", "attacked-slow.html", "attacked-trace.html"],
            axe: "light"
        )
    }

    @Test func `The browser detects an unsafe page`() throws {
        // Otherwise the tests above could not fail.
        let page = PageFixtures.page(of: try PageFixtures.diagnosis(["x"]))
        let open = page.replacing(/<meta http-equiv[^>]*>/, with: "")
        let attacks: [(name: String, page: String, failures: [String])] = [
            (
                "runs",
                open.replacing("</main>", with: "<script>window.hit=1;document.title='x'</script></main>"),
                ["something ran", "the title is 'x'", "there is <script>", "the policy does not come first"]
            ),
            (
                "asks", open.replacing("</main>", with: "<p><b><img src=/hit></b></p></main>"),
                ["there is <img>", "requested http", "requested /hit"]
            ),
            (
                "refused",
                page.replacing("</main>", with: "<script>window.hit=1</script></main>")
                    .replacing(" lang=\"en\"", with: "")
                    .replacing(/<a class="skip"[^>]*>[^<]*<\/a>/, with: ""),
                ["the browser says", "axe: html-has-lang", "the first stop of the keyboard is"]
            ),
            ("restyled", page.replacing("</style>", with: " </style>"), ["the style is not applied"]),
            (
                "unreadable",
                open.replacing("--soft: #50575f", with: "--soft: #aaaaaa")
                    .replacing("outline: 3px solid", with: "outline: 0 solid")
                    .replacing("details::details-content { content-visibility: visible; block-size: auto; }", with: "")
                    .replacing("max-width: 76rem", with: "max-width: 76rem; min-width: 30rem"),
                ["axe: color-contrast", "has no outline", "folded parts are not printed", "wider than the screen"]
            ),
        ]
        defer { try? FileManager.default.removeItem(at: folder) }
        for attack in attacks {
            try attack.page.write(to: folder.appending(path: "\(attack.name).html"), atomically: true, encoding: .utf8)
        }
        let result = try run(try python(), [script] + attacks.map { "\($0.name).html" })
        #expect(result.status == 1)
        // The output for each page consists of the lines up to the next name.
        let reports = result.output.split(separator: /(?m)^(?=\w+\.html: )/)
        for attack in attacks {
            let report = try #require(reports.first { $0.hasPrefix("\(attack.name).html: ") }, "\(result.output)")
            for failure in attack.failures { #expect(report.contains(failure), "\(report)") }
        }
    }

    // MARK: Logs

    private static let header =
        "Timestamp              \tProcess                                 \tTID   \tArea                          \t"
        + "Category                      \tEventID\tLevel     \tMessage \tCorrelation\r\n"

    /// Rows with a text in every column, one that begins a scope, one that ends it, and one that is a problem.
    private func hostileRow(_ text: String) -> String {
        let time = "03/11/2024 10:03:0\(text.utf8.count % 10).10"
        let request = "4a5d0c9e-1577-472e-a8af-a552b1b4cc39"
        let rows = [
            [time, text, text, text, text, text, "Unexpected", "System.InvalidOperationException: \(text)", request],
            [time, "w3wp.exe (0x1)", "0x1", text, text, text, text, text, request],
            [time, "w3wp.exe (0x1)", "0x1", "a", "b", "nasq", "Medium", "Entering monitored scope (\(text))", request],
            [
                time, "w3wp.exe (0x1)", "0x1", "a", "b", "b4ly", "Medium",
                "Leaving Monitored Scope (\(text)). Execution Time=5.2", request,
            ],
            [
                time, "w3wp.exe (0x1)", "0x1", "a", "b", "xmnv", "Medium", "Name=Request (GET:http://x/\(text))",
                request,
            ],
            [
                time, "w3wp.exe (0x1)", "0x1", "a", "b", "8nca", "High",
                "Application error when access /\(text), Error=\(text)", text,
            ],
        ]
        return rows.map { $0.joined(separator: "\t") + "\r\n" }.joined()
    }

    /// Two servers, a request that involves both, a pause, and a problem.
    private func farm() -> String {
        let request = "4a5d0c9e-1577-472e-a8af-a552b1b4cc39"
        func row(_ time: String, _ server: String, _ event: String, _ level: String, _ message: String) -> String {
            [
                "03/11/2024 \(time)", "w3wp.exe (\(server):0x1790)", "0x0EB8", "SharePoint Foundation", "General",
                event, level,
                message, request,
            ].joined(separator: "\t") + "\r\n"
        }
        var rows = [
            row(
                "10:03:00.10",
                "WFE1",
                "nasq",
                "Medium",
                "Entering monitored scope (Request (GET:http://portal/default.aspx))"
            )
        ]
        for second in 10..<50 {
            rows.append(
                row(
                    "10:03:\(second).20",
                    second % 3 == 0 ? "WFE2" : "WFE1",
                    "8e26",
                    second % 7 == 0 ? "High" : "Medium",
                    "A row of second \(second)"
                )
            )
        }
        rows += [
            row(
                "10:04:01.30",
                "WFE2",
                "tkau",
                "Unexpected",
                "System.NullReferenceException: Object reference not set to an instance of an object.\n   at Contoso.Portal.Widget.Render(HtmlTextWriter writer)"
            ),
            row("10:04:01.40", "WFE1", "nasq", "Medium", "Entering monitored scope (Render Page)"),
            row(
                "10:04:03.40",
                "WFE1",
                "b4ly",
                "Medium",
                "Leaving Monitored Scope (Render Page). Execution Time=2000.5"
            ),
            row(
                "10:04:04.70",
                "WFE1",
                "b4ly",
                "Medium",
                "Leaving Monitored Scope (Request (GET:http://portal/default.aspx)). Execution Time=64600.25"
            ),
        ]
        return Self.header + rows.joined()
    }

    private func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.append(xml: text, inAttribute: true)
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Running

    private var script: String { Self.root.appending(path: "Scripts/check-pages").path }

    private func python() throws -> String { try #require(pagePython) }

    // Hostile text has the same elements and colors as any other, so axe looks at it in one view only.
    private func look(at pages: [String], axe: String? = nil) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let shots = ProcessInfo.processInfo.environment["FASTCTL_PAGE_SHOTS"].map { ["--shots", $0] } ?? []
        let view = axe.map { ["--axe", $0] } ?? []
        let result = try run(try python(), [script] + shots + view + pages)
        #expect(result.status == 0, "\(result.output)")
        for page in pages { #expect(result.output.contains("\(page): fine")) }
    }

    private func fastctl(_ words: String..., to file: String? = nil) throws { try fastctl(words, to: file) }

    private func fastctl(_ words: [String], to file: String? = nil) throws {
        let result = try run(try #require(ChildProgram.fastctl).path, words)
        // A finding is not a failure of the command, nor is a log that is not understood.
        #expect([0, 1, 65].contains(result.status), "\(words): \(result.output.suffix(2000))")
        if let file { try result.output.write(to: folder.appending(path: file), atomically: true, encoding: .utf8) }
    }

    private func run(_ program: String, _ words: [String]) throws -> (status: Int32, output: String) {
        let end = try ChildProgram.run(program, words, in: folder.path)
        return (end.status, end.output + (program.hasSuffix("fastctl") ? "" : end.errors))
    }
}

import Digests
import TextKit

/// A report as one self-contained page: no script, no request, and the same bytes for the same content.
///
/// ```swift
/// var page = HTMLDocument(title: "Requests of 11 March 2024") { $0.paragraph("…") }
/// page.section("slow", "Slowest requests") { $0.table(table) }
/// page.append(to: &bytes)
/// ```
///
/// A page is at most ``maximumBytes`` long: each section has a share of the space, and any unused space is available to
/// the sections that follow. Lists and tables end where the share of their section ends, and show how many items are
/// missing.
package struct HTMLDocument {
    private struct Section {
        var identifier: String
        var title: String
        var share: Int
        var content: (inout HTMLWriter) -> Void
    }

    /// The title, which must not contain untrusted text, because such text cannot be marked there.
    private let title: String
    private let head: (inout HTMLWriter) -> Void
    private var sections: [Section] = []

    /// The maximum number of bytes of a page.
    package static let maximumBytes = 2_000_000
    /// The number of bytes reserved for content outside lists.
    private static let reserve = 200_000

    /// Creates a page with the content below its title.
    package init(title: String, head: @escaping (inout HTMLWriter) -> Void) {
        self.title = title
        self.head = head
    }

    /// Adds a section with an anchor and a heading; `share` is its weight when the space is limited.
    package mutating func section(
        _ identifier: String,
        _ title: String,
        share: Int = 1,
        _ content: @escaping (inout HTMLWriter) -> Void
    ) {
        sections.append(Section(identifier: identifier, title: title, share: share, content: content))
    }

    package func append(to bytes: inout [UInt8], maximum: Int = maximumBytes) {
        var page = HTMLWriter()
        page.verbatim("<!DOCTYPE html>\n")
        page.element("html", ["lang": "en"]) { page in
            writeHead(to: &page)
            page.lineEnd()
            page.element("body") { page in
                page.element("a", ["class": "skip", "href": "#report"]) { $0.text("Skip to the report") }
                page.lineEnd()
                writeHeader(to: &page)
                page.element("main", ["id": "report", "tabindex": "-1"]) { page in
                    page.lineEnd()
                    writeSections(to: &page, maximum: maximum)
                }
                page.lineEnd()
                page.element("footer") { page in
                    page.element("p") { page in
                        page.text("Created by fastctl. This file needs no network access and contains no scripts.")
                    }
                }
                page.lineEnd()
            }
        }
        page.lineEnd()
        page.removeDeadLinks()
        bytes.append(contentsOf: page.bytes)
    }

    /// Writes the head; the policy comes first, because it applies only to the content after it.
    private func writeHead(to page: inout HTMLWriter) {
        page.element("head") { page in
            page.element("meta", ["http-equiv": "Content-Security-Policy", "content": HTMLStyle.policy])
            page.element("meta", ["charset": "utf-8"])
            page.element("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
            page.element("meta", ["name": "color-scheme", "content": "light dark"])
            page.element("meta", ["name": "referrer", "content": "no-referrer"])
            // Without this element, browsers request an icon from the server.
            page.element("link", ["rel": "icon", "href": "data:,"])
            page.element("title") { $0.text(title) }
            page.element("style") { $0.verbatim(HTMLStyle.sheet) }
        }
    }

    private func writeHeader(to page: inout HTMLWriter) {
        page.element("header") { page in
            page.element("h1") { $0.text(title) }
            page.lineEnd()
            head(&page)
        }
        page.lineEnd()
        guard sections.count > 1 else { return }
        page.element("nav", ["aria-label": "Contents"]) { page in
            page.element("ul") { page in
                for section in sections {
                    page.element("li") { page in page.link(to: section.identifier) { $0.text(section.title) } }
                }
            }
        }
        page.lineEnd()
    }

    private func writeSections(to page: inout HTMLWriter, maximum: Int) {
        let last = max(0, maximum - Self.reserve)
        var shares = sections.reduce(0) { $0 + $1.share }
        for section in sections {
            let room = max(0, last - page.bytes.count)
            page.end = page.bytes.count + room * section.share / max(1, shares)
            shares -= section.share
            page.section(section.identifier) {
                $0.text(section.title)
            } _: {
                section.content(&$0)
            }
        }
        page.end = .max
    }
}

extension HTMLStyle {
    /// The policy for browsers, which allows this style and nothing else.
    package static let policy: String = {
        var digest = SHA256()
        let hash = Base64.text(digest.digest(of: sheet.utf8).bytes)
        return "default-src 'none'; style-src 'sha256-\(hash)'; img-src data:; base-uri 'none'; form-action 'none'"
    }()
}

/// The style of all pages.
///
/// Its hash is in the page's policy, so it is written unchanged.
enum HTMLStyle {
    static let sheet = """

        :root { color-scheme: light dark; --paper: #fff; --panel: #f5f6f8; --ink: #1b1f24; --soft: #50575f;
          --line: #c9ced6; --link: #0b57a4; --bad: #a81e14; --warn: #7d4e00; --note: #14597a; --good: #1a6334;
          --bad-panel: #fdeceb; --warn-panel: #fdf3e0; --note-panel: #e6f2f8; --good-panel: #e7f5ec;
          --f1: #6f0d0d; --f2: #c0392b; --f3: #c77700; --f4: #2e6fb7; --f6: #5f8a6b; --f8: #80858f; }
        @media (prefers-color-scheme: dark) { :root { --paper: #15181c; --panel: #1f242a; --ink: #e6e9ed;
          --soft: #a9b2bd; --line: #3d454f; --link: #8ec1ff; --bad: #ff9d94; --warn: #f2c063; --note: #8ccfee;
          --good: #8bd9a5; --bad-panel: #3a1d1b; --warn-panel: #372a12; --note-panel: #15303d; --good-panel: #15321f;
          --f1: #ff8f86; --f2: #e25a4c; --f3: #e0a03c; --f4: #6ba6e8; --f6: #7fb08d; --f8: #8d94a0; } }
        * { box-sizing: border-box; }
        html { background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, "Segoe UI", "Liberation Sans",
          sans-serif; scroll-padding-top: 1rem; }
        body { max-width: 76rem; margin: 0 auto; padding: 1rem 1.25rem 3rem; overflow-wrap: anywhere; }
        h1 { font-size: 1.6rem; line-height: 1.25; margin: .5rem 0; }
        h2 { font-size: 1.25rem; margin: 2.25rem 0 .5rem; padding-top: .75rem; border-top: 1px solid var(--line); }
        h3 { font-size: 1.05rem; margin: 0 0 .5rem; }
        section > section { margin-top: 1.75rem; }
        h4 { font-size: 1rem; margin: 0 0 .5rem; }
        p { margin: .5rem 0; max-width: 60rem; }
        a { color: var(--link); }
        a:focus-visible, summary:focus-visible, input:focus-visible, .scroll:focus-visible, main:focus-visible {
          outline: 3px solid var(--link); outline-offset: 2px; }
        .skip { position: absolute; left: -100rem; }
        .skip:focus { position: static; }
        nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; margin: 1rem 0 0; padding: 0; }
        .verdict { font-size: 1.15rem; padding: .75rem 1rem; border-left: .4rem solid var(--line);
          background: var(--panel); }
        .verdict.critical, .verdict.error { border-color: var(--bad); background: var(--bad-panel); }
        .verdict.warning { border-color: var(--warn); background: var(--warn-panel); }
        .verdict.info { border-color: var(--note); background: var(--note-panel); }
        .verdict.good { border-color: var(--good); background: var(--good-panel); }
        .remark, .rest, .cut, .address { color: var(--soft); font-size: .875rem; }
        .bad { color: var(--bad); font-weight: 600; }
        .warn { color: var(--warn); font-weight: 600; }
        .note { color: var(--note); }
        .severity { display: inline-block; padding: 0 .5rem; border-radius: .25rem; font-size: .8125rem; font-weight: 700;
          text-transform: uppercase; color: var(--note); background: var(--note-panel); border: 1px solid currentColor; }
        .severity.critical, .severity.error { color: var(--bad); background: var(--bad-panel); }
        .severity.warning { color: var(--warn); background: var(--warn-panel); }
        .overview li, .steps > li { margin: .5rem 0; padding-left: .25rem; }
        .card { margin: 1rem 0; padding: .75rem 1rem; border: 1px solid var(--line); border-left: .4rem solid var(--note);
          border-radius: .25rem; }
        .card.critical, .card.error { border-left-color: var(--bad); }
        .card.warning { border-left-color: var(--warn); }
        .facts { margin: .5rem 0; }
        .facts > div { display: grid; grid-template-columns: 11.5rem minmax(0, 1fr); gap: 0 .75rem; }
        .facts dt { color: var(--soft); }
        .facts dd { grid-column: 2; margin: 0; }
        .checks { margin: .25rem 0 .75rem; padding-left: 1.25rem; }
        .evidence { margin: .5rem 0; }
        .evidence p { margin: 0; }
        code, pre { font: .875rem/1.45 ui-monospace, "Cascadia Mono", "Liberation Mono", monospace; }
        pre { margin: .125rem 0 .75rem; padding: .5rem .75rem; background: var(--panel); white-space: pre-wrap; }
        details { margin: .5rem 0; }
        summary { cursor: pointer; color: var(--link); }
        .scroll { overflow-x: auto; margin: .75rem 0; }
        table { border-collapse: collapse; min-width: min(20rem, 100%); font-size: .875rem; overflow-wrap: normal; }
        caption { text-align: left; font-weight: 600; padding: .25rem 0; }
        th { text-align: left; font-size: .8125rem; color: var(--soft); border-bottom: 2px solid var(--line);
          vertical-align: bottom; }
        th, td { padding: .25rem .75rem .25rem 0; }
        th.number, td.number { padding-right: 1.25rem; }
        td { border-bottom: 1px solid var(--line); vertical-align: top; }
        td p { margin: 0; }
        td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
        td { white-space: nowrap; }
        td.wide { white-space: normal; min-width: 16rem; overflow-wrap: anywhere; }
        td.place { white-space: normal; min-width: 14rem; overflow-wrap: anywhere; }
        .lists { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(18rem, 100%), 1fr)); gap: 0 2rem; }
        .lists > * { min-width: 0; }
        td.when { width: 30%; min-width: 8rem; }
        tr.first { background: var(--bad-panel); }
        tr.differs { background: var(--warn-panel); }
        .message { white-space: pre-wrap; }
        td details { margin: .125rem 0; }
        .scope { font-weight: 600; }
        .d1 { padding-left: 1rem; } .d2 { padding-left: 2rem; } .d3 { padding-left: 3rem; } .d4 { padding-left: 4rem; }
        .d5 { padding-left: 5rem; } .d6 { padding-left: 6rem; } .d7 { padding-left: 7rem; } .d8 { padding-left: 8rem; }
        .d9 { padding-left: 9rem; } .d10 { padding-left: 10rem; } .d11 { padding-left: 11rem; }
        .d12 { padding-left: 12rem; }
        .chart { margin: 1rem 0 1.5rem; }
        figcaption { font-weight: 600; }
        .plot { display: flex; gap: .5rem; margin-top: .25rem; }
        .scale { min-width: 3.25rem; display: flex; flex-direction: column; justify-content: space-between; text-align: right;
          padding: .75rem 0 .9rem; font-size: .8125rem; color: var(--soft); font-variant-numeric: tabular-nums; }
        .area { flex: 1; min-width: 0; }
        .bars { display: block; width: 100%; height: 9rem; border-bottom: 1px solid var(--soft); }
        .axis { display: block; overflow: visible; }
        .axis text { fill: var(--soft); font-variant-numeric: tabular-nums; }
        .legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; margin: .5rem 0; padding: 0;
          font-size: .875rem; }
        .marks { font-size: .875rem; }
        .f1 { fill: var(--f1); } .f2 { fill: var(--f2); } .f3 { fill: var(--f3); } .f4, .f5 { fill: var(--f4); }
        .f6, .f7 { fill: var(--f6); } .f8, .f9 { fill: var(--f8); }
        rect { stroke: var(--paper); stroke-width: .5; }
        line.mark { stroke: var(--ink); stroke-dasharray: 3 3; }
        text.mark { fill: var(--ink); font-weight: 700; }
        .filter { border: 1px solid var(--line); border-radius: .25rem; display: flex; flex-wrap: wrap;
          gap: .25rem 1.25rem; margin: 1rem 0; padding: .5rem .75rem; }
        .filter legend, .orders > .label { color: var(--soft); font-size: .875rem; }
        .orders { margin: .75rem 0; }
        .orders > .label { margin-right: .5rem; }
        .orders > label { margin: 0 1rem 0 .375rem; font-size: .875rem; }
        .filter label { margin-left: .375rem; }
        .order { display: none; }
        .orders > input.o1:checked ~ .order.o1, .orders > input.o2:checked ~ .order.o2,
        .orders > input.o3:checked ~ .order.o3, .orders > input.o4:checked ~ .order.o4,
        .orders > input.o5:checked ~ .order.o5 { display: block; }
        body:has(#show-l1:not(:checked)) tr.l1, body:has(#show-l2:not(:checked)) tr.l2,
        body:has(#show-l3:not(:checked)) tr.l3, body:has(#show-l4:not(:checked)) tr.l4,
        body:has(#show-l5:not(:checked)) tr.l5, body:has(#show-l6:not(:checked)) tr.l6,
        body:has(#show-l7:not(:checked)) tr.l7, body:has(#show-l8:not(:checked)) tr.l8,
        body:has(#show-l9:not(:checked)) tr.l9 { display: none; }
        footer { margin-top: 3rem; color: var(--soft); font-size: .875rem; }
        @media (max-width: 62rem) { .axis .minor { display: none; } }
        @media (max-width: 40rem) {
          body { padding: .75rem .75rem 2rem; }
          .facts > div { display: block; margin-bottom: .5rem; }
          .overview, .steps { padding-left: 1.25rem; }
          .bars { height: 7rem; }
          .scale { min-width: 2rem; }
          .axis text { font-size: 11px; }
          .orders > label::after { content: "\\A"; white-space: pre; }
          table.levels, .levels caption, .levels tbody { display: block; }
          .levels thead { position: absolute; clip-path: inset(50%); }
          .levels tr { display: flex; flex-wrap: wrap; gap: 0 .75rem; padding: .375rem .25rem;
            border-bottom: 1px solid var(--line); }
          .levels td { padding: 0; border: 0; }
          .levels td.wide { flex: 1 0 100%; min-width: 0; }
          .d1 { padding-left: .25rem; } .d2 { padding-left: .5rem; } .d3 { padding-left: .75rem; }
          .d4, .d5, .d6, .d7, .d8, .d9, .d10, .d11, .d12 { padding-left: 1rem; }
        }
        @media print {
          :root { color-scheme: light; }
          body { max-width: none; padding: 0; }
          nav, .filter, .skip, .orders > input, .orders > label, .orders > .label, summary { display: none; }
          details::details-content { content-visibility: visible; block-size: auto; }
          .scroll { overflow: visible; }
          .more { display: none; }
          td details, td details::details-content { display: inline; }
          .card, tr, figure { break-inside: avoid; }
          h2, h3, h4, caption, thead { break-after: avoid; }
          tbody tr:first-child { break-before: avoid; }
          rect, .verdict, .severity, tr { print-color-adjust: exact; }
        }

        """
}

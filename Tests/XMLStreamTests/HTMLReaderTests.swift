import TestSupport
import Testing
import XMLStream

struct HTMLReaderTests {
    private func events(_ text: String, limits: HTMLReader.Limits = .init()) throws -> [HTMLReader.Event] {
        var events: [HTMLReader.Event] = []
        try HTMLReader.read(Array(text.utf8), limits: limits) { events.append($0) }
        return events
    }

    private func text(_ html: String) throws -> String {
        var bytes: [UInt8] = []
        try HTMLReader.read(Array(html.utf8)) { if case .text(let piece) = $0 { bytes += piece } }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `Tags, attributes and text are reported, with references resolved`() throws {
        let events = try events("<P Class='a&amp;b' hidden>x &lt;&eacute;&#x20AC;</P>")
        #expect(
            events.contains(
                .startElement(
                    name: "p",
                    attributes: [.init(name: "class", value: "a&b"), .init(name: "hidden", value: "")]
                )
            )
        )
        #expect(try text("<p>x &lt;&eacute;&#x20AC; ü&nbsp;</p>") == "x <é€ ü\u{A0}")
        #expect(events.last == .endElement(name: "html"))
    }

    @Test func `The contents of scripts and styles are reported as data, not as markup`() throws {
        let events = try events("<script>if (a<b) '</p>'</script><style>p>a{}</style>")
        let data = events.compactMap {
            if case .data(let bytes) = $0 { String(decoding: bytes, as: UTF8.self) } else { nil }
        }
        #expect(data.joined().contains("if (a<b)") && data.joined().contains("p>a{}"))
        #expect(try text("<script>x</script><style>y</style>z") == "z")
    }

    @Test func `The encoding that a page declares is ignored`() throws {
        #expect(try text("<meta charset=windows-1252><p>ü€") == "ü€")
        #expect(try text("<meta http-equiv=content-type content='text/html; charset=utf-16'><p>ü") == "ü")
    }

    @Test func `Every start event has an end event, whatever the page contains`() throws {
        for hostile in HostileMarkup.all + [
            "", "<", "</", "<a", "<a b='", "<!", "<!--", "&", "&#", "<p></b></i>", "\u{0}<p>\u{0}x",
        ] {
            var open: [String] = []
            // One of the pages is nested too deeply.
            for event in (try? events(hostile)) ?? [] {
                switch event {
                case .startElement(let name, _): open.append(name)
                case .endElement(let name): #expect(open.popLast() == name, "\(hostile.prefix(80))")
                case .text, .data: break
                }
            }
            #expect(open.isEmpty, "\(hostile.prefix(80))")
        }
    }

    @Test(.timeLimit(.minutes(20))) func `Pages damaged by random bytes can be read`() throws {
        var generator = SeededGenerator(seed: 7)
        let page = Array(
            "<html lang=de><head><title>T</title></head><body><p a='b'>x&amp;y<br><a href=/z>l</a></body></html>".utf8
        )
        for _ in 0..<3_000 {
            var bytes = page
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            var depth = 0
            try HTMLReader.read(bytes) { event in
                switch event {
                case .startElement: depth += 1
                case .endElement: depth -= 1
                case .text, .data: break
                }
            }
            #expect(depth == 0)
        }
    }

    @Test(.timeLimit(.minutes(20))) func `Nesting is limited, and excessive nesting is refused quickly`() throws {
        let deep = String(repeating: "<b>", count: 200_000) + String(repeating: "</i>", count: 200_000)
        let error = #expect(throws: XMLError.self) { try events(deep) }
        #expect(error?.code == .tooLarge && error?.message.contains("1000") ?? false)
        #expect(try events(String(repeating: "<b>", count: 900)).count > 1_800)
    }

    @Test func `The size of a page and the number of attributes are limited`() throws {
        var limits = HTMLReader.Limits()
        limits.bytes = 10
        #expect(throws: XMLError.self) { try events("<p>0123456789", limits: limits) }
        limits.bytes = 1 << 20
        let many = "<p \((0..<1_000).map { "a\($0)=1" }.joined(separator: " "))>"
        let found = try events(many, limits: limits)
        for case .startElement("p", let attributes) in found { #expect(attributes.count == 256) }
    }

    @Test func `A page of many megabytes is read to its end`() throws {
        let words = String(repeating: "word ", count: 2_500_000)
        let text = try text("<p>\(words)<p>\(String(repeating: "<i>y</i>", count: 100_000))<p>end")
        #expect(text.utf8.count == 12_500_000 + 100_000 + 3 && text.hasSuffix("yend"))
    }
}

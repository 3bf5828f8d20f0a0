import Testing

@testable import ULSLog
@testable import ULSRows

struct ScopeKeyTests {
    private func key(_ name: String) -> String {
        let bytes = Array(name.utf8)
        var key = Array("before ".utf8)
        ScopeKey.append(name: bytes.span, to: &key)
        return String(decoding: key.dropFirst(7), as: UTF8.self)
    }

    @Test(arguments: [
        (
            "Request (GET:http://server:80/sites/a/Lists/List1/AllItems.aspx?id=5#x)",
            "GET /sites/a/Lists/List1/AllItems.aspx"
        ),
        ("Request (GET:https://intranet)", "GET /"),
        ("Request (GET:https://intranet:443?x=1)", "GET /"),
        ("Request (GET:http://[::1]:80/a)", "GET /a"),
        ("Request (GET:/a/b?c)", "GET /a/b"),
        ("Request (http://h/a)", "/a"),
        ("Request (POST:http://h/_vti_bin/owssvr14.dll?CS=65001)", "POST /_vti_bin/owssvr14.dll"),
        ("Request (GET:http://h/_layouts/15/a.aspx)", "GET /_layouts/*/a.aspx"),
        ("Request (GET:http://h/p_1_4.zip)", "GET /p_*_*.zip"),
        ("Request (GET:http://h/Shared%20Documents/2013)", "GET /Shared%20Documents/*"),
        ("Request (GET:http://h/Report%202013.docx)", "GET /Report%20*.docx"),
        ("Request (GET:http://h/Gr%C3%BC%C3%9Fe/a(1).aspx)", "GET /Gr%C3%BC%C3%9Fe/a(*).aspx"),
        ("Request (GET:http://h/a b?x y)", "GET /a b"),
        ("Request (GET:http://h/{CA2543E6-29A1-40C1-BBA9-BD8510A4C17B}/x)", "GET /*/x"),
        ("Request (GET:http://h/%7BCA2543E6-29A1-40C1-BBA9-BD8510A4C17B%7D/x)", "GET /*/x"),
        ("Request (GET:http://h/%7Bx%7D)", "GET /%7Bx%7D"),
        ("Request", "Request"),
        ("Request (", ""),
        ("", ""),
    ])
    func requests(name: String, expected: String) {
        #expect(key(name) == expected)
    }

    @Test(arguments: [
        ("Timer Job job-upgrade-sites", "Timer Job job-upgrade-sites"),
        (
            "ExecuteSecurityTokenServiceOperationCaller:http://docs.example.org/ws-sx/ws-trust/200512/RST/Issue",
            "ExecuteSecurityTokenServiceOperationCaller:/ws-sx/ws-trust/*/RST/Issue"
        ),
        ("Call 'net.tcp://host:808/a?b=c' (http://h/x?y, z?)", "Call '/a' (/x, z?)"),
        ("Installing 'X' (ID: 'ca2543e6-29a1-40c1-bba9-bd8510a4c17b').", "Installing 'X' (ID: '*')."),
        ("WSS_Content_ca2543e629a140c1bba9bd8510a4c17b", "WSS_Content_*"),
        ("SPFileStreamManager#1", "SPFileStreamManager#*"),
        ("feedface", "feedface"),
        ("feedfac3", "*"),
        ("abc1234", "abc1234"),
        ("at 0x7FFE and 0xg", "at * and 0xg"),
        ("x {ca2543e6} 100 %", "x {*} * %"),
        ("Größe99 ٣", "Größe99 ٣"),
        ("SPClaimProvider.FillClaimsForEntity()", "SPClaimProvider.FillClaimsForEntity()"),
    ])
    func `Keys of other scopes omit variable parts`(name: String, expected: String) {
        #expect(key(name) == expected)
    }

    @Test(arguments: ["a", "é", "€", "😀", "/x"])
    func `A long key is cut between characters`(piece: String) {
        for shift in 0..<4 {
            let key = key(String(repeating: "z", count: shift) + String(repeating: piece, count: 300))
            #expect(key.utf8.count <= ScopeKey.longest)
            #expect(key.utf8.count > ScopeKey.longest - 8)
            #expect(key.hasSuffix("…"))
            #expect(!key.contains("\u{FFFD}"))
        }
    }

    @Test func `A key that just fits is not cut`() {
        let name = String(repeating: "z", count: ScopeKey.longest)
        #expect(key(name) == name)
    }

    @Test func `Random bytes do not cause a crash`() {
        var generator = SystemRandomNumberGenerator()
        let alphabet = Array("aF09:/?#%{}()=. _-x0\u{FF}".utf8) + [0x80, 0xFF]
        for _ in 0..<5000 {
            let bytes = (0..<Int.random(in: 0...300, using: &generator)).map { _ in
                alphabet.randomElement(using: &generator) ?? 0
            }
            for start in ["", "Request (", "net.", "http://", "%7B"] {
                let name = Array(start.utf8) + bytes
                var key: [UInt8] = []
                ScopeKey.append(name: name.span, to: &key)
                #expect(key.count <= ScopeKey.longest)
            }
        }
    }
}

struct RequestNameTests {
    private func text(_ range: Range<Int>?, of message: String) -> String? {
        range.map { String(decoding: Array(message.utf8)[$0], as: UTF8.self) }
    }

    @Test(arguments: ["Request (GET:http://h/a)", "Timer Job job-upgrade-sites"])
    func `Requests and timer jobs are recognized by name`(name: String) {
        let message = "Name=\(name) "
        let bytes = Array(message.utf8)
        let range = RequestName.parse(bytes.span)
        #expect(text(range, of: message) == name)
        let isRequest = RequestName.isRequest(bytes.span.extracting(5..<bytes.count))
        #expect(isRequest)
    }

    @Test(arguments: ["Name=", "Name=EnsureListItemsData", "Site=/", "Names=Request (a)", "", "UserName=Request ("])
    func otherMessages(message: String) {
        let bytes = Array(message.utf8)
        let range = RequestName.parse(bytes.span)
        #expect(range == nil)
    }

    @Test func `The site is read from a Site row`() {
        let message = "Site=/sites/a"
        let bytes = Array(message.utf8)
        let range = RequestSite.parse(bytes.span)
        #expect(text(range, of: message) == "/sites/a")
        let none = RequestSite.parse(bytes.span.extracting(0..<5))
        #expect(none == nil)
    }
}

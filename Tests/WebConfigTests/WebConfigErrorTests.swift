import TestSupport
import Testing
import WebConfig

struct RefusalTests {
    @Test(arguments: [
        ("<!DOCTYPE configuration><configuration/>", 1, 1),
        ("<?xml version=\"1.0\"?>\n<!-- a -->\n <!DOCTYPE configuration><configuration/>", 3, 2),
        ("<?pi <!-- ?>\r\n<!-- <!DOCTYPE -->\r\n<!DOCTYPE c SYSTEM 'x'><configuration/>", 3, 1),
        ("<configuration><!DOCTYPE c></configuration>", 1, 16),
        ("\u{FEFF}<!doctype html><configuration/>", 1, 1),
    ])
    func `A document type declaration is refused, and the error has its position`(
        text: String,
        line: Int,
        column: Int
    ) throws {
        let error = try #require(refusal(text))
        #expect(error.code == .refused)
        #expect(error.message == "a DOCTYPE is not allowed")
        #expect(error.advice?.hasPrefix("remove the DOCTYPE") == true)
        #expect([error.line, error.column] == [line, column])
    }

    @Test(arguments: [
        ("<system.web>\n <Trace enabled='true'/></system.web>", "system.web/trace", 2, 2),
        ("<System.Web>\n <trace/></System.Web>", "system.web/trace", 2, 2),
        ("<system.web><trace\n Enabled='true'/></system.web>", "enabled", 2, 11),
        ("<system.web><machineKey validationkey='AB'/></system.web>", "validationKey", 1, 55),
        ("<location path='a'>\n<SharePoint><safemode/></SharePoint></location>", "SharePoint/SafeMode", 2, 13),
    ])
    func `A known name in the wrong case is refused, as in ASP.NET`(
        text: String,
        name: String,
        line: Int,
        column: Int
    ) throws {
        let error = try #require(refusal("<configuration>\(text)</configuration>"))
        #expect(error.code == .refused)
        #expect(error.advice == "write '\(name)'")
        #expect(error.line == line)
        #expect(error.column == column)
    }

    @Test func `Unknown names in any case are accepted`() throws {
        let settings = "<appSettings><add Key='a'/></appSettings><SharePoint><SafeMode callstack='x'/></SharePoint>"
        #expect(refusal("<configuration>\(settings)</configuration>") == nil)
    }

    @Test(arguments: [true, false])
    func `A document type declaration in UTF-16 is refused`(bigEndian: Bool) throws {
        let error = try #require(refusal(utf16("<!-- é -->\n  <!DOCTYPE c><configuration/>", bigEndian: bigEndian)))
        #expect(error.code == .refused)
        #expect([error.line, error.column] == [2, 3])
    }

    @Test func `A malformed file is refused, and the error has its line and a one-line message`() throws {
        let error = try #require(refusal("<configuration>\n<a>\n</b>\n</configuration>"))
        #expect(error.code == .malformed)
        #expect(error.line == 3)
        #expect(error.message == "Opening and ending tag mismatch: a line 2 and b")
    }

    @Test(arguments: [
        "<configuration a=1/>", "<configuration a='&x;'/>", "<configuration><a b='<'/></configuration>",
        "<configuration/><x/>",
        "<configuration", "<configuration><!-- ", "<configuration a='1' a='2'/>", "<a:b/>",
        "<configuration>\u{1}</configuration>",
    ])
    func `Text that is not well-formed XML is refused as malformed`(text: String) {
        #expect(refusal(text)?.code == .malformed)
    }

    @Test func `A file with a different root element is not accepted as a configuration`() throws {
        let error = try #require(refusal("<?xml version='1.0'?>\n  <web.site/>"))
        #expect(error.code == .notWebConfig)
        #expect([error.line, error.column] == [2, 3])
        #expect(error.message == "its root element is 'web.site', not 'configuration'")
    }

    @Test(arguments: ["shift_jis", "utf-7", "ebcdic-cp-us", "ucs-4", "utf-16", ""])
    func `An unknown encoding is refused`(name: String) {
        #expect(refusal("<?xml version='1.0' encoding='\(name)'?><configuration/>")?.code == .refused)
    }

    @Test func `Bytes in an undeclared encoding are refused`() throws {
        let error = try #require(
            refusal(Array("<configuration>\n<a b='".utf8) + [0xE9] + Array("'/></configuration>".utf8))
        )
        #expect(error.code == .refused)
        #expect([error.line, error.column] == [2, 7])
    }

    @Test func `Empty, binary and non-XML content is refused`() {
        #expect(refusal("")?.code == .refused)
        #expect(refusal([0])?.code == .refused)
        #expect(refusal([0x3C, 0, 0, 0, 0x61, 0, 0, 0])?.code == .refused)
        #expect(refusal([0x4C, 0x6F, 0xA7, 0x94])?.code == .refused)
        #expect(refusal("Server Error in '/' Application.")?.code == .refused)
    }

    @Test func `A file that is too large is refused`() {
        #expect(refusal([UInt8](repeating: 0x20, count: WebConfigFile.maximumBytes + 1))?.code == .tooLarge)
    }

    @Test func `A file that is nested too deeply is refused, and the error has its position`() throws {
        let inside = { (count: Int) in
            "<configuration>" + String(repeating: "<a>", count: count) + String(repeating: "</a>", count: count)
                + "</configuration>"
        }
        #expect(refusal(inside(63)) == nil)
        let error = try #require(refusal(inside(64)))
        #expect(error.code == .tooLarge)
        #expect(error.line == 1)
        #expect(error.column == 16 + 63 * 3)
    }

    @Test func `A long name that is repeated in too many paths is refused`() throws {
        let name = String(repeating: "n", count: 10_000)
        let text = "<configuration><\(name)>" + String(repeating: "<a/>", count: 10_000) + "</\(name)></configuration>"
        #expect(try #require(refusal(text)).code == .tooLarge)
    }

    @Test func `An error states the location, the problem and the next step`() throws {
        #expect(
            refusal("<!DOCTYPE c><configuration/>")?.description
                == "web.config:1:1: a DOCTYPE is not allowed; remove the DOCTYPE: .NET does not need one in a web.config"
        )
    }

    @Test(arguments: UInt64(1)...40)
    func `A damaged file is either read or refused`(seed: UInt64) {
        let text = """
            <?xml version="1.0" encoding="utf-8"?>
            <!-- é --><configuration xmlns:a="urn:a"><location path="x"><system.web>
            <trace enabled="true" pageOutput='f&amp;alse'/><![CDATA[<a>]]></system.web></location>
            <appSettings><add key="1" value="&#65;2"/></appSettings></configuration>
            """
        let texts = [Array(text.utf8), utf16(text.replacing("utf-8", with: "utf-16"), bigEndian: seed % 2 == 0)]
        var mutation = ByteMutation(seed: seed)
        for _ in 0..<50 {
            let bytes = mutation.mutated(texts)
            guard let file = try? WebConfigFile(bytes, source: WebConfigSource(path: "x")) else { continue }
            for element in file.elements {
                #expect((element.line, element.column) <= (element.lineEnd, element.columnEnd))
                #expect(element.lineEnd <= bytes.count && element.columnEnd <= bytes.count)
            }
        }
    }
}

import Testing
import WebConfig

struct ReadingTests {
    @Test func elementsHavePathsInDocumentOrder() throws {
        let file = try config("<configuration><a><b/><c><d/></c></a><e/></configuration>")
        #expect(file.elements.map(\.path) == ["a", "a/b", "a/c", "a/c/d", "e"])
    }

    @Test func aLocationIsNoPartOfThePath() throws {
        let file = try config(
            """
            <configuration><location path="_layouts"><system.web><trace/></system.web></location>
            <location><x/></location><system.web><trace/></system.web></configuration>
            """
        )
        #expect(file.elements(at: "system.web/trace").map(\.location) == ["_layouts", nil])
        #expect(file.elements(at: "x").map(\.location) == [""])
    }

    @Test func anElementDeepDownMayBeCalledLocation() throws {
        let file = try config(#"<configuration><s><location path="p"><x/></location></s></configuration>"#)
        #expect(file.elements.map(\.path) == ["s", "s/location", "s/location/x"])
        #expect(file.elements.allSatisfy { $0.location == nil })
    }

    @Test func groupsOfSectionsAreElementsLikeOthers() throws {
        let file = try config(
            #"<configuration><configSections><sectionGroup name="g"><section name="s"/></sectionGroup></configSections></configuration>"#
        )
        #expect(file.elements.last?.path == "configSections/sectionGroup/section")
    }

    @Test(arguments: [
        #"<configuration xmlns="http://schemas.microsoft.com/.NetConfiguration/v2.0"><system.web><trace enabled="1"/></system.web></configuration>"#,
        #"<c:configuration xmlns:c="http://schemas.microsoft.com/.NetConfiguration/v2.0"><c:system.web><c:trace enabled="1"/></c:system.web></c:configuration>"#,
        #"<configuration><system.web><trace enabled="1" xmlns="urn:x"/></system.web></configuration>"#,
    ])
    func namespacesDoNotMatter(text: String) throws {
        #expect(try config(text).elements(at: "system.web/trace").first?.attributes.map(\.name) == ["enabled"])
    }

    @Test func aPlaceIsThatOfTheTagAndOfTheValue() throws {
        let file = try config(
            "<configuration>\r\n  <!-- é -->\r\n  <a/> <trace\r\n    enabled = 'x>y'\r\n  />\r\n</configuration>"
        )
        let trace = try #require(file.elements(at: "trace").first)
        #expect([trace.line, trace.column, trace.lineEnd, trace.columnEnd] == [3, 8, 5, 4])
        #expect(trace.attributes == [ConfigAttribute(name: "enabled", value: "x>y", line: 4, column: 16)])
    }

    @Test func columnsCountCharacters() throws {
        let element = try #require(
            try config("<configuration><!-- é€😀 --><a b='é' c='1'/></configuration>").elements.first
        )
        #expect([element.column, element.columnEnd] == [28, 43])
        #expect(element.attributes.map(\.column) == [34, 40])
    }

    @Test func referencesInValuesAreResolved() throws {
        let file = try config(#"<configuration><a b="&lt;&amp;&#x41;&#66;&quot;'&#10;x&#9;" c='"'/></configuration>"#)
        #expect(file.elements.first?["b"] == "<&AB\"'\nx\t")
        #expect(file.elements.first?["c"] == "\"")
        #expect(file.elements.first?["d"] == nil)
    }

    @Test func commentsAndTextThatLookLikeElementsAreNone() throws {
        let file = try config(
            "<configuration><!-- <trace/> --><![CDATA[<trace/>]]>&lt;trace/&gt;<?x <trace/> ?><a/></configuration>"
        )
        #expect(file.elements.map(\.path) == ["a"])
    }

    @Test func aByteOrderMarkMovesNoPlace() throws {
        let text = #"<?xml version="1.0" encoding="utf-8"?><configuration><a b="1"/></configuration>"#
        #expect(try config("\u{FEFF}" + text).elements == config(text).elements)
    }

    @Test(arguments: [true, false])
    func utf16IsRead(bigEndian: Bool) throws {
        let text = "<?xml version=\"1.0\" encoding=\"utf-16\"?>\n<configuration><!-- 😀 --><a b=\"€\"/></configuration>"
        let file = try WebConfigFile(utf16(text, bigEndian: bigEndian), source: WebConfigSource(path: "x"))
        let element = try #require(file.elements.first)
        #expect([element.line, element.column, element.columnEnd] == [2, 26, 35])
        #expect(element.attributes == [ConfigAttribute(name: "b", value: "€", line: 2, column: 32)])
    }

    @Test(arguments: [("iso-8859-1", "é\u{80}"), ("Windows-1252", "é€")])
    func westernEncodingsAreReadWhenDeclared(name: String, value: String) throws {
        let head = #"<?xml version='1.0' encoding='\#(name)' ?><configuration><!-- "#
        let bytes =
            Array(head.utf8) + [0xE9] + Array(" --><a b='".utf8) + [0xE9, 0x80] + Array("'/></configuration>".utf8)
        let element = try #require(try WebConfigFile(bytes, source: WebConfigSource(path: "x")).elements.first)
        #expect(element["b"] == value)
        #expect(element.column == head.count + 6)
    }

    @Test func aMachineKeyOverSeveralLinesIsFound() throws {
        let file = try config(
            "<configuration>\n\n<system.web>\n<machineKey\nvalidationKey='AA'\n/></system.web></configuration>"
        )
        let element = try #require(file.elements(at: "system.web/machineKey").first)
        #expect(
            [element.line, element.lineEnd, element.attributes[0].line, element.attributes[0].column] == [4, 6, 5, 16]
        )
    }

    @Test func namesAreCaseSensitive() throws {
        let file = try config("<configuration><System.Web><Trace Enabled='true'/></System.Web></configuration>")
        #expect(file.elements(at: "system.web/trace").isEmpty)
        #expect(file.elements.last?["enabled"] == nil)
    }
}

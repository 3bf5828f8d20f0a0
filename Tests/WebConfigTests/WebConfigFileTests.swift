import Testing
import WebConfig

struct ReadingTests {
    @Test func `Elements are listed with their paths, in document order`() throws {
        let file = try config("<configuration><a><b/><c><d/></c></a><e/></configuration>")
        #expect(file.elements.map(\.path) == ["a", "a/b", "a/c", "a/c/d", "e"])
    }

    @Test func `A location element is not part of the path`() throws {
        let file = try config(
            """
            <configuration><location path="_layouts"><system.web><trace/></system.web></location>
            <location><x/></location><system.web><trace/></system.web></configuration>
            """
        )
        #expect(file.elements(at: "system.web/trace").map(\.location) == ["_layouts", nil])
        #expect(file.elements(at: "x").map(\.location) == [""])
    }

    @Test func `Below the top level, an element named location is an ordinary element`() throws {
        let file = try config(#"<configuration><s><location path="p"><x/></location></s></configuration>"#)
        #expect(file.elements.map(\.path) == ["s", "s/location", "s/location/x"])
        #expect(file.elements.allSatisfy { $0.location == nil })
    }

    @Test func `Section groups are ordinary elements`() throws {
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
    func `Namespaces are ignored`(text: String) throws {
        #expect(try config(text).elements(at: "system.web/trace").first?.attributes.map(\.name) == ["enabled"])
    }

    @Test func `Positions point to the tag and to the value`() throws {
        let file = try config(
            "<configuration>\r\n  <!-- é -->\r\n  <a/> <trace\r\n    enabled = 'x>y'\r\n  />\r\n</configuration>"
        )
        let trace = try #require(file.elements(at: "trace").first)
        #expect([trace.line, trace.column, trace.lineEnd, trace.columnEnd] == [3, 8, 5, 4])
        #expect(trace.attributes == [ConfigAttribute(name: "enabled", value: "x>y", line: 4, column: 16)])
    }

    @Test func `Column numbers count characters`() throws {
        let element = try #require(
            try config("<configuration><!-- é€😀 --><a b='é' c='1'/></configuration>").elements.first
        )
        #expect([element.column, element.columnEnd] == [28, 43])
        #expect(element.attributes.map(\.column) == [34, 40])
    }

    @Test func `Entity and character references in values are resolved`() throws {
        let file = try config(#"<configuration><a b="&lt;&amp;&#x41;&#66;&quot;'&#10;x&#9;" c='"'/></configuration>"#)
        #expect(file.elements.first?["b"] == "<&AB\"'\nx\t")
        #expect(file.elements.first?["c"] == "\"")
        #expect(file.elements.first?["d"] == nil)
    }

    @Test func `Comments and text that look like elements are not elements`() throws {
        let file = try config(
            "<configuration><!-- <trace/> --><![CDATA[<trace/>]]>&lt;trace/&gt;<?x <trace/> ?><a/></configuration>"
        )
        #expect(file.elements.map(\.path) == ["a"])
    }

    @Test func `A byte-order mark does not shift positions`() throws {
        let text = #"<?xml version="1.0" encoding="utf-8"?><configuration><a b="1"/></configuration>"#
        #expect(try config("\u{FEFF}" + text).elements == config(text).elements)
    }

    @Test(arguments: [true, false])
    func `UTF-16 is read`(bigEndian: Bool) throws {
        let text = "<?xml version=\"1.0\" encoding=\"utf-16\"?>\n<configuration><!-- 😀 --><a b=\"€\"/></configuration>"
        let file = try WebConfigFile(utf16(text, bigEndian: bigEndian), source: WebConfigSource(path: "x"))
        let element = try #require(file.elements.first)
        #expect([element.line, element.column, element.columnEnd] == [2, 26, 35])
        #expect(element.attributes == [ConfigAttribute(name: "b", value: "€", line: 2, column: 32)])
    }

    @Test(arguments: [("iso-8859-1", "é\u{80}"), ("Windows-1252", "é€")])
    func `Western encodings are read if declared`(name: String, value: String) throws {
        let head = #"<?xml version='1.0' encoding='\#(name)' ?><configuration><!-- "#
        let bytes =
            Array(head.utf8) + [0xE9] + Array(" --><a b='".utf8) + [0xE9, 0x80] + Array("'/></configuration>".utf8)
        let element = try #require(try WebConfigFile(bytes, source: WebConfigSource(path: "x")).elements.first)
        #expect(element["b"] == value)
        #expect(element.column == head.count + 6)
    }

    @Test func `A machine key that spans several lines is found`() throws {
        let file = try config(
            "<configuration>\n\n<system.web>\n<machineKey\nvalidationKey='AA'\n/></system.web></configuration>"
        )
        let element = try #require(file.elements(at: "system.web/machineKey").first)
        #expect(
            [element.line, element.lineEnd, element.attributes[0].line, element.attributes[0].column] == [4, 6, 5, 16]
        )
    }

    @Test func `Names are case-sensitive`() throws {
        let file = try config("<configuration><Custom><Section Enabled='true'/></Custom></configuration>")
        #expect(file.elements(at: "custom/section").isEmpty)
        #expect(file.elements.last?["enabled"] == nil)
    }
}

struct SettingTests {
    /// Returns the report on one setting, with a line for each place.
    private func lines(_ name: String, _ text: String) throws -> [String] {
        try config("<configuration>\n\(text)\n</configuration>").settings.filter { $0.name == name }.map { value in
            let place = value.line.map { "\($0):\(value.column ?? 0)" } ?? "-"
            return "\(value.location ?? "/") \(value.value) \(value.isWritten ? "written" : "default") \(place)"
        }
    }

    @Test func `An empty configuration yields the default settings`() throws {
        let settings = try config("<configuration/>").settings
        #expect(
            settings.map { "\($0.element) \($0.value)" } == [
                "system.web/trace false", "system.web/trace false", "system.web/trace true",
                "system.web/compilation false",
                "system.web/customErrors RemoteOnly", "SharePoint/SafeMode false", "system.web/machineKey absent",
            ]
        )
        #expect(settings.allSatisfy { !$0.isWritten && $0.line == nil && $0.column == nil })
    }

    @Test func `A setting in the file has a position`() throws {
        #expect(
            try lines("ASP.NET tracing", "<system.web><trace enabled='True'/></system.web>") == ["/ True written 2:29"]
        )
    }

    @Test func `A setting in a location element does not replace the default`() throws {
        let text = "<location path='a'><system.web><compilation debug='true'/></system.web></location>"
        #expect(try lines("debug compilation", text) == ["/ false default -", "a true written 2:52"])
    }

    @Test(arguments: ["<location>", "<location path='.' inheritInChildApplications='false'>"])
    func `A location element can represent the whole site`(start: String) throws {
        let found = try lines("custom errors", "\(start)<system.web><customErrors mode='Off'/></system.web></location>")
        #expect(found.count == 1 && found[0].contains("Off written"))
    }

    @Test func `If the element lacks the attribute, the default applies`() throws {
        #expect(try lines("custom errors", "<system.web><customErrors/></system.web>") == ["/ RemoteOnly default -"])
    }

    @Test(arguments: [
        ("<machineKey/>", "/ generated written 2:13"),
        (
            "<machineKey validationKey='AutoGenerate,IsolateApps' decryptionKey='AutoGenerate'/>",
            "/ generated written 2:13"
        ),
        ("<machineKey validationKey='AutoGenerate' decryptionKey='C0FFEE'/>", "/ explicit written 2:69"),
        ("<machineKey configProtectionProvider='Rsa'><EncryptedData/></machineKey>", "/ encrypted written 2:51"),
        ("<machineKey configSource='k.config'/>", "/ external written 2:39"),
    ])
    func `A machine key is described by its kind`(element: String, expected: String) throws {
        #expect(try lines("machine key", "<system.web>\(element)</system.web>") == [expected])
    }

    @Test func `Retail deployment is listed if the file contains it`() throws {
        #expect(try lines("retail deployment", "").isEmpty)
        #expect(try lines("retail deployment", "<system.web><deployment retail='true'/></system.web>").count == 1)
    }

    @Test func `A setting stored in another file is reported as external`() throws {
        let text = "<SharePoint><SafeMode configSource='safe.config'/></SharePoint>"
        #expect(try lines("call stack on error pages", text) == ["/ external written 2:37"])
    }
}

struct SecretTests {
    private func isSecret(_ name: String, in attributes: KeyValuePairs<String, String>) -> Bool {
        let attributes = attributes.map { ConfigAttribute(name: $0.key, value: $0.value, line: 1, column: 1) }
        let element = ConfigElement(path: "x", attributes: attributes, line: 1, column: 1, lineEnd: 1, columnEnd: 1)
        return attributes.filter { $0.name == name }.contains { element.isSecret($0) }
    }

    @Test(arguments: [
        "validationKey", "decryptionKey", "password", "Password", "connectionString", "sqlConnectionString",
        "clientSecret",
        "smtpPwd", "accountKey", "authToken",
    ])
    func `Keys and passwords are secret`(name: String) {
        #expect(isSecret(name, in: [name: "x"]))
    }

    @Test(arguments: ["key", "enabled", "mode", "path", "publicKeyToken", "type", "validation"])
    func `Ordinary settings are not secret`(name: String) {
        #expect(!isSecret(name, in: [name: "x"]))
    }

    @Test(arguments: ["SmtpPassword", "ApiKey", "ClientSecret", "MyConnectionString"])
    func `A value is secret if the name of its key suggests a secret`(key: String) {
        #expect(isSecret("value", in: ["key": key, "value": "x"]))
        #expect(isSecret("value", in: ["value": "x", "name": key]))
        #expect(!isSecret("key", in: ["key": key, "value": "x"]))
    }

    @Test func `Other values are not secret`() {
        #expect(!isSecret("value", in: ["key": "aspnet:MaxHttpCollectionKeys", "value": "1000"]))
    }

    @Test func `A password within other text is secret`() {
        #expect(isSecret("value", in: ["key": "Database", "value": "Server=db; Password = x"]))
    }
}

/// Reads a configuration that a test has written.
func config(_ text: String) throws(WebConfigError) -> WebConfigFile {
    try WebConfigFile(Array(text.utf8), source: WebConfigSource(path: "web.config"))
}

/// Returns the reason for refusing a configuration; `nil` if it is accepted.
func refusal(_ bytes: [UInt8]) -> WebConfigError? {
    do {
        _ = try WebConfigFile(bytes, source: WebConfigSource(path: "web.config"))
        return nil
    } catch {
        return error
    }
}

func refusal(_ text: String) -> WebConfigError? { refusal(Array(text.utf8)) }

/// UTF-16 `bytes` after a byte-order mark.
func utf16(_ text: String, bigEndian: Bool) -> [UInt8] {
    let units = Array("\u{FEFF}".utf16) + Array(text.utf16)
    return units.flatMap { unit in
        let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
        return bigEndian ? bytes : bytes.reversed()
    }
}

import Testing
import WebConfig

struct SettingTests {
    /// What is said of one setting, a line for each place.
    private func lines(_ name: String, _ text: String) throws -> [String] {
        try config("<configuration>\n\(text)\n</configuration>").settings.filter { $0.name == name }.map { value in
            let place = value.line.map { "\($0):\(value.column ?? 0)" } ?? "-"
            return "\(value.location ?? "/") \(value.value) \(value.isWritten ? "written" : "default") \(place)"
        }
    }

    @Test func anEmptyFileHasTheDefaults() throws {
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

    @Test func aWrittenSettingHasItsPlace() throws {
        #expect(
            try lines("ASP.NET tracing", "<system.web><trace enabled='True'/></system.web>") == ["/ True written 2:29"]
        )
    }

    @Test func whatALocationSaysComesBesidesTheDefault() throws {
        let text = "<location path='a'><system.web><compilation debug='true'/></system.web></location>"
        #expect(try lines("debug compilation", text) == ["/ false default -", "a true written 2:52"])
    }

    @Test(arguments: ["<location>", "<location path='.' inheritInChildApplications='false'>"])
    func aLocationMayStandForTheWholeSite(start: String) throws {
        let found = try lines("custom errors", "\(start)<system.web><customErrors mode='Off'/></system.web></location>")
        #expect(found.count == 1 && found[0].contains("Off written"))
    }

    @Test func anElementWithoutTheAttributeLeavesTheDefault() throws {
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
    func ofAMachineKeyItsKindIsSaid(element: String, expected: String) throws {
        #expect(try lines("machine key", "<system.web>\(element)</system.web>") == [expected])
    }

    @Test func retailDeploymentIsListedWhereItIsWritten() throws {
        #expect(try lines("retail deployment", "").isEmpty)
        #expect(try lines("retail deployment", "<system.web><deployment retail='true'/></system.web>").count == 1)
    }

    @Test func aSettingThatAnotherFileHasIsExternal() throws {
        let text = "<SharePoint><SafeMode configSource='safe.config'/></SharePoint>"
        #expect(try lines("call stack on error pages", text) == ["/ external written 2:37"])
    }
}

import Testing

@testable import FailureExplanation

/// Errors that PowerShell and Desired State Configuration print are failures, whatever their words.
struct PrintedErrorTests {
    private func frame(_ text: String) -> FailureFrame { Explanation(of: text).frame }

    @Test(arguments: [
        (
            "New-SPWebApplication : Pool exists, either give its name alone, or another name with an account.",
            "The cmdlet 'New-SPWebApplication': Pool exists, either give its name alone, or another name with an account."
        ),
        (
            "New-SPSite : 所提供的受管理路徑不存在，因此無法建立網站集合。",
            "The cmdlet 'New-SPSite': 所提供的受管理路徑不存在，因此無法建立網站集合。"
        ),
        (
            "Get-PnPWebPart : Methode nicht gefunden: \"Contoso.Part.get_Zone()\".",
            "The cmdlet 'Get-PnPWebPart': Methode nicht gefunden: \"Contoso.Part.get_Zone()\"."
        ),
        (
            "PowerShell DSC resource MSFT_SPProductUpdate failed to execute Test-TargetResource functionality with error "
                + "message: The package has the language in an odd form.",
            "The resource of Desired State Configuration 'MSFT_SPProductUpdate': The package has the language in an odd "
                + "form."
        ),
    ])
    func `The message of a printed error is the headline, in any language`(text: String, sentence: String) {
        #expect(frame(text).sentence == sentence, "\(frame(text).slots)")
    }

    @Test(arguments: [
        "Get-SPSite : Returns all site collections of the farm", "Get-SPWeb : Sites\nGet-SPList : Libraries and lists",
        "Get-SPSite : what does it list?",
    ])
    func `A description of a cmdlet is not an error`(text: String) {
        #expect(frame(text).failure == nil && frame(text).sentence == nil, "\(frame(text).slots)")
    }

    @Test(arguments: [
        ("AuthenticationError", "sign-in"), ("PermissionDenied", "refused"), ("ResourceExists", "exists"),
        ("NotInstalled", "required"), ("InvalidData", "reported"), ("ObjectNotFound", "reported"),
    ])
    func `The category of a record is a class of failures in any language`(category: String, id: String) {
        let record = """
            Add-SPGizmo : 操作失败。
                + CategoryInfo          : \(category): (Gizmo:String) [Add-SPGizmo], GizmoException
                + FullyQualifiedErrorId : Gizmo,Contoso.AddGizmo
            """
        #expect(frame(record).failure?.value.id == id, "\(frame(record).slots)")
        #expect(frame(record).actor?.value.name == "Add-SPGizmo")
    }

    @Test(arguments: [
        ("SPCmdletNewSPSite", "New-SPSite"), ("SpCmdletGetWebApplication", "Get-SPWebApplication"),
        ("ImportModuleCommand", "Import-Module"),
    ])
    func `The class of a cmdlet is shown as the cmdlet`(type: String, cmdlet: String) {
        let text = "The farm is not available.\n    + FullyQualifiedErrorId : Contoso.\(type)"
        #expect(frame(text).actor?.value.name == cmdlet, "\(frame(text).slots)")
    }

    @Test func `The noun of a cmdlet is not an object that acts`() {
        #expect(frame("Get-PnPWebPart : Access is denied.").actor?.value.kind == "cmdlet")
    }

    @Test(arguments: ["Error: The gizmo spins backward on Sundays", "Fehler: Das Rad dreht sich rückwärts"])
    func `A message after the label of an error is a failure`(text: String) {
        #expect(frame(text).sentence?.isEmpty == false, "\(frame(text).slots)")
    }

    // MARK: Sentences

    @Test func `The condition of an event that has not happened is not a failure`() {
        let warning = "Changing the certificate 'A' will lead to trouble if the certificate is not found on a server."
        #expect(frame(warning).failure?.certainty != .likely, "\(frame(warning).slots)")
        #expect(frame("The certificate 'A' is not found on every server.").failure?.value.id == "absent")
    }

    @Test(arguments: [
        ("The feature isn't enabled on this server", "not-configured"), ("It won’t start on the server", "not-started"),
        ("The list ‘Orders’ doesn’t exist", "absent"), ("The server can't connect to the database", "unreachable"),
    ])
    func `Contractions and typographic marks are read like the words and marks that they stand for`(
        text: String,
        id: String
    ) {
        #expect(frame(text).failure?.value.id == id, "\(frame(text).slots)")
    }

    @Test func `Typographic quotation marks do not hide a known sentence`() {
        let plain = #"{"code":"-2130575252, Microsoft.SharePoint.SPException","value":"The page is gone"}"#
        let typographic = "{“code”:”-2130575252, Microsoft.SharePoint.SPException”,”value”:”The page is gone”}"
        #expect(!Explanation(of: plain).decoded.isEmpty)
        #expect(Explanation(of: typographic).decoded.map(\.code) == Explanation(of: plain).decoded.map(\.code))
    }

    @Test func `A list of valid values is the first step, and no usual cause competes with it`() {
        let text = "Set-SPGizmo : The argument Rights is invalid. Valid values are: Read, Write, Full Access"
        #expect(Explanation(of: text).usually.isEmpty)
        #expect(Explanation(of: text).checks.first?.text.contains("Valid values are: Read") == true)
    }

    @Test func `A file in a package is not one of the server's disk`() {
        let package = Explanation(of: #"The file 'Features\A\onet.xml' was not found."#)
        #expect(package.place?.component.id != "disk")
        #expect(Explanation(of: #"The file 'D:\A\onet.xml' was not found."#).place?.component.id == "disk")
    }

    @Test func `A failure is clear if a sentence ends with it`() {
        #expect(frame("The attempt to recycle the service failed.").failure?.certainty == .likely)
        #expect(frame("Jobs that failed").failure?.certainty != .likely)
    }

    @Test func `A list of something is not a list of SharePoint`() {
        #expect(frame("The list of actions names an assembly that does not exist.").object?.value.kind != "list")
        #expect(frame("The list 'Actions' does not exist.").object?.value.kind == "list")
    }

    @Test(arguments: [
        ("The disk is full: no space left on the drive", "full"), ("Not enough memory for the query", "exhausted"),
    ])
    func `A full disk is not a lack of memory`(text: String, id: String) {
        #expect(frame(text).failure?.value.id == id)
    }

    // MARK: Remedies

    @Test func `A report that begins with a noun is not advice, and a request within a sentence is`() {
        let report = "The update failed. Upgrade Timer job is exiting due to an exception of the database."
        #expect(frame(report).remedy == nil)
        let request = "The mail was refused. To be removed from the list, please visit https://sender.contoso.com/."
        #expect(frame(request).remedy?.value.hasPrefix("To be removed") == true)
        #expect(frame("It failed. Please refer to the upgrade log for more details.").remedy == nil)
        #expect(frame("The job failed. Start the service 'A' if it is idle.").remedy?.certainty == .certain)
    }
}

import Testing
import TextKit

@testable import FailureExplanation

/// Failures without a word of failure, wrong types, error pages of IIS, and checks with the names of the text.
struct UnseenFailureTests {
    private func frame(_ text: String) -> FailureFrame { Explanation(of: text).frame }

    private func commands(_ text: String) -> [String] { Explanation(of: text).checks.compactMap(\.command) }

    // MARK: Denials

    @Test(arguments: [
        ("CONTOSO\\ann is not allowed to approve the request 'Leave 12'", "not-permitted"),
        ("This library does not permit folders", "not-permitted"),
        ("The current site is not a publishing site", "wrong-object"),
        ("The specified list is not a discussion list", "wrong-object"),
        ("The switch 'Archive' is only supported in Office Online Server 2016", "restricted"),
        ("The column 'Amount' can only be used in a calculated column", "restricted"),
        ("The template requires that the feature 'Wiki' be active on this site", "required"),
        ("The server relative path must start with '/sites/teams'", "required"),
        ("The endpoint 'Orders' does not support this kind of sign-in", "unsupported"),
    ])
    func `A denial without a word of failure is a report in the words of the text, with a cause`(
        text: String,
        id: String
    ) {
        let explanation = Explanation(of: text)
        #expect(explanation.frame.failure?.value.id == id, "\(explanation.frame.slots)")
        #expect(explanation.isReport && !explanation.explainsNothing)
        guard id != "unsupported" else { return }
        #expect(explanation.frame.sentence == text + ".", "\(explanation.frame.slots)")
        #expect(!explanation.usually.isEmpty && !explanation.checks.isEmpty)
        let called = Explanation(of: "Set-SPTopic : " + text).frame
        #expect(called.sentence == "The cmdlet 'Set-SPTopic': \(text).", "\(called.slots)")
    }

    @Test(arguments: [
        "Workflow apps are only supported on SharePoint Server.", "Users are not allowed to delete items in a library.",
        "Note that the switch 'Archive' is only supported in Office Online Server 2016.",
        "How is the account 'CONTOSO\\ann' not allowed to sign in?",
        "Why must the path start with '/sites/teams'?",
        "The property 'Title' must be unique, as you know from the documentation.",
        "Your site 'Teams' must have an owner.", "A column must be unique.",
    ])
    func `A question, advice or a sentence of documentation is not a report`(text: String) {
        let frame = frame(text)
        #expect(frame.failure?.certainty != .likely && frame.sentence == nil, "\(frame.slots)")
    }

    @Test func `A message between braces ends with them`() {
        let text = "Error in call:\n\n{ The current site is not a publishing site } \\ at Get-TargetResource, line 150"
        #expect(frame(text).sentence == "The current site is not a publishing site.", "\(frame(text).slots)")
    }

    @Test func `A word of failure outranks a requirement, and a success is not denied by one`() {
        let text = "The list 'Orders' was not found. The feature 'Wiki' must be activated on this site"
        #expect(frame(text).failure?.value.id == "absent")
        #expect(frame("The upgrade succeeded. The feature 'Wiki' must be activated on this site").isHarmless)
    }

    // MARK: Rows of reports

    @Test(arguments: [
        (
            "\"Error\",\"SCAN LIST FAILURE\",\"The list template of the list is not supported\",\"0x01410021\"",
            "unsupported", "The list template of the list is not supported."
        ),
        (
            "\"Id\",\"Status\",\"Message\"\n\"7\",\"Failed to copy\",\"The item has a version that cannot be read\"",
            "unreadable", "The item has a version that cannot be read."
        ),
    ])
    func `The cells of a failed row are sentences`(text: String, id: String, sentence: String) {
        #expect(frame(text).failure?.value.id == id && frame(text).sentence == sentence, "\(frame(text).slots)")
    }

    @Test(arguments: [
        "\"Item\",\"Status\",\"Error\",\"Error message\"",
        "\"Completed\",\"Report\",\"Failed requests of the last week by department\"",
        "\"Completed\",\"The list template is not supported by others\",\"7\"",
    ])
    func `The cells of other rows are names`(text: String) { #expect(frame(text).failure == nil) }

    // MARK: Types

    @Test(arguments: [
        "Unable to cast object of type 'Contoso.Web.Menu' to type 'Contoso.Web.Panel'",
        "The value 'd/Title' cannot be cast to type 'Contoso.Web.Flag'",
    ])
    func `A wrong type is reported with both names and with the usual causes, which do not concern COM`(text: String) {
        let explanation = Explanation(of: "System.InvalidCastException: \(text).")
        #expect(explanation.frame.failure?.value.id == "wrong-type", "\(explanation.frame.slots)")
        #expect(explanation.frame.sentence == text + ".")
        #expect(explanation.usually.contains { $0.contains("loaded twice") })
        #expect(!explanation.checks.contains { $0.command?.contains("HKCR") == true })
    }

    @Test(arguments: [
        ("(0x80004002) Unable to cast object of type 'A.B' to type 'C.D'", FailureCode.Space.clr),
        ("System.InvalidCastException (0x80004002): Specified cast is not valid.", .clr),
        ("The driver returned 0x80004002", .hresult),
        ("Unable to cast COM object of type 'System.__ComObject' to class type 'A.B': 0x80004002", .hresult),
    ])
    func `The number of a wrong type and of a missing interface is read by the words next to it`(
        text: String,
        space: FailureCode.Space
    ) {
        #expect(Explanation(of: text).decoded.map(\.code.space) == [space])
    }

    @Test func `The registration of an interface is a cause only for COM objects`() {
        let text = """
            Unable to cast COM object of type 'System.__ComObject' to interface type 'Contoso.IOrders'. This operation \
            failed because the QueryInterface call failed due to the following error: No such interface supported
            """
        #expect(Explanation(of: text).usually.first?.contains("registered") == true, "\(frame(text).slots)")
        #expect(Explanation(of: "No such interface supported").frame.failure?.value.id == "no-interface")
    }

    // MARK: Error pages of IIS

    private static let page = #"""
        HTTP Error 500.19 - Internal Server Error
        The requested page cannot be accessed because the related configuration data for the page is invalid.

        Most likely causes:
        Access is denied to the applicationhost.config or web.config file.
        The specified NTFS permissions are incorrect.

        Things you can try:
        Check the file permissions for the configuration file.

        Detailed Error Information:
        Module    IIS Web Core
        Notification    BeginRequest
        Handler    Not yet determined
        Error Code    0x800700b7
        Config Error    Cannot add duplicate collection entry of type 'mimeMap' with unique key
        attribute 'fileExtension'
        Config File    \\?\C:\inetpub\contoso\web.config

        Links and More Information
        This error occurs when access is denied to the configuration file.
        """#

    @Test func `An error page is explained by its fields, not by the causes that every such page lists`() {
        let explanation = Explanation(of: Self.page)
        #expect(
            explanation.frame.sentence
                == "HTTP 500.19 from the module 'IIS Web Core': Cannot add duplicate collection entry of type "
                + "'mimeMap' with unique key attribute 'fileExtension'."
        )
        #expect(explanation.decoded.contains { $0.code.spelled == "500.19" })
        #expect(!explanation.decoded.contains { $0.code.kind == .refusal })
        #expect(commands(Self.page).contains(#"icacls 'C:\inetpub\contoso\web.config'"#), "\(commands(Self.page))")
    }

    @Test func `An error page without an error of the configuration names its module and its code`() {
        let text = #"""
            HTTP Error 404.3 - Not Found
            Module: StaticFileModule
            Notification: ExecuteRequestHandler
            Handler: StaticFile
            Error Code: 0x80070032
            Physical Path: D:\Web\fonts\a.woff2
            Logon Method: Anonymous

            Most likely causes:
            The connection timed out.
            """#
        let frame = frame(text)
        #expect(frame.sentence == "HTTP 404.3 from the module 'StaticFileModule': 0x80070032 ERROR_NOT_SUPPORTED.")
        #expect(frame.failure?.value.id == "absent")
    }

    @Test func `The lines of a page keep their places, and other texts are not pages`() throws {
        let page = try #require(ServerPage(Self.page))
        #expect(page.evidence.utf8.count == Self.page.utf8.count)
        #expect(!page.evidence.contains("denied") && page.fields["Handler"] == "Not yet determined")
        #expect(ServerPage("HTTP Error 503. The service is unavailable.") == nil)
        #expect(ServerPage("Module    IIS Web Core\nNotification    BeginRequest") == nil)
    }

    // MARK: Names

    @Test(arguments: [
        ("The account 'CONTOSO\\svc' is locked.", "Get-ADUser svc -Properties"),
        ("The site 'http://portal/sites/a' was not found.", "Get-SPSite http://portal/sites/a |"),
        ("Could not connect to the server 'SQL01.contoso.com'", "Test-NetConnection SQL01.contoso.com -Port"),
        ("Set-PnPList : A parameter cannot be found that matches parameter name 'Sealed'.", "Get-Help Set-PnPList -P"),
        (
            "The certificate with thumbprint 'A1B2C3D4' was not found.",
            #"Get-ChildItem Cert:\LocalMachine -Recurse | Where-Object Thumbprint -eq 'A1B2C3D4'"#
        ),
    ])
    func `A command has the names of the text`(text: String, command: String) {
        #expect(commands(text).contains { $0.hasPrefix(command) }, "\(commands(text))")
    }

    @Test(arguments: [
        "The site 'http://portal/$(calc)' was not found.", "The site 'http://portal/a;calc' was not found.",
        "The site 'http://portal/sites/a' was not found, but 'http://portal/sites/b' exists.",
    ])
    func `A name that could change a command, or one of several, is left open`(text: String) {
        #expect(commands(text).contains { $0.hasPrefix("Get-SPSite ADDRESS") }, "\(commands(text))")
    }

    @Test func `The trace of an error page's request has its correlation ID`() {
        let page = "Sorry, something went wrong\nTroubleshoot issues with Microsoft SharePoint Foundation.\n"
        let id = "3d8a619f-1234-00aa-9b9b-0123456789ab"
        for label in ["Correlation ID: ", "Korrelations-ID: ", "correlation="] {
            let text = "\(page)\(label)\(id)\nDate and Time: 5/14/2024 9:12:31 AM"
            #expect(commands(text).contains("fastctl logs trace \(id) LOGS"))
        }
        #expect(commands(page).contains("fastctl logs trace CORRELATION LOGS"))
    }

    // MARK: Products

    @Test(arguments: [
        ("The worklist item 'Leave 12' was not found.", "k2"),
        ("Team Foundation Server could not connect to the database.", "devops"),
        ("ShareGate: the list 'Orders' was not found.", "sharegate"),
        ("m365 spo list get: the list 'Orders' was not found.", "m365"),
        ("A flow of Power Automate reports that the list 'Orders' was not found.", "power-automate"),
    ])
    func `A product around SharePoint is the component`(text: String, id: String) {
        #expect(Explanation(of: text).place?.component.id == id)
    }

    @Test(arguments: [
        "The site 'https://contoso.sharepoint.com/sites/a' was not found.",
        "m365 spo site get: the site 'https://contoso.sharepoint.com/sites/a' was not found.",
        "Set-SPOSite : Access is denied to the site 'Teams'.",
        "Get-PnPWeb : The remote server returned an error: (401) Unauthorized. (https://contoso.sharepoint.com/sites/a)",
    ])
    func `A failure in Microsoft 365 needs no check of a farm`(text: String) {
        #expect(Explanation(of: text).checks.allSatisfy { !$0.isOfFarm }, "\(commands(text))")
        let ofFarm = Explanation(of: "The site 'http://portal/sites/a' was not found.").checks
        #expect(ofFarm.contains { $0.isOfFarm })
    }
}

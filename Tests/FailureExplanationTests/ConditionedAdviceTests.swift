import Testing

@testable import FailureExplanation

/// Advice that requires more than a word: its condition must be in the text.
struct ConditionedAdviceTests {
    private func causes(_ text: String) -> [String] {
        let explanation = Explanation(of: text)
        return explanation.usually + explanation.decoded.flatMap(\.code.causes)
    }

    private func names(_ text: String) -> [String] { FailureCodes.find(in: text).map(\.code.title) }

    // MARK: Conditions

    @Test func `The token of an add-in or a server has nothing to do with the cookies of browsers`() {
        let text = """
            SPApplicationAuthenticationModule: Invalid token or signature. Exception: \
            System.IdentityModel.Tokens.SecurityTokenException: Invalid JWT token.
               at Microsoft.IdentityModel.S2S.Tokens.JsonWebSecurityTokenHandler.ReadActor(IDictionary`2 payload)
               at Microsoft.SharePoint.IdentityModel.SPApplicationAuthenticationModule.TryExtractAndValidateToken()
            """
        let explanation = Explanation(of: text)
        #expect(explanation.place?.component.id == "app-auth")
        #expect(!causes(text).contains { $0.contains("cookies") })
        let ownToken = "SPSecurityTokenService: failed to validate the signature of the token."
        #expect(causes(ownToken).contains { $0.contains("cookies") })
    }

    @Test func `A job that is still running is not one that does not apply to the server`() {
        let running = "The timer job 'Cleanup' is still running, so the current instance will be skipped."
        #expect(Explanation(of: running).frame.failure == nil)
        let elsewhere = "The timer job 'Cleanup' does not apply to this server and will be skipped."
        #expect(Explanation(of: elsewhere).frame.failure?.value.id == "skipped")
    }

    @Test func `Limits on the fields of a form are a cause only if code reads a form`() {
        let text = "InvalidOperationException: Operation is not valid due to the current state of the object.\r\n"
        let user = text + "   at Microsoft.SharePoint.SPUserToken.GetClaimsUserLoginName()"
        #expect(!Explanation(of: user).checks.contains { $0.command?.contains("MaxHttpCollectionKeys") == true })
        let form =
            text + "   at System.Web.HttpValueCollection.ThrowIfMaxHttpCollectionKeysExceeded()\r\n"
            + "   at System.Web.HttpRequest.get_Form()"
        #expect(Explanation(of: form).checks.contains { $0.command?.contains("MaxHttpCollectionKeys") == true })
    }

    @Test func `An assembly that the global assembly cache refuses is not one in use`() {
        let text = "SRV1 : Cannot add the specified assembly to the global assembly cache: Contoso.dll."
        #expect(causes(text).first?.contains("strong name") == true)
        #expect(!causes(text).contains { $0.contains("is using the file") })
    }

    @Test func `Advice on the account of a sign-in needs the name of the account, service or pool`() {
        #expect(Explanation(of: "Login failed").frame.advice.first?.id == "bare-sign-in")
        let named = "The service 'SPTimerV4' could not be started because of a sign-in failure."
        #expect(Explanation(of: named).frame.advice.first?.id == "account-sign-in")
    }

    @Test func `An assembly of Forefront Identity Manager belongs to the synchronization, not to a solution`() {
        let text = """
            Could not load file or assembly 'Microsoft.ResourceManagement, Version=4.0.2450.51, Culture=neutral, \
            PublicKeyToken=31bf3856ad364e35' or one of its dependencies. The system cannot find the file specified.
            """
        let found = FailureCodes.find(in: text)
        #expect(found.map(\.code.component) == ["profile-sync"])
        let other = text.replacing("Microsoft.ResourceManagement", with: "Contoso.Parts")
        #expect(FailureCodes.find(in: other).map(\.code.spelled) == ["0x80070002"])
    }

    // MARK: Tools outside the farm

    @Test(arguments: [
        "Get-PnPPage : Method not found: 'Void Contoso.Core.Reader.Open(Int32)'.",
        "Connect-SPOService : Could not load type 'Contoso.Core.Token' from assembly 'Contoso.Core, Version=4.1.0.0'.",
        "Connect-MgGraph : Could not load type 'Contoso.Core.Token' from assembly 'Contoso.Core, Version=4.1.0.0'.",
    ])
    func `An assembly that does not fit a module is one that the session loaded before, not one of a farm`(text: String)
    {
        let checks = Explanation(of: text).checks.compactMap(\.command)
        #expect(causes(text).first?.hasPrefix("Another module of this session, or the global") == true, "\(text)")
        #expect(checks.contains { $0.contains("CurrentDomain.GetAssemblies()") }, "\(text)")
        #expect(checks.contains { $0.hasPrefix("Get-Module |") }, "\(text)")
        #expect(!checks.contains { $0.contains("Get-SPProduct") || $0.contains("Get-SPSolution") }, "\(text)")
    }

    @Test func `An assembly that does not fit the code of a farm is compared among its servers`() {
        let text = "The feature receiver failed: Method not found: 'Void Contoso.Core.Reader.Open(Int32)'."
        #expect(Explanation(of: text).checks.contains { $0.command == "Get-SPProduct" })
        #expect(!causes(text).contains { $0.hasPrefix("Another module") })
    }

    @Test func `A request that is too large for a remote event receiver is no upload`() {
        let text = """
            The remote event receiver https://apps.contoso.com/Orders.svc was not called: The remote server returned an \
            unexpected response: (413) Request Entity Too Large.
            """
        let explanation = Explanation(of: text)
        #expect(explanation.place?.component.id == "remote-receivers")
        #expect(explanation.usually.first?.contains("maxReceivedMessageSize") == true)
        #expect(explanation.checks.first?.command?.contains("maxReceivedMessageSize") == true)
        #expect(!explanation.checks.contains { $0.command?.contains("-SP") == true })
        #expect(!causes(text).contains { $0.contains("maxRequestLength") })
        #expect(causes("HTTP 413 Request Entity Too Large").first?.contains("maxRequestLength") == true)
    }

    @Test func `A program in Node.js is checked on its own computer`() {
        let text = "AxiosError: Request failed with status code 403"
        let explanation = Explanation(of: text)
        #expect(explanation.place?.component.id == "node-client")
        #expect(explanation.checks.count == 3 && !explanation.checks.contains { $0.isOfFarm })
    }

    // MARK: Pages in place of data

    @Test(arguments: [
        "The 'hr' start tag on line 3 position 2 does not match the end tag of 'div'. Line 4, position 9.",
        "The 'p' start tag on line 3 position 2 does not match the end tag of 'body'. Line 4, position 9.",
        "Error in XML document: <html xmlns='http://www.w3.org/1999/xhtml'> was not expected.",
        "JsonReaderException: Unexpected character encountered while parsing value: <. Path '', line 0, position 0.",
    ])
    func `Tags of HTML in XML or JSON are those of a page that came instead`(text: String) {
        #expect(names(text).contains("response is an HTML page"), "\(text)")
        let withTool = "Get-PnPList : \(text)"
        #expect(causes(withTool).contains { $0.hasPrefix("The sign-in of the tool failed") }, "\(text)")
    }

    @Test(arguments: [
        "SyntaxError: Unexpected token < in JSON at position 2",
        #"SyntaxError: Unexpected token '<', "<!DOCTYPE "... is not valid JSON"#,
    ])
    func `A page in place of JSON concerns the program that read it, not the token of a sign-in`(text: String) {
        let explanation = Explanation(of: text)
        #expect(names(text).contains("HTML where JSON was expected"), "\(text)")
        #expect(explanation.place?.component.id == "node-client", "\(text)")
        #expect(!explanation.checks.contains { $0.isOfFarm }, "\(text)")
    }

    @Test func `Tags of a list's own XML are those of faulty XML`() {
        let text =
            "The 'Field' start tag on line 3 position 2 does not match the end tag of 'Fields'. Line 4, position 9."
        #expect(FailureCodes.find(in: text).map(\.code.spelled) == ["0x80131940"])
    }

    // MARK: Codes

    @Test(arguments: [
        (#"{ "readyState": 4, "status": 404, "statusText": "Not Here" }"#, "404"), (#"{"status":403}"#, "403"),
        ("{ status: 401,\r\n  statusText: 'Unauthorized' }", "401"), (#""responseText": "429 - undefined""#, "429"),
        ("StatusCodeError: 503 - undefined", "503"), ("request failed [404] Not Found ::> {}", "404"),
        ("Error: Request failed with status code 500", "500"),
    ])
    func `The status in the JSON of an HTTP client is decoded`(text: String, status: String) {
        #expect(Explanation(of: text).decoded.map(\.code.spelled) == [status], "\(text)")
    }

    @Test(arguments: [
        #"{"itemStatus": 404}"#, #"{"status": 200, "statusText": "OK"}"#, #"{"status": 40400}"#, "404 - items",
    ])
    func `A number that is no status of a failed request has no meaning`(text: String) {
        #expect(Explanation(of: text).decoded.isEmpty, "\(text)")
    }

    @Test(arguments: [
        "Unable to install AppFabric.\r\nLast return code (0X643=1603)", "The setup ended with exit code 0x643",
        "Setup: Rückgabecode 1603", "Installation: code de retour 1603",
    ])
    func `The code that a setup program returns is one of Windows Installer`(text: String) {
        #expect(FailureCodes.find(in: text).map(\.code.spelled) == ["1603"])
        #expect(names(text).first?.contains("ERROR_INSTALL_FAILURE") == true)
    }

    @Test func `A number that a program other than a setup returns has no known meaning`() {
        #expect(names("robocopy ended with exit code 0x10").isEmpty)
    }

    @Test(arguments: [
        #"{"error":{"code":"-2147024809, System.ArgumentException","message":{"lang":"en-US","#
            + #""value":"Value does not fall within the expected range."}}}"#,
        "('-2147024809, System.ArgumentException', 'Value does not fall within the expected range.')",
    ])
    func `A quoted number with the type of its exception is a code, not part of a name`(text: String) {
        #expect(Explanation(of: text).decoded.map(\.code.spelled).contains("0x80070057"))
    }

    @Test func `SharePoint's own number of a locked file is not that of an encrypted one`() {
        let text = "('-2147018894, Microsoft.SharePoint.SPFileLockException', 'The file http://sp/a.docx is locked')"
        #expect(Explanation(of: text).decoded.map(\.code.space).contains(.sharepoint))
    }

    // MARK: Words

    @Test(arguments: [
        ("ScanFiles Access Failure - Web issue.", "refused"),
        ("Temporary storage on your local computer is too low.", "exhausted"),
        ("The memory of the host is too low.", "exhausted"),
        ("File, a_x86.dll, has a different computed hash than specified in manifest.", "damaged"),
        ("The hash of the file 'a.cab' does not match.", "damaged"),
        ("Exception setting \"Owner\": \"Access is denied.\"", "refused"),
    ])
    func `Words of a class are found in any message`(text: String, id: String) {
        #expect(Explanation(of: text).frame.failure?.value.id == id)
    }

    @Test func `An invalid token in a path to a setting is not a token of a sign-in`() {
        let path = "'add [@name=\"A\"] [@type=\"A, Version=1.0.0.0, PublicKeyToken=c0dd6b3f\" preCondition=\"x\"]'"
        let text = "Error occurred in deployment step 'Activate Features': \(path) has an invalid token."
        #expect(Explanation(of: text).decoded.map(\.code.component) == ["web-config"])
        #expect(FailureCodes.find(in: "The request has an invalid token.").isEmpty)
    }
}

import Testing

@testable import FailureExplanation

/// The subject of a failure is bound by syntax: a sentence names a thing only if a clause connects it with the failure.
struct SubjectTests {
    private func frame(_ text: String) -> FailureFrame { Explanation(of: text).frame }

    // MARK: Constraints of data

    @Test(arguments: [
        "The UPDATE statement conflicted with the CHECK constraint \"CK_Orders_Amount\". The conflict occurred in "
            + "database \"Sales\", table \"dbo.Orders\", column 'Amount'.",
        "The MERGE statement conflicted with the SAME TABLE REFERENCE constraint \"FK_Parent\".",
        "Die INSERT-Anweisung steht in Konflikt mit der FOREIGN KEY-Einschränkung \"FK_A\". Der Konflikt trat in der "
            + "\"Sales\"-Datenbank auf.",
        "L'instruction DELETE est en conflit avec la contrainte REFERENCE \"FK_B\". Le conflit s'est produit dans la "
            + "base de données \"Ventes\".", "UNIQUE constraint failed: orders.number",
        "System.Data.ConstraintException: Failed to enable constraints. One or more rows contain values violating "
            + "non-null, unique, or foreign-key constraints.",
    ])
    func `A violated constraint of data is not a conflict of two users`(text: String) {
        let explanation = Explanation(of: text)
        #expect(explanation.frame.failure?.value.id == "constraint", "\(explanation.frame.slots)")
        #expect(explanation.frame.sentence?.contains("at the same time") != true)
    }

    @Test(
        arguments: [
            ("Save conflict: the item '17' has been modified by another user.", "conflict"),
            ("An update conflict has occurred, and you must re-try this action.", "conflict"),
            (
                "Violation of PRIMARY KEY constraint 'PK_A'. Cannot insert duplicate key in object 'dbo.A'.",
                "duplicate-row"
            ),
            ("Cannot resolve the collation conflict between \"A_CI\" and \"B_CI\".", "wrong-collation"),
            ("The constraints of 12 tables were checked successfully.", nil),
        ] as [(String, String?)]
    )
    func `Other conflicts keep their class, and a checked constraint is no failure`(text: String, id: String?) {
        #expect(frame(text).failure?.value.id == id, "\(frame(text).slots)")
    }

    @Test func `SQL Server's sentence about a constraint is decoded in each language`() {
        for text in [
            "The DELETE statement conflicted with the SAME TABLE REFERENCE constraint \"FK_A\".",
            "Die UPDATE-Anweisung steht in Konflikt mit der CHECK-Einschränkung \"CK_A\".",
            "L'instruction INSERT est en conflit avec la contrainte CHECK \"CK_A\".",
        ] { #expect(Explanation(of: text).decoded.map(\.code.number) == [547], "\(text)") }
    }

    // MARK: Subjects

    @Test(arguments: [
        (
            "Failed to copy the files for the publishing job 'Nightly'. Exception was 'System.Net.WebException: The "
                + "remote server returned an error: (404) Not Found.",
            "Failed to copy the files for the publishing job 'Nightly'."
        ),
        (
            "The timer job 'Rates' ended with a failure. The error returned was 0x80070005.",
            "The timer job 'Rates' ended with a failure."
        ),
        (
            "The list 'Prices' could not be synchronized with error 0x80070005.",
            "The list 'Prices' could not be synchronized with error 0x80070005."
        ),
        (
            "The UPDATE statement conflicted with the CHECK constraint \"CK_A\". The conflict occurred in "
                + "database \"Sales\".",
            "The UPDATE statement conflicted with the CHECK constraint \"CK_A\"."
        ),
        (
            "The value 'd/total' cannot be read as type 'Decimal'.",
            "The value 'd/total' cannot be read as type 'Decimal'."
        ),
        (
            "The job 'Orders' stopped because the file was not found.",
            "The job 'Orders' stopped because the file was not found."
        ), ("Copying of the list 'Orders': the file was not found", "The file was not found."),
        (
            "Warning: [Content_2] Cannot open the backup device 'D:\\Backup\\2.bak'. Operating system error 3(The system "
                + "cannot find the path specified.).", "[Content_2] Cannot open the backup device 'D:\\Backup\\2.bak'."
        ),
        (
            "A handler is not registered to read a security token ('Assertion').",
            "A handler is not registered to read a security token ('Assertion')."
        ),
        ("The header could not be found on server 'APP1'.", "The header could not be found on server 'APP1'."),
        (
            "Cannot find an OrderBook object with name or address: https://books.contoso.com/a",
            "Cannot find an OrderBook object with name or address: https://books.contoso.com/a."
        ),
        (
            "CreateColumn fails from time to time with the error \"The specified program requires a newer version.\"",
            "The specified program requires a newer version."
        ),
        (
            "Connect-PnPOnline -Url https://sp/sites/a\nConnect-PnPOnline: Host not reachable",
            "The cmdlet 'Connect-PnPOnline': Host not reachable."
        ),
    ])
    func `A name in another clause than the failure is not its subject; the text's own words are`(
        text: String,
        sentence: String
    ) {
        #expect(frame(text).sentence == sentence, "\(frame(text).slots)")
    }

    @Test(arguments: [
        (
            "Set-SPOTenant : Archiving of the Shared folder within the tenant has ended.\r\n    + "
                + "FullyQualifiedErrorId : Microsoft.SharePoint.Client.ServerException,Contoso.SetTenant",
            "The cmdlet 'Set-SPOTenant': Archiving of the Shared folder within the tenant has ended."
        ),
        (
            "Get-PnPPage : Method not found: 'Void Contoso.Reader.Open(Int32)'.",
            "The cmdlet 'Get-PnPPage': Method not found: 'Void Contoso.Reader.Open(Int32)'."
        ),
        (
            "System.Net.WebException: The remote server returned an error: (401) Unauthorized.\r\n"
                + "   at System.Net.HttpWebRequest.GetResponse()",
            "The remote server returned an error: (401) Unauthorized."
        ),
    ])
    func `If the object has no name, the message's own words are better than its noun`(text: String, sentence: String) {
        #expect(frame(text).sentence == sentence, "\(frame(text).slots)")
    }

    @Test(arguments: [
        ("The list 'Orders' was not found.", "The list 'Orders' was not found."),
        (
            "The list 'Orders' was skipped because it was not found.",
            "The list 'Orders' was skipped because it was not found."
        ), ("The timer job 'X' could not read the account Y", "The timer job 'X' could not read the account Y."),
        ("The database 'Orders': it is not enabled for reading", "The database 'Orders' is not set up."),
        ("The feature 'Ribbon' is not supported.", "The feature 'Ribbon' is not supported."),
    ])
    func `A name in the clause of the failure, or one that a pronoun means, is its subject`(
        text: String,
        sentence: String
    ) {
        #expect(frame(text).sentence == sentence, "\(frame(text).slots)")
    }

    @Test func `A sentence and its information are one answer`() {
        for text in ["The list 'Orders' was not found.", "Access denied", "It works", "The cache is not set up yet"] {
            let frame = frame(text)
            #expect(!frame.isInformative || frame.sentence != nil, "\(text)")
        }
        #expect(frame("The list 'Orders' was not found.").isInformative)
        #expect(!frame("Access denied").isInformative)
    }

    @Test func `An argument that is not supported is not the file that the frames worked on`() {
        let text = """
            System.NotSupportedException: The format of the argument is not supported.
               at System.IO.FileStream..ctor(String path)
               at System.IO.StreamWriter..ctor(String path)
            """
        #expect(frame(text).object?.value.kind != "file")
        let missing = "System.IO.FileNotFoundException: Gone\n   at System.IO.FileStream..ctor(String path)"
        #expect(frame(missing).object?.value.kind == "file")
    }

    // MARK: Components

    @Test(arguments: [
        "This access control list is not in canonical order and cannot be changed.",
        "The list was not found.", "The item could not be found.",
        "The user of the page is not on the list that was not found.",
    ])
    func `A common noun alone indicates no component`(text: String) {
        #expect(Explanation(of: text).place == nil, "\(frame(text).slots)")
        #expect(Explanation(of: "The list 'Orders' was not found.").place?.component.id == "lists")
    }

    @Test func `The words of another thing's name have no others between them`() {
        #expect(frame("The work item 'Nightly' was not found.").object?.value.words == "the work item 'Nightly'")
        #expect(frame("The control of the list 'Orders' was not found.").object?.value.kind == "list")
    }

    @Test func `A component in a clause without a failure gets no checks, and the category comes before it`() throws {
        let text = "The disk is full. The drop folder is on the same disk."
        let aside = Explanation(of: text)
        let component = try #require(aside.place?.component)
        #expect(component.id == "mail-in" && !aside.checks.contains(where: component.checks.contains))
        #expect(Explanation(of: text, category: "Secure Store").place?.component.id == "secure-store")
        let failed = Explanation(of: "The disk is full. The drop folder was not found.")
        #expect(failed.place?.component.id == "mail-in" && failed.checks.contains(component.checks[0]))
    }

    // MARK: Labels, commands and other sentences

    @Test(
        arguments: [
            ("<Error Column=\"7\" Text=\"The namespace was not found\" />", nil),
            ("Event Type = [ItemAdded], Exception = [The operation has timed out]", nil),
            ("Get-SPThing -List 'A'\nGet-SPThing : The solution 'b.wsp' was not found.", "the solution 'b.wsp'"),
            ("As user CONTOSO\\ann.\nGet-SPThing : The service application was not found.", "the service application"),
        ] as [(String, String?)]
    )
    func `A label, a parameter or an account of another sentence is no object`(text: String, words: String?) {
        #expect(frame(text).object?.value.words == words, "\(frame(text).slots)")
    }

    @Test func `The cmdlet of a failure is the last one before it, and not one of a later sentence`() {
        let script = "Start-SPServiceInstance -Identity 12\nNew-SPSite -Url http://a/b\nAccess is denied."
        #expect(frame(script).actor?.value.name == "New-SPSite" && frame(script).remedy == nil)
        let later = "Could not load type 'A.B' from assembly 'A'.\nAll calls to Get-SPThing will result in errors too."
        #expect(frame(later).actor == nil, "\(frame(later).slots)")
        #expect(frame("Access is denied. Please run Add-SPShellAdmin for the account.").remedy != nil)
    }

    @Test func `A denial and its word have no verb between them`() {
        #expect(frame("Could not authenticate to SharePoint Online").failure?.value.id == "sign-in")
        #expect(frame("The backup does not talk to the tenant online.").failure?.value.id != "not-started")
        #expect(frame("The timer service is currently not running.").failure?.value.id == "not-started")
    }

    @Test(arguments: [
        "The crawl is failing.", "The app does not work since Monday.", "The import keeps failing.",
        "The profile service won't start.", "Search stopped returning results.", "The workflow fails on each start.",
    ])
    func `The present tense reports a failure like the past`(text: String) {
        #expect(frame(text).failure != nil && frame(text).sentence != nil, "\(frame(text).slots)")
    }

    @Test func `The farm's own sentences name the causes of a session without a farm`() throws {
        for text in ["Cannot access the local farm. Verify that it is available.", "SPFarm not found."] {
            let code = try #require(Explanation(of: text).decoded.first?.code)
            #expect(code.causes.contains { $0.contains("SharePoint_Shell_Access") }, "\(text)")
        }
    }

    // MARK: Properties

    @Test(arguments: [
        (
            "Exception setting \"Owner\": \"i:0e.t|adfs|ann\"\nAt line:1 char:1\n+ $policy.Owner = $user\n"
                + "+ ~~~~~\n    + CategoryInfo : NotSpecified: (:) [], SetValueInvocationException\n"
                + "    + FullyQualifiedErrorId : ExceptionWhenSetting",
            "The property 'Owner' could not be set: i:0e.t|adfs|ann."
        ), ("Exception setting \"Quota\": \"Contoso\"", "The property 'Quota' could not be set: Contoso."),
        ("Ausnahme beim Festlegen von \"Quota\": \"Contoso\"", "The property 'Quota' could not be set: Contoso."),
        ("Exception getting \"Sites\": \"Contoso\"", "The property 'Sites' could not be read: Contoso."),
        ("Exception setting \"Owner\": \"Access is denied.\"", "Could not set the property 'Owner'."),
        ("Exception setting \"Owner\": \"The list 'Orders' was not found.\"", "The list 'Orders' was not found."),
    ])
    func `A property that could not be set is the object, unless its reason names another one`(
        text: String,
        sentence: String
    ) {
        #expect(frame(text).sentence == sentence, "\(frame(text).slots)")
    }

    @Test func `A property that was set shows no failure`() {
        for text in ["Setting \"Owner\": \"ann\"", "The property 'Owner' was set to 'ann'."] {
            #expect(frame(text).failure == nil && frame(text).sentence == nil, "\(text)")
        }
    }
}

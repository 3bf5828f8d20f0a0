import Testing

@testable import FailureExplanation

/// Messages in no table of sentences, in the words of different programs: the frame shows what they have in common.
struct UnseenMessageTests {
    private func frame(_ text: String) -> FailureFrame { Explanation(of: text).frame }

    // MARK: Names as objects

    @Test(arguments: [
        ("Start-SPServiceInstance : Cannot bind argument to parameter 'Identity' because it is null.", "Identity"),
        ("ArgumentNullException: Value cannot be null.\r\nParameter name: serviceInstance", "serviceInstance"),
        ("Value cannot be null. (Parameter 'contentType')", "contentType"),
        ("Der Wert darf nicht NULL sein.\r\nParametername: web", "web"),
        ("La valeur ne peut pas être null.\nNom du paramètre : liste", "liste"),
        ("La valeur ne peut pas être null.\nNom du paramètre\u{A0}: liste", "liste"),
    ])
    func `A parameter without a value is named, and an earlier lookup is the usual cause`(text: String, name: String) {
        let explanation = Explanation(of: text)
        let object = explanation.frame.object?.value
        #expect(explanation.frame.failure?.value.id == "empty", "\(text)")
        #expect(object?.kind == "setting" && object?.name == name, "\(text)")
        let isQuoted = text.contains(" bind ")
        let reason = isQuoted ? "parameter '\(name)' because it is null." : "he argument '\(name)' has no value."
        #expect(explanation.frame.sentence?.hasSuffix(reason) == true, "\(text)")
        #expect(explanation.usually.first?.hasPrefix("An earlier lookup returned nothing") == true, "\(text)")
        #expect(explanation.checks.first?.command == "whoami /groups")
    }

    @Test func `A method that is called on nothing names the cmdlet that looked it up`() {
        let text = """
            You cannot call a method on a null-valued expression.
            At C:\\farm\\start.ps1:9 char:1
            + (Get-SPServiceInstance -Server APP2).Provision()
            + ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
                + CategoryInfo          : InvalidOperation: (:) [], RuntimeException
                + FullyQualifiedErrorId : InvokeMethodOnNull
            """
        let frame = frame(text)
        #expect(frame.sentence == "The result of the cmdlet 'Get-SPServiceInstance' has no value.")
        #expect(frame.advice.first?.id == "setting-empty")
    }

    @Test func `A parameter with an unsuitable value is not reported as empty`() {
        let text = "Specified argument was out of the range of valid values.\r\nParameter name: index"
        #expect(frame(text).object?.value.name == nil)
        let unknown = frame("Set-PnPList : A parameter cannot be found that matches parameter name 'Sealed'.")
        #expect(unknown.object?.value.name == "Sealed" && unknown.advice.first?.id == "setting-unknown")
    }

    @Test func `A property keeps its own word`() {
        #expect(frame("The property 'Owner' was not found.").sentence == "The property 'Owner' was not found.")
    }

    // MARK: Modules and tools

    @Test(arguments: [
        ("Add-PnPFile : The site or list was not found", "pnp"),
        ("Invoke-PnPSiteTemplate : the content type 'Invoice' already exists", "pnp"),
        ("The site is missing\nFullyQualifiedErrorId : EXCEPTION,PnP.PowerShell.Commands.Lists.AddListItem", "pnp"),
        ("Set-SPOSite : The account does not have permission on the site collection.", "spo"),
        ("Connect-SPOService : The sign-in failed for the site", "spo"),
        ("Start-SPMTMigration : the list 'Invoices' already exists", "spmt"),
        ("The SharePoint Migration Tool could not read the list 'Invoices'", "spmt"),
        ("MSFT_SPQuotaTemplate: the site 'http://sp' is missing", "sharepoint-dsc"),
        ("MSFT_SPFarm: the site 'http://sp' is missing", "farm"),
    ])
    func `The module of a cmdlet outranks words such as site and list`(text: String, id: String) {
        #expect(Explanation(of: text).place?.component.id == id, "\(frame(text).slots)")
    }

    @Test(arguments: ["Get-SPODataConnectionSetting : The site was not found", "Import-Datei : die Liste fehlt"])
    func `Cmdlets of SharePoint and compound words are not those of another module`(text: String) {
        #expect(Explanation(of: text).place?.component.id != "spo")
        #expect((frame(text).actor == nil) == text.hasPrefix("Import"))
    }

    // MARK: Sign-in

    @Test(arguments: [
        "The password of the account CONTOSO\\crawl on the server that has the share is not correct.",
        "The queue worker ended because of sign-in failure.",
        "The queue worker could not be started because of a logon failure.",
        "An incorrect user name or password was given for 'CONTOSO\\svc'.", "Bad user name or password",
        "The credentials of the external system 'CRM' were rejected.", "Not a valid password for CONTOSO\\svc",
        "Das Kennwort für 'CONTOSO\\svc' ist falsch.", "Das Kennwort des Kontos CONTOSO\\svc ist nicht korrekt.",
        "Die Anmeldung des Kontos CONTOSO\\svc an dem Server ist leider fehlgeschlagen.",
        "Le mot de passe du compte CONTOSO\\svc est incorrect.",
    ])
    func `A wrong password is a failed sign-in in any word order`(text: String) {
        #expect(frame(text).failure?.value.id == "sign-in", "\(frame(text).slots)")
    }

    @Test(arguments: [
        ("The service 'Queue' could not be started because the list 'Jobs' was not found.", "absent", "list"),
        ("The file 'a.wsp' was not found because access was denied to the folder 'D:\\Drop'.", "refused", "folder"),
        ("The site 'A' was not found. It failed due to a timeout: the database 'B' has timed out", "absent", "site"),
    ])
    func `The reason outranks its consequence in the same clause`(text: String, id: String, object: String) {
        #expect(frame(text).failure?.value.id == id && frame(text).object?.value.kind == object, "\(frame(text).slots)")
    }

    // MARK: Cmdlets and remedies

    @Test(arguments: [
        "Get-SPSite http://sp/sites/a", "Connect-PnPOnline -Url http://sp/sites/a -Interactive",
        "Get-SPServiceInstance | Where-Object TypeName -like '*Search*'",
    ])
    func `A cmdlet without words of failure is not a report`(text: String) {
        #expect(!Explanation(of: text).isReport)
        #expect(Explanation(of: text + "\nAccess is denied").isReport)
    }

    @Test(arguments: [
        ("Deployment is pending. Run Install-SPSolution -Force on APP1.", "Run Install-SPSolution -Force on APP1."),
        (
            "Error: \"The host is not in the cluster. Run Add-SPDistributedCacheServiceInstance on 'APP1'.\"",
            "Run Add-SPDistributedCacheServiceInstance on 'APP1'."
        ),
        ("The list 'Jobs' was not found (Create it first. Use the site 'Ops'.)", "Use the site 'Ops'."),
        ("The list 'Orders' was not found. Add it to 'http://sp/sites/a'", "Add it to 'http://sp/sites/a'"),
    ])
    func `The remedy of a message is its first step, with or without a class and a full stop`(
        text: String,
        remedy: String
    ) {
        #expect(Explanation(of: text).checks.first?.text == "The message itself advises: \(remedy)")
    }

    @Test func `Advice in a text without failure is a remedy only if it names something, and a success needs none`() {
        #expect(frame("Dear colleagues. Please check the wiki.").remedy == nil)
        #expect(frame("The backup was completed successfully. Run Get-SPBackupHistory to see it.").remedy == nil)
        #expect(frame("The file 'a.wsp' was not found. Run Get-SPSolution to list them.").actor == nil)
        #expect(frame("Get-SPSolution : The file 'a.wsp' was not found.").actor?.value.name == "Get-SPSolution")
    }

    // MARK: Sentences

    @Test(arguments: [
        (
            "This feature is not supported on servers with the role Custom.",
            "This feature is not supported on servers with the role Custom."
        ),
        (
            "Export ended. The cache has not been set up for this front end yet; nothing was copied",
            "The cache has not been set up for this front end yet."
        ),
        (
            "Set-SPTopic : The parameter must be configured before the job can run",
            "The cmdlet 'Set-SPTopic': The parameter must be configured before the job can run."
        ),
        (
            "Unable to load one of the assemblies that the solution lists in its manifest",
            "Unable to load one of the assemblies that the solution lists in its manifest."
        ),
        (
            "\"C:\\Tools\\icacls.exe\" \"D:\\Index\" /grant: could not find the path",
            "The folder 'D:\\Index' was not found."
        ), ("The feature 'Ribbon' is not supported.", "The feature 'Ribbon' is not supported."),
    ])
    func `A sentence keeps the name, or the words of the text if there is none`(text: String, sentence: String) {
        #expect(frame(text).sentence == sentence, "\(frame(text).slots)")
    }

    @Test(arguments: [
        ("A required rules extension 'A.dll' could not be loaded.", "A.dll"),
        ("The run step stopped because a required rules extension 'A.dll' could not be loaded.", "A.dll"),
        ("The file 'A.dll' could not be loaded.", "A.dll"),
    ])
    func `A quoted name with the extension of a file is the file that was not loaded`(text: String, name: String) {
        let frame = frame(text)
        #expect(frame.object?.value.kind == "file" && frame.object?.value.name == name, "\(frame.slots)")
        #expect(frame.sentence?.hasSuffix("'\(name)' could not be loaded.") == true, "\(frame.slots)")
    }

    @Test func `Nouns and names other than those of files keep their kind`() {
        #expect(frame("The solution 'a.wsp' was not found.").object?.value.kind == "solution")
        #expect(frame("The timer job 'A.B.Config' was not found.").object?.value.kind == "timer-job")
    }

    // MARK: Successes, guesses and questions

    @Test func `A success or a setting erases neither a failure code nor the failure of another clause`() {
        let page = """
            HTTP Error 500.19 - Internal Server Error
            Config Error   This section is locked. Locking is either by default or set explicitly by a location tag.
            """
        #expect(Explanation(of: page).decoded.contains { $0.code.space == .http && $0.code.spelled == "500.19" })
        #expect(!frame("The cache is on by default. The list 'Jobs' was not found.").isHarmless)
        #expect(frame("The cache is on by default.").isHarmless)
    }

    @Test func `A sentence that reports a failure is no advice`() {
        let text = "The import ended: Upgrade [SPWebApplication Name=Teams] failed.\nAccess is denied."
        #expect(frame(text).remedy == nil)
        let advice = "The list 'A' was not found. Verify that the site 'B' is not missing."
        #expect(frame(advice).remedy?.value == "Verify that the site 'B' is not missing.")
    }

    @Test func `Advice after a supposed cause is only possible, and does not determine the component`() {
        let text = """
            The file 'a.js' could not be loaded. This may be a problem with a HTTPS certificate. \
            Make sure you have the right certificate.
            """
        let explanation = Explanation(of: text)
        #expect(explanation.frame.remedy?.certainty == .possible)
        #expect(explanation.place?.component.id != "certificates")
    }

    @Test(arguments: [
        "How do I find out why a user got Access denied last week?", "Why was the list 'Jobs' not found",
        "Warum wurde der Zugriff verweigert?", "Could the file 'a.dll' not be loaded?",
    ])
    func `A question reports no failure`(text: String) {
        let explanation = Explanation(of: text)
        #expect(explanation.frame.failure?.certainty != .likely && explanation.frame.sentence == nil)
        #expect(explanation.decoded.isEmpty && explanation.usually.isEmpty)
    }

    @Test func `A question about a message or before a report keeps its codes and its failure`() {
        #expect(!Explanation(of: "What does 0x80070005 mean?").decoded.isEmpty)
        #expect(!Explanation(of: "Was bedeutet die Meldung Zugriff verweigert?").decoded.isEmpty)
        #expect(frame("What is wrong here? The list 'Jobs' was not found.").failure?.certainty == .likely)
    }

    @Test(arguments: [
        "The crawl finished: 12034 successes, 0 errors, 0 warnings.", "Get-SPSite | where { $_.Url -like '*error*' }",
        "We should document how certificates are renewed.", "No failed jobs. 0 of 312 timer jobs failed.",
        "Health analyzer: All content databases are up to date and no upgrade is required.",
    ])
    func `A component or a cmdlet that a text mentions explains nothing`(text: String) {
        #expect(Explanation(of: text).explainsNothing, "\(frame(text).slots)")
        #expect(!Explanation(of: text + "\nThe list 'Jobs' was not found.").explainsNothing)
    }

    @Test func `A number of failures states a failure`() {
        #expect(frame("Errors occurred processing 3 message(s): Message ID").statesFailure)
        #expect(!frame("Errors occurred processing 0 message(s)").countsFailures)
    }

    // MARK: Codes

    @Test(arguments: [
        ("The SQL writer ended with 0x800423F2.", "VSS_E_WRITERERROR_TIMEOUT", "timed-out"),
        ("Backup of the volume D: hr = -2147212513", "VSS_E_INSUFFICIENT_STORAGE", "full"),
    ])
    func `Codes of the Volume Shadow Copy service are decoded`(text: String, name: String, id: String) {
        let explanation = Explanation(of: text)
        #expect(explanation.decoded.first?.code.name == name && explanation.frame.failure?.value.id == id)
    }

    @Test func `A permanent reply of a mail server is decoded where it stands as a reply`() {
        for text in ["RCPT TO: 550 5.7.1 Unable to relay", "The alert was returned: 550 5.1.1 User unknown"] {
            let explanation = Explanation(of: text)
            #expect(explanation.decoded.first?.code.number == 412, "\(text)")
            #expect(explanation.place?.component.id == "mail-out")
        }
        #expect(Explanation(of: "550 items, build 550.5.7").decoded.isEmpty)
    }

    @Test func `The text of code 0 is not a success, and a known sentence outweighs one`() {
        let failed = "The service failed to create the log. Error 0x0: The operation completed successfully."
        #expect(frame(failed).failure != nil && !frame(failed).isHarmless)
        #expect(frame("The backup of 'Jobs': The operation completed successfully.").isHarmless)
        #expect(frame("Error: The backup completed successfully.").isHarmless)
        let known = "Failed to connect to hosts in the cluster. The cleanup completed successfully."
        #expect(Explanation(of: known).decoded.isEmpty == false)
    }

    @Test func `A code in a message that an installer quotes is decoded, and one in a title is not`() {
        let row = "10:11:12:100::[1744] MSI(INFO): 'CustomAction WriteCache returned actual error code 1603 (see log)'"
        #expect(Explanation(of: row).decoded.map(\.code.number) == [1603])
        #expect(Explanation(of: "Page 'Setup ended with error code 1603' was uploaded").decoded.isEmpty)
    }

    @Test(arguments: [
        (
            "Error 1935. An error occurred during the installation of assembly component {1}.", FailureCode.Space.setup,
            1935
        ),
        ("Error 1920. Service 'A' (B) failed to start.", .setup, 1920),
        ("Error 1722. The RPC server is unavailable.", .win32, 1722), ("System error 1311 has occurred.", .win32, 1311),
        ("Error 1402. Invalid cursor handle.", .win32, 1402),
    ])
    func `A number is that of Windows Installer only with its message`(
        text: String,
        space: FailureCode.Space,
        number: UInt64
    ) {
        let codes = Explanation(of: text).decoded.map(\.code).filter { $0.number == number }
        #expect(codes.map(\.space) == [space])
    }

    @Test func `A provider's error 0 is not a count, and a success within a sentence about a failure is none`() {
        let text = """
            A connection was successfully established with the server, but then an error occurred during the login \
            process. (provider: SSL Provider, error: 0 - The client and server cannot communicate, because they do not \
            possess a common algorithm.)
            """
        let explanation = Explanation(of: text)
        #expect(explanation.decoded.contains { $0.code.number == 0x8009_0331 })
        #expect(explanation.decoded.contains { $0.code.space == .sentence })
        #expect(explanation.frame.isHarmless == false)
        let german = Explanation(
            of: "(Anbieter: TCP-Anbieter, Fehler: 0 - Der angegebene Netzwerkname ist nicht mehr verfügbar.)"
        )
        #expect(german.decoded.map(\.code.number) == [64])
        for text in [
            "Jobs: 12, errors: 0 - Access is denied: none", "Error: 0 - The operation completed successfully.",
            "(provider: X, error: 0 - The operation completed successfully.)", "Copy finished, error: 0 - no error",
            "Backup done (provider: VSS, error: 0 - Warnings: 2).", "Fehler: 0 - fertig",
        ] {
            #expect(!Explanation(of: text).isReport, "\(text)")
        }
    }

    @Test func `The causes are those of the reason, and not of the report that something failed`() throws {
        let outer =
            "Unhandled exception was thrown by the sandboxed code wrapper's Execute method in the partial trust app domain"
        let reason = """
            The sandboxed code execution request was refused because the Sandboxed Code Host Service was too busy to \
            handle the request.
            """
        let both = Explanation(of: "\(outer): \(reason)")
        let first = try #require(both.decoded.first?.code)
        #expect(!first.isOuter && !first.causes.isEmpty && !first.isGeneral)
        #expect(both.decoded.filter(\.code.isOuter).map(\.code.causes) == [[]])
        let alone = try #require(Explanation(of: outer).decoded.first?.code)
        #expect(alone.isOuter && !alone.causes.isEmpty && alone.isSupposed)
    }

    @Test func `The causes of a number that any program reports are only possible`() throws {
        let code = try #require(Explanation(of: "It failed with 0x80070005").decoded.first?.code)
        #expect(code.isSupposed && !code.causes.isEmpty)
    }

    @Test func `A number as the first argument of a call is not a code`() {
        let call = "Unexpected error calling routine RegOpenKeyExW(-2147483646,SYSTEM\\Diag,...)"
        #expect(Explanation(of: call).decoded.allSatisfy { $0.evidence != .number })
        for text in ["It failed (-2147024891).", "HRESULT(-2147024891, E)", "Open failed(-2147024891, 0)"] {
            #expect(Explanation(of: text).decoded.map(\.code.number) == [0x8007_0005], "\(text)")
        }
    }

    @Test func `Of two sentences, the one with more fixed words counts, and a schema's list names no component`() {
        let start = "The element 'WebPart' in namespace 'urn:deployment-manifest-schema' has invalid child element"
        let list = "List of possible elements expected: 'Control, ListTemplate, Workflow' in namespace 'a'."
        let known = Explanation(of: "\(start) 'ColumnWidth' in namespace 'urn:deployment-manifest-schema'. \(list)")
        #expect(known.decoded.map(\.code.name) == ["column width not allowed in manifest"])
        let other = Explanation(of: "The element 'A' has invalid child element 'B'. \(list)")
        #expect(other.decoded.map(\.code.name) == ["XML does not match its schema"])
        #expect(other.place == nil)
    }

    @Test func `A known message that reports no failure has neither causes nor checks`() {
        let text = """
            Load control template file /_controltemplates/TaxonomyPicker.ascx failed: Could not load type 'A.B' from \
            assembly 'C, Version=14.0.0.0'.
            """
        let explanation = Explanation(of: text)
        #expect(explanation.decoded.map(\.code.kind) == [.harmless])
        #expect(explanation.frame.sentence == nil && explanation.usually.isEmpty && explanation.checks.isEmpty)
        let more = Explanation(of: text + " Later: Login failed for user 'x', error 18456.")
        #expect(more.decoded.contains { $0.code.number == 18456 } && more.frame.failure != nil)
    }

    // MARK: Quotes, advice and output

    @Test(arguments: [
        "\u{201C}Could not find the specified job of the service\u{201D}",
        "'Could not find the specified job of the service'",
        "Seen today:\n\"Could not find the specified job of the service\".\n",
    ])
    func `A line in quotation marks is a message rather than a name`(text: String) {
        #expect(frame(text).failure?.value.id == "absent", "\(frame(text).slots)")
    }

    @Test func `A quotation mark without its counterpart does not hide a failure`() {
        let text =
            "- Download of product 'Fabric_1_0 failed. Failed to download file: 'http://a/b'. Skipping product 'B'."
        #expect(frame(text).failure?.value.id == "failed")
    }

    @Test(arguments: [
        ("The list 'Jobs' is not valid. Remove the parameter and try again.", "Remove the parameter and try again."),
        (
            "The list 'Jobs' was not found. To resolve this issue, verify that the list exists.",
            "To resolve this issue, verify that the list exists."
        ),
        ("The call timed out. Increase the SendTimeout of the binding.", "Increase the SendTimeout of the binding."),
        ("The list 'Jobs' was not found. Please try again.", nil),
        ("The list 'Jobs' was not found. Correct values were not given in the parameter 'Name'.", nil),
    ])
    func `Advice of the text itself is the remedy, unless it is empty`(text: String, remedy: String?) {
        #expect(frame(text).remedy?.value == remedy)
    }

    @Test func `An error that a cmdlet printed outweighs the output before it`() {
        let text = """
            Output: The file 'C:\\Jobs\\a.cfg' was not found.

            Set-SPFarmConfig : The value of the setting is invalid.
            """
        #expect(frame(text).failure?.value.id == "invalid")
    }

    @Test func `A crash is explained by the events that Windows recorded with it`() {
        let explanation = Explanation(
            of: "Faulting application name: job.exe, version: 1.0. Faulting module name: KERNELBASE.dll, version: 6.3."
        )
        #expect(
            explanation.frame.failure?.value.id == "crashed" && explanation.frame.sentence?.contains("job.exe") == true
        )
        #expect(explanation.checks.first?.command?.contains(".NET Runtime") == true)
    }

    // MARK: Components

    @Test func `A command that a message quotes indicates its component`() {
        let text = "The instance must be configured. Run 'Add-SPDistributedCacheServiceInstance -Role X' here."
        #expect(Explanation(of: text).place?.component.id == "distributed-cache")
    }

    @Test(arguments: [
        (#"Could not write C:\Jobs\a.xml: Access is denied."#, "disk"),
        (#"C:\Jobs\a.exe: invalid syntax in the arguments."#, nil),
    ])
    func `A path concerns the disk only in failures that files have`(text: String, component: String?) {
        #expect(Explanation(of: text).place?.component.id == component)
    }

    @Test func `A step of an upgrade concerns the upgrade rather than the object of its name`() {
        let text = "[powershell] [SPSiteWssSequence] [ERROR]: Inner Exception: Field name already exists."
        let explanation = Explanation(of: text)
        #expect(explanation.place?.component.id == "upgrade")
        #expect(explanation.frame.sentence == "The upgrade step 'SPSiteWssSequence': Field name already exists.")
    }

    // MARK: What leads away

    @Test func `A component that custom code called is not named if nothing is known about the failure`() {
        let type = "System.InvalidOperationException: The widget is odd."
        let called = "   at Microsoft.SharePoint.SPBaseCollection.SPEnumerator.MoveNext()"
        let own = Explanation(of: type + called + "   at Contoso.Intranet.Cleaner.Clean(SPList list)")
        #expect(own.place == nil && own.foreignFrame?.name == "Contoso.Intranet.Cleaner.Clean")
        #expect(own.checks.contains { $0.command?.contains("Contoso") == true })
        #expect(Explanation(of: type + called).place?.component.isGeneric == true)
    }

    @Test func `The reason that Windows gives replaces the causes of a general sentence`() {
        let sentence = "The SPTimerV4 service was unable to log on as A\\b with the currently configured password"
        let reason =
            " due to the following error: \nLogon failure: the user has not been granted the requested logon type at this "
            + "computer."
        let causes = { (text: String) in Explanation(of: text).decoded.flatMap(\.code.causes) }
        #expect(causes(sentence).contains { $0.contains("password") })
        #expect(causes(sentence + reason).contains { $0.contains("Log on as a service") })
        #expect(!causes(sentence + reason).contains { $0.contains("password was changed") })
    }

    @Test func `An error page whose own error is empty is explained by its status and code`() {
        let page =
            "HTTP Error 500.19 - Internal Server Error\nThe requested page cannot be accessed because the related "
            + "configuration data for the page is invalid.\n\nDetailed Error Information\nModule\tIIS Web Core\n"
            + "Notification\tBeginRequest\nHandler\tNot yet determined\nError Code\t0x8007000d\nConfig Error\n"
            + "Config File\t\\\\?\\C:\\inetpub\\wwwroot\\wss\\web.config\n\nConfig Source\n  513:     <rewrite>\n"
        let explanation = Explanation(of: page)
        let status = explanation.decoded.first { $0.code.spelled == "500.19" }
        #expect(status?.code.causes.isEmpty == false && explanation.usually.isEmpty)
        #expect(explanation.frame.sentence?.hasPrefix("HTTP 500.19 from the module 'IIS Web Core': 0x8007000D") == true)
    }

    @Test func `An unknown command concerns PowerShell, not the component of its noun`() {
        let text = "Get-SPSite : The term 'Get-SPSite' is not recognized as the name of a cmdlet."
        #expect(Explanation(of: text).place?.component.id == "powershell")
        #expect(Explanation(of: "Get-SPSite : Cannot find an SPSite object.").place?.component.id == "sites")
    }

    @Test func `The header of a response is not a content type`() {
        #expect(Explanation(of: "HTTP/1.1 403 FORBIDDEN\nContent-Type: application/json").place == nil)
        #expect(Explanation(of: "The content type was not found.").place?.component.id == "content-types")
    }
}

import Foundation
import Testing

@testable import FailureExplanation

/// Each reader on its own, and the frame that all readers fill together.
struct FrameTests {
    private func frame(_ text: String, process: String? = nil) -> FailureFrame {
        Explanation(of: text, process: process).frame
    }

    // MARK: The tables

    private static let files: [(name: String, text: String)] = {
        let folder = URL(filePath: #filePath).appending(path: "../../../Rules/Frames").standardized
        let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return (files ?? []).map { ($0.lastPathComponent, (try? String(contentsOf: $0, encoding: .utf8)) ?? "") }
    }()

    @Test func `Every line of the files is understood, with at least 30 classes and 25 kinds of objects`() {
        #expect(Self.files.count == 6)
        let tables = FrameTables(Self.files)
        #expect(tables.unread == [])
        #expect(tables.failures.count >= 30 && tables.objects.count >= 25 && tables.actors.count >= 15)
        for kinds in [tables.failures, tables.objects, tables.actors, tables.throwers] {
            #expect(Set(kinds.map(\.id)).count == kinds.count)
        }
    }

    @Test func `An entry's conditions name existing kinds, and every entry has a source, causes and checks`() {
        let tables = FrameTables.builtIn
        let components = Set(Components.all.map(\.id))
        let (failures, objects) = (Set(tables.failures.map(\.id)), Set(tables.objects.map(\.id)))
        let actors = Set(tables.actors.map(\.id))
        #expect(Set(tables.entries.map(\.id)).count == tables.entries.count)
        for entry in tables.entries {
            // The causes of an entry without any are those of its components.
            #expect(!entry.source.isEmpty && !entry.checks.isEmpty, "\(entry.id)")
            #expect(!entry.causes.isEmpty || !entry.components.isEmpty, "\(entry.id)")
            #expect(entry.failures.allSatisfy(failures.contains), "\(entry.id)")
            #expect(entry.objects.allSatisfy(objects.contains), "\(entry.id)")
            #expect(entry.actors.allSatisfy(actors.contains), "\(entry.id)")
            #expect(entry.components.allSatisfy(components.contains), "\(entry.id)")
            #expect(entry.weight > 0, "\(entry.id)")
            #expect(entry.causes.allSatisfy { $0.hasSuffix(".") }, "\(entry.id)")
            for command in entry.checks.compactMap(\.command) {
                #expect(ChangingCommand.word(in: command) == nil, "\(command)")
            }
        }
        for command in tables.throwers.flatMap(\.checks).compactMap(\.command) {
            #expect(ChangingCommand.word(in: command) == nil, "\(command)")
        }
        let named = (tables.objects + tables.actors).flatMap { [$0.component, $0.perhaps].compactMap(\.self) }
        #expect((named + tables.nouns.map(\.component)).allSatisfy(components.contains))
    }

    // MARK: The class

    @Test(arguments: [
        ("Could not find part of the path \"G:\\X\\0\".", "absent"),
        ("Could not find a part of the path 'G:\\X\\0'", "absent"),
        ("The file 'A.dll' cannot be used because it does not exsist", "absent"),
        ("Die Datei 'A.dll' wurde nicht gefunden", "absent"), ("Le fichier 'A.dll' est introuvable", "absent"),
        ("Acess is denied to the list 'Orders'", "refused"),
        ("Zugriff auf die Liste 'A' verweigert: Zugriff verweigert", "refused"),
        ("The request to the server 'X' has timed out", "timed-out"), ("The list 'A' already exists", "exists"),
        ("Failed to validate the signature.", "bad-signature"),
        ("The database 'A' is full: insufficient disk space", "full"),
        ("The operation is not allowed while another job is running", "conflict"),
        ("java.lang.OutOfMemoryError: unable to create new native thread", "exhausted"),
        ("Feeding stopped: there is not enough free space on volume 'D:'", "full"),
        ("Job X, id 1 not applicable, ignoring", "skipped"), ("The queue 'A' is throttled", "throttled"),
        ("It cannot be deployed as part of a sandboxed solution.", "not-allowed-here"),
    ])
    func `A class of failure is recognized despite articles, a wrong letter or extra words`(
        text: String,
        id: String
    ) {
        #expect(frame(text).failure?.value.id == id)
    }

    @Test(arguments: [
        "The job succeeded: nothing is missing",
        "Document \"How to fix 0x80070005 Access is denied.docx\" was uploaded",
        "GET http://sp/sites/a/Lists/0x80070005/AllItems.aspx 200 OK", "Cache hit 0x80070002",
        "Search query: \"The operation has timed out\" returned 12 results", "PageViewId 0x800703FA",
        "Subject: RE: Login failed for user - mail was delivered", "version 0x80070005",
        "Policy: deny access is denied by default: False", "Loading type System.ArgumentException",
        "Catching System.NullReferenceException is configured as break", "0 errors, 0 warnings",
        "retry succeeded after error 1205",
    ])
    func `Text that reports a success or contains a title, an address or an ID shows no failure`(text: String) {
        let explanation = Explanation(of: text)
        #expect(explanation.frame.failure == nil && explanation.decoded == [] && explanation.chains == [])
    }

    @Test(arguments: ["System.ArgumentException: ", "A. (InvalidOperationException): ", "Contoso.NotReadyException: "])
    func `The message of an exception gives the reason of the failure before it`(type: String) {
        let text = "The service 'Broker' failed to start. \(type)The certificate is not found."
        #expect(frame(text).failure?.value.id == "absent")
        #expect(
            frame("The certificate is not found. The service 'Broker' failed to start.").failure?.value.id
                == "not-started"
        )
    }

    @Test func `A negated success does not count as a success`() {
        #expect(!frame("The site was not successfully created: access is denied").isHarmless)
        #expect(frame("Failed to be successfully installed: the feature 'A' is missing").failure?.value.id == "absent")
    }

    @Test func `A quoted sentence is interpreted, but a quoted name is not`() {
        #expect(
            frame("Errorinfo is “An internal server error occurred. Try again later.”").failure?.value.id
                == "server-error"
        )
        #expect(frame("The title is 'Access denied'").failure == nil)
    }

    // MARK: Actors, objects and components

    @Test(arguments: [
        ("UserProfileInstalledJobsHealthRule.Check ran", "health-rule"),
        ("Microsoft.A.SPImmediateAlertsJobDefinition", "timer-job"),
        ("Action of Microsoft.SharePoint.Upgrade.SPIisWebSiteWssSequence", "upgrade-step"),
        ("DSC resource MSFT_SPSearchTopology", "dsc-resource"), ("New-SPSite was called", "cmdlet"),
    ])
    func `A name identifies the actor`(text: String, kind: String) { #expect(frame(text).actor?.value.kind == kind) }

    @Test func `Without a name, the process is the actor`() {
        #expect(frame("It failed to open", process: "mssdmn.exe (0x1)").actor?.value.kind == "crawler")
        #expect(frame("It failed to open").actor == nil)
    }

    @Test(arguments: [
        ("The list 'Orders' was not found", "list", "Orders"),
        ("The web part 'News' was not found", "web-part", "News"),
        ("The site list 'Orders' was not found", "list", "Orders"),
        (#"Cannot open D:\Data\a.mdf"#, "file", #"D:\Data\a.mdf"#),
        (#"Could not find the path "G:\X\0"."#, "folder", #"G:\X\0"#),
        (#"Access is denied to CONTOSO\ann"#, "account", #"CONTOSO\ann"#),
        ("Failed in Url pf://mail.contoso.com/a: server error occurred", "public-folder", "pf://mail.contoso.com/a"),
        (
            "Feature '00BFEA71-1C5E-4A24-B310-BA51C3EB7A57' is missing", "feature",
            "00BFEA71-1C5E-4A24-B310-BA51C3EB7A57"
        ),
        ("The database \"Content_1\" cannot be found; the server 'S' exists", "database", "Content_1"),
    ])
    func `An object is identified by the noun next to its name, or by the form of the name`(
        text: String,
        kind: String,
        name: String
    ) {
        let object = frame(text).object?.value
        #expect(object?.kind == kind && object?.name == name)
    }

    @Test func `A runtime frame shows the kind of object that the code worked on`() {
        let text =
            "Index was out of range.   at System.Collections.ArrayList.get_Item(Int32 index)   at "
            + "System.DirectoryServices.ResultPropertyValueCollection.get_Item(Int32 index)   at Contoso.Provider.Find(String a)"
        #expect(frame(text).object?.value.kind == "directory-attribute")
    }

    @Test func `Nouns within names and URL schemes identify components`() {
        #expect(Explanation(of: "MSFT_SPSearchTopology failed").place?.component.id == "search-admin")
        #expect(Explanation(of: "pf://a.contoso.com/x could not be opened").place?.component.id == "crawler")
        #expect(Explanation(of: "AHealthRule: missing job 'UserProfileADImportJob'").place?.component.id == "health")
    }

    @Test func `An instance of an object in .NET is not a workflow`() {
        let explanation = Explanation(of: "Object reference not set to an instance of an object.")
        #expect(explanation.place == nil && explanation.frame.object == nil && !explanation.checks.isEmpty)
        #expect(frame("The workflow instance 'A' was not found").object?.value.kind == "workflow")
    }

    @Test func `A remedy in the message itself becomes the first check`() {
        let text = "The feature 'A' is not activated. Activate the feature 'B' on the site first. Done"
        let first = Explanation(of: text).checks.first
        #expect(first?.text.contains("Activate the feature 'B' on the site first.") == true)
        // Unlike the checks, it may change something.
        #expect(first?.isAdvice == true && Explanation(of: text).checks.dropFirst().allSatisfy { !$0.isAdvice })
        #expect(Explanation(of: "The list 'A' is missing. Please try again later.").frame.remedy == nil)
    }

    @Test func `The sentence names the actor, the failure and the object`() {
        #expect(
            frame("AbcHealthRule.Check – missing job ‘X.Y’").sentence
                == "A rule of the Health Analyzer, 'AbcHealthRule': the timer job 'X.Y' was not found."
        )
        #expect(frame("Access is denied").sentence == nil)
    }

    @Test(arguments: [
        ("Access denied", "refused", "Access to something was refused"),
        ("Permission denied", "refused", "Access to something was refused"),
        ("Connection refused", "unreachable", "Something could not be reached"),
        ("Connection timed out", "timed-out", "Something did not answer in time"),
        ("not found", "absent", "Something was not found"),
        ("file is in use", "locked", "The file is in use or locked"),
    ])
    func `A bare failure has its class, possible causes and the next step, and names nothing`(
        text: String,
        id: String,
        sentence: String
    ) {
        let explanation = Explanation(of: text)
        let frame = explanation.frame
        #expect(frame.isBare && frame.failure?.value.id == id && !frame.isInformative)
        #expect(frame.sentence == sentence + "; the text alone does not name who or what was involved.")
        #expect((1...3).contains(explanation.usually.count) && !explanation.checks.isEmpty && explanation.causes == [])
        #expect(frame.slots.allSatisfy { $0.certainty != .certain })
        #expect(!self.frame(text + ": the list 'Orders'").isBare)
        for name in ["sql01", "10.0.0.5", "ann@contoso.com", "sp.contoso.com"] {
            #expect(!self.frame("\(text) \(name)").isBare, "\(name)")
        }
    }

    @Test(arguments: [
        ("ERROR: Failed to OpenThreadToken, LastError=1008", "reported", "Failed to OpenThreadToken, LastError=1008."),
        (
            "The SELECT permission was denied on the object 'MSP_PROJECTS', database 'Content', schema 'pjpub'.",
            "refused",
            "The SELECT permission was denied on the object 'MSP_PROJECTS', database 'Content', schema 'pjpub'."
        ),
        (
            "RunWorkflow: Contoso.FlowException: <Error><CompilerError Line=\"-1\" Column=\"-1\" Text=\"Type Contoso.Step is "
                + "not marked as authorized in the application configuration file.\" />", "not-allowed-here",
            "Type Contoso.Step is not marked as authorized in the application configuration file."
        ),
        (
            "The job for: 'CONTOSO\\ann' failed. Error Message: Method not found: 'Contoso.Site Open()'.",
            "wrong-version", nil
        ),
        (
            "Error in resolving user 'CONTOSO\\ann': Specified value is not supported.", "unsupported",
            "Specified value is not supported."
        ),
        ("Bucket parameters: a, b, c, d, e, f, g, h, i, j, k, l, MISSING, m, n", "absent", nil),
        (
            "The remote server returned an error: (403) Forbidden.", "refused",
            "The remote server returned an error: (403) Forbidden."
        ),
        (
            "The upload to http://portal/sites/a is too large.", "too-large",
            "The upload to http://portal/sites/a is too large."
        ),
        ("The URL 'http://portal/a' is too long.", "too-large", "The URL 'http://portal/a' is too long."),
        (
            "Error 1 CS0246: The type or namespace name 'SPWeb' could not be found C:\\src\\B.cs 12 5 Portal", "absent",
            "The type or namespace name 'SPWeb' could not be found C:\\src\\B.cs 12 5 Portal."
        ),
        ("New-SPSite failed.", "failed", "The cmdlet 'New-SPSite' failed."),
    ])
    func `A sentence has only the objects that the failure can concern`(text: String, id: String, sentence: String?) {
        let frame = frame(text)
        #expect(frame.failure?.value.id == id && frame.sentence == sentence, "\(frame.slots)")
    }

    @Test func `A noun that is part of another thing's name is not the object`() {
        for text in ["The server role is not supported.", "The server edition is not supported."] {
            #expect(frame(text).object?.value.kind != "server", "\(text)")
        }
        #expect(frame("The server is not supported.").object?.value.kind == "server")
    }

    @Test(arguments: [
        (
            "The database 'Orders' is one of a group. Its second copy is not enabled for reading",
            "Its second copy is not enabled for reading."
        ), ("D:\\Tools\\run.exe was blocked\n\nThe service cannot be started", "The service cannot be started."),
        ("The database 'Orders': it is not enabled for reading", "The database 'Orders' is not set up."),
    ])
    func `A sentence names an object in the clause of the failure, or before its colon, or repeats the clause`(
        text: String,
        sentence: String
    ) {
        #expect(frame(text).sentence == sentence)
    }

    @Test(arguments: [
        (
            "12:01 RUN=D:\\Tools\\setup.exe ARGS=E:\\Data /grant\nError: E:\\Data: The system cannot find the path specified.",
            "absent", "The folder 'E:\\Data' was not found."
        ),
        (
            "Cannot get Membership Provider with name Partners. The membership provider of this pool was not properly "
                + "configured.", "not-configured", "The membership provider of this pool was not properly configured."
        ),
        (
            "Cannot load one or more of the requested types: see LoaderExceptions", "not-loaded",
            "Could not load one or more of the requested types."
        ),
        ("Unable to bind to LDAP for following reason: none given by dc01", "failed", "Could not bind to LDAP."),
        (
            "SPTracingServiceInstance: could not find wsstracing.exe.config.", "absent",
            "Could not find wsstracing.exe.config."
        ),
        (
            "Cannot insert duplicate key row in object 'dbo.Sites' with unique index 'IX_Sites'.", "duplicate-row",
            "Cannot insert duplicate key row in object 'dbo.Sites' with unique index 'IX_Sites'."
        ),
        (
            "SqlException: Violation of PRIMARY KEY constraint \u{2018}PK_Jobs\u{2019}. Cannot insert duplicate key in object "
                + "\u{2018}dbo.Jobs\u{2019}. The duplicate key value is (7).", "duplicate-row",
            "Cannot insert duplicate key in object 'dbo.Jobs'."
        ),
        (
            "Violation of UNIQUE KEY constraint 'UK_A'. Cannot insert duplicate key in object 'dbo.Users'.",
            "duplicate-row", "Cannot insert duplicate key in object 'dbo.Users'."
        ),
        (
            "New-SPMetadataServiceApplication : The database 'Terms' has a wrong collation.", "wrong-collation",
            "The cmdlet 'New-SPMetadataServiceApplication': The database 'Terms' has a wrong collation."
        ),
        ("The collation of the database 'Terms' is not supported.", "wrong-collation", nil),
        (
            "Cannot resolve the collation conflict between \"A_CI\" and \"B_CI\" in the equal to operation.",
            "wrong-collation", "Could not resolve the collation conflict."
        ),
    ])
    func `A sentence quotes what was attempted, or names the object before the colon or in the clause`(
        text: String,
        id: String,
        sentence: String?
    ) {
        let frame = frame(text)
        #expect(frame.failure?.value.id == id && (sentence == nil || frame.sentence == sentence), "\(frame.slots)")
    }

    @Test func `Each class of incident has its own advice, however its text is worded`() {
        let advice = [
            "provider-not-configured": [
                "The role provider 'Roles' is not configured.", "The membership provider 'M' is not registered.",
                "Could not find the membership provider 'LdapPeople'.",
            ],
            "c2wts-absent": [
                "c2wtshost.exe.config is missing on APP01", "could not find c2wts.exe on the server",
                "c2wts does not exist on APP02",
            ],
            "registry-refused": [
                "The Execute method of job definition Contoso.Jobs.TagJob (ID 1) threw an exception. Requested registry "
                    + "access is not allowed.",
                "System.UnauthorizedAccessException: Access to the registry key 'HKEY_LOCAL_MACHINE\\SOFTWARE' is denied.",
                "Error: requested registry access is not allowed for the pool",
            ],
            "wrong-collation": [
                "Upgrade: the database 'A' has a different collation", "The database 'A' has an unsupported collation.",
                "New-SPBusinessDataCatalogServiceApplication : The specified database has an incorrect collation.",
            ],
            "duplicate-row": [
                "Cannot insert duplicate key row in object 'dbo.Docs' with unique index 'Docs_Url'.",
                "Violation of PRIMARY KEY constraint 'PK_A'. Cannot insert duplicate key in object 'dbo.A'.",
                "System.Data.SqlClient.SqlException: Cannot insert duplicate key in object 'dbo.B'.\r\nIt was terminated.",
            ],
        ]
        for (id, texts) in advice {
            for text in texts {
                let frame = Explanation(of: text).frame
                let slots = frame.slots.map { "\($0.name) \($0.kind ?? $0.text)" }
                #expect(frame.advice.first?.id == id, "\(text): \(frame.advice.map(\.id)), \(slots)")
            }
        }
    }

    @Test(arguments: ["Add-SPSolution", "Get-SPFarm", "New-SPSite"])
    func `A farm that is not accessible is only a consequence if a cause follows`(cmdlet: String) {
        let consequence = "The local farm is not accessible. Cmdlets with FeatureDependencyId are not registered.\n"
        let cause = "\(cmdlet) : Microsoft SharePoint is not supported with version 4.0 of the Microsoft .Net Runtime."
        #expect(Explanation(of: consequence).checks.first?.command == "Get-SPShellAdmin")
        #expect(Explanation(of: consequence + cause).checks.allSatisfy { $0.command != "Get-SPShellAdmin" })
        let first = Explanation(of: consequence + cause).decoded.min { $0.range.lowerBound < $1.range.lowerBound }
        #expect(first?.code.causes == [])
    }

    @Test(arguments: [
        ("Search: to start seeing previews of A.docx, sign in by opening the document", "wopi"),
        ("CONTOSO\\farm is highly privileged and should not be used for any other services on any machine.", "health"),
        ("Using highly-privileged accounts as application pool or as service identities is a risk.", "health"),
    ])
    func `Warnings that look like plain sentences have a component, causes and checks`(text: String, id: String) {
        let explanation = Explanation(of: text)
        #expect(explanation.place?.component.id == id)
        #expect(explanation.decoded.first?.code.causes.isEmpty == false && explanation.checks.count >= 2)
    }

    @Test func `Advice that names an object replaces the usual advice for a code`() {
        let explanation = Explanation(
            of: "Exception calling \"Add\" with \"1\" argument(s): \"Access is denied.\n\"\n"
                + "    + FullyQualifiedErrorId : CatchFromBaseAdapterMethodInvokeTI"
        )
        #expect(explanation.usually.first?.contains("local administrator") == true)
        #expect(explanation.decoded.flatMap(\.code.causes) == [])
    }

    @Test func `The frame of any fragment of a text is read without a crash`() {
        let text =
            "New-SPSite : Zugriff verweigert für ‘CONTOSO\\ann’ --> \"C:\\a b\\c.txt\" pf://x/ä ' \u{201C}—” «é» 0x8 \\\\s\\t "
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            for end in stride(from: start, through: bytes.count, by: 7) {
                let part = String(decoding: bytes[start..<end], as: UTF8.self)
                #expect(frame(part).slots.count <= 8)
            }
        }
    }
}

/// Incidents not used in development, from the folder in `FASTCTL_INCIDENTS`.
struct IncidentTests {
    private static let folder = ProcessInfo.processInfo.environment["FASTCTL_INCIDENTS"]

    /// For each incident: classes, advice, and components, one of which must be found.
    private static let expected: [(number: String, components: Set<String>, failures: Set<String>, advice: String)] = [
        ("01", ["search-admin", "search", "sql"], ["absent"], "principal-absent"),
        ("02", ["sign-in"], ["bad-signature"], "signature-of-token"),
        ("04", ["timer-jobs", "user-profiles", "admin-service"], ["refused", "not-controllable"], "service-refused"),
        ("05", ["iis-config", "upgrade"], ["failed", "unreadable"], "iis-configuration-of-upgrade"),
        ("07", ["crawler"], ["server-error"], "exchange-crawl"),
        ("09", ["iis-config"], ["exhausted"], "iis-metabase-exhausted"),
        ("10", ["sandbox", "solutions"], ["not-allowed-here"], "farm-solution-in-sandbox"),
        ("12", ["ldapcp"], ["missing-element"], "directory-attribute-missing"),
        ("14", ["health"], ["absent"], "health-rule-job-missing"),
        ("15", ["timer-jobs", "mail-out"], ["skipped"], "job-not-applicable"),
        ("17", ["workflow-2010", "workflow-host", "workflow-tasks", "nintex"], ["not-delivered"], "event-of-workflow"),
        ("19", ["search-admin", "search-index", "search"], ["absent"], "index-folder"),
    ]

    @Test(.enabled(if: folder != nil, "FASTCTL_INCIDENTS names no folder"), arguments: expected.indices)
    func `An incident's frame yields component, class and advice without any known sentence`(
        number: Int
    ) throws {
        let expected = Self.expected[number]
        let folder = try #require(Self.folder)
        let name = try #require(
            FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasPrefix(expected.number + "-") }
        )
        let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
        let explanation = Explanation(of: text)
        #expect(explanation.place.map { expected.components.contains($0.component.id) } == true)
        #expect(explanation.frame.failure.map { expected.failures.contains($0.value.id) } == true)
        #expect(explanation.frame.advice.first?.id == expected.advice)
        // Filling the slots requires neither the sentences nor the codes of the tables.
        let bare = FailureFrame(FrameText(text), ExceptionText.chains(in: text), [], process: nil)
        #expect(bare.failure.map { expected.failures.contains($0.value.id) } == true)
        #expect(bare.component != nil || explanation.place != nil)
    }
}

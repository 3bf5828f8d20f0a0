import FailureExplanation
import Testing

struct ExplanationTests {
    @Test func `Codes are decoded, the component is named, and the most informative exception is the headline`() {
        let explanation = Explanation(
            of: "Application error. System.Web.HttpUnhandledException (0x80004005): x ---> "
                + "System.Security.Cryptography.CryptographicException: Keyset does not exist     at "
                + "Microsoft.SharePoint.IdentityModel.SPTokenCache.Get(String a)     at Contoso.Portal.Part.Load()"
        )
        #expect(explanation.exception?.type == "System.Security.Cryptography.CryptographicException")
        #expect(explanation.place?.component.id == "sign-in")
        #expect(explanation.foreignFrame?.name == "Contoso.Portal.Part.Load")
        #expect(explanation.decoded.contains { $0.code.number == 0x8009_0016 })
        #expect(!explanation.checks.isEmpty)
    }

    @Test func `Checks for codes come before checks for the component, and none is repeated`() {
        let explanation = Explanation(
            of: "Cannot open database \"X\" requested by the login. Error Number:4060 0x80070005 "
                + "   at System.Data.SqlClient.SqlConnection.Open()   at Microsoft.Office.SecureStoreService.A.B()"
        )
        let own = explanation.place?.component.checks ?? []
        #expect(explanation.place?.component.id == "secure-store")
        #expect(own.allSatisfy(explanation.checks.contains))
        let commands = explanation.checks.compactMap(\.command)
        #expect(Set(commands).count == commands.count)
        for check in explanation.decoded.flatMap(\.code.checks) {
            let place = explanation.checks.firstIndex {
                $0 == check || $0.command != nil && $0.command == check.command
            }
            #expect(place ?? .max <= explanation.checks.firstIndex(of: own[own.count - 1]) ?? 0)
        }
    }

    @Test(arguments: [
        "SecureStoreServiceException: Access is denied to the Secure Store Service.",
        "A sum of SetAuth: at System.Diagnostics.PerformanceMonitor.Init() Access is denied",
        "UserProfileADImport ended: The user has insufficient access rights.",
        "UserProfileADImport ended: Replication access was denied.",
        "Could not load file or assembly 'Microsoft.Data.OData, Version=9.0.0.0'",
    ])
    func `A component supplies the cause of a refusal or a missing file`(text: String) throws {
        let explanation = Explanation(of: text)
        let component = try #require(explanation.place?.component)
        let told = try #require(component.usually[explanation.frame.failure?.value.id ?? ""])
        #expect(explanation.decoded.count == 1)
        #expect(explanation.usually == [told] && explanation.decoded.flatMap(\.code.causes) == [])
        #expect(explanation.checks == component.checks)
    }

    @Test func `An exception in a product's own code is attributed to an unexpected state or the version`() throws {
        let thrown = "System.NullReferenceException: Object reference not set to an instance of an object.\n   at "
        let own = Explanation(of: thrown + "Microsoft.SharePoint.SPFieldLookup.GetList(String a)")
        let code = try #require(own.decoded.first?.code)
        #expect(code.causes.count == 1 && code.causes[0].hasPrefix("SharePoint's own code encountered an"))
        #expect(own.checks.contains { $0.command == "(Get-SPFarm).BuildVersion" })
        let other = Explanation(of: thrown + "Microsoft.AnalysisServices.AdomdClient.AdomdDataReader.GetString()")
        #expect(other.decoded.first?.code.causes.first?.hasPrefix("The product's own code") == true)
        #expect(other.checks.contains { $0.command?.contains("-Filter Microsoft.AnalysisServices*.dll") == true })
        let cache = Explanation(of: thrown + "Microsoft.ApplicationServer.Caching.WcfServerChannel.OnOpen(Object a)")
        #expect(cache.checks.contains { $0.command?.contains("AppFabric 1.1") == true })
        let provider = Explanation(of: thrown + "azurecp.OperationContext.Get(String a)")
        #expect(provider.checks.contains { $0.command?.contains("-Filter azurecp*.dll") == true })
        let wizard = Explanation(of: "Failed to install the application content files.\n\(thrown.dropLast(6))")
        #expect(wizard.decoded.first?.code.causes.first?.hasPrefix("The product's own code") == true)
        // Custom code is examined first, regardless of the code that it called.
        let custom = Explanation(of: thrown + "Microsoft.SharePoint.SPFieldLookup.GetList()\n   at Contoso.Part.Load()")
        #expect(custom.decoded.first?.code.causes == Explanation(of: thrown).decoded.first?.code.causes)
        #expect(custom.decoded.first?.code.causes.isEmpty == false)
    }

    @Test(arguments: [
        ("Microsoft.SharePoint.SPList.Get()   at Contoso.Part.Load()", "custom", "Contoso.Part.Load"),
        ("Microsoft.SharePoint.SPList.Get()", "sharepoint", "Microsoft.SharePoint.SPList.Get"),
        ("System.IO.File.Open()   at Microsoft.Data.Reader.Get()", "product", "Microsoft.Data.Reader.Get"),
        ("azurecp.OperationContext.Get()", "third-party", "azurecp.OperationContext.Get"),
    ])
    func `The first frame beyond Microsoft's or the runtime shows whose code threw`(
        frames: String,
        kind: String,
        name: String
    ) {
        let thrower = Explanation(of: "System.NullReferenceException: Lost   at \(frames)").frame.thrower
        #expect(thrower?.value.kind == kind && thrower?.evidence == name)
        // Code that only called the thrower may not be at fault.
        #expect(thrower?.certainty == (kind == "custom" ? .possible : .likely))
        let type = Explanation(of: "Contoso.Data.LedgerException: Lost").frame.thrower
        #expect(type?.value.kind == "custom" && type?.certainty == .possible)
    }

    @Test func `Custom code that passed an invalid argument is the cause`() {
        let thrown = "System.ArgumentException: Value does not fall within it.   at "
        let called = Explanation(of: thrown + "Microsoft.SharePoint.SPList.Get()   at Contoso.Part.Load()")
        #expect(called.causes.first?.hasPrefix("Contoso.Part.Load called Microsoft.SharePoint.SPList.Get") == true)
        #expect(called.place == nil)
        #expect(Explanation(of: thrown + "Contoso.Part.Get()   at Contoso.Part.Load()").causes == [])
    }

    @Test func `An error page that repeats its exception has the frames of the repetition`() {
        let page = """
            Server Error in '/' Application.
            Object reference not set to an instance of an object.
            Exception Details: System.NullReferenceException: Object reference not set to an instance of an object.

            Source Error:
            An unhandled exception was generated during the execution of the current web request.

            Stack Trace:
            [NullReferenceException: Object reference not set to an instance of an object.]
               Contoso.Intranet.NewsPart.OnLoad(EventArgs e) +44
               System.Web.UI.Control.LoadRecursive() +71
            """
        let explanation = Explanation(of: page)
        #expect(explanation.exception?.message == "Object reference not set to an instance of an object.")
        #expect(explanation.chain?.thrower?.name == "Contoso.Intranet.NewsPart.OnLoad")
        #expect(explanation.frame.thrower?.value.kind == "custom")
    }

    @Test func `Of a Windows sign-in in an IIS log, the last response counts, and a success is a normal exchange`() {
        func row(
            _ status: String,
            user: String = "-",
            target: String = "/a.aspx",
            client: String = "10.0.0.9"
        )
            -> String
        {
            "2024-03-11 11:03:10 10.0.0.5 GET \(target) - 443 \(user) \(client) Safari/537.36 - \(status) 15\n"
        }
        func codes(_ text: String) -> [String] { Explanation(of: text).decoded.map(\.code.title) }
        let challenges = row("401 2 5") + row("401 1 2148074254")
        // A denial beside the status 401 adds nothing.
        #expect(Explanation(of: row("401 2 5")).decoded.map(\.code.spelled) == ["401.2"])
        let success = row("200 0 0", user: "CONTOSO\\ann")
        let explanation = Explanation(of: challenges + success)
        #expect(explanation.decoded.map(\.code.kind) == [.normal] && explanation.frame.failure == nil)
        #expect(Explanation(of: challenges + row("304 0 0")).decoded.map(\.code.kind) == [.normal])
        // Of a sign-in that fails, the last response counts.
        let others = [
            ("", "401.1"), (row("401 1 1326"), "401.1"), (row("500 19 0"), "500.19"),
            (row("200 0 0", target: "/b.aspx"), "401.1"), (row("200 0 0", client: "10.0.0.8"), "401.1"),
        ]
        for (other, last) in others {
            let decoded = Explanation(of: challenges + other).decoded
            #expect(decoded.contains { $0.code.spelled == last } && !decoded.contains { $0.code.kind == .normal })
            #expect(!decoded.contains { $0.code.spelled == "401.2" })
        }
        // A success before the refusal, and a failure of another request.
        #expect(codes(success + challenges).contains { $0.hasPrefix("401.1") })
        let mixed = Explanation(of: challenges + success + row("503 2 0", target: "/c.aspx")).decoded
        #expect(mixed.contains { $0.code.spelled == "503.2" } && !mixed.contains { $0.code.kind == .normal })
    }

    @Test(arguments: [
        ("Could not connect to the server sp1:9355", " sp1 -Port 9355"),
        ("Could not connect to the server 'SQL01' on port 5022", " SQL01 -Port 5022"),
        ("Could not connect to the server 'SQL01'", " SQL01 -Port PORT"),
        ("Could not connect to the server sp1:9355 or sp2:9354", " SERVER -Port PORT"),
        ("10:03:00 Could not connect to the server 'SQL01'", " SQL01 -Port PORT"),
    ])
    func `A command tests the server and the port that the text names, or leaves them open`(
        text: String,
        command: String
    ) {
        let commands = Explanation(of: text).checks.compactMap(\.command)
        #expect(commands.contains { $0.hasSuffix(command) }, "\(commands)")
    }

    @Test func `A port in a command that the text contradicts is replaced`() {
        for (before, after) in [
            ("Test-NetConnection EXCHANGE -Port 443", "Test-NetConnection EXCHANGE -Port 9355"),
            ("Test-NetConnection HOST -Port 80 -Detailed", "Test-NetConnection HOST -Port 9355 -Detailed"),
            ("Test-NetConnection graph.microsoft.com -Port 443", "Test-NetConnection graph.microsoft.com -Port 443"),
            ("Get-SPFarm", "Get-SPFarm"),
        ] {
            var check = Check("x", command: before)
            check.take([9355])
            #expect(check.command == after)
        }
        var check = Check("x", command: "Test-NetConnection EXCHANGE -Port 443")
        check.take([443, 9355])
        #expect(check.command == "Test-NetConnection EXCHANGE -Port 443")
    }

    @Test(arguments: [
        ("Zugriff auf die Liste 'A' verweigert: Zugriff verweigert", true), ("l'accès est refusé", true),
        ("An upgrade of SPContentDatabaseSequence is not applicable", true), ("0x80070005", true),
        ("Error count: 0", false), ("No failed timer jobs", false), ("Dear colleagues, hello", false),
        ("Our SharePoint search is new", false),
    ])
    func `A text is a report if something failed or acted`(text: String, isReport: Bool) {
        #expect(Explanation(of: text).isReport == isReport)
    }

    @Test func `A failed request of an IIS log has its status and its Windows error`() {
        let row = "2024-03-11 11:03:10 10.0.0.5 GET /a.aspx - 443 CONTOSO\\ann 10.0.0.9 Safari/537.36 - "
        func codes(_ text: String) -> [String] { Explanation(of: text).decoded.map(\.code.spelled) }
        #expect(codes(row + "401 1 2148074254 15") == ["401.1", "0x8009030E"])
        #expect(codes(row.replacing(" ", with: "\n") + "503 2 64 1539 404 15") == ["503.2", "64"])
        #expect(codes(row + "200 0 0 401 1 5") == [])
        #expect(codes("The parts 2024-03-11 404 0 2 are here") == [])
    }

    @Test func `The causes of a generic failure are listed only if nothing is more specific`() {
        let failed = "Exception from HRESULT: 0x80131904"
        #expect(Explanation(of: failed).decoded.flatMap(\.code.causes).isEmpty == false)
        let full = Explanation(of: "Unknown SQL Exception 515 occurred. \(failed)")
        #expect(full.decoded.map(\.code.number) == [515, 0x8013_1904])
        #expect(full.decoded.last?.code.causes == [] && full.decoded.last?.code.checks == [])
    }

    @Test func `The causes of a specific activity replace those of a refusal`() {
        let name = "Microsoft.Office.Server.UserProfiles.UserProfileImportJob"
        let job = "The Execute method of job definition \(name) (ID 1) threw an exception."
        let refused = Explanation(of: "\(job) Access is denied. (0x80070005)")
        #expect(refused.activity?.isSpecific == true)
        #expect(refused.decoded.flatMap(\.code.causes) == [])
    }

    @Test func `A sentence unique to one component identifies it, unless a frame identifies another one`() {
        let text = "A watchdog was asked. Reported status: Machine health is Unhealthy"
        let place = Explanation(of: text, category: "Secure Store").place
        #expect(place?.component.id == "office-online-watchdog" && place?.mention == nil)
        let thrown = "System.Exception: \(text)\n   at Microsoft.Office.SecureStoreService.Server.KeyManager.Change()"
        #expect(Explanation(of: thrown).place?.component.id == "secure-store")
    }

    @Test func `A refusal without a number has the causes of its code`() {
        let causes = Explanation(of: "The door: Access is denied.").decoded.flatMap(\.code.causes)
        #expect(causes == Explanation(of: "Access is denied.").decoded.flatMap(\.code.causes))
        #expect(!causes.isEmpty)
    }

    @Test(arguments: [
        ("Access is denied. Check the account. (0x80041205)", ["0x80041205"]),
        ("Access is denied. (0x80070005)", ["0x80070005"]), ("Access is denied.", ["5"]),
        ("Access is denied. The call failed with 0x80004005", ["0x80004005", "5"]),
    ])
    func `If a refusal has its own number, its sentence is not decoded separately`(text: String, codes: [String]) {
        #expect(Explanation(of: text).decoded.map(\.code.spelled).sorted() == codes.sorted())
    }

    @Test func `A component identified only by a word is reported as a mention`() {
        #expect(Explanation(of: "It stands in web.config").place?.mention != nil)
        let frame = "System.Exception: Lost   at Microsoft.Office.SecureStoreService.Server.A.B()"
        #expect(Explanation(of: frame).place.map { $0.mention == nil } == true)
    }

    @Test func `The words of an HTML page are not decoded, but the page itself is reported`() {
        let page = "<!DOCTYPE html><html><head><title>Access is denied. STATUS_ACCESS_DENIED</title></head></html>"
        let answer = Explanation(
            of: "The service returned status code = 401: \(page) The system cannot find the file specified"
        )
        #expect(
            answer.decoded.map(\.code.title) == [
                "401 Unauthorized", "response is an HTML page", "2 ERROR_FILE_NOT_FOUND",
            ]
        )
        #expect(answer.checks.first?.command?.contains("anonymousAuthentication") == true)
        // An error page without other text is the subject of the question.
        #expect(Explanation(of: page).decoded.contains { $0.code.number == 5 || $0.code.number == 0xC000_0022 })
        #expect(Explanation(of: "A web part shows <html>Access is denied</html>").decoded.isEmpty)
    }

    @Test func `Denied access to a path is explained by Windows permissions, not SharePoint permissions`() {
        let text = "UnauthorizedAccessException: Access to the path 'E:\\Store\\Big Pictures' is denied. E_ACCESSDENIED"
        let explanation = Explanation(of: text)
        let causes = Set(explanation.decoded.map(\.code.causes.first))
        #expect(causes.count == 1)
        #expect(causes.first??.contains("application pool") == true)
        #expect(explanation.checks.first?.command == "icacls 'E:\\Store\\Big Pictures'")
        let cache = Explanation(of: "The blob cache: Access to the path 'E:\\Store' is denied.")
        #expect(cache.usually == [cache.place?.component.usually["refused"] ?? ""])
        #expect(cache.checks.first?.command == "icacls 'E:\\Store'")
    }

    @Test func `A method unknown to the receiver means that builds differ`() {
        let text =
            "The message with Action 'x' cannot be processed at the receiver, due to a ContractFilter mismatch at the"
        #expect(Explanation(of: text).decoded.first?.code.causes.first?.contains("builds") == true)
    }

    @Test func `A data set's exception is preferred to its inner exception, which does not name the column`() {
        let text =
            "System.Data.StrongTypingException: The value of 'SIZE' is DBNull. ---> "
            + "System.InvalidCastException: Specified cast is not valid.    at Contoso.SizesRow.get_SIZE()"
        #expect(Explanation(of: text).exception?.type == "System.Data.StrongTypingException")
    }

    @Test func `A frame that is wrapped before its arguments is recognized`() {
        let text =
            "System.InvalidOperationException: No.\nat Contoso.Portal.Jobs.Clean\n(Int32 days, String name) \n"
            + "at Contoso.Portal.Job.Run()\nat Contoso.Portal.Prose\nends here"
        #expect(
            Explanation(of: text).chains.flatMap(\.frames).map(\.name) == [
                "Contoso.Portal.Jobs.Clean", "Contoso.Portal.Job.Run",
            ]
        )
    }

    @Test func `Possible reasons for a code are not reported as causes`() {
        for text in [
            "0x80070005", "Access is denied.", "Error 1205 deadlock victim 'user' \"the\"",
            "Login failed for user 'A\\B'.",
        ] {
            #expect(Explanation(of: text).causes == [], "\(text)")
        }
    }

    /// The called code worked correctly; its caller is at fault.
    @Test func `Custom code that passed a rejected argument is reported as the cause`() {
        let called = "Microsoft.SharePoint.Administration.SPDiagnosticsServiceBase.WriteTrace(UInt32 id)"
        let frames = "   at System.Guard.Check()   at \(called)   at Contoso.Tool.Main()"
        let refused = Explanation(of: "System.ArgumentException: Not supported.\(frames)")
        #expect(refused.causes.count == 1)
        #expect(refused.causes.first?.hasPrefix("Contoso.Tool.Main called Microsoft.SharePoint.Administration") == true)
        #expect(refused.place == nil)
        #expect(refused.checks == [])
        for text in [
            "System.FormatException: Not supported.\(frames)",
            "System.ArgumentException: No.   at \(called)   at Microsoft.SharePoint.A.B()   at Contoso.Tool.Main()",
            "System.ArgumentException: Not supported.   at Contoso.Tool.Main()",
        ] {
            #expect(Explanation(of: text).causes == [], "\(text)")
        }
    }

    @Test func `The same exception in several rows counts once`() {
        let one = "System.NullReferenceException: Object reference not set.   at Contoso.Part.Load()"
        let rows =
            "01/02/2024 10:00:00.00 tkau \(one)\n01/02/2024 10:00:00.01 8nca Error=Object reference not set."
            + "   at Contoso.Part.Load()\n"
        #expect(Explanation(of: rows).chains.count == 1)
    }

    @Test(arguments: [
        ("SqlException: Violation of UNIQUE KEY constraint 'A'. Error Number:2627,State:1,Class:14", false),
        ("SqlException: Cannot open the server. Error Number:53,State:0,Class:20", true),
    ])
    func `An error of a statement shows that SQL Server was reached`(text: String, isChecked: Bool) {
        let explanation = Explanation(of: text)
        #expect(explanation.checks.contains { $0.command?.contains("-Port 1433") == true } == isChecked)
        #expect(!explanation.checks.isEmpty)
    }

    @Test func `The row itself rules out causes and checks, and a cause that it states comes first`() {
        let skipped = "Skipping creation of personal site: "
        let open = Explanation(of: skipped)
        let stated = Explanation(of: "\(skipped)Self-Service Site Creation == True Is user licensed == False")
        let (all, causes) = (open.decoded.flatMap(\.code.causes), stated.decoded.flatMap(\.code.causes))
        #expect(causes.count == all.count - 1 && causes.first?.contains("licens") == true)
        #expect(!causes.contains { $0.hasPrefix("Self-service site creation is off") })
        func asks(_ explanation: Explanation) -> Bool {
            explanation.checks.contains { $0.command?.contains("SelfServiceSiteCreationEnabled") == true }
        }
        #expect(asks(open) && !asks(stated))
    }

    @Test(arguments: [("Status 400", true), ("Status 503", false), ("port 14010", false)])
    func `A cause with a condition is the first if the text meets it, and the last otherwise`(
        words: String,
        isMet: Bool
    ) {
        let text = "An exception occurred during OAuth2 request to 'https://app'. \(words)"
        let causes = Explanation(of: text).decoded.first?.code.causes ?? []
        #expect(causes.count == 2)
        #expect(causes.first?.hasPrefix("With status 400 or 401: ") == isMet)
    }

    @Test func `A healthy row has no explanation`() {
        let explanation = Explanation(
            of: "Leaving Monitored Scope (Render). Execution Time=0.1",
            area: "SharePoint Foundation"
        )
        #expect(explanation.isEmpty)
        #expect(explanation.checks == [])
    }

    @Test func `Text beyond the limit is not read`() {
        let text = String(repeating: "ü ", count: ExceptionText.maximumBytes) + "System.Exception: late"
        #expect(Explanation(of: text).chains == [])
    }
}

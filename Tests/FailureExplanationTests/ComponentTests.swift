import Foundation
import Testing

@testable import FailureExplanation

struct ComponentTests {
    private static let files: [(name: String, text: String)] = {
        let folder = URL(filePath: #filePath).appending(path: "../../../Rules/Components").standardized
        let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return (files ?? []).map { ($0.lastPathComponent, (try? String(contentsOf: $0, encoding: .utf8)) ?? "") }
    }()

    @Test func `Every line of the files is understood, and the built-in data matches the files`() {
        #expect(Self.files.count >= 3)
        for file in Self.files { #expect(ComponentFile(file.text).unread == [], "\(file.name)") }
        let inFiles = Self.files.flatMap { ComponentFile($0.text).entries.map(\.component) }
        #expect(inFiles.sorted { $0.id < $1.id } == Components.all.sorted { $0.id < $1.id })
    }

    @Test func `At least 120 components have a unique name, a function, requirements and three checks`() {
        let all = Components.all
        let classes = Set(FrameTables.builtIn.failures.map(\.id))
        #expect(all.count >= 120)
        #expect(Set(all.map(\.id)).count == all.count)
        #expect(Set(all.map(\.name)).count == all.count)
        for component in all {
            #expect(!component.purpose.isEmpty, "\(component.id)")
            #expect(!component.needs.isEmpty, "\(component.id)")
            #expect(component.checks.count == 3, "\(component.id)")
            #expect(component.usually.keys.allSatisfy(classes.contains), "\(component.id)")
        }
        let entries = ComponentMap.builtIn.entries.all
        let namespaces = entries.flatMap(\.namespaces)
        #expect(Set(namespaces).count == namespaces.count)
        // A short word may occur within other words.
        #expect(entries.flatMap(\.words).filter { $0.utf8.count < 4 } == ["EWS"])
        for entry in entries {
            let keys = entry.namespaces + entry.categories + entry.words + entry.processes
            #expect(!keys.isEmpty, "\(entry.component.id)")
            #expect(
                entry.categories.allSatisfy { $0 == $0.lowercased() }
                    && entry.processes.allSatisfy { $0 == $0.lowercased() }
            )
        }
    }

    @Test func `Rows from an area that hosts another component's code belong to the hosting component`() throws {
        let ids = Set(Components.all.map(\.id))
        let hosts = ComponentMap.builtIn.entries.all.flatMap(\.hosts.values)
        #expect(!hosts.isEmpty && ids.isSuperset(of: hosts))
        let frame = StackFrame("Microsoft.Office.Excel.Server.CalculationServer.Operations.Operation.RunOperationAsync")
        let found = { try #require(Components.find(frames: [frame], area: $0)).component.id }
        #expect(try found("Excel Online") == "office-online")
        #expect(try found("Excel Services Application") == "excel")
    }

    @Test func `Every check of a component begins with a command that only reads`() {
        let allowed: Set<String> = [
            "Where-Object", "Select-Object", "Sort-Object", "Select-String", "Resolve-DnsName", "certutil", "fastctl",
            "icacls",
            "curl.exe", "klist", "nctrl", "net", "netsh", "nltest", "query", "reg", "setspn", "w32tm", "whoami",
            "winmgmt",
        ]
        for component in Components.all {
            for command in component.checks.compactMap(\.command) {
                for part in command.split(separator: "|") {
                    let verb = String(part.split(separator: " ").first ?? "")
                    let reads = verb.hasPrefix("Get-") || verb.hasPrefix("Test-") || allowed.contains(verb)
                    #expect(reads, "\(component.id): \(command)")
                }
                #expect(ChangingCommand.word(in: command) == nil, "\(component.id): \(command)")
            }
        }
    }

    @Test(arguments: [
        "Set-SPWeb x", "Get-SPSite | Remove-SPSite", "iisreset /noforce", "net stop SPTimerV4", "reg add HKLM\\x",
        "Restart-Service x", "icacls x /grant y", "setspn -S a b", "Get-SPProduct -Local",
        "Test-ComputerSecureChannel -Repair",
        "Get-CimInstance Win32_Product", "sc.exe stop x", "certutil -addstore root x", "Clear-SPLogLevel",
        "nltest /sc_reset:D",
    ])
    func `A command that changes something is detected`(command: String) {
        #expect(ChangingCommand.word(in: command) != nil)
    }

    @Test func `A frame outweighs a word, a word outweighs a category, and a category outweighs the process`() throws {
        func find(
            _ frames: [String] = [],
            _ category: String? = nil,
            _ text: String = "",
            _ process: String? = nil
        ) -> String? {
            Components.find(
                frames: frames.map(StackFrame.init),
                category: category,
                process: process,
                text: text
            )?.component.id
        }
        let store = "Microsoft.Office.SecureStoreService.Server.KeyManager.Change"
        #expect(find([store], "Visio Graphics", "the term store", "OWSTIMER.EXE") == "secure-store")
        #expect(find([], "Visio Graphics", "the term store", "OWSTIMER.EXE") == "metadata")
        #expect(find([], "Visio Graphics", "nothing", "OWSTIMER.EXE") == "visio")
        #expect(find([], nil, "the term store", "OWSTIMER.EXE") == "metadata")
        #expect(find([], nil, "nothing", "OWSTIMER.EXE (0x1234)") == "timer-jobs")
        #expect(find([], nil, "nothing", "w3wp.exe") == nil)
        #expect(find([], "Legacy Workflow Infrastructur") == "workflow-2010")
    }

    @Test func `A specific component outranks SharePoint's core, wherever it is in the trace`() {
        let frames = [
            "System.Web.UI.Page.Load", "Microsoft.SharePoint.SPGlobal.Handle",
            "Microsoft.SharePoint.Library.SPRequest.Open",
            "Microsoft.SharePoint.Taxonomy.TermStore.Get", "Contoso.Part.OnLoad",
        ]
        let found = Components.find(frames: frames.map(StackFrame.init))
        #expect(found?.component.id == "metadata")
        #expect(found?.evidence == .frame(frames[3]))
        let core = Components.find(frames: [StackFrame(frames[1])])
        #expect(core?.component.id == "core")
        // Even a specific category is more informative than the core.
        #expect(
            Components.find(frames: [StackFrame(frames[1])], category: "Secure Store")?.component.id == "secure-store"
        )
    }

    @Test(arguments: [
        ("Microsoft.SharePoint.Administration.SPTimerJobInvokeInternal.Invoke", "timer-jobs"),
        ("Microsoft.SharePoint.Administration.SPFarm.Local", "farm"),
        ("Microsoft.SharePoint.Administration.Claims.SPClaimProviderManager.Get", "claims"),
        ("Microsoft.Ceres.Common.Tools.Sandbox.SandBoxInterop.StartProcess", "search-content"),
        ("Microsoft.Ceres.Common.Other.X", "search-nodes"),
        ("Microsoft.Office.Server.UserProfiles.UserProfile.CreateSite", "my-sites"),
        ("Microsoft.Office.Server.UserProfiles.UserProfile.Get", "user-profiles"),
        ("Microsoft.SharePoint.Win32.SPNetApi32.NetUserChangePassword", "managed-accounts"),
        ("System.Data.SqlClient.SqlConnection.Open", "sql"),
        ("azurecp.AzureCP.Fill", "ldapcp"),
        ("Microsoft.SharePoint.Portal.CommunityReceiver.Activate", "communities"),
        ("Microsoft.SharePoint.Portal.Other.Activate", "my-sites"),
        ("Microsoft.SharePoint.Workflow.SPWinOETaskService.Create", "workflow-tasks"),
        ("Microsoft.SharePoint.Workflow.SPWinOeHostServices..ctor", "workflow-host"),
        ("Microsoft.SharePoint.Workflow.SPWinOEItemService.Create", "workflow-2010"),
        ("Microsoft.Office.Server.UserProfiles.ADImport.UserProfileADImportJob.Run", "profile-import"),
    ])
    func `A frame belongs to the component with the longest matching prefix`(frame: String, id: String) {
        #expect(Components.find(frames: [StackFrame(frame)])?.component.id == id)
    }

    @Test(arguments: [
        ("The parent content type of 0x0101 is missing", "content-types"),
        ("CRobotThread::Thread cannot move the file", "crawler"),
        ("ErrorCode<ERRCAdmin003>:SubStatus<ES0001>:Time-out", "distributed-cache"),
        ("wac-server: CheckFile failed", "office-online"), ("http://a:32843/b/MetadataWebService.svc", "metadata"),
        ("The schema version of the database is another one", "upgrade"),
        ("The content database has no room", "content-database"),
        ("[AzureCP] Could not get access token before timeout of 9 ms", "cloud-claims"), ("[AzureCP] Ready", "ldapcp"),
        ("A feature needs SP1; Category: MissingWebPart", "upgrade-missing"),
        ("Cannot write applicationHost.config", "iis-config"),
        ("The step ended: stopped-connectivity.", "profile-sync-connection"),
        ("Could not load file or assembly 'Microsoft.Data.Edm, Version=1.0'", "prerequisites"),
        ("It uses max degree of parallelism 8", "sql-maxdop"),
    ])
    func `A message reveals its component by words specific to that component`(text: String, id: String) {
        #expect(Components.find(text: text)?.component.id == id)
    }

    @Test func `A class named in the text reveals the component if nothing else does`() {
        #expect(
            Components.find(text: "Error of Microsoft.Office.Server.Search.Cmdlet.GetInstance on a")?.evidence
                == .text("Microsoft.Office.Server.Search.Cmdlet.GetInstance")
        )
        let both = "a \"Secure Store\", Microsoft.Office.Access.Services.X.Y"
        #expect(Components.find(text: both)?.component.id == "secure-store")
        #expect(Components.find(text: "'Microsoft.Office.Access.Services.X' threw")?.component.id == "access")
        #expect(Components.find(text: "Microsoft.SharePoint.Some.Thing and Microsoft.Office") == nil)
    }

    @Test(
        arguments: [
            // An element that many failures have in common does not indicate where they happened.
            ("System.Runtime.InteropServices.COMException (0x80090005): Bad Data.", nil),
            ("System.Security.SecurityException: Access denied.", nil),
            ("System.Reflection.TargetInvocationException: It was thrown by the target.", nil),
            ("System.IO.IOException: Unable to read data from the connection.", nil),
            ("The request was cross-domain.", nil),
            ("System.Runtime.InteropServices.COMException: Retrieving the COM class factory failed", "com"),
            ("COMException: x\n   at System.DirectoryServices.DirectoryEntry.Bind(Boolean a)", "directory"),
            (
                "COMException: x IIS://localhost/w3svc\n   at System.DirectoryServices.DirectoryEntry.Bind(Boolean a)",
                "iis-config"
            ),
            (
                "COMException: x\n   at System.DirectoryServices.DirectoryEntry.Bind(Boolean a)\n"
                    + "   at Microsoft.SharePoint.AdministrationOperation.Metabase.MetabaseObject.Find(String a)",
                "iis-config"
            ),
            (
                "In scope Microsoft.SharePoint.WorkflowServices.DeploymentService.Get. Exception=System.ArgumentException: x",
                "workflow-services"
            ),
            ("Microsoft.Workflow.Client.WorkflowException: The scope was not found", "workflow-manager"),
            (
                "SPPersistedObject X could not be updated because the current user is not a Farm Administrator.",
                "farm-writes"
            ),
            ("Local Launch for CLSID {61738644-F196-11D0-9953-00C04FD919C1} to CONTOSO\\svc", "dcom-iis"),
            ("Local Activation for CLSID {000C101C-0000-0000-C000-000000000046} to CONTOSO\\svc", "dcom-msi"),
            ("ArgumentException: Error during encryption or decryption. System error code 5.", "credential-key"),
            (
                "Conditions are currently affecting index propagation to this server for search service application 'S': "
                    + "Access is denied.", "search-query-2010"
            ),
        ] as [(String, String?)]
    )
    func `Evidence for a component must be specific to it`(text: String, id: String?) {
        #expect(Explanation(of: text).place?.component.id == id)
    }

    @Test(arguments: [
        (
            "Get-PnPListItem : The attempted operation is prohibited because it exceeds the list view threshold.",
            "lists"
        ), ("Login failed for user 'CONTOSO\\svc'. (Microsoft SQL Server, Error: 18456)", "sql"),
    ])
    func `A failure belongs to the component that reports it, not to one that passes it on or is mentioned`(
        text: String,
        id: String
    ) {
        #expect(Explanation(of: text).place?.component.id == id)
    }

    @Test func `The class that reads the directory for an import belongs to the import`() {
        let text =
            "The user has insufficient access rights.\n   at "
            + "Microsoft.Office.Server.UserProfiles.ActiveDirectoryImportConnection.DirSyncSearch(String name)"
        #expect(Explanation(of: text).place?.component.id == "profile-import")
    }

    @Test func `A field label does not count as a component's word`() {
        #expect(Components.find(text: "Web Application   Content Database   Status Failed") == nil)
        // The component that crashed is not the one that reports the crash.
        #expect(Components.find(category: "Unified Logging Service", text: "Watson bucket parameters: a, b") == nil)
        #expect(Components.find(area: "EntraCP", category: "Core")?.component.id == "ldapcp")
    }

    @Test func `If a frame only passes a failure on, the frame that called it counts`() {
        func find(_ names: String...) -> String? {
            Components.find(frames: names.map(StackFrame.init), text: "Access is denied.")?.component.id
        }
        let handler = "Microsoft.SharePoint.SPGlobal.HandleUnauthorizedAccessException"
        #expect(find(handler, "Microsoft.SharePoint.Library.SPRequest.GetUsersDataAsSafeArray") == "group-members")
        #expect(find(handler, "Microsoft.SharePoint.Library.SPRequest.OpenWeb") == "security")
        #expect(find(handler) == "security")
    }

    @Test(arguments: ["Contoso Forms for SharePoint", "Fabrikam.Scanner", "Contoso-X for SharePoint"])
    func `An area that is not part of SharePoint is a separate product`(area: String) {
        let found = Components.find(area: area, category: "Engine", process: "w3wp.exe", text: "It failed.")
        #expect(found?.component.name == "\(area), a product that is not part of SharePoint")
        #expect(found?.component.checks.isEmpty == false)
        #expect(Components.find(area: area, text: "the term store failed")?.component.id == "metadata")
    }

    @Test(arguments: [
        "SharePoint Foundation", "SharePoint Portal Server", "FAST Search Server 2010 for SharePoint",
        "PowerPivot for SharePoint", "Microsoft.Office", "Unknown", "General", "w3wp.exe", "8.5.1", "", "x.y",
        "Office Web Apps", "Hosted Services Infrastructure", "http://a.example for SharePoint",
    ])
    func `Other areas are not attributed to a foreign product`(area: String) {
        #expect(Components.find(area: area, text: "It failed.")?.component.id != "foreign-product")
    }

    @Test func `Known third-party products are marked as such`() {
        for id in ["nintex", "k2", "avepoint", "metalogix", "ldapcp", "cloud-claims"] {
            #expect(Components.all.first { $0.id == id }?.name.lowercased().contains("third-party") == true, "\(id)")
        }
        #expect(Components.find(area: "Nintex Workflow", category: "Engine")?.component.id == "nintex")
    }

    @Test func `A component's word matches only at the beginning of a word, ignoring case`() {
        #expect(Components.find(text: "the DISTRIBUTED CACHE is down") == nil)
        #expect(Components.find(text: "DISTRIBUTEDLOGONTOKENCACHE")?.component.id == "distributed-cache")
        #expect(Components.find(text: "xDistributedLogonTokenCache") == nil)
        #expect(Components.find(text: "a \"Secure Store\"")?.evidence == .text("Secure Store"))
        #expect(Components.find() == nil)
    }
}

/// Words in the names of commands that change something.
enum ChangingCommand {
    private static let verbs = [
        "add-", "clear-", "copy-", "disable-", "dismount-", "enable-", "export-", "grant-", "import-", "initialize-",
        "install-",
        "invoke-", "mount-", "move-", "new-", "out-", "publish-", "register-", "remove-", "rename-", "repair-",
        "reset-",
        "restart-", "restore-", "resume-", "revoke-", "set-", "start-", "stop-", "suspend-", "uninstall-", "update-",
        "upgrade-",
        "write-", "iisreset", "net stop", "net start", "net use ", "sc.exe", "sc stop", "sc start", "reg add",
        "reg delete", "/grant",
        "/deny", "/reset", "/setowner", "/remove", "setspn -s", "setspn -a", "setspn -d", "setspn -r", "-repair",
        "spproduct -local",
        "win32_product", "-addstore", "-delstore", "-repairstore", "/sc_reset", "/sc_change_pwd", "-force", "set proxy",
        "reset proxy",
        "purge", "/salvagerepository", "/resetrepository", "> ", "webconfig fix", "/config", "nctrl stop",
        "nctrl restart",
    ]

    static func word(in command: String) -> String? {
        let command = " " + command.lowercased()
        return verbs.first { verb in
            // "offset-" is not a verb.
            command.contains(verb.hasSuffix("-") ? " " + verb : verb) || command.contains("(" + verb)
        }
    }
}

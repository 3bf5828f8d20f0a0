import LogTestSupport
import Testing
import ULSLog

@testable import LogDiagnosis

/// Signs of problems, their grouping into kinds, and the report on each kind.
struct ClusterTests {
    private static let stack =
        "   at Microsoft.SharePoint.Start.OnLoad()     at Contoso.Portal.Menu.Render(String name)"

    private func clusters(_ rows: [Row], _ rules: [Rule] = []) throws -> [FailureCluster] {
        try Diagnosis.report(rules, rows).unexplained
    }

    @Test(arguments: [
        "System.InvalidOperationException: it is closed", "The call returned hr=0x80070005", "result -2147024891",
        "Access is denied. (Exception from HRESULT: 0x80070005 (E_ACCESSDENIED))", "Keyset does not exist",
        "Errors occurred processing 3 message(s): x", "The job has ended. 12 error(s), 3 warning(s)",
        "CredentialsProvider.TranslateSid: SID not found on any domain", "5 succeeded, 2 failed: 0x80070005",
        "0x80070005 after 0 retries",
    ])
    func `A row that reports a failure is a problem at any level`(message: String) throws {
        for level in ["Medium", "Information", "VerboseEx"] {
            #expect(try clusters([Row(0, "zq1a", level, message, "A")]).map(\.count) == [1])
            #expect(try clusters([Row(0, "zq1a", level, message)]).map(\.count) == [1])
        }
    }

    @Test(arguments: [
        "Done with 0 errors, last code 0x80070005", "The call succeeded: hr=0x00000000",
        "PolicyExceptionHandler is loaded", "HandleException(entered)", "Leaving Monitored Scope (x). Execution Time=3",
        "Errors occurred processing 0 message(s)", "No errors occurred", "It ended with 0 error(s)",
        "Error(s) are logged", "Errors: 0, Warnings: 0, last code 0x80070005", "Failed: 0 (0x80070005)",
        "Could not be retried: 0 of 3 failed, 0x80070005",
    ])
    func `A row below Monitorable that shows no failure is not a problem`(message: String) throws {
        let report = try Diagnosis.report([], [Row(0, "zq1a", "Medium", message, "A")])
        #expect(report.unexplained.isEmpty)
        #expect(report.unexplainedEvents == 0)
    }

    @Test(arguments: [
        ("Event ID: 5586\nSource: Foundation\nDescription: CREATE TABLE permission denied.\n", 1),
        ("Event ID: 5586\nSource: Foundation\nLevel: Information\nDescription: It is started.\n", 0),
        ("The permission was not given, and it failed.\n", 1), ("Verbose\t[Permissions] It is started.\n", 0),
        ("Error count: 0\n", 0), ("No failed timer jobs\n", 0), ("Succeeded: 4, Failed: 0\n", 0),
        ("0 succeeded, 3 failed\n", 1), ("The job failed after 0 retries.\n", 1),
    ])
    func `A quoted row without a level is a problem`(paste: String, count: Int) throws {
        let reader = LogReader(text: Array(paste.utf8), name: "mail.txt")
        let report = try Diagnosis(rules: RuleSet([])).report(on: reader)
        #expect(report.unexplained.count == count)
        #expect(report.unexplained.allSatisfy { $0.severity == .warning && $0.level == .unknown })
    }

    @Test(arguments: [
        (["401 2 5", "401 1 2148074254", "200 0 0"], Severity.info), (["401 2 5"], .warning),
        (["200 0 0", "401 2 5"], .warning), (["401 2 5", "503 2 0"], .warning),
    ])
    func `A Windows sign-in of an IIS log that ends with success is not a warning`(
        statuses: [String],
        severity: Severity
    ) throws {
        for client in ["10.0.0.9 Safari/537.36 -", "10.0.0.9 HTTP/1.1 Safari/537.36 -", "10.0.0.9 HTTP/1.1"] {
            let rows = statuses.map { "2024-03-11 11:03:10 10.0.0.5 GET /a.aspx - 443 - \(client) \($0) 15\n" }
            let reader = LogReader(text: Array(rows.joined().utf8), name: "mail.txt")
            let report = try Diagnosis(rules: RuleSet([])).report(on: reader)
            #expect(report.unexplained.map(\.severity) == [severity])
        }
    }

    @Test(arguments: [("Audit Failure", 1), ("Audit Success", 0)])
    func `A refused attempt in the security log is a problem of the component that its category names`(
        keywords: String,
        count: Int
    ) throws {
        let text = """
            Log Name: Security
            Source: Microsoft-Windows-Security-Auditing
            Event ID: 4771
            Task Category: Kerberos Authentication Service
            Level: Information
            Keywords: \(keywords)
            Description:
            Kerberos pre-authentication failed.

            Certificate Information:
            \tCertificate Issuer Name:
            """
        let reader = LogReader(text: Array(text.utf8), name: "mail.txt")
        let report = try Diagnosis(rules: RuleSet([])).report(on: reader)
        #expect(report.unexplained.count == count)
        #expect(report.unexplained.allSatisfy { $0.explanation.place?.component == "Kerberos and Windows sign-in" })
    }

    @Test(arguments: [
        ("Microsoft-Windows-WAS", "5021", "Warnung", "Windows (WAS) could not sign in with the account"),
        ("WAS", "5059", "Fehler", "IIS switched an application pool off"), ("WAS", "5021", "Informationen", nil),
        ("WAS", "5999", "Warnung", nil), ("Anders", "5021", "Warnung", nil),
        ("MSSQL$SP", "18456", "Warnung", "SQL Server refused the login"),
    ])
    func `The number of an event of Windows has the same meaning in all languages`(
        source: String,
        number: String,
        level: String,
        headline: String?
    ) throws {
        let text =
            "Protokollname: System\nQuelle: \(source)\nEreignis-ID: \(number)\nEbene: \(level)\nBeschreibung:\nEs ist so.\n"
        let reader = LogReader(text: Array(text.utf8), name: "mail.txt")
        let kinds = try Diagnosis(rules: RuleSet([])).report(on: reader).unexplained
        #expect(kinds.count == (headline == nil ? 0 : 1))
        for kind in kinds {
            #expect(kind.severity == .warning)
            #expect(kind.explanation.headline?.hasPrefix(headline ?? "-") == true, "\(kind.explanation)")
            #expect(kind.explanation.decoded.allSatisfy { $0.contains("(by the event ID)") })
        }
    }

    @Test(arguments: [("System.Web.HttpResponse.End()", Severity.info), ("Contoso.Job.Run()", .warning)])
    func `The exception with which a redirect ends a page is no warning`(frame: String, severity: Severity) throws {
        let text = "System.Threading.ThreadAbortException: Thread was being aborted.\n   at \(frame)\n"
        let reader = LogReader(text: Array(text.utf8), name: "mail.txt")
        let report = try Diagnosis(rules: RuleSet([])).report(on: reader)
        #expect(report.unexplained.map(\.severity) == [severity])
    }

    @Test func `A code without a name is neither the headline nor decoded beside words`() {
        let reading = FailureReading(text: "Transaction failed in plugin RHTG Url pf://mail/a/ Error 0x8004fd11")
        #expect(reading.headline?.contains("Transaction failed") == true && reading.decoded.isEmpty)
    }

    @Test(arguments: [
        ("Access denied to the list 'A'", "Access denied to the list 'A'."),
        (
            "This feature is not supported on servers with the role Custom.",
            "This feature is not supported on servers with the role Custom."
        ),
        (
            "Connection refused",
            "Something could not be reached; the text alone does not name who or what was involved."
        ),
    ])
    func `A diagnosis has the sentence of an explanation, even if it names nothing`(text: String, sentence: String) {
        let reading = FailureReading(text: text)
        #expect(reading.sentence == sentence)
        #expect(reading.headline == nil || reading.headline == sentence)
    }

    @Test(arguments: [
        ("L'accès est refusé.\n", 1), ("An upgrade of SPContentDatabaseSequence is not applicable.\n", 1),
        ("Our SharePoint search is new.\n", 0), ("Crawl ended, none failed.\n", 0),
        ("Get-SPSite http://sp/sites/a | Get-SPWeb\n", 0), ("Get-SPLogEvent -MinimumLevel Error\n", 0),
        ("Get-SPSite http://sp/sites/a failed.\n", 1),
    ])
    func `A paragraph that reports a failure or names an actor is a row`(paste: String, count: Int) throws {
        let reader = LogReader(text: Array(paste.utf8), name: "mail.txt")
        #expect(try Diagnosis(rules: RuleSet([])).report(on: reader).unexplained.count == count)
    }

    @Test func `A type name whose beginning is in another row is not recognized as a type`() throws {
        let cut = try clusters([Row(0, "zq1a", "Unexpected", "...ceException: Object reference not set", "A")])
        #expect(cut.map(\.exception) == [nil])
        let whole = try clusters([Row(0, "zq1a", "Unexpected", "System.NullReferenceException: Object reference", "A")])
        #expect(whole.map(\.exception) == ["System.NullReferenceException"])
    }

    @Test(arguments: ["at", "bei", "à"])
    func `The first custom frame is recognized in English, German and French`(word: String) throws {
        let frames = ["Microsoft.SharePoint.Start.OnLoad()", "Contoso.Portal.Menu.Render(String name)"]
        let trace = frames.map { "   \(word) \($0)" }.joined()
        let found = try clusters([Row(0, "zq1a", "Unexpected", "System.FormatException: bad" + trace, "A")])
        #expect(found.map(\.frame) == ["Contoso.Portal.Menu.Render"] && found.first?.template.contains("Menu") == false)
    }

    @Test func `The same exception logged several times in a request is one cluster`() throws {
        let rows: [Row] = [
            Row(0, "8nca", "Medium", "Application error, Error=Lost: System.FormatException: Lost" + Self.stack, "A"),
            Row(1, "tkau", "Unexpected", "System.FormatException: Lost" + Self.stack, "A"),
            Row(
                2,
                "ajlz0",
                "High",
                "System.Web.HttpUnhandledException: x ---> System.FormatException: Lost" + Self.stack,
                "A"
            ),
        ]
        let clusters = try clusters(rows)
        #expect(clusters.map(\.eventID) == ["8nca"])
        #expect(clusters.first?.exception == "System.FormatException")
        #expect(clusters.first?.frame == "Contoso.Portal.Menu.Render")
        #expect(clusters.first?.requests == Amount(1))
    }

    @Test func `An exception that a rule explains is not reported again`() throws {
        let rule = try RuleText.rule("FS1001", select: "  s: {event_id: tkau}", check: "  c: {count: {of: s, gte: 1}}")
        let rows = [
            Row(0, "8nca", "Medium", "Error=Lost: System.FormatException: Lost", "A"),
            Row(1, "tkau", "Unexpected", "System.FormatException: Lost", "A"),
            Row(2, "zzzz", "Medium", "System.FormatException: Lost", "B"),
        ]
        let report = try Diagnosis.report([rule], rows)
        #expect(report.findings.count == 1)
        #expect(report.unexplained.map(\.eventID) == ["zzzz"])
        #expect(report.unexplainedEvents == 1)
    }

    @Test func `Rows that differ only in numbers, accounts, addresses and paths form one kind`() throws {
        let rows = (0..<6).map { number in
            Row(
                Double(number),
                "zq1a",
                "Unexpected",
                "No \(number) of i:0#.w|contoso\\u\(number % 4) at https://portal/sites/\(number % 3)?x=\(number) in C:\\a\\\(number)",
                Array("ABC")[number % 3]
            )
        }
        let cluster = try #require(try clusters(rows).first)
        #expect(cluster.template == "No # of <account> at <url> in <path>")
        #expect(cluster.count == 6)
        #expect(cluster.requests == Amount(3))
        #expect(cluster.users == Amount(4))
        #expect(cluster.addresses == Amount(3))
    }

    @Test(arguments: [
        (#"Refused ‘CONTOSO\ann’."#, #"contoso\ann"#), (#"Refused CONTOSO\ann."#, #"contoso\ann"#),
        (#"Refused ‘NT AUTHORITY\IUSR’."#, #"nt authority\iusr"#),
        (#"Refused NT AUTHORITY\NETWORK SERVICE: lost"#, #"nt authority\network service"#),
        (#"Refused IIS APPPOOL\Portal!"#, #"iis apppool\portal"#),
    ])
    func `An account name excludes the punctuation around it`(message: String, account: String) throws {
        let cluster = try #require(try clusters([Row(0, "zq1a", "Unexpected", message, "A")]).first)
        #expect(cluster.userNames == [account])
    }

    @Test(arguments: [
        #"The availability replica 'SQLB\SP' failed"#,
        #"Cannot open D:\Cache\\42\Big Pictures\Small now"#, #"Cannot open C:\Program Files\Common now"#,
        #"Cannot load bin\Contoso.dll now"#, #"The counter \SRV$ONE:Memory\Memory is lost"#,
        #"It failed on server SQL1\SHAREPOINT today"#, #"Cannot load 'bin\Contoso.DLL' now"#,
        "Nothing is known of i:0i.t|ms.sp.ext|f81d4fae-7dec-11d0-a765-00a0c91e6bf6@a765",
        #"Unknown datatype Geolocation [sts3util.cxx:6498] search\native\gather\protocols\sts3\sts3util.cxx"#,
    ])
    func `Parts of paths, counters and server instances are not accounts`(message: String) throws {
        let cluster = try #require(try clusters([Row(0, "zq1a", "Unexpected", message, "A")]).first)
        #expect(cluster.userNames == [])
        #expect(cluster.users == Amount(0))
    }

    @Test func `The kind of an XML report is determined by its message`() throws {
        let report = #"<?xml version="1.0" encoding="utf-16"?><HealthReport xmlns:xsd="http://contoso/XMLSchema">"#
        let messages = ["BroadcastWatchdog found 3 parts lost", "EditWatchdog found 4 parts lost"]
        let rows = messages.enumerated().map { number, message in
            let text = "\(report)<HealthMessage>\(message)</HealthMessage></HealthReport>"
            return Row(Double(number), "zq1a", "Unexpected", text)
        }
        let templates = try clusters(rows).map(\.template)
        #expect(Set(templates).count == 2)
        for name in ["BroadcastWatchdog found # parts lost", "EditWatchdog found # parts lost"] {
            #expect(templates.contains { $0.hasPrefix(name) })
        }
    }

    @Test func `In truncated text, runtime frames do not identify a component`() {
        let text = "COMException: x\n   at System.DirectoryServices.DirectoryEntry.Bind(Boolean a)"
        #expect(FailureReading(text: text).location?.text == "Directory of the domain (LDAP)")
        #expect(FailureReading(text: text, isCut: true).location == nil)
        #expect(FailureReading(text: text, isCut: true).checks.isEmpty)
        let own = text + "\n   at Microsoft.Office.SecureStoreService.Server.KeyManager.Change()"
        #expect(FailureReading(text: own, isCut: true).location?.text.hasPrefix("Secure Store service") == true)
    }

    @Test func `A component identified only by the process is reported as possible`() {
        let text = "Something unheard of failed"
        let timer = FailureReading(text: text, process: "OWSTIMER.EXE (0x1234)").location
        #expect(timer?.text.hasPrefix("Timer service") == true)
        #expect(timer?.confidence == .possible)
        #expect(FailureReading(text: text, category: "Timer").location?.confidence == .likely)
    }

    @Test func `An account after a path is recognized`() throws {
        let message = #"Cannot open D:\Cache for CONTOSO\ann, nor D:\Logs User CONTOSO\bob"#
        let cluster = try #require(try clusters([Row(0, "zq1a", "Unexpected", message, "A")]).first)
        #expect(cluster.userNames == [#"contoso\ann"#])
    }

    @Test func `Rows without event IDs that report an exception in different words form one kind`() throws {
        let bad =
            "System.Runtime.InteropServices.COMException was thrown. Bad Data. (Exception from HRESULT: 0x80090005)"
        let paste =
            "An exception of type \(bad)\n\n07/01/2024 10:00:00 5 ERR detail for task x is an exception of type \(bad)\n"
        let report = try Diagnosis(rules: RuleSet([])).report(on: LogReader(text: Array(paste.utf8), name: "mail.txt"))
        #expect(report.unexplained.count == 1)
        #expect(report.unexplained.first?.count == 2)
    }

    @Test func `A rule for a symptom lists usual causes, but a rule for the cause does not`() throws {
        let job = "Microsoft.SharePoint.Diagnostics.SPDatabaseServerDiagnosticsPerformanceCounterProvider"
        let symptom =
            "The Execute method of job definition \(job) (ID 1) threw an exception. More information is included below.  Access is denied."
        let reason =
            "System.IO.FileNotFoundException: Could not load file or assembly 'Contoso.Json, Version=1.0.0.0, Culture=neutral' or "
            + "one of its dependencies. The system cannot find the file specified."
        let rows = [Row(0, "6398", "Critical", symptom, "A"), Row(1, "zq1a", "High", reason, "B")]
        let report = try Diagnosis(rules: try RuleSet.builtIn()).report(on: LogText(rows).reader())
        let told = try #require(report.findings.first { $0.rule.id.text == "FS1056" }?.reading)
        #expect(told.activity?.text.hasPrefix("collecting performance counters") == true)
        #expect(told.usually.first?.contains("Performance Monitor Users") == true && !told.needs.isEmpty)
        let explained = try #require(report.findings.first { $0.rule.id.text == "FS1108" }?.reading)
        #expect(explained.usually == [] && explained.needs == [])
        #expect(!told.checks.isEmpty && explained.checks == [])
    }

    @Test func `A check that a rule already recommends is not repeated`() throws {
        let text =
            "System.Security.SecurityException: Requested registry access is not allowed."
            + "\n   at Microsoft.Win32.RegistryKey.OpenSubKey(String name, Boolean writable)"
            + "\n   at Microsoft.SharePoint.Administration.SPCredentialManager.GetMasterKey(SPFarm farm)"
        #expect(FailureReading(text: text, givesReasons: false).checks.contains { $0.program == "Get-Acl" })
        let rows = [Row(0, "6481", "Critical", text, "A")]
        let report = try Diagnosis(rules: try RuleSet.builtIn()).report(on: LogText(rows).reader())
        let finding = try #require(report.findings.first { $0.rule.id.text == "FS1015" })
        #expect(finding.fix.contains { $0.step.contains("Get-Acl") })
        #expect(finding.reading?.checks.contains { $0.program == "Get-Acl" } == false)
    }

    @Test(arguments: [
        ("Get-Acl 'HKLM:\\X'", "Get-Acl"), ("(Get-SPFarm).BuildVersion", "Get-SPFarm"), ("nltest /dsgetdc:D", "nltest"),
        ("& 'C:\\a b.exe'", "exe"),
    ])
    func `The program of a check is the first word of its command`(command: String, program: String) {
        #expect(ReadingCheck("Look.", command: command).program == program)
    }

    @Test func `An exception logged again without frames is merged with the first one`() throws {
        let thrown = "System.FormatException: Lost its way"
        let paste = LogReader(
            text: Array(
                "\(thrown)\n\nA call failed: \(thrown)\n   at Microsoft.Office.SecureStoreService.A.B(String x)\n".utf8
            ),
            name: "paste.txt"
        )
        let report = try Diagnosis(rules: try RuleSet([])).report(on: paste)
        #expect(report.unexplained.count == 1)
        let cluster = try #require(report.unexplained.first)
        #expect(cluster.count == 2 && report.unexplainedEvents == 2)
        #expect(cluster.explanation.location?.text.hasPrefix("Secure Store service") == true)
    }

    @Test func `A component identified only by words is a mention that quotes the words`() throws {
        let row = Row(0, "zq1a", "Unexpected", "The call failed: Keyset does not exist", "A")
        let reading = try #require(try clusters([row]).first).explanation
        #expect(reading.mention == #"Private keys and encryption, by "Keyset does not exist""#)
        #expect(reading.location == nil)
        let thrown = Row(0, "zq1a", "Unexpected", "System.FormatException: Lost" + Self.stack, "A")
        #expect(try clusters([thrown]).first?.explanation.mention == nil)
        // A frame shows the place of the failure; a word next to it may not.
        let custom = "System.Security.Cryptography.CryptographicException: Lost\n   at Contoso.Export.Sign(String text)"
        let foreign = try #require(try clusters([Row(0, "zq1a", "Unexpected", custom, "A")]).first).explanation
        #expect(foreign.mention == nil && foreign.location?.confidence == .possible)
    }

    @Test func `A kind has the same ID in every log`() throws {
        let one = try clusters([Row(0, "zq1a", "Unexpected", "Lost 17 items", "A")])
        let other = try clusters([
            Row(9, "zq1a", "Unexpected", "Lost 4 items", "B"), Row(10, "zq1a", "Unexpected", "Lost 5 items"),
        ])
        #expect(one.map(\.id) == other.map(\.id))
        #expect(one.first?.id.count == 16)
    }

    @Test func `If one event ID has too many message shapes, they become one kind`() throws {
        let words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
        let rows = words.enumerated().map { Row(Double($0), "zq1a", "Unexpected", "Lost \($1) items") }
        let clusters = try clusters(rows + [Row(20, "zq2a", "Unexpected", "Lost", "B")])
        #expect(clusters.map(\.count).sorted() == [1, 10])
    }

    @Test func `Among equally informative kinds, worse levels come first`() throws {
        let often = (0..<5).map { Row(Double($0), "zq1a", "High", "System.FormatException: bad", Array("ABCDE")[$0]) }
        let rows =
            often + [
                Row(10, "zq2a", "Critical", "System.TimeoutException: late", "F"),
                Row(11, "zq3a", "Monitorable", "The store is closed"), Row(12, "zq4a", "Critical", "The store is gone"),
            ]
        #expect(try clusters(rows).map(\.eventID) == ["zq2a", "zq1a", "zq4a", "zq3a"])
    }

    @Test func `At most a hundred kinds are listed, but the rows of all kinds are counted`() throws {
        let letters = Array("abcdefghijkl")
        let rows = (0..<120).map { number in
            Row(Double(number), "z\(letters[number / 12])\(letters[number % 12])a", "Critical", "Lost", nil)
        }
        let followers = [
            Row(200, "zzza", "Unexpected", "The page failed: System.FormatException: bad", "A"),
            Row(201, "zzzb", "Unexpected", "It failed again: System.FormatException: bad", "A"),
        ]
        let report = try Diagnosis.report([], rows + followers)
        #expect(report.unexplained.count == 100)
        #expect(report.unexplainedKinds == 121)
        #expect(report.unexplainedFollowing == 1)
        #expect(report.unexplainedEvents == 122)
        let few = try Diagnosis.report([], Array(rows.prefix(30)) + followers)
        #expect(few.unexplained.reduce(0) { $0 + $1.count } + few.unexplainedFollowing == few.unexplainedEvents)
    }

    @Test func `A truncated message ends with a mark, and its kind keeps its ID`() throws {
        let cut = try #require(
            try clusters([Row(0, "zq1a", "Unexpected", String(repeating: "word ", count: 40))]).first
        )
        #expect(cut.template.hasSuffix("word…") || cut.template.hasSuffix(" …"))
        let whole = try #require(try clusters([Row(0, "zq1a", "Unexpected", "Lost its way")]).first)
        #expect(whole.template == "Lost its way")
    }

    @Test func `A normal kind is not reported again unless it has become more frequent`() throws {
        let usual = [Row(0, "zq1a", "Unexpected", "Lost 17 items", "A")]
        let new = Row(1, "zq2a", "Unexpected", "Cannot open the store", "B")
        var diagnosis = Diagnosis(rules: try RuleSet([]))
        diagnosis.describesNormal = true
        diagnosis.normal = try diagnosis.report(on: LogText(usual).reader()).described
        let report = diagnosis.report(on: try RecordedLog.record(LogText(usual + [new]).reader()))
        #expect(report.unexplained.map(\.eventID) == ["zq2a"])
        #expect(report.unexplained.first?.changes.map(\.kind) == [.notNormal])
        #expect(report.normalKinds == 1)
        let many = (0..<40).map { Row(Double($0), "zq1a", "Unexpected", "Lost \($0) items", "A") }
        let more = diagnosis.report(on: try RecordedLog.record(LogText(many).reader()))
        #expect(more.unexplained.first?.changes.contains { $0.kind == .rate } == true)
    }

    @Test(arguments: [1, 4])
    func `A new kind is reported even if there are more normal kinds than can be distinguished`(jobs: Int) throws {
        let kinds = DiagnosisLimit.templates.maximum + 300
        let usual = (0..<kinds).map { Row(Double($0), "k" + String($0, radix: 36), "Unexpected", "Lost its way") }
        let new = Row(Double(kinds), "zq2a", "Medium", "System.IO.IOException: The disk is full")
        var diagnosis = Diagnosis(rules: try RuleSet([]))
        diagnosis.describesNormal = true
        let normal = try #require(try diagnosis.report(on: LogText(usual).reader(jobs: jobs)).described)
        #expect(normal.kinds.count == DiagnosisLimit.templates.maximum)
        #expect(normal.others.count == 300 && !normal.isIncomplete)
        diagnosis.normal = normal
        let report = try diagnosis.report(on: LogText(usual + [new]).reader(jobs: jobs))
        #expect(report.unexplained.map(\.eventID) == ["zq2a"])
        #expect(report.unexplained.first?.changes.map(\.kind) == [.notNormal])
        #expect(report.normalRows == DiagnosisLimit.templates.maximum)
        #expect(report.limits == [DiagnosisLimitReached(limit: .templates, count: 300)])
    }

    @Test func `A report notes that a kind began late, soon after a restart, and in a burst`() throws {
        var rows = (0..<120).map { Row(Double($0) * 60, "xmnv", "Medium", "nothing \($0)", "A") }
        rows.append(Row(80 * 60, "b8fx", "High", "ULS Init Completed", process: "OWSTIMER.EXE (0x0A1C)"))
        rows += (0..<30).map { Row(84 * 60 + Double($0), "zq1a", "Unexpected", "Lost \($0) items", "B") }
        rows.sort { $0.seconds < $1.seconds }
        let cluster = try #require(try clusters(rows).first { $0.eventID == "zq1a" })
        #expect(Set(cluster.changes.map(\.kind)) == [.new, .rate, .afterMark])
        #expect(cluster.changes.contains { $0.text.hasPrefix("begins 4 min after the timer service started") })
    }
}

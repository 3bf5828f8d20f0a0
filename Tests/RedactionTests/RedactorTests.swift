import Redaction
import Testing

struct RedactorTests {
    /// Returns a text as displayed in a report that contains nothing else.
    private func redacted(_ text: String) -> String {
        var redactor = Redactor()
        redactor.learn(text)
        return redactor.text(text)
    }

    @Test(arguments: [
        (#"Access denied for CONTOSO\ann.meier."#, #"Access denied for domain-1\user-1."#),
        (#"user 'CONTOSO\ann'"#, #"user 'domain-1\user-1'"#),
        (#"i:0#.w|contoso\ann"#, #"i:0#.w|domain-1\user-1"#),
        (#"0#.w|contoso\ann"#, #"0#.w|domain-1\user-1"#),
        (#"i:0#.f|membership|ann@contoso.com;"#, #"i:0#.f|membership|user-1@domain-1;"#),
        (#"i:05.t|adfs|ann@contoso.com"#, #"i:05.t|adfs|user-1@domain-1"#),
        (#"i:0e.t|idp|4711x"#, #"i:0e.t|idp|user-1"#),
        (#"i:0).w|s-1-5-21-1004336348-1177238915-682003330-512"#, "i:0).w|sid-1"),
        ("mail to ann.meier@contoso.com, please", "mail to user-1@domain-1, please"),
        (#"{"login":"contoso\\ann"}"#, #"{"login":"domain-1\\user-1"}"#),
        (#"contoso\u005Cann failed"#, #"domain-1\u005Cuser-1 failed"#),
        (#"CONTOSO\WFE1$ has no right"#, #"domain-1\host-1$ has no right"#),
        (#"Login failed for user 'svc_farm'"#, "Login failed for user 'user-1'"),
        ("DisplayName=Ann Meier; Title", "DisplayName=user-1; Title"),
        ("User=annm, Site=/", "User=user-1, Site=/"),
        (#"path 'D:\Cache\Big Pictures\Small' is denied"#, #"path 'D:\Cache\Big Pictures\Small' is denied"#),
        (#"path 'D:\Cache' for 'CONTOSO\ann'"#, #"path 'D:\Cache' for 'domain-1\user-1'"#),
        (#"'\SRV$ONE:Memory\Memory Limit' is lost"#, #"'\SRV$ONE:Memory\Memory Limit' is lost"#),
        (#"User:CONTOSO\ann is lost"#, #"User:domain-1\user-1 is lost"#),
        (#"run as .\localadm now"#, #"run as .\user-1 now"#),
        ("i%3A0%23.w%7Ccontoso%5Cann", #"i:0#.w|domain-1\user-1"#),
        ("Access denied to user: ann", "Access denied to user: user-1"),
        ("Access denied to user: ann. Go on, ann", "Access denied to user: user-1. Go on, user-1"),
        ("No mailbox for user ann", "No mailbox for user user-1"),
        ("The user ann does not have access", "The user user-1 does not have access"),
    ])
    func `An account is masked, but its format is kept`(text: String, expected: String) {
        #expect(redacted(text) == expected)
    }

    @Test(arguments: [
        (#"the availability replica 'SQLB\SP' is lost"#, "the availability replica 'host-1' is lost"),
        (#"No database master at SQL server at SQLAG\SP."#, "No database master at SQL server at host-1."),
        (#"The instance SQL01\SP2016 is down"#, "The instance host-1 is down"),
        (#"instance of CONTOSO\ann"#, #"instance of domain-1\user-1"#),
    ])
    func `A server with its instance of SQL Server is no account`(text: String, expected: String) {
        #expect(redacted(text) == expected)
    }

    @Test(arguments: [
        ("Thumbprint: {}.", true), ("thumbprint '{}'", true), ("Thumbprint={} is old", true), ("certificate {}", true),
        (#"dir Cert:\LocalMachine\My\{}"#, true), ("Fingerabdruck: {}", true), ("secret {}", false),
        ("token={}", false),
        ("thumbprint of a key: {}", false), ("Thumbprint: {}0", false),
    ])
    func `The thumbprint of a certificate is public`(text: String, isKept: Bool) {
        let thumbprint = "3B1E6F0A9C77D2E4418F5A60C2D98E7B1F3344AA"
        let text = text.replacing("{}", with: thumbprint)
        #expect(redacted(text).contains(thumbprint) == isKept, "\(redacted(text))")
    }

    @Test func `The blank in the name of a library does not end an address`() {
        let text = "The file https://sp.contoso.com/sites/hr/Shared Documents/Salaries/Pay.xlsx is locked"
        #expect(redacted(text) == "The file https://host-1/sites/path-1/Shared Documents/path-2/path-3.xlsx is locked")
        #expect(redacted("https://sp.contoso.com/sites/Shared is late") == "https://host-1/sites/path-1 is late")
    }

    @Test func `A name from a standard is kept, but a realm is not one`() {
        let text = "Cannot read the token ('Assertion', 'urn:oasis:names:tc:SAML:2.0:assertion')"
        #expect(redacted(text) == text)
        let type = "The type is urn:ietf:params:oauth:token-type:jwt"
        #expect(redacted(type) == type)
        #expect(!redacted("realm urn:portal.contoso.com:sharepoint").contains("contoso"))
    }

    @Test(arguments: [
        ("Found CN=Anna Berger,OU=Staff West,DC=contoso,DC=com", "Found CN=user-1,OU=path-1,DC=domain-1,DC=com"),
        (#"manager = CN=Berger\, Anna,OU=Staff,DC=com"#, "manager = CN=user-1,OU=path-1,DC=com"),
        ("CN=Anna Berger was not found, so it ends", "CN=user-1 was not found, so it ends"),
        ("LDAP://dc07/CN=Anna Berger,OU=Staff is gone", "LDAP://host-1/CN=user-1,OU=path-1 is gone"),
        ("LDAP://CN=Anna Berger,OU=Staff is gone", "LDAP://CN=user-1,OU=path-1 is gone"),
        (#"name="Bob Smith" was added"#, #"name="user-1" was added"#),
        ("<Name>Bob Smith</Name>", "<Name>user-1</Name>"),
        (#"From: "Anna Berger" <a7@b.com>"#, #"From: "user-1" <user-2@domain-1>"#),
        (#"{"to":"\"Berger, Anna\" <a7@b.com>"}"#, #"{"to":"\"user-1\" <user-2@domain-1>"}"#),
        ("To: Anna Berger <a7@b.com>, Bob <b@b.com>", "To: user-1 <user-2@domain-1>, user-3 <user-4@domain-1>"),
        ("Mail to Wim van Dyck (w7@b.com) failed", "Mail to user-1 (user-2@domain-1) failed"),
        ("From: =?utf-8?Q?Anna_Berger?= <a7@b.com>", "From: user-1 <user-2@domain-1>"),
        ("&quot;Anna Berger&quot; &lt;a7@b.com&gt;", "&quot;user-1&quot; &lt;user-2@domain-1&gt;"),
        ("DisplayName: Anna Berger", "DisplayName: user-1"),
        ("displayName: Jürgen Österreicher is not valid", "displayName: user-1 is not valid"),
        ("Editor: Anna Berger, Author: O'Neil-Berger Bob", "Editor: user-1, Author: user-2"),
        ("Display name: Berger, Anna; x", "Display name: user-1; x"),
        ("DisplayName: Anna (Sales)", "DisplayName: user-1 (Sales)"),
        ("GivenName=Anna SN=Berger", "GivenName=user-1 SN=user-2"),
        ("User=Anna Berger failed", "User=user-1 failed"),
        ("User 'Anna Berger' has no access", "User 'user-1' has no access"),
        ("User: Anna Berger has no access", "User: user-1 has no access"),
        ("AssignedTo=Anna Berger|x", "AssignedTo=user-1|x"),
        ("Account Name:\t\tann", "Account Name:\t\tuser-1"),
        ("Account Name:\t\tsp_farm\nx", "Account Name:\t\tuser-1\nx"),
        ("Account Domain:\t\tcontoso\nx", "Account Domain:\t\tdomain-1\nx"),
        ("Workstation Name:\tSPWFE01\nx", "Workstation Name:\thost-1\nx"),
        ("Account Name: is not valid here", "Account Name: is not valid here"),
        (
            "Account Name:\t\tjdoe Account Domain:\t\tACME Logon ID:\t\t0x1",
            "Account Name:\t\tuser-1 Account Domain:\t\tdomain-1 Logon ID:\t\t0x1"
        ),
        ("Account Name:  Max Muster Account Domain:  ACME", "Account Name:  user-1 Account Domain:  domain-1"),
        (
            "Kontoname:\t\tmuster Kontodomäne:\tacme Anmelde-ID: 0x1",
            "Kontoname:\t\tuser-1 Kontodomäne:\tdomain-1 Anmelde-ID: 0x1"
        ),
        ("Logon Account:\tjdoe Source Workstation:\tPC7", "Logon Account:\tuser-1 Source Workstation:\thost-1"),
        ("Service Name:  WEB7$ Service ID: 1", "Service Name:  host-1$ Service ID: 1"),
        ("Service Name: SPTimerV4", "Service Name: SPTimerV4"),
        ("Failing Servers: WFE1, app7\nx WFE1", "Failing Servers: host-1, host-2\nx host-1"),
        ("Virtual Account:  No Elevated Token:  Yes", "Virtual Account:  No Elevated Token:  Yes"),
        ("Keywords:      Audit Failure", "Keywords:      Audit Failure"),
        (
            #"\n\nSubject Name: CN=a, C=US\nIssuer Name: CN=b, O=A Ltd\nThumbprint: 7884622F8B80\n\nErrors:"#,
            #"\n\nSubject Name: CN=a, C=US\nIssuer Name: CN=b, O=A Ltd\nThumbprint: 7884622F8B80\n\nErrors:"#
        ),
        (#"Rights of CONTOSO\nSmith"#, #"Rights of domain-1\user-1"#),
        (#"User=CONTOSO\nSmith; id=CONTOSO\nSmith"#, #"User=domain-1\user-1; id=domain-1\user-1"#),
        ("from ::ffff:10.7.0.100 and [::ffff:10.1.2.3]:443", "from ip-1 and [ip-2]:443"),
        ("Get-Service -DisplayName 'Service Bus*', 'Ann*'", "Get-Service -DisplayName 'Service Bus*', 'Ann*'"),
    ])
    func `All words of a name are masked, and the rest of the sentence is unchanged`(text: String, expected: String) {
        #expect(redacted(text) == expected)
    }

    @Test(arguments: [
        (#"C:\Users\ann\AppData\Local\Temp\x.log"#, #"C:\Users\user-1\AppData\Local\Temp\x.log"#),
        (#"\\fileserver7\share$\a.txt"#, #"\\host-1\share$\a.txt"#),
        (#"\\srv\profiles$\ann.V6\x"#, #"\\host-1\profiles$\user-1.V6\x"#),
        (#"D:\Home\ann\x"#, #"D:\Home\user-1\x"#),
        ("Cannot connect to SQL Server. SQLFARM not found.", "Cannot connect to SQL Server. host-1 not found."),
        ("Cannot connect to SPSQL,1433 now", "Cannot connect to host-1,1433 now"),
        ("Server: SQLPROD", "Server: host-1"),
        ("server 'SP-SQL' is off", "server 'host-1' is off"),
        ("on server SQLPROD01 at once", "on server host-1 at once"),
        ("Contoso.Net.Mail of contoso.net", "Contoso.Net.Mail of host-1"),
        ("LDAP:/<path>=contoso,DC=com", "LDAP:/<path>=path-1,DC=com"),
        (
            #"C:\inetpub\wwwroot\wss\VirtualDirectories\portal.contoso.com80\bin"#,
            #"C:\inetpub\wwwroot\wss\VirtualDirectories\host-180\bin"#
        ),
        (#"E:\ULS\WFE1-20240311-1003.log"#, #"E:\ULS\host-1-20240311-1003.log"#),
        ("wfe7.contoso.local answers", "host-1 answers"),
        ("version 9.0.0.1 on 10.1.2.3", "version 9.0.0.1 on ip-1"), ("the version of 10.1.2.3", "the version of ip-1"),
        ("assembly from server 10.1.2.3, build agent 10.1.2.4", "assembly from server ip-1, build agent ip-2"),
        ("http://10.1.2.3:80/ and http://*:80/", "http://ip-1:80/ and http://*:80/"),
        (#""A","user ""annemeier"", Password=""x y"" ""#, #""A","user ""user-1"", Password=""***"" ""#),
        (#"-Identity "CONTOSO\ann""#, #"-Identity "domain-1\user-1""#), ("-Identity 'annemeier'", "-Identity 'user-1'"),
        ("on 10.1.2.3:8080 and fe80::1ff:fe23:4567:890a", "on ip-1:8080 and ip-2"),
        ("00-15-5D-01-02-03, 00:15:5d:01:02:04", "mac-1, mac-2"),
        ("Data Source=NROBARGE7;Initial Catalog=X", "Data Source=host-1;Initial Catalog=X"),
        (#"Server=SQL07\SHAREPOINT,1433;Database=X"#, #"Server=host-1\SHAREPOINT,1433;Database=X"#),
        ("Machine:Frontend7Date", "Machine:host-1"),
        ("domain 'EXTERNAL'", "domain 'EXTERNAL'"),
        ("domain 'EXTCONTOSO'", "domain 'domain-1'"),
        ("SID S-1-5-21-1-2-3-1001", "SID sid-1"),
        ("http://wfe1:80/a b wfe1 WFE1", "http://host-1:80/path-1 b host-1 host-1"),
        (
            #"C:\inetpub\wwwroot\wss\VirtualDirectories\intranet80\bin of the site intranet80"#,
            #"C:\inetpub\wwwroot\wss\VirtualDirectories\host-180\bin of the site host-180"#
        ),
        ("http://portal:443/ is the site portal443", "http://host-1:443/ is the site host-1443"),
        ("the site portal.contoso.com80 is down", "the site host-180 is down"),
        ("nodecontroller@WEB01:1234 on WEB01 ended", "nodecontroller@host-1:1234 on host-1 ended"),
        ("process 4711@sp-search is lost", "process 4711@host-1 is lost"),
        ("ann@WEB01 has no right", "user-1@host-1 has no right"),
        ("NodeId: WIN-4B7QX2ZK9TD. Scope: a", "NodeId: host-1. Scope: a"), ("NodeId: cache-node2", "NodeId: host-1"),
        ("then WIN-4B7QX2ZK9TD and LAPTOP-4B7QX2Z restarted", "then host-1 and host-2 restarted"),
        ("SQL Server instance 'sql-rhine' is missing", "SQL Server instance 'host-1' is missing"),
        ("Server: sql-rhine", "Server: host-1"), ("Machine name: rhine", "Machine name: host-1"),
        ("on server 'rhine' and host \"weser-web\"", "on server 'host-1' and host \"host-2\""),
        ("ComputerName=rhine;", "ComputerName=host-1;"),
        ("Get-Service -ComputerName rhine -Name W3SVC", "Get-Service -ComputerName host-1 -Name W3SVC"),
    ])
    func `A host is masked wherever the surrounding text identifies it as one`(text: String, expected: String) {
        #expect(redacted(text) == expected)
    }

    @Test(arguments: [
        (
            "Request (GET:http://portal.contoso.com:80/sites/hr/Lists/Salaries/AllItems.aspx?ID=7&Source=http%3A%2F%2Fx)",
            "Request (GET:http://host-1:80/sites/path-1/Lists/path-2/AllItems.aspx?ID=7&Source=***)"
        ),
        ("https://portal/_layouts/15/start.aspx#/sites/hr", "https://host-1/_layouts/15/start.aspx#***"),
        ("http://portal/search/results.aspx?k=burnout+help", "http://host-1/search/results.aspx?k=***"),
        (
            "http://portal/personal/contoso_ann/Documents/Will.docx",
            "http://host-1/personal/user-1/Documents/path-1.docx"
        ),
        (
            "http://portal/_api/web/lists/getbytitle('Salaries')/items",
            "http://host-1/_api/web/lists/getbytitle('path-1')/items"
        ),
        ("GET /sites/hr/SitePages/Home.aspx", "GET /sites/path-1/SitePages/Home.aspx"),
        ("POST /_vti_bin/owssvr.dll?CS=65001", "POST /_vti_bin/owssvr.dll?CS=65001"),
        (#"SOFTWARE\Microsoft\Shared Tools\Web Server"#, #"SOFTWARE\Microsoft\Shared Tools\Web Server"#),
        (#"search\native\gather, 14:57:10:054::[1744] MSI"#, #"search\native\gather, 14:57:10:054::[1744] MSI"#),
        (#"WSS_Content on sql7\Microsoft##SSEE is"#, #"WSS_Content on host-1\Microsoft##SSEE is"#),
        (
            "the package 12.0.10.7 is different from the current version",
            "the package 12.0.10.7 is different from the current version"
        ),
        ("copy the package to 10.20.30.40: denied", "copy the package to ip-1: denied"),
        (#"TOOLS\ann is denied"#, #"domain-1\user-1 is denied"#), ("at 12:34:56:789a:bcde::7", "at ip-1"),
        (
            "http://wfe1:32843/SecurityTokenServiceApplication/securitytoken.svc",
            "http://host-1:32843/SecurityTokenServiceApplication/securitytoken.svc"
        ),
        ("http://ann:geheim7@portal/", "http://***@host-1/"),
        ("http://[fe80::1]:80/", "http://[ip-1]:80/"),
        ("https://x.blob.core.windows.net/c?sv=2020&sig=abc%2Fdef", "https://host-1/path-1?sv=***&sig=***"),
        (
            "/sites/hr/_api/web/GetFileByServerRelativeUrl('/sites/hr/SiteAssets/pay.js')/CheckOut()",
            "/sites/path-1/_api/web/GetFileByServerRelativeUrl('/sites/path-1/SiteAssets/path-2.js')/CheckOut()"
        ),
        (
            "/sites/hr/_api/web/GetFolderByServerRelativeUrl('hr/pay')/Files",
            "/sites/path-1/_api/web/GetFolderByServerRelativeUrl('path-1/path-2')/Files"
        ),
        (
            "sts4://portal:8015/contentdbid={9446a0f0-1577-472e-a8af-a552b1b4cc39}",
            "sts4://host-1:8015/contentdbid={9446a0f0-1577-472e-a8af-a552b1b4cc39}"
        ),
    ])
    func `SharePoint's own names in a URL are kept, and the tenant's are masked`(text: String, expected: String) {
        #expect(redacted(text) == expected)
    }

    @Test(arguments: [
        ("Password=hunter2;User ID=svc7;", "Password=***;User ID=user-1;"),
        ("x;Password=two words;y", "x;Password=***;y"),
        ("smtpPassword: geheim7", "smtpPassword: ***"),
        (#""client_secret":"abc def""#, #""client_secret":"***""#),
        (#"<add key="ApiKey" value="q w e"/>"#, #"<add key="ApiKey" value="***"/>"#),
        ("<Password>geheim</Password>", "<Password>***</Password>"),
        ("Authorization: Bearer abcdefgh1", "Authorization: ***"),
        ("with Bearer aGVsbG8gd29ybGQx now", "with Bearer *** now"),
        ("token eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.c2ln end", "token *** end"),
        ("Cookie: FedAuth=77u/PD94; rtFa=x", "Cookie: ***"),
        ("FedAuth=77u/PD94bWw; next", "FedAuth=***; next"),
        ("X-RequestDigest: 0x00A1B2,11 Mar", "X-RequestDigest: ***,11 Mar"),
        (
            "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----",
            "-----BEGIN PRIVATE KEY-----***-----END PRIVATE KEY-----"
        ),
        ("AccountKey=Zm9v/YmFy+MA==;Endpoint", "AccountKey=***;Endpoint"),
        ("key 0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF end", "key *** end"),
        ("key 0x0105236789ABCDEF0123456789ABCDEF0123456789ABCDEF end", "key *** end"),
        ("QueryText='salary of ann'", "QueryText='***'"),
        ("AKIAIOSFODNN7EXAMPLE wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY is old", "*** *** is old"),
        ("aws_secret_access_key=wJalrXUtnFEMI", "aws_secret_access_key=***"),
        ("(sig=9f8Qz1hYb7; se=2024)", "(sig=***; se=2024)"),
        (#"C:\ProgramData\token\0a1b2c3d4e5f60718293 end"#, #"C:\ProgramData\token\*** end"#),
        ("key 9f+8Qz/1hYb7kWm3/X4dTq9Rv2sLp6Nc0JgE5aUiOx8= end", "key *** end"),
        ("9446a0f0-1577-472e-a8af-a552b1b4cc39-9f8Qz1hYb7kWm3X4dTq9Rv2sLp6Nc0JgE5aUiOx8 end", "*** end"),
    ])
    func `A secret is removed`(text: String, expected: String) {
        #expect(redacted(text) == expected)
    }

    @Test(arguments: [
        #"NT AUTHORITY\NETWORK SERVICE"#, #"IIS APPPOOL\SharePoint - 80"#, #"SHAREPOINT\system"#,
        #"[NTAccount]'DOMAIN\NAME'"#, #"as DOMAIN\ACCOUNT again"#, #"BUILTIN\Administrators"#,
        #"nt authority\system"#, "http://localhost:32843/SecurityTokenServiceApplication/securitytoken.svc",
        "Microsoft.SharePoint.SPRequest.OpenWeb(String bstrUrl)",
        #"HKLM:\SOFTWARE\Microsoft\Shared Tools\Web Server Extensions\16.0\Secure"#, "for nt <account> service.",
        "@SiteId=@wssp64,@UserId=@wssp65", "a%20b%20c", "16.0.4549.1000", "Version=15.0.0.0, Culture=neutral",
        "at System.Web.UI.Page.ProcessRequest(Boolean x) in c:\\builds\\a.cs:line 12", "build 16.0.0.1",
        "127.0.0.1", "10:03:00.52", "9446a0f0-1577-472e-a8af-a552b1b4cc39",
        "http://schemas.microsoft.com/sharepoint/soap/",
        #"C:\Program Files\Common Files\Microsoft Shared\Web Server Extensions\14\Resources\wss.en-US.resx"#,
        #"search\native\gather\plugins\azurepi\azurepiobj.cxx"#, #"HKLM\Software\Microsoft"#, #"stretch\u003E\u003C"#,
        "System.Data.SqlClient.SqlException (0x80131904): Login failed", "S-1-5-18", "S-1-5-32-544",
        "The password is wrong", "Password: The user must change it", "Host: Initializing the cache", "SPRequest::Open",
        "PublicKeyToken=71e9bce111e9429c", "http://docs.oasis-open.org/ws-sx/ws-trust/200512/RST/Issue",
        "Execution Time=41; CPU Milliseconds=3; SQL Query Count=1; Parent=None", "GSoft.Dynamite.Portal.Core.Utils",
        "Error in searching user 'user' : System.DirectoryServices.DirectoryServicesCOMException (0x8007203B)",
        "Error in resolving user. User: '…', ResolverInformation: '…', DomainIsForest: '…'",
        "Process w3wp.exe (0x1790)", "user: Could not find it", "ASP.NET 4.5", "Site=/", "and/or", "03/11/2024",
        "PerRequestSiteTaxonomyCacheManagerFactoryProviderImplementation2",
        "at a.dll: (sig=dfc8b1d6-baf1-4335-968e-100a1ba422b4|1|onetnative.PDB, offset=3862A)",
        "build-fastctl-1B4E28BA-2FA1-11D2-883F-0016D3CCA427 ends",
        "archive/2024-03-11/10-03-22/a1-20240311-1003-b2/2024-03-12 is read",
        #"C:\Temp\9f8Qz1hYb7kWm3X4dTq9Rv2sLp6Nc0JgE5aUiOx8\app_web_a1b2.dll"#,
        #"name="Default Zone" of the application"#, #"Name="Timer Service""#, "<Name>Managed Metadata</Name>",
        "User: Access Denied", "Author: The page was checked in", "Owner: Timer Service", "Owner: not found",
        "Display name: The name of the list", "Account: Please log in", "Object cache: The super user account",
        "CN=SharePoint Root Authority, OU=SharePoint, O=Microsoft, C=US", "CN=DigiCert Global Root CA",
        "CN=Domain Admins,CN=Users,DC=com", "SN: 4711", "the DC=1 is down", "Sending Mail (smtp@localhost) now",
        "mail@ <x> and a < b@c", "Manager: Get-CimInstance Win32_Service",
        "Content type 0x0101009148F5A04DDD49CBA7127AADA5FB792B00AADE34325A8B49CDA8BB4DB53328F214 is there",
        #"see C:\LOGS\Upgrade-20240311-100322-191.log"#, "SchemaVersion = 15.0.1.2 is older",
        "Action 16.0.13.0 of Microsoft.SharePoint.Upgrade.SPDatabaseSequence failed",
        "at net.pipe://localhost/s4u/022694f3-9fbd-422b-b4b2-312e25dae2a2 that", #"for user ‘NT AUTHORITY\IUSR’."#,
        "System.Net.WebException of System.Net", "system.net.sockets and system.net",
        #"c:\windows\microsoft.net\framework"#,
        "Contoso.Net.MailSender and Contoso.Web.LostException", "Server: Contoso.Web.LostException",
        #"AD\LDS, C\C++ and I\O"#, "1.2.3.4 version", "an i:0#.w claim", "SQL Server ODBC driver, server ERROR",
        "for user profile", "for user consent.", "the user interface does not load", "User: denied", "user: locked",
        #"D:\Home\site\wwwroot\x"#, "http://*:80/", "https://+:443/ and http://*:32843/", "Version: 9.0.0.1",
        "the assembly Contoso.Core.WebParts, 9.0.0.1", "versions 9.0.0.1 and 15.0.0.1",
        "Version=15.0.0.1, Culture=neutral",
        "version is 15.0.0.1", "(assembly 15.0.0.1)", #"Update-SPSolution -Identity "AzureCP.wsp""#,
        "-Identity 'Contoso.Parts.wsp' -Force", #"-Identity D:\parts\PARTS.wsp"#, #"-Identity "D:\my parts\PARTS.wsp""#,
        #"-Identity "Secure Store""#, #"-Identity "Managed Metadata West""#, "Server: Microsoft-IIS/10.0",
        "Server: nginx/1.27.0", "Server: read-only", "Host: off-line", "Server: ready", "NodeId: 7",
        "-Server name is required", "the SQL-Server stopped",
        "WIN-UPDATES of WIN-PE",
        "'/pptc/Viewing.svc' cannot be activated", "and/or input/output lists/libraries",
        "Cannot find user : System.DirectoryServices.DirectoryServicesCOMException (0x8007203B)",
    ])
    func `Text that is neither a name nor a secret is unchanged`(text: String) {
        #expect(redacted(text) == text)
    }

    @Test func `A name learned from one text is masked in all texts, even if it is truncated there`() {
        var redactor = Redactor()
        redactor.learn(#"CONTOSO\annemeier signs in"#)
        redactor.learn("WFE-LINZ", as: .host)
        #expect(redactor.text("The profile of annemeier on wfe-linz") == "The profile of user-1 on host-1")
        #expect(redactor.text("The profile of annemei…") == "The profile of user-1…")
        #expect(redactor.text("annemeiers") == "annemeiers")
        #expect(redactor.path("/logs/WFE-LINZ-20240311-1003.log") == "/logs/host-1-20240311-1003.log")
        #expect(redactor.path("a.zip: WFE-LINZ/x.log") == "a.zip: host-1/x.log")
        #expect(redactor.path("/home/annex/x.log") == "/home/user-2/x.log")
        #expect(redactor.name("wfe-linz.contoso.local", as: .host) == "host-1")
    }

    @Test(arguments: [
        "/tmp/fastctl-golden-1B4E28BA-2FA1-11D2-883F-0016D3CCA427/web.config",
        "/srv/9f8Qz1hYb7kWm3X4dTq9Rv2sLp6Nc0JgE5aUiOx8/0123456789abcdef0123456789abcdef01234567.log",
        "/srv/token/readme-of-last-year/x.log", "/srv/tokens/9446a0f0-1577-472e-a8af-a552b1b4cc39/x.log",
        "logs/Basic Training2024/x.log",
    ])
    func `The folder of an input file is not treated as a secret, even if its name looks random`(path: String) {
        var redactor = Redactor()
        redactor.learn(path)
        #expect(redactor.path(path) == path)
        #expect(redactor.summary.secrets == 0)
    }

    @Test(arguments: [
        ("/srv/token/0a1b2c3d4e5f60718293/x.log", "/srv/token/***/x.log"),
        ("/srv/smtpPassword/hunter2-hunter2-hunter2", "/srv/smtpPassword/***"),
        ("/srv/password=hunter2/x.log", "/srv/password=***/x.log"),
        (#"D:\keys\9f8Qz1hYb7kWm3X4dTq9Rv2sLp6Nc0JgE5aUiOx8\x.log"#, #"D:\keys\***\x.log"#),
        ("/srv/eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.c2ln/x.log", "/srv/***/x.log"),
    ])
    func `In a path, the text after a word such as token or password is a secret`(path: String, expected: String) {
        var redactor = Redactor()
        #expect(redactor.path(path) == expected)
        #expect(redactor.summary.secrets == 1)
    }

    @Test func `A claim is recognized where a name is expected, and its prefix is not masked`() {
        var redactor = Redactor()
        #expect(redactor.name(#"i:0#.w|contoso\ann"#, as: .user) == #"i:0#.w|domain-1\user-1"#)
        redactor.learn("i:0#.w", as: .user)
        #expect(redactor.text("an i:0#.w claim") == "an i:0#.w claim")
    }

    @Test func `The key lists each pseudonym in use with its name, and omits names that were only learned`() {
        var redactor = Redactor()
        redactor.learn("WFE9", as: .host)
        _ = redactor.text(#"CONTOSO\ann on http://portal, CONTOSO\bob"#)
        #expect(redactor.key.map(\.pseudonym) == ["user-1", "user-2", "domain-1", "host-1"])
        #expect(redactor.key.map(\.name) == ["ann", "bob", "contoso", "portal"])
    }

    @Test(arguments: [["WFE2", "app1"], ["app1", "WFE2"]])
    func `Servers that wrote the logs are numbered by name, not by order of appearance`(order: [String]) {
        var redactor = Redactor()
        redactor.reading { redactor in
            for server in order { redactor.learn(writer: server) }
        }
        #expect(redactor.text("http://portal/") == "http://host-3/")
        let names = Dictionary(uniqueKeysWithValues: order.map { ($0, redactor.name($0, as: .host)) })
        #expect(names == ["app1": "host-1", "WFE2": "host-2"])
        #expect(redactor.summary.names.map(\.names) == [3])
    }

    @Test func `A server that wrote logs but does not appear in the output is not counted`() {
        var redactor = Redactor()
        redactor.reading { $0.learn(writer: "APP1") }
        #expect(redactor.name("WFE2", as: .host) == "host-2")
        #expect(redactor.summary.names.map(\.names) == [1])
    }

    @Test func `A masked text is not masked again`() {
        let text = #"CONTOSO\ann of http://portal/sites/hr?k=x on 10.1.2.3, Password=x1;"#
        let once = redacted(text)
        #expect(redacted(once) == once)
    }

    @Test func `With a key, pseudonyms are the same in every run, and do not reveal the order of the names`() {
        let key = Array(repeating: UInt8(7), count: 32)
        var (one, other) = (Redactor(key: key), Redactor(key: key))
        _ = other.name("somebody", as: .user)
        let name = one.name("ann", as: .user)
        #expect(name == other.name("ANN", as: .user))
        #expect(name.wholeMatch(of: /user-[0-9a-f]{8}/) != nil)
        #expect(Redactor(key: Array(repeating: 8, count: 32)).summary.isKeyed)
    }

    @Test func `The summary counts the masked values by class`() {
        var redactor = Redactor()
        _ = redactor.text(#"A\anna B\anna C\berta on 10.0.0.1 and 10.0.0.1, Password=x1"#)
        let summary = redactor.summary
        #expect(summary.names.map(\.nameClass) == [.user, .domain, .ip])
        #expect(summary.names.map(\.names) == [2, 3, 1])
        #expect(summary.secrets == 1)
        #expect(summary.values == 9)
    }
}

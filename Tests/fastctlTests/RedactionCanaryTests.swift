import Foundation
import LogReports
import ReportKit
import TestSupport
import Testing

/// Seventy names and secrets, planted wherever logs, their names and their companion files can contain one: no form
/// shows any of them.
///
/// The forms are taken from the lists that the commands themselves use, so forms that are added later are also covered.
/// Standard output is not a terminal in these tests, so reports are redacted by default; rows are redacted with
/// `--redact`.
@Suite(.enabled(if: ChildProgram.fastctl != nil))
struct RedactionCanaryTests {
    @Test func `No canary appears in any format of any command, even after decoding`() throws {
        let farm = try CanaryFarm()
        #expect(Canary.all.count >= 86)
        var shown: [String: Int] = [:]
        for form in Form.all {
            let output = try farm.run(form.command + form.redaction)
            let text = Decoded(output)
            #expect(!output.isEmpty, "\(form) printed nothing")
            let found = Canary.all.filter { text.holds($0.value) }
            for canary in found {
                shown[canary.value, default: 0] += 1
                Issue.record("\(form) shows the \(canary.kind) '\(canary.value)'")
            }
            print("canaries: \(found.count) of \(Canary.all.count) in \(form)")
        }
        for canary in Canary.all {
            print("canaries: \(canary.kind) in \(shown[canary.value] ?? 0) of \(Form.all.count) forms")
        }
    }

    @Test func `Without redaction, every canary is found, and each format states that it is not redacted`() throws {
        let farm = try CanaryFarm()
        var missing = Set(Canary.all.filter(\.isShown).map(\.value))
        for form in Form.all {
            let output = try farm.run(form.command + ["--no-redact"])
            let text = Decoded(output)
            let found = Canary.all.filter { text.holds($0.value) }
            #expect(found.count >= form.least, "\(form) shows \(found.count) canaries")
            missing.subtract(found.map(\.value))
            if form.notes {
                #expect(
                    output.contains("Not redacted") || output.contains(#""applied":false"#),
                    "\(form) does not say it"
                )
            }
        }
        #expect(missing.isEmpty, "planted but never read: \(missing.sorted())")
    }

    @Test func `A bundle contains no canary, has one pseudonym per name, and does not contain the names`() throws {
        let farm = try CanaryFarm()
        let bundle = [
            "bundle", "--to", "case", "--web-config", "ZQHOST9=config", "--farm", "farm.json", "logs", "mail.txt",
        ]
        let told = Decoded(try farm.run(bundle))
        let folder = farm.folder.path("case")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(names == ["README.txt", "farm.json", "report.json", "report.md", "rows.log", "webconfig.csv"])
        var texts: [String: String] = [:]
        for name in names { texts[name] = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8) }
        for (name, text) in [("standard error", told)] + texts.map({ ($0, Decoded($1)) }) {
            for canary in Canary.all where text.holds(canary.value) {
                Issue.record("\(name) shows the \(canary.kind) '\(canary.value)'")
            }
        }
        for name in names where name != "README.txt" {
            let sum = try ChildProgram.run("sha256sum", [name], in: folder, environment: ["PATH": "/usr/bin:/bin"])
            #expect(try #require(texts["README.txt"]).contains(sum.output.prefix(64)), "\(name)")
        }
        let list = farm.folder.path("case.names.csv")
        let key = try String(contentsOfFile: list, encoding: .utf8)
        #expect(try FileManager.default.attributesOfItem(atPath: list)[.posixPermissions] as? Int == 0o600)
        let server = try #require(key.firstMatch(of: /(host-[0-9]+),zqsrv1\r\n/)).output.1
        for name in ["report.md", "report.json", "rows.log", "farm.json"] {
            #expect(try #require(texts[name]).contains(server), "\(name) has no \(server)")
        }
        // The contents of the bundle can be diagnosed again, and nothing is overwritten.
        #expect(
            try farm.run(["diagnose", "--farm", "case/farm.json", "case/rows.log"]).contains(
                "kinds of rows unexplained"
            )
        )
        #expect(try farm.run(bundle).contains("'case' already exists"))
        #expect(try String(contentsOfFile: list, encoding: .utf8) == key)
    }

    @Test func `A key gives the same pseudonyms in two runs, and without a key, equal input gives equal output`() throws
    {
        let farm = try CanaryFarm()
        let key = farm.folder.path("key")
        try Data((0..<32).map { UInt8($0) }).write(to: URL(filePath: key))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        let show = ["logs", "show", "-o", "csv", "--redact", "logs"]
        let keyed = show + ["--redact-key-file", key]
        // Standard error contains the duration.
        #expect(try farm.run(keyed, withErrors: false) == farm.run(keyed, withErrors: false))
        #expect(try farm.run(keyed).contains(/user-[0-9a-f]{8}/))
        #expect(try farm.run(show, withErrors: false) == farm.run(show, withErrors: false))
    }
}

/// A command in one of its forms.
private struct Form: CustomStringConvertible {
    var command: [String]
    /// The options that make the command redact, if it does not do so by default.
    var redaction: [String] = []
    /// The canaries that it must show if nothing is masked.
    var least = 1
    /// Whether the form or standard error states that nothing was masked.
    var notes = true

    var description: String { command.joined(separator: " ") }

    private static let request = "4a5d0c9e-1577-472e-a8af-a552b1b4cc39"
    private static let inputs = ["--web-config", "ZQHOST9=config", "--farm", "farm.json", "logs", "mail.txt"]

    static var all: [Form] {
        var forms: [Form] = []
        for format in DiagnosisRenderer.forms {
            // Metrics contain only the names of rules and servers.
            let least = format == .prometheus ? 1 : 5
            forms.append(Form(command: ["diagnose", "-o", "\(format)"] + inputs, least: least))
            forms.append(Form(command: ["diagnose", "-o", "\(format)=out"] + inputs, least: least))
        }
        forms.append(Form(command: ["diagnose", "--explain"] + inputs, least: 5))
        for format in SummaryRenderer.forms.map(\.rawValue) {
            forms.append(Form(command: ["logs", "summary", "-o", format, "logs"]))
            forms.append(Form(command: ["logs", "slow", "-o", format, "logs"]))
        }
        for format in WebConfigRenderer.forms.map(\.rawValue) {
            forms.append(Form(command: ["webconfig", "check", "-o", format, "ZQHOST9=config"], least: 0))
        }
        for format in RequestRenderer.forms.map(\.rawValue) {
            forms.append(Form(command: ["logs", "requests", "--sort", "time", "-o", format, "logs"], least: 0))
        }
        for format in TraceRenderer.forms {
            forms.append(
                Form(
                    command: ["logs", "trace", "-o", format.rawValue, request, "logs"],
                    redaction: [.csv, .ndjson].contains(format) ? ["--redact"] : [],
                    least: 20
                )
            )
        }
        for format in LogEventWriter.forms.map(\.rawValue) {
            for command in ["show", "merge"] {
                forms.append(
                    Form(
                        command: ["logs", command, "-o", format, "logs", "mail.txt"],
                        redaction: ["--redact"],
                        least: 40
                    )
                )
            }
        }
        // Unknown texts are also quoted.
        let texts = Canary.all.compactMap(\.message).filter { !$0.hasPrefix("-") }
        for format in FailureExplanationRenderer.forms.map(\.rawValue) {
            forms.append(Form(command: ["explain", "-o", format] + texts, least: 20))
        }
        // It shows only the beginnings of rows' messages, without the context that reveals most names.
        forms.append(Form(command: ["logs", "usual", "logs", "mail.txt"], least: 40))
        return forms
    }
}

/// A name or a secret that must not appear in output.
private struct Canary {
    var kind: String
    var value: String
    /// The message in which it is planted; nil if it is planted elsewhere.
    var message: String?
    /// Whether a form without redaction shows it; secrets of web.config are never shown.
    var isShown = true

    init(_ kind: String, _ value: String, _ message: String? = nil, isShown: Bool = true) {
        self.kind = kind
        self.value = value
        self.message = message
        self.isShown = isShown
    }

    /// Canaries for secrets contain neither spaces nor quotes, so that they can be found in every form.
    static let all: [Canary] = [
        Canary("account", "zqann01", #"Access denied for ZQDOMA\zqann01 at once"#),
        Canary("domain", "zqdoma"),
        Canary("Windows claim", "zqbob02", #"Claim i:0#.w|zqdoma\zqbob02 was refused"#),
        Canary("forms claim", "zqcyd03", "Claim i:0#.f|membership|zqcyd03@zqdomb.com was refused"),
        Canary("DNS domain", "zqdomb"),
        Canary("mail address", "zqdan04", "Mail to zqdan04.meier@zqdomb.com bounced"),
        Canary("profile folder", "zqeve05", #"Cannot write C:\Users\zqeve05\AppData\Local\Temp\x.tmp"#),
        Canary("quoted user", "zqfay06", "Login failed for user 'zqfay06'."),
        Canary("display name", "zqgina07", "DisplayName=Zqgina07 Zqmeier08; Department=4"),
        Canary("second name", "zqmeier08"),
        Canary("distinguished name", "zqnina25", "Found CN=Zqnina25 Zqberger26,OU=Zqunit27 West,DC=zqdomd,DC=com"),
        Canary("second word of a distinguished name", "zqberger26"),
        Canary("organizational unit", "zqunit27"),
        Canary("component of a domain", "zqdomd"),
        Canary("name of an attribute", "zqotto", #"Principal name="Zqotto Zqsmith" was added"#),
        Canary("second word of an attribute", "zqsmith"),
        Canary("name of a mail's head", "zqpia28", #"From: "Zqpia28 Zqkurz29" <zqpk30@zqdomb.com>"#),
        Canary("second word of a mail's head", "zqkurz29"),
        Canary("name of a recipient", "zqrosa31", "Mail to Zqrosa31 von Zqlang32 (zqrl33@zqdomb.com) failed"),
        Canary("second word of a recipient", "zqlang32"),
        Canary("spoken display name", "zqtina", "DisplayName: Zqtina Zqvogel"),
        Canary("second word of a spoken name", "zqvogel"),
        Canary("quoted full name", "zquwe34", "User 'Zquwe34 Zqwolf35' has no access"),
        Canary("second word of a quoted name", "zqwolf35"),
        Canary("account in JSON", "zqhal09", #"Body {"login":"ZQDOMA\\zqhal09","x":1}"#),
        Canary("escaped claim", "zqian10", "Asked for i%3A0%23.w%7Czqdoma%5Czqian10 again"),
        Canary("user of a field", "zqjoe11", "UserName=zqjoe11, Site=/"),
        Canary("account in XML", "zqoda12", "<UserName>zqoda12</UserName> was sent"),
        Canary("local account", "zqlee13", #"Running as .\zqlee13 now"#),
        Canary("identity provider's claim", "zqpam14", "Claim i:05.t|adfs|zqpam14 was refused"),
        Canary("personal site", "zqmia15", "Opened http://zqhost4/personal/zqmia15/Documents/x.docx"),
        Canary("SID", "1777888999-1777666555", "SID S-1-5-21-1777888999-1777666555-1777444333-1109 is unknown"),
        Canary("SID in a claim", "1888777666-1555444333", "Claim i:0).w|s-1-5-21-1888777666-1555444333-9-1 unknown"),
        Canary("host of an address", "zqhost4", "Request to http://zqhost4:80/_layouts/15/start.aspx"),
        Canary("host with a domain", "zqhost5", "No answer of zqhost5.zqdomc.local"),
        Canary("local domain", "zqdomc"),
        Canary("share", "zqhost6", #"Cannot read \\zqhost6\share$\backup.bak"#),
        Canary("database server", "zqhost7", "Data Source=zqhost7;Initial Catalog=WSS_Content;Password=zqPw-x1;"),
        Canary("password", "zqpw-x1"),
        Canary("account of a machine", "zqhost8", #"ZQDOMA\ZQHOST8$ has no right"#),
        Canary(
            "folder of a site",
            "zqhost10",
            #"Read C:\inetpub\wwwroot\wss\VirtualDirectories\zqhost10.zqdomc.local80\web.config"#
        ),
        Canary("named machine", "zqhost11", "Machine:zqhost11 is off"),
        Canary("IPv4 address", "10.77.31.41", "Connection from 10.77.31.41:4711"),
        Canary("second IPv4 address", "192.168.77.3", "Host 192.168.77.3 refused"),
        Canary("IPv6 address", "fe80::77aa:bbcc:1dd2", "Connection from fe80::77aa:bbcc:1dd2 closed"),
        Canary("IPv6 address in an address", "2001:db8:77::41", "Request to http://[2001:db8:77::41]:80/"),
        Canary("MAC address", "00-15-5d-77-aa-01", "Card 00-15-5D-77-AA-01 is off"),
        Canary("short password", "zqpw-x2", "Pwd=zqPw-x2;Timeout=30"),
        Canary("storage key", "zqkey3fzkxp7q", "AccountKey=zqKey3FzKxP7q/8Lm0+RtV5w==;EndpointSuffix=x"),
        Canary("bearer's token", "zqtok4abc", "Authorization: Bearer zqTok4AbC9dEf0"),
        Canary("JSON web token", "enftand0nq", "Token eyJhbGciOiJub25lIn0.eyJzdWIiOiJzcWp3dDUifQ.EnFtand0Nq rejected"),
        Canary("sign-in cookie", "77u/zqfed5", "FedAuth=77u/zqFed5PD94bWwg; path=/"),
        Canary("second cookie", "zqrtf6", "Cookie: rtFa=zqRtf6; other=zqOth7"),
        Canary("third cookie", "zqoth7"),
        Canary(
            "request digest",
            "0xa1b2c3d4e5f60718",
            "X-RequestDigest: 0xA1B2C3D4E5F60718293A4B5C6D7E8F90,11 Mar 2024"
        ),
        Canary("view state", "/wepdwukzq8", "__VIEWSTATE=/wEPDwUKzQ8xMjM0NTY3ODkwZGQ&x=1"),
        Canary("SAML assertion", "phnhbwxwonpxos", "SAMLResponse=PHNhbWxwOnpxOS1yZXNwb25zZT48L3NhbWxwPg"),
        Canary("certificate", "miibzq10", "-----BEGIN CERTIFICATE-----MIIBzq10AgIB-----END CERTIFICATE-----"),
        Canary("signature of an address", "zqsig11", "PUT https://zqblob12.blob.core.windows.net/c?sig=zqSig11abc"),
        Canary("storage account", "zqblob12"),
        Canary("client secret", "zqsec13", #"{"client_secret":"zqSec13!x"}"#),
        Canary("passphrase", "zqpass14", "Passphrase: zqPass14"),
        Canary("user of an address", "zqua15", "GET http://zqua15:zqup16@zqhost4/"),
        Canary("password of an address", "zqup16"),
        Canary("long key", "9f8e7d6c5b4a39281706", "Key 9F8E7D6C5B4A392817069F8E7D6C5B4A392817069F8E7D6C is old"),
        Canary("search terms", "zqburnout", "Request (GET:http://zqhost4/search/results.aspx?k=zqburnout+help)"),
        Canary("query text", "zqsalary", "QueryText='zqsalary of the board'"),
        Canary("site", "zqsite1", "Request (GET:http://zqhost4/sites/zqsite1/Lists/zqlib2/AllItems.aspx)"),
        Canary("library", "zqlib2"),
        Canary("page", "zqdoc3", "Opened /sites/zqsite4/Pages/zqdoc3.aspx twice"),
        Canary("site of a path", "zqsite4"),
        Canary("list of an interface", "zqlist5", "GET http://zqhost4/_api/web/lists/getbytitle('zqlist5')/items"),
        Canary("server of a sentence", "zqsqla01", "Cannot connect to SQL Server. ZQSQLA01 not found. Wait"),
        Canary("server with a port", "zqsqlb02", "No answer of zqsqlb02,1433 at all"),
        Canary("server after the word", "zqsqlc03", "Connection to server ZQSQLC03 was lost"),
        Canary("quoted server", "zq-sqld04", "Login to server 'ZQ-SQLD04' failed"),
        Canary("unit of a directory", "zqunit36", "Cannot bind to LDAP://zqhost5.zqdomc.local/OU=Zqunit36,DC=zqdomd"),
        Canary("user after a colon", "zqsue", "Access denied to user: zqsue"),
        Canary("user of a sentence", "zqliv38", "The user zqliv38 does not have the right"),
        Canary("user at the end", "zqkim39", "Cannot load the mailbox for user zqkim39"),
        Canary("roaming profile", "zqmax40", #"Cannot read \\zqhost6\profiles$\zqmax40.V6\x"#),
        Canary("home folder", "zqtim41", #"Cannot read D:\Home\zqtim41\x"#),
        Canary(
            "key of a cloud",
            "akiazqkey42example00",
            "Pair AKIAZQKEY42EXAMPLE00 ZqalrXUtnFEMIzK7MDENGzbPxRfiCYEXAMPLEKEY"
        ),
        Canary("secret key of a cloud", "zqalrxutnfemi"),
        // Canaries outside messages.
        Canary("server of a file's name", "zqsrv1"),
        Canary("server of an archive's entry", "zqsrv2"),
        Canary("server of a row", "zqsrv4"),
        Canary("password over a split", "zqsplit17"),
        Canary("account over a split", "zqsplituser18"),
        Canary("account of a paste", "zqpaste19"),
        Canary("server of a web.config", "zqhost9"),
        Canary("machine key", "0123456789abcdef77", isShown: false),
        Canary("password of a web.config", "zqpw20", isShown: false),
        Canary("secret of a setting", "zqset21", isShown: false),
        Canary("location", "zqloc22"),
        Canary("server of the farm", "zqhost23"),
        Canary("account of the farm", "zqfarm24", isShown: false),
    ]
}

/// Logs, a web.config and a farm.json with all canaries.
private final class CanaryFarm {
    let folder: TemporaryFolder
    private let request = "4a5d0c9e-1577-472e-a8af-a552b1b4cc39"
    private var second = 0

    init() throws {
        folder = try TemporaryFolder()
        for name in ["logs", "config"] {
            try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: false)
        }
        let messages = Canary.all.compactMap(\.message)
        // Each log also contains the bare names, which only the dictionary can recognize.
        let bare = "Nothing but names: zqann01, ZQBOB02 and zqhost4"
        let rows =
            [row("xmnv", "Medium", "Name=Request (GET:http://zqhost4:80/sites/zqsite1/default.aspx)")]
            + messages.enumerated().map {
                row("zq\($0.offset)", "Unexpected", "System.ArgumentException: " + $0.element)
            }
            + [row("zqaa", "Unexpected", bare), row("zqab", "Unexpected", messages[0], correlation: "")]
            + split("Password=zqSpl", "it17;x") + split(#"for ZQDOMA\zqspli"#, "tuser18 it failed")
            + [
                row(
                    "b4ly",
                    "Medium",
                    "Entering monitored scope (Request (GET:http://zqhost4:80/sites/zqsite1/x.aspx))"
                ),
                row(
                    "b4ly",
                    "Medium",
                    "Leaving Monitored Scope (Request (GET:http://zqhost4:80/sites/zqsite1/x.aspx)). Execution Time=4500.25"
                ),
                row("72e1", "High", "Unable to get domain DNS or forest DNS for domain ZQDOMA. ErrorCode=1355"),
            ]
        try write(rows, to: "logs/ZQSRV1-20240311-1003.log")
        let other = [row("zqba", "Unexpected", messages[1]), row("zqbb", "Unexpected", bare)]
        try write(other, to: "ZQSRV2-20240311-1003.log")
        try shell(
            "python3 -m zipfile -c logs/ZQSRV2-old.zip ZQSRV2-20240311-1003.log; tar czf logs/more.tar.gz ZQSRV2*.log; gzip -n ZQSRV2*.log; mv ZQSRV2*.gz logs"
        )
        try write(
            [row("zqca", "Unexpected", messages[2], process: "w3wp.exe (ZQSRV4:0x1790)")],
            to: "logs/merged.log"
        )
        try write(
            text: "Dear all,\nSystem.UnauthorizedAccessException: Access is denied for ZQDOMA\\zqpaste19.\n",
            to: "mail.txt"
        )
        try write(text: Self.webConfig, to: "config/web.config")
        try write(text: Self.farm, to: "farm.json")
    }

    /// Runs the command; returns everything that it wrote to standard output, standard error and the file.
    func run(_ arguments: [String], withErrors: Bool = true) throws -> String {
        let place = folder.path("")
        let file = folder.path("out")
        try? FileManager.default.removeItem(atPath: file)
        let binary = ChildProgram.fastctl?.path ?? ""
        let shell = try ChildProgram.run(
            binary,
            arguments,
            in: place,
            environment: ["PATH": "/usr/bin:/bin", "HOME": place, "LC_ALL": "C.UTF-8"]
        )
        let written = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        return shell.output + written + (withErrors ? shell.errors : "")
    }

    private static let header =
        "Timestamp              \tProcess                                 \tTID   \tArea                          \t"
        + "Category                      \tEventID\tLevel     \tMessage \tCorrelation"

    private func row(
        _ event: String,
        _ level: String,
        _ message: String,
        correlation: String? = nil,
        process: String = "w3wp.exe (0x1790)",
        mark: String = " "
    ) -> String {
        if mark == " " { second += 1 }
        let time = String(format: "03/11/2024 11:%02d:%02d.10", second / 60, second % 60)
        return [
            time + mark, process, "0x0EB8", "SharePoint Foundation", "General", event, level, message,
            correlation ?? request,
        ].joined(separator: "\t")
    }

    /// Two rows of one message, which is cut after `first`.
    private func split(_ first: String, _ second: String) -> [String] {
        let filler = String(repeating: "x", count: 800 - 33 - first.utf8.count)
        let event = "zqs\(first.utf8.count)"
        return [
            row(event, "Unexpected", "System.ArgumentException: " + filler + " " + first + "..."),
            row(event, "Unexpected", "..." + second, mark: "*"),
        ]
    }

    private func write(_ rows: [String], to name: String) throws {
        try write(text: ([Self.header] + rows).map { $0 + "\r\n" }.joined(), to: name)
    }

    private func write(text: String, to name: String) throws {
        try text.write(toFile: folder.path(name), atomically: false, encoding: .utf8)
    }

    private func shell(_ script: String) throws {
        let result = try ChildProgram.run(
            "bash",
            ["-ec", script],
            in: folder.path(""),
            environment: ["PATH": "/usr/local/bin:/usr/bin:/bin"]
        )
        #expect(result.status == 0, "\(result.errors)")
    }

    private static let webConfig = """
        <configuration>
          <appSettings><add key="ServiceSecret" value="zqSet21"/></appSettings>
          <connectionStrings><add name="x" connectionString="Server=zqhost7;Password=zqPw20"/></connectionStrings>
          <system.web>
            <customErrors mode="Off" defaultRedirect="http://zqhost4/sites/zqsite1"/>
            <machineKey validationKey="0123456789ABCDEF77" decryptionKey="0123456789ABCDEF77" validation="SHA1"/>
          </system.web>
          <location path="sites/zqloc22"><system.web><trace enabled="true"/></system.web></location>
        </configuration>
        """

    private static let farm = """
        {"schema": "fastctl.farm/1", "build": "16.0.4549.1000",
         "servers": [
           {"name": "ZQHOST23", "role": "WebFrontEnd", "build": "16.0.4549.1000", "services": []},
           {"name": "ZQSRV1", "role": "WebFrontEnd", "build": "16.0.4561.1000", "services": []}],
         "accounts": [{"name": "ZQDOMA\\\\zqfarm24", "uses": ["farm"]}],
         "zones": [{"url": "http://zqhost4", "webApplication": "Portal", "zone": "Default", "authentication": ["ntlm"]}]}
        """
}

/// All interpretations of a text: unchanged, and with its escapes resolved.
private struct Decoded {
    private var texts: [String]

    init(_ text: String) {
        let unescaped = Self.unescaped(text)
        texts = [
            text, text.removingPercentEncoding ?? Self.percentDecoded(text), unescaped, Self.percentDecoded(unescaped),
        ]
        texts += Self.base64(in: text)
        texts = texts.map { $0.lowercased() }
    }

    func holds(_ value: String) -> Bool { texts.contains { $0.contains(value.lowercased()) } }

    private static func percentDecoded(_ text: String) -> String {
        text.replacing(/%([0-9A-Fa-f]{2})/) {
            Character(UnicodeScalar(UInt8($0.output.1, radix: 16) ?? 63)).description
        }
    }

    /// The escapes of JSON and of XML.
    private static func unescaped(_ text: String) -> String {
        text.replacing(/\\u([0-9A-Fa-f]{4})/) { match in
            UInt32(match.output.1, radix: 16).flatMap(UnicodeScalar.init).map { String(Character($0)) } ?? "?"
        }
        .replacing(/&#(x?)([0-9A-Fa-f]{1,6});/) { match in
            UInt32(match.output.2, radix: match.output.1.isEmpty ? 10 : 16).flatMap(UnicodeScalar.init)
                .map { String(Character($0)) } ?? "?"
        }
        .replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
        .replacing("&apos;", with: "'").replacing("&amp;", with: "&").replacing("\\\\", with: "\\").replacing(
            "\\/",
            with: "/"
        )
    }

    private static func base64(in text: String) -> [String] {
        text.matches(of: /[A-Za-z0-9+\/]{16,}/).compactMap { match in
            let run = String(match.output)
            let padded = run + String(repeating: "=", count: (4 - run.count % 4) % 4)
            return Data(base64Encoded: padded).map { String(decoding: $0, as: UTF8.self) }
        }
    }
}

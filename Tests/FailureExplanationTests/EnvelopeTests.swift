import Testing
import TextKit

@testable import FailureExplanation

/// The texts that PowerShell, Desired State Configuration and installers print around a message are not the message.
struct EnvelopeTests {
    private func frame(_ text: String) -> FailureFrame { Explanation(of: text).frame }

    private static let category = """

            + CategoryInfo          : InvalidOperation: (:) [], CimException
            + FullyQualifiedErrorId : ProviderOperationExecutionFailure
            + PSComputerName        : localhost
        """

    /// Texts with the class, the object with its name, and the actor that the frame must have.
    private static let texts: [(text: String, failure: String, object: String?, name: String?, actor: String?)] = [
        (
            "PowerShell DSC resource MSFT_SPSearchServiceApp failed to execute Test-TargetResource functionality with error "
                + "message: Exception calling \".ctor\" with \"2\" argument(s): \"Cannot process argument because the value of "
                + "argument \"userName\" is not valid. Change the value of the \"userName\" argument and run the operation "
                + "again.\"" + category, "invalid", "setting", "userName", "MSFT_SPSearchServiceApp"
        ),
        (
            "PowerShell DSC resource MSFT_SPUserProfileSyncConnection  failed to execute Set-TargetResource functionality "
                + "with error message: Exception calling \"AddActiveDirectoryConnection\" with \"10\" argument(s): \"The LDAP "
                + "server is unavailable.\"" + category, "unreachable", "directory-server", nil,
            "MSFT_SPUserProfileSyncConnection"
        ),
        (
            "New-OfficeWebAppsFarm : The Office Online service failed to start.\nAt line:1 char:1\n+ New-OfficeWebAppsFarm "
                + "-InternalURL \"http://sp.contoso.com\" -Al ...\n+ ~~~~~~~~~~~~~~~~~~~~~~~~\n"
                + "    + CategoryInfo          : OperationStopped: (:) [New-OfficeWebAppsFarm], ApplicationFailedException\n"
                + "    + FullyQualifiedErrorId : AgentManagerStartFailed,Microsoft.Office.Web.Apps.NewFarmCommand",
            "not-started", "service", nil, "New-OfficeWebAppsFarm"
        ),
        (
            "VERBOSE: [2019-01-09 12:44:47Z] [ERROR] Exception calling \"Deploy\" with \"0\" argument(s): \"The host 'SP' is "
                + "not running in the cluster.\"\nVERBOSE: [2019-01-09 12:44:48Z] [VERBOSE] [SP]: LCM:  [ End    Set      ]  "
                + "[[SPDistributedCacheService]EnableDistributedCache]  in 543.1870 seconds.", "not-started", "server",
            "SP", nil
        ),
        (
            "Ausnahme beim Aufrufen von \"Add\" mit 1 Argument(en):  \"Zugriff verweigert\"\nIn C:\\Scripts\\Report.ps1:12 "
                + "Zeichen:5\n+     $group.Add(\"WinNT://CONTOSO/ann\")\n    + CategoryInfo          : NotSpecified: (:) [], "
                + "MethodInvocationException\n    + FullyQualifiedErrorId : CatchFromBaseAdapterMethodInvokeTI",
            "refused",
            "local-group", nil, nil
        ),
        (
            "Exception lors de l'appel de «Add» avec «1» argument(s): «Accès refusé»\nAu niveau de ligne : 12 Caractère : 5\n"
                + "+     $group.Add(\"WinNT://CONTOSO/ann\")\n    + CategoryInfo          : NotSpecified : (:) [], "
                + "MethodInvocationException\n    + FullyQualifiedErrorId : CatchFromBaseAdapterMethodInvokeTI",
            "refused",
            "local-group", nil, nil
        ),
    ]

    @Test(arguments: texts.indices)
    func `The slots are read from the message, and only names from around it`(number: Int) {
        let expected = Self.texts[number]
        for text in [expected.text, Self.onOneLine(expected.text), Self.wrapped(expected.text)] {
            let frame = frame(text)
            #expect(frame.failure?.value.id == expected.failure, "\(text)")
            #expect(frame.object?.value.kind == expected.object, "\(text)")
            #expect(frame.object?.value.name == expected.name, "\(text)")
            if let actor = expected.actor { #expect(frame.actor?.value.name == actor, "\(text)") }
            #expect(frame.operation?.value.contains("targetresource") != true, "\(text)")
        }
    }

    private static let messages = [
        "The list 'Orders' was not found.", "Access is denied to the file 'D:\\Data\\a.mdf'.",
        "The database \"WSS_Content_1\" cannot be opened.", "The LDAP server is unavailable.",
        "The timer job 'job-x' was not found.", "The certificate 'CN=sp.contoso.com' has expired.",
        "Cannot bind argument to parameter 'ApplicationPool' because it is null.",
        "Could not connect to the server 'SQL01'.", "The site 'http://sp/sites/a' already exists.",
        "The feature '00BFEA71-1C5E-4A24-B310-BA51C3EB7A57' was not found.",
        "Access is denied to file://srv/share/a.docx", "You cannot call a method on a null-valued expression.",
    ]

    /// Texts around a message in place of `MESSAGE`; they name no component.
    private static let envelopes = [
        "Exception calling \"Add\" with \"10\" argument(s): \"MESSAGE\"", "Exception setting \"Owner\": \"MESSAGE\"",
        "Ausnahme beim Aufrufen von \"Add\" mit 1 Argument(en): \"MESSAGE\"",
        "Exception lors de l'appel de « Add » avec « 1 » argument(s) : « MESSAGE »",
        "Exception lors de la définition de «\u{A0}Owner\u{A0}»\u{A0}: «\u{A0}MESSAGE\u{A0}»",
        "Erreur du serveur dans l'application '/'. MESSAGE",
        "MESSAGE\nAu caractère C:\\Scripts\\Report.ps1:12 : 5\n+     Add-Thing -Url \"http://server/a\" -Owner 'CONTOSO\\ann'\n"
            + "+     ~~~~~~~~~~~\n    + CategoryInfo          : InvalidData : (:) [Add-Thing], CimException\n"
            + "    + FullyQualifiedErrorId : ThingFailed,Contoso.Thing",
        "PowerShell DSC resource MSFT_Contoso failed to execute Set-TargetResource functionality with error message: MESSAGE",
        "VERBOSE: [SRV01]: MESSAGE", "VERBOSE: [2019-01-09 12:44:47Z] [ERROR] MESSAGE",
        "MESSAGE\nAt C:\\Scripts\\Report.ps1:12 char:5\n+     Add-Thing -Url \"http://server/a\" -Owner 'CONTOSO\\ann'\n"
            + "+     ~~~~~~~~~~~\n    + CategoryInfo          : InvalidData: (:) [Add-Thing], CimException\n"
            + "    + FullyQualifiedErrorId : ThingFailed,Contoso.Thing",
        "MESSAGE" + category,
        "Server Error in '/' Application.\nMESSAGE\nDescription: An unhandled exception occurred during the execution of "
            + "the current web request. Please review the stack trace for more information about the error and where it "
            + "originated in the code.\nVersion Information: Microsoft .NET Framework Version:4.0.30319; ASP.NET "
            + "Version:4.7.3282.0",
        "MESSAGE\nTroubleshoot issues with Microsoft SharePoint Foundation.\nCorrelation ID: "
            + "5f1d3a9e-2b64-4c80-9a57-3c1e8f20b7d4\nDate and Time: 3/11/2024 11:03:10 AM\nGO BACK TO SITE",
        "Event code: 3005 \nEvent message: An unhandled exception has occurred. \nProcess information: \n    Process ID: "
            + "6032 \n    Account name: CONTOSO\\svc \nException information: \n    Exception type: SPException \n"
            + "    Exception message: MESSAGE\nRequest information: \n    Request URL: http://sp/sites/a.aspx \n"
            + "    User: CONTOSO\\ann \n    Thread account name: CONTOSO\\svc",
        "PowerShell DSC resource MSFT_Contoso failed to execute Test-TargetResource functionality with error message: "
            + "Exception calling \"Add\" with \"2\" argument(s): \"MESSAGE\"" + category,
    ]

    @Test(arguments: messages)
    func `With or without text around it, a message has the same class, object and component`(message: String) {
        let bare = frame(message)
        for envelope in Self.envelopes {
            let text = envelope.replacing("MESSAGE", with: message)
            for text in [text, Self.onOneLine(text), Self.wrapped(text)] {
                let frame = frame(text)
                #expect(frame.failure?.value == bare.failure?.value, "\(text)")
                #expect(frame.object?.value.kind == bare.object?.value.kind, "\(text)")
                #expect(frame.object?.value.words == bare.object?.value.words, "\(text)")
                #expect(frame.component?.value == bare.component?.value, "\(text)")
            }
        }
    }

    @Test func `PowerShell's lists and newer views, and the events of Desired State Configuration, have no words`() {
        let texts = [
            "CategoryInfo          : InvalidData: (:) [Add-Thing], SecurityException",
            "FullyQualifiedErrorId : ThingFailed,Contoso.Thing",
            "ScriptStackTrace      : at <ScriptBlock>, C:\\a.ps1: line 3",
            "Line |\n   3 |  Add-Thing -Url http://sp\n     |  ~",
            "This event indicates that failure happens when LCM is processing the configuration. ErrorId is 0x1. ErrorDetail "
                + "is The SendConfigurationApply function did not succeed.. ResourceId is [SPFarm]Farm and SourceInfo is "
                + "C:\\farm.ps1::5::3::SPFarm. ErrorMessage is",
        ]
        for text in texts { #expect(FrameText(text + " Lost").words.map(\.text) == ["lost"], "\(text)") }
    }

    @Test func `The exception in the category is a sign of the class`() {
        #expect(
            frame("Contoso : It did not work.\n    + CategoryInfo : InvalidData: (:) [Add-Thing], SecurityException")
                .failure?.value.id == "refused"
        )
    }

    @Test func `A sentence that only resembles an envelope is read`() {
        #expect(frame("Exception calling the server 'SQL01': it could not be found").object?.value.name == "SQL01")
        #expect(frame("At night, the list 'Orders' was not found").object?.value.name == "Orders")
    }

    @Test func `Addresses with an explanation are not the object`() {
        let text = "The list 'Orders' was not found. For details see http://contoso.com/help"
        #expect(frame(text).object?.value.name == "Orders")
        #expect(frame("It is missing: https://go.microsoft.com/fwlink/?LinkId=1").object == nil)
    }

    private static func onOneLine(_ text: String) -> String {
        text.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: " ")
    }

    /// Returns a text in lines of at most 80 characters, divided at blanks.
    private static func wrapped(_ text: String) -> String {
        var lines: [String] = []
        for line in text.split(separator: "\n") {
            var rest = line[...]
            while rest.count > 80, let blank = rest.prefix(81).lastIndex(of: " ") {
                lines.append(String(rest[..<blank]))
                rest = rest[rest.index(after: blank)...]
            }
            lines.append(String(rest))
        }
        return lines.joined(separator: "\n")
    }
}

import FailureExplanation
import Testing

struct ExceptionTextTests {
    private func only(_ text: String, _ place: SourceLocation = #_sourceLocation) throws -> ExceptionChain {
        let chains = ExceptionText.chains(in: text)
        try #require(chains.count == 1, "\(chains)", sourceLocation: place)
        return chains[0]
    }

    @Test func `In a chain with arrows, the last exception is the one thrown first`() throws {
        let chain = try only(
            """
            Getting Error Message for Exception System.Web.HttpUnhandledException (0x80004005): Exception of type \
            'System.Web.HttpUnhandledException' was thrown. ---> System.ComponentModel.Win32Exception (0x80004005): \
            The key is gone     at Contoso.Store.Open(String name)     at System.Web.UI.Page.OnLoad(EventArgs e)     \
            --- End of inner exception stack trace ---     at System.Web.UI.Page.HandleError(Exception e)
            """
        )
        #expect(
            chain.links.map(\.type) == ["System.Web.HttpUnhandledException", "System.ComponentModel.Win32Exception"]
        )
        #expect(chain.innermost.message == "The key is gone")
        #expect(chain.innermost.hresult == 0x8000_4005)
        #expect(chain.innermost.frames.map(\.name) == ["Contoso.Store.Open", "System.Web.UI.Page.OnLoad"])
        #expect(chain.links[0].frames.map(\.name) == ["System.Web.UI.Page.HandleError"])
        #expect(chain.thrower?.name == "Contoso.Store.Open")
        #expect(chain.firstBeyondMicrosoft?.type == "Contoso.Store")
    }

    @Test func `A type name without its beginning is not recognized as a type`() {
        for text in ["...ceException: Object reference not set", "….IO.IOException: x", "a ...Data.DataException: b"] {
            #expect(ExceptionText.chains(in: text).flatMap(\.links).allSatisfy { $0.type == nil }, "\(text)")
        }
    }

    @Test func `German and French frames and end-of-trace lines are recognized`() throws {
        let german = try only(
            """
            System.Exception: Außen ---> System.IO.IOException: Innen
               bei Contoso.A.B(String x) in C:\\a\\b.cs:Zeile 12.
               --- Ende der internen Ausnahmestapelüberwachung ---
               bei Contoso.C.D()
            """
        )
        #expect(german.links.map { $0.frames.map(\.name) } == [["Contoso.C.D"], ["Contoso.A.B"]])
        let french = try only(
            """
            System.Exception: Dehors ---> System.IO.IOException: Dedans
               à Contoso.A.B(String x) dans C:\\a\\b.cs:ligne 12
               --- Fin de la trace de la pile d'exception interne ---
               à Contoso.C.D()
            """
        )
        #expect(french.links.map { $0.frames.map(\.name) } == [["Contoso.C.D"], ["Contoso.A.B"]])
    }

    @Test func `Frames without arguments are recognized on separate lines below an exception`() throws {
        let names = ["Microsoft.SharePoint.SPSecurity.ResolveUser", "Contoso.Templates.Site.Provision"]
        let trace = "\n\n" + names.map { "\t at \($0)\n" }.joined() + "\t ...\n"
        let chain = try only("Site: Microsoft.SharePoint.SPException: A user name must be specified." + trace)
        #expect(chain.innermost.message == "A user name must be specified.")
        #expect(chain.frames.map(\.name) == names)
        #expect(ExceptionText.chains(in: "It was seen" + trace).isEmpty)
        let prose = try only("System.Exception: Lost at Contoso.Portal.Page today\nat Contoso.Portal.Load the end\n")
        #expect(prose.frames.isEmpty)
        // A name at the end of the text may be incomplete.
        #expect(try only("System.Exception: Lost\n at Contoso.Portal.Page.Lo").frames.isEmpty)
    }

    @Test func `An exception that SharePoint logs without a type is recognized`() throws {
        let chain = try only(
            "Application error when access /a.aspx, Error=Object reference not set to an instance of an object.   "
                + "at Microsoft.SharePoint.WebPartPages.Foo.Bar(Int32 a)     at System.Web.UI.Page.Run()"
        )
        #expect(chain.links.map(\.type) == [nil])
        #expect(chain.innermost.message == "Object reference not set to an instance of an object.")
        #expect(chain.firstBeyondRuntime?.name == "Microsoft.SharePoint.WebPartPages.Foo.Bar")
        let named = try only(
            "Error=Exception of type 'System.ArgumentException' was thrown.  Parameter name: encodedValue   at A.B.C(X y)"
        )
        #expect(named.headline.type == "System.ArgumentException")
        #expect(ExceptionText.chains(in: "ERROR: Failed to OpenThreadToken, LastError=1008, Error=5") == [])
    }

    @Test func `Exceptions in the wording of the configuration wizard, ASP.NET and debuggers are recognized`() throws {
        let wizard = try only(
            """
            An exception of type Microsoft.SharePoint.Upgrade.SPUpgradeException was thrown.  Additional exception \
            information: The farm is too new.
            """
        )
        #expect(wizard.headline.type == "Microsoft.SharePoint.Upgrade.SPUpgradeException")
        #expect(wizard.headline.message == "The farm is too new.")
        let event = try only(
            """
            Exception information:
                Exception type: FileLoadException \\
                Exception message: The file is not the one that was built. \\
               at Contoso.Part.OnLoad(EventArgs e)
            Request information:
                Request URL: http://portal/a.aspx
            """
        )
        #expect(event.headline.type == "FileLoadException")
        #expect(event.headline.message == "The file is not the one that was built.")
        #expect(event.frames.map(\.name) == ["Contoso.Part.OnLoad"])
        let debugger = try only(
            """
            System.ServiceModel.CommunicationException was unhandled by user code
              Message=The service does not answer.
              Source=mscorlib
              StackTrace:
                at Contoso.Client.Call(String name)
            """
        )
        #expect(debugger.headline.type == "System.ServiceModel.CommunicationException")
        #expect(debugger.headline.message == "The service does not answer.")
        #expect(debugger.frames.map(\.name) == ["Contoso.Client.Call"])
        for prose in ["An exception of type X was seen", "Exception type: unknown", "IOException was caught by Ann"] {
            #expect(ExceptionText.chains(in: prose) == [], "\(prose)")
        }
    }

    @Test func `A message ends before its stack trace, whatever words separate them`() throws {
        let ends = [
            ", Callstack:    at A.B.C(String d)", "  StackTrace:    at A.B.C(String d)",
            "   --- End of inner exception stack trace ---    at A.B.C(String d)",
        ]
        for end in ends {
            let text = "System.ArgumentException: Outside ---> System.IO.IOException: The list is gone." + end
            let chain = try only(text)
            #expect(chain.innermost.message == "The list is gone.", "\(end)")
        }
    }

    @Test func `An exception has the same identity in every form in the log`() throws {
        let frames = "   at Contoso.Part.OnLoad(EventArgs e)     at System.Web.UI.Control.LoadRecursive()"
        let message = "Object reference not set to an instance of an object."
        let forms = [
            "Application error when access /a.aspx, Error=\(message)\(frames)",
            "System.NullReferenceException: \(message)\(frames)",
            "Getting Error Message for Exception System.Web.HttpUnhandledException (0x80004005): Exception of type "
                + "'System.Web.HttpUnhandledException' was thrown. ---> System.NullReferenceException: \(message)"
                + "\(frames)     at System.Web.UI.Page.HandleError(Exception e)",
            "[NullReferenceException: \(message)]\n   Contoso.Part.OnLoad(EventArgs e) +258\n",
            "Exception: \(message.replacing("set to", with: "set  to"))\(frames)",
        ]
        #expect(Set(try forms.map { try only($0).identity }).count == 1)
        #expect(try only(forms[1].replacing("OnLoad", with: "OnInit")).identity != only(forms[1]).identity)
    }

    @Test func `The first exception of an error page is the innermost one`() throws {
        let chain = try only(
            """
            [SqlException (0x80131904): Cannot open database "X" requested by the login.]
               System.Data.SqlClient.SqlConnection.Open() +122
               Contoso.Data.Read(String a) +0x1f

            [HttpException (0x80004005): Unable to connect]
               System.Web.Foo.Bar(Int32 a) +4
            """
        )
        #expect(chain.links.map(\.type) == ["HttpException", "SqlException"])
        #expect(chain.headline.message == "Cannot open database \"X\" requested by the login.")
        #expect(chain.firstBeyondRuntime?.name == "Contoso.Data.Read")
    }

    @Test func `The detail of a fault is read as its inner exceptions`() throws {
        let chain = try only(
            "System.ServiceModel.FaultException`1[[System.ServiceModel.ExceptionDetail, System.ServiceModel]]: Access is "
                + "denied. (Fault Detail is equal to An ExceptionDetail, likely created by "
                + "IncludeExceptionDetailInFaults=true, whose value is:\nSystem.ServiceModel.Security.SecurityNegotiationException: "
                + "no ----> System.UnauthorizedAccessException: Access is denied.\n   at Microsoft.Office.Server.A.B()\n"
                + "   --- End of inner ExceptionDetail stack trace ---\n   at Microsoft.Office.Server.C.D()"
        )
        #expect(chain.links.count == 3)
        #expect(chain.headline.type == "System.UnauthorizedAccessException")
        #expect(chain.links[1].frames.map(\.name) == ["Microsoft.Office.Server.C.D"])
    }

    @Test func `The quoted type and message of the patterns & practices logger are recognized`() throws {
        let chain = try only(
            "An exception has occurred.   ExceptionType: 'ApplicationException'   ExceptionMessage: 'The list 'A' is gone'   "
                + "StackTrace: '   at Contoso.Data.Read(String a)'   Source: ''"
        )
        #expect(chain.headline.type == "ApplicationException")
        #expect(chain.headline.message == "The list 'A' is gone")
        #expect(chain.thrower?.name == "Contoso.Data.Read")
    }

    @Test func `A message extends to the stack trace, but not into the next row`() throws {
        let chain = try only(
            """
            System.Data.SqlClient.SqlException: Cannot open database "X" requested by the login. The login failed.
            Login failed for user 'Y'.
               at System.Data.SqlClient.SqlConnection.Open()
            """
        )
        #expect(chain.headline.message.hasSuffix("Login failed for user 'Y'."))
        let rows = ExceptionText.chains(
            in: """
                01/03/2013 11:04:29.10 w3wp.exe (0x0780) 0x1844 General 8nca High System.Exception: One
                01/03/2013 11:04:29.10 w3wp.exe (0x0780) 0x1844 General 8nca High Foo    at Contoso.Data.Read(String a)
                """
        )
        #expect(rows.map(\.headline.message) == ["One", ""])
        #expect(rows[0].frames.isEmpty)
    }

    @Test func `A wrapper is the headline only if every exception is a wrapper`() throws {
        let chain = try only(
            "System.TypeInitializationException: The type initializer for 'A.B' threw an exception. ---> "
                + "System.IO.FileNotFoundException: C:\\x.exe ---> System.Reflection.TargetInvocationException: Inner."
        )
        #expect(chain.innermost.type == "System.Reflection.TargetInvocationException")
        #expect(chain.headline.type == "System.IO.FileNotFoundException")
        #expect(try only("System.AggregateException: One.").headline.message == "One.")
    }

    @Test func `Prose is not mistaken for an exception`() {
        for text in [
            "The meeting is at Contoso.Com (room 5) at 10", "see http://a.b/c.aspx?Exception=1", "",
            "Exception:", "v15.0.4420.1017: ok", "FooException::Bar(x)", "at at at ( ( (", "--- End of", "--->",
        ] {
            #expect(ExceptionText.chains(in: text) == [], "\(text)")
        }
    }

    @Test func `The numbers of chains, exceptions and frames, and the length of messages, are limited`() throws {
        let frames = String(repeating: "   at Contoso.A.B()\n", count: 2000)
        let long = try only("System.Exception: x\n" + frames)
        #expect(long.frames.count == ExceptionText.maximumFrames)
        #expect(long.isShortened)
        let deep = try only(String(repeating: "System.Exception: a ---> ", count: 100) + "System.Exception: b")
        #expect(deep.links.count == ExceptionText.maximumLinks)
        let many = ExceptionText.chains(in: String(repeating: "System.Exception: a\n", count: 1000))
        #expect(many.count == ExceptionText.maximumChains)
        let message = try only("System.Exception: " + String(repeating: "ü", count: 10_000))
        #expect(message.headline.message.utf8.count <= ExceptionText.maximumMessage)
        #expect(!message.headline.message.contains("\u{FFFD}"))
    }

    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            "at ", "at a.b.c(", "a.bException`1[", "--- End of ", "---> ", "ExceptionType: 'a' ExceptionMessage: '",
            "System.Exception: ---> ", "a<", "\n", "System.Exception:\n\n", "Error=a ", "System.Exception",
            "[A.BException: ]\n a.b() +1\n",
        ]
    )
    func `Hostile text is read in linear time`(piece: String) {
        let text = String(repeating: piece, count: 400_000 / piece.utf8.count)
        #expect(ExceptionText.chains(in: text).count <= ExceptionText.maximumChains)
    }
}

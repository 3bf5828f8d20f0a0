import Testing

@testable import FailureExplanation

/// Messages of scripts, cmdlets and the configuration wizard, with the lines around them that concern something else.
struct ScriptAndWizardTests {
    @Test(arguments: ["EnsureUser", "BreakRoleInheritance", "RecreateGroups"])
    func `A refused method of an object is not explained with rights on files`(method: String) {
        let text = "Exception calling \"\(method)\" with \"2\" argument(s): \"Access is denied.\""
        let explanation = Explanation(of: text)
        #expect(explanation.frame.failure?.value.id == "refused")
        #expect(explanation.checks.allSatisfy { $0.command?.contains("icacls") != true })
        #expect(explanation.decoded.first?.code.causes.first?.contains("policy of the web application") == true)
    }

    @Test func `A sentence about the level of compatibility outranks the syntax error that begins it`() {
        let explanation = Explanation(
            of: "Incorrect syntax near 'MERGE'. You may need to set the compatibility level of the current database to "
                + "a higher value to enable this feature."
        )
        #expect(explanation.decoded.map(\.code.spelled) == ["325"])
        #expect(explanation.checks.first?.command?.contains("compatibility_level") == true)
        #expect(Explanation(of: "Incorrect syntax near '='.").decoded.map(\.code.spelled) == ["102"])
    }

    @Test func `A default schema that was dropped is looked for among the users of the database`() {
        let explanation = Explanation(of: "SqlException: The default schema does not exist.")
        #expect(explanation.checks.first?.command?.contains("default_schema_name") == true)
    }

    @Test func `A warning of the wizard does not explain the error after it`() {
        let explanation = Explanation(
            of: """
                03/04/2019 08:01:10  7  WRN   The object LDAP://CN=Products,DC=contoso,DC=com was not found. Verify it.
                03/04/2019 08:01:12  7  INF   SyncUpgradeTimerJob: waiting
                03/04/2019 08:04:40  7  ERR   The exclusive inplace upgrader timer job failed.
                03/04/2019 08:04:40  7  INF   Leaving function UpgradeTask.Run
                """
        )
        #expect(explanation.decoded.map(\.code.title) == ["upgrade by a timer job failed"])
        #expect(explanation.frame.object?.value.name == nil && explanation.frame.remedy == nil)
        #expect(WizardRows.errors(in: "ERR, but no row") == nil)
    }

    @Test(arguments: [
        ("Get-SPOTaxonomyItem : The term was not found", "pnp"),
        (
            "Get-SPOWeb : The term was not found\n    + FullyQualifiedErrorId : "
                + "EXCEPTION,SharePointPnP.PowerShell.Commands.GetWeb", "pnp"
        ),
        ("Add-WFHost : The topic could not be created", "workflow-manager"),
    ])
    func `The namespace of a module outranks the nouns of its cmdlets`(text: String, id: String) {
        #expect(Explanation(of: text).place?.component.id == id)
    }

    @Test func `A list of titles reports no failure`() {
        let titles = "Backups failed overnight\nGet-SPSite explained\n\"Stuck\" pages\nTimer jobs and their history"
        #expect(Explanation(of: titles).explainsNothing)
        let actor = Explanation(of: "Timer jobs failed and what to do\nGet-SPSite explained").frame.actor
        #expect(actor == nil)
    }

    @Test func `A line about the progress of a cmdlet names no actor`() {
        let explanation = Explanation(
            of: """
                VERBOSE: [APP1]: [[SPSearchTopology]Main] Leaving EndProcessing Method of Get-SPServiceApplication.
                PowerShell DSC resource MSFT_SPSearchTopology failed to execute Test-TargetResource functionality with error \
                message: Cannot bind argument to parameter 'Topology' because it is null.
                """
        )
        #expect(explanation.frame.actor?.value.name == "MSFT_SPSearchTopology")
        #expect(explanation.frame.sentence?.hasSuffix("parameter 'Topology' because it is null.") == true)
    }

    @Test func `A sentence of one program keeps its causes beside an inner exception`() {
        let explanation = Explanation(
            of: "Reset Personal Doc lib permission. Exception: System.ArgumentException: List 'Docs' does not exist at "
                + "site with URL 'http://my/personal/ann'. ---> System.ArgumentException: List 'Docs' does not exist at site "
                + "with URL 'http://my/personal/ann'. --- End of inner exception stack trace ---"
        )
        #expect(explanation.decoded.first?.code.causes.first?.contains("Personal Documents") == true)
    }

    @Test(arguments: [
        ("Cannot find any matching endpoint configuration", "bcs"),
        ("Failed to configure propagation share.", "search-query-2010"),
        ("Remove-SPWeb : Error deleting Web site \"/a\". You can't delete a site that has subsites.", "sites"),
        ("ACS50027: JWT token is invalid", "hybrid"),
    ])
    func `Sentences of a product lead to its component`(text: String, id: String) {
        let explanation = Explanation(of: text)
        #expect(explanation.place?.component.id == id)
        #expect(!explanation.checks.isEmpty)
    }
}

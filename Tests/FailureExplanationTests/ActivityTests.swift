import Foundation
import Testing

@testable import FailureExplanation

struct ActivityTests {
    private static let files: [(name: String, text: String)] = {
        let folder = URL(filePath: #filePath).appending(path: "../../../Rules/Activities").standardized
        let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return (files ?? []).map { ($0.lastPathComponent, (try? String(contentsOf: $0, encoding: .utf8)) ?? "") }
    }()

    @Test func `Every line of the files is understood, and the built-in data matches the files`() {
        #expect(Self.files.count >= 3)
        for file in Self.files { #expect(ActivityFile(file.text).unread == [], "\(file.name)") }
        let inFiles = Self.files.flatMap { ActivityFile($0.text).entries.map(\.activity) }
        #expect(inFiles.sorted { $0.id < $1.id } == Activities.all.sorted { $0.id < $1.id })
    }

    @Test func `At least 250 activities have a name, an existing component, signs, causes and checks`() {
        let entries = ActivityMap.builtIn.entries.all
        let components = Set(Components.all.map(\.id))
        #expect(entries.count >= 250)
        #expect(Set(entries.map(\.activity.id)).count == entries.count)
        for entry in entries {
            let activity = entry.activity
            #expect(activity.name.first?.isLowercase == true && !activity.name.hasSuffix("."), "\(activity.id)")
            #expect(activity.component.map(components.contains) ?? true, "\(activity.id)")
            #expect(!(entry.frames + entry.texts).isEmpty, "\(activity.id)")
            #expect(!activity.causes.isEmpty || !entry.conditional.isEmpty, "\(activity.id)")
            #expect(1...4 ~= activity.checks.count, "\(activity.id)")
            #expect(activity.checks.allSatisfy { $0.command != nil || $0.text.hasSuffix(".") }, "\(activity.id)")
            let causes = activity.causes + entry.conditional.map(\.cause)
            #expect(causes.allSatisfy { $0.hasSuffix(".") && $0.count <= 240 }, "\(activity.id)")
            // A short text may occur within other texts.
            #expect(entry.texts.allSatisfy { $0.count >= 14 }, "\(activity.id)")
        }
    }

    @Test func `Each frame or text belongs to only one activity, and each condition is an existing code`() {
        let entries = ActivityMap.builtIn.entries.all
        let frames = entries.flatMap(\.frames)
        #expect(Set(frames).count == frames.count)
        let texts = entries.flatMap(\.texts).map { $0.lowercased() }
        #expect(Set(texts).count == texts.count)
        for case .code(let key) in entries.flatMap(\.conditional).map(\.condition) {
            #expect(FailureCodes.code(key.number, in: key.space)?.name != nil, "\(key)")
        }
    }

    @Test func `No activity has a check that changes anything`() {
        for command in Activities.all.flatMap(\.checks).compactMap(\.command) {
            #expect(ChangingCommand.word(in: command) == nil, "\(command)")
        }
    }

    private func map(_ text: String) -> ActivityMap { ActivityMap([ActivityFile(text)]) }

    private static let small = """
        @pools = The pools :: Get-SPServiceApplicationPool

        [outer] running a job
        generic: yes
        frame: SPJob
        text: The job definition failed
        usually: The timer service is stopped.

        [inner] saving an item
        of: lists
        frame: SPListItem.Update, SPFile
        text: The item was not saved
        usually: A column is missing.
        usually(refusal): The account may not.
        usually(sql:2601): The key is there.
        usually(FileNotFoundException): The file is gone.
        check: @pools
        """

    @Test(arguments: [
        ("Microsoft.SharePoint.SPListItem.Update", "inner"), ("Microsoft.SharePoint.SPListItem.Delete", nil),
        ("Microsoft.SharePoint.SPFile.Open", "inner"),
        ("Microsoft.SharePoint.SPFile.<>c__DisplayClass2c.<Open>b__2", "inner"),
        ("Microsoft.SharePoint.SPFileCollection.Add", nil), ("Microsoft.SharePoint.SPJob.Execute", "outer"),
        ("Contoso.SPFile.Open", nil), ("SPFile", nil),
    ])
    func `A frame is recognized by its type and method, or by its type alone`(frame: String, id: String?) {
        let map = map(Self.small)
        let found = map.activities(of: [StackFrame(frame)]).first
        #expect(found.map { map.entries[$0.entry].activity.id } == id)
    }

    @Test func `All valid lines of a file are read, and the others are reported as unread`() {
        let entries = ActivityFile(Self.small).entries
        #expect(entries.map(\.activity.id) == ["outer", "inner"])
        #expect(entries.map(\.activity.isGeneric) == [true, false])
        #expect(entries[1].activity.component == "lists")
        #expect(entries[1].activity.checks == [Check("The pools", command: "Get-SPServiceApplicationPool")])
        #expect(
            entries[1].conditional.map(\.cause) == ["The account may not.", "The key is there.", "The file is gone."]
        )
        let wrong = ActivityFile("usually: x.\n[a] b\nusually(no:1): y.\nnonsense\ncheck: @none\ncheck: no full stop\n")
        #expect(
            wrong.unread == ["usually: x.", "usually(no:1): y.", "nonsense", "check: @none", "check: no full stop"]
        )
    }

    @Test func `The innermost activity is shown, along with the enclosing one`() throws {
        let text = """
            System.Exception: It failed.
             at Microsoft.SharePoint.Administration.SPElementDefinitionCollection.ProvisionFieldsAndContentTypes(SPWeb web)
             at Microsoft.SharePoint.SPFeature.Activate(SPSite site)
             at Microsoft.SharePoint.Client.ServerStub.InvokeMethod(Object target)
            """
        let found = try #require(Explanation(of: text).activity)
        #expect(found.activity.id == "provision-fields")
        #expect(found.outer?.id == "client-call")
        // No code gives a reason, so the activity's own causes count.
        #expect(found.isSpecific)
        guard case .frame(let frame) = found.evidence else { return #expect(Bool(false)) }
        #expect(frame.name.hasSuffix("ProvisionFieldsAndContentTypes"))
    }

    @Test func `The enclosing activity comes from an outer frame of the same exception`() throws {
        let mail = """
            System.Exception: It failed.
             at System.Net.Mail.SmtpClient.Send(MailMessage message)
             at Microsoft.SharePoint.Taxonomy.TermStore.CommitAll()
            """
        let found = try #require(Explanation(of: mail).activity)
        #expect(found.activity.id == "term-edit")
        #expect(found.outer == nil)
        #expect(ActivityMap.builtIn.activities(of: [StackFrame("System.Net.Mail.SmtpClient.Send")]).count == 1)
        let map = map(Self.small)
        let (inner, outer) = (
            StackFrame("Microsoft.SharePoint.SPFile.Open"), StackFrame("Microsoft.SharePoint.SPJob.Run")
        )
        let item = map.activities(of: [inner])
        #expect(map.outermost(beyond: 1, in: [map.activities(of: [inner, outer])])?.id == "outer")
        #expect(map.outermost(beyond: 1, in: [map.activities(of: [outer, inner])]) == nil)
        #expect(map.outermost(beyond: 1, in: [item, map.activities(of: [outer])]) == nil)
    }

    @Test func `Causes specific to a code or an exception replace the usual ones`() throws {
        let refused = try #require(
            Explanation(of: "failure trying to synch site 1. Access is denied. (0x80070005)").activity
        )
        #expect(refused.activity.id == "profile-site-sync" && refused.isSpecific)
        #expect(refused.activity.causes.count == 1)
        // The type indicates the failure, and there is no entry for it.
        let other = try #require(
            Explanation(
                of: "System.TimeoutException: No answer.\n at Microsoft.SharePoint.Taxonomy.TermStore.CommitAll()"
            ).activity
        )
        #expect(other.activity.id == "term-edit" && other.activity.causes.isEmpty && !other.activity.checks.isEmpty)
        let general = try #require(
            Explanation(of: "System.Exception: It failed.\n at Microsoft.SharePoint.Taxonomy.TermStore.CommitAll()")
                .activity
        )
        #expect(!general.activity.causes.isEmpty && general.isSpecific)
    }

    @Test func `A timer job's class identifies the activity, but a mere mention of a job does not`() throws {
        let row =
            "The Execute method of job definition Microsoft.SharePoint.Diagnostics."
            + "SPDatabaseServerDiagnosticsPerformanceCounterProvider (ID 1) threw an exception."
        #expect(Explanation(of: row).activity?.activity.id == "counter-diagnostics")
        #expect(
            Explanation(of: "The Execute method of job definition X (ID 1) failed").activity?.activity.id == "timer-job"
        )
        #expect(Explanation(of: "It failed").activity == nil)
        // A missing component did not run.
        let mention = "Check - missing job 'Microsoft.Office.Server.UserProfiles.ADImport.UserProfileADImportJob'"
        #expect(Explanation(of: mention).activity == nil)
    }

    @Test func `An activity's words identify the component, unless a frame identifies another one`() throws {
        let text = "failure trying to synch site 1: it is gone"
        let place = try #require(Explanation(of: text).place)
        #expect(place.component.id == "user-profiles" && place.mention == nil)
        let framed = Explanation(of: text + "\nSystem.Exception: x\n at Microsoft.Office.Excel.Server.Any.Open()")
        #expect(framed.place?.component.id != "user-profiles")
    }
}

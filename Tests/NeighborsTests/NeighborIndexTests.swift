import FailureExplanation
import LogDiagnosis
import Neighbors
import Testing

/// Known failures with similar texts.
struct NeighborIndexTests {
    private let index = NeighborIndex.builtIn

    @Test func `A text near a rule names this rule, its cause and the shared words`() throws {
        let text = "Cannot upgrade the ReportingServices object SearchAdminDatabase today"
        let first = try #require(index.neighbors(of: text).first)
        #expect(first.rule == "FS1051" && first.title == "An object in the farm is not upgraded")
        #expect(first.cause == "Each database has a schema version.")
        #expect(Set(first.shared) == ["reportingservices", "searchadmindatabase", "upgrade"])
        #expect(first.sentence.hasPrefix("FS1051 An object in the farm is not upgraded; shares '"))
        let tracing = "Page request failed, Trace requires controls have unique ID, TraceContext AddNewControl"
        #expect(index.neighbors(of: tracing).first?.rule == "FS0101")
    }

    @Test func `The order of words, their case and one wrong letter in a long word have no effect`() {
        let words = ["Cannot", "upgrade", "the", "ReportingServices", "object", "SearchAdminDatabase", "today"]
        let expected = index.neighbors(of: words.joined(separator: " "))
        #expect(!expected.isEmpty)
        for turn in words.indices {
            let turned = Array(words[turn...] + words[..<turn])
            #expect(index.neighbors(of: turned.joined(separator: " ")) == expected)
            #expect(index.neighbors(of: turned.reversed().joined(separator: "\n ")) == expected)
        }
        for other in ["SEARCHADMINDATABASE", "SearchAdminDatabse", "SearchAdminDatabasse", "SearchAdminDatabaes"] {
            let text = words.joined(separator: " ").replacing("SearchAdminDatabase", with: other)
            #expect(index.neighbors(of: text).first?.rule == expected[0].rule, "\(other)")
        }
    }

    @Test func `Every known sentence with a cause that shares enough with a text has its cause`() {
        let sentences = FailureCodes.sentences
        #expect(sentences.count > 1000)
        var found = 0
        for sentence in sentences.prefix(200) {
            for neighbor in index.neighbors(of: sentence.text) {
                found += 1
                #expect(!neighbor.cause.isEmpty && neighbor.shared.count >= 2, "\(sentence.text)")
            }
        }
        #expect(found > 20)
    }

    @Test func `Only the first 2,000 characters are read, and three neighbors are the most`() {
        let near = "Cannot upgrade ReportingServices SearchAdminDatabase"
        #expect(!index.neighbors(of: near + String(repeating: " .", count: 100_000)).isEmpty)
        #expect(index.neighbors(of: String(repeating: " ", count: NeighborWords.maximum) + near).isEmpty)
        let sentences = FailureCodes.sentences.map(\.text)
        let all = sentences.joined(separator: "\n")
        #expect(index.neighbors(of: all).count <= NeighborIndex.maximumNeighbors)
        #expect(index.neighbors(of: "").isEmpty && index.neighbors(of: "\u{0}\u{FFFD}… \u{1F600} ' -.- _").isEmpty)
    }

    @Test func `Paths, accounts, GUIDs and numbers are not words; identifiers weigh more`() {
        let words = NeighborWords(
            #"The type Contoso.Portal.SPFooBar failed at C:\logs\a.log for contoso\ann (ann@contoso.com), "#
                + "0x80070005, 123456, 00000000-1111-2222-3333-444455556666; “the” type's Get-SPFarm"
        ).words
        #expect(words.map(\.text) == ["the", "type", "spfoobar", "failed", "for", "0x80070005", "get-spfarm"])
        #expect(words.filter(\.isIdentifier).map(\.text) == ["spfoobar", "0x80070005", "get-spfarm"])
    }

    @Test func `A text about success is not compared with the failure that is its opposite`() {
        let failure = "The item could not be indexed successfully because the item failed in the indexing subsystem."
        #expect(NeighborWords(failure).mentionFailure)
        for success in [
            "The item was indexed successfully by the indexing subsystem.",
            "All databases are in the range of compatibility.",
            "The ReportingServices object SearchAdminDatabase is ready for the upgrade",
        ] {
            #expect(!NeighborWords(success).mentionFailure && index.neighbors(of: success).isEmpty, "\(success)")
        }
    }

    @Test func `Healthy rows have no neighbors`() {
        var count = 0
        for template in HealthyRows.templates {
            for number in [0, 3, 41, 512, 6007, 70_018, 812_345] {
                count += 1
                let text = template.replacing("#", with: "\(number)")
                #expect(index.neighbors(of: text).isEmpty, "\(text)")
            }
        }
        #expect(count >= 200)
    }
}

/// Rows of a farm without problems; `#` marks a number.
private enum HealthyRows {
    static let templates = [
        "Leaving Monitored Scope (Request (GET:http://intranet/sites/hr/Pages/home.aspx)). Execution Time=143.25",
        "Leaving Monitored Scope (EnsureListItemsData#). Execution Time=12.5",
        "Entering Monitored Scope (Timer Job job-diagnostics-flush). Parent No",
        "Entering monitored scope (ExecuteStoredProcedure proc_FetchDocForHttpGet). Parent Request",
        "Timer job job-health-statistics finished successfully in # ms",
        "Deployment of the solution contoso.wsp completed on all servers",
        "Cache hit for key user-profile-# in region ProfileCache after # ms",
        "Search crawl of content source Local SharePoint sites completed: # successes, 0 errors",
        "User profile synchronization finished: # profiles examined",
        "Distributed cache cluster health is healthy, # hosts are up",
        "The SPUserCodeService is running and # worker processes are ready",
        "Workflow instance started for item # in list Documents",
        #"Claims token for user i:0e.w|contoso\anna issued, valid until 17:00"#,
        "Successfully connected to the database SharePoint_Config on SQL01",
        "Content database WSS_Content# is at the build of the farm",
        "Application pool SecurityTokenServiceApplicationPool recycled as scheduled",
        "Usage log processor imported # records from the file of this hour",
        "Certificate CN=intranet.contoso.com is valid for another # days",
        "Health analysis rule finished with status Success after # ms",
        "Name=Request (GET:http://intranet.contoso.com:80/sites/team#/default.aspx)",
        "Site=/sites/team#",
        "Page served from the output cache in # ms for an anonymous user",
        "SqlCommand: # rows read from AllDocs, duration within limits",
        "Loaded feature definition TeamCollab for site #",
        "Query of # terms returned # results from partition 0",
        "Mail for alert # delivered to the outgoing server",
        "Heartbeat from server WFE# received, lag # ms",
        "Trust certificate of the farm was renewed on schedule",
        "Search topology is active with # components on this server",
        "Token cache holds # entries; the hit rate is normal",
    ]
}

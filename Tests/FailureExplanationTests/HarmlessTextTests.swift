import Testing

@testable import FailureExplanation

/// Rows that report success or merely name something, generated from a grammar: none shows a failure.
struct HarmlessTextTests {
    @Test func `None of 500 generated harmless rows shows a failure, a code or an exception`() {
        var grammar = Grammar(state: 46)
        var seen: Set<String> = []
        for _ in 0..<5000 where seen.count < 500 {
            let text = grammar.row()
            guard seen.insert(text).inserted else { continue }
            let explanation = Explanation(of: text)
            #expect(
                explanation.frame.failure == nil && explanation.decoded.isEmpty && explanation.chains.isEmpty,
                "\(text): \(explanation.frame.failure?.evidence ?? "") \(explanation.decoded.map(\.code.title))"
            )
        }
        #expect(seen.count == 500)
    }

    @Test(arguments: [
        "Error count: 0", "Failed: 0", "No failed timer jobs", "None of the crawls failed.", "Failed items = 0",
        "Upgrade ended. Errors: 0, Warnings: 0", "The backup completed with 0 error(s).", "Crawl ended without errors",
        "0 of 12 servers failed", "The job did not fail.", "Sicherung beendet: keine Fehler", "Aucune erreur",
        "Failed jobs: 0, Warnings: 3",
    ])
    func `Failures that are counted as zero are none`(text: String) {
        let explanation = Explanation(of: text)
        #expect(explanation.frame.failure == nil && explanation.frame.isHarmless && explanation.decoded.isEmpty)
    }

    @Test(arguments: [
        "0 succeeded, 3 failed", "5 succeeded, 2 failed", "The import failed; 0 warnings", "Failed: 3, Skipped: 0",
        "No errors were logged, but the crawl of the site 'A' failed", "Access is denied. Errors: 0",
        "Die Sicherung ist fehlgeschlagen, 0 Warnungen",
    ])
    func `A zero elsewhere does not excuse a failure`(text: String) {
        let explanation = Explanation(of: text)
        #expect(explanation.frame.failure != nil && !explanation.frame.isHarmless)
    }

    @Test(arguments: [
        "The time-out errors of Friday are fixed now.", "The problems are solved:\n- Access denied\n- Login failed",
        "How to fix access denied\nHow to solve login failed for user\nProvisioning - Access Denied",
        "If the job fails, it starts again.", "A request that fails is repeated.",
        "Start-SPServiceInstance -Identity $id\nInstall-SPSolution -Identity a.wsp -GACDeployment",
        "Event Type = [ItemAdded], Column = [Title]",
    ])
    func `A repair, a list of titles, a condition and a script report no failure`(text: String) {
        let explanation = Explanation(of: text)
        #expect(explanation.frame.failure == nil && explanation.decoded.isEmpty, "\(explanation.frame.slots)")
        #expect(explanation.frame.remedy == nil)
    }

    @Test func `The same names and codes show a failure in rows that report one`() {
        var grammar = Grammar(state: 47)
        for _ in 0..<100 {
            let text = "Opening \(grammar.place()) failed with \(grammar.code()): access is denied"
            #expect(Explanation(of: text).frame.failure?.value.id == "refused", "\(text)")
        }
    }

    @Test(arguments: [
        "Problem mit dem Index: Zugriff verweigert, er antwortet nicht mehr.",
        "Problem mit dem Index, er antwortet nicht mehr, Zugriff verweigert.",
        "Der Fehler ist nicht behoben: Zugriff verweigert.",
    ])
    func `A German sentence about a failure that continues reports one`(text: String) {
        #expect(Explanation(of: text).frame.failure?.value.id == "refused")
    }

    @Test(arguments: [
        "Opt-in feature 'Workflow Manager' is not installed. This component is optional for the edition.",
        "User code service is not started on this server; sandboxed solutions are disabled. Nothing to do.",
        "Timer job 'Sync' skipped, because it is locked by SP02; it runs on one server only by design.",
        "Feature 'Reporting' is already activated at scope Farm; activation is skipped.",
        "Health rule 'Drives are running out of free space' ran: no problem found.",
        "To find out why access was denied, an administrator can open the page of the list.",
        "The out of memory rule monitors the worker process.", "The access denied page can be customized.",
        "The retention policy deletes items that are older than seven years.",
        "The content database is 80 % full, and will be extended in June.",
        "Die Jobs laufen wieder, der Fehler tritt nicht mehr auf.", "Der Fehler ist behoben.",
    ])
    func `What is intended, named, planned or repaired is not a failure`(text: String) {
        let explanation = Explanation(of: text)
        #expect(explanation.frame.sentence == nil && explanation.usually.isEmpty, "\(explanation.frame.slots)")
    }
}

/// A grammar of harmless rows; the same seed gives the same rows.
private struct Grammar {
    var state: UInt64

    /// Returns a row in one of five forms.
    mutating func row() -> String {
        switch next(5) {
        case 0: "\(subject()) \(pick(Self.successes))"
        case 1: "\(pick(Self.works)) of \(subject()) \(pick(Self.ends)): \(counts())"
        case 2: "\(pick(["GET", "POST", "HEAD"])) \(address()) 200 OK \(next(900)) ms"
        case 3: "\(pick(["Document", "Item", "Page", "File"])) \"\(title())\" \(pick(Self.stored))"
        default: "Query \"\(title())\" returned \(next(90) + 1) results from \(place()) in \(next(900)) ms"
        }
    }

    /// Returns a location: an address, a path or a quoted name.
    mutating func place() -> String {
        switch next(3) {
        case 0: address()
        case 1: "D:\\Data\\\(code())\\\(pick(Self.names)).docx"
        default: "'\(pick(Self.names)) \(code())'"
        }
    }

    mutating func code() -> String { pick(["0x80070005", "0x80070002", "0x80004005", "0x8007000E", "0x80131500"]) }

    private mutating func subject() -> String { "\(pick(["job", "site", "list", "service", "database"])) \(place())" }

    private mutating func address() -> String {
        "http://sp\(next(9))/\(pick(["sites", "teams"]))/\(pick(Self.names))/\(code())/\(pick(["error", "denied", "a"])).aspx"
    }

    private mutating func title() -> String {
        "\(pick(["How to fix", "RE:", "Notes on", "About"])) \(pick(Self.failures))\(next(2) == 0 ? " \(code())" : "")"
    }

    private mutating func counts() -> String {
        "\(next(500) + 1) items, 0 errors, 0 warnings\(next(2) == 0 ? ", 0 failures" : "")"
    }

    private mutating func pick(_ words: [String]) -> String { words[next(words.count)] }

    private mutating func next(_ count: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(count))
    }

    private static let names = ["Orders", "Errors", "Failures 2013", "Missing items", "Lost", "Denied requests"]
    private static let failures = [
        "Access is denied", "The operation has timed out", "Login failed for user", "File not found",
        "System.NullReferenceException", "Out of memory", "the list could not be found",
    ]
    private static let successes = [
        "was updated successfully", "succeeded", "was created successfully in 12 ms", "completed successfully",
        "has been opened: succeeded",
    ]
    private static let works = ["Backup", "Crawl", "Import", "Upgrade", "Check"]
    private static let ends = ["finished", "completed", "ended"]
    private static let stored = ["was uploaded", "was uploaded in 3 parts", "was delivered"]
}

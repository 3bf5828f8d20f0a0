import Testing
import TextKit

struct OutcomeCountsTests {
    private func rest(of text: String) -> String {
        let bytes = Array(text.utf8)
        let rest = OutcomeCounts(bytes).blanked(bytes)
        return String(decoding: rest, as: UTF8.self).split(separator: " ").joined(separator: " ")
    }

    @Test(arguments: [
        "Error count: 0", "0 errors", "none failed", "No failed timer jobs", "Errors: 0, Warnings: 0", "Failed: 0",
        "completed with 0 error(s)", "without errors", "Number of failures = 0", "zero failures", "0 of 12 jobs failed",
        "None of the servers failed", "no jobs have failed", "Failed items (0)", "Errors: none", "without any errors",
        "The job did not fail", "It never failed", "Errors\t0", "Succeeded: 5 Failed: 0 Skipped: 1", "no more errors",
        "Failed timer jobs: 0", "There were no failed solutions", "This is not an error", "errors are 0",
        "15230 successes, 0 top level errors, 12 deletes", "0 allocation errors and 0 consistency errors",
        "0 Fehler", "Fehler: 0", "keine Fehler", "ohne Fehler", "Die Sicherung ist nicht fehlgeschlagen",
        "0 erreur(s)", "aucune erreur", "sans erreur", "Erreurs : 0", "pas d’erreur", "Aucun travail n'a échoué",
    ])
    func `A word of failure that a zero or a negation governs reports no failure`(text: String) {
        let counts = OutcomeCounts(Array(text.utf8))
        #expect(counts.findsNoFailure && !counts.findsFailures)
        let words = rest(of: text).lowercased()
        for word in ["error", "fail", "fehl", "erreur", "échou"] { #expect(!words.contains(word), "\(words)") }
    }

    @Test(arguments: [
        "0 succeeded, 3 failed", "not 0 errors", "Errors: 2", "3 errors", "Failed: 12", "not without errors",
        "no fewer than 2 errors", "No connection: the import failed", "Error: 0 bytes were read",
        "It failed after 0 retries", "Error: None of the servers answered", "The service could not fail over: error 5",
        "Opening it without permission failed", "Error 0x80070005", "10 errors", "nicht ohne Fehler", "2 Fehler",
        "The import was denied, no errors", "Kein Zugriff: Fehler 5", "D:\\Errors\\a.log failed",
        "0 retries and failed", "code 0 but connection errors", "0 rows and 2 consistency errors",
    ])
    func `Other words of failure remain`(text: String) {
        let words = rest(of: text).lowercased()
        #expect(["error", "fail", "fehl", "denied"].contains(where: words.contains), "\(words)")
    }

    @Test(arguments: [
        ("0 succeeded, 3 failed", true), ("5 succeeded, 2 failed", true), ("Errors: 2", true), ("1,000 error(s)", true),
        ("3 jobs failed", true), ("Attempt 1 failed", false), ("0 errors, 3 warnings", false), ("error 5", false),
        ("step 2 failed", false), ("Errors: 0", false), ("Failed to open: 3", false),
    ])
    func `Only a number of failures counts them`(text: String, finds: Bool) {
        #expect(OutcomeCounts(Array(text.utf8)).findsFailures == finds)
    }

    @Test func `A number of warnings shows neither a failure nor the lack of one`() {
        for text in ["0 warnings", "Warnings: 0", "3 warnings", "The import failed, 0 warnings", "0 Warnungen"] {
            let counts = OutcomeCounts(Array(text.utf8))
            #expect(!counts.findsNoFailure && !counts.findsFailures && !counts.areSuccess, "\(text)")
        }
    }

    @Test func `A number of successes that is zero reports no success`() {
        #expect(rest(of: "0 succeeded, 3 failed") == ", 3 failed")
        #expect(rest(of: "Succeeded: 0") == "")
        #expect(rest(of: "It succeeded") == "It succeeded")
    }

    @Test func `A zero that stands alone is found`() {
        for text in ["0", "0 errors", "Errors: 0", "a(0)", "", "10", "0x8007", "errors", "a0"] {
            let isThere = OutcomeCounts.mayBeZero(in: Array(text.utf8).span)
            #expect(isThere == ["0", "0 errors", "Errors: 0", "a(0)"].contains(text), "\(text)")
        }
    }
}

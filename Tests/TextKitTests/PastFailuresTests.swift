import Testing
import TextKit

/// Sentences about a repair, and titles, report no failure.
struct PastFailuresTests {
    private func rest(of text: String) -> String {
        let bytes = Array(text.utf8)
        let rest = OutcomeCounts(bytes).blanked(bytes)
        return String(decoding: rest, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    @Test(arguments: [
        "The time-out errors are fixed now.", "The crawl errors no longer occur.", "The error has disappeared.",
        "Fixed: the 'not running' message of the Timer service", "The warning went away after the reboot.",
        "We no longer see the access denied messages.", "The login failed on Monday. It is working again.",
        "All problems are solved:\n- Access denied on the app catalog\n- Time-outs while saving",
        "- Fixed: the workflow failed to start\n- Fixed: access denied in the app catalog",
        "How to fix access denied\nHow to solve login failures\nProvisioning - Access Denied",
    ])
    func `A repair and a list of titles are blanked`(text: String) { #expect(rest(of: text) == "") }

    @Test(arguments: [
        "The issue was not fixed, access is denied", "The error isn't gone", "Wait until the error is fixed",
        "Is the access denied error fixed?", "The host name could not be resolved", "The file is gone",
        "The service is not working again", "If the problem is solved, tell the users",
        "After the error was fixed, the import failed", "How to fix access denied", "Users no longer see the site",
        "The list cannot be opened because it is gone", "Error: the list 'Tasks' is gone",
        "System.Exception: It is gone",
        "How to fix this?\nAccess is denied", "The crawl errors will be fixed", "The number of columns is fixed",
    ])
    func `A condition, a denial, a question or a single title is not blanked`(text: String) {
        #expect(rest(of: text) == text.split(whereSeparator: \.isWhitespace).joined(separator: " "))
    }

    @Test func `Only the repaired half of a sentence is blanked`() {
        #expect(rest(of: "The error is fixed, but the crawl failed.") == "but the crawl failed.")
        #expect(rest(of: "The errors are gone. The import failed.") == "The import failed.")
    }

    @Test func `A sentence of any length takes little time`() {
        let text = "The disk is gone" + String(repeating: " and the errors are not fixed", count: 40_000)
        #expect(rest(of: text).utf8.count == text.utf8.count)
    }
}

import Testing
import TextKit

/// The tab before text that looks like a formula.
struct FormulaGuardTests {
    /// All texts of up to four of these parts.
    private static var texts: [String] {
        let parts = ["\t", "=", "+", "-", "@", "\r", "＝", "－", "5", ".", "a", " ", "ü"]
        var all = [""]
        var longest = [""]
        for _ in 0..<4 {
            longest = longest.flatMap { text in parts.map { text + $0 } }
            all += longest
        }
        return all
    }

    @Test func `A reader removes exactly the tab that was written, for any text`() {
        for text in Self.texts {
            let bytes = Array(text.utf8)
            let cell = FormulaGuard.applies(to: bytes.span) ? [FormulaGuard.tab] + bytes : bytes
            let read = FormulaGuard.isPresent(in: cell.span) ? Array(cell.dropFirst()) : cell
            #expect(read == bytes, "\(text.debugDescription)")
            let sign = cell.first.map { "=+-@\r".utf8.contains($0) } ?? false
            #expect(!sign || Double(text) != nil, "\(text.debugDescription)")
        }
    }

    @Test(arguments: [
        ("\tx", false), ("\t\tx", false), ("\t-5", false), ("\t\t-5", true), ("\t=1", true), ("\t", false), ("", false),
        ("\t\r=", true), ("\t＋49", true), ("\t+49 30", true), ("\t+49", false), ("=1", false),
    ])
    func `Other tabs are kept`(cell: String, isPresent: Bool) {
        #expect(FormulaGuard.isPresent(in: Array(cell.utf8).span) == isPresent)
    }
}

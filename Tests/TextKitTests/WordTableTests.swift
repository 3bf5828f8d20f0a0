import Testing
import TextKit

struct WordTableTests {
    private let table = WordTable(
        [("EWS", 0), ("secure store", 1), ("certificate", 2)],
        generic: [false, false, false]
    )

    @Test(arguments: ["ewSPSite could not run", "ewSomething"])
    func `A short word is not found where it would divide the words of a name`(text: String) {
        #expect(table.longest(in: text, generic: false) == nil)
    }

    @Test(arguments: [
        ("The EWS address", 0), ("ews/exchange.asmx", 0), ("EWSManager", 0), ("Secure Store Service", 1),
        ("SecureStore and Certificates", 2),
    ])
    func `A word is found at the beginning of a word`(text: String, entry: Int) {
        #expect(table.longest(in: text, generic: false)?.entry == entry)
    }
}

import Testing

@testable import ULSLog

struct RequestNameTests {
    private func text(_ range: Range<Int>?, of message: String) -> String? {
        range.map { String(decoding: Array(message.utf8)[$0], as: UTF8.self) }
    }

    @Test(arguments: ["Request (GET:http://h/a)", "Timer Job job-upgrade-sites"])
    func requestsAndTimerJobs(name: String) {
        let message = "Name=\(name) "
        let bytes = Array(message.utf8)
        let range = RequestName.parse(bytes.span)
        #expect(text(range, of: message) == name)
        let isRequest = RequestName.isRequest(bytes.span.extracting(5..<bytes.count))
        #expect(isRequest)
    }

    @Test(arguments: ["Name=", "Name=EnsureListItemsData", "Site=/", "Names=Request (a)", "", "UserName=Request ("])
    func otherMessages(message: String) {
        let bytes = Array(message.utf8)
        let range = RequestName.parse(bytes.span)
        #expect(range == nil)
    }

    @Test func theSite() {
        let message = "Site=/sites/a"
        let bytes = Array(message.utf8)
        let range = RequestSite.parse(bytes.span)
        #expect(text(range, of: message) == "/sites/a")
        let none = RequestSite.parse(bytes.span.extracting(0..<5))
        #expect(none == nil)
    }
}

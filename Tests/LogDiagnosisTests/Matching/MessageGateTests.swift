import Testing

@testable import LogDiagnosis

/// Messages that the first check may skip.
struct MessageGateTests {
    private static let filler = "session of a web part loaded from the cache of 2024-06-07 at /sites/x0 (-1) "

    private static let signs =
        [
            "System.FormatException: x", "hr=0x80070005", "hr=0xC0000005 ", "result -2147024891", "-2146233088",
            "LastError = 5", "HRESULT: 0x1", "hresult=7", "Error Code: 3", "errorcode=12", "Error: 80070005",
            "error CS0016: x", "Application error when access /a",
        ] + ProblemScan.texts(isMild: false).map { String(decoding: $0, as: UTF8.self) }

    @Test(arguments: [true, false])
    func `Text with a sign of failure is never skipped, wherever the sign is`(isMild: Bool) throws {
        let gate = try #require(MessageGate([], isMild: isMild))
        let problems = ProblemScan()
        var found = 0
        for (number, sign) in Self.signs.enumerated() {
            for length in [0, 1 + number % 7, 15 + number % 20] {
                let message = String(Self.filler.prefix(length)) + sign + String(Self.filler.prefix(number % 19))
                guard !problems.signs(in: message.utf8.span, isMild: isMild).isEmpty else { continue }
                found += 1
                let passes = gate.interests(of: message.utf8.span).contains(.signs)
                #expect(passes, "\(message)")
            }
        }
        #expect(found > (isMild ? 30 : 800))
        let passes = !gate.interests(of: Self.filler.utf8.span).isEmpty
        #expect(!passes)
    }

    @Test func `No built-in rule makes every row be decoded for the sake of a text that is not ASCII`() throws {
        for one in try RuleSet.builtIn().selectors.cases where one.eventIDs == nil { #expect(one.isASCII) }
    }

    @Test func `An exception type's name is a sign of failure, alone or within other text`() {
        let problems = ProblemScan()
        for (text, signs) in [
            ("System.FormatException: hr=0x80070005, but 0 errors", ProblemSigns.exception),
            ("It has ended. Errors occurred processing 3 message(s): x", .errors), ("Errors occurred", .errors),
            ("12 errors occurred", .errors), ("It ended with 1,000 error(s)", .errors), ("2 Error(s)", .errors),
            ("FormatException", .exception), ("a System.Data.SqlClient.SqlException.", .exception),
            ("FormatException.Create: Access is denied, 0x80070005 ", [.exception, .phrase, .code]),
            ("HandleException(x): 0x80070005 ", .code), ("Fail_Exception: 0x80070005 ", .code),
            (" Exception: 0x80070005 ", .code), ("FormatExceptions 0x80070005 ", .code), ("a noException_b", []),
        ] {
            for length in 0..<40 {
                for isMild in [true, false] {
                    let message = Self.filler.prefix(length) + " " + text
                    let found = problems.signs(in: String(message).utf8.span, isMild: isMild)
                    #expect(found == signs, "\(message)")
                }
            }
        }
    }

    @Test(arguments: ["0x80070005", "0xC0000005", "0xc0000005", "-2147024891", "-2146233088"])
    func `A failure number is found at every offset`(number: String) {
        for before in 0..<50 {
            for after in 0..<20 {
                let message = Array((Self.filler.prefix(before) + number + Self.filler.prefix(after)).utf8)
                let whole = ProblemScan.hasNumber(message.span)
                let cut = ProblemScan.hasNumber(message.span.extracting(0..<(before + number.utf8.count - 1)))
                #expect(whole && !cut, "\(before) \(after)")
            }
        }
    }

    @Test func `Rows that can match a rule without an event ID are not skipped`() throws {
        let selectors = try RuleSet.builtIn().selectors
        let gate = try #require(MessageGate(selectors.textsOfOthers, isMild: true))
        var examined = 0
        for one in selectors.cases where one.eventIDs == nil {
            for text in one.neededTexts ?? [] {
                examined += 1
                let message = Array(Self.filler.utf8) + text.map { $0 &- 0x61 < 26 ? $0 & 0xDF : $0 }
                let meets = gate.interests(of: message.span).contains(.cases)
                #expect(meets)
            }
        }
        #expect(examined > 30)
    }
}

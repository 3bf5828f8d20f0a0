import Testing

@testable import ULSLog

struct PastedMessageTests {
    @Test func eachParagraphIsAMessageOfUnknownLevelAndNoError() {
        let paste = ReadPaste("The first\nof two\n\n\nThe second")
        #expect(paste.records.map(\.messageText) == ["The first of two", "The second"])
        #expect(paste.records.allSatisfy { $0.shape == .message && $0.isInferred && $0.level.isEmpty })
        #expect(paste.records.map { [$0.firstLine, $0.lastLine] } == [[1, 2], [5, 5]])
        #expect(paste.quality.notUnderstood == 0)
        #expect(paste.quality.records == 2)
        #expect(paste.quality.continuations == 1)
        #expect(paste.quality.blank == 2)
    }

    @Test func stackLinesJoinTheTextAboveEvenBehindABlankLine() {
        let paste = ReadPaste("System.Exception: no\n\n   at Our.Main()\n   at Their.Main()")
        #expect(paste.only.messageText == "System.Exception: no\n   at Our.Main()\n   at Their.Main()")
    }

    @Test func textBehindAHeadingStaysWithIt() {
        #expect(ReadPaste("Error details:\n\nIt failed").only.messageText == "Error details:\nIt failed")
    }

    @Test func nothingGivesNoRecord() {
        for text in ["", "\n", " \n\t\n\u{A0}\n"] {
            let paste = ReadPaste(text)
            #expect(paste.records.isEmpty)
            #expect(paste.quality.blank == paste.quality.lines)
        }
    }

    @Test func aByteOrderMarkIsNoText() {
        #expect(ReadPaste("\u{FEFF}Torn\r\n").only.messageText == "Torn")
    }
}

import Testing

@testable import ULSLog

struct PastedBlockTests {
    @Test func formatListGivesARecordForEachObject() {
        let paste = ReadPaste(
            """
            Timestamp    : 26/09/2011 10:39:40
            Continuation : False
            Process      : w3wp.exe (0x1790)
            ThreadID     : 3768
            Area         : SharePoint Foundation
            Category     : General
            EventID      : b9y3
            Level        : High
            Message      : Failed to open the file
                           'C:\\wss.resx': it is
                           gone.
            Correlation  : 0f3c9a10-1b2c-4d5e-8f90-
                           a1b2c3d4e5f6
            Context      : {}

            Timestamp    : 26/09/2011 10:39:41
            Continuation : True
            Level        : Medium
            Unheard      : of
            Message      : Second
            """
        )
        #expect(paste.records.count == 2)
        #expect(
            paste.records.first?.columns == [
                "26/09/2011 10:39:40", "w3wp.exe (0x1790)", "3768", "SharePoint Foundation", "General", "b9y3", "High",
                "Failed to open the file 'C:\\wss.resx': it is gone.", "0f3c9a10-1b2c-4d5e-8f90-a1b2c3d4e5f6",
            ]
        )
        #expect(paste.records.map(\.isContinuation) == [false, true])
        #expect(paste.records.last?.columns[6...] == ["Medium", "Second", ""])
        #expect(paste.records.allSatisfy { $0.shape == .block && !$0.isInferred })
        #expect(paste.quality.notUnderstood == 0)
        #expect(paste.records.map(\.firstLine) == [1, 16])
    }

    @Test func aBlockWrittenByHandMayCallTheAreaProduct() {
        let paste = ReadPaste(
            "Process: a.exe\nProduce: Our Area\nCategory: Ours\nEventID: ab1cd\nLevel: High\nMessage: Torn: a"
        )
        #expect(paste.only.columns == ["", "a.exe", "", "Our Area", "Ours", "ab1cd", "High", "Torn: a", ""])
    }

    @Test func aMessageMayStandBelowItsKeyBehindBlankLines() {
        let paste = ReadPaste(
            "Product: Our Area\n\nLevel: High\n\nMessage:\n\nTorn in two\n   at Our.Main()\n\nThanks!"
        )
        #expect(paste.only.columns == ["", "", "", "Our Area", "", "", "High", "Torn in two\n   at Our.Main()", ""])
        #expect(paste.quality.notUnderstood == 1)
    }

    @Test func aKeyThatComesAgainBeginsTheNextBlock() {
        let paste = ReadPaste("Level: High\nMessage: One\nLevel: Medium\nMessage: Two")
        #expect(paste.records.map(\.messageText) == ["One", "Two"])
    }

    @Test func aBlockEndsBehindItsMessageAtABlankLine() {
        let paste = ReadPaste("Level: High\nMessage: One\n\nEventID: ab1cd\nMessage: Two")
        #expect(paste.records.map(\.summary) == [" High", "ab1cd "])
    }

    @Test func aCopyOfEventViewerIsABlock() {
        let paste = ReadPaste(
            """
            Log Name:      Application
            Date:          3/4/2014 8:01:02 AM
            Event ID:      6398
            Task Category: Timer
            Level:         Critical
            Keywords:
            User:          CONTOSO\\farm
            Description:
            The Execute method threw an exception.
            """
        )
        #expect(paste.only.columns[0] == "3/4/2014 8:01:02 AM")
        #expect(paste.only.columns[4...7] == ["Timer", "6398", "Critical", "The Execute method threw an exception."])
        #expect(paste.quality.notUnderstood == 1)
    }

    @Test func oneKeyAloneIsAMessage() {
        #expect(ReadPaste("Message: it is broken").only.shape == .message)
    }

    @Test func keysWithinTheMessageOfARowAreText() {
        let row = "w3wp.exe (0x1620) 0x1988 Search General ab2c4 High Lost"
        #expect(ReadPaste("\(row)\nProcess: w3wp\nLevel: 3").only.messageText == "Lost Process: w3wp Level: 3")
    }
}

import ContentFeeding
import FeedFormats
import Testing

struct TableTests {
    @Test(arguments: [1, 7, 64, 4096], ["\n", "\r\n"])
    func aNamedColumnHoldsTheIDs(piece: Int, lineEnd: String) {
        let rows = ["name,id", "x,a", "\"x,y\",\"b,\"\"c\"\"\"", "", "\"two\nlines\",\"d\ne\"", "\"\",f"]
        for end in ["", lineEnd] {
            let reading = Reading(rows.joined(separator: lineEnd) + end, as: .csv(column: .named("id")), piece: piece)
            #expect(reading.ids == ["a", "b,\"c\"", "d\ne", "f"])
            #expect(reading.input.lines == 5 && reading.input.blank == 1 && reading.input.rejected == 0)
        }
    }

    @Test func aNumberedColumnHasNoHeaderUnlessItIsSaid() {
        #expect(Reading("a,b\nc,d", as: .csv(column: .number(2))).ids == ["b", "d"])
        #expect(Reading("a,b\nc,d", as: .csv(column: .number(2, hasHeader: true))).ids == ["d"])
        #expect(Reading("a\tb,\nc\t\"d\t\"", as: .tsv(column: .number(2))).ids == ["b,", "d\t"])
    }

    @Test(arguments: [
        ("a", "has 1 columns where the first row has 2"), ("a,b,c", "has 3 columns"), ("a\",b", "quote within a field"),
        ("\"a\"b,c", "behind a closing quote"), ("x,", "empty"), ("x,a\0", "NUL"),
    ])
    func aRowThatIsCutWrongIsRejected(row: String, reason: String) {
        let reading = Reading("n,id\n\"1\n2\",a\n\(row)\nx,b\n", as: .csv(column: .named("id")))
        #expect(reading.ids == ["a", "b"])
        #expect(reading.rejectedLines == [4])
        #expect(reading.reasons.first?.contains(reason) == true, "\(reading.reasons)")
    }

    @Test(arguments: [",x", "a\0,x"])
    func aFirstRowWithoutTitlesIsLikeAnyOther(row: String) {
        let reading = Reading("\(row)\na,b\n", as: .csv(column: .number(1)))
        #expect(reading.ids == ["a"])
        #expect(reading.rejectedLines == [1])
    }

    @Test(arguments: [1, 7, 64])
    func anOpenQuoteIsRejected(piece: Int) {
        let reading = Reading("n,id\nx,a\n\"x,b\nx,c\n", as: .csv(column: .named("id")), piece: piece)
        #expect(reading.ids == ["a"])
        #expect(reading.rejectedLines == [3])
        #expect(reading.reasons.first?.contains("within quotes") == true)
    }

    @Test func columnsAreReadFromOptions() {
        #expect(InputColumn("2") == .number(2))
        #expect(InputColumn("2", hasHeader: true) == .number(2, hasHeader: true))
        #expect(InputColumn("0") == .named("0"))
        #expect(InputColumn("id") == .named("id"))
        #expect(InputColumn("+2") == .named("+2"))
    }
}

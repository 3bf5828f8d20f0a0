import ContentFeeding
import Foundation
import TestSupport
import Testing

@testable import FeedFormats

struct TableDocumentsTests {
    private static let format = InputFormat.csv(column: .named("id"))

    @Test(arguments: ["\n", "\r\n"])
    func aRowIsADocumentHoweverTheInputIsCut(lineEnd: String) {
        let rows = [
            "id,\"the \"\"title\"\"\",n", "1,x,007", "", "\"2\",\"two\nlines, \"\"quoted\"\"\",", "3,\"\",é",
        ]
        for text in [rows.joined(separator: lineEnd), rows.joined(separator: lineEnd) + lineEnd] {
            let whole = Reading(text, as: Self.format, for: .add)
            #expect(
                whole.documents == [
                    #"{"id":"1","the \"title\"":"x","n":"007"}"#,
                    #"{"id":"2","the \"title\"":"two\nlines, \"quoted\""}"#, #"{"id":"3","the \"title\"":"","n":"é"}"#,
                ]
            )
            #expect(whole.input.blank == 1 && whole.input.rejected == 0)
            for piece in 1..<text.utf8.count {
                #expect(Reading(text, as: Self.format, for: .add, piece: piece) == whole)
            }
        }
    }

    @Test func tabsSeparateToo() {
        let reading = Reading("id\ta\n1\tb,\"c\n", as: .tsv(column: .named("id")), for: .update)
        #expect(reading.reasons.first?.contains("quote within a field") == true)
        let other = Reading("a\tid\nb,c\t1\n", as: .tsv(column: .named("id")), for: .update)
        #expect(other.documents == [#"{"a":"b,c","id":"1"}"#])
        #expect(other.operations.first?.kind == .update)
    }

    @Test(arguments: [
        ("1", "has 1 columns where the first row has 2"), ("1,2,3", "has 3 columns"), (",x", "empty"),
        ("1,a\"b", "quote within a field"), ("\"1\"x,y", "behind a closing quote"),
    ])
    func aRowThatIsCutWrongIsRejected(row: String, reason: String) {
        let reading = Reading("id,t\n\"0\n\",a\n\(row)\n2,b\n", as: Self.format, for: .add)
        #expect(reading.ids == ["0\n", "2"])
        #expect(reading.rejectedLines == [4])
        #expect(reading.reasons.first?.contains(reason) == true, "\(reading.reasons)")
    }

    @Test func aRowThatIsNotUTF8IsRejected() {
        let reading = Reading(Array("id,t\n1,".utf8) + [0xFF] + Array("\n2,b".utf8), as: Self.format, for: .add)
        #expect(reading.ids == ["2"])
        #expect(reading.reasons == [RejectedRecord.notUTF8.reason])
    }

    @Test(arguments: [
        ("id,id\n", InputError.Code.malformedHeader, "two columns are called 'id'"),
        (",id\n", .malformedHeader, "column 1 has no title"), ("a\"b,id\n", .malformedHeader, "the first row"),
        ("ID,t\n", .unknownColumn, "did you mean 'ID'?"), ("id,t,u,v,w\n", .malformedHeader, "more than 4 columns"),
    ])
    func aFirstRowThatNamesNoFieldsIsRefused(text: String, code: InputError.Code, reason: String) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try Data(text.utf8).write(to: URL(filePath: folder.path("pages.csv")))
        var limits = InputLimits()
        limits.columns = 4
        let error = await #expect(throws: InputError.self) {
            _ = try await FeedInput.open(
                [.file(folder.path("pages.csv"))],
                for: .add,
                format: Self.format,
                limits: limits
            )
        }
        #expect(error?.code == code)
        #expect(error?.reason.contains(reason) == true, "\(String(describing: error))")
    }

    @Test func aByteOrderMarkIsNoPartOfATitle() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try Data("\u{FEFF}id,t\n1,a\n".utf8).write(to: URL(filePath: folder.path("pages.csv")))
        let input = try await FeedInput.open([.file(folder.path("pages.csv"))], for: .add, format: Self.format)
        #expect(try await Reading(drawing: input).documents == [#"{"id":"1","t":"a"}"#])
    }

    @Test(arguments: 1...40)
    func damagedTablesAreAccountedForHoweverTheyAreCut(seed: UInt64) {
        var mutation = ByteMutation(seed: seed)
        let bytes = Array("id,title\n".utf8) + mutation.mutated([Array("1,a\n2,\"b\"\"c\"\n\"3\nx\",\n".utf8)])
        var limits = InputLimits()
        limits.chunkCount = 2
        limits.document = 60
        let whole = Reading(bytes, as: Self.format, for: .add, limits: limits, piece: bytes.count)
        #expect(whole.input.lines == whole.operations.count + whole.input.blank + whole.input.rejected)
        for piece in [1, 3, 64] {
            #expect(Reading(bytes, as: Self.format, for: .add, limits: limits, piece: piece) == whole)
        }
    }
}

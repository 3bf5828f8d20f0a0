import ArgumentParsing
import ContentFeeding
import FeedCommands
import FeedJobs
import Testing

struct HostileNumberTests {
    @Test(arguments: [
        (100.0, Int.max, Int.max), (100.0, 7, 7), (10.0, 1_000, 100), (10.0, 19, 1), (0.0, Int.max, 0),
        (100.0, Int.max - 1, Int.max - 1),
    ])
    func `A share of a collection is a number of documents, regardless of the engine's count`(
        share: Double,
        documents: Int,
        limit: Int
    ) {
        #expect(RemovalLimit.percent(share).operations(of: documents) == limit)
    }

    @Test(arguments: [
        (0, 0, 100), (29, 100, 29), (1, 3, 33), (Int.max, Int.max, 100), (Int.max, 1, 100), (Int.min, 5, 0),
        (5, -1, 100),
    ])
    func `Progress is between 0 and 100 percent, regardless of what the engine reports`(
        done: Int,
        total: Int,
        share: Int
    ) {
        #expect(OptimizationRun.share(done, of: total) == share)
    }
}

struct TableTitlesTests {
    @Test(arguments: [
        ("id,title\n1,a\n", ["id", "title"], "id"),
        ("\u{FEFF}\"Name\";\"Url, old\";\"Url\"\r\n", ["Name", "Url, old", "Url"], "Url"),
        ("Titel\tKEY", ["Titel", "KEY"], "KEY"), ("a,b\nid,c", ["a", "b"], nil), ("id\nA\n", [], nil), ("", [], nil),
    ])
    func `The first line of a table contains titles`(text: String, titles: [String], column: String?) {
        let line = TableTitles(in: Array(text.utf8))
        #expect(line.titles == titles)
        #expect(line.columnOfIDs == column)
    }

    @Test(arguments: [
        ("sep=;\r\nNr;Id\r\n", "--format csv --column Id"), ("\u{FEFF}SEP=\t\nid\tt", "--format csv --column id"),
        ("sep=;\nNr;Name", "--format csv --column COLUMN"), ("id;t", "--format csv --delimiter ';' --column id"),
        ("id\tt", "--format tsv --column id"), ("t,Url", "--format csv --column Url"), ("a;b", nil), ("sep=", nil),
        ("sep=;x", nil),
    ])
    func `A table's options specify its format, separator and column`(text: String, options: String?) {
        #expect(TableTitles(in: Array(text.utf8)).options == options)
    }

    @Test(arguments: [("# old\nA", true), ("#A", true), ("#TYPE x", false), ("A # b", false), ("", false)])
    func `A comment in the first line is recognized`(text: String, isComment: Bool) {
        #expect(TableTitles(in: Array(text.utf8)).isComment == isComment)
    }

    @Test(arguments: [
        ("\"id1\"\n\"id2\"", true), ("\u{FEFF}\"id1\"\r\n", true), ("\"\"", false), ("id1", false),
        ("\"a\" \"b\"", false),
        ("\"a", false),
    ])
    func `A line in quotation marks is recognized`(text: String, isQuoted: Bool) {
        #expect(TableTitles(in: Array(text.utf8)).isOneQuotedText == isQuoted)
    }

    @Test func `Comments before the first line are skipped if they are comments in the input`() {
        let text = Array("\u{FEFF}# old\n#older\r\n\"id1\"\n".utf8)
        #expect(TableTitles(in: text, hasComments: true).isOneQuotedText)
        #expect(!TableTitles(in: text).isOneQuotedText)
        #expect(TableTitles(in: Array("# old\nid;t".utf8), hasComments: true).columnOfIDs == "id")
        #expect(TableTitles(in: Array("# old".utf8), hasComments: true).titles.isEmpty)
    }

    @Test(arguments: [("[\"a\"]", true), ("\u{FEFF} [", true), ("[{\"id\":1}]", false), ("a [", false), ("", false)])
    func `An array of IDs is recognized, unlike an array of documents`(text: String, isArray: Bool) {
        #expect(TableTitles(in: Array(text.utf8)).isArray == isArray)
    }

    @Test func `A table from PowerShell is recognized`() {
        #expect(TableTitles(in: Array("#TYPE Selected.System\r\n\"Id\"".utf8)).isOfPowerShell)
        #expect(!TableTitles(in: Array("#TYPES".utf8)).isOfPowerShell)
    }
}

struct LookupSentenceTests {
    @Test(arguments: [
        (2, 0, 0, "2 of 2 IDs found"), (1, 0, 1, "0 of 1 ID printed, 1 can't be read"),
        (3, 1, 1, "1 of 3 IDs printed, 1 can't be read, 1 not found"), (3, 1, 0, "2 of 3 IDs found"),
    ])
    func `A document that can't be read does not count as printed`(
        asked: Int,
        missing: Int,
        unreadable: Int,
        text: String
    ) {
        #expect(MissingDocuments.sentence(of: asked, missing: missing, unreadable: unreadable) == text)
    }
}

struct SourceArgumentTests {
    @Test(arguments: ["linez:ids.txt", "csv:pages.csv", "a:b", "pages/", "/pages"])
    func `Neither a file nor an unknown kind of source is mistaken for a collection to copy`(word: String) {
        #expect(throws: ArgumentExpectation.self) { try SourceArgument(argument: word) }
    }

    @Test func `A collection with a colon in its name is specified with its location`() throws {
        let source = try SourceArgument(argument: "old/a:b")
        #expect(source.collection == "a:b" && source.argumentText == "old/a:b")
    }
}

struct SearchHintTests {
    @Test(
        arguments: [
            (["status:stale"], []), (["pag*"], []), (["stale OR live"], []), (["stale", "OR", "live"], []),
            (["NOT", "x"], []), (["status=stale"], []), ([], ["status=="]), ([], ["title=pag*"]),
        ] as [([String], [String])]
    )
    func `A query in the syntax of another language gets a hint`(words: [String], fields: [String]) throws {
        let arguments = try fields.map { try FieldArgument(argument: $0) }
        #expect(SearchQuery(text: words, fields: arguments.map(\.field)).hint != nil)
    }

    @Test(arguments: ["noble gas", "https://atlas.example/a", "a: b", "or", "C++", "what?", "https://a/?b=c", "a = b"])
    func `Plain text gets no hint`(text: String) {
        #expect(SearchQuery(text: [text], fields: []).hint == nil)
    }

    @Test(arguments: ["status!=live", "date<=2019", "date>=2019", "title~=x"])
    func `A comparison operator that fields do not support is refused`(word: String) {
        #expect(throws: ArgumentExpectation.self) { try FieldArgument(argument: word) }
    }
}

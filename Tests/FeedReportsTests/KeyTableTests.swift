import ContentFeeding
import FeedReports
import ReportKit
import Testing

/// Tables with a column for each key.
struct KeyTableTests {
    private struct Written {
        var text = ""
        var refused: [String: String] = [:]
        var unused: [String] = []

        init(
            _ columns: KeyTable.Columns,
            _ documents: [(id: String, json: String)],
            limits: KeyTable.Limits = KeyTable.Limits()
        ) throws {
            var bytes: [UInt8] = []
            var table = KeyTable(columns, CSVStyle(), limits: limits, to: &bytes)
            for (id, json) in documents {
                let document = StoredDocument(id: DocumentID(stringLiteral: id), version: 1, json: Array(json.utf8))
                if let reason = try table.append(document, to: &bytes) { refused[id] = reason }
            }
            // Without given columns, nothing is written before all of them are known.
            if columns == .all { #expect(bytes.isEmpty) }
            table.end(in: &bytes)
            while table.appendNext(to: &bytes) {}
            (text, unused) = (String(decoding: bytes, as: UTF8.self), table.unused)
        }
    }

    private static let documents = [
        (id: "a", json: #"{"id":"a","t":"x, y","p":{"net":1.50,"tax":{}},"n":null}"#),
        (id: "b", json: #"{"p":"free","tags":["r", 2],"t":"","p.net":true}"#),
    ]

    @Test func `Each key becomes a column, also one that only the last document has`() throws {
        let written = try Written(.all, Self.documents)
        let rows = ["id,t,p.net,p.tax,p,tags", #"a,"x, y",1.50,{},,"#, #"b,"",true,,free,"[""r"", 2]""#]
        #expect(written.text == rows.map { $0 + "\r\n" }.joined())
        #expect(written.refused.isEmpty)
        #expect(try Written(.all, []).text == "id\r\n")
    }

    @Test func `Given keys are the only columns, and unused ones are known`() throws {
        let written = try Written(.keys(["p.net", "p", "id", "m.n"]), Self.documents)
        let rows = ["p.net,p,id,m.n", #"1.50,"{""net"":1.50,""tax"":{}}",a,"#, "true,free,b,"]
        #expect(written.text == rows.map { $0 + "\r\n" }.joined())
        #expect(written.unused == ["m.n"])
        #expect(try Written(.keys(["x"]), []).unused.isEmpty)
        // As in updates, a key with the whole name comes before the path, even if it is null.
        let both = [(id: "c", json: #"{"p":{"net":1},"p.net":2}"#), (id: "d", json: #"{"p":{"net":1},"p.net":null}"#)]
        #expect(try Written(.keys(["id", "p.net"]), both).text == "id,p.net\r\nc,2\r\nd,\r\n")
    }

    @Test func `A document that its columns can't represent is left out with the reason`() throws {
        let long = String(repeating: "k", count: 1_001)
        let documents =
            Self.documents + [
                (id: "c", json: #"{"id":"other"}"#), (id: "d", json: #"{"p":{"net":1},"p.net":2}"#),
                (id: "e", json: #"{"\#(long)":1}"#), (id: "f", json: "{"),
            ]
        let written = try Written(.all, documents)
        #expect(written.text == (try Written(.all, Self.documents).text))
        #expect(written.refused.keys.sorted() == ["c", "d", "e", "f"])
        #expect(written.refused["d"] == "it has two values of 'p.net'")
    }

    @Test func `Documents that can't be held are refused before anything is written`() throws {
        var limits = KeyTable.Limits()
        limits.columns = 6
        #expect(try Written(.all, Self.documents, limits: limits).refused.isEmpty)
        limits.columns = 5
        #expect(throws: KeyTable.TooLarge.self) { try Written(.all, Self.documents, limits: limits) }
        limits = KeyTable.Limits()
        limits.heldBytes = 100
        #expect(throws: KeyTable.TooLarge.self) { try Written(.all, Self.documents, limits: limits) }
        #expect(try Written(.keys(["t"]), Self.documents, limits: limits).refused.isEmpty)
    }
}

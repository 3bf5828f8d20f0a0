import ContentFeeding
import DocumentSources
import Foundation
import Gzip
import TestSupport
import Testing

struct FileSourceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ name: String, _ text: String) throws -> String {
        let path = folder.path(name)
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    @Test func `Each line is an entry, and a line that is not an entry is rejected with its number`() async throws {
        let path = try file(
            "a.jsonl",
            """
            {"id":"A","etag":"x","n":1}
            nonsense
            {"id":"B","etag":7}
            {"remove":"C"}
            {"id":"D"}
            """
        )
        var options = FileSource.Options()
        options.versionKey = "etag"
        let source = try FileSource(path, .jsonLines, options)
        #expect(source.traits.versionKey == "etag" && !source.traits.isOrdered)
        let reading = try await SourceReading(source)
        #expect(reading.ids == ["A", "B", "D"])
        #expect(reading.entries.map(\.version) == ["x", "7", nil])
        #expect(reading.texts[0] == #"{"id":"A","etag":"x","n":1}"#)
        #expect(reading.rejections.map(\.line) == [2, 0])
        #expect(reading.rejections[1].reason.contains("'C'"))
        #expect("\(reading.rejections[1])".hasPrefix("\(path): removes"))
        let versions = try await SourceReading(source, .versions)
        #expect(versions.ids == reading.ids && versions.entries.allSatisfy { $0.json == nil })
        #expect(versions.entries.map(\.version) == reading.entries.map(\.version))
    }

    @Test func `All rejections are counted, although only the first ones are listed`() async throws {
        let path = try file("a.jsonl", String(repeating: "bad\n", count: 2_500) + "{\"id\":\"A\"}\n")
        let reader = try await FileSource(path, .jsonLines).reader(of: .documents, from: .beginning)
        var (rejected, named) = (0, 0)
        while let page = try await reader.next() {
            rejected += page.rejected
            named += page.rejections.count
        }
        #expect(rejected == 2_500 && named == 100)
    }

    @Test func `The columns of a table are identified by their titles`() async throws {
        let path = try file("a.csv", "url;title;at;place\nu1;\"a;b\";2020;r\nu2;;2021;\n")
        var options = FileSource.Options()
        (options.idKey, options.versionKey, options.routingKey) = ("url", "at", "place")
        options.delimiter = UInt8(ascii: ";")
        let reading = try await SourceReading(try FileSource(path, .csv, options))
        #expect(reading.ids == ["u1", "u2"] && reading.entries.map(\.version) == ["2020", "2021"])
        #expect(reading.entries.map { $0.routing?.text } == ["r", nil])
        #expect(reading.texts[0].contains(#""title":"a;b""#))
        let late = try file("b.csv", "Export, \"May\n\nurl;title\nu1;a\n")
        let address = try SourceAddress("csv:\(late)?skip-lines=2&id=url&delimiter=;")
        #expect(try await SourceReading(try SourceCatalog().open(address)).ids == ["u1"])
        let wrong = try SourceAddress("csv:\(late)?skip-lines=-1")
        #expect(throws: SourceError.self) { try SourceCatalog().open(wrong) }
    }

    @Test func `Data after the end of a compressed file is reported, unless it is all zeros`() async throws {
        let path = folder.path("a.jsonl.gz")
        let packed = try #require(GzipCompressor.compress(Array(String(repeating: "{\"id\":\"A\"}\n", count: 99).utf8)))
        for (rest, isNoted) in [([], false), ([UInt8](repeating: 0, count: 17), false), ([0, 0, 1], true)] {
            try Data(packed + rest).write(to: URL(filePath: path))
            let source = try FileSource(path, .jsonLines)
            let reading = try await SourceReading(source)
            #expect(reading.ids.count == 99 && reading.rejections.map(\.source) == (isNoted ? [path] : []))
            let again = try await SourceReading(source, from: reading.places.last ?? .beginning)
            #expect(again.ids.isEmpty && again.rejections == reading.rejections)
        }
    }

    @Test func `Reading can resume at the end of any page`() async throws {
        let path = try file("a.jsonl", (0..<3_500).map { "{\"id\":\"n\($0)\"}\n" }.joined())
        let source = try FileSource(path, .jsonLines)
        let whole = try await SourceReading(source)
        #expect(whole.places.count > 2)
        for place in whole.places { #expect(try await SourceReading.resumed(source, at: place) == whole.entries) }
    }

    @Test func `Reading does not resume in a file that was replaced`() async throws {
        let path = try file("a.jsonl", (0..<3_500).map { "{\"id\":\"n\($0)\"}\n" }.joined())
        let source = try FileSource(path, .jsonLines)
        let place = try #require(try await SourceReading(source).places.first)
        _ = try file("a.jsonl", (0..<3_500).map { "{\"id\":\"m\($0)\"}\n" }.joined())
        let error = await #expect(throws: SourceError.self) { try await SourceReading(source, from: place) }
        #expect(error?.code == .changed)
        for text in ["x", "1", "1:zz", "9999999999999999999999:00"] {
            let error = await #expect(throws: SourceError.self) {
                try await SourceReading(source, from: SourcePlace(rawValue: text))
            }
            #expect(error?.code == .changed)
        }
    }

    @Test func `An input that can't be opened is reported with the reason`() async throws {
        let missing = try FileSource(folder.path("no"), .jsonLines)
        #expect(await code(of: missing) == .missing)
        let table = try FileSource(try file("t.csv", "a,b\n1,2\n"), .csv)
        #expect(await code(of: table) == .unusable)
        let folder = try FileSource(self.folder.path("."), .jsonLines)
        #expect(await code(of: folder) == .unusable)
        var options = FileSource.Options()
        options.encoding = "windows-1253x"
        let error = #expect(throws: SourceError.self) { try FileSource("x", .csv, options) }
        #expect(error?.code == .invalidAddress)
    }

    private func code(of source: some DocumentSource) async -> SourceError.Code? {
        do throws(SourceError) {
            _ = try await source.reader(of: .documents, from: .beginning)
            return nil
        } catch {
            return error.code
        }
    }
}

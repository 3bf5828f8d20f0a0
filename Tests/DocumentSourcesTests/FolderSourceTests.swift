import ContentFeeding
import DocumentSources
import Foundation
import TestSupport
import Testing

struct FolderSourceTests {
    private let folder: TemporaryFolder
    private let root: String

    init() throws {
        folder = try TemporaryFolder()
        root = folder.path("site")
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    private func write(_ path: String, _ bytes: some Sequence<UInt8>) throws {
        let url = URL(filePath: root + "/" + path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }

    private func write(_ path: String, _ text: String = "text\n") throws { try write(path, text.utf8) }

    private func source(_ change: (inout FolderSource.Options) -> Void = { _ in }) throws -> FolderSource {
        var options = FolderSource.Options()
        change(&options)
        return try FolderSource(root, options)
    }

    private func members(_ json: [UInt8]?) throws -> [String: String] {
        let object = try JSONSerialization.jsonObject(with: Data(json ?? [])) as? [String: Any] ?? [:]
        return object.mapValues { ($0 as? [String])?.joined(separator: " ") ?? "\($0)" }
    }

    @Test func `Files are read in the order of their paths, regardless of their folders`() async throws {
        let paths = ["a-b", "a/x", "a/y/z", "a.b", "aa", "a0", "b", "Z", "ü/é", "a/y!"]
        for path in paths { try write(path) }
        try write(".hidden")
        try write("a/.git/config")
        let reading = try await SourceReading(try source())
        let sorted = paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        #expect(reading.ids == sorted && reading.rejections.isEmpty)
        #expect(try await SourceReading(try source(), .versions).ids == sorted)
    }

    @Test func `Reading can resume after any page`() async throws {
        for number in 0..<1_300 { try write("d\(number % 7)/e\(number % 3)/f\(number)") }
        let source = try source()
        let whole = try await SourceReading(source)
        #expect(whole.entries.count == 1_300 && whole.places.count > 2)
        for place in whole.places { #expect(try await SourceReading.resumed(source, at: place) == whole.entries) }
        // Files before the position, including those added since, are not read again; files after it are read.
        try write("d0/e0/a-new-one")
        try write("d6/z")
        let rest = try await SourceReading(source, from: whole.places[0])
        #expect(rest.ids.last == "d6/z" && rest.ids.count == whole.ids.count - 500 + 1)
    }

    @Test func `A page is converted to its title, text, links and metadata`() async throws {
        try write(
            "p.html",
            """
            <!DOCTYPE html><html lang=de><head><title> Ein
            Titel</title><meta name=Description content="Wo&uuml;r"><style>p { x: y }</style></head>
            <body><h1>Gr&uuml;n</h1>a<b>b</b> c<br>d<script>alert("</p>")</script><p>e&nbsp;f &lt;g&gt;
            <a href=" /x?a=1&amp;b=2 ">L</a><a href=#y>M</a><a href="JavaScript:z()">N</a><a href=/x?a=1&b=2>O</a>
            """
        )
        let reading = try await SourceReading(try source())
        let page = try members(reading.entries[0].json)
        #expect(page["title"] == "Ein Titel" && page["language"] == "de" && page["description"] == "Woür")
        #expect(page["body"] == "Grün\nab c\nd\ne\u{A0}f <g> LMNO")
        #expect(page["links"] == "/x?a=1&b=2")
        #expect(page["id"] == "p.html" && page["path"] == "p.html")
        #expect(page["sourceVersion"] == reading.entries[0].version)
    }

    @Test func `The encoding is either declared in the file or specified`() async throws {
        try write("bom.txt", [0xEF, 0xBB, 0xBF] + Array("ä".utf8))
        try write("utf16.txt", [0xFF, 0xFE, 0xE4, 0x00])
        try write("meta.html", Array("<meta charset='ISO-8859-1'><title>".utf8) + [0xE4, 0x80])
        try write(
            "equiv.html",
            Array("<meta http-equiv=x content='text/html; charset=windows-1252'><title>".utf8) + [0xE4]
        )
        let reading = try await SourceReading(try source())
        #expect(reading.rejections.isEmpty)
        #expect(try reading.entries.map { try members($0.json)["title"] ?? "" } == ["ä", "ä", "ä€", "ä"])
        try write("plain.txt", [0xE4])
        let given = try await SourceReading(try source { $0.encoding = "windows-1252" })
        #expect(try given.entries.contains { try members($0.json)["body"] == "ä" })
        let rejections = try await SourceReading(try source()).rejections
        #expect(rejections.map(\.source) == ["plain.txt"] && rejections[0].reason.contains("not UTF-8"))
    }

    @Test func `A JSON object is kept unchanged, with its ID and version`() async throws {
        try write("a.json", #"{ "x" : 1.50, "y": [ ] }"#)
        try write("b.json", #"{"id":"own","x":1}"#)
        let reading = try await SourceReading(try source())
        let versions = reading.entries.map { $0.version ?? "" }
        #expect(
            reading.texts == [
                #"{"id":"a.json","x":1.50,"y":[ ],"sourceVersion":"\#(versions[0])"}"#,
                #"{"id":"own","x":1,"sourceVersion":"\#(versions[1])"}"#,
            ]
        )
    }

    @Test(arguments: [#"{"n":{"$inc":1}}"#, #"{"p":[{"\u0024set":1}]}"#])
    func `A JSON object with an operator that would be stored is rejected`(json: String) async throws {
        try write("a.json", json)
        try write("b.json", #"{"price":"$inc","$inc":1}"#)
        let reading = try await SourceReading(try source())
        #expect(reading.ids == ["b.json"] && reading.rejections.map(\.source) == ["a.json"])
        #expect(reading.rejections.allSatisfy { $0.reason.contains("but only an update applies operators") })
    }

    @Test func `A file that can't be read is rejected with its path`() async throws {
        try write("a.json", "[1]")
        try write("b.json", #"{"x":1,"x":2}"#)
        try write("c.txt", [0x61, 0x00])
        try write("d.txt", [0xFF])
        try write("e.html", "<meta charset=klingon>")
        try write("f.html", Array("<meta charset=utf-8>".utf8) + [0xFF])
        try write("g.txt", String(repeating: "x", count: 2_000))
        try write("h.html", String(repeating: "<b>", count: 5_000))
        symlink("/etc/passwd", root + "/i.txt")
        symlink("nowhere", root + "/j.txt")
        symlink("/etc", root + "/k")
        mkfifo(root + "/m.txt", 0o600)
        symlink("m.txt", root + "/n.txt")
        mkfifo(root + "/other", 0o600)
        try write("ok.txt")
        symlink("ok.txt", root + "/l.txt")
        let reading = try await SourceReading(
            try source {
                $0.largestDocument = 1_500
                $0.patterns = ["*.*", "k"]
            }
        )
        #expect(reading.ids == ["l.txt", "ok.txt"])
        #expect(
            reading.rejections.map(\.source) == ["a.json", "b.json", "c.txt", "d.txt", "e.html", "f.html", "g.txt"]
                + ["h.html", "i.txt", "j.txt", "k", "m.txt", "n.txt"]
        )
        for (rejection, words) in zip(
            reading.rejections,
            ["object", "twice", "NUL", "UTF-8", "klingon", "UTF-8", "longer", "longer", "outside", "broken", "outside"]
                + ["a pipe", "a pipe"]
        ) { #expect(rejection.reason.contains(words), "\(rejection)") }
        let deep = try await SourceReading(try source { $0.patterns = ["h.html"] })
        #expect(deep.rejections[0].reason.contains("nested deeper than"))
    }

    @Test func `A link that may lead to a folder is reported, regardless of the patterns`() async throws {
        try write("a.txt")
        try write("moved/b/q.txt")
        symlink("../not-mounted", root + "/b")
        symlink("moved/b", root + "/c")
        let reading = try await SourceReading(try source { $0.patterns = ["**/*.txt"] }, .versions)
        #expect(reading.ids == ["a.txt", "moved/b/q.txt"] && reading.rejections.map(\.source) == ["b", "c"])
        for (rejection, words) in zip(reading.rejections, ["the link is broken", "points to another folder"]) {
            #expect(rejection.reason.contains(words), "\(rejection)")
        }
        // These patterns do not match anything below them.
        #expect(try await SourceReading(try source { $0.patterns = ["*.txt", "moved/**"] }).rejections.isEmpty)
    }

    @Test func `A name that is not UTF-8 is rejected if a pattern may match it`() async throws {
        let path =
            (root + "/n").utf8.map { CChar(bitPattern: $0) } + [CChar(bitPattern: 0xFF)] + ".txt".utf8.map { CChar($0) }
            + [0]
        let file = try #require(fopen(path, "w"))
        fclose(file)
        try write("a.txt")
        let reading = try await SourceReading(try source { $0.patterns = ["*.txt"] })
        #expect(reading.ids == ["a.txt"] && reading.rejections.map(\.source) == ["n\u{FFFD}.txt"])
        #expect(try await SourceReading(try source { $0.patterns = ["*.html"] }).rejections.isEmpty)
        #expect(try await SourceReading(source(), from: reading.places[0]).entries.isEmpty)
    }

    @Test func `A file that disappears or is locked during reading is rejected`() async throws {
        for number in 0..<600 { try write(String(format: "f%03d", number)) }
        try write("z/a")
        let reader = try await source().reader(of: .documents, from: .beginning)
        let first = try #require(try await reader.next())
        #expect(first.entries.count == 500)
        try FileManager.default.removeItem(atPath: root + "/f550")
        try FileManager.default.removeItem(atPath: root + "/z")
        try FileManager.default.removeItem(atPath: root + "/f560")
        symlink("/etc/passwd", root + "/f560")
        var (entries, rejections) = (0, [InputRejection]())
        while let page = try await reader.next() {
            entries += page.entries.count
            rejections += page.rejections
        }
        #expect(rejections.map(\.source) == ["f550", "f560", "z"])
        #expect(entries == 98)
    }

    @Test func `The ID of a file is its path, its name, or an address`() async throws {
        try write("a b/ü.txt")
        #expect(try await SourceReading(try source { $0.identity = .name }).ids == ["ü.txt"])
        let url = try source {
            $0.identity = .url
            $0.base = "https://a.org/"
        }
        #expect(try await SourceReading(url).ids == ["https://a.org/a%20b/%C3%BC.txt"])
        #expect(!url.traits.isOrdered)
        #expect(try source().traits.isOrdered)
        #expect(throws: SourceError.self) { try source { $0.identity = .url } }
    }

    @Test func `The version of a file changes with its time, its size, or its bytes`() async throws {
        try write("a.txt", "one")
        let modified = try await SourceReading(try source(), .versions).entries[0].version
        let digest = try await SourceReading(try source { $0.version = .digest }, .versions).entries[0].version
        #expect(digest == "sha256-7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed")
        utimes(
            root + "/a.txt",
            [timeval(tv_sec: 951_782_400, tv_usec: 500_000), timeval(tv_sec: 951_782_400, tv_usec: 500_000)]
        )
        let later = try await SourceReading(try source()).entries[0].version
        #expect(later == "2000-02-29T00:00:00.500000000Z 3" && later != modified)
        #expect(try await SourceReading(try source { $0.version = .digest }).entries[0].version == digest)
    }

    @Test func `A path that is not a folder is reported`() async throws {
        for (path, code) in [("no", SourceError.Code.missing), ("file", .unusable)] {
            try Data().write(to: URL(filePath: folder.path("file")))
            let source = try FolderSource(folder.path(path))
            let error = await #expect(throws: SourceError.self) {
                try await source.reader(of: .documents, from: .beginning)
            }
            #expect(error?.code == code)
            #expect(error?.advice?.hasPrefix("check the path") == (code == .missing ? true : nil))
        }
    }

    @Test func `Folders below the depth limit are not entered, but reported`() async throws {
        try write(Array(repeating: "d", count: 70).joined(separator: "/") + "/f")
        try write("e")
        let reading = try await SourceReading(try source())
        #expect(reading.ids == ["e"] && reading.rejections.count == 1)
        #expect(reading.rejections[0].reason.contains("more than 64 levels deep"))
    }
}

import ContentFeeding
import EngineSQLite
import Foundation
import Glibc
import TestSupport
import Testing
import Threads

/// The sample packages, built and run as described in their first lines.
struct SamplePackageTests {
    @Test func `Every library has a sample`() throws {
        let manifest = try String(contentsOf: samples.appending(path: "../Package.swift"), encoding: .utf8)
        let products = manifest.matches(of: /\.library\(name: "(\w+)"/).map { String($0.1) }
        let used = try packages().map { name in
            try String(contentsOf: samples.appending(path: "\(name)/Package.swift"), encoding: .utf8)
        }.joined()
        #expect(!products.isEmpty)
        for product in products { #expect(used.contains("\"\(product)\""), "\(product) is in no sample") }
    }

    /// All samples share one build folder, so their common parts are built once.
    @Test func `Each sample works as documented`() async throws {
        let folder = try TemporaryFolder()
        let store = folder.path("items.sqlite")
        try await fill(store, with: ["ID1", "ID2", "ID4"])
        try "URL,Title\nID5,one\n,no ID\nFAKEID,two\n".write(
            toFile: folder.path("stale.csv"),
            atomically: true,
            encoding: .utf8
        )
        let guarded = folder.path("guarded.sqlite")
        try await fill(guarded, with: (1...400).map { try DocumentID("d\($0)") })
        let programme = folder.path("programme.sqlite")
        try await fillProgramme(programme)
        let log = samples.appending(path: "owssvr-aspnet-tracing")
        let runs = [
            Run("RemoveItems", [store, "WebCollection", "ID1", "ID2", "FAKEID", "ID4"], code: 1, Self.removeItems),
            Run("FirstFeeder", [folder.path("first.sqlite")], Self.firstFeeder),
            Run("CopyCollection", [folder.path("origin.sqlite"), folder.path("copy.sqlite")], Self.copyCollection),
            Run("RemoveFromTable", [store, "WebCollection", folder.path("stale.csv")], Self.removeFromTable),
            Run("ResumeJob", [folder.path("jobs")], Self.resumeJob),
            Run("GuardedRemoval", [guarded, "WebCollection", "d1", "d2"], "settled: 2\nremoved: 2, added: 0\n"),
            Run("ListCollections", ["sqlite:" + store], "WebCollection: 0 documents\n"),
            Run("TestAFeeder", [], Self.testAFeeder),
            Run("WorstEvents", [log.appending(path: "TEST-SP-20110926-1039.log").path], Self.worstEvents),
            Run("ConfigSettings", [log.appending(path: "tracing-on/web.config").path], Self.configSettings),
            Run("SpeakEasy", [programme, "presenter", "grace"], Self.speakEasy),
            Run("OwnRule", [log.appending(path: "TEST-SP-20110926-1039.log").path], Self.ownRule),
        ]
        #expect(try Set(runs.map(\.name) + ["FeedingService", "LiveList"]) == Set(packages()))

        for sample in runs {
            try await build(sample.name, in: folder)
            let ran = try await run([folder.path("samples/\(sample.name)")] + sample.arguments, in: folder)
            #expect(ran.code == sample.code, "\(sample.name)")
            #expect(ran.output == sample.output, "\(sample.name)")
        }
        try await killAndUndo(folder.path("samples/GuardedRemoval"), guarded, in: folder)
        try await build("FeedingService", in: folder)
        try await stopAndServe(folder.path("samples/FeedingService"), in: folder)
        try await build("LiveList", in: folder)
        try await follow(folder.path("samples/LiveList"), in: folder)
    }

    /// Builds a sample from scratch, as a new user would; `FASTCTL_SAMPLE_FLAGS` may select the folder of the tests'
    /// own build instead, whose modules need not be compiled again.
    private func build(_ name: String, in folder: TemporaryFolder) async throws {
        let own = """
            --scratch-path \(folder.path("build")) --disable-index-store -debug-info-format none \
            -Xswiftc -wmo -Xswiftc -no-emit-module-separately-wmo -Xswiftc -num-threads -Xswiftc 2 \
            -Xswiftc -use-ld=lld
            """
        let flags = ProcessInfo.processInfo.environment["FASTCTL_SAMPLE_FLAGS"] ?? own
        let command =
            ["swift", "build", "--package-path", samples.appending(path: name).path]
            + flags.split(separator: " ").map(String.init)
        let build = try await run(command, in: folder)
        try #require(build.code == 0, "\(build.output)")
        let places = try await run(command + ["--show-bin-path"], in: folder)
        let place = places.output.split(separator: "\n").last.map(String.init) ?? ""
        try FileManager.default.createDirectory(atPath: folder.path("samples"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: place + "/" + name, toPath: folder.path("samples/" + name))
    }

    /// Lists the documents of a content distributor, and then those that another client adds.
    private func follow(_ program: String, in folder: TemporaryFolder) async throws {
        let fastctl = try #require(ChildProgram.fastctl)
        try await fill(folder.path("listed.sqlite"), with: [])
        let settings = """
            listen: 127.0.0.1:0
            state: \(folder.path("state"))
            target: sqlite:\(folder.path("listed.sqlite"))
            collections: {WebCollection: {read: everyone, insert: everyone, update: everyone}}

            """
        try settings.write(toFile: folder.path("list.yaml"), atomically: true, encoding: .utf8)
        let log = open(folder.path("server.txt"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { close(log) }
        let binary = fastctl.deletingLastPathComponent().appending(path: "content-distributor").path
        let server = try ChildProgram(binary, ["run", folder.path("list.yaml")], output: log, errors: log)
        var url = ""
        for _ in 0..<500 where url.isEmpty {
            try await Task.sleep(for: .milliseconds(20))
            let text = try String(contentsOfFile: folder.path("server.txt"), encoding: .utf8)
            url = text.firstMatch(of: /listening on (\S+)/).map { String($0.1) } ?? ""
        }
        var isAdded = false
        let command = ["/bin/bash", "-c", #"exec "$0" "$1" WebCollection < <(echo; exec sleep 60)"#, program, url]
        let listed = try await serve(command, in: folder) {
            let text = try String(contentsOfFile: folder.path("served.txt"), encoding: .utf8)
            if text.hasPrefix("0:"), !isAdded {
                isAdded = true
                let document = url + "/v1/collections/WebCollection/documents/a"
                _ = try await run(["curl", "-sS", "-X", "PUT", document, "--data", #"{"title":"x"}"#], in: folder)
            }
            return text.contains("\n1: ")
        }
        #expect(listed.output == "0: \n1: {\"title\":\"x\"}\n", "\(listed.output)")
        kill(server.process, SIGTERM)
        #expect(await onOwnThread { server.wait() } == 0)
    }

    /// Stops a server in the middle of a file, and lets the next server feed the rest, and a file with a bad line.
    private func stopAndServe(_ program: String, in folder: TemporaryFolder) async throws {
        let (store, inbox) = (folder.path("served.sqlite"), folder.path("inbox"))
        try await fill(store, with: [])
        try FileManager.default.createDirectory(atPath: inbox, withIntermediateDirectories: true)
        let lines = (1...5000).map { "{\"id\":\"d\($0)\"}\n" }.joined()
        try lines.write(toFile: inbox + "/a.jsonl", atomically: true, encoding: .utf8)

        let stopped = try await serve([program, store, "WebCollection", inbox], in: folder) {
            // At its rate, most of the file is still open when the first documents have arrived.
            try await documents(in: store).count > 0
        }
        #expect(stopped.code == 0)
        #expect(stopped.output.hasSuffix(" open\nstopped\n"))
        #expect(!stopped.output.contains(", 0 open"))
        #expect(!FileManager.default.fileExists(atPath: inbox + "/a.jsonl.done"))

        try "{\"id\":\"e\"}\nno\n".write(toFile: inbox + "/b.jsonl", atomically: true, encoding: .utf8)
        let served = try await serve([program, store, "WebCollection", inbox], in: folder) {
            FileManager.default.fileExists(atPath: inbox + "/b.jsonl.done")
        }
        #expect(served.code == 0)
        #expect(served.output.hasPrefix("resuming job "))
        #expect(served.output.contains("\na.jsonl: 5000 added, 0 failed, 0 open\n"))
        #expect(served.output.hasSuffix("\nb.jsonl: 1 added, 0 failed, 0 open\nstopped\n"))
        #expect(try String(contentsOfFile: inbox + "/b.jsonl.failed", encoding: .utf8) == "no\n")
        #expect(FileManager.default.fileExists(atPath: inbox + "/a.jsonl.done"))
    }

    /// Runs a server until a condition is true, for at most a minute, then ends it with SIGTERM; returns its exit code
    /// and its output.
    private func serve(
        _ command: [String],
        in folder: TemporaryFolder,
        until isSo: () async throws -> Bool
    ) async throws -> (code: Int32, output: String) {
        let path = folder.path("served.txt")
        let output = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { close(output) }
        let program = try ChildProgram(command[0], Array(command.dropFirst()), output: output, errors: output)
        let end = ContinuousClock.now + .seconds(60)
        while try await !isSo(), ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(20)) }
        kill(program.process, SIGTERM)
        let code = await onOwnThread { program.wait() }
        return (code, try String(contentsOfFile: path, encoding: .utf8))
    }

    /// Kills a removal after its first response, resumes it, and undoes it.
    private func killAndUndo(_ program: String, _ store: String, in folder: TemporaryFolder) async throws {
        let call = [store, "WebCollection"] + (3...400).map { "d\($0)" }
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let first = try ChildProgram(program, call, output: ends[1], errors: ends[1])
        close(ends[1])
        // Its rate holds back the other batches until one is settled.
        let line = await onOwnThread { [end = ends[0]] in FileHandle(fileDescriptor: end).availableData }
        #expect(String(decoding: line, as: UTF8.self).hasPrefix("settled: "))
        kill(first.process, SIGKILL)
        #expect(await onOwnThread { first.wait() } == 128 + SIGKILL)
        close(ends[0])

        let second = try await run([program] + call, in: folder)
        #expect(second.output.hasPrefix("resuming job "))
        #expect(second.output.hasSuffix("\nremoved: 398, added: 0\n"))
        #expect(second.code == 0)
        #expect(try await documents(in: store).isEmpty)
        let all = Dictionary(uniqueKeysWithValues: (3...400).map { ("d\($0)", "{\"id\":\"d\($0)\"}") })
        #expect(try saved(beside: store, in: folder) == all)

        let undone = try await run([program, store, "WebCollection", "undo"], in: folder)
        #expect(undone.output.hasSuffix("\nremoved: 0, added: 398\n"))
        #expect(undone.code == 0)
        #expect(try await documents(in: store) == all)
    }

    /// Returns the documents in the backups next to a store, by their IDs, except those of the first call, which
    /// removed two.
    ///
    /// The killed run and the next one may both have saved a document, and the last line of the killed one may be
    /// incomplete.
    private func saved(beside store: String, in folder: TemporaryFolder) throws -> [String: String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(""))
        let backups = names.map { folder.path($0) }.filter { $0.hasPrefix(store) && $0.contains(".backup.jsonl") }
        let text = try backups.map { try String(contentsOfFile: $0, encoding: .utf8) }.joined(separator: "\n")
        let lines = text.matches(of: /"id":"(d\d+)".*"document":(\{.*\})\}\n/)
        var documents: [String: String] = [:]
        for (_, id, document) in lines.map(\.output) where id != "d1" && id != "d2" {
            let earlier = documents.updateValue(String(document), forKey: String(id))
            #expect(earlier == nil || earlier == String(document))
        }
        return documents
    }

    /// Returns the documents of a store's collection, by their IDs.
    private func documents(in path: String) async throws -> [String: String] {
        let collection = try await SQLiteEngine.open(path: path).collection(named: "WebCollection")
        let ids = try (1...400).map { try DocumentID("d\($0)") }
        let page = try await collection.get(ids[...], maximumBytes: .max)
        return Dictionary(
            uniqueKeysWithValues: page.documents.map { ($0.id.text, String(decoding: $0.json, as: UTF8.self)) }
        )
    }

    private func packages() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: samples.path).filter { name in
            FileManager.default.fileExists(atPath: samples.appending(path: "\(name)/Package.swift").path)
        }
    }

    private func fill(_ path: String, with ids: [DocumentID]) async throws {
        let store = try await SQLiteEngine.create(path: path)
        try await store.create("WebCollection", settings: [])
        let feeder = DocumentFeeder(engine: try await store.collection(named: "WebCollection"))
        for id in ids { try await feeder.addDocument(Document(id: id, ["id": id.text])) }
        let status = await feeder.close()
        #expect(status.counts.added == ids.count)
    }

    /// Fills a store with SpeakEasy's program, as if it came from its tables; `make demo-speakeasy` uses this store.
    private func fillProgramme(_ path: String) async throws {
        let data = samples.appending(path: "SpeakEasy/data")
        let store = try await SQLiteEngine.create(path: path)
        for name in ["events", "presenters"] {
            try await store.create(CollectionName(name), settings: [])
            let feeder = DocumentFeeder(engine: try await store.collection(named: CollectionName(name)))
            for line in try String(contentsOf: data.appending(path: "\(name).jsonl"), encoding: .utf8).split(
                separator: "\n"
            ) {
                var entity = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
                entity["id"] = entity["RowKey"]
                let id = try #require(entity["id"] as? String)
                let json = try JSONSerialization.data(withJSONObject: entity)
                try await feeder.addDocument(Document(id: DocumentID(id), json: Array(json)))
            }
            await feeder.close()
        }
        try await store.create("pictures", settings: [])
    }

    /// Runs a command without blocking a thread, and collects its output to both streams.
    private func run(_ command: [String], in folder: TemporaryFolder) async throws -> (code: Int32, output: String) {
        let path = folder.path("output.txt")
        let output = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { close(output) }
        let program = try ChildProgram(command[0], Array(command.dropFirst()), output: output, errors: output)
        let code = await onOwnThread { program.wait() }
        return (code, try String(contentsOfFile: path, encoding: .utf8))
    }
}

/// A sample, its command line, and its output.
private struct Run {
    let name: String
    let arguments: [String]
    let code: Int32
    let output: String

    init(_ name: String, _ arguments: [String], code: Int32 = 0, _ output: String) {
        (self.name, self.arguments, self.code, self.output) = (name, arguments, code, output)
    }
}

extension SamplePackageTests {
    private static let removeItems = """
        Removing item 'ID1'. Operation ID: 1
        Removing item 'ID2'. Operation ID: 2
        Removing item 'FAKEID'. Operation ID: 3
        Removing item 'ID4'. Operation ID: 4
        Total Errors: 1
        Operation ID: 3 Document ID: FAKEID Error Code: 3 Description: Document \
        e14c677abdbd9678dbfe1e5580de9aef_WebCollection does not exist

        """

    private static let firstFeeder = """
        added: 2, missing: 1
        Operation ID: 3 Document ID: FAKEID Warning Code: 3 Description: Document \
        e14c677abdbd9678dbfe1e5580de9aef_WebCollection does not exist
        ID2

        """

    private static let copyCollection = """
        pulled: 2
        waiting: 1
        at the origin: 3

        """

    private static let removeFromTable = """
        removed: 0
        line 3: the document ID is empty; use a non-empty ID or remove the record
        Operation ID: 1 Document ID: ID5 Error Code: 3 Description: Document \
        5b8e2fd648a621e14c1fb36a7774cc4a_WebCollection does not exist
        Operation ID: 2 Document ID: FAKEID Error Code: 3 Description: Document \
        e14c677abdbd9678dbfe1e5580de9aef_WebCollection does not exist

        """

    private static let resumeJob = """
        run 1: 0 removed, 3 open
        run 2: 3 removed, 0 open

        """

    private static let testAFeeder = """
        removed: 2, left: 0, batches: 2
        the engine fulfills the contract

        """

    private static let worstEvents = #"""
        2011-09-26T10:39:40.69 High "Failed to open the file \'C:\\Program Files\\Common Files\\Micro"
        2011-09-26T10:39:40.69 High "#20015: Cannot open \"\": no such file or folder."
        2011-09-26T10:39:40.69 High "(#2: Cannot open \"\": no such file or folder.)"
        2011-09-26T10:39:40.69 High "Failed to read resource file \"C:\\Program Files\\Common Files\\"
        2011-09-26T10:39:40.69 High "Failed to open the file \'C:\\Program Files\\Common Files\\Micro"
        2011-09-26T10:39:40.69 High "#20015: Cannot open \"\": no such file or folder."
        2011-09-26T10:39:40.69 High "(#2: Cannot open \"\": no such file or folder.)"
        2011-09-26T10:39:40.69 High "Failed to read resource file \"C:\\Program Files\\Common Files\\"
        4641 bytes, 0 lines not understood

        """#

    private static let configSettings = """
        line 8: ASP.NET tracing = true
        line 8: trace output on pages = false
        line 8: trace viewer on the server only = true
        line 10: debug compilation = false
        line 9: custom errors = On
        line 4: call stack on error pages = false

        """

    private static let speakEasy = """
        Grace Brewster, Rear admiral, retired
          2031-05-14 12:00  Compilers at noon (Harbour hall)
          2031-06-30 10:00  Wires and seconds (Harbour hall)
          no picture

        """

    private static let ownRule = """
        FS0101 error: The log shows the effect of ASP.NET tracing on requests. Pass the web.config with --web-config \
        to see the file and line.
        FS5001 warning: 4 rows name a resource file

        """
}

/// The claims of the READMEs and `make demo` about the sample collection.
struct WebCollectionTests {
    private struct Page: Decodable {
        let id: String
        let title: String
        let body: String
    }

    private let folder = samples.appending(path: "web-collection")

    private func lines(of name: String) throws -> [String] {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8).split(separator: "\n").map(String.init)
    }

    private func pages() throws -> [Page] {
        try lines(of: "documents.jsonl").map { try JSONDecoder().decode(Page.self, from: Data($0.utf8)) }
    }

    @Test func `Every document has a unique ID and searchable text`() throws {
        let pages = try pages()
        #expect(pages.count == 311)
        #expect(Set(pages.map(\.id)).count == pages.count)
        #expect(pages.allSatisfy { !$0.title.isEmpty && !$0.body.isEmpty })
    }

    @Test func `A search for superheavy elements has fifteen results`() throws {
        #expect(try pages().count { $0.body.contains("superheavy") } == 15)
    }

    @Test func `One of the IDs in the list has a typo`() throws {
        let known = Set(try pages().map(\.id))
        let unknown = try lines(of: "ids.txt").filter { !known.contains($0) }
        #expect(unknown == ["https://atlas.example/elements/coppernicium"])
    }
}

/// The folder of the samples.
let samples = URL(filePath: #filePath).appending(path: "../../../Samples").standardized

import ContentFeeding
import DocumentSources
import Foundation
import JSONText
import Reconciliation
import TestSupport
import Testing

/// Plans that are written, read, damaged, and created from differences.
struct PlanTests {
    private let folder: TemporaryFolder
    private let header = PlanHeader(
        command: "reconcile",
        createdAt: "2026-11-23T10:00:00.000Z",
        context: nil,
        target: "sqlite:/a\n",
        collection: "web",
        state: CollectionState(
            identity: "i",
            parts: [CollectionPart(name: "rows", history: "h", last: 7, readable: 7)],
            contents: "3"
        )
    )

    init() throws { folder = try TemporaryFolder() }

    private var path: String { folder.path("plan") }

    private static func operations() -> [PlannedOperation] {
        let text = Array("{\"a\":\n \"\u{2028}\\\"\"}".utf8)
        return [
            .add(Document(id: "A\n\"", json: text, routing: Routing("r")), replacing: nil, .missing),
            .add(Document(id: "B", json: Array("{}".utf8)), replacing: DocumentVersion(rawValue: "1:2"), .stale),
            .remove(DocumentKey("C", routing: Routing("é")), DocumentVersion(rawValue: "9"), .orphaned),
        ]
    }

    private func write(_ operations: [PlannedOperation] = Self.operations()) throws {
        let writer = try PlanWriter(path)
        try writer.begin(header)
        for operation in operations { try writer.append(operation) }
        try writer.finish()
    }

    private func read(_ plan: PlanFile, limit: Int = 1) throws -> [ContentOperation] {
        var (found, place): ([ContentOperation], Int) = ([], 0)
        while let page = try plan.next(from: place, limit: limit, maximumBytes: 1 << 20) {
            found += page.operations
            place = page.end
        }
        return found
    }

    @Test func `A plan is read back as it was written`() throws {
        try write()
        let plan = try PlanFile(path, allowsEdits: false)
        #expect(plan.header == header && !plan.isEdited)
        #expect(plan.tally.additions == 2 && plan.tally.removals == 1)
        let found = try read(plan)
        let written = Self.operations().map(\.operation)
        #expect(found.map(\.key) == written.map(\.key) && found.map(\.condition) == written.map(\.condition))
        #expect(found.map(\.kind) == written.map(\.kind))
        #expect(try JSONDifference(from: found[0].json, to: written[0].json).isEmpty)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    }

    @Test func `An empty plan is a valid plan`() throws {
        try write([])
        #expect(try read(try PlanFile(path, allowsEdits: false)).isEmpty)
    }

    @Test func `A truncated plan is refused, whether or not edits are allowed`() throws {
        try write()
        let bytes = try Data(contentsOf: URL(filePath: path))
        for count in 0..<bytes.count - 1 {
            try bytes.prefix(count).write(to: URL(filePath: path))
            for allowsEdits in [false, true] {
                #expect(throws: PlanError.self, "\(count) bytes") { _ = try PlanFile(path, allowsEdits: allowsEdits) }
            }
        }
    }

    @Test func `A plan that was changed is refused, unless its owner allows edits and its lines are valid`() throws {
        try write()
        let bytes = try Data(contentsOf: URL(filePath: path))
        for place in bytes.indices.dropLast() {
            var other = bytes
            other[place] ^= 1
            try other.write(to: URL(filePath: path))
            #expect(throws: PlanError.self, "byte \(place)") { _ = try PlanFile(path, allowsEdits: false) }
        }
    }

    @Test func `The error for a changed plan shows its counts before and after the change`() throws {
        try write(["a", "b"].map { .remove(DocumentKey($0), DocumentVersion(rawValue: "1"), .orphaned) })
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        try (lines.prefix(2) + lines.suffix(1)).joined(separator: "\n").appending("\n")
            .write(toFile: path, atomically: false, encoding: .utf8)
        let error = try #require(throws: PlanError.self) { try PlanFile(path, allowsEdits: false) }
        #expect(error.message.hasSuffix("it now has 0 additions and 1 removal, and had 0 additions and 2 removals"))
    }

    @Test func `Lines can be removed from a plan intentionally`() throws {
        try write()
        var lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        lines.remove(at: 2)
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: path))
        #expect(throws: PlanError.self) { _ = try PlanFile(path, allowsEdits: false) }
        let plan = try PlanFile(path, allowsEdits: true)
        #expect(plan.isEdited && plan.tally.additions == 1)
        #expect(try read(plan).map(\.documentID) == ["A\n\"", "C"])
    }

    @Test(arguments: [
        #"{"remove":"A","why":"orphaned","version":null}"#, #"{"remove":"A","why":"orphaned"}"#,
        #"{"add":"A","why":"missing","version":null}"#, #"{"add":"A","why":"x","version":null,"document":{}}"#,
        #"{"add":"A","why":"missing","version":null,"document":[]}"#, #"{"why":"missing"}"#, "null", "{",
        #"{"remove":"","why":"orphaned","version":"1"}"#, #"{"remove":"A","why":"orphaned","version":1}"#,
        #"{"add":"A","remove":"A","why":"orphaned","version":"1","document":{}}"#,
        #"{"remove":"A","why":"orphaned","version":"1","force":true}"#,
        #"{"remove":"A","remove":"B","why":"orphaned","version":"1"}"#,
    ])
    func `A line that does not belong in a plan is refused, even if edits are allowed`(line: String) throws {
        try write()
        var lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
        lines.insert(line, at: 2)
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: path))
        #expect { _ = try PlanFile(path, allowsEdits: true) } throws: { error in
            (error as? PlanError)?.code == .malformed && "\(error)".contains(":3:")
        }
    }

    @Test func `A file that does not contain a plan is refused`() throws {
        #expect { _ = try PlanFile(folder.path("none"), allowsEdits: true) } throws: { error in
            (error as? PlanError)?.code == .cannotOpen
        }
        #expect { _ = try PlanFile(folder.path("."), allowsEdits: true) } throws: { error in
            (error as? PlanError)?.code == .cannotOpen
        }
        try Data("{\"schema\":\"fastctl.document/1\"}\n".utf8).write(to: URL(filePath: path))
        #expect { _ = try PlanFile(path, allowsEdits: true) } throws: { error in
            (error as? PlanError)?.code == .malformed
        }
    }

    // MARK: Plans of drifts

    private static func entry(_ id: String, _ value: Int) throws -> SourceEntry {
        SourceEntry(id: try DocumentID(id), json: Array(#"{"v":\#(value)}"#.utf8))
    }

    /// Plans the operations that make the collection equal to the source, with so little memory that the source has to
    /// be read several times.
    private func plan(
        _ source: ListSource,
        _ collection: ListCollection,
        _ kinds: Set<Difference.Kind> = [.missing, .stale, .orphaned]
    ) async throws -> (operations: [ContentOperation], leftOut: Planner.LeftOut) {
        let basis = VersionBasis.content(ContentFingerprint(idKeys: ["id"]))
        let space = SpillSpace(in: folder.path("."), maximumBytes: 1 << 30)
        let progress = ReconciliationProgress()
        let drift = try await Reconciler(source, collection, by: basis, in: space, progress: progress).read()
        let counts = try await drift.forEach(of: kinds) { _ in }
        let writer = try PlanWriter(path)
        try writer.begin(header)
        let planner = Planner(source, collection, by: basis, drift.sides, memory: 40, progress: progress)
        let leftOut = try await planner.write(kinds, to: writer, expecting: counts)
        try writer.finish()
        guard case .planning(let share) = progress.stage else {
            throw SourceError(.unusable, "a plan was written, and the progress says \(progress.stage)")
        }
        #expect(share.total > 0 && share.done == share.total)
        return (try read(try PlanFile(path, allowsEdits: false)), leftOut)
    }

    private func drifted() throws -> (ListSource, ListCollection) {
        let collection = ListCollection()
        for number in 0..<10 { collection.put(try DocumentID("n\(number)"), #"{"v":0}"#) }
        // The first two are orphaned, the next two stale, and the last four missing.
        let entries = try (2..<14).map { try Self.entry("n\($0)", $0 < 4 ? 1 : 0) }
        return (ListSource(entries: entries), collection)
    }

    @Test func `A plan contains each operation once, on the condition that the document has not changed since`()
        async throws
    {
        let (source, collection) = try drifted()
        let (operations, leftOut) = try await plan(source, collection)
        let added = operations.filter { $0.kind == .add }
        #expect(Set(added.map(\.documentID)) == ["n2", "n3", "n10", "n11", "n12", "n13"])
        #expect(operations.filter { $0.kind == .remove }.map(\.documentID) == ["n0", "n1"])
        #expect(operations.last?.condition == .unchanged(DocumentVersion(rawValue: "2")))
        #expect(added.first { $0.documentID == "n2" }?.condition == .unchanged(DocumentVersion(rawValue: "3")))
        #expect(added.first { $0.documentID == "n12" }?.condition == .absent)
        #expect(leftOut == Planner.LeftOut())
    }

    @Test func `Only the requested kinds are planned`() async throws {
        let (source, collection) = try drifted()
        #expect(try await plan(source, collection, [.orphaned]).operations.map(\.documentID) == ["n0", "n1"])
        #expect(try await plan(source, collection, [.stale]).operations.map(\.documentID) == ["n2", "n3"])
    }

    @Test func `Documents of the collection that can't be read are omitted and named, and all others are planned`()
        async throws
    {
        let (source, collection) = try drifted()
        for id in ["n1", "n3", "n5"] as [DocumentID] { collection.spoil(id) }
        let (operations, leftOut) = try await plan(source, collection)
        let added = Set(operations.filter { $0.kind == .add }.map(\.documentID))
        #expect(added == ["n2", "n10", "n11", "n12", "n13"])
        #expect(operations.filter { $0.kind == .remove }.map(\.documentID) == ["n0"])
        // An unreadable document equals no document of the source, even if it did before.
        #expect(leftOut.unreadable == 3)
        #expect(Set(leftOut.namedUnreadable.map(\.key.id)) == ["n1", "n3", "n5"])
        #expect(leftOut.namedUnreadable.allSatisfy { $0.bytes.isEmpty && $0.reason == "a comment" })
    }

    @Test func `Documents changed or removed in the source in the meantime are omitted`() async throws {
        var (source, collection) = try drifted()
        // Entries are compared by their versions; their documents are read later.
        source.traits.versionKey = "v"
        source.entries = source.entries.map {
            SourceEntry(id: $0.id, version: $0.id == "n2" ? "1" : "0", json: $0.json)
        }
        source.later = source.entries.compactMap { entry in
            switch entry.id {
            case "n10": SourceEntry(id: entry.id, version: "5", json: entry.json)
            case "n11": nil
            default: entry
            }
        }
        let space = SpillSpace(in: folder.path("."), maximumBytes: 1 << 30)
        let basis = VersionBasis.key("v", ContentFingerprint())
        let drift = try await Reconciler(source, collection, by: basis, in: space).read()
        let writer = try PlanWriter(path)
        try writer.begin(header)
        let leftOut = try await Planner(source, collection, by: basis, drift.sides).write([.missing], to: writer)
        try writer.finish()
        #expect(try read(try PlanFile(path, allowsEdits: false)).map(\.documentID) == ["n12", "n13"])
        #expect(leftOut.changed == 1 && leftOut.vanished == 1)
    }

    @Test func `If a source fails when it is read again, no plan is written`() async throws {
        var (source, collection) = try drifted()
        source.traits.versionKey = "v"
        source.fault = nil
        let space = SpillSpace(in: folder.path("."), maximumBytes: 1 << 30)
        let drift = try await Reconciler(source, collection, by: .id, in: space).read()
        source.fault = .dies(page: 1)
        do {
            let writer = try PlanWriter(path)
            try writer.begin(header)
            await #expect(throws: SourceError.self) {
                _ = try await Planner(source, collection, by: .id, drift.sides).write([.missing], to: writer)
            }
        }
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")).isEmpty)
    }
}

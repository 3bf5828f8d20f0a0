import ContentFeeding
import EngineSQLite
import Foundation
import JobJournal
import TestSupport
import Testing

/// The effects of disks and permissions on a store; these tests require the right to mount, which root has.
@Suite(.serialized, .enabled(if: SmallDisk.isPermitted, "needs root and the right to mount a tmpfs"))
struct HardDiskTests {
    @Test func `A full disk stops the job, and no data is lost`() async throws {
        let disk = try SmallDisk(size: "2m")
        defer { disk.remove() }
        let store = try await TestStore(at: disk.path("store.sqlite"), in: disk.folder)
        let claim = try await store.engine.claim()
        let text = String(repeating: "lorem ipsum ", count: 300)
        var added = 0
        var failure: BatchFailure?
        while failure == nil, added < 10_000 {
            let operations = (0..<20).map {
                ContentOperation.add(document("\(added + $0)", #"{"t":"\#(text)"}"#))
            }
            switch await store.collection.reply(to: operations, claim, from: UInt64(added + 1)) {
            case .results(let results): added += results.count
            case .failed(let found): failure = found
            }
        }
        #expect(failure?.kind == .stop(.diskFull), "\(String(describing: failure))")
        #expect(failure?.failure.message.contains(store.path) == true)
        #expect(added > 0)
        #expect(try await store.collection.count() == added)

        // The earlier documents still exist for other processes as well, and can be read and, in small batches,
        // removed.
        let engine = try await SQLiteEngine.open(path: store.path)
        let collection = try await engine.collection(named: TestStore.name)
        let ids = (0..<added).map { DocumentID(stringLiteral: "\($0)") }
        #expect(try await collection.exists(ids).allSatisfy { $0 })
        let job = try #require(try await engine.jobs.jobs().first)
        #expect(job.progress.lowestUnsettled == OperationID(rawValue: UInt64(added + 1)))
        #expect(job.counts[.added] == added)
    }

    @Test func `A store on a read-only disk can be read`() async throws {
        let disk = try SmallDisk(size: "8m")
        defer { disk.remove() }
        do {
            let store = try await TestStore(at: disk.path("store.sqlite"), in: disk.folder)
            try await store.collection.apply([.add(document("a", #"{"t":"word"}"#))])
            // A checkpoint leaves nothing in the log.
            _ = try await store.engine.optimize(TestStore.name) { _, _ in }
        }
        try disk.remount("ro")
        let engine = try await SQLiteEngine.open(path: disk.path("store.sqlite"))
        let collection = try await engine.collection(named: TestStore.name)
        #expect(try await collection.find(SearchQuery(words: ["word"]), after: nil).documents.map(\.id) == ["a"])
        let failure = try #require(await collection.reply(to: [.remove("a")]).failure)
        #expect(failure.kind == .stop(.permission))
        #expect(failure.failure.message.contains(disk.path("store.sqlite")))
        try disk.remount("rw")
    }

    @Test func `Missing permissions are reported`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("store.sqlite")
        do {
            let engine = try await SQLiteEngine.create(path: path)
            try await engine.create("web", settings: [])
        }
        let open = folder.path("open")
        try FileManager.default.createDirectory(atPath: open, withIntermediateDirectories: false)
        for name in [path, open + "/readable"] {
            if name != path { try FileManager.default.copyItem(atPath: path, toPath: name) }
            chmod(name, name == path ? 0o600 : 0o644)
        }
        chmod(folder.path(""), 0o755)
        await #expect(processExitsWith: .success) { [path = path as String, open = open as String] in
            try #require(setgid(65_534) == 0 && setuid(65_534) == 0)
            let secret = await #expect(throws: EngineError.self) { _ = try await SQLiteEngine.open(path: path) }
            #expect(secret?.code == .permission && secret?.message.contains(path) == true)
            let made = await #expect(throws: EngineError.self) { _ = try await SQLiteEngine.create(path: path + "2/x") }
            #expect(made?.code == .permission, "\(String(describing: made))")
            // A store that others write can't be read without permission to write in its folder; the error explains
            // that.
            let readable = await #expect(throws: EngineError.self) {
                _ = try await SQLiteEngine.open(path: open + "/readable")
            }
            #expect(readable?.code == .permission, "\(String(describing: readable))")
        }
    }
}

/// A file system in memory, which can be full or read-only.
struct SmallDisk {
    struct MountFailed: Error {}

    let folder: TemporaryFolder

    /// Whether this process is allowed to mount a file system.
    static let isPermitted: Bool = {
        guard let disk = try? SmallDisk(size: "1m") else { return false }
        disk.remove()
        return true
    }()

    init(size: String) throws {
        folder = try TemporaryFolder()
        guard Self.run("/bin/mount", ["-t", "tmpfs", "-o", "size=\(size)", "tmpfs", folder.path("")]) else {
            folder.remove()
            throw MountFailed()
        }
    }

    func path(_ name: String) -> String { folder.path(name) }

    func remount(_ mode: String) throws {
        guard Self.run("/bin/mount", ["-o", "remount,\(mode)", folder.path("")]) else { throw MountFailed() }
    }

    func remove() {
        // Unmount lazily, because a store that is still open would keep it busy.
        _ = Self.run("/bin/umount", ["-l", folder.path("")])
        folder.remove()
    }

    private static func run(_ program: String, _ arguments: [String]) -> Bool {
        (try? ChildProgram.run(program, arguments))?.status == 0
    }
}

import Foundation
import Glibc
import SQLiteStore
import TestSupport
import Testing

/// Faults of a journal between two runs of the real binary, and during one.
@Suite(.enabled(if: ChildProgram.fastctl != nil), .timeLimit(.minutes(5)))
struct JournalFaultTests {
    /// A clock that was changed between two runs, or a machine that restarted with a different time.
    @Test(arguments: [-3_600, 3_600])
    func `A clock that jumps by an hour has no effect`(seconds: Int) async throws {
        let feed = try JournaledFeed()
        defer { feed.end() }
        try await feed.runAndKill(after: 5)
        // According to the clock, the first run was an hour later or earlier than the second one.
        let journal = try #require(feed.journal)
        try Connection(path: journal).execute(
            "UPDATE job SET started = started + \(seconds * 1000), changed = changed + \(seconds * 1000)"
        )
        let time = timeval(tv_sec: Int(Date.now.timeIntervalSince1970) + seconds, tv_usec: 0)
        #expect(utimes(journal, [time, time]) == 0)

        let life = try feed.start("second")
        #expect(await life.status() == 1)
        #expect(life.errors.contains("resuming job"))
        try feed.checkEnd(life)
        #expect(feed.journals.count == 1)
        // A third run is a new job, because the second run has finished the first job.
        let third = try feed.start("third")
        #expect(await third.status() == 1)
        #expect(!third.errors.contains("resuming"))
    }

    @Test func `A second process is refused, and a process that wakes up after it was replaced writes nothing`()
        async throws
    {
        let feed = try JournaledFeed(stallingReply: 5)
        defer { feed.end() }
        let first = try feed.start("first")
        #expect(await first.wait { feed.isStalled })
        first.send(SIGSTOP)
        #expect(await first.wait { first.state == "T" })

        let second = try feed.start("second")
        #expect(await second.status() == 75)
        #expect(second.errors.contains("is running as process \(first.process)"), "\(second.errors)")
        #expect(feed.requests == 5)

        // A user who removes the lock's file does so at their own risk.
        let lock = try #require(feed.folder.names(in: "state/fastctl/jobs").first { $0.hasSuffix(".lock") })
        unlink(feed.folder.path("state/fastctl/jobs/" + lock))
        let third = try feed.start("third")
        #expect(await third.status() == 1)
        #expect(third.errors.contains("resuming job"))
        try feed.checkEnd(third)
        let (requests, state) = (feed.requests, try feed.state())

        try await feed.replyIsSent()
        first.send(SIGCONT)
        #expect(await first.status() == 74, "\(first.errors)")
        #expect(first.errors.contains("another process has taken over job"), "\(first.errors)")
        #expect(feed.requests == requests)
        #expect(try feed.state() == state)
    }

    /// Otherwise, a second process would mistake the running job for an unfinished one.
    @Test func `A job is locked before others can see it`() async throws {
        let folder = try TemporaryFolder()
        let created = try CommandLife(["collections", "create", "web"], as: "create", in: folder)
        #expect(await created.status() == 0)
        try folder.write("A\n", to: "ids")
        // A job can't be written to the store while another connection writes.
        let store = try Connection(path: folder.path("data/fastctl/store.sqlite"))
        try store.execute("BEGIN IMMEDIATE")
        let life = try CommandLife(["remove", "-c", "web", "--from", "ids"], as: "remove", in: folder)
        let isLocked = await life.wait { folder.names(in: "data/fastctl").contains { $0.hasSuffix(".lock") } }
        try store.execute("ROLLBACK")
        #expect(isLocked)
        #expect(await life.status() == 1, "\(life.errors)")
    }

    @Test func `A queued job that is discarded during a push does not block later jobs`() async throws {
        let feed = try JournaledFeed(stallingReply: 5)
        defer { feed.end() }
        for name in ["first", "second", "third"] {
            let life = try feed.start(name, ["--queue"])
            #expect(await life.status() == 0, "\(life.errors)")
        }
        func names() async throws -> [String] {
            let list = try CommandLife(["jobs", "list", "-o", "name", "--unfinished"], as: "list", in: feed.folder)
            #expect(await list.status() == 0, "\(list.errors)")
            return list.output.split(separator: "\n").map(String.init)
        }
        let queued = try await names()
        try #require(queued.count == 3)
        let push = try CommandLife(["jobs", "push"], as: "push", in: feed.folder)
        #expect(await push.wait { feed.isStalled }, "\(push.errors)")
        let discard = try CommandLife(["jobs", "discard", "--force", queued[1]], as: "discard", in: feed.folder)
        #expect(await discard.status() == 0, "\(discard.errors)")
        // The third run finds nothing left to do.
        #expect(await push.status() == 1, "\(push.errors)")
        #expect(push.errors.contains("job \(queued[1]) has since been discarded"), "\(push.errors)")
        #expect(try await names().isEmpty)
        #expect(feed.server.documents.isEmpty)
    }

    @Test func `If a process is killed while it prints its totals, the next run prints all of them`() async throws {
        let feed = try JournaledFeed(absent: 400)
        defer { feed.end() }
        let pipe = try FullPipe(feed.folder.path("account"))
        let first = try feed.start("first", script: #"exec "$0" "$@" >account"#)
        #expect(await first.wait { pipe.isFull }, "\(first.errors)")
        first.send(SIGKILL)
        _ = await first.status()
        let requests = feed.requests
        let second = try feed.start("second")
        #expect(await second.status() == 1)
        #expect(second.errors.contains("resuming job"), "\(second.errors)")
        try feed.checkEnd(second)
        #expect(feed.requests == requests, "all of it was done before")
    }

    /// Killed after the file was created and before it was a journal: nothing of that job was sent.
    @Test(arguments: ["", "PRAGMA journal_mode = WAL"])
    func `A file that is not yet a journal does not block any process`(statement: String) async throws {
        let feed = try JournaledFeed()
        defer { feed.end() }
        try await feed.runAndKill(after: 5)
        let journal = try #require(feed.journal)
        for suffix in ["", "-wal", "-shm"] { unlink(journal + suffix) }
        let job = try #require(journal.split(separator: "/").last?.prefix { $0 != "." })
        let draft = feed.folder.path("state/fastctl/jobs/\(job).draft")
        _ = FileManager.default.createFile(atPath: draft, contents: nil)
        try Connection(path: draft).execute(statement)
        let life = try feed.start("second")
        #expect(await life.status() == 1, "\(life.errors)")
        #expect(!life.errors.contains("resuming"))
        #expect(feed.server.documents.isEmpty)
        // A check removes the remains of the killed process, but not the files that are kept.
        #expect(feed.leftovers.sorted() == ["\(job).draft", "\(job).lock"])
        let check = try CommandLife(["jobs", "check"], as: "check", in: feed.folder)
        #expect(await check.status() == 0, "\(check.errors)")
        #expect(feed.leftovers.isEmpty && feed.journals.count == 1)
    }

    @Test func `A journal from a newer version is refused before anything is sent`() async throws {
        let feed = try JournaledFeed()
        defer { feed.end() }
        try await feed.runAndKill(after: 5)
        try Connection(path: try #require(feed.journal)).execute("PRAGMA user_version = 99")
        let requests = feed.requests
        let life = try feed.start("second")
        #expect(await life.status() == 74)
        #expect(life.errors.contains("written by a newer version of fastctl"), "\(life.errors)")
        #expect(life.errors.contains("use that version"))
        #expect(feed.requests == requests)
        // A user can start over; the documents that the first run removed are then missing.
        let third = try feed.start("third", ["--restart"])
        #expect(await third.status() == 1)
        #expect(feed.server.documents.isEmpty)
    }

    @Test(arguments: ["header", "half", "empty", "emptied"])
    func `A damaged journal is refused with advice`(damage: String) async throws {
        let feed = try JournaledFeed()
        defer { feed.end() }
        try await feed.runAndKill(after: 5)
        let journal = try #require(feed.journal)
        // The damage is in the file itself, without the log that would repair it.
        try Connection(path: journal).execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for suffix in ["-wal", "-shm"] { unlink(journal + suffix) }
        var bytes = Array(try Data(contentsOf: URL(filePath: journal)))
        switch damage {
        case "header": bytes.replaceSubrange(0..<100, with: repeatElement(0x2A, count: 100))
        case "emptied": bytes = []
        case "half": bytes.removeSubrange((bytes.count / 2)...)
        default: for place in 100..<bytes.count { bytes[place] = 0 }
        }
        try Data(bytes).write(to: URL(filePath: journal))
        let requests = feed.requests
        let life = try feed.start("second")
        #expect(await life.status() == 74)
        let lines = life.errors.split(separator: "\n")
        #expect(lines.count == 2, "\(life.errors)")
        #expect(life.errors.contains(journal) && life.errors.contains("delete that file"), "\(life.errors)")
        #expect(feed.requests == requests)
        let check = try CommandLife(["jobs", "check"], as: "check", in: feed.folder)
        #expect(await check.status() == 74)
        #expect(check.errors.contains(journal) && check.errors.contains("1 damaged"), "\(check.errors)")
    }

    /// A disk of a few hundred kilobytes that grows between two runs; only root can make one.
    @Test(arguments: [192, 320, 512], [false, true])
    func `When the journal's disk is full, no operation is lost, and the command to resume is printed`(
        kibibytes: Int,
        isPiped: Bool
    ) async throws {
        guard getuid() == 0, await JournaledFeed.canMount() else {
            print("skipped: a small disk can only be made by root")
            return
        }
        let feed = try JournaledFeed()
        defer { feed.end() }
        // The disk disappears with the process that created it, so one shell runs the whole test.
        let input = isPiped ? "< <(cat ids)" : ""
        let life = try feed.start(
            "second",
            isPiped: isPiped,
            script: #"""
                mkdir -p state
                exec unshare -m bash -c '
                    mount -t tmpfs -o size=\#(kibibytes)k tmpfs state
                    "$0" "$@" >first.out 2>first.err \#(input); echo $? >first.code
                    mount -o remount,size=64m state
                    exec "$0" "$@" \#(input)' "$0" "$@"
                """#
        )
        #expect(await life.status() == 1, "\(life.errors)")
        let first = feed.folder.text("first.err")
        #expect(feed.folder.text("first.code") == "74\n", "\(first)")
        #expect(first.contains("the disk is full"), "\(first)")
        // The message names the job if the run got that far; otherwise, it only gives advice.
        #expect(first.contains("resume it with: fastctl jobs resume") || first.contains("run the same command again"))
        try feed.checkEnd(life)
    }
}

/// A named pipe that is never read from.
private final class FullPipe: Sendable {
    private let descriptor: Int32

    init(_ path: String) throws {
        try #require(mkfifo(path, 0o600) == 0)
        descriptor = open(path, O_RDWR | O_NONBLOCK)
        try #require(descriptor >= 0)
    }

    deinit { close(descriptor) }

    /// Whether the pipe is full.
    var isFull: Bool {
        var bytes: Int32 = 0
        return ioctl(descriptor, UInt(FIONREAD), &bytes) == 0 && bytes >= 1 << 16
    }
}

/// A removal of several hundred documents with a journal, a few at a time.
private final class JournaledFeed: Sendable {
    let folder: TemporaryFolder
    let server: DocumentServer
    private let proxy: FaultProxy
    private static let count = 800
    private let absent: [String]

    /// The reply to the request with the given number, if any, is delayed.
    init(stallingReply stalled: Int? = nil, absent: Int = 1) throws {
        self.absent = (1...absent).map { "absent-\($0)" }
        let ids = (1...Self.count).map { "document-\($0)" }
        folder = try TemporaryFolder()
        try folder.write((ids + self.absent).joined(separator: "\n") + "\n", to: "ids")
        server = try DocumentServer(holding: ids)
        proxy = try FaultProxy(
            upstream: server.port,
            plan: stalled.map { Self.plan(stallingReply: $0, for: .seconds(3)) } ?? .none
        )
    }

    private static func plan(stallingReply stalled: Int, for pause: Duration) -> FaultPlan {
        FaultPlan(on: .path("_bulk", method: "POST")) { $0 + 1 == stalled ? .stallReply(pause) : .pass }
    }

    func end() {
        proxy.stop()
    }

    func start(
        _ name: String,
        _ more: [String] = [],
        isPiped: Bool = false,
        script: String? = nil
    ) throws -> CommandLife {
        let words = [
            "remove", "-c", "web", "--target", "opensearch+http://127.0.0.1:\(proxy.port)",
            "--batch-count", "10", "--inflight", "1", "--linger", "0s", "-o", "json",
        ]
        let input = isPiped ? [] : ["--from", "ids"]
        return try CommandLife(words + input + more, as: name, in: folder, script: script)
    }

    /// Runs the command, and kills it while it waits for the reply to the request with this number.
    func runAndKill(after requests: Int) async throws {
        // The delay is long, because on a busy machine the command would otherwise be done before it is killed.
        proxy.plan = Self.plan(stallingReply: requests, for: .seconds(600))
        let life = try start("first")
        #expect(await life.wait { self.isStalled })
        life.send(SIGKILL)
        #expect(await life.status() == 128 + SIGKILL, "\(life.errors)")
        proxy.plan = .none
    }

    private var bulkRecords: [FaultProxy.Record] { proxy.records.filter { $0.target.contains("_bulk") } }
    var requests: Int { bulkRecords.count }
    /// Whether the server has answered the request whose reply is held back.
    var isStalled: Bool { bulkRecords.contains { $0.fault == "stallReply" && $0.serverStatus != nil } }

    func replyIsSent() async throws { try await proxy.isIdle(within: .seconds(30)) }

    var journals: [String] { folder.names(in: "state/fastctl/jobs").filter { $0.hasSuffix(".sqlite") } }
    /// The files that a killed process can leave next to the journals.
    var leftovers: [String] {
        folder.names(in: "state/fastctl/jobs").filter {
            [".lock", ".draft", ".draft-wal", ".draft-shm"].contains(where: $0.hasSuffix)
        }
    }
    var journal: String? { journals.first.map { folder.path("state/fastctl/jobs/" + $0) } }

    /// Everything that the journal records about its job.
    func state() throws -> [String] {
        let connection = try Connection(path: try #require(journal))
        var rows: [String] = []
        for sql in [
            "SELECT stage || ' ' || epoch || ' ' || byte || ' ' || lowest || ' ' || errors || ' ' || changed FROM job",
            "SELECT outcome || count FROM job_outcome ORDER BY outcome",
        ] {
            try connection.prepare(sql).eachRow { row throws(SQLiteError) in
                rows.append(try row.column(0, as: String.self))
            }
        }
        return rows
    }

    /// Checks that nothing is left to do, and that the last run reports every operation once.
    func checkEnd(_ life: CommandLife) throws {
        #expect(server.documents.isEmpty)
        let object = try JSONSerialization.jsonObject(with: Data(life.output.utf8)) as? [String: Any]
        let counts = try #require(object?["counts"] as? [String: Int], "\(life.output) \(life.errors)")
        #expect(counts["accepted"] == Self.count + absent.count && counts["open"] == 0)
        #expect(counts["removed", default: 0] + counts["gone", default: 0] == Self.count)
        #expect(counts["missing"] == absent.count)
        let errors = try #require(object?["errors"] as? [[String: Any]])
        #expect(errors.compactMap { $0["documentID"] as? String } == absent)
    }

    static func canMount() async -> Bool {
        guard let folder = try? TemporaryFolder(),
            let life = try? CommandLife(
                [],
                as: "mount",
                in: folder,
                script: "exec unshare -m sh -c 'mount -t tmpfs tmpfs /mnt'"
            )
        else { return false }
        return await life.status() == 0
    }
}

import ContentFeeding
import Foundation
import JobJournal
import TestSupport
import Testing

struct JobFolderTests {
    private let folder: TemporaryFolder
    private let shelf: JobShelf

    init() throws {
        folder = try TemporaryFolder()
        shelf = .folder(try JobFolder(creating: folder.path("state/jobs")))
    }

    @Test func `A job is stored with its request`() async throws {
        let job = description("A1")
        try await shelf.create(job)
        let kept = try #require(await shelf.jobs().jobs.first)
        #expect(kept.record.job == job)
        #expect(kept.record.stage == .open && kept.record.epoch == 0)
        #expect(kept.holder == nil)
        #expect(await shelf.jobs(of: job.identity).jobs.count == 1)
        #expect(await shelf.jobs(of: [9, 9]).jobs.isEmpty)
    }

    @Test func `The sum of all transactions is the state from which the next process resumes`() async throws {
        let kept = try await shelf.create(description("A1"))
        let ledger = try kept.ledger()
        let claim = try await ledger.claim(kept.id)
        #expect(claim.epoch == 1 && claim.state == nil)

        // A feed with a journal writes the state that the core wants to keep.
        var options = FeedOptions()
        options.journal = JobJournal(claim, in: ledger)
        let ids = (1...3000).map { DocumentID(stringLiteral: "ID\($0)") }
        let engine = InMemoryCollection(Set(ids.prefix(2900)))
        let report = await OperationFeed(engine: engine, options: options).run(ChunkList(removing: ids), job: claim)
            .report
        #expect(report.counts[.removed] == 2900 && report.counts[.missing] == 100)

        let next = try await kept.ledger().claim(kept.id)
        let state = try #require(next.state)
        #expect(next.epoch == 2)
        #expect(state.counts[.removed] == 2900 && state.counts[.missing] == 100)
        #expect(state.progress.lowestUnsettled.rawValue == 3001)
        #expect(state.leasedThrough.rawValue == 3000 && state.acceptedThrough.rawValue == 3000)
        #expect(state.rows.isEmpty)
        let issues = try await kept.ledger().issues(of: kept.id, after: 0)
        #expect(issues.count == 100 && issues.allSatisfy { $0.issue == .error(.missing) })
        #expect(issues.map(\.documentID) == Array(ids.suffix(100)))
    }

    @Test func `Notes about the input that was read are stored with the progress`() async throws {
        let kept = try await shelf.create(description("A1"))
        let ledger = try kept.ledger()
        let claim = try await ledger.claim(kept.id)
        var options = FeedOptions()
        options.journal = JobJournal(claim, in: ledger) { progress in
            var noted = progress
            noted.inputDigest = progress.inputDigest + [0, 7]
            return noted
        }
        let ids: [DocumentID] = ["ID1", "ID2"]
        _ = await OperationFeed(engine: InMemoryCollection(Set(ids)), options: options)
            .run(ChunkList(removing: ids), job: claim)
        #expect(try await kept.ledger().claim(kept.id).state?.progress.inputDigest.suffix(2) == [0, 7])
    }

    @Test func `Journals of ended jobs are not opened in the search for an unfinished job`() async throws {
        for name in ["A1", "A2", "A3"] {
            let kept = try await shelf.create(description(name))
            let claim = try await kept.ledger().claim(kept.id)
            guard name != "A2" else { continue }
            try await kept.ledger().end(
                kept.id,
                epoch: claim.epoch,
                as: .finished,
                counts: FeedCounts(),
                input: InputTally()
            )
        }
        let identity = description("A1").identity
        #expect(await shelf.unfinishedJobs(of: identity).jobs.map(\.id.rawValue) == ["A2"])
        // Damage in the journals of ended jobs is not detected, but damage in the unfinished job's journal is.
        let place = folder.path("state/jobs")
        for file in try FileManager.default.contentsOfDirectory(atPath: place) where file.hasSuffix(".sqlite") {
            try Data("no journal".utf8).write(to: URL(filePath: "\(place)/\(file)"))
        }
        let found = await shelf.unfinishedJobs(of: identity)
        #expect(found.jobs.isEmpty && found.unreadable.count == 1)
        #expect(await shelf.jobs(of: identity).unreadable.count == 3)
    }

    @Test func `A run that ends with open operations records how many operations were accepted`() async throws {
        let kept = try await shelf.create(description("A1"))
        let ledger = try kept.ledger()
        let claim = try await ledger.claim(kept.id)
        #expect(try #require(await kept.current()).record.isAcceptedAtLeast)
        try await ledger.suspend(kept.id, epoch: claim.epoch, accepted: 1000)
        var record = try #require(await kept.current()).record
        #expect(record.accepted == 1000 && record.open == 1000 && !record.isAcceptedAtLeast)
        #expect(record.fate(of: OperationID(rawValue: 1)) == .unsent)
        try await ledger.cancel(kept.id)
        record = try #require(await kept.current()).record
        #expect(record.accepted == 1000 && !record.isAcceptedAtLeast)
    }

    @Test func `A process that lost the job makes no changes`() async throws {
        let kept = try await shelf.create(description("A1"))
        let old = try await kept.ledger().claim(kept.id)
        _ = try await kept.ledger().claim(kept.id)
        var options = FeedOptions()
        options.journal = JobJournal(old, in: try kept.ledger())
        let engine = InMemoryCollection(["a"])
        let report = await OperationFeed(engine: engine, options: options)
            .run(ChunkList(removing: ["a"]), job: old).report
        guard case .stopped(.storage(let message)) = report.end else {
            Issue.record("the feed ended with \(String(describing: report.end))")
            return
        }
        #expect(message.contains("another process has taken over job A1"))
        #expect(engine.ids == ["a"])
    }

    @Test func `Documents that an earlier attempt may have added are remembered until the end of the job`() async throws
    {
        let kept = try await shelf.create(description("A1"))
        let ledger = try kept.ledger()
        let claim = try await ledger.claim(kept.id)
        var options = FeedOptions()
        options.journal = JobJournal(claim, in: ledger)
        let lost = BatchFailure(.ambiguous, DocumentFailure(.attemptsExhausted, "no answer", disposition: .retryable))
        let engine = InMemoryCollection(["ID1", "ID2"], script: [.failed(lost)])
        let documents = ["ID1", "ID2", "ID3"].map { Document(id: $0, json: Array("{}".utf8)) }
        let chunk = OperationChunk(operations: documents.map { .add($0) }, end: InputOffset(source: 0, byte: 3))
        let report = await OperationFeed(engine: engine, options: options).run(ChunkList([chunk]), job: claim).report
        #expect(report.counts.updated == 2 && report.counts.added == 1 && report.counts.isBalanced)
        #expect(report.counts.perhapsAdded == 2)

        let next = try await kept.ledger().claim(kept.id)
        #expect(next.state?.counts.perhapsAdded == 2 && next.state?.counts.settled == 3)
        try await ledger.end(next.id, epoch: next.epoch, as: .finished, counts: report.counts, input: InputTally())
        #expect(await shelf.jobs().jobs.first?.record.counts.perhapsAdded == 2)
    }

    @Test func `A journal can be searched for waiting operations that contain a text`() async throws {
        let kept = try await shelf.create(description("A1"))
        let other = try await shelf.create(description("A2"))
        let ledger = try kept.ledger()
        let claim = try await ledger.claim(kept.id)
        var options = FeedOptions()
        options.configuration.retry.base = .milliseconds(1)
        options.configuration.quarantine = .zero
        options.journal = JobJournal(claim, in: ledger)
        let unclear = DocumentFailure(.attemptsExhausted, "no answer", disposition: .retryable)
        let gone = BatchFailure(.stop(.unreachable), DocumentFailure(.rejectedByEngine, "gone"))
        let replies: [BatchReply?] = [.results([.unknown(unclear), .unknown(unclear)]), .failed(gone)]
        var capabilities = EngineCapabilities()
        capabilities.takesRouting = true
        let engine = InMemoryCollection([DocumentID](), script: replies, capabilities: capabilities)
        let routing = try #require(Routing("west"))
        let operations: [ContentOperation] = [
            .add(Document(id: "p1", json: Array(#"{"mail":"ann@example.org"}"#.utf8), routing: routing)),
            .add(Document(id: "b\"ob", json: Array(#"{"name":"B\"b"}"#.utf8))),
        ]
        let chunk = OperationChunk(operations: operations, end: InputOffset(source: 0, byte: 2))
        _ = await OperationFeed(engine: engine, options: options).run(ChunkList([chunk]), job: claim)

        func keeps(_ texts: String...) async throws -> Bool {
            try await kept.ledger().keepsOperation(of: kept.id, containing: texts.map { Array($0.utf8) })
        }
        for text in ["ann@example.org", "p1", "west", #"b"ob"#, #"B\"b"#] { #expect(try await keeps(text), "\(text)") }
        #expect(try await keeps("eve", "example.org"))
        #expect(try await keeps("eve", "Ann", #"B"b"#) == false)
        #expect(try await other.ledger().keepsOperation(of: other.id, containing: [Array("ann".utf8)]) == false)
    }

    @Test func `A finished job is never resumed`() async throws {
        let kept = try await shelf.create(description("A1"))
        let ledger = try kept.ledger()
        let claim = try await ledger.claim(kept.id)
        var counts = FeedCounts()
        counts[.removed] = 7
        try await ledger.end(claim.id, epoch: claim.epoch, as: .finished, counts: counts, input: InputTally(lines: 7))
        let record = try #require(await shelf.jobs().jobs.first?.record)
        #expect(record.stage == .finished && record.counts[.removed] == 7 && record.input.lines == 7)
        await #expect(throws: JobError.self) { _ = try await ledger.claim(claim.id) }
    }

    @Test func `Only one process at a time can hold a job`() async throws {
        let kept = try await shelf.create(description("A1"))
        do {
            let lock = try kept.lock()
            let error = #expect(throws: JobError.self) { _ = try kept.lock() }
            #expect(error?.code == .running)
            #expect(error?.message.contains("process") == true)
            withExtendedLifetime(lock) {}
        }
        #expect(kept.holder == nil)
        _ = try kept.lock()
    }

    @Test func `A job is overtaken only by a feed that named another job`() async throws {
        let (collection, target) = (CollectionName("web"), "opensearch+http://127.0.0.1:1")
        func overtaken() async -> Bool {
            await shelf.lastFeed(butOf: JobID(rawValue: "A1"), into: collection, at: target) != nil
        }
        await shelf.noteFeed(of: JobID(rawValue: "B234"), into: collection, at: target)
        #expect(await overtaken())
        await shelf.noteFeed(of: JobID(rawValue: "A1"), into: collection, at: target)
        #expect(await !overtaken())
        // The process was killed when it had created the note, but not yet named its job.
        let notes = try FileManager.default.contentsOfDirectory(atPath: folder.path("state/jobs"))
        let note = try #require(notes.first { $0.hasPrefix("feed.") })
        try "".write(toFile: folder.path("state/jobs/\(note)"), atomically: false, encoding: .utf8)
        #expect(await !overtaken())
    }

    @Test func `Old ended jobs are removed, and unfinished ones are kept`() async throws {
        for number in 0..<105 {
            let kept = try await shelf.create(description("N\(number)", startedAt: .seconds(number)))
            guard number != 1 else { continue }
            let claim = try await kept.ledger().claim(kept.id)
            try await kept.ledger().end(
                claim.id,
                epoch: claim.epoch,
                as: .finished,
                counts: FeedCounts(),
                input: InputTally()
            )
        }
        try await shelf.prune(at: .zero)
        let names = await shelf.jobs().jobs.map(\.id.rawValue)
        #expect(names.count == 101)
        #expect(names.contains("N1") && !names.contains("N0") && !names.contains("N4") && names.contains("N5"))
    }

    @Test func `Of the large ended jobs, the newest is kept`() async throws {
        for number in 0..<4 {
            let job = description("N\(number)", startedAt: .seconds(number))
            let kept = try await shelf.create(job)
            let claim = try await kept.ledger().claim(kept.id)
            let (counts, input) = (FeedCounts(), InputTally())
            try await kept.ledger().end(claim.id, epoch: claim.epoch, as: .finished, counts: counts, input: input)
            let spool = shelf.spool(of: job.id)
            #expect(FileManager.default.createFile(atPath: spool, contents: Data(count: 1 << 20)))
        }
        var limits = JobShelf.Retention()
        limits.bytes = 5 << 19
        try await shelf.prune(at: .zero, keeping: limits)
        #expect(await shelf.jobs().jobs.map(\.id.rawValue) == ["N3", "N2"])
        limits.bytes = 0
        try await shelf.prune(at: .zero, keeping: limits)
        #expect(await shelf.jobs().jobs.map(\.id.rawValue) == ["N3"])
    }

    @Test func `A file that is not a journal is reported by name, and does not hide other journals`() async throws {
        try await shelf.create(description("A1"))
        let text = String(repeating: "no database, however long it is looked at. ", count: 30)
        try text.write(toFile: folder.path("state/jobs/B2.0909.sqlite"), atomically: true, encoding: .utf8)
        let (jobs, unreadable) = await shelf.jobs()
        #expect(jobs.map(\.id.rawValue) == ["A1"])
        #expect(unreadable.count == 1 && unreadable[0].message.contains("B2.0909.sqlite"))
    }

    @Test func `A journal without a job is reported as damaged, and does not count as being created`() async throws {
        try await shelf.create(description("A1"))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("state/jobs"))
        #expect(names.count == 1 && names[0].hasSuffix(".sqlite"), "no draft is left: \(names)")
        try Data().write(to: URL(filePath: folder.path("state/jobs/\(names[0])")))
        let found = await shelf.unfinishedJobs(of: description("A1").identity)
        #expect(found.jobs.isEmpty && found.unreadable.map(\.code) == [.unusable])
        #expect(found.unreadable.first?.message.contains(names[0]) == true)
    }

    @Test func `Leftover files are removed only if their jobs are over and no process holds them`() async throws {
        let names = ["GONE", "HELD", "OPEN", "EARLIER", "LATER"]
            .map { $0 + String(repeating: "0", count: JobID.length - $0.count) }
        let (gone, held, open, earlier, later) = (names[0], names[1], names[2], names[3], names[4])
        try await shelf.create(description(open))
        for (number, name) in [earlier, later].enumerated() {
            let kept = try await shelf.create(description(name, startedAt: .seconds(number)))
            let claim = try await kept.ledger().claim(kept.id)
            let (counts, input) = (FeedCounts(), InputTally())
            try await kept.ledger().end(claim.id, epoch: claim.epoch, as: .finished, counts: counts, input: input)
        }
        let lock = try shelf.lock(JobID(rawValue: held))
        for name in names where name != held {
            #expect(FileManager.default.createFile(atPath: folder.path("state/jobs/\(name).lock"), contents: nil))
        }
        for name in [gone, held] {
            #expect(FileManager.default.createFile(atPath: folder.path("state/jobs/\(name).draft"), contents: nil))
        }
        try "mine".write(toFile: folder.path("state/jobs/other.lock"), atomically: false, encoding: .utf8)
        await shelf.removeLeftovers()
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path("state/jobs"))
            .filter { $0.hasSuffix(".lock") || $0.hasSuffix(".draft") }
        // The last run that finished may have been killed before its report was seen.
        #expect(
            Set(left) == ["\(held).lock", "\(held).draft", "\(open).lock", "\(later).lock", "other.lock"],
            "\(left)"
        )
        withExtendedLifetime(lock) {}
    }

    private func description(_ name: String, startedAt: Duration = .seconds(1_700_000_000)) -> JobDescription {
        JobDescription(
            id: JobID(rawValue: name),
            identity: [1, 2, 3, 4, 5, 6, 7, 8, 9],
            kind: .remove,
            target: "opensearch+http://localhost:9200",
            collection: "web",
            words: ["remove", "-c", "web", "--from", "a b.txt"],
            directory: "/tmp",
            spool: nil,
            startedAt: startedAt
        )
    }
}

/// The files of locks, which are removed at the end of a process so that its jobs count as cut off until then.
struct JobLockTests {
    private let folder: TemporaryFolder
    private let files = LockFiles()

    init() throws { folder = try TemporaryFolder() }

    private func lock(_ name: String) throws -> (lock: JobLock, path: String) {
        let path = folder.path(name + ".lock")
        return (try JobLock(JobID(rawValue: name), at: path, files: files), path)
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    @Test func `A released lock's file is removed immediately, or at the end of the process`() throws {
        var own: (lock: JobLock, path: String)? = try lock("A1")
        let first = try #require(own?.path)
        #expect(exists(first) && JobLock.holder(at: first) != nil)
        own = nil
        #expect(!exists(first))

        files.keep()
        own = try lock("A2")
        let second = try #require(own?.path)
        own = nil
        #expect(exists(second) && JobLock.holder(at: second) == nil)
        files.removeAll()
        #expect(!exists(second))
    }

    @Test func `A lock that a task still holds at the end of the process leaves no file`() throws {
        files.keep()
        let held = try lock("A3")
        let spool = folder.path("A3.spool")
        try Data("ID1\n".utf8).write(to: URL(fileURLWithPath: spool))
        held.lock.removeAtEnd(spool: spool)
        files.removeAll()
        #expect(!exists(held.path) && !exists(spool))
        withExtendedLifetime(held.lock) {}
    }

    @Test func `A released lock that another process has taken keeps its file`() throws {
        files.keep()
        var own: (lock: JobLock, path: String)? = try lock("A4")
        let path = try #require(own?.path)
        own = nil
        let other = try JobLock(JobID(rawValue: "A4"), at: path, files: LockFiles())
        files.removeAll()
        #expect(exists(path) && JobLock.holder(at: path) != nil)
        withExtendedLifetime(other) {}
    }
}

import TestSupport
import Testing

@testable import ContentFeeding

struct DocumentIssuesTests {
    private func missing(_ number: Int, idBytes: Int = 10) throws -> OperationOutcome {
        let name = String(number)
        return OperationOutcome(
            operationID: OperationID(rawValue: UInt64(number)),
            kind: .remove,
            documentID: try DocumentID(name + String(repeating: "x", count: idBytes - name.utf8.count)),
            outcome: .missing,
            issue: .error(.missing)
        )
    }

    private func list(of count: Int, idBytes: Int, in folder: TemporaryFolder) throws -> IssueList {
        var list = IssueList(spill: SpillSpace(in: folder.path(""), maximumBytes: 1 << 30))
        for number in 1...count { try list.append(try missing(number, idBytes: idBytes)) }
        return list
    }

    private func errors(of count: Int, idBytes: Int, in folder: TemporaryFolder) throws -> DocumentIssues<DocumentError>
    {
        errors(try list(of: count, idBytes: idBytes, in: folder))
    }

    private func errors(_ list: IssueList) -> DocumentIssues<DocumentError> {
        DocumentIssues(list.snapshot) { DocumentError($0, in: "WebCollection") }
    }

    @Test(arguments: [(11_000, 10), (200, 60_000)]) func `All issues are read in order`(
        count: Int,
        idBytes: Int
    ) async throws {
        let folder = try TemporaryFolder()
        let issues = try errors(of: count, idBytes: idBytes, in: folder)
        #expect(issues.count == count)
        let all = try issues.all()
        #expect(all.map(\.operationID.rawValue) == Array(1...UInt64(count)))
        #expect(all.allSatisfy { $0.documentID.text.utf8.count == idBytes })
        var read: [DocumentError] = []
        for try await error in issues { read.append(error) }
        #expect(read == all)
    }

    /// Otherwise, each issue would retain the memory of a hundred others.
    @Test func `Issues kept in memory do not share memory with the batch`() throws {
        let folder = try TemporaryFolder()
        let pages = DocumentIDPages()
        var list = IssueList(spill: SpillSpace(in: folder.path(""), maximumBytes: 0))
        for number in 1...100 {
            let outcome = OperationOutcome(
                operationID: OperationID(rawValue: UInt64(number)),
                kind: .remove,
                documentID: try pages.id(utf8: Array("page \(number)".utf8).span),
                outcome: .missing,
                issue: .error(.missing)
            )
            #expect(!outcome.documentID.isAlone)
            try list.append(outcome)
        }
        try errors(list).read { #expect($0.documentID.isAlone) }
    }

    @Test func `All lists of a run share one budget, and release their share of it`() throws {
        let folder = try TemporaryFolder()
        let space = SpillSpace(in: folder.path(""), maximumBytes: 12 << 20)
        func fill(_ list: inout IssueList) throws -> Int {
            for number in 1...200 { try list.append(try missing(number, idBytes: 60_000)) }
            return list.count
        }
        do {
            var (errors, warnings) = (IssueList(spill: space), IssueList(spill: space))
            #expect(try fill(&errors) == 200)
            // Each list needs 8 MiB on disk.
            let failure = #expect(throws: SpillError.self) { _ = try fill(&warnings) }
            #expect(failure?.description.contains("--max-spill") == true)
            #expect(try self.errors(errors).all().last?.operationID.rawValue == 200)
        }
        var later = IssueList(spill: space)
        #expect(try fill(&later) == 200)
    }

    @Test func `A few long issues are written to the file immediately`() throws {
        let folder = try TemporaryFolder()
        var list = IssueList(spill: SpillSpace(in: folder.path(""), maximumBytes: 0))
        // 4 MiB fit in memory, and some more in the buffer; then the disk is needed, which this feed may not use.
        #expect(throws: SpillError.self) {
            for number in 1...100 { try list.append(try missing(number, idBytes: 60_000)) }
        }
        #expect((70...80).contains(list.count))
    }

    @Test func `A file that can't be read back is not mistaken for a short list`() async throws {
        for damage in [OpenFiles.makeUnreadable, { OpenFiles.truncate(below: $0, to: 300_000) }] {
            let folder = try TemporaryFolder()
            let issues = try errors(of: 200, idBytes: 60_000, in: folder)
            damage(folder.path(""))
            var count = 0
            #expect(throws: SpillError.self) { try issues.read { _ in count += 1 } }
            #expect(count >= 69 && count < 200)
            #expect(throws: SpillError.self) { try issues.all() }
            var inLoop = 0
            await #expect(throws: SpillError.self) { for try await _ in issues { inLoop += 1 } }
            #expect(inLoop == count)
        }
    }
}

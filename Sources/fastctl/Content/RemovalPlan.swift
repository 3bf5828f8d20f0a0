import ArgumentParsing
import ContentFeeding
import EngineCatalog
import Reconciliation
import ReportRendering

/// A plan to remove what a search finds: with the version of each document, so that one that is changed meanwhile stays.
struct RemovalPlan {
    let target: OpenableTarget
    let collection: CollectionChoice
    let query: SearchQuery
    let limit: Int?
    let path: String

    func write(_ quiet: QuietOptions) async throws -> ExitCode {
        let engine = try await target.open(collection).engine
        guard let versioned = engine as? any VersionedEngine else {
            throw EngineError(.unsupported, "'\(collection.name)' does not tell the versions of its documents")
        }
        // What was written a moment ago is to be found too.
        try await engine.raise(to: .live)
        let state = try await versioned.state()
        let writer = try PlanWriter(path)
        try writer.begin(header(of: state))
        try await append(all: versioned, to: writer)
        try await PlanGuard.requireUnmoved(versioned, since: state)
        try writer.finish()
        say(writer.tally.removals, quiet)
        return .success
    }

    /// Appends the removal of everything that is found.
    private func append(all engine: any VersionedEngine, to writer: PlanWriter) async throws {
        var query = query
        query.includesDocuments = false
        var rest = limit ?? .max
        var cursor: SearchCursor?
        do {
            while rest > 0 {
                let page = try await engine.find(query, after: cursor)
                cursor = page.next
                let keys = page.documents.prefix(rest).map { DocumentKey($0.id, routing: $0.routing) }
                rest -= keys.count
                let documents = keys.isEmpty ? [] : try await engine.versions(at: keys)
                for (key, document) in zip(keys, documents) {
                    // What is gone already has changed the collection, and so ends the plan.
                    guard let document else { continue }
                    try writer.append(.remove(DocumentKey(key.id, routing: document.routing), document.version, .found))
                }
                if cursor == nil { return }
            }
        } catch {
            if let cursor { await engine.close(cursor) }
            throw error
        }
        if let cursor { await engine.close(cursor) }
    }

    private func header(of state: CollectionState) -> PlanHeader {
        var header = PlanHeader(
            command: "find",
            createdAt: "\(UTCTimestamp(since1970: ProcessEnvironment.now))",
            context: target.resolved.context?.name,
            target: "\(target.resolved.address)",
            collection: collection.engineName,
            state: state
        )
        let conditions =
            query.words + query.phrases.map { "\"\($0)\"" } + query.fields.map { "\($0.name)=\($0.value)" }
            + [query.expression].compactMap(\.self)
        header.query = conditions.joined(separator: " ")
        return header
    }

    private func say(_ removals: Int, _ quiet: QuietOptions) {
        let found = removals == 0 ? "nothing" : "\(Quantity(removals, "document", "documents"))"
        quiet.say(["\(collection.name): \(found) found"])
        guard removals > 0 else { return }
        let path = CommandLineWords.quoted(path)
        quiet.say(["planned: \(Quantity(removals, "removal", "removals")); carry it out with: fastctl apply \(path)"])
    }
}

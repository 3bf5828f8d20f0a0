import ContentFeeding
import FeedFormats

/// An input that can be opened when its turn comes.
struct PendingInput: Sendable {
    var sources: [InputSource]
    var format: InputFormat
    var dialect = InputDialect()
    var limits: InputLimits
    /// Whether an input without anything to do is a failure.
    var failsOnEmpty = false
    /// The collection that it comes from, instead of sources.
    var collection: (any CollectionInput)?
    /// Whether documents of a collection go where they can have a routing.
    var keepsRouting = true
    var startedAt = ProcessEnvironment.now

    var readsStandardInput: Bool { sources.contains(.standardInput) }

    /// The files that it is read from.
    var files: [String] {
        sources.compactMap { if case .file(let file) = $0 { file } else { nil } } + (collection?.files ?? [])
    }

    /// Whether a part of it comes only once, as through a pipe.
    var comesOnce: Bool { sources.contains { !$0.canBeReadAgain } }

    /// The same input, with what came only once read from where it was kept.
    var kept: PendingInput {
        var kept = self
        kept.sources = sources.map { $0.canBeReadAgain ? $0 : .standardInput }
        return kept
    }

    /// Opens the input; with a memory, it can be read again from any chunk's end.
    func open(for kind: ContentOperation.Kind, _ memory: InputMemory? = nil) async throws -> FeedInput {
        if let collection { return try await collection.open(memory ?? InputMemory(), keepsRouting: keepsRouting) }
        return try await FeedInput.open(
            sources,
            for: kind,
            format: format,
            dialect: dialect,
            limits: limits,
            memory: memory
        ) { note in
            StandardError.say("\(note)")
        }
    }
}

import ContentFeeding
import Sources

/// A source that is asked again as long as there is hope of an answer, with the pauses and the patience of feeding.
struct PatientSource: DocumentSource {
    private let base: any DocumentSource
    private let configuration: FeedConfiguration

    init(_ base: any DocumentSource, _ configuration: FeedConfiguration) {
        (self.base, self.configuration) = (base, configuration)
    }

    var name: String { base.name }
    var traits: SourceTraits { base.traits }

    func reader(of contents: SourceContents, from place: SourcePlace) async throws(SourceError) -> any SourceReader {
        PatientReader(try await base.reader(of: contents, from: place), configuration)
    }
}

private actor PatientReader: SourceReader {
    private let base: any SourceReader
    private let configuration: FeedConfiguration

    init(_ base: any SourceReader, _ configuration: FeedConfiguration) {
        (self.base, self.configuration) = (base, configuration)
    }

    func next() async throws(SourceError) -> SourcePage? {
        let base = base
        var failure: SourceError?
        var lookUp = PatientLookUp(configuration)
        do {
            return try await lookUp.answer(
                to: { () async throws(EngineError) in
                    do throws(SourceError) {
                        return try await base.next()
                    } catch {
                        failure = error
                        throw EngineError(error)
                    }
                },
                unless: { Task.isCancelled }
            )
        } catch {
            throw failure ?? SourceError(.cancelled, "interrupted")
        }
    }
}

import ContentFeeding
import FeedFormats
import UnicodeText

extension SourceError {
    /// Runs what reads input, and words its failure as that of a source.
    static func wrapping<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async throws(SourceError) -> Result {
        do {
            return try await body()
        } catch let error as InputError {
            throw SourceError(error)
        } catch let error as SourceError {
            throw error
        } catch is CancellationError {
            throw SourceError(.cancelled, "interrupted")
        } catch {
            throw SourceError(.inputOutput, "\(error)")
        }
    }

    private init(_ error: InputError) {
        let code: Code =
            switch error.code {
            case .missing: .missing
            case .permission: .permission
            case .directory, .unknownColumn, .malformedHeader, .wrongFormat: .unusable
            case .changed: .changed
            case .exhausted, .cannotOpen, .cannotRead, .spoolFull, .spoolFailed: .inputOutput
            }
        self.init(code, error.description)
    }
}

extension TextEncoding {
    /// Finds the encoding that an address names.
    init(source name: String) throws(SourceError) {
        do throws(UnknownEncoding) {
            self = try TextEncoding(of: name)
        } catch {
            throw SourceError(.invalidAddress, "there is no encoding '\(error.name)'", advice: error.advice)
        }
    }
}

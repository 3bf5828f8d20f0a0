import ContentFeeding
import Glibc
import HTTPClient
import Synchronization
import Threads

/// The credentials in use, and how to get newer ones.
actor CredentialKeeper {
    /// Credentials, and how often they had been renewed.
    struct Version: Sendable {
        let credentials: HTTPCredentials
        let number: Int
    }

    nonisolated let source: CredentialSource
    private(set) var current: Version
    private var renewal: Task<HTTPCredentials?, Never>?

    init(_ source: CredentialSource) async throws(EngineError) {
        self.source = source
        current = Version(credentials: try await source.load(), number: 0)
    }

    /// Others than those that were refused; `nil` where the source gives no others.
    ///
    /// Many requests are refused at once; the source is asked once for all.
    func renewed(after refused: Version) async -> Version? {
        guard source.canChange else { return nil }
        if current.number == refused.number {
            let task = renewal ?? Task { [source] in try? await source.load() }
            renewal = task
            let found = await task.value
            if renewal == task { renewal = nil }
            if current.number == refused.number, let found, found != refused.credentials {
                current = Version(credentials: found, number: current.number + 1)
            }
        }
        return current.number == refused.number ? nil : current
    }
}

extension CredentialSource {
    /// Reads the credentials, anew each time; a helper ends when the task is cancelled.
    func load() async throws(EngineError) -> HTTPCredentials {
        let cancellation = Cancellation()
        let result = await withTaskCancellationHandler {
            await onOwnThread { () -> Result<[UInt8], EngineError> in
                do throws(EngineError) { return .success(try bytes(cancellation)) } catch { return .failure(error) }
            }
        } onCancel: {
            cancellation.isRequested.store(true, ordering: .relaxed)
        }
        return try CredentialText.credentials(try result.get(), from: self)
    }

    private func bytes(_ cancellation: Cancellation) throws(EngineError) -> [UInt8] {
        switch self {
        case .file(let path): return try CredentialFile.read(path)
        case .helper(let command):
            let helper = CredentialHelper(command: command) { cancellation.isRequested.load(ordering: .relaxed) }
            return try helper.run()
        case .environment(let variable):
            guard let value = getenv(variable) else {
                throw EngineError(
                    .permission,
                    "there are no credentials in \(self): it is not set",
                    advice: "set it to \(CredentialText.forms)"
                )
            }
            return Array(UnsafeRawBufferPointer(start: value, count: strlen(value)))
        }
    }
}

/// Whether the task that waits for a thread was cancelled.
private final class Cancellation: Sendable {
    let isRequested = Atomic(false)
}

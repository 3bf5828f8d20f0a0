import ContentFeeding
import Glibc
import Synchronization
import Threads

/// A source of credentials: never an argument, which every user of the machine can read.
///
/// Descriptions show the place, never the secret. The source holds a line in one of three forms:
///
/// - `user:password` for basic authentication; the password begins after the first colon;
/// - `Bearer TOKEN`;
/// - `ApiKey KEY`, as Elasticsearch expects it.
///
/// For a source in Azure Storage it is a connection string, `AccountKey=KEY` or a shared access signature.
///
/// A second line `expires: TIME` says when they end, as in `expires: 2026-11-23T15:00:00Z`: they are then read again
/// before that.
public enum CredentialSource: Hashable, Sendable {
    /// A file that only its owner can read.
    case file(path: String)
    /// An environment variable.
    case environment(variable: String)
    /// A command for `/bin/sh` that prints the credentials.
    ///
    /// It gets no input; its standard error is ours.
    case helper(command: String)
    /// Keys with which requests to Amazon's services are signed; the secret itself is never sent.
    case aws(AWSSigning)

    /// The variable to read when no other source is given.
    public static let standardVariable = "FASTCTL_CREDENTIALS"

    /// The first of the variables of Azure's own tools that is set; `nil` if none is.
    public static var azureEnvironment: CredentialSource? {
        AzureCredentials.variables.first { getenv($0).map { $0.pointee != 0 } ?? false }
            .map { .environment(variable: $0) }
    }

    /// Whether reading again can yield something else.
    var canChange: Bool {
        switch self {
        case .file, .helper: true
        case .environment: false
        case .aws(let signing): signing.origin != .environment
        }
    }

    /// How requests are signed; `nil` if the credentials themselves are sent.
    public var signing: AWSSigning? {
        if case .aws(let signing) = self { signing } else { nil }
    }

    /// Advice about wrong credentials.
    package var advice: String {
        switch self {
        case .file(let path): "put the correct ones into '\(path)'"
        case .environment(let variable): "set \(variable) to the correct ones"
        case .helper: "make the helper print the correct ones"
        case .aws(let signing): signing.advice
        }
    }

    /// Reads the credentials afresh each time; a helper is stopped when the task is cancelled.
    func load() async throws(EngineError) -> LoadedCredentials {
        let cancellation = Cancellation()
        let result = await withTaskCancellationHandler {
            await load(cancellation)
        } onCancel: {
            cancellation.isRequested.store(true, ordering: .relaxed)
        }
        return try result.get()
    }

    private func load(_ cancellation: Cancellation) async -> Result<LoadedCredentials, EngineError> {
        do throws(EngineError) {
            if case .aws(let signing) = self {
                var ring = AWSKeyRing(signing: signing)
                ring.isCancelled = { cancellation.isRequested.load(ordering: .relaxed) }
                return .success(try await ring.load())
            }
            let read = await onOwnThread { () -> Result<[UInt8], EngineError> in
                do throws(EngineError) { return .success(try bytes(cancellation)) } catch { return .failure(error) }
            }
            return .success(try CredentialText.credentials(try read.get(), from: self))
        } catch {
            return .failure(error)
        }
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
            let bytes = Array(UnsafeRawBufferPointer(start: value, count: strlen(value)))
            return AzureCredentials.text(bytes, ofVariable: variable)
        case .aws: return []
        }
    }
}

/// Only a helper's name is shown: the rest may hold a secret, as may a variable set before it.
extension CredentialSource: CustomStringConvertible, CustomReflectable {
    /// The place, worded to follow `the credentials from`.
    public var description: String {
        switch self {
        case .file(let path): "the file '\(path)'"
        case .environment(let variable): "the variable \(variable)"
        case .helper(let command): "the helper '\(Self.name(of: command))'"
        case .aws(let signing): "\(signing)"
        }
    }

    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Returns a helper's command fit to show: its name, and `…` for the rest.
    public static func shownText(ofHelper command: String) -> String {
        let name = name(of: command)
        return name == command ? command : "\(name) …"
    }

    private static func name(of command: String) -> Substring {
        command.prefix { !$0.isWhitespace && $0 != "=" }.prefix(shownLength)
    }

    /// The most characters to show of a helper's name.
    private static let shownLength = 60
}

/// A flag set when the task that waits for a thread is cancelled.
private final class Cancellation: Sendable {
    let isRequested = Atomic(false)
}

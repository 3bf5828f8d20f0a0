import ContentFeeding
import Files
import Glibc
import HTTPClient
import Synchronization
import Threads

/// A source of credentials: never an argument, which every user of the machine can read.
///
/// Descriptions show the place, never the secret. The source holds one line in one of three forms:
///
/// - `user:password` for basic authentication; the password begins after the first colon;
/// - `Bearer TOKEN`;
/// - `ApiKey KEY`, as Elasticsearch expects it.
public enum CredentialSource: Hashable, Sendable {
    /// A file that only its owner can read.
    case file(path: String)
    /// An environment variable.
    case environment(variable: String)
    /// A command for `/bin/sh` that prints the credentials.
    ///
    /// It gets no input; its standard error is ours.
    case helper(command: String)

    /// The variable to read when no other source is given.
    public static let standardVariable = "FASTCTL_CREDENTIALS"

    /// Whether reading again can yield something else.
    fileprivate var canChange: Bool {
        switch self {
        case .file, .helper: true
        case .environment: false
        }
    }

    /// Advice about wrong credentials.
    var advice: String {
        switch self {
        case .file(let path): "put the correct ones into '\(path)'"
        case .environment(let variable): "set \(variable) to the correct ones"
        case .helper: "make the helper print the correct ones"
        }
    }

    /// Reads the credentials afresh each time; a helper is stopped when the task is cancelled.
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

/// Only a helper's name is shown: the rest may hold a secret, as may a variable set before it.
extension CredentialSource: CustomStringConvertible, CustomReflectable {
    /// The place, worded to follow `the credentials from`.
    public var description: String {
        switch self {
        case .file(let path): "the file '\(path)'"
        case .environment(let variable): "the variable \(variable)"
        case .helper(let command): "the helper '\(Self.name(of: command))'"
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

/// The credentials in use, and the means to renew them.
actor CredentialKeeper {
    /// Credentials, and the number of renewals before them.
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

    /// Returns credentials other than the refused ones; `nil` if the source has no others.
    ///
    /// Many requests are refused at once; the source is read once for all of them.
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

/// A parser of the one line that a ``CredentialSource`` yields.
enum CredentialText {
    /// The longest text that counts as credentials, in bytes.
    static let maximumByteCount = 16 << 10

    /// The forms, as advice names them.
    static let forms = "one line: user:password, Bearer TOKEN or ApiKey KEY"

    /// Parses credentials; no error quotes what was read.
    static func credentials(_ bytes: [UInt8], from source: CredentialSource) throws(EngineError) -> HTTPCredentials {
        guard bytes.count <= maximumByteCount else {
            throw refusal(source, "are longer than \(maximumByteCount) bytes")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw refusal(source, "are not UTF-8") }
        let line = withoutLineEnd(text)
        guard !line.isEmpty else { throw refusal(source, "are empty") }
        guard line.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw refusal(source, "are more than one line or contain a control character")
        }
        guard rest(of: line, after: "authorization:") == nil else {
            throw refusal(source, "are a whole header; leave out 'Authorization:'")
        }
        if let token = rest(of: line, after: "bearer ") {
            return .bearer(token: try word(token, "token", source))
        }
        if let key = rest(of: line, after: "apikey ") { return .apiKey(try word(key, "key", source)) }
        guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            throw refusal(source, "are not in a known form")
        }
        let (user, password) = (line[..<colon], line[line.utf8.index(after: colon)...])
        guard !user.isEmpty, !password.isEmpty else { throw refusal(source, "lack a user or a password") }
        return .basic(user: String(user), password: String(password))
    }

    /// Removes a line end: editors and `echo` add one; nobody's password ends with one.
    private static func withoutLineEnd(_ text: String) -> Substring {
        var bytes = text.utf8[...]
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return Substring(bytes)
    }

    private static func rest(of line: Substring, after scheme: String) -> Substring? {
        line.prefix(scheme.count).lowercased() == scheme ? line.dropFirst(scheme.count) : nil
    }

    /// Checks a token or a key, which goes into a header as it is.
    private static func word(
        _ text: Substring,
        _ name: String,
        _ source: CredentialSource
    ) throws(EngineError) -> String {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw refusal(source, "contain a \(name) that is empty or has invalid characters")
        }
        return String(text)
    }

    private static func refusal(_ source: CredentialSource, _ problem: String) -> EngineError {
        EngineError(.permission, "the credentials from \(source) \(problem)", advice: "expected \(forms)")
    }
}

/// A reader of credentials files that are not open to others.
private enum CredentialFile {
    /// Permissions allowed besides the owner's: the group may read a file that root owns.
    private static func allowedForOthers(_ file: SmallFile) -> UInt32 { file.owner == 0 ? 0o040 : 0 }

    /// Reads the file, or enough of it to show that it is too large.
    static func read(_ path: String) throws(EngineError) -> [UInt8] {
        let file: SmallFile
        do throws(FileError) { file = try SmallFile(path) } catch { throw failure(error) }
        let others = file.permissions & 0o077 & ~allowedForOthers(file)
        guard others == 0 else {
            let mode = String(file.permissions & 0o777, radix: 8)
            throw EngineError(
                .permission,
                "the credentials file '\(path)' is open to other users (mode 0\(mode))",
                advice: "make it private: chmod 600 '\(path)'"
            )
        }
        do throws(FileError) {
            return try file.prefix(CredentialText.maximumByteCount + 1)
        } catch { throw failure(error) }
    }

    private static func failure(_ error: FileError) -> EngineError {
        guard error.code != nil else {
            return EngineError(
                .permission,
                "'\(error.path)' can't hold credentials: it is not a regular file",
                advice: "use a regular file, or a command with --credentials-helper"
            )
        }
        return EngineError(
            .permission,
            "the credentials file '\(error.path)' can't be read: \(error.reason)",
            advice: "check its path and its owner"
        )
    }
}

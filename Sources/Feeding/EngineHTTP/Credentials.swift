import ContentFeeding
import Files
import Glibc
import HTTPClient
import Synchronization
import TextKit
import Threads

/// A source of credentials, which is never a command-line argument, because every user of the machine could read it.
///
/// Descriptions show the location, never the secret. The source holds a line in one of three forms:
///
/// - `user:password` for basic authentication; the password begins after the first colon;
/// - `Bearer TOKEN`;
/// - `ApiKey KEY`, as Elasticsearch expects it.
///
/// For a source in Azure Storage, the line is a connection string, `AccountKey=KEY` or a shared access signature.
///
/// An optional second line, such as `expires: 2026-11-23T15:00:00Z`, gives the time at which the credentials expire;
/// the source is then read again before that time.
public enum CredentialSource: Hashable, Sendable {
    /// A file that only its owner can read.
    case file(path: String)
    /// An environment variable.
    case environment(variable: String)
    /// A command for `/bin/sh` that prints the credentials.
    ///
    /// The command's standard input is empty, and it shares this process's standard error.
    case helper(command: String)
    /// Keys for signing requests to Amazon's services; the secret itself is never sent.
    case aws(AWSSigning)

    /// The environment variable to read when no other source is given.
    public static let standardVariable = "FASTCTL_CREDENTIALS"

    /// The first environment variable of Azure's own tools that is set; `nil` if none is.
    public static var azureEnvironment: CredentialSource? {
        AzureCredentials.variables.first { getenv($0).map { $0.pointee != 0 } ?? false }
            .map { .environment(variable: $0) }
    }

    /// Whether reading the source again can yield other credentials.
    var canChange: Bool {
        switch self {
        case .file, .helper: true
        case .environment: false
        case .aws(let signing): signing.origin != .environment
        }
    }

    /// The way requests are signed; `nil` if the credentials themselves are sent.
    public var signing: AWSSigning? {
        if case .aws(let signing) = self { signing } else { nil }
    }

    /// Advice about wrong credentials.
    package var advice: String {
        switch self {
        case .file(let path): "put the correct credentials in '\(path)'"
        case .environment(let variable): "set \(variable) to the correct credentials"
        case .helper: "make the helper print the correct credentials"
        case .aws(let signing): signing.advice
        }
    }

    /// Reads the credentials from the source on every call; a helper is stopped when the task is canceled.
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
                    "no credentials in \(self): it is not set",
                    advice: "set it to \(CredentialText.forms)"
                )
            }
            let bytes = Array(UnsafeRawBufferPointer(start: value, count: strlen(value)))
            return AzureCredentials.text(bytes, ofVariable: variable)
        case .aws: return []
        }
    }
}

/// Only a helper's name is shown: the rest of the command, or a variable assignment before it, may contain a secret.
extension CredentialSource: CustomStringConvertible, CustomReflectable {
    /// The location, as a phrase that can follow `the credentials from`.
    public var description: String {
        switch self {
        case .file(let path): "the file '\(path)'"
        case .environment(let variable): "the variable \(variable)"
        case .helper(let command): "the helper '\(CommandLineWords.helperName(in: command))'"
        case .aws(let signing): "\(signing)"
        }
    }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A flag that is set when the task that is waiting for a thread is canceled.
private final class Cancellation: Sendable {
    let isRequested = Atomic(false)
}

/// A parser of the text that a ``CredentialSource`` provides.
enum CredentialText {
    /// The maximum length of credentials, in bytes.
    static let maximumByteCount = 16 << 10

    /// The accepted forms, as advice lists them.
    static let forms = "one line: user:password, Bearer TOKEN or ApiKey KEY"

    /// Parses credentials; errors never quote the text.
    static func credentials(_ bytes: [UInt8], from source: CredentialSource) throws(EngineError) -> LoadedCredentials {
        guard bytes.count <= maximumByteCount else {
            throw refusal(source, "are longer than \(maximumByteCount) bytes")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw refusal(source, "are not UTF-8") }
        let (line, end) = try split(withoutLineEnd(text), source)
        guard !line.isEmpty else { throw refusal(source, "are empty") }
        guard line.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw refusal(source, "span more than one line or contain a control character")
        }
        guard rest(of: line, after: "authorization:") == nil else {
            throw refusal(source, "are a whole header; omit 'Authorization:'")
        }
        if let token = rest(of: line, after: "bearer ") {
            return LoadedCredentials(.sent(.bearer(token: try word(token, "token", source))), end: end)
        }
        if let key = rest(of: line, after: "apikey ") {
            return LoadedCredentials(.sent(.apiKey(try word(key, "key", source))))
        }
        do throws(AzureCredentials.Problem) {
            if let azure = try AzureCredentials(line) { return LoadedCredentials(.azure(azure), end: end) }
        } catch {
            throw refusal(source, error.words, expected: AzureCredentials.forms)
        }
        guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            throw refusal(source, "are not in a recognized format")
        }
        let (user, password) = (line[..<colon], line[line.utf8.index(after: colon)...])
        guard !user.isEmpty, !password.isEmpty else { throw refusal(source, "lack a user name or a password") }
        return LoadedCredentials(.sent(.basic(user: String(user), password: String(password))), end: end)
    }

    /// Separates the credentials from an optional second line with their expiry.
    private static func split(
        _ text: Substring,
        _ source: CredentialSource
    ) throws(EngineError) -> (line: Substring, end: WallTime?) {
        guard let place = text.utf8.firstIndex(of: UInt8(ascii: "\n")) else { return (text, nil) }
        guard let value = rest(of: text[text.utf8.index(after: place)...], after: "expires: ") else {
            return (text, nil)
        }
        guard let end = WallTime(iso8601: value) else {
            throw refusal(source, "expire at a time that can't be read", expected: "expires: 2026-11-23T15:00:00Z")
        }
        return (withoutLineEnd(text[...place]), end)
    }

    /// Removes a trailing line break: editors and `echo` add one, and passwords never end with one.
    private static func withoutLineEnd(_ text: some StringProtocol) -> Substring {
        var bytes = Substring(text).utf8
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return Substring(bytes)
    }

    private static func rest(of line: Substring, after scheme: String) -> Substring? {
        line.prefix(scheme.count).lowercased() == scheme ? line.dropFirst(scheme.count) : nil
    }

    /// Checks a token or a key, which is copied unchanged into a header.
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

    private static func refusal(
        _ source: CredentialSource,
        _ problem: String,
        expected: String = forms
    ) -> EngineError {
        EngineError(.permission, "the credentials from \(source) \(problem)", advice: "expected \(expected)")
    }
}

/// A reader of credentials files that are not open to others.
enum CredentialFile {
    /// The permissions allowed in addition to the owner's: a file owned by root may be readable by its group.
    private static func allowedForOthers(_ file: SmallFile) -> UInt32 { file.owner == 0 ? 0o040 : 0 }

    /// Reads the file, or enough of it to detect that it is too large.
    static func read(_ path: String) throws(EngineError) -> [UInt8] {
        let file: SmallFile
        do throws(FileError) { file = try SmallFile(path) } catch { throw failure(error) }
        return try read(file, path, maximum: CredentialText.maximumByteCount)
    }

    /// Reads a file as ``read(_:)`` does; returns `nil` if the file does not exist.
    static func readIfPresent(_ path: String, maximum: Int) throws(EngineError) -> [UInt8]? {
        let file: SmallFile
        do throws(FileError) {
            file = try SmallFile(path)
        } catch {
            if error.isMissing { return nil }
            throw failure(error)
        }
        return try read(file, path, maximum: maximum)
    }

    private static func read(_ file: SmallFile, _ path: String, maximum: Int) throws(EngineError) -> [UInt8] {
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
            return try file.prefix(maximum + 1)
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

/// Credentials read from a source.
struct LoadedCredentials: Hashable, Sendable {
    enum Proof: Hashable, Sendable {
        /// Credentials that are sent unchanged with each request.
        case sent(HTTPCredentials)
        /// Keys that are never sent, but sign each request.
        case aws(AWSKeys)
        /// Credentials for Azure Storage only, which sign each request or are sent as its signature.
        case azure(AzureCredentials)
    }

    let proof: Proof
    /// The time at which the credentials expire, if their source states it.
    let end: WallTime?

    init(_ proof: Proof, end: WallTime? = nil) { (self.proof, self.end) = (proof, end) }
}

/// The keeper of the credentials in use, which renews them.
actor CredentialKeeper {
    /// Credentials, and the number of preceding renewals.
    struct Version: Hashable, Sendable {
        let proof: LoadedCredentials.Proof
        let number: Int
    }

    typealias Load = @concurrent @Sendable () async throws(EngineError) -> LoadedCredentials

    nonisolated let source: CredentialSource
    private let clock: @Sendable () -> WallTime
    private let load: Load
    private(set) var current: Version
    private var renewal: Task<LoadedCredentials?, Never>?
    /// The time at which to read the source again, before the credentials expire.
    private var due: WallTime?
    /// The last version that was refused although the source still returned it, and the time at which the source was
    /// last read.
    private var vain: (number: Int, asked: WallTime)?

    /// The maximum number of seconds before expiry at which credentials are renewed, because requests take time and
    /// clocks differ.
    private static let longestLead = 300
    /// The minimum number of seconds between readings of a source that has no newer credentials.
    private static let pause = 10

    init(_ source: CredentialSource) async throws(EngineError) {
        try await self.init(
            source,
            clock: { .now() },
            load: { () async throws(EngineError) in try await source.load() }
        )
    }

    /// Creates a keeper that reads the credentials with `load` instead of from the source.
    init(
        _ source: CredentialSource,
        clock: @escaping @Sendable () -> WallTime,
        load: @escaping Load
    ) async throws(EngineError) {
        self.source = source
        self.clock = clock
        self.load = load
        let loaded = try await load()
        current = Version(proof: loaded.proof, number: 0)
        due = Self.due(loaded.end, at: clock())
    }

    /// Returns the credentials for a request, after renewing them if they are about to expire.
    func inUse() async -> Version {
        if let due, source.canChange, clock() >= due { await renew(current.number) }
        return current
    }

    /// Returns credentials other than the refused ones, and whether the source was read to get them; `nil` if the
    /// source has no others.
    ///
    /// If many requests are refused at once, the source is read once for all of them, and only if `mayAsk`.
    func renewed(after refused: Version, mayAsk: Bool = true) async -> (version: Version, wasAsked: Bool)? {
        guard source.canChange else { return nil }
        let asks = mayAsk && current.number == refused.number && !isVain(refused.number)
        if asks {
            await renew(refused.number)
            if current.number == refused.number { vain = (refused.number, clock()) }
        }
        return current.number == refused.number ? nil : (current, asks)
    }

    private func isVain(_ number: Int) -> Bool {
        guard let vain, vain.number == number else { return false }
        return clock().seconds - vain.asked.seconds < Self.pause
    }

    private func renew(_ number: Int) async {
        let task = renewal ?? Task { [load] in try? await load() }
        renewal = task
        let found = await task.value
        if renewal == task { renewal = nil }
        guard current.number == number else { return }
        let now = clock()
        if let found, found.proof != current.proof { current = Version(proof: found.proof, number: number + 1) }
        // If the source fails, the credentials in use may still be valid.
        due = found.map { Self.due($0.end, at: now) } ?? WallTime(seconds: now.seconds + Self.pause)
    }

    /// Returns the time at which to renew credentials: after nine tenths of the remaining time until their expiry.
    private static func due(_ end: WallTime?, at now: WallTime) -> WallTime? {
        guard let end else { return nil }
        let left = end.seconds - now.seconds
        // A source that returns expired credentials is not read again for each request.
        guard left > 0 else { return WallTime(seconds: now.seconds + pause) }
        return WallTime(seconds: end.seconds - min(longestLead, left / 10))
    }
}

/// A command that prints credentials.
///
/// The helper leads a process group, which is ended when the helper ends, or when this process ends for any reason: one
/// member of the group waits for the end of a pipe that only this process holds open.
struct CredentialHelper {
    let command: String
    /// The time limit for the helper, from start to end.
    var timeLimit = Duration.seconds(30)
    /// A description of the expected output, for messages.
    var expectation = CredentialText.forms
    /// Whether the waiting task was canceled, so the helper can be stopped.
    var isCancelled: @Sendable () -> Bool = { false }

    /// The interval at which `isCancelled` and the helper's end are checked while reading, in milliseconds.
    private static let interval = 50.0

    /// Runs the helper and returns its output; processes that it leaves running are ended.
    ///
    /// This method blocks, so it must be called on a separate thread.
    func run() throws(EngineError) -> [UInt8] {
        let (output, group) = try start()
        defer { close(output) }
        let (bytes, ending) = read(output, from: group, until: .now + timeLimit)
        let end = group.end()
        switch ending {
        case .cancelled:
            throw EngineError(.cancelled, "canceled before \(CredentialSource.helper(command: command)) ended")
        case .late: throw failure("it did not finish within \(timeLimit.components.seconds) s and was stopped")
        case .tooLong: return bytes
        case .ended: break
        }
        switch end {
        case .status(0), .stopped: return bytes
        case .status(let status): throw failure("it failed (status \(status))")
        case .signal(let signal): throw failure("it was terminated by signal \(signal)")
        }
    }

    /// Starts the helper, and returns the pipe with its output.
    private func start() throws(EngineError) -> (output: Int32, ChildGroup) {
        do throws(SystemRefusal) {
            // The helper must not read our standard input, which may be a list of IDs.
            let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard nothing >= 0 else { throw SystemRefusal(code: errno) }
            defer { close(nothing) }
            let output = try pipeEnds()
            defer { close(output.writer) }
            do throws(SystemRefusal) {
                let words = ["/bin/sh", "-c", command]
                return (output.reader, try ChildGroup(words, streams: (nothing, output.writer, STDERR_FILENO)))
            } catch {
                close(output.reader)
                throw error
            }
        } catch {
            throw failure("it can't be run: \(error)")
        }
    }

    private enum Ending { case ended, late, cancelled, tooLong }

    /// Reads the helper's output until the helper ends or the output exceeds the limit.
    ///
    /// Output of processes that the helper leaves running is ignored: they may hold the pipe open forever.
    private func read(
        _ descriptor: Int32,
        from group: ChildGroup,
        until deadline: ContinuousClock.Instant
    ) -> ([UInt8], Ending) {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        var isOpen = true
        while bytes.count <= CredentialText.maximumByteCount {
            // Check this before reading: if the helper has ended, all its output is already in the pipe.
            let hasEnded = group.hasEnded
            let left = (deadline - .now) / .milliseconds(1)
            if isCancelled() { return (bytes, .cancelled) }
            guard left > 0 else { return (bytes, .late) }
            guard isOpen else {
                if hasEnded { return (bytes, .ended) }
                usleep(2_000)
                continue
            }
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard Glibc.poll(&poll, 1, hasEnded ? 0 : Int32(min(left, Self.interval)) + 1) > 0 else {
                if hasEnded { return (bytes, .ended) }
                continue
            }
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count > 0 { bytes += buffer.prefix(count) } else { isOpen = false }
        }
        return (bytes, .tooLong)
    }

    private func failure(_ problem: String) -> EngineError {
        EngineError(
            .permission,
            "can't get credentials from \(CredentialSource.helper(command: command)): \(problem)",
            advice: "run it by hand: it must print \(expectation)"
        )
    }
}

import ContentFeeding
import HTTPClient

/// Credentials as they were read.
struct LoadedCredentials: Hashable, Sendable {
    enum Proof: Hashable, Sendable {
        /// Sent with each request as they are.
        case sent(HTTPCredentials)
        /// Never sent: each request is signed.
        case aws(AWSKeys)
        /// For Azure Storage only: each request is signed, or carries a signature.
        case azure(AzureCredentials)
    }

    let proof: Proof
    /// When they end, if their source says so.
    let end: WallTime?

    init(_ proof: Proof, end: WallTime? = nil) { (self.proof, self.end) = (proof, end) }
}

/// The credentials in use, and the means to renew them.
actor CredentialKeeper {
    /// Credentials, and the number of renewals before them.
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
    /// When to ask the source again, before they end.
    private var due: WallTime?
    /// The last version that was refused although the source still gives it, and when it was last asked.
    private var vain: (number: Int, asked: WallTime)?

    /// The longest time before their end that credentials are renewed: requests take time, and clocks differ.
    private static let longestLead = 300
    /// The time between questions to a source that has nothing newer, in seconds.
    private static let pause = 10

    init(_ source: CredentialSource) async throws(EngineError) {
        try await self.init(
            source,
            clock: { .now() },
            load: { () async throws(EngineError) in try await source.load() }
        )
    }

    /// Reads the credentials with `load` in place of the source.
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

    /// Returns the credentials for a request, renewed if they are about to end.
    func inUse() async -> Version {
        if let due, source.canChange, clock() >= due { await renew(current.number) }
        return current
    }

    /// Returns credentials other than the refused ones; `nil` if the source has no others.
    ///
    /// Many requests are refused at once; the source is read once for all of them, and not at all unless `mayAsk`.
    func renewed(after refused: Version, mayAsk: Bool = true) async -> Version? {
        guard source.canChange else { return nil }
        if mayAsk, current.number == refused.number, !isVain(refused.number) {
            await renew(refused.number)
            if current.number == refused.number { vain = (refused.number, clock()) }
        }
        return current.number == refused.number ? nil : current
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
        // Without an answer, those in use may still be good.
        due = found.map { Self.due($0.end, at: now) } ?? WallTime(seconds: now.seconds + Self.pause)
    }

    /// Returns when credentials are to be renewed: a tenth of their time before their end.
    private static func due(_ end: WallTime?, at now: WallTime) -> WallTime? {
        guard let end else { return nil }
        let left = end.seconds - now.seconds
        // A source that gives what has ended is not asked with each request.
        guard left > 0 else { return WallTime(seconds: now.seconds + pause) }
        return WallTime(seconds: end.seconds - min(longestLead, left / 10))
    }
}

public import ContentFeeding
public import EngineHTTP
import HTTPClient
import Synchronization

/// Gets what a source has over HTTP: patient with a server that is busy or lost, strict with what comes.
///
/// A request only reads, so it may always be repeated, whatever became of it. Redirects are not followed.
final class SourceConnection: Sendable {
    private let access: HTTPAccess
    private let transport: HTTPTransport
    private let prover: RequestProver
    private let generator: Mutex<SplitMix64>
    /// Whether the server has ever said anything.
    private let hasAnswered = Atomic(false)

    /// Reads the credentials; sends nothing yet.
    init(_ access: HTTPAccess, for storage: AzureStorage? = nil) async throws(SourceError) {
        self.access = access
        do throws(EngineError) {
            prover = try await RequestProver(access.connection, for: storage)
        } catch {
            throw SourceError(.permission, error.message, advice: error.advice)
        }
        transport = HTTPTransport(access.connection.configuration(nodeCount: 1))
        generator = Mutex(SplitMix64(seed: access.seed))
    }

    deinit {
        transport.close()
    }

    /// Returns a successful reply, or one with a status that the caller has a use for.
    func get(
        _ address: HTTPAddress,
        headers: [HTTPHeader] = [],
        accepting statuses: Set<Int> = []
    ) async throws(SourceError) -> HTTPResponse {
        var attempt = 0
        var renewals = 0
        while true {
            attempt += 1
            let problem: HTTPProblem
            var request = HTTPRequest(.get, address.url, headers: headers)
            request.timeLimits = access.connection.timeLimits(access.connection.requestTimeout, nodesLeft: 1)
            request.proxy = access.connection.proxy(to: address.node)
            request.acceptsGzip = !address.node.isLoopback
            let version = await prover.prove(&request, at: access.now())
            do throws(HTTPFailure) {
                let reply = try await transport.send(request)
                hasAnswered.store(true, ordering: .relaxed)
                if (200...299).contains(reply.status) || statuses.contains(reply.status) { return reply }
                let refusal = Refusal(
                    reply,
                    of: address,
                    source: prover.source,
                    end: prover.end(of: version),
                    now: access.now()
                )
                if refusal.concernsCredentials, renewals < Self.maximumRenewals, await prover.renews(version) {
                    renewals += 1
                    continue
                }
                problem = refusal.problem(SentSecrets(request).cleaned)
            } catch {
                problem = HTTPProblem(error, at: address)
            }
            guard problem.mayPass, attempt < maximumAttempts(problem) else { throw problem.error(after: attempt) }
            try await pause(problem, after: attempt)
        }
    }

    /// How often a server is looked for that has never answered: its name or port may be mistyped.
    private static let firstAttempts = 3
    /// How often a request is sent again with newer credentials.
    private static let maximumRenewals = 3

    private func maximumAttempts(_ problem: HTTPProblem) -> Int {
        problem.isOfAddress && !hasAnswered.load(ordering: .relaxed)
            ? min(Self.firstAttempts, access.retries.attempts) : access.retries.attempts
    }

    /// Waits as long as the server asks, or for a time that doubles and is drawn by lot.
    private func pause(_ problem: HTTPProblem, after attempt: Int) async throws(SourceError) {
        let own = generator.withLock { access.retries.pause(after: attempt, using: &$0) }
        let pause = max(own, min(problem.wait ?? .zero, access.retries.maximumSlowDown))
        do {
            try await access.clock.sleep(for: pause)
        } catch {
            throw SourceError(.cancelled, "reading was cancelled")
        }
    }
}

/// How a source is reached over HTTP: credentials, TLS, proxy, time limits, patience.
public struct HTTPAccess: Sendable {
    /// Whom to trust, how to prove who we are, and how long one request may take.
    public var connection: ConnectionOptions
    /// How often a request is repeated, and how soon.
    public var retries: RetryPolicy
    /// The clock by which pauses are counted.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// The seed that determines the length of pauses.
    public var seed = UInt64.random(in: 0 ... .max)
    /// The time by the calendar, which signatures are valid for.
    package var now: @Sendable () -> WallTime = { .now() }

    /// Creates the access with these options, and the usual patience.
    public init(_ connection: ConnectionOptions = ConnectionOptions()) {
        self.connection = connection
        retries = RetryPolicy()
        // Azure's services ask for this pause themselves; a second try at once would meet the same limit.
        retries.base = .milliseconds(400)
    }
}

extension HTTPAccess {
    /// The access with the credentials that Azure's own tools find in the environment; with none if there are none.
    public static var azureEnvironment: HTTPAccess {
        var connection = ConnectionOptions()
        connection.credentials = .azureEnvironment
        return HTTPAccess(connection)
    }
}

/// SHA-256 of bytes that arrive in pieces; the digest of those that have come can be asked for at any time.
public struct RunningSHA256: ~Copyable {
    private let running = MessageDigestContext(.sha256)
    /// Takes copies of `running`, because asking for a digest ends a computation.
    private let copy = MessageDigestContext(.sha256)

    public init() { running.start() }

    public mutating func update(_ bytes: Span<UInt8>) { running.update(bytes) }

    /// Returns the digest of all bytes so far; more may follow.
    public mutating func digestSoFar() -> Digest { copy.digest(ofCopied: running) }
}

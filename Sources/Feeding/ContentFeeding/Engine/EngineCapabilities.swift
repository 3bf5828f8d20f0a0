/// What an engine can promise, and what it limits.
///
/// The feeder adapts to it.
public struct EngineCapabilities: Hashable, Sendable {
    /// Tells a removed document from one that was not there.
    public var reportsMissing = true
    /// A batch happens whole or not at all, and a failure says which.
    public var isTransactional = false
    /// Stores a batch's progress together with its effects, so a repeated batch has none.
    public var keepsProgress = false
    /// A late copy of an old operation can't undo a newer one.
    public var hasFence = false
    /// How far a batch has come when `apply` returns.
    public var appliedLevel = CompletionLevel.secured
    /// How long a request may live on inside the engine after its client gave up.
    public var quarantine = Duration.seconds(60)
    /// Batches that it takes at the same time.
    public var maximumBatchesInFlight = 4
    public var maximumBatchCount = Int.max
    /// Gives a document back byte by byte as it was fed; else only what it says is the same.
    public var keepsDocumentBytes = true
    /// In bytes.
    public var maximumBatchBytes = Int.max
    /// In bytes of UTF-8.
    public var maximumIDBytes = DocumentID.maximumByteCount

    /// A folder on the engine's own disk for what must not fill memory; `nil` for an engine elsewhere.
    public var spillDirectory: String?

    public init() {}
}

/// How far an operation has come inside the engine.
public enum CompletionLevel: String, Hashable, Sendable, Comparable, CaseIterable {
    /// The engine has it.
    case submitted
    /// The engine has worked on it.
    case processed
    /// It survives a crash of the engine.
    case secured
    /// Searches see it.
    case live

    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .submitted: 0
        case .processed: 1
        case .secured: 2
        case .live: 3
        }
    }
}

/// How bad a finding is.
public enum Severity: String, Sendable, Decodable, CaseIterable, Comparable {
    /// Worth knowing.
    case info
    /// It will fail, is slow or unsafe.
    case warning
    /// Users see failures.
    case error
    /// The service or data are at risk now.
    case critical

    public static func < (one: Self, other: Self) -> Bool { one.rank < other.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// How sure a finding is.
public enum Confidence: String, Sendable, Decodable, CaseIterable {
    /// Something speaks against it.
    case possible
    /// The signature only.
    case likely
    /// Logs and configuration agree.
    case certain
}

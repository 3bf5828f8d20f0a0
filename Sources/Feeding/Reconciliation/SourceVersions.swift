public import ContentFeeding
public import Sources

/// The versions of all entries of a source, and what was no entry.
///
/// An actor, because whoever reads asks from a task of its own.
public actor SourceVersions {
    private let reader: any SourceReader
    private let traits: SourceTraits
    private let basis: VersionBasis
    /// What was read so far.
    public private(set) var account = SourceAccount()

    /// Begins to read a source from its beginning.
    public init(of source: any DocumentSource, by basis: VersionBasis) async throws(SourceError) {
        traits = source.traits
        self.basis = basis
        reader = try await source.reader(of: basis.contents(of: source.traits), from: .beginning)
    }

    /// Returns the next versions, and `nil` at the end.
    ///
    /// May be called again after an error: nothing was passed over.
    public func next() async throws(SourceError) -> PackedVersions? {
        guard let page = try await reader.next() else { return nil }
        var versions = PackedVersions()
        for entry in page.entries {
            let digest = basis.digest(of: entry, traits)
            if digest == 0 { account.unversioned += 1 }
            versions.append(entry.id.utf8, digest)
        }
        account.entries += page.entries.count
        account.rejected += page.rejections.count + page.unnamedRejections
        account.rejections += page.rejections.prefix(SourceAccount.mostRejections - account.rejections.count)
        return versions
    }
}

/// What was read of a source.
public struct SourceAccount: Hashable, Sendable {
    /// The entries, each as often as it came.
    public var entries = 0
    /// Those that have no version to compare, and so are never the same as a document.
    public var unversioned = 0
    /// What is something, but no entry: nobody can say under which ID.
    public var rejected = 0
    /// The first of these.
    public var rejections: [InputRejection] = []

    /// The most rejections that are named; all are counted.
    static let mostRejections = 100

    /// Creates an account of nothing.
    public init() {}

    /// Why the source may not have been read whole, so that what it lacks may not be gone; `nil` if it was.
    ///
    /// - Parameters:
    ///   - last: The entries of the last reading that was whole; `nil` if there was none.
    ///   - share: The share of these that there must be at least, in percent.
    ///   - allowsNone: Whether a source without any entry may be whole.
    /// - Returns: The reason.
    public func shortfall(since last: Int?, share: Double, allowsNone: Bool) -> SourceShortfall? {
        if rejected > 0 { return .rejections(rejected) }
        if entries == 0, !allowsNone { return .empty }
        guard let last, Double(entries) < Double(last) * share / 100 else { return nil }
        return .fewer(entries: entries, before: last, share: share)
    }
}

/// Why a source may not have been read whole.
public enum SourceShortfall: Hashable, Sendable {
    /// Some of what is there has no ID that could be read.
    case rejections(Int)
    /// There was nothing at all.
    case empty
    /// There was much less than at the last reading.
    case fewer(entries: Int, before: Int, share: Double)
}

extension SourceShortfall: CustomStringConvertible {
    public var description: String {
        switch self {
        case .rejections(1): "1 of its entries could not be read, and may be any document"
        case .rejections(let count): "\(count) of its entries could not be read, and may be any documents"
        case .empty: "it has no entries at all"
        case .fewer(let entries, let before, let share):
            "it has \(entries) entries, less than \(Self.text(share)) % of the \(before) at the last reading"
        }
    }

    private static func text(_ share: Double) -> String { Int(exactly: share).map { "\($0)" } ?? "\(share)" }
}

import ContentFeeding

/// A condition as a journal keeps it: a word, and for most of them a colon and the rest.
extension WriteCondition {
    var journalText: String {
        switch self {
        case .absent: Word.absent.rawValue
        case .unchanged(let version): "\(Word.unchanged):\(version.rawValue)"
        case .olderThan(let version): "\(Word.older):\(version)"
        case .contents(let contents): "\(Word.contents):\(contents.map(\.rawValue).joined(separator: ","))"
        }
    }

    /// Reads a condition; `nil` if this program knows none like it.
    init?(journalText text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let rest = parts.count == 2 ? String(parts[1]) : nil
        switch (Word(rawValue: String(parts[0])), rest) {
        case (.absent, nil): self = .absent
        case (.unchanged, let version?): self = .unchanged(DocumentVersion(rawValue: version))
        case (.older, let version?):
            guard let version = Int64(version) else { return nil }
            self = .olderThan(version)
        case (.contents, let list?):
            let digests = list.split(separator: ",").map { ContentDigest(rawValue: String($0)) }
            guard digests.allSatisfy({ $0 != nil }) else { return nil }
            self = .contents(digests.compactMap(\.self))
        default: return nil
        }
    }

    private enum Word: String {
        case absent, unchanged, older, contents
    }
}

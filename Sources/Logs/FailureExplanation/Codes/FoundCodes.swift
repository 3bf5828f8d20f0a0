/// Which of several codes count that a text may have.
enum FoundCodes {
    /// The codes without those that a better one overlaps or says too, in the order of the text.
    static func chosen(_ candidates: [FoundCode]) -> [FoundCode] {
        let best = candidates.enumerated().sorted { one, other in
            let (left, right) = (one.element, other.element)
            if left.evidence != right.evidence { return left.evidence.rank < right.evidence.rank }
            if left.range.count != right.range.count { return left.range.count > right.range.count }
            return one.offset < other.offset
        }
        var chosen: [FoundCode] = []
        for (_, code) in best {
            let isTold = chosen.contains { $0.range.overlaps(code.range) || $0.code.saysTheSame(as: code.code) }
            if !isTold { chosen.append(code) }
            if chosen.count == maximum { break }
        }
        return chosen.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// More codes than this in one text are a listing, not a failure.
    private static let maximum = 64
}

extension FoundCode.Evidence {
    fileprivate var rank: Int {
        switch self {
        case .number: 0
        case .name: 1
        case .phrase: 2
        }
    }
}

extension FailureCode {
    /// 0x80070005 and Windows' error 5 are one failure.
    fileprivate func saysTheSame(as other: FailureCode) -> Bool { innermost == other.innermost }

    private var innermost: CodeKey {
        if space == .hresult || space == .clr, let inner = StructuredCode(number)?.inner { return inner }
        return CodeKey(space, plain)
    }
}

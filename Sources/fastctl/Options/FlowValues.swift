public import ArgumentParsing
public import ContentFeeding

extension OperationRate: ArgumentValue {
    /// `500` and `500/s` are the same, `90/m` is slower than any of them.
    public init(argument word: String) throws(ArgumentExpectation) {
        let parts = word.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let periods: [Substring: Duration] = ["s": .seconds(1), "m": .seconds(60)]
        guard let count = parts.first.flatMap({ Int($0) }), (1...Self.maximumCount).contains(count),
            let period = parts.count == 1 ? .seconds(1) : periods[parts[1]]
        else { throw ArgumentExpectation("a rate such as 500, 500/s or 90/m") }
        self.init(count, per: period)
    }

    public var argumentText: String { "\(count)/\(period == .seconds(1) ? "s" : "m")" }
}

extension HaltPolicy: ArgumentValue {
    /// `fail=10`, or `fail=5%`.
    public init(argument word: String) throws(ArgumentExpectation) {
        let value = word.hasPrefix("fail=") ? word.dropFirst(5) : ""
        if value.hasSuffix("%"), let share = Double(value.dropLast()), share > 0, share <= 100 {
            self = .percent(share)
        } else if let count = Int(value), count >= 1 {
            self = .errors(count)
        } else {
            throw ArgumentExpectation("a number of documents such as fail=10, or a share such as fail=5%")
        }
    }

    public var argumentText: String {
        switch self {
        case .errors(let count): "fail=\(count)"
        case .percent(let share): "fail=\(share)%"
        }
    }
}

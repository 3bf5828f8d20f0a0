/// When so many documents have an error that going on makes no sense.
public enum HaltPolicy: Hashable, Sendable {
    /// This many of them.
    case errors(Int)
    /// This share of the settled ones, in percent, once there are ``leastSettled`` of them.
    case percent(Double)

    /// A share of fewer operations says nothing.
    public static let leastSettled = 100

    /// Whether it is so.
    func applies(to errors: Int, of settled: Int) -> Bool {
        guard errors > 0 else { return false }
        return switch self {
        case .errors(let limit): errors >= limit
        case .percent(let share): settled >= Self.leastSettled && Double(errors) * 100 >= share * Double(settled)
        }
    }
}

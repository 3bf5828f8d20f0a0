/// A size as a person reads it: `512 B`, `1.5 MiB`.
public struct ShortByteCount: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ bytes: Int) {
        var (rest, unit) = (bytes * 10, "B")
        for next in ["KiB", "MiB", "GiB", "TiB"] where rest >= 10240 { (rest, unit) = (rest / 1024, next) }
        description = unit == "B" || rest >= 1000 ? "\(rest / 10) \(unit)" : "\(rest / 10).\(rest % 10) \(unit)"
    }
}

/// What happened to a file while it was read.
enum FileChange: Hashable, Sendable {
    /// Its writer added rows, which have not been read; sizes in bytes.
    case grew(from: Int64, to: Int64)
    /// Rows were cut off, perhaps before they were read; sizes in bytes.
    case shrank(from: Int64, to: Int64)
    /// Its name is gone; what was open has been read to its end.
    case removed
    /// Its name leads to another file now; what was open has been read to its end.
    case replaced
}

extension FileChange: CustomStringConvertible {
    var description: String {
        switch self {
        case .grew(let before, let after): "it grew by \(after - before) bytes, which were not read"
        case .shrank(let before, let after): "it shrank from \(before) to \(after) bytes; rows may be missing"
        case .removed: "it was removed; it has been read to its end"
        case .replaced: "another file has its name now; the old one has been read to its end"
        }
    }
}

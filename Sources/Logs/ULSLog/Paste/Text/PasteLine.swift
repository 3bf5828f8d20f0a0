/// One physical line of a paste, without its line end.
struct PasteLine {
    /// Counted from 1.
    let number: Int
    let bytes: [UInt8]
    /// Whether the line above it is blank.
    let isBehindBlank: Bool
}

/// Objects one after the other: an array, or a line for each.
public struct JSONList {
    private let isArray: Bool
    private var isEmpty = true

    /// `json` makes an array; anything else makes lines.
    public init(_ format: OutputFormat) { isArray = format == .json }

    /// Appends the next object, which `write` writes.
    public mutating func append(to bytes: inout [UInt8], _ write: (inout [UInt8]) -> Void) {
        if isArray { bytes.append(text: isEmpty ? "[" : ",\n ") }
        isEmpty = false
        write(&bytes)
        if !isArray { bytes.append(0x0A) }
    }

    /// Appends what comes after the last object.
    public func end(in bytes: inout [UInt8]) {
        guard isArray else { return }
        bytes.append(text: isEmpty ? "[]\n" : "]\n")
    }
}

import JSONText
import ULSLog

extension [UInt8] {
    /// Appends one JSON object whose first member names its schema.
    mutating func append<Failure: Error>(
        object schema: String,
        _ members: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        var buffer: [UInt8] = []
        swap(&buffer, &self)
        var writer = JSONWriter(onto: buffer)
        defer { self = writer.takeBytes() }
        try writer.object { writer throws(Failure) in
            writer.member("schema", schema)
            try members(&writer)
        }
    }
}

/// A sequence of objects: an array, or one object per line.
public struct JSONList {
    private let isArray: Bool
    private var isEmpty = true

    public init(isArray: Bool) { self.isArray = isArray }

    /// Appends the next object, written by `write`.
    public mutating func append(to bytes: inout [UInt8], _ write: (inout [UInt8]) -> Void) {
        if isArray { bytes.append(text: isEmpty ? "[" : ",\n ") }
        isEmpty = false
        write(&bytes)
        if !isArray { bytes.append(0x0A) }
    }

    /// Appends whatever follows the last object.
    public func end(in bytes: inout [UInt8]) {
        guard isArray else { return }
        bytes.append(text: isEmpty ? "[]\n" : "]\n")
    }
}

extension JSONWriter {
    /// Writes a time in ISO 8601; `null` if there is none.
    mutating func member(_ key: String, _ time: LogTime?) {
        member(key, time?.iso8601)
    }

    /// Writes a duration in seconds: `0.145022`, `7`.
    mutating func member(_ key: String, microseconds: Int64?) {
        member(key, microseconds.map { Seconds(microseconds: $0) })
    }
}

/// A duration for the machine formats: exact seconds.
struct Seconds: JSONWritable, CustomStringConvertible {
    let description: String

    init(microseconds: Int64) {
        let size = microseconds.magnitude
        var text = "\(microseconds < 0 ? "-" : "")\(size / 1_000_000)"
        if size % 1_000_000 != 0 {
            let digits = String(size % 1_000_000)
            var fraction = Substring(String(repeating: "0", count: 6 - digits.count) + digits)
            while fraction.hasSuffix("0") { fraction.removeLast() }
            text += "." + fraction
        }
        description = text
    }

    init(milliseconds: Int64) {
        let (microseconds, overflow) = milliseconds.multipliedReportingOverflow(by: 1000)
        self.init(microseconds: overflow ? .max : microseconds)
    }

    func write(to writer: inout JSONWriter) { writer.raw(Array(description.utf8)) }
}

extension JSONWriter {
    /// Writes a member with text from a log; `null` if there is none.
    mutating func member(_ key: String, log text: String?) {
        member(key, text.flatMap { $0.isEmpty ? nil : $0 })
    }
}

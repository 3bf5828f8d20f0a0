import JSONText
import ULSLog

extension JSONWriter {
    /// Writes a time in ISO 8601; `null` where there is none.
    mutating func member(_ key: String, _ time: LogTime?) {
        member(key, time?.iso8601)
    }

    /// Writes a duration in seconds: `0.145022`, `7`.
    mutating func member(_ key: String, microseconds: Int64?) {
        member(key, microseconds.map { Seconds(microseconds: $0) })
    }
}

/// A duration as the machine formats have it: seconds, exactly.
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

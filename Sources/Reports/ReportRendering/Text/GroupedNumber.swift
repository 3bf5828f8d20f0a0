/// A count as a person reads it: `1,234,567`.
struct GroupedNumber: Hashable, Sendable, CustomStringConvertible {
    let description: String

    init(_ number: Int) {
        let digits = Array(String(number.magnitude))
        var text = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        description = text
    }

    /// The number with what it counts: `1 event`, `1,234 events`.
    static func of(_ count: Int, _ one: String, _ several: String) -> String {
        "\(Self(count)) \(count == 1 ? one : several)"
    }
}

/// A word as it was typed into bash, quotes and backslashes included.
struct ShellWord {
    var typed: String

    /// What the shell would make of it; nothing is expanded, an open quote ends with the word.
    var value: String {
        var value = String.UnicodeScalarView()
        var quote: Unicode.Scalar?
        var rest = typed.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch (scalar, quote) {
            case ("'", nil), ("\"", nil): quote = scalar
            case ("'", "'"), ("\"", "\""): quote = nil
            case ("\\", nil): if let next = rest.popFirst() { value.append(next) }
            case ("\\", "\"") where rest.first.map { "\"\\$`".unicodeScalars.contains($0) } ?? false:
                value.append(rest.removeFirst())
            default: value.append(scalar)
            }
        }
        return String(value)
    }
}

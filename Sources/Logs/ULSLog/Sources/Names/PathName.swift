extension StringProtocol {
    /// What stands behind the last `/` or `\`.
    var lastPathComponent: Substring {
        let name = Substring(self)
        guard let separator = name.utf8.lastIndex(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }) else {
            return name
        }
        return name[name.utf8.index(after: separator)...]
    }

    /// Whether the name ends so, in capitals or not; the suffix is ASCII.
    func hasSuffix(ignoringCase suffix: String) -> Bool {
        utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) { $0.asciiLowercase == $1.asciiLowercase }
    }
}

/// String searches that require only the standard library.
///
/// Strings are compared by their UTF-8 bytes: strings with different Unicode scalars are not equal. If a file also
/// imports Foundation or the standard library's own searches, as tests do, those take precedence.
extension StringProtocol {
    /// Returns the range of the first occurrence of a string; `nil` if there is none.
    @_disfavoredOverload
    package func firstRange(of other: some StringProtocol) -> Range<Index>? { utf8.firstRange(of: other.utf8) }

    /// Returns whether a string occurs in this one; the empty string occurs in any string.
    @_disfavoredOverload
    package func contains(_ other: some StringProtocol) -> Bool { firstRange(of: other) != nil }

    /// Returns this string with each occurrence of `old`, which must not be empty, replaced by another string.
    @_disfavoredOverload
    package func replacing(_ old: some StringProtocol, with new: some StringProtocol) -> String {
        guard let first = firstRange(of: old), !first.isEmpty else { return String(self) }
        var (result, rest) = (String(self[..<first.lowerBound]), self[first.upperBound...])
        result += new
        while let next = rest.firstRange(of: old) {
            result += rest[..<next.lowerBound]
            result += new
            rest = rest[next.upperBound...]
        }
        return result + rest
    }

    /// Returns the parts of this string between the first `maxSplits` occurrences of a separator string.
    package func split(
        by separator: some StringProtocol,
        maxSplits: Int = .max,
        omittingEmptySubsequences: Bool = true
    ) -> [SubSequence] {
        var parts: [SubSequence] = []
        var rest = self[...]
        while parts.count < maxSplits, let next = rest.firstRange(of: separator), !next.isEmpty {
            let part = rest[..<next.lowerBound]
            if !part.isEmpty || !omittingEmptySubsequences { parts.append(part) }
            rest = rest[next.upperBound...]
        }
        if !rest.isEmpty || !omittingEmptySubsequences { parts.append(rest) }
        return parts
    }
}

extension Collection<UInt8> {
    /// Returns the range of the first occurrence of a sequence of bytes; `nil` if there is none.
    @inlinable @_disfavoredOverload
    package func firstRange(of other: some Collection<UInt8>) -> Range<Index>? {
        guard let first = other.first else { return startIndex..<startIndex }
        var rest = self[...]
        while let start = rest.firstIndex(of: first) {
            rest = rest[start...]
            if rest.starts(with: other) { return start..<rest.index(start, offsetBy: other.count) }
            rest = rest.dropFirst()
        }
        return nil
    }
}

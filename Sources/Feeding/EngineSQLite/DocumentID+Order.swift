import ContentFeeding
import Glibc

extension DocumentID {
    /// The order of SQLite's index: that of the bytes.
    func precedesInBytes(_ other: DocumentID) -> Bool {
        let (left, right) = (text.utf8.span, other.text.utf8.span)
        return left.withUnsafeBytes { left in
            right.withUnsafeBytes { right in
                guard let first = left.baseAddress, let second = right.baseAddress else { return left.isEmpty }
                let difference = memcmp(first, second, min(left.count, right.count))
                return difference == 0 ? left.count < right.count : difference < 0
            }
        }
    }
}

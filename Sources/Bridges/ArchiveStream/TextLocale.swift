import Glibc

/// Names in archives are UTF-8 mostly, and libarchive drops those that the thread's locale cannot write.
///
/// A program starts in the locale "C", which can write ASCII only.
enum TextLocale {
    /// Runs `body` in a locale of UTF-8; the other threads keep theirs.
    static func use<Result>(_ body: () -> Result) -> Result {
        guard let locale = shared.pointer else { return body() }
        let before = uselocale(locale)
        defer { uselocale(before) }
        return body()
    }

    private static let shared = Shared()

    private struct Shared: Sendable {
        /// Never changed and never freed; `nil` where the system has no such locale.
        nonisolated(unsafe) let pointer = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil)
    }
}

import Synchronization

/// How much of an input was read: noted by the thread that reads, looked at by whoever shows it.
public final class InputProgress: Sendable {
    private let read = Atomic<UInt64>(0)
    /// All bytes of the input; the greatest number if that is unknown.
    private let total = Atomic<UInt64>(.max)

    /// Creates the progress of an input of which nothing is known yet.
    public init() {}

    /// The bytes read so far, from the beginning of the first source, even if an earlier run read them.
    public var bytesRead: Int { Int(clamping: read.load(ordering: .relaxed)) }

    /// The bytes of all sources; `nil` if one is a pipe.
    public var totalBytes: Int? {
        let total = total.load(ordering: .relaxed)
        return total == .max ? nil : Int(clamping: total)
    }

    /// Notes the sizes of all sources, as far as they are known.
    func expect(_ sizes: [UInt64?]) {
        let known = sizes.compactMap(\.self)
        guard known.count == sizes.count else { return }
        total.store(known.reduce(0, +), ordering: .relaxed)
    }

    func note(read bytes: UInt64) { read.store(bytes, ordering: .relaxed) }
}

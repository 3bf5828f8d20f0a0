import Glibc
import Synchronization

/// Wakes a thread that waits for input; once rung, it stays so.
final class Alarm: Sendable {
    /// Has something to read from the moment on that the alarm rings.
    let descriptor: InputDescriptor
    private let bell: InputDescriptor
    private let hasRung = Atomic(false)

    init() {
        var ends: [CInt] = [-1, -1]
        if pipe(&ends) == 0 {
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        }
        // Without a pipe (no descriptors are left) nothing else can be opened either, and that is reported.
        (descriptor, bell) = (InputDescriptor(owning: ends[0]), InputDescriptor(owning: ends[1]))
    }

    var isRinging: Bool { hasRung.load(ordering: .acquiring) }

    func ring() {
        guard !hasRung.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var byte: UInt8 = 1
        _ = write(bell.number, &byte, 1)
    }
}

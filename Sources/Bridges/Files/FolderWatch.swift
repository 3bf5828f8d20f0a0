import Glibc

/// A watch on folders, which wakes its owner when something in them changes.
///
/// The system reports only changes made on this machine, and not those that other machines make on a network share, so
/// the owner also has to check periodically.
package final class FolderWatch: Sendable {
    /// The cause of the wake-up.
    package enum Change: Hashable, Sendable {
        /// The time limit was reached without a change.
        case none
        /// Files were written to.
        case contents
        /// Names were added, removed or changed.
        case names
    }

    private let descriptor: CInt

    private static let nameEvents = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF
    private static let events = IN_MODIFY | nameEvents
    /// The number of bytes before a name in the system's record of an event.
    private static let headBytes = 16

    /// Creates a watch without any folders; `nil` if the system refuses to create it.
    package init?() {
        descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// Watches a folder; returns false if the system can't.
    @discardableResult
    package func add(_ folder: String) -> Bool {
        unsafe inotify_add_watch(descriptor, folder, UInt32(truncatingIfNeeded: Self.events)) >= 0
    }

    /// Waits for a change, up to the time limit.
    package func wait(upTo limit: Duration) -> Change {
        var waiting = pollfd(fd: descriptor, events: CShort(POLLIN), revents: 0)
        guard unsafe poll(&waiting, 1, CInt(max(.zero, limit) / .milliseconds(1))) > 0 else { return .none }
        var change = Change.contents
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return change }
            var offset = 0
            while offset + Self.headBytes <= count {
                let mask = Self.number(in: buffer, at: offset + 4)
                if mask & ~UInt32(truncatingIfNeeded: IN_MODIFY) != 0 { change = .names }
                offset += Self.headBytes + Int(Self.number(in: buffer, at: offset + 12))
            }
        }
    }

    private static func number(in buffer: [UInt8], at offset: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(buffer[offset + $1]) << UInt32($1 * 8) }
    }
}

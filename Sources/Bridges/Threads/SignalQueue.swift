import Glibc
import Synchronization

/// A queue of the signals that arrive after its creation, for a separate thread to wait on.
///
/// The handler only writes to a pipe, because a handler may call hardly anything else. There is one queue in a process;
/// creating another takes the signals away from the first.
public struct SignalQueue: Sequence, IteratorProtocol, Sendable {
    private let descriptor: Int32

    /// Catches these signals; `nil` if the system can't create a pipe.
    ///
    /// An ignored hangup stays ignored: that is how `nohup` asks a command to outlive its terminal.
    public init?(catching numbers: [Int32]) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        descriptor = ends[0]
        signalPipe.store(ends[1], ordering: .releasing)
        for number in numbers {
            var action = sigaction()
            if number == SIGHUP, sigaction(number, nil, &action) == 0, action.isIgnored { continue }
            action = sigaction()
            action.__sigaction_handler.sa_handler = { number in
                let code = errno
                var byte = UInt8(truncatingIfNeeded: number)
                write(signalPipe.load(ordering: .acquiring), &byte, 1)
                errno = code
            }
            action.sa_flags = SA_RESTART
            sigaction(number, &action, nil)
        }
    }

    /// Waits for the next signal for so long, blocking the thread; returns `nil` if none came.
    public func next(within limit: Duration) -> Int32? {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, Int32(limit / .milliseconds(1))) > 0 ? next() : nil
    }

    /// Waits for the next signal, blocking the thread.
    public func next() -> Int32? {
        var byte = UInt8(0)
        while true {
            let count = read(descriptor, &byte, 1)
            if count == 1 { return Int32(byte) }
            guard count < 0, errno == EINTR else { return nil }
        }
    }
}

extension sigaction {
    /// Functions can't be compared; `SIG_IGN` is the address 1.
    fileprivate var isIgnored: Bool { unsafeBitCast(__sigaction_handler.sa_handler, to: Int.self) == 1 }
}

/// The pipe that the handler writes to; a global, because a handler can't capture anything.
private let signalPipe = Atomic<Int32>(-1)

/// Makes writing to a closed pipe, and beyond a limit on the size of files, fail the call instead of ending the process.
public func ignoreBrokenPipes() {
    _ = signal(SIGPIPE, SIG_IGN)
    _ = signal(SIGXFSZ, SIG_IGN)
}

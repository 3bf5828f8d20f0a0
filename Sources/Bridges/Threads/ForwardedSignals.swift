import Glibc
import Synchronization

/// The signals that this process passes on to another one, which shares its terminal, instead of ending.
///
/// Ctrl-C reaches both from the terminal, so it is passed on only if it arrived before the other process existed.
package struct ForwardedSignals {
    private static let numbers = [SIGINT, SIGTERM, SIGHUP]
    private static let child = Atomic<pid_t>(0)
    /// A signal that arrived before the process existed.
    private static let early = Atomic<CInt>(0)

    private let former: [(number: CInt, action: sigaction)]

    /// Catches the signals, except those that are ignored, as `nohup` ignores SIGHUP; the other process then ignores
    /// them as well.
    package init() {
        Self.child.store(0, ordering: .sequentiallyConsistent)
        Self.early.store(0, ordering: .sequentiallyConsistent)
        var former: [(number: CInt, action: sigaction)] = []
        for number in Self.numbers {
            var (before, action) = (sigaction(), sigaction())
            guard sigaction(number, nil, &before) == 0, !before.isIgnored else { continue }
            action.__sigaction_handler.sa_handler = { number in
                let code = errno
                defer { errno = code }
                let process = ForwardedSignals.child.load(ordering: .sequentiallyConsistent)
                if process == 0 {
                    ForwardedSignals.early.store(number, ordering: .sequentiallyConsistent)
                } else if number != SIGINT {
                    kill(process, number)
                }
            }
            action.sa_flags = SA_RESTART
            sigaction(number, &action, nil)
            former.append((number, before))
        }
        self.former = former
    }

    /// Passes on the signals from now on, and the last one that arrived earlier.
    package func begin(to process: ChildProcess) {
        Self.child.store(process.number, ordering: .sequentiallyConsistent)
        let early = Self.early.load(ordering: .sequentiallyConsistent)
        if early != 0 { kill(process.number, early) }
    }

    /// Restores the former handlers.
    package func end() {
        for (number, action) in former {
            var action = action
            sigaction(number, &action, nil)
        }
    }
}

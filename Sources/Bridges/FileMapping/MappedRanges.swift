import Glibc
import Synchronization

/// The addresses mapped from files, for the handler of `SIGBUS`.
///
/// A handler may capture nothing and wait for nothing, so these are atomic numbers in fixed places.
enum MappedRanges {
    /// The most mappings at a time; more are refused.
    private static let maximum = 256

    /// Reserves a place for a mapping, and makes sure that the handler is installed.
    static func reserve() -> Int? {
        _ = handler
        return unsafe table.indices.first { index in
            unsafe table[index].state.compareExchange(expected: 0, desired: 1, ordering: .acquiringAndReleasing)
                .exchanged
        }
    }

    static func occupy(_ place: Int, _ start: UnsafeRawPointer, _ length: Int) {
        unsafe table[place].start.store(UInt(bitPattern: start), ordering: .releasing)
        unsafe table[place].end.store(UInt(bitPattern: start) + UInt(length), ordering: .releasing)
    }

    static func release(_ place: Int) {
        unsafe table[place].end.store(0, ordering: .releasing)
        unsafe table[place].state.store(0, ordering: .releasing)
    }

    static func wasCut(_ place: Int) -> Bool { unsafe table[place].state.load(ordering: .acquiring) == 2 }

    /// Maps zeros where a file has ended: from the page of an address to the end of its mapping.
    ///
    /// - Returns: False if the address is not in one of our mappings, or the zeros can't be mapped.
    fileprivate static func patch(_ address: UInt) -> Bool {
        for index in unsafe table.indices {
            let end = unsafe table[index].end.load(ordering: .acquiring)
            let start = unsafe table[index].start.load(ordering: .acquiring)
            guard address >= start, address < end else { continue }
            // The place may have changed hands between the two loads.
            guard unsafe table[index].end.load(ordering: .acquiring) == end else { continue }
            let page = address & ~(UInt(FileMapping.pageSize) - 1)
            let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED
            let target = unsafe UnsafeMutableRawPointer(bitPattern: page)
            guard unsafe mmap(target, Int(end - page), PROT_READ, flags, -1, 0) == target else { return false }
            unsafe table[index].state.store(2, ordering: .releasing)
            return true
        }
        return false
    }

    /// A place for one mapping.
    private struct Place: ~Copyable {
        /// The state: 0 is free, 1 is taken, 2 is taken and found to be cut.
        let state = Atomic<Int>(0)
        let start = Atomic<UInt>(0)
        let end = Atomic<UInt>(0)
    }

    /// The places, never written except through their atomics, and never freed.
    nonisolated(unsafe) private static let table: UnsafeMutableBufferPointer<Place> = {
        let table = UnsafeMutableBufferPointer<Place>.allocate(capacity: maximum)
        for index in table.indices { unsafe table.initializeElement(at: index, to: Place()) }
        return unsafe table
    }()

    /// Installs the handler once.
    private static let handler: Void = {
        _ = (FileMapping.pageSize, unsafe table.count)
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_sigaction = { number, info, _ in
            let code = errno
            if let info = unsafe info, let address = unsafe info.pointee._sifields._sigfault.si_addr,
                MappedRanges.patch(UInt(bitPattern: address))
            {
                errno = code
                return
            }
            // This fault is not ours: the next time it occurs, it ends the process as usual.
            signal(number, SIG_DFL)
        }
        action.sa_flags = SA_SIGINFO
        unsafe sigaction(SIGBUS, &action, nil)
    }()
}

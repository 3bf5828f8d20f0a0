import Glibc
package import TextKit

/// An error because the system refused to provide more threads, memory or open files to this process.
package struct SystemShortage: Error, Hashable, Sendable, CustomStringConvertible {
    /// The refused resource, as in `the system refuses a thread`.
    package enum Resource: String, Sendable {
        case thread = "a thread"
        case memory = "memory"
        case descriptor = "an open file"
    }

    package let resource: Resource
    /// The system's error number.
    package let code: CInt

    package var description: String { "the system refuses \(resource.rawValue): \(String(cString: strerror(code)))" }

    /// The next step, as a sentence.
    package var advice: String {
        switch resource {
        case .thread: "raise the limits on memory and processes (ulimit -v, ulimit -u), then run it again"
        case .memory: "raise the limit on memory (ulimit -v), then run it again"
        case .descriptor: "raise the limit on open files (ulimit -n), then run it again"
        }
    }

    /// The exit code if the system refuses resources that a process needs (`EX_OSERR`).
    static let exitCode: CInt = 71

    /// Reports the refused resource, and ends the process, which would otherwise wait forever for the work of a missing
    /// thread.
    func endProcess() -> Never {
        for byte in "fatal: \(self); \(advice)\n".utf8 {
            var byte = byte
            guard write(STDERR_FILENO, &byte, 1) == 1 else { break }
        }
        _exit(Self.exitCode)
    }
}

/// The resources that the system can still provide to this process.
///
/// Swift's runtime waits forever for a thread that the system refuses to create, and crashes if it runs out of
/// descriptors. A program must therefore check this before its first `await`.
package enum SystemReserve {
    /// Throws unless the system can provide these numbers of threads, bytes of memory and descriptors at the same time;
    /// they are released again.
    package static func check(threads: Int, memory: Int, descriptors: Int) throws(SystemShortage) {
        try checkDescriptors(descriptors)
        keepMemoryTogether()
        let gate = ThreadGate()
        defer { gate.open() }
        for _ in 0..<threads { try gate.addThread() }
        guard let block = mmap(nil, memory, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            block != MAP_FAILED
        else { throw SystemShortage(resource: .memory, code: errno) }
        munmap(block, memory)
    }

    /// The threads that Swift's runtime may start: one for each processor.
    package static var runtimeThreads: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// Makes threads share memory pools: a single one if the address space is limited, and otherwise one more than there
    /// are processors.
    ///
    /// The C library would give each thread a pool of its own, in which the memory that it frees stays. It reserves
    /// 64 MiB of addresses for each pool, which would leave nothing for the stacks of the threads that were just checked.
    ///
    /// The memory of tables that are freed with each unit of a log stays in these pools as well: if it went back to the
    /// system, its pages would have to be cleared again for the next unit.
    private static func keepMemoryTogether() {
        var space = rlimit()
        let isLimited =
            getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &space) == 0 && space.rlim_cur != rlim_t.max
        // Swift's module of the C library has no `mallopt`.
        guard let address = dlsym(nil, "mallopt") else { return }
        let setOption = unsafeBitCast(address, to: (@convention(c) (CInt, CInt) -> CInt).self)
        let (maximumPools, largestInPool, largestRest): (CInt, CInt, CInt) = (-8, -3, -1)
        _ = setOption(maximumPools, isLimited ? 1 : CInt(runtimeThreads) + 1)
        guard !isLimited else { return }
        _ = setOption(largestInPool, 4 << 20)
        _ = setOption(largestRest, 16 << 20)
    }

    private static func checkDescriptors(_ count: Int) throws(SystemShortage) {
        var opened: [CInt] = []
        defer { for number in opened { close(number) } }
        while opened.count < count {
            let number = open("/", O_RDONLY | O_CLOEXEC)
            guard number >= 0 else { throw SystemShortage(resource: .descriptor, code: errno) }
            opened.append(number)
        }
    }
}

/// Threads that wait until a gate opens, and then exit.
private final class ThreadGate {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t> = .allocate(capacity: 1)
    private var threads: [pthread_t] = []

    init() {
        pthread_mutex_init(mutex, nil)
        pthread_mutex_lock(mutex)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    func addThread() throws(SystemShortage) {
        var thread = pthread_t()
        let code = pthread_create(
            &thread,
            nil,
            { argument in
                guard let mutex = argument?.assumingMemoryBound(to: pthread_mutex_t.self) else { return nil }
                pthread_mutex_lock(mutex)
                pthread_mutex_unlock(mutex)
                return nil
            },
            mutex
        )
        guard code == 0 else { throw SystemShortage(resource: .thread, code: code) }
        threads.append(thread)
    }

    func open() {
        pthread_mutex_unlock(mutex)
        for thread in threads { pthread_join(thread, nil) }
        threads = []
    }
}

// MARK: - For people

extension SystemShortage: AdvisedError {
    package var failure: Failure {
        Failure(.exhausted, description, advice: advice)
    }
}

import Glibc

/// Runs an actor's jobs one after the other on a separate thread.
///
/// It is meant for actors that wait for the disk or a pipe: on their own thread they block nobody.
public final class ThreadExecutor: SerialExecutor {
    private let queue = JobQueue()

    public init() {
        startThread { [queue] in
            while let (job, executor) = queue.next() { job.runSynchronously(on: executor) }
        }
    }

    deinit {
        queue.close()
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        queue.append(UnownedJob(job), for: asUnownedSerialExecutor())
    }
}

/// Jobs waiting for a thread.
///
/// Unchecked: `mutex` guards `jobs` and `isClosed`; the standard library's `Mutex` has no condition to wait on.
private final class JobQueue: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t> = .allocate(capacity: 1)
    private let condition: UnsafeMutablePointer<pthread_cond_t> = .allocate(capacity: 1)
    private var jobs: [(UnownedJob, UnownedSerialExecutor)] = []
    private var head = 0
    private var isClosed = false

    init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        pthread_cond_destroy(condition)
        mutex.deallocate()
        condition.deallocate()
    }

    func append(_ job: UnownedJob, for executor: UnownedSerialExecutor) {
        withLock { jobs.append((job, executor)) }
    }

    func close() {
        withLock { isClosed = true }
    }

    /// Waits for the next job; returns `nil` once the queue is closed and empty.
    func next() -> (UnownedJob, UnownedSerialExecutor)? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while head == jobs.count {
            if isClosed { return nil }
            pthread_cond_wait(condition, mutex)
        }
        defer {
            head += 1
            if head == jobs.count {
                jobs.removeAll(keepingCapacity: true)
                head = 0
            }
        }
        return jobs[head]
    }

    private func withLock(_ body: () -> Void) {
        pthread_mutex_lock(mutex)
        body()
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }
}

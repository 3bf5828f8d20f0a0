import Glibc

/// A value that threads share and can wait on until another thread has changed it.
///
/// Unchecked: `mutex` guards `value`; the standard library's `Mutex` has no condition to wait on.
public final class Monitor<Value>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t> = .allocate(capacity: 1)
    private let condition: UnsafeMutablePointer<pthread_cond_t> = .allocate(capacity: 1)
    private var value: Value

    public init(_ value: sending Value) {
        self.value = value
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        pthread_cond_destroy(condition)
        mutex.deallocate()
        condition.deallocate()
    }

    /// Changes the value, and wakes all waiting threads.
    public func change<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(condition)
            pthread_mutex_unlock(mutex)
        }
        return try body(&value)
    }

    /// Waits until `body` returns a result; `body` may then also change the value.
    public func wait<Result>(until body: (inout Value) throws -> Result?) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(condition)
            pthread_mutex_unlock(mutex)
        }
        while true {
            if let result = try body(&value) { return result }
            pthread_cond_wait(condition, mutex)
        }
    }
}

import Synchronization
import Testing
import Threads

struct MonitorTests {
    private struct Broken: Error {}

    @Test func `A change gives back what its body gives back`() {
        let monitor = Monitor(1)
        let before = monitor.change { value in
            defer { value = 5 }
            return value
        }
        #expect(before == 1)
        #expect(monitor.change { $0 } == 5)
    }

    @Test(.timeLimit(.minutes(1))) func `Changes of many threads are all made`() async {
        let monitor = Monitor(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { await onOwnThread { for _ in 0..<1000 { monitor.change { $0 += 1 } } } }
            }
        }
        #expect(monitor.change { $0 } == 8000)
    }

    @Test(.timeLimit(.minutes(1))) func `Who waits goes on when another has changed the value, and may change it`()
        async
    {
        let monitor = Monitor([Int]())
        async let taken = onOwnThread { (0..<100).map { _ in monitor.wait { $0.isEmpty ? nil : $0.removeFirst() } } }
        await onOwnThread { for number in 0..<100 { monitor.change { $0.append(number) } } }
        #expect(await taken == Array(0..<100))
    }

    @Test(.timeLimit(.minutes(1))) func `What one waiter changes wakes another waiter`() async {
        let monitor = Monitor(0)
        async let second: Void = onOwnThread { monitor.wait { $0 == 2 ? () : nil } }
        async let first: Void = onOwnThread {
            monitor.wait { value in
                guard value == 1 else { return nil }
                value = 2
                return ()
            }
        }
        monitor.change { $0 = 1 }
        _ = await (first, second)
        #expect(monitor.change { $0 } == 2)
    }

    @Test func `An error leaves the monitor unlocked`() {
        let monitor = Monitor(0)
        #expect(throws: Broken.self) { try monitor.change { _ in throw Broken() } }
        #expect(throws: Broken.self) { try monitor.wait { _ -> Int? in throw Broken() } }
        #expect(monitor.change { $0 } == 0)
    }

    @Test func `A value that is there already needs no waiting`() {
        #expect(Monitor("x").wait { $0 } == "x")
    }
}

import Files
import TextKit

/// The sender of notifications, which stores each event for the targets that want it, and tries to deliver it until it
/// has arrived or too many attempts have failed.
///
/// Each target has its own worker, so a slow target does not delay the others. Stored notifications survive a crash: a
/// notification that was delivered but not yet recorded is delivered again, with the same number.
package actor Notifier {
    private nonisolated let outbox: Outbox
    private let now: @Sendable () -> Duration
    private let isValid: @Sendable (_ token: String) async -> Bool
    private let log: @Sendable (String) -> Void
    private var targets: [String: NotificationTarget] = [:]
    private var workers: [String: Task<Void, Never>] = [:]
    /// The idle workers, by target.
    private var sleepers: [String: Task<Void, Never>] = [:]
    /// A counter that grows with each event, so a worker that is about to sleep notices an event that has just arrived.
    private var posted = 0
    /// The last time of each event whose reports are limited.
    private var lastPosts: [String: Duration] = [:]

    /// The interval at which a worker checks for changes made by another process.
    private static let longestSleep = Duration.seconds(5)
    /// The maximum number of browsers that are notified at the same time.
    private static let parallelPushes = 16

    /// Creates a notifier without targets; `isValid` returns whether a token of the server is still accepted.
    package init(
        _ outbox: Outbox,
        now: @escaping @Sendable () -> Duration = { ProcessFacts.now },
        isValid: @escaping @Sendable (_ token: String) async -> Bool = { _ in true },
        log: @escaping @Sendable (String) -> Void
    ) {
        (self.outbox, self.now, self.isValid, self.log) = (outbox, now, isValid, log)
    }

    /// Replaces all targets; a running attempt is completed with the target with which it began.
    package func use(_ new: [NotificationTarget]) async {
        for (name, worker) in workers where !new.contains(where: { $0.name == name }) { worker.cancel() }
        targets = Dictionary(uniqueKeysWithValues: new.map { ($0.name, $0) })
        do {
            try await outbox.putAside(allBut: new.map(\.name), at: now())
        } catch {
            log("notifications of former targets can't be put aside: \(error)")
        }
        for name in targets.keys where workers[name]?.isCancelled ?? true {
            // The last attempt of the previous worker may still be running.
            workers[name] = Task { [former = workers[name]] in
                await former?.value
                await work(for: name)
            }
        }
    }

    /// Stores an event for the targets that want it; when this returns, the event is on disk, or its loss has been
    /// logged.
    ///
    /// Within `interval`, only one event with the same kind and subject is stored.
    package func post(_ event: ServerEvent, atMostOncePer interval: Duration? = nil) async {
        let receivers = targets.values.filter { $0.kinds.contains(event.kind) }
        guard !receivers.isEmpty else { return }
        if let interval {
            let (key, time) = ("\(event.kind.rawValue) \(event.subject)", now())
            if let last = lastPosts[key], time >= last, time - last < interval { return }
            if lastPosts.count >= 1_000 { lastPosts.removeAll() }
            lastPosts[key] = time
        }
        do {
            let dropped = try await outbox.add(
                event.bounded,
                for: receivers.map { Outbox.Receiver(name: $0.name, isWebPush: $0.isWebPush) },
                at: now()
            )
            if dropped > 0 {
                log("dropped \(dropped) notifications of \(event.words): too many are waiting for their targets")
            }
        } catch {
            log("no one is notified of \(event.words), because it can't be stored: \(error)")
        }
        wake()
    }

    /// Ends all workers; undelivered notifications remain stored until the server runs again.
    package func drain() async {
        for worker in workers.values { worker.cancel() }
        for worker in workers.values { await worker.value }
        workers = [:]
    }

    private func wake() {
        posted += 1
        for sleeper in sleepers.values { sleeper.cancel() }
    }

    // MARK: Workers

    private func work(for name: String) async {
        while !Task.isCancelled, let target = targets[name] {
            let before = posted
            do {
                let limit = target.isWebPush ? Self.parallelPushes : 1
                let (due, next) = try await outbox.due(name, at: now(), limit: limit)
                if due.isEmpty {
                    await sleep(name, next.map { $0 - now() } ?? Self.longestSleep, unless: { $0.posted != before })
                } else {
                    try await deliver(due, to: target)
                }
            } catch {
                guard !Task.isCancelled else { return }
                log("the notifications for \(name) can't be read or recorded: \(error)")
                await sleep(name, Self.longestSleep, unless: { _ in false })
            }
        }
    }

    private func sleep(_ name: String, _ pause: Duration, unless isAwake: (isolated Notifier) -> Bool) async {
        guard !isAwake(self), !Task.isCancelled else { return }
        let sleeper = Task<Void, Never> {
            try? await Task.sleep(for: min(max(pause, .milliseconds(1)), Self.longestSleep))
        }
        sleepers[name] = sleeper
        await withTaskCancellationHandler {
            await sleeper.value
        } onCancel: {
            sleeper.cancel()
        }
    }

    private func deliver(_ due: [Outbox.Due], to target: NotificationTarget) async throws {
        let (now, isValid) = (now, isValid)
        let results = await withTaskGroup(of: (Int, DeliveryResult).self) { group in
            for (index, entry) in due.enumerated() {
                group.addTask {
                    let result = await target.attempt(entry, at: now(), isValid)
                    return (index, result)
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        // An attempt that was interrupted by the server's shutdown does not count.
        let isEnding = Task.isCancelled
        for (index, result) in results {
            if isEnding, case .failed = result { continue }
            let entry = due[index]
            let isAside = try await outbox.note(result, of: entry, target.retries, at: now())
            guard isAside else { continue }
            let reason =
                switch result {
                case .failed(let reason, _): "\(reason), in the last of \(entry.attempts + 1) attempts"
                case .refused(let reason): reason
                case .delivered, .gone: ""
                }
            log("notification \(entry.id) for \(target.name) is put aside: \(reason)")
        }
    }
}

extension NotificationTarget {
    /// Tries to deliver a notification once.
    fileprivate func attempt(
        _ entry: Outbox.Due,
        at now: Duration,
        _ isValid: (_ token: String) async -> Bool
    ) async -> DeliveryResult {
        guard let event = entry.event else { return .refused("it was stored by a newer version of the server") }
        let delivery = Delivery(id: entry.id, event: event, subscription: entry.subscription)
        switch channel {
        case .webhook(let webhook): return await webhook.deliver(delivery, for: self, at: now)
        case .mail(let mail): return await mail.deliver(delivery, for: self)
        case .webPush(let push):
            if !entry.token.isEmpty, !(await isValid(entry.token)) { return .gone }
            return await push.deliver(delivery, for: self, at: now)
        }
    }
}

extension ServerEvent {
    fileprivate var words: String { "'\(kind.rawValue)' of \(subject)" }

    /// The event with its texts shortened to fit into a notification.
    fileprivate var bounded: ServerEvent {
        var event = self
        event.subject = subject.prefix(utf8Bytes: 1_000)
        event.message = message.prefix(utf8Bytes: 8_000)
        event.details = [:]
        for (name, value) in details.sorted(by: { $0.key < $1.key }).prefix(50) {
            event.details[name.prefix(utf8Bytes: 100)] = value.prefix(utf8Bytes: 1_000)
        }
        return event
    }
}

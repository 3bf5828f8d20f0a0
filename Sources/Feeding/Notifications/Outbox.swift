import SQLiteStore
import TextKit

/// The pending notifications, the failed notifications and the subscribed browsers, in one file, which the server and
/// its commands share.
package struct Outbox: Sendable {
    private let database: Database

    /// The maximum number of pending notifications for one target, and the maximum number of failed notifications that
    /// are kept.
    package static let maximumWaiting = 10_000
    package static let maximumFailed = 1_000
    /// The maximum number of browsers, for all users together and for one user.
    package static let maximumSubscriptions = 10_000
    package static let maximumSubscriptionsOfUser = 20

    /// Opens the file at `path`, creating it if necessary.
    package init(path: String) throws {
        var configuration = Configuration()
        configuration.access = .create
        // The file contains the secrets of browsers.
        configuration.permissions = 0o600
        database = try Database(path: path, configuration) { connection in try connection.migrate(Self.migrations) }
    }

    /// The existing migrations; new migrations must be appended.
    private static let migrations = [
        """
        CREATE TABLE event(id INTEGER PRIMARY KEY, json BLOB NOT NULL) STRICT;
        CREATE TABLE subscription(
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            endpoint TEXT NOT NULL UNIQUE,
            key BLOB NOT NULL,
            secret BLOB NOT NULL,
            owner TEXT NOT NULL,
            token TEXT NOT NULL,
            expires INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX subscription_owner ON subscription(owner);
        CREATE TABLE delivery(
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            event INTEGER NOT NULL REFERENCES event(id),
            target TEXT NOT NULL,
            subscription INTEGER REFERENCES subscription(id) ON DELETE CASCADE,
            attempts INTEGER NOT NULL DEFAULT 0,
            due INTEGER NOT NULL,
            failed INTEGER NOT NULL DEFAULT 0,
            failure TEXT
        ) STRICT;
        CREATE INDEX delivery_due ON delivery(target, failed, due);
        CREATE INDEX delivery_event ON delivery(event);
        CREATE INDEX delivery_subscription ON delivery(subscription) WHERE subscription IS NOT NULL;
        CREATE TABLE total(name TEXT PRIMARY KEY, count INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        """
    ]

    // MARK: Events

    /// A target by its name, and whether each subscribed browser gets its own notification.
    struct Receiver: Sendable {
        let name: String
        let isWebPush: Bool
    }

    /// Stores an event for its receivers, and returns how many notifications were dropped because too many are pending.
    ///
    /// When this function returns, the notifications are on disk.
    func add(_ event: ServerEvent, for receivers: [Receiver], at now: Duration) async throws -> Int {
        let json = event.json
        let due = Self.milliseconds(now)
        return try await database.write { connection in
            try connection.prepare("INSERT INTO event(json) VALUES (?)").run(json)
            let id = connection.lastInsertedRow
            var (added, dropped) = (0, 0)
            for receiver in receivers {
                let counting = try connection.prepare("SELECT count(*) FROM delivery WHERE target = ? AND failed = 0")
                let waiting = try counting.with(receiver.name).first { row throws(SQLiteError) in
                    try row.column(0, as: Int.self)
                }
                guard waiting ?? 0 < Self.maximumWaiting else {
                    dropped += 1
                    continue
                }
                if receiver.isWebPush {
                    added += try connection.prepare(
                        """
                        INSERT INTO delivery(event, target, due, subscription)
                        SELECT ?, ?, ?, id FROM subscription WHERE expires > ?
                        """
                    ).run(id, receiver.name, due, due)
                } else {
                    added += try connection.prepare("INSERT INTO delivery(event, target, due) VALUES (?, ?, ?)")
                        .run(id, receiver.name, due)
                }
            }
            if added == 0 { try connection.prepare("DELETE FROM event WHERE id = ?").run(id) }
            try Self.count("dropped", dropped, connection)
            return dropped
        }
    }

    /// A notification that is due.
    struct Due: Sendable {
        let id: Int64
        /// The event; `nil` if a later version has stored it.
        let event: ServerEvent?
        let attempts: Int
        let subscription: PushSubscription?
        /// The token with which the browser's user subscribed; empty if the server does not store the token.
        let token: String
    }

    /// Returns the first notifications of a target that are due, or else the time of the next notification.
    func due(_ target: String, at now: Duration, limit: Int) async throws -> (due: [Due], next: Duration?) {
        let time = Self.milliseconds(now)
        return try await database.read { connection in
            var due: [Due] = []
            // If the remaining pause is longer than the maximum pause, the clock was set back.
            try connection.prepare(
                """
                SELECT d.id, e.json, d.attempts, s.endpoint, s.key, s.secret, s.token
                FROM delivery d JOIN event e ON e.id = d.event LEFT JOIN subscription s ON s.id = d.subscription
                WHERE d.target = ? AND d.failed = 0 AND (d.due <= ? OR d.due > ?) ORDER BY d.due, d.id LIMIT ?
                """
            ).with(target, time, time + Self.milliseconds(RetryPlan.longestRequest), limit)
                .eachRow { row throws(SQLiteError) in
                    var subscription: PushSubscription?
                    if let endpoint = try row.column(3, as: String?.self).flatMap({ TargetURL($0) }) {
                        subscription = PushSubscription(
                            endpoint: endpoint,
                            key: try row.column(4),
                            secret: try row.column(5)
                        )
                    }
                    due.append(
                        Due(
                            id: try row.column(0),
                            event: ServerEvent(json: try row.column(1)),
                            attempts: try row.column(2),
                            subscription: subscription,
                            token: try row.column(6, as: String?.self) ?? ""
                        )
                    )
                }
            guard due.isEmpty else { return (due, nil) }
            let next = try connection.prepare("SELECT min(due) FROM delivery WHERE target = ? AND failed = 0")
                .with(target).first { row throws(SQLiteError) in try row.column(0, as: Int64?.self) }
            return ([], next.flatMap { $0 }.map { .milliseconds($0) })
        }
    }

    /// Records the result of an attempt, and returns whether the notification is put aside.
    func note(_ result: DeliveryResult, of due: Due, _ retries: RetryPlan, at now: Duration) async throws -> Bool {
        let attempts = due.attempts + 1
        return try await database.write { connection in
            switch result {
            case .delivered:
                try connection.prepare("DELETE FROM delivery WHERE id = ?").run(due.id)
                try Self.count("delivered", 1, connection)
            case .gone:
                let ended = "SELECT subscription FROM delivery WHERE id = ? AND subscription IS NOT NULL"
                try connection.prepare("DELETE FROM subscription WHERE id IN (\(ended))").run(due.id)
                try connection.prepare("DELETE FROM delivery WHERE id = ?").run(due.id)
            case .failed(let reason, let pause) where attempts < retries.attempts:
                let next = Self.milliseconds(now + retries.pause(after: attempts, requested: pause))
                try connection.prepare("UPDATE delivery SET attempts = ?, due = ?, failure = ? WHERE id = ?")
                    .run(attempts, next, reason, due.id)
                return false
            case .failed(let reason, _), .refused(let reason):
                try connection.prepare(
                    "UPDATE delivery SET attempts = ?, failed = 1, due = ?, failure = ? WHERE id = ?"
                )
                .run(attempts, Self.milliseconds(now), reason, due.id)
                try Self.forgetOldFailures(of: due.id, connection)
                try Self.forgetEvents(connection)
                return true
            }
            try Self.forgetEvents(connection)
            return false
        }
    }

    /// Keeps only the newest failed notifications of a notification's target.
    private static func forgetOldFailures(of id: Int64, _ connection: borrowing Connection) throws {
        let forgotten = try connection.prepare(
            """
            DELETE FROM delivery WHERE id IN (
                SELECT id FROM delivery WHERE failed = 1 AND target = (SELECT target FROM delivery WHERE id = ?)
                ORDER BY due DESC, id DESC LIMIT -1 OFFSET ?
            )
            """
        ).run(id, maximumFailed)
        try count("dropped", forgotten, connection)
    }

    private static func forgetEvents(_ connection: borrowing Connection) throws {
        try connection.prepare("DELETE FROM event WHERE NOT EXISTS (SELECT 1 FROM delivery WHERE event = event.id)")
            .run()
    }

    private static func count(_ name: String, _ count: Int, _ connection: borrowing Connection) throws {
        guard count > 0 else { return }
        try connection.prepare(
            "INSERT INTO total VALUES (?, ?) ON CONFLICT(name) DO UPDATE SET count = count + excluded.count"
        ).run(name, count)
    }

    /// Puts aside the pending notifications for targets that are no longer in the settings.
    func putAside(allBut names: [String], at now: Duration) async throws {
        let time = Self.milliseconds(now)
        try await database.write { connection in
            var gone: [String] = []
            try connection.prepare("SELECT DISTINCT target FROM delivery WHERE failed = 0").eachRow {
                row throws(SQLiteError) in
                gone.append(try row.column(0))
            }
            for name in gone where !names.contains(name) {
                try connection.prepare(
                    "UPDATE delivery SET failed = 1, due = ?, failure = ? WHERE target = ? AND failed = 0"
                )
                .run(time, "the target is no longer in the settings", name)
            }
        }
    }

    // MARK: Operators

    /// A notification, as shown in lists.
    package struct Entry: Sendable, Hashable {
        package let id: Int64
        package let target: String
        /// The event; `nil` if a later version has stored it.
        package let event: ServerEvent?
        package let attempts: Int
        /// Whether no further attempt will be made unless an operator requests one.
        package let isFailed: Bool
        /// The time of the next attempt, or of the last attempt if the notification has failed.
        package let due: Duration
        /// The reason why the last attempt failed; `nil` before the first attempt.
        package let failure: String?
    }

    /// Returns the notifications, failed ones first, and each group from oldest to newest.
    package func list(limit: Int = 1_000) async throws -> [Entry] {
        try await database.read { connection in
            var entries: [Entry] = []
            try connection.prepare(
                """
                SELECT d.id, d.target, e.json, d.attempts, d.failed, d.due, d.failure
                FROM delivery d JOIN event e ON e.id = d.event ORDER BY d.failed DESC, d.id LIMIT ?
                """
            ).with(limit).eachRow { row throws(SQLiteError) in
                entries.append(
                    Entry(
                        id: try row.column(0),
                        target: try row.column(1),
                        event: ServerEvent(json: try row.column(2)),
                        attempts: try row.column(3),
                        isFailed: try row.column(4, as: Int.self) != 0,
                        due: .milliseconds(try row.column(5, as: Int64.self)),
                        failure: try row.column(6)
                    )
                )
            }
            return entries
        }
    }

    /// The counters of an outbox.
    package struct Totals: Sendable, Hashable {
        package var waiting = 0
        package var failed = 0
        /// The number of delivered and the number of dropped notifications since the file was created.
        package var delivered = 0
        package var dropped = 0
        package var subscriptions = 0

        package init(waiting: Int = 0, failed: Int = 0, delivered: Int = 0, dropped: Int = 0, subscriptions: Int = 0) {
            (self.waiting, self.failed, self.delivered) = (waiting, failed, delivered)
            (self.dropped, self.subscriptions) = (dropped, subscriptions)
        }
    }

    package func totals() async throws -> Totals {
        try await database.read { connection in
            Totals(
                waiting: try connection.integer("SELECT count(*) FROM delivery WHERE failed = 0"),
                failed: try connection.integer("SELECT count(*) FROM delivery WHERE failed = 1"),
                delivered: try connection.integer("SELECT count FROM total WHERE name = 'delivered'"),
                dropped: try connection.integer("SELECT count FROM total WHERE name = 'dropped'"),
                subscriptions: try connection.integer("SELECT count(*) FROM subscription")
            )
        }
    }

    /// Schedules all failed notifications, or one of them, for another delivery; returns their number.
    package func retry(_ id: Int64? = nil, at now: Duration) async throws -> Int {
        let time = Self.milliseconds(now)
        return try await database.write { connection in
            let again = "UPDATE delivery SET failed = 0, attempts = 0, due = ? WHERE failed = 1"
            guard let id else { return try connection.prepare(again).run(time) }
            return try connection.prepare(again + " AND id = ?").run(time, id)
        }
    }

    // MARK: Browsers

    /// The user of a browser.
    package struct Subscriber: Sendable, Hashable {
        /// The user's name on the server.
        package let owner: String
        /// The ID of the user's token; empty if the server does not store the token.
        package let token: String

        package init(owner: String, token: String) { (self.owner, self.token) = (owner, token) }
    }

    package enum Subscribing: Sendable, Hashable {
        case added, renewed
        /// Another user has already subscribed with this endpoint.
        case taken
        case tooMany
    }

    /// Stores a browser, or renews it until `expiry`.
    package func subscribe(
        _ subscription: PushSubscription,
        for user: Subscriber,
        until expiry: Duration,
        at now: Duration
    ) async throws -> Subscribing {
        let (time, end) = (Self.milliseconds(now), Self.milliseconds(expiry))
        return try await database.write { connection in
            try connection.prepare("DELETE FROM subscription WHERE expires <= ?").run(time)
            try Self.forgetEvents(connection)
            let endpoint = subscription.endpoint.text
            let owner = try connection.prepare("SELECT owner FROM subscription WHERE endpoint = ?").with(endpoint).first
            {
                row throws(SQLiteError) in try row.column(0, as: String.self)
            }
            if let owner {
                guard owner == user.owner else { return .taken }
                try connection.prepare(
                    "UPDATE subscription SET key = ?, secret = ?, token = ?, expires = ? WHERE endpoint = ?"
                ).run(subscription.key, subscription.secret, user.token, end, endpoint)
                return .renewed
            }
            let own = try connection.prepare("SELECT count(*) FROM subscription WHERE owner = ?").with(user.owner).first
            {
                row throws(SQLiteError) in try row.column(0, as: Int.self)
            }
            guard own ?? 0 < Self.maximumSubscriptionsOfUser,
                try connection.integer("SELECT count(*) FROM subscription") < Self.maximumSubscriptions
            else { return .tooMany }
            try connection.prepare(
                "INSERT INTO subscription(endpoint, key, secret, owner, token, expires) VALUES (?, ?, ?, ?, ?, ?)"
            ).run(endpoint, subscription.key, subscription.secret, user.owner, user.token, end)
            return .added
        }
    }

    /// Removes a browser and its pending notifications; returns whether the user had subscribed with it.
    package func unsubscribe(_ endpoint: String, of owner: String) async throws -> Bool {
        try await database.write { connection in
            let count = try connection.prepare("DELETE FROM subscription WHERE endpoint = ? AND owner = ?")
                .run(endpoint, owner)
            try Self.forgetEvents(connection)
            return count > 0
        }
    }

    private static func milliseconds(_ time: Duration) -> Int64 { Int64(time / .milliseconds(1)) }
}

extension ServerCoverage {
    /// What each server's files cover, as far as they were looked at, in the order of the servers' names.
    package static func of(_ files: [SourceReport]) -> [ServerCoverage] {
        let opened = files.filter { $0.firstTime.map { $0.quality != .none } ?? false }
        return Dictionary(grouping: opened, by: \.server)
            .map { server, files in
                ServerCoverage(
                    server: server,
                    firstTime: files.compactMap(\.firstTime).min { $0.instant < $1.instant },
                    lastTime: files.compactMap(\.lastTime).max { $0.instant < $1.instant },
                    files: files.count
                )
            }
            .sorted { ($0.server ?? "") < ($1.server ?? "") }
    }
}

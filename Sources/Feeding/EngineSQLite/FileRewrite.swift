import ContentFeeding
import SQLiteStore

/// Writes the file anew when documents were merged out of it.
///
/// SQLite overwrites what it deletes, but not the copies that it leaves in the gaps of a page when it moves rows to
/// another: they hold removed documents until the page is used up. Only a file that is written anew has none. That
/// takes some 10 s for each GB, in which others wait with writing.
struct FileRewrite {
    let store: Store

    /// Does so if need be; where the disk has no room for it, and where it is not needed, `purge` gives free pages back.
    func run(otherwise purge: Purge) async throws(EngineError) {
        let gaps = try await store.read { connection in
            try connection.integer("SELECT coalesce(sum(gaps), 0) FROM collection")
        }
        guard gaps > 0 else { return try await purge.releaseSpace() }
        do throws(EngineError) {
            try await store.run { connection in
                // First, because without room in the file the copy would only make the log longer.
                guard try connection.checkpoint() else { throw store.heldByReader("all is merged") }
                try connection.rewrite()
                guard try connection.checkpoint() else { throw store.heldByReader("all is merged") }
                // Another process may have merged since; then its own optimization does this again.
                try connection.prepare(
                    "UPDATE collection SET gaps = 0 WHERE (SELECT sum(gaps) FROM collection) = ?"
                ).run(gaps)
                // Only the line before is left in the log, so that a reader that came just now is no reason to wait.
                _ = try connection.checkpoint(waiting: false)
            }
        } catch {
            guard error.code == .diskFull else { throw error }
            try await purge.releaseSpace()
            throw EngineError(
                .diskFull,
                "\(store.path): all is merged, but the disk has no room to write the file anew",
                advice: "make room for twice the file's size, and run the same command again: "
                    + "until then traces of removed documents may be left in the file",
                cause: error
            )
        }
    }
}

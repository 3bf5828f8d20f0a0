import Foundation
import TestSupport

/// A file system in memory that can be full or read-only.
struct SmallDisk {
    struct MountFailed: Error {}

    let folder: TemporaryFolder

    /// Whether this process may mount one.
    static let isPermitted: Bool = {
        guard let disk = try? SmallDisk(size: "1m") else { return false }
        disk.remove()
        return true
    }()

    init(size: String) throws {
        folder = try TemporaryFolder()
        guard Self.run("/bin/mount", ["-t", "tmpfs", "-o", "size=\(size)", "tmpfs", folder.path("")]) else {
            folder.remove()
            throw MountFailed()
        }
    }

    func path(_ name: String) -> String { folder.path(name) }

    func remount(_ mode: String) throws {
        guard Self.run("/bin/mount", ["-o", "remount,\(mode)", folder.path("")]) else { throw MountFailed() }
    }

    func remove() {
        // Lazily: a store that is still open would keep it busy.
        _ = Self.run("/bin/umount", ["-l", folder.path("")])
        folder.remove()
    }

    private static func run(_ program: String, _ arguments: [String]) -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}

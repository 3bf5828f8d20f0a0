import Foundation
import TestSupport

/// A folder of files for one test; it goes with the object.
final class SourceFolder {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    deinit { folder.remove() }

    var path: String { folder.path("") + (folder.path("").hasSuffix("/") ? "" : "/") }

    /// The path of a file in the folder, there or not.
    func callAsFunction(_ name: String) -> String { path + name }

    @discardableResult
    func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        try Data(bytes).write(to: URL(filePath: self(name)))
        return self(name)
    }

    @discardableResult
    func write(_ name: String, _ text: String = "x\n") throws -> String { try write(name, text.utf8) }

    func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: self(name), withIntermediateDirectories: true)
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: self(name)) }

    /// Runs a command of the shell in the folder, and returns the path of the file that it made.
    @discardableResult
    func make(_ name: String, _ command: String) throws -> String {
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", command]
        shell.currentDirectoryURL = URL(filePath: path)
        try shell.run()
        shell.waitUntilExit()
        guard shell.terminationStatus == 0 else { throw CocoaError(.fileReadUnknown) }
        return self(name)
    }
}

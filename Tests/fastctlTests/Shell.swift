import Foundation

/// Runs a program to its end and keeps what it printed.
struct Shell {
    let status: Int32
    let output: String
    let errors: String

    static func run(
        _ program: String,
        _ arguments: [String],
        in folder: String,
        environment: [String: String]
    ) throws -> Shell {
        let (output, errors) = (folder + "/.stdout-\(UUID().uuidString)", folder + "/.stderr-\(UUID().uuidString)")
        defer { for path in [output, errors] { try? FileManager.default.removeItem(atPath: path) } }
        for path in [output, errors] { _ = FileManager.default.createFile(atPath: path, contents: nil) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.currentDirectoryURL = URL(filePath: folder)
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: output)
        process.standardError = FileHandle(forWritingAtPath: errors)
        try process.run()
        process.waitUntilExit()
        let status = process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
        return Shell(status: status, output: try text(at: output), errors: try text(at: errors))
    }

    private static func text(at path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    }
}

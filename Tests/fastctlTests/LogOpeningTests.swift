import Foundation
import TestSupport
import Testing

/// Runs the log commands over a folder and counts how often they open its files.
struct LogOpeningTests {
    private static let id = "9446a0f0-1577-472e-a8af-a552b1b4cc39"
    private static let names = ["WFE1-20240311-1003.log", "WFE1-20240311-1033.log", "WFE2-20240311-1003.log"]

    @Test(
        .enabled(if: GoldenCase.binary != nil),
        arguments: ["diagnose", "logs show", "logs slow", "logs summary", "logs trace \(id)"]
    )
    func `Each log is opened once to look at it, and once to read it`(command: String) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let logs = folder.path("logs")
        try FileManager.default.createDirectory(atPath: logs, withIntermediateDirectories: false)
        for name in Self.names {
            let row = "03/11/2024 10:33:07.25\tw3wp.exe (0x1790)\t0x0EB8\tSharePoint Foundation\tRuntime\tb9y3\tHigh"
            try Data("\(row)\tIt failed in \(name)\t\(Self.id)\n".utf8).write(to: URL(filePath: logs + "/" + name))
        }
        let openings = try FileOpenings(in: logs)
        let run = try Shell.run(
            try #require(GoldenCase.binary).path,
            command.split(separator: " ").map(String.init) + [logs],
            in: folder.path(""),
            environment: ["HOME": folder.path(""), "LC_ALL": "C.UTF-8"]
        )
        #expect(run.status == 0, "\(run.errors)")
        #expect(openings.counts() == Dictionary(uniqueKeysWithValues: Self.names.map { ($0, 2) }))
    }
}

/// The openings of the files in a folder from now on, as the system tells them.
private struct FileOpenings: ~Copyable {
    private let descriptor: Int32

    init(in folder: String) throws {
        descriptor = inotify_init1(CInt(IN_NONBLOCK))
        // Equal events in a row are told as one, so closings are told too.
        try #require(inotify_add_watch(descriptor, folder, UInt32(IN_OPEN | IN_CLOSE_NOWRITE | IN_ONLYDIR)) >= 0)
    }

    deinit { close(descriptor) }

    /// Returns how often each file was opened, by name.
    func counts() -> [String: Int] {
        var counts: [String: Int] = [:]
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        while case let filled = read(descriptor, &bytes, bytes.count), filled > 0 {
            var rest = bytes[..<filled]
            while !rest.isEmpty {
                // The watch, what happened, a cookie and the length of the name: 4 bytes each.
                let numbers = rest.prefix(16).withUnsafeBytes { header in
                    (
                        happened: header.load(fromByteOffset: 4, as: UInt32.self),
                        length: header.load(fromByteOffset: 12, as: UInt32.self)
                    )
                }
                let name = rest.dropFirst(16).prefix(Int(numbers.length)).prefix { $0 != 0 }
                if numbers.happened & UInt32(IN_OPEN) != 0, !name.isEmpty {
                    counts[String(decoding: name, as: UTF8.self), default: 0] += 1
                }
                rest = rest.dropFirst(16 + Int(numbers.length))
            }
        }
        return counts
    }
}

import Foundation
import TestSupport
import Testing

/// Runs the log commands over a folder and counts how often they open its files.
struct LogOpeningTests {
    private static let id = "9446a0f0-1577-472e-a8af-a552b1b4cc39"
    private static let names = ["WFE1-20110926-1030.log", "WFE1-20110926-1100.log", "WFE2-20110926-1030.log"]
    private static let sample = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Samples/owssvr-aspnet-tracing/TEST-SP-20110926-1039.log").standardized.path

    @Test(
        .enabled(if: ChildProgram.fastctl != nil),
        arguments: ["diagnose", "logs show", "logs slow", "logs summary", "logs trace \(id)"]
    )
    func `Each log is opened once to examine it, and once to read it`(command: String) throws {
        let folder = try TemporaryFolder()
        let logs = folder.path("logs")
        try FileManager.default.createDirectory(atPath: logs, withIntermediateDirectories: false)
        // Each command finds something in the log; otherwise, the ends of the files would also be examined.
        for name in Self.names { try FileManager.default.copyItem(atPath: Self.sample, toPath: logs + "/" + name) }
        let openings = try FileOpenings(in: logs)
        let run = try ChildProgram.run(
            try #require(ChildProgram.fastctl).path,
            command.split(separator: " ").map(String.init) + [logs],
            in: folder.path(""),
            environment: ["HOME": folder.path(""), "LC_ALL": "C.UTF-8"]
        )
        #expect(run.status == (command == "diagnose" ? 1 : 0), "\(run.errors)")
        #expect(openings.counts() == Dictionary(uniqueKeysWithValues: Self.names.map { ($0, 2) }))
    }

    /// The beginning of the input, which shows whether it consists of pasted rows, must be neither lost nor read twice.
    @Test(
        .enabled(if: ChildProgram.fastctl != nil),
        arguments: ["cat", "gzip", "head -n 4", "head -n 4 | tr '\\t' ' ' | gzip"]
    )
    func `Logs give the same result by name, as standard input and through a pipe`(packing: String) throws {
        let folder = try TemporaryFolder()
        let binary = try #require(ChildProgram.fastctl).path
        func diagnose(_ input: String) throws -> [String] {
            let run = try ChildProgram.run(
                "/bin/bash",
                ["-c", "(cat '\(Self.sample)' | \(packing)) >log; \(input)", binary],
                in: folder.path(""),
                environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path(""), "LC_ALL": "C.UTF-8"]
            )
            // A command to copy names the log if it can be read again.
            let output = run.output.replacing("standard input", with: "log").replacing(/(logs trace \S+) LOGS\b/) {
                "\($0.1) log"
            }
            return ["\(run.status)", output]
        }
        let named = try diagnose(#""$0" diagnose log"#)
        #expect(try diagnose(#""$0" diagnose - <log"#) == named)
        #expect(try diagnose(#"cat log | "$0" diagnose"#) == named)
        #expect(try diagnose(#"(head -c 1; sleep 0.1; cat) <log | "$0" diagnose"#) == named)
    }
}

/// A watch that counts how often files in a folder are opened from now on, as reported by the system.
private final class FileOpenings {
    private let descriptor: Int32

    init(in folder: String) throws {
        descriptor = inotify_init1(CInt(IN_NONBLOCK))
        // The system merges consecutive equal events, so closings are also watched.
        let watch = inotify_add_watch(descriptor, folder, UInt32(IN_OPEN | IN_CLOSE_NOWRITE))
        try #require(watch >= 0)
    }

    deinit { close(descriptor) }

    /// Returns how often each file was opened, by name.
    func counts() -> [String: Int] {
        var counts: [String: Int] = [:]
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        while case let filled = read(descriptor, &bytes, bytes.count), filled > 0 {
            var rest = bytes[..<filled]
            while !rest.isEmpty {
                // The watch, the event, a cookie and the length of the name: 4 bytes each.
                let numbers = rest.prefix(16).withUnsafeBytes { header in
                    (
                        happened: header.loadUnaligned(fromByteOffset: 4, as: UInt32.self),
                        length: header.loadUnaligned(fromByteOffset: 12, as: UInt32.self)
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

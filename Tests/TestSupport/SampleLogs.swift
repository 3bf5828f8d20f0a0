import Foundation

/// Real logs that are not part of the package; `FASTCTL_SAMPLES` is their folder.
public enum SampleLogs {
    public static let folder = ProcessInfo.processInfo.environment["FASTCTL_SAMPLES"]

    public static func files() throws -> [String] {
        guard let folder else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasSuffix(".md") }.sorted()
    }

    public static func bytes(_ name: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: URL(filePath: folder ?? "").appending(path: name)))
    }
}

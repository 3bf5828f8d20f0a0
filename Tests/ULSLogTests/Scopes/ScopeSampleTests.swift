import Foundation
import Testing

@testable import ULSLog

struct ScopeSampleTests {
    private static let folder = ProcessInfo.processInfo.environment["FASTCTL_SAMPLES"]

    @Test(.enabled(if: folder != nil, "FASTCTL_SAMPLES names the folder of sample logs"))
    func everyScopeOfTheSamplesIsRead() throws {
        let folder = URL(filePath: try #require(Self.folder))
        var rows = 0
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        where ["log", "txt"].contains(file.pathExtension) {
            let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            for line in text.split(whereSeparator: \.isNewline) {
                let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
                guard fields.count >= 8, ["nasq", "b4ly"].contains(fields[5]) else { continue }
                rows += 1
                let bytes = Array(fields[7].utf8)
                guard let scope = ScopeMessage.parse(bytes.span) else {
                    Issue.record("\(line)")
                    continue
                }
                #expect(scope.name != nil || line.contains("({0})"), "\(line)")
                #expect((scope.kind == .entering) == (fields[5] == "nasq"), "\(line)")
                #expect(scope.kind != .leaving(duration: nil), "\(line)")
            }
        }
        #expect(rows > 0)
    }
}

import Testing
import WebConfig

/// Settings of several files side by side.
struct ConfigComparisonTests {
    private func file(_ name: String, _ content: String) throws -> WebConfigFile {
        try WebConfigFile(
            Array("<configuration>\(content)</configuration>".utf8),
            source: WebConfigSource(path: name, server: name)
        )
    }

    private func differences(_ files: [WebConfigFile]) -> [String] {
        ConfigComparison(files).rows.filter(\.differs).map { $0.setting.name + ($0.location.map { " in \($0)" } ?? "") }
    }

    @Test func `Files with the same values form one group`() throws {
        let files = [
            try file("a", #"<system.web><trace enabled="false"/></system.web>"#), try file("b", ""),
            try file("c", #"<system.web><trace enabled="True"/></system.web>"#),
            try file("d", #"<system.web><trace enabled="FALSE"/></system.web>"#),
        ]
        let comparison = ConfigComparison(files)
        // The default equals the value written in the other files.
        #expect(comparison.groups.map { $0.files.map(\.source.path) } == [["a", "b", "d"], ["c"]])
        #expect(differences(files) == ["ASP.NET tracing"])
        #expect(differences([files[0], files[1], files[3]]).isEmpty)
    }

    @Test func `A location element that only one file contains is a difference`() throws {
        let files = [
            try file("a", ""),
            try file("b", #"<location path="x"><system.web><customErrors mode="Off"/></system.web></location>"#),
        ]
        #expect(differences(files) == ["custom errors in x"])
    }

    @Test func `A setting that a file does not determine is not a difference`() throws {
        let files = [
            try file("a", #"<system.web><trace configSource="trace.config"/></system.web>"#),
            try file("b", #"<system.web><trace enabled="false"/></system.web>"#),
        ]
        #expect(!differences(files).contains("ASP.NET tracing"))
        #expect(ConfigComparison(files).rows.contains { row in row.values.contains { $0?.isTold == false } })
    }
}

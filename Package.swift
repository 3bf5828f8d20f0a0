// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "fastctl",
    products: [
        .executable(name: "fastctl", targets: ["fastctl"]),
        .executable(name: "content-distributor", targets: ["content-distributor"]),
        .library(name: "ContentFeeding", targets: ["ContentFeeding"]),
        .library(name: "CollectionSync", targets: ["CollectionSync"]),
        .library(name: "FeedFormats", targets: ["FeedFormats"]),
        .library(name: "EngineSQLite", targets: ["EngineSQLite"]),
        .library(name: "JobJournal", targets: ["JobJournal"]),
        .library(name: "EngineCatalog", targets: ["EngineCatalog"]),
        .library(name: "FeedJobs", targets: ["FeedJobs"]),
        .library(name: "DistributorClient", targets: ["DistributorClient"]),
        .library(name: "DocumentSources", targets: ["DocumentSources"]),
        .library(name: "FeedingTestKit", targets: ["FeedingTestKit"]),
        .library(name: "ULSLog", targets: ["ULSLog", "ULSRows"]),
        .library(name: "WebConfig", targets: ["WebConfig"]),
        .library(name: "LogDiagnosis", targets: ["LogDiagnosis"]),
    ],
    targets: [
        // Bridges: access to the system. Each C library is imported by exactly one Swift module. Bridges don't import
        // each other, except for small modules that several of them need: Files, Gzip, JSONText, TextKit, Threads.
        // These three don't use pkg-config, which would link them: they are opened on first use.
        .system("CCurl", nil, apt: "libcurl4-openssl-dev"),
        .system("CHyperscan", nil, apt: "libhyperscan-dev"),
        .system("CMicroHTTPD", nil, apt: "libmicrohttpd-dev"),
        .system("CSQLite", "sqlite3", apt: "libsqlite3-dev"),
        .system("CZlib", "zlib", apt: "zlib1g-dev"),
        .system("CLibArchive", "libarchive", apt: "libarchive-dev"),
        .system("CLibCrypto", "libcrypto", apt: "libssl-dev"),
        .system("CLibXML2", "libxml-2.0", apt: "libxml2-dev"),
        .system("CLibYAML", "yaml-0.1", apt: "libyaml-dev"),
        // This one doesn't use pkg-config, whose flags for this library are macros that SwiftPM refuses with a warning.
        .system("CNcurses", nil, apt: "libncurses-dev"),
        .systemLibrary(name: "CFileAttributes", path: "Sources/Bridges/CFileAttributes"),
        .systemLibrary(name: "CProcessor", path: "Sources/Bridges/CProcessor"),
        .target(name: "CHTTPDaemon", dependencies: ["CMicroHTTPD"], path: "Sources/Bridges/CHTTPDaemon"),
        // The files of Rules and Schemas are compiled in, so that the program is a single file.
        .target(
            name: "CBuiltIn",
            path: "Sources/Bridges/CBuiltIn",
            // Defined for make's release builds by Scripts/build-facts.
            cSettings: Context.environment["FASTCTL_BUILD"].map { [.define("FASTCTL_BUILD", to: "\"\($0)\"")] }
        ),
        .target(name: "CDistributorFiles", path: "Sources/Bridges/CDistributorFiles"),
        .module("BuiltInFiles", in: "Bridges", ["CBuiltIn"]),
        .module("ArchiveStream", in: "Bridges", ["CLibArchive", "Gzip"]),
        .module("ArgumentParsing", in: "Bridges", ["TextKit"]),
        .module("Digests", in: "Bridges", ["CLibCrypto", "TextKit"]),
        .module("Files", in: "Bridges", ["CFileAttributes", "TextKit"], settings: [.strictMemorySafety()]),
        .module("Gzip", in: "Bridges", ["CZlib"]),
        .module("HTTPClient", in: "Bridges", ["CCurl", "TextKit", "Threads"]),
        .module("HTTPService", in: "Bridges", ["CHTTPDaemon", "Files", "JSONText", "TextKit", "Threads"]),
        .module("JSONText", in: "Bridges", settings: [.enableExperimentalFeature("Lifetimes")]),
        .module("SQLiteStore", in: "Bridges", ["CSQLite", "TextKit", "Threads"]),
        .module("TerminalScreen", in: "Bridges", ["CNcurses"]),
        .module(
            "TextKit",
            in: "Bridges",
            ["CProcessor"],
            settings: [.enableExperimentalFeature("Lifetimes"), .strictMemorySafety()]
        ),
        .module("TextPatterns", in: "Bridges", ["CHyperscan", "TextKit"]),
        .module("TimeZones", in: "Bridges", ["Files", "TextKit"], settings: [.strictMemorySafety()]),
        .module("Threads", in: "Bridges", ["TextKit"]),
        .module("XMLStream", in: "Bridges", ["CLibXML2"]),
        .module("YAML", in: "Bridges", ["CLibYAML", "TextKit"]),

        // Feeding: documents are fed into search engines.
        .module(
            "ContentFeeding",
            in: "Feeding",
            ["Digests", "JSONText", "TextKit"],
            settings: [.enableExperimentalFeature("Lifetimes")]
        ),
        .module(
            "FeedFormats",
            in: "Feeding",
            ["ArchiveStream", "ContentFeeding", "Digests", "JSONText", "TextKit", "Threads", "XMLStream"]
        ),
        .module("FeedingTestKit", in: "Feeding", ["ContentFeeding", "JSONText", "TextKit"]),
        .module("JobJournal", in: "Feeding", ["ContentFeeding", "SQLiteStore", "TextKit"]),
        .module(
            "CollectionSync",
            in: "Feeding",
            ["ContentFeeding", "Digests", "JSONText", "JobJournal", "SQLiteStore", "TextKit"]
        ),
        .module(
            "EngineSQLite",
            in: "Feeding",
            ["CollectionSync", "ContentFeeding", "JSONText", "JobJournal", "SQLiteStore", "TextKit", "Threads"]
        ),
        .module(
            "EngineHTTP",
            in: "Feeding",
            ["ContentFeeding", "Digests", "Files", "Gzip", "HTTPClient", "JSONText", "TextKit", "Threads"]
        ),
        .module(
            "EngineDistributor",
            in: "Feeding",
            ["ContentFeeding", "EngineHTTP", "FeedFormats", "JSONText", "TextKit"]
        ),
        .module("EngineOpenSearch", in: "Feeding", ["ContentFeeding", "EngineHTTP", "JSONText", "TextKit"]),
        .module("EngineSolr", in: "Feeding", ["ContentFeeding", "EngineHTTP", "JSONText", "TextKit"]),
        .module(
            "DocumentSources",
            in: "Feeding",
            [
                "CollectionSync", "ContentFeeding", "Digests", "EngineHTTP", "FeedFormats", "Files", "Gzip",
                "HTTPClient", "JSONText", "SQLiteStore", "TextKit", "Threads", "XMLStream",
            ]
        ),
        .module(
            "Reconciliation",
            in: "Feeding",
            ["ContentFeeding", "Digests", "DocumentSources", "Files", "JSONText", "TextKit"],
            settings: [.enableExperimentalFeature("Lifetimes")]
        ),
        .module(
            "EngineCatalog",
            in: "Feeding",
            [
                "ArgumentParsing", "ContentFeeding", "EngineDistributor", "EngineHTTP", "EngineOpenSearch",
                "EngineSQLite", "EngineSolr", "Files", "TextKit", "YAML",
            ]
        ),

        .module(
            "FeedJobs",
            in: "Feeding",
            [
                "CollectionSync", "ContentFeeding", "Digests", "DocumentSources", "EngineCatalog", "FeedFormats",
                "Files", "JSONText", "JobJournal", "Reconciliation", "TextKit", "Threads",
            ]
        ),
        .module("Hooks", in: "Feeding", ["JSONText", "TextKit", "Threads"]),
        .module(
            "Notifications",
            in: "Feeding",
            ["Digests", "Files", "HTTPClient", "JSONText", "SQLiteStore", "TextKit", "Threads"]
        ),
        .module("ServerSecurity", in: "Feeding", ["Digests", "Files", "JSONText", "TextKit", "Threads"]),
        .module("Schedules", in: "Feeding", ["Files", "SQLiteStore", "TextKit", "Threads", "TimeZones"]),
        .module(
            "ContentDistributor",
            in: "Feeding",
            [
                "ArgumentParsing", "CDistributorFiles", "ContentFeeding", "Digests", "FeedFormats", "FeedJobs", "Files",
                "HTTPClient", "HTTPService", "Hooks", "JSONText", "JobJournal", "Notifications", "Reconciliation",
                "SQLiteStore", "Schedules", "ServerSecurity", "TextKit", "Threads", "TimeZones", "YAML",
            ]
        ),

        .module(
            "ConsolePages",
            in: "Feeding",
            ["CDistributorFiles", "Digests", "HTTPService", "JSONText", "ReportKit", "TextKit"],
            excluding: ["Assets"]
        ),
        .module(
            "DistributorClient",
            in: "Feeding",
            ["HTTPClient", "JSONText", "TextKit"]
        ),

        // Logs: the files of SharePoint's Unified Logging Service.
        .module(
            "ULSRows",
            in: "Logs",
            ["TextKit", "TimeZones"],
            settings: [.enableExperimentalFeature("Lifetimes"), .strictMemorySafety()]
        ),
        .module(
            "ULSPaste",
            in: "Logs",
            ["ULSRows"],
            settings: [.enableExperimentalFeature("Lifetimes"), .strictMemorySafety()]
        ),
        .module(
            "ULSLog",
            in: "Logs",
            ["ArchiveStream", "Files", "TextKit", "TextPatterns", "Threads", "ULSPaste", "ULSRows"],
            settings: [.enableExperimentalFeature("Lifetimes"), .strictMemorySafety()]
        ),

        .module("WebConfig", in: "Logs", ["Digests", "Files", "TextKit", "XMLStream"]),
        .module("FailureExplanation", in: "Logs", ["BuiltInFiles", "TextKit"]),
        .module("Redaction", in: "Logs", ["Digests", "TextKit"]),
        .module(
            "LogDiagnosis",
            in: "Logs",
            [
                "BuiltInFiles", "Digests", "FailureExplanation", "Files", "Redaction", "TextKit", "TextPatterns",
                "ULSLog", "WebConfig", "YAML",
            ]
        ),
        .module("Neighbors", in: "Logs", ["FailureExplanation", "LogDiagnosis", "TextKit", "YAML"]),
        .module(
            "RuleAuthoring",
            in: "Logs",
            ["Digests", "LogDiagnosis", "TextKit", "TextPatterns", "ULSLog", "WebConfig", "YAML"]
        ),

        // Reports: output for people and machines.
        .module("ReportKit", in: "Reports", ["BuiltInFiles", "Digests", "JSONText", "TextKit"]),
        .module(
            "FeedReports",
            in: "Reports",
            ["ContentFeeding", "FeedJobs", "JSONText", "JobJournal", "Reconciliation", "ReportKit", "TextKit"]
        ),
        .module(
            "LogReports",
            in: "Reports",
            [
                "Digests", "FailureExplanation", "JSONText", "LogDiagnosis", "Neighbors", "Redaction", "ReportKit",
                "RuleAuthoring", "TextKit", "ULSLog", "WebConfig",
            ]
        ),
        .module("LogViewer", in: "Reports", ["LogReports", "ReportKit", "TerminalScreen", "TextKit", "ULSLog"]),

        // The commands: parse, call, print. Only the main program imports both the commands for feeding and those for
        // logs.
        .module(
            "CommandKit",
            in: "Commands",
            ["ArgumentParsing", "Files", "ReportKit", "TextKit", "Threads"]
        ),
        .module(
            "FeedCommands",
            in: "Commands",
            [
                "ArgumentParsing", "CollectionSync", "CommandKit", "ContentFeeding", "DocumentSources", "EngineCatalog",
                "FeedFormats", "FeedJobs", "FeedReports", "Files", "JSONText", "JobJournal", "Reconciliation",
                "ReportKit", "TextKit",
            ]
        ),
        .module(
            "LogCommands",
            in: "Commands",
            [
                "ArgumentParsing", "CommandKit", "FailureExplanation", "Files", "LogDiagnosis", "LogReports",
                "LogViewer", "Redaction", "ReportKit", "RuleAuthoring", "TerminalScreen", "TextKit", "Threads",
                "ULSLog", "WebConfig",
            ]
        ),
        .executableTarget(
            name: "content-distributor",
            dependencies: [
                "ArgumentParsing", "ConsolePages", "ContentDistributor", "Digests", "Files", "HTTPService", "JSONText",
                "Notifications", "ReportKit", "ServerSecurity", "TextKit", "Threads",
            ]
        ),
        .executableTarget(
            name: "fastctl",
            dependencies: [
                "ArgumentParsing", "CommandKit", "EngineCatalog", "FeedCommands", "Files", "LogCommands", "ReportKit",
                "TextKit", "Threads",
            ]
        ),

        .target(
            name: "TestSupport",
            dependencies: ["ContentFeeding", "FeedingTestKit", "Threads"],
            path: "Tests/TestSupport"
        ),
        .target(
            name: "LogTestSupport",
            dependencies: ["LogDiagnosis", "ULSLog", "WebConfig"],
            path: "Tests/LogTestSupport"
        ),
        .testTarget(name: "ArchitectureTests", dependencies: ["TestSupport"]),
        .testTarget(name: "ArchiveStreamTests", dependencies: ["ArchiveStream", "TestSupport"]),
        .testTarget(name: "ArgumentParsingTests", dependencies: ["ArgumentParsing", "TestSupport"]),
        .testTarget(name: "BuiltInFilesTests", dependencies: ["BuiltInFiles"]),
        .testTarget(
            name: "CollectionSyncTests",
            dependencies: ["CollectionSync", "ContentFeeding", "EngineSQLite", "JobJournal", "TestSupport", "TextKit"]
        ),
        .testTarget(name: "CommandKitTests", dependencies: ["CommandKit"]),
        .testTarget(
            name: "ConsolePagesTests",
            dependencies: ["ConsolePages", "HTTPService", "JSONText", "TestSupport"]
        ),
        .testTarget(name: "ContentFeedingTests", dependencies: ["ContentFeeding", "JSONText", "TestSupport"]),
        .testTarget(name: "DigestsTests", dependencies: ["Digests", "TextKit"]),
        .testTarget(
            name: "DurabilityTests",
            dependencies: [
                "CollectionSync", "ContentFeeding", "EngineHTTP", "EngineOpenSearch", "EngineSQLite", "HTTPClient",
                "JobJournal", "SQLiteStore", "TestSupport", "Threads",
            ]
        ),
        .testTarget(
            name: "EngineCatalogTests",
            dependencies: ["ContentFeeding", "EngineCatalog", "EngineHTTP", "TestSupport", "YAML"]
        ),
        .testTarget(
            name: "EngineHTTPTests",
            dependencies: [
                "ContentFeeding", "Digests", "EngineHTTP", "HTTPClient", "TestSupport", "TextKit", "Threads",
            ]
        ),
        .testTarget(
            name: "EngineOpenSearchTests",
            dependencies: ["ContentFeeding", "EngineHTTP", "EngineOpenSearch", "JSONText", "TestSupport"]
        ),
        .testTarget(
            name: "EngineDistributorTests",
            dependencies: [
                "CollectionSync", "ContentDistributor", "ContentFeeding", "EngineDistributor", "EngineHTTP",
                "EngineSQLite", "FeedFormats", "FeedJobs", "FeedingTestKit", "HTTPService", "TestSupport",
            ]
        ),
        .testTarget(
            name: "EngineSolrTests",
            dependencies: ["ContentFeeding", "EngineHTTP", "EngineSolr", "JSONText", "TestSupport"]
        ),
        .testTarget(
            name: "EngineSQLiteTests",
            dependencies: ["ContentFeeding", "EngineSQLite", "JobJournal", "SQLiteStore", "TestSupport"]
        ),
        .testTarget(
            name: "FailureExplanationTests",
            dependencies: ["BuiltInFiles", "FailureExplanation", "TestSupport", "TextKit"]
        ),
        .testTarget(
            name: "FeedCommandsTests",
            dependencies: ["ArgumentParsing", "ContentFeeding", "FeedCommands", "FeedFormats", "FeedJobs", "ReportKit"]
        ),
        .testTarget(
            name: "FeedFormatsTests",
            dependencies: ["ContentFeeding", "Digests", "FeedFormats", "TestSupport", "TextKit"]
        ),
        .testTarget(
            name: "FeedJobsTests",
            dependencies: [
                "ContentFeeding", "DocumentSources", "EngineSQLite", "FeedFormats", "FeedJobs", "FeedReports",
                "JobJournal", "ReportKit", "TestSupport", "TextKit",
            ]
        ),
        .testTarget(name: "FeedingTestKitTests", dependencies: ["ContentFeeding", "FeedingTestKit", "TestSupport"]),
        .testTarget(
            name: "FeedReportsTests",
            dependencies: ["ContentFeeding", "FeedJobs", "FeedReports", "ReportKit", "TestSupport", "TextKit"]
        ),
        .testTarget(name: "FilesTests", dependencies: ["Files", "TestSupport"]),
        .testTarget(name: "GzipTests", dependencies: ["Gzip", "TestSupport"]),
        .testTarget(name: "HTTPClientTests", dependencies: ["HTTPClient", "TestSupport", "Threads"]),
        .testTarget(name: "HTTPServiceTests", dependencies: ["HTTPService", "TestSupport", "Threads"]),
        .testTarget(name: "JobJournalTests", dependencies: ["ContentFeeding", "JobJournal", "TestSupport"]),
        .testTarget(name: "JSONTextTests", dependencies: ["JSONText", "TestSupport"]),
        .testTarget(
            name: "LiveEngineTests",
            dependencies: [
                "CollectionSync", "ContentFeeding", "Digests", "DocumentSources", "EngineHTTP", "EngineOpenSearch",
                "EngineSQLite", "EngineSolr", "FeedingTestKit", "Files", "HTTPClient", "Reconciliation", "TestSupport",
                "TextKit",
            ]
        ),
        .testTarget(
            name: "LogCommandsTests",
            dependencies: [
                "ArgumentParsing", "LogCommands", "LogDiagnosis", "LogReports", "LogTestSupport", "Redaction",
                "TestSupport", "ULSLog",
            ]
        ),
        .testTarget(
            name: "LogDiagnosisTests",
            dependencies: [
                "BuiltInFiles", "FailureExplanation", "LogDiagnosis", "LogTestSupport", "TestSupport", "ULSLog",
                "WebConfig", "YAML",
            ]
        ),
        .testTarget(
            name: "LogReportsTests",
            dependencies: [
                "Digests", "FailureExplanation", "LogDiagnosis", "LogReports", "Neighbors", "Redaction", "ReportKit",
                "RuleAuthoring", "TestSupport", "TextKit", "ULSLog", "WebConfig",
            ]
        ),
        .testTarget(
            name: "LogViewerTests",
            dependencies: ["LogViewer", "ReportKit", "TerminalScreen", "TestSupport", "ULSLog"]
        ),
        .testTarget(
            name: "NeighborsTests",
            dependencies: ["FailureExplanation", "LogDiagnosis", "Neighbors", "TestSupport"]
        ),
        .testTarget(
            name: "ReconciliationTests",
            dependencies: ["ContentFeeding", "DocumentSources", "Files", "JSONText", "Reconciliation", "TestSupport"]
        ),
        .testTarget(
            name: "ContentDistributorTests",
            dependencies: [
                "CLibCrypto", "ConsolePages", "ContentDistributor", "ContentFeeding", "Digests", "EngineSQLite",
                "FeedJobs", "FeedingTestKit", "Files", "HTTPClient", "HTTPService", "Hooks", "JSONText",
                "Notifications", "SQLiteStore", "Schedules", "ServerSecurity", "TestSupport", "TextKit", "Threads",
                "YAML",
            ]
        ),
        .testTarget(
            name: "DistributorClientTests",
            dependencies: [
                "ContentDistributor", "ContentFeeding", "DistributorClient", "EngineSQLite", "HTTPService",
                "TestSupport", "TextKit",
            ]
        ),
        .testTarget(name: "HooksTests", dependencies: ["Hooks", "JSONText", "TestSupport"]),
        .testTarget(
            name: "NotificationsTests",
            dependencies: [
                "CLibCrypto", "Digests", "HTTPClient", "HTTPService", "JSONText", "Notifications", "TestSupport",
                "TextKit", "Threads",
            ]
        ),
        .testTarget(name: "ReportKitTests", dependencies: ["JSONText", "ReportKit", "TestSupport", "TextKit"]),
        .testTarget(name: "RedactionTests", dependencies: ["Redaction"]),
        .testTarget(
            name: "RuleAuthoringTests",
            dependencies: [
                "LogDiagnosis", "LogTestSupport", "RuleAuthoring", "TestSupport", "ULSLog", "WebConfig", "YAML",
            ]
        ),
        .testTarget(
            name: "SchedulesTests",
            dependencies: ["Schedules", "TestSupport", "TextKit", "Threads", "TimeZones"]
        ),
        .testTarget(
            name: "SampleTests",
            dependencies: ["ContentFeeding", "EngineSQLite", "TestSupport", "Threads", "YAML"]
        ),
        .testTarget(name: "SQLiteStoreTests", dependencies: ["SQLiteStore", "TestSupport"]),
        .testTarget(
            name: "DocumentSourcesTests",
            dependencies: [
                "CollectionSync", "ContentFeeding", "DocumentSources", "EngineHTTP", "EngineSQLite", "Gzip",
                "SQLiteStore", "TestSupport",
            ]
        ),
        .testTarget(name: "TextKitTests", dependencies: ["TextKit"]),
        .testTarget(name: "TextPatternsTests", dependencies: ["TestSupport", "TextKit", "TextPatterns"]),
        .testTarget(name: "ThreadsTests", dependencies: ["Threads"]),
        .testTarget(
            name: "ULSLogTests",
            dependencies: ["ArchiveStream", "TestSupport", "TextKit", "TimeZones", "ULSLog", "ULSPaste", "ULSRows"],
            exclude: ["Fixtures"]
        ),
        .testTarget(name: "ULSPasteTests", dependencies: ["TestSupport", "TextKit", "ULSPaste", "ULSRows"]),
        .testTarget(name: "ULSRowsTests", dependencies: ["TestSupport", "TextKit", "ULSRows"]),
        .testTarget(name: "WebConfigTests", dependencies: ["TestSupport", "WebConfig"]),
        .testTarget(name: "XMLStreamTests", dependencies: ["TestSupport", "XMLStream"]),
        .testTarget(name: "YAMLTests", dependencies: ["TestSupport", "YAML"]),
        .testTarget(
            name: "fastctlTests",
            dependencies: [
                "ArgumentParsing", "CommandKit", "FeedCommands", "LogCommands", "LogReports", "ReportKit",
                "TestSupport",
                "Threads",
            ],
            exclude: ["Golden", "LiveGolden"]
        ),
    ]
)

// Modules without hot loops are optimized for size: according to measurements, they run just as fast, and compile
// faster. SwiftPM does not allow such flags in a dependency, so a checkout as a dependency omits them.
let isDependency = Context.packageDirectory.contains("/checkouts/") || Context.packageDirectory.contains("/registry/")
let small = [
    "ArgumentParsing", "CollectionSync", "CommandKit", "ConsolePages", "DocumentSources", "EngineCatalog",
    "EngineDistributor", "EngineHTTP", "EngineOpenSearch", "EngineSolr", "FailureExplanation", "FeedCommands",
    "FeedJobs", "FeedReports", "Hooks", "JobJournal", "LogCommands", "LogReports", "LogViewer", "Notifications",
    "Reconciliation", "ReportKit", "RuleAuthoring", "Schedules", "WebConfig", "fastctl",
]
for target in package.targets where !isDependency && small.contains(target.name) {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [.unsafeFlags(["-Osize"], .when(configuration: .release))]
}

// The modules whose internal declarations are visible to tests: make compiles the programs and their tests once.
// The list is short because the optimizer has to keep all functions of these modules. In other modules, declarations for
// tests are package.
let testable = [
    "ArgumentParsing", "ContentDistributor", "ContentFeeding", "DistributorClient", "EngineCatalog",
    "EngineDistributor", "EngineHTTP", "EngineOpenSearch", "EngineSolr", "FailureExplanation", "FeedFormats",
    "FeedJobs", "Hooks", "LogDiagnosis", "Reconciliation", "ReportKit", "Schedules", "ServerSecurity", "TimeZones",
    "ULSLog", "ULSPaste", "ULSRows", "WebConfig",
]
for target in package.targets where !isDependency && testable.contains(target.name) {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [.unsafeFlags(["-enable-testing"], .when(configuration: .release))]
}

// Keeps the runtime's regular expressions out of the binary: TextKit searches text itself, and its tests use its
// searches.
for target in package.targets
where !isDependency
    && ([.regular, .executable].contains(target.type) && !target.name.hasSuffix("TestSupport")
        || target.name == "TextKitTests")
{
    let flags = ["-Xfrontend", "-disable-implicit-string-processing-module-import"]
    target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(flags)]
}

// The log reader inlines the functions of rows in its loops.
for target in package.targets where !isDependency && ["ULSRows"].contains(target.name) {
    target.swiftSettings =
        (target.swiftSettings ?? [])
        + [.unsafeFlags(["-cross-module-optimization"], .when(configuration: .release))]
}

// The programs contain the Swift runtime, but the tests beside them are linked with the toolchain's: Swift Testing exists
// only as a shared library. SwiftPM's own option would compile all modules for one of the two.
for target in package.targets where !isDependency && target.type == .executable {
    target.linkerSettings = [.unsafeFlags(["-static-stdlib"], .when(configuration: .release))]
}

// Tests are not optimized: they run once, and optimizing them would take longer than running them.
for target in package.targets where target.type == .test || target.name.hasSuffix("TestSupport") {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [.unsafeFlags(["-Onone"], .when(configuration: .release))]
}

for target in package.targets where target.type != .system {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("ImmutableWeakCaptures"),
            .enableUpcomingFeature("InferIsolatedConformances"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            .treatAllWarnings(as: .error),
        ]
}

extension Target {
    /// A module in one of the folders that represent the architecture.
    static func module(
        _ name: String,
        in folder: String,
        _ dependencies: [Dependency] = [],
        excluding excluded: [String] = [],
        settings: [SwiftSetting] = []
    ) -> Target {
        .target(
            name: name,
            dependencies: dependencies,
            path: "Sources/\(folder)/\(name)",
            exclude: excluded,
            swiftSettings: settings
        )
    }

    /// A C library, as shipped by the distribution.
    static func system(_ name: String, _ pkgConfig: String?, apt package: String) -> Target {
        .systemLibrary(
            name: name,
            path: "Sources/Bridges/\(name)",
            pkgConfig: pkgConfig,
            providers: [.apt([package])]
        )
    }
}

import Foundation
import TestSupport
import Testing

/// The project's own rules: the sizes of files and modules, unique names, public declarations, and the number of
/// options of a command.
///
/// Every limit is tested below by a small package that exceeds it. The lists of exceptions may only shrink: an
/// exception that is no longer needed is also a failure.
struct HouseTests {
    private static let house = House(at: URL(filePath: #filePath).appending(path: "../../..").standardized)

    // MARK: Exceptions

    /// Modules that are not products but have public declarations, with their number and the reason.
    private static let publicModules = [
        "EngineHTTP": PublicException(
            47,
            "EngineCatalog has the options of connections and the addresses of nodes; DocumentSources reads with them"
        ),
        "Redaction": PublicException(15, "A report of LogDiagnosis says how it was redacted"),
        "TextKit": PublicException(
            37,
            "Failures of all products with their advice, and encodings of input and of logs"
        ),
        "TimeZones": PublicException(17, "ULSLog reads the clocks of servers in their time zones"),
        "YAML": PublicException(26, "Rules of LogDiagnosis have mappings and places of the file that they come from"),
    ]

    /// Commands with more than 40 options, arguments and flags, with their number; the goal is an empty list.
    private static let largeCommands = [
        "Add": 72, "Apply": 48, "Copy": 54, "Diagnose": 46, "Remove": 77, "ShowLogs": 41, "Undo": 46, "Update": 69,
    ]

    /// Folders of fixtures that must be binary, because text would not exercise the code.
    private static let binaryFolders = [
        "Tests/fastctlTests/Golden/remove-utf16-as-powershell-writes-it/", "Documentation/Guide/report.png",
        "Documentation/Guide/console-", "Tests/fastctlTests/Golden/files-of-0.1.0/",
    ]

    // MARK: The current package

    @Test func `The checks read the package's files, products and commands`() throws {
        #expect(Self.house.files.count > 100)
        #expect(Self.house.products.contains("ContentFeeding"))
        #expect(Self.house.commands().count > 50)
    }

    @Test func `Source files have the intended sizes`() { expectNone(Self.house.fileSizeFaults()) }

    @Test func `Modules stay below the size limit`() {
        expectNone(Self.house.moduleSizeFaults(exceptions: [:]))
    }

    @Test func `No two files have the same name`() { expectNone(Self.house.fileNameFaults()) }

    @Test func `No two types have the same name`() { expectNone(Self.house.typeNameFaults()) }

    @Test func `Only products have public declarations`() {
        expectNone(Self.house.publicFaults(exceptions: Self.publicModules))
    }

    @Test func `Each module has a single audience`() { expectNone(Self.house.audienceFaults()) }

    @Test func `No Swift file is generated`() { expectNone(Self.house.generatedFaults()) }

    @Test func `A command has at most forty options`() {
        expectNone(Self.house.optionFaults(exceptions: Self.largeCommands))
    }

    @Test func `The build flags match the decisions`() { expectNone(Self.house.buildFlagFaults()) }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: house.root.appending(path: ".git").path)))
    func `No binary file is tracked`() throws {
        let listing = try ChildProgram.run("git", ["ls-files", "-z"], in: Self.house.root.path)
        let tracked = listing.output.split(separator: "\0").map(String.init)
        #expect(tracked.count > 1_000, "\(listing.errors)")
        expectNone(Self.house.binaryFaults(among: tracked, but: Self.binaryFolders))
    }

    @Test func `The architecture map is short, and lists every module and only existing files`() {
        expectNone(Self.house.mapFaults())
    }

    private func expectNone(_ faults: [String]) {
        for fault in faults { Issue.record("\(fault)") }
    }

    // MARK: Planted faults

    @Test func `Files that are too short on average are detected`() throws {
        let faults = try faults([
            "Sources/Feeding/A/One.swift": lines(200), "Sources/Feeding/A/Two.swift": lines(210),
        ]) { $0.fileSizeFaults() }
        #expect(faults.contains("A file has 205 lines on average, not 300"))
        #expect(faults.contains("The median line is in Two.swift, which has 210 lines, not 350"))
        #expect(faults.count == 2)
    }

    @Test func `Small files are detected`() throws {
        let faults = try faults([
            "Sources/Feeding/A/One.swift": lines(900), "Sources/Feeding/A/Two.swift": lines(59),
            "Sources/Feeding/A/Three.swift": lines(60),
        ]) { $0.fileSizeFaults() }
        #expect(faults == ["1 of 3 files have fewer than 60 lines, more than 3 %: Two.swift (59)"])
    }

    @Test func `A large module is detected, and so is an unneeded exception`() throws {
        let files = ["Sources/Feeding/A/One.swift": lines(12_001), "Sources/Logs/B/Two.swift": lines(12_000)]
        #expect(try faults(files) { $0.moduleSizeFaults(exceptions: [:]) } == ["A has 12001 lines, not 12000"])
        #expect(try faults(files) { $0.moduleSizeFaults(exceptions: ["A": 12_001]) } == [])
        #expect(
            try faults(files) { $0.moduleSizeFaults(exceptions: ["A": 12_000, "B": 13_000]) }
                == ["A has 12001 lines, not 12000", "B needs no exception: it has 12000 lines"]
        )
        #expect(
            try faults(files) { $0.moduleSizeFaults(exceptions: ["A": 12_001, "C": 13_000]) }
                == ["C needs no exception: it has 0 lines"]
        )
    }

    @Test func `An exception for a large module must be lowered when the module shrinks`() throws {
        let files = ["Sources/Feeding/A/One.swift": lines(12_001)]
        #expect(
            try faults(files) { $0.moduleSizeFaults(exceptions: ["A": 13_000]) }
                == ["A has 12001 lines: the exception of 13000 can be smaller"]
        )
    }

    @Test func `Two files with the same name are detected`() throws {
        let faults = try faults([
            "Sources/Feeding/A/One.swift": "", "Sources/Logs/B/One.swift": "", "Sources/Logs/B/Two.swift": "",
        ]) { $0.fileNameFaults() }
        #expect(faults == ["One.swift: Sources/Feeding/A/One.swift, Sources/Logs/B/One.swift"])
    }

    @Test(arguments: [
        "private struct Place {", "public final class Place: Sendable {", "@MainActor package actor Place {",
        "protocol Place: ~Copyable {", "indirect enum Place {}", "@usableFromInline internal struct Place<T> {",
        "typealias Place = Int", "fileprivate nonisolated struct Place {", "@available(*, deprecated) struct Place {",
    ]) func `Two types with the same name are detected`(other: String) throws {
        let faults = try faults([
            "Sources/Feeding/A/One.swift": "struct Place {\n", "Sources/Logs/B/Two.swift": "\n\(other)\n",
        ]) { $0.typeNameFaults() }
        #expect(faults == ["Place: One.swift:1, Two.swift:2"])
    }

    @Test(arguments: [
        "extension Place {", "    struct Place {", "struct Placement {", "// struct Place {", "func Place() {",
        "let text = \"\"\"\n    a\n    \"\"\"", "typealias Place = A.Place",
    ]) func `Other lines do not count as declarations of a type`(other: String) throws {
        let faults = try faults([
            "Sources/Feeding/A/One.swift": "struct Place {\n", "Sources/Logs/B/Two.swift": "\(other)\n",
        ]) { $0.typeNameFaults() }
        #expect(faults == [])
    }

    @Test func `A public declaration outside products is detected, and so is an unneeded exception`() throws {
        let files = [
            "Package.swift": #".library(name: "P", targets: ["P"]),"#,
            "Sources/Feeding/P/One.swift": "public import A\npublic struct X {}\n",
            "Sources/Bridges/A/Two.swift": """
            package struct Y {}
            @frozen public struct Z {
                @inlinable public init() {}
                /// It is public func.
                let text = "public struct"
                nonisolated public let x = 1
            }
            """,
        ]
        #expect(
            try faults(files) { $0.publicFaults(exceptions: [:]) }
                == ["A is no product and has 3 public declarations, not 0: Two.swift:2, Two.swift:3, Two.swift:6"]
        )
        let needed = PublicException(3, "P returns Z.")
        #expect(try faults(files) { $0.publicFaults(exceptions: ["A": needed]) } == [])
        #expect(
            try faults(files) { $0.publicFaults(exceptions: ["A": PublicException(4, "P returns Z.")]) }
                == ["A has 3 public declarations: the exception of 4 can be smaller"]
        )
        #expect(
            try faults(files) { $0.publicFaults(exceptions: ["A": needed, "P": PublicException(1, "")]) }
                == ["P needs no exception"]
        )
        var others = files
        others["Sources/Feeding/P/One.swift"] = "import A\npackage struct X {}\n"
        #expect(
            try faults(others) { $0.publicFaults(exceptions: ["A": needed]) }
                == ["A needs no exception: no public import of a product leads to it"]
        )
    }

    @Test func `Declarations of another module that a public module needs may be public`() throws {
        let files = [
            "Package.swift": #".library(name: "P", targets: ["P"]),"#,
            "Sources/Feeding/P/One.swift": "public import A\n",
            "Sources/Bridges/A/Two.swift": "public import B\npublic let a = 1\n",
            "Sources/Bridges/B/Three.swift": "public let b = 1\n",
        ]
        let exceptions = ["A": PublicException(1, ""), "B": PublicException(1, "")]
        #expect(try faults(files) { $0.publicFaults(exceptions: exceptions) } == [])
    }

    @Test(arguments: [
        ("Sources/Feeding/A/One.swift", "import L\n", "Feeding/A reaches Logs: A ► L"),
        ("Sources/Feeding/A/One.swift", "package import B\n", "Feeding/A reaches Logs: A ► B ► L"),
        ("Sources/Logs/L/One.swift", "public import F\n", "Logs/L reaches Feeding: L ► F"),
        (
            "Sources/Reports/R/One.swift", "import L\n@testable import F\n",
            "Reports/R reaches Feeding and Logs: R ► F, R ► L"
        ),
        (
            "Sources/Commands/C/One.swift", "import F\nimport struct L.X\n",
            "Commands/C reaches Feeding and Logs: C ► F, C ► L"
        ),
        ("Sources/Bridges/D/One.swift", "import L\n", "Bridges/D reaches Logs: D ► L"),
    ]) func `A module with two audiences is detected`(path: String, text: String, fault: String) throws {
        var files = [
            "Sources/Feeding/F/F.swift": "import N\n", "Sources/Logs/L/L.swift": "import N\n",
            "Sources/Bridges/N/N.swift": "", "Sources/fastctl/Main.swift": "import F\nimport L\n",
            "Sources/Reports/B/B.swift": "import L\n",
        ]
        #expect(try faults(files) { $0.audienceFaults() } == [])
        files[path] = text
        #expect(try faults(files) { $0.audienceFaults() }.contains(fault))
    }

    @Test(arguments: ["// Generated by Scripts/embed-rules.", "// Do not edit.", "// swift-format-ignore-file"])
    func `A generated Swift file is detected`(line: String) throws {
        let faults = try faults([
            "Sources/Logs/A/One.swift": "\(line)\nlet x = 1\n", "Sources/Logs/A/Two.swift": "// Read by hand.\n",
        ]) { $0.generatedFaults() }
        #expect(faults == ["One.swift is generated"])
    }

    @Test func `Options are counted through groups, and an unneeded exception is detected`() throws {
        let files = [
            "Sources/Commands/K/Groups.swift": """
            package struct Inner: OptionSetting {
                @Option("--a", help: "(unbalanced") var a: Int?
                @Flag("--b", help: "B") package var b
            }
            struct Outer<Form: F>: OptionSetting {
                @OptionGroup("X") private var inner: Inner
                @OptionGroup("X") var table: Form.Table
                @Option(
                    "--c",
                    help: "C"
                )
                var c: Int
                var d = 1
            }
            """,
            "Sources/Commands/C/Get.swift": """
            struct Get: Command {
                @OptionGroup("X") var outer: Outer<G>
                @OptionGroup("Y") var inner = Inner(["text", "json"])
                @Argument("ID", help: "An ID") var id: String
            }
            extension G: ReportForm { package typealias Table = Inner }
            """,
        ]
        #expect(try faults(files) { $0.commands().map { "\($0.name): \($0.options)" } } == ["Get: 8"])
        #expect(try faults(files) { $0.optionFaults(exceptions: [:]) } == [])
        #expect(try faults(files) { $0.optionFaults(exceptions: [:], most: 7) } == ["Get has 8 options, not 7"])
        #expect(try faults(files) { $0.optionFaults(exceptions: ["Get": 8], most: 7) } == [])
        #expect(
            try faults(files) { $0.optionFaults(exceptions: ["Get": 9], most: 7) }
                == ["Get has 8 options: the exception of 9 can be smaller"]
        )
        #expect(
            try faults(files) { $0.optionFaults(exceptions: ["Get": 9, "Put": 9]) }
                == ["Get needs no exception: it has 8 options", "Put needs no exception: it has 0 options"]
        )
    }

    @Test func `A missing option group is a failure`() throws {
        let files = ["Sources/Commands/C/Get.swift": "struct Get: Command {\n    @OptionGroup(\"X\") var a: Lost\n}\n"]
        #expect(try faults(files) { $0.optionFaults(exceptions: [:]) } == ["Get: the group Lost is not found"])
    }

    @Test(arguments: [
        ("-Osize\"], .when(configuration: .release)", "-O\"], .when(configuration: .debug)"),
        ("= -debug-info-format none -disable", "= -disable"), ("-disable-incremental-llvm-codegen", ""),
        ("-use-ld=lld", "-use-ld=gold"),
        ("-debug-info-format none -disable", "-debug-info-format none -enable-testing -disable"),
        ("    \"A\",", ""), ("\"B\"", "\"B\", \"C\""), ("@testable import A", "import A"),
        ("[\"-enable-testing\"]", "[]"),
        ("-num-threads", "-O -num-threads"), ("-Osize\"], .when(configuration: .release)", "-O\"]"),
    ]) func `Unexpected build flags are detected`(flag: String, other: String) throws {
        let files = [
            "Package.swift": """
            let x = [.unsafeFlags(["-Osize"], .when(configuration: .release))]
            let tests = [.unsafeFlags(["-Onone"])]
            let testable = [
                "A",
                "B"
            ]
            let internal = [.unsafeFlags(["-enable-testing"], .when(configuration: .release))]
            """,
            "Tests/ATests/One.swift": "@testable import A\nimport C\n@testable import B\n",
            "Makefile": """
            DEBUG_FLAGS ?= -debug-info-format none -Xswiftc -num-threads -Xswiftc -use-ld=lld
            RELEASE_FLAGS = -debug-info-format none -disable-incremental-llvm-codegen -Xlinker -s

            """,
        ]
        #expect(try faults(files) { $0.buildFlagFaults() } == [])
        let changed = files.mapValues { $0.replacing(flag, with: other) }
        #expect(changed != files)
        #expect(try faults(changed) { $0.buildFlagFaults() }.count == 1)
    }

    @Test func `A binary file is detected, and so is an unneeded exception`() throws {
        let files = ["Rules/a.yaml": "a: 1\n", "Tests/Fixtures/b": "\0", "Scripts/c": "#!/bin/sh\n\0"]
        let tracked = files.keys + ["gone"]
        #expect(
            try faults(files) { $0.binaryFaults(among: tracked.sorted(), but: ["Tests/Fixtures/", "Rules/"]) }
                == ["Scripts/c is binary", "Rules/ needs no exception"]
        )
    }

    @Test func `An incorrect or oversized architecture map is detected`() throws {
        let map = "`Sources/Feeding/A`, A: `One.swift`\n"
        let files = ["ARCHITECTURE.md": map, "Sources/Feeding/A/One.swift": ""]
        #expect(try faults(files) { $0.mapFaults() } == [])
        for (other, fault) in [
            ("`Sources/Feeding/B`, A", "Sources/Feeding/B is gone"), ("`Two.swift`, A", "Two.swift is gone"),
            ("One.swift", "A is not on the map"),
            (map + lines(120), "ARCHITECTURE.md has 121 lines, not 120"),
            (map + (1...40).map { "File\($0).swift" }.joined(separator: " "), "ARCHITECTURE.md names 41 files, not 40"),
        ] {
            let faults = try faults(["ARCHITECTURE.md": other, "Sources/Feeding/A/One.swift": ""]) { $0.mapFaults() }
            #expect(faults.contains(fault), "\(faults)")
        }
    }

    /// Returns the findings of a check in a package with these files.
    private func faults<Result>(_ files: [String: String], _ check: (House) throws -> Result) throws -> Result {
        let folder = try TemporaryFolder()
        for (path, text) in files {
            let file = URL(filePath: folder.path(path))
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        return try check(House(at: URL(filePath: folder.path("")).standardized))
    }

    private func lines(_ count: Int) -> String { String(repeating: "//\n", count: count) }
}

/// The number of public declarations of a module that is not a product, and the reason for them.
private struct PublicException {
    let count: Int
    let reason: String

    init(_ count: Int, _ reason: String) { (self.count, self.reason) = (count, reason) }
}

/// A package, as stored in its files.
///
/// The package is parsed by lines and indentation, not as Swift, which is sufficient for formatted code.
private struct House {
    struct File {
        /// The path below the package.
        let path: String
        let name: String
        /// The folder below `Sources` that shows the layer; the main program has none.
        let floor: String?
        let module: String
        /// The lines of the file; lines of multi-line string literals are empty.
        let code: [String]
    }

    let files: [File]
    /// The modules of the library products.
    let products: Set<String>
    private let manifest: String
    private let makefile: String
    private let map: String
    let root: URL

    init(at root: URL) {
        self.root = root
        map = (try? String(contentsOf: root.appending(path: "ARCHITECTURE.md"), encoding: .utf8)) ?? ""
        manifest = (try? String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)) ?? ""
        makefile = (try? String(contentsOf: root.appending(path: "Makefile"), encoding: .utf8)) ?? ""
        products = Set(
            manifest.matches(of: /\.library\(name: "\w+", targets: \[([^\]]*)\]/)
                .flatMap { $0.1.matches(of: /"(\w+)"/).map { String($0.1) } }
        )
        let paths = FileManager.default.enumerator(atPath: root.appending(path: "Sources").path)?.compactMap {
            $0 as? String
        }
        files = (paths ?? []).filter { $0.hasSuffix(".swift") }.sorted().compactMap { path in
            let parts = path.split(separator: "/").map(String.init)
            let text = try? String(contentsOf: root.appending(path: "Sources/\(path)"), encoding: .utf8)
            guard let text, let name = parts.last else { return nil }
            return File(
                path: "Sources/" + path,
                name: name,
                floor: parts.count > 2 ? parts[0] : nil,
                module: parts.count > 2 ? parts[1] : parts[0],
                code: Self.code(text)
            )
        }
    }

    private static func code(_ text: String) -> [String] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last?.isEmpty == true { lines.removeLast() }
        var isText = false
        for index in lines.indices {
            let marks =
                lines[index].utf8.contains(UInt8(ascii: "\""))
                ? lines[index].components(separatedBy: "\"\"\"").count - 1 : 0
            let wasText = isText
            if marks % 2 == 1 { isText.toggle() }
            if wasText { lines[index] = "" }
        }
        return lines
    }

    /// Returns whether a line begins with a word, as a file's top-level declarations do.
    private static func mayDeclare(_ line: String) -> Bool {
        guard let first = line.utf8.first else { return false }
        return first == UInt8(ascii: "@") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first)
    }

    // MARK: Sizes

    func fileSizeFaults() -> [String] {
        let sizes = files.map { (name: $0.name, lines: $0.code.count) }.sorted { $0.lines < $1.lines }
        let total = sizes.reduce(0) { $0 + $1.lines }
        guard !sizes.isEmpty else { return ["There are no files"] }
        var faults: [String] = []
        if total < 300 * sizes.count { faults.append("A file has \(total / sizes.count) lines on average, not 300") }
        var sum = 0
        let median = sizes.first { file in
            sum += file.lines
            return 2 * sum >= total
        }
        if let median, median.lines < 350 {
            faults.append("The median line is in \(median.name), which has \(median.lines) lines, not 350")
        }
        let small = sizes.filter { $0.lines < 60 }
        if 100 * small.count > 3 * sizes.count {
            let names = small.map { "\($0.name) (\($0.lines))" }.joined(separator: ", ")
            faults.append("\(small.count) of \(sizes.count) files have fewer than 60 lines, more than 3 %: \(names)")
        }
        return faults
    }

    func moduleSizeFaults(exceptions: [String: Int], most: Int = 12_000) -> [String] {
        let sizes = Dictionary(files.map { ($0.module, $0.code.count) }, uniquingKeysWith: +)
        return ratchet(sizes, exceptions, most: most, slack: 500) { "\($0) lines" }
    }

    /// Returns everything that exceeds its limit, and all exceptions that are not needed or larger than necessary.
    private func ratchet(
        _ counts: [String: Int],
        _ exceptions: [String: Int],
        most: Int,
        slack: Int = 0,
        _ text: (Int) -> String
    ) -> [String] {
        Set(counts.keys).union(exceptions.keys).sorted().compactMap { name in
            let count = counts[name] ?? 0
            guard let exception = exceptions[name] else {
                return count > most ? "\(name) has \(text(count)), not \(most)" : nil
            }
            if count <= most { return "\(name) needs no exception: it has \(text(count))" }
            if count > exception { return "\(name) has \(text(count)), not \(exception)" }
            guard count + slack < exception else { return nil }
            return "\(name) has \(text(count)): the exception of \(exception) can be smaller"
        }
    }

    // MARK: Names

    func fileNameFaults() -> [String] {
        Dictionary(grouping: files, by: \.name).filter { $0.value.count > 1 }
            .map { "\($0.key): \($0.value.map(\.path).joined(separator: ", "))" }.sorted()
    }

    func typeNameFaults() -> [String] {
        let type =
            /^(?:@\w+(?:\([^)]*\))? )*(?:(?:public|package|internal|fileprivate|private|final|indirect|nonisolated) )*(?:struct|class|enum|actor|protocol|typealias) (\w+)/
        var places: [String: [String]] = [:]
        for file in files {
            for (number, line) in file.code.enumerated() where Self.mayDeclare(line) {
                guard let match = line.firstMatch(of: type) else { continue }
                // A type alias is not a second type.
                if line.contains("typealias \(match.1) = "), line.hasSuffix(".\(match.1)") { continue }
                places[String(match.1), default: []].append("\(file.name):\(number + 1)")
            }
        }
        return places.filter { $0.value.count > 1 }
            .map { "\($0.key): \($0.value.joined(separator: ", "))" }.sorted()
    }

    // MARK: Access

    func publicFaults(exceptions: [String: PublicException]) -> [String] {
        let declaration =
            /^ *(?:@\w+(?:\([^)]*\))? )*(?:(?:nonisolated|final|static|override|mutating|indirect) )*(?:public|open) (?!import |=)/
        var places: [String: [String]] = [:]
        for file in files where !products.contains(file.module) {
            for (number, line) in file.code.enumerated()
            where line.range(of: "public ") != nil || line.range(of: "open ") != nil {
                guard line.firstMatch(of: declaration) != nil else { continue }

                places[file.module, default: []].append("\(file.name):\(number + 1)")
            }
        }
        let reached = modulesThatProductsShow()
        return Set(places.keys).union(exceptions.keys).sorted().compactMap { module in
            let found = places[module] ?? []
            let allowed = exceptions[module]?.count ?? 0
            if found.count > allowed {
                let list = found.prefix(10).joined(separator: ", ") + (found.count > 10 ? ", …" : "")
                return "\(module) is no product and has \(found.count) public declarations, not \(allowed): \(list)"
            }
            if found.isEmpty { return "\(module) needs no exception" }
            if !reached.contains(module) {
                return "\(module) needs no exception: no public import of a product leads to it"
            }
            guard found.count < allowed else { return nil }
            return "\(module) has \(found.count) public declarations: the exception of \(allowed) can be smaller"
        }
    }

    /// Returns the modules that are visible to a user of products through public imports.
    private func modulesThatProductsShow() -> Set<String> {
        var shown: [String: Set<String>] = [:]
        for file in files { shown[file.module, default: []].formUnion(imports(in: file, publicOnly: true)) }
        var open = Array(products)
        var reached: Set<String> = []
        while let module = open.popLast() {
            for next in shown[module] ?? [] where reached.insert(next).inserted { open.append(next) }
        }
        return reached
    }

    private func imports(in file: File, publicOnly: Bool = false) -> Set<String> {
        Set(
            file.code.filter { Self.mayDeclare($0) && $0.range(of: "import ") != nil }.compactMap { line in
                let statement =
                    /^(?:@\w+(?:\([^)]*\))? )*(?:(\w+) )?import (?:(?:struct|class|enum|protocol|func|var|let|typealias) )?(\w+)/
                guard let match = line.firstMatch(of: statement), !publicOnly || match.1 == "public" else { return nil }
                return String(match.2)
            }
        )
    }

    // MARK: Audiences

    /// Feeding and logs have different audiences: a module may depend on the modules for one of them, or below
    /// `Reports` for neither; only the main program depends on both.
    func audienceFaults() -> [String] {
        var graph: [String: Set<String>] = [:]
        var floors: [String: String] = [:]
        for file in files {
            graph[file.module, default: []].formUnion(imports(in: file))
            floors[file.module] = file.floor
        }
        return floors.sorted { $0.key < $1.key }.compactMap { module, floor in
            let ways = ["Feeding", "Logs"].compactMap { audience in
                way(from: module, in: graph) { floors[$0] == audience }.map { (audience: audience, way: $0) }
            }
            let allowed: Int
            let others: [(audience: String, way: [String])]
            switch floor {
            case "Feeding", "Logs": (allowed, others) = (0, ways.filter { $0.audience != floor })
            case "Bridges": (allowed, others) = (0, ways)
            default: (allowed, others) = (1, ways)
            }
            guard others.count > allowed else { return nil }
            let steps = others.map { $0.way.joined(separator: " ► ") }.joined(separator: ", ")
            return "\(floor)/\(module) reaches \(others.map(\.audience).joined(separator: " and ")): \(steps)"
        }
    }

    /// Returns the shortest dependency path to a module of a kind.
    private func way(from module: String, in graph: [String: Set<String>], to isGoal: (String) -> Bool) -> [String]? {
        var (ways, seen) = ([[module]], Set([module]))
        while !ways.isEmpty {
            var longer: [[String]] = []
            for way in ways {
                for next in (way.last.flatMap { graph[$0] } ?? []).sorted() where seen.insert(next).inserted {
                    if isGoal(next) { return way + [next] }
                    longer.append(way + [next])
                }
            }
            ways = longer
        }
        return nil
    }

    // MARK: Generated code

    func generatedFaults() -> [String] {
        files.filter { file in
            file.code.prefix(5).contains { line in
                line.hasPrefix("//")
                    && line.firstMatch(of: /(?i)generated by|do not edit|swift-format-ignore-file/) != nil
            }
        }.map { "\($0.name) is generated" }
    }

    // MARK: Options

    private struct Options {
        /// The parameters of a generic type.
        var parameters: [String] = []
        var isCommand = false
        var own = 0
        var groups: [String] = []
    }

    private struct LostGroup: Error { let name: String }

    func optionFaults(exceptions: [String: Int], most: Int = 40) -> [String] {
        let commands = commands()
        let lost = commands.compactMap { command in command.lost.map { "\(command.name): the group \($0) is not found" }
        }
        let counts = Dictionary(commands.map { ($0.name, $0.options) }, uniquingKeysWith: max)
        return lost + ratchet(counts, exceptions, most: most) { "\($0) options" }
    }

    /// Returns every command with the number of its options, flags and arguments, including those of its groups, or
    /// with a group whose declaration is missing.
    func commands() -> [(name: String, options: Int, lost: String?)] {
        let (types, tables) = declaredOptions()
        return types.filter(\.value.isCommand).sorted { $0.key < $1.key }.map { name, _ in
            do throws(LostGroup) {
                return (name, try count(name, [], types, tables), nil)
            } catch {
                return (name, 0, error.name)
            }
        }
    }

    /// Returns the number of options of a type with these arguments for its generic parameters.
    private func count(
        _ name: String,
        _ arguments: [String],
        _ types: [String: Options],
        _ tables: [String: String]
    ) throws(LostGroup) -> Int {
        guard let type = types[name] else { throw LostGroup(name: name) }
        var sum = type.own
        for group in type.groups {
            let parts = group.split(whereSeparator: { "<>, ".contains($0) }).map { part in
                var path = part.split(separator: ".").map(String.init)
                if let index = type.parameters.firstIndex(of: path[0]), index < arguments.count {
                    path[0] = arguments[index]
                }
                return path.joined(separator: ".")
            }
            let full = parts.first ?? group
            // A format without its own table uses the standard one.
            let table = tables[full] ?? (full.hasSuffix(".Table") ? tables["Table"] : nil)
            sum += try count(table ?? full, Array(parts.dropFirst()), types, tables)
        }
        return sum
    }

    private static func isOption(_ line: String) -> Bool {
        line.hasPrefix("    @") || line.range(of: " Table") != nil || line.range(of: ": Command {") != nil
    }

    /// Returns the types with options, and the meaning of `Form.Table` for each form.
    private func declaredOptions() -> (types: [String: Options], tables: [String: String]) {
        let declaration = /^( *)(?:[a-z]+ )*(?:struct|extension) (\w+)(?:<([^>]*)>)?(.*)/
        let wrapper = /^ *@(Option|Flag|Argument|OptionGroup)\b/
        let group = /@OptionGroup\([^)]*\)(?: [a-z]+)* var \w+(?:: | = )([\w.<>, ]+)/
        let standard = /associatedtype Table: \w+ = (\w+)/
        let table = /(?:struct|enum|extension) (\w+).*typealias Table = (\w+)/
        var types: [String: Options] = [:]
        var tables: [String: String] = [:]
        for file in files where file.code.contains(where: { Self.isOption($0) }) {
            var open: [(indent: Int, name: String)] = []
            for line in file.code where !line.isEmpty {
                let indent = line.prefix { $0 == " " }.count
                if line.range(of: " Table") != nil {
                    if let match = line.firstMatch(of: table) { tables["\(match.1).Table"] = String(match.2) }
                    if let match = line.firstMatch(of: standard) { tables["Table"] = String(match.1) }
                }
                open.removeAll { $0.indent >= indent && !line.hasPrefix(String(repeating: " ", count: indent) + ")") }
                if let match = line.firstMatch(of: declaration) {
                    let name = String(match.2)
                    open.append((match.1.count, name))
                    let parameters = match.3.map { $0.split(separator: ",") } ?? []
                    types[name, default: Options()].parameters += parameters.map {
                        String($0.prefix { $0 != ":" }.filter { $0 != " " })
                    }
                    if match.4.firstMatch(of: /: .*\b(?:Document)?Command\b/) != nil {
                        types[name, default: Options()].isCommand = true
                    }
                    continue
                }
                guard let name = open.last?.name, let match = line.firstMatch(of: wrapper) else { continue }
                if match.1 != "OptionGroup" {
                    types[name]?.own += 1
                } else if let match = line.firstMatch(of: group) {
                    types[name]?.groups.append(match.1.filter { $0 != " " })
                } else {
                    types[name]?.groups.append("?")
                }
            }
        }
        return (types, tables)
    }

    // MARK: Build flags

    /// Debug builds are not optimized, and are linked by lld; a release has no debug information, which would be
    /// discarded, and is compiled once for the programs and for their tests.
    func buildFlagFaults() -> [String] {
        var faults: [String] = []
        for line in manifest.split(separator: "\n") {
            for flag in line.matches(of: /"(-O\w*)"/).map(\.1) where flag != "-Onone" {
                if !line.contains(".when(configuration: .release)") {
                    faults.append("Package.swift: \(flag) is not for the release alone")
                }
            }
        }
        let debug = makefile.split(separator: "\n").first { $0.hasPrefix("DEBUG_FLAGS") } ?? ""
        if debug.firstMatch(of: /\s-O(?!none)/) != nil { faults.append("Makefile: debug builds are optimized") }
        if !debug.contains("-use-ld=lld") { faults.append("Makefile: debug builds are not linked by lld") }
        let release = makefile.split(separator: "\n").first { $0.hasPrefix("RELEASE_FLAGS") } ?? ""
        if !release.contains("-debug-info-format none") {
            faults.append("Makefile: the release has debug information, which the linker throws away")
        }
        if !release.contains("-disable-incremental-llvm-codegen") {
            faults.append("Makefile: the release contains hashes that depend on the folder of the build")
        }
        if release.contains("-enable-testing") {
            faults.append("Makefile: the release has -enable-testing for all modules, not only for those that need it")
        }
        return faults + testableFaults()
    }

    /// The modules that a release compiles with `-enable-testing` are those that tests import with `@testable`: without the
    /// flag, the tests need a build of their own; with it, the optimizer keeps functions that nothing uses.
    private func testableFaults() -> [String] {
        let list = manifest.firstMatch(of: /\nlet testable = \[([^\]]*)\]/)?.1 ?? ""
        let listed = Set(list.matches(of: /"([\w-]+)"/).map { String($0.1) })
        let imported = testableImports()
        var faults = imported.subtracting(listed).sorted().map {
            "Package.swift: tests need \($0) in the list testable"
        }
        faults += listed.subtracting(imported).sorted().map {
            "Package.swift: \($0) in the list testable is not needed"
        }
        if !listed.isEmpty, !manifest.contains(#"(["-enable-testing"], .when(configuration: .release))"#) {
            faults.append("Package.swift: the list testable is not used, so the tests need a build of their own")
        }
        return faults
    }

    /// Returns the modules that the tests import with `@testable`.
    private func testableImports() -> Set<String> {
        let tests = root.appending(path: "Tests")
        let paths = FileManager.default.enumerator(atPath: tests.path)?.compactMap { $0 as? String } ?? []
        var modules: Set<String> = []
        for path in paths where path.hasSuffix(".swift") {
            guard let text = try? String(contentsOf: tests.appending(path: path), encoding: .utf8) else { continue }
            for line in Self.code(text) where line.hasPrefix("@testable") {
                if let match = line.firstMatch(of: /^@testable (?:\w+ )?import (?:\w+ )?(\w+)/) {
                    modules.insert(String(match.1))
                }
            }
        }
        return modules
    }

    // MARK: Binaries

    /// A file with a NUL byte is not text, so it can't be reviewed; `folders` may contain such files.
    func binaryFaults(among paths: [String], but folders: [String]) -> [String] {
        let binaries = paths.filter { (try? Data(contentsOf: root.appending(path: $0)))?.contains(0) ?? false }
        let faults = binaries.filter { path in !folders.contains { path.hasPrefix($0) } }
        let unneeded = folders.filter { folder in !binaries.contains { $0.hasPrefix(folder) } }
        return faults.map { "\($0) is binary" } + unneeded.map { "\($0) needs no exception" }
    }

    // MARK: The map

    /// `ARCHITECTURE.md` is meant to be read in one sitting, so it is short; the folders and files that it names exist,
    /// and it lists all of our modules above the bridges.
    func mapFaults() -> [String] {
        var faults: [String] = []
        let lines = map.split(separator: "\n", omittingEmptySubsequences: false).count - 1
        if lines > 120 { faults.append("ARCHITECTURE.md has \(lines) lines, not 120") }
        for folder in map.matches(of: /`((?:Sources|Tests|Rules)(?:\/\w+)*)`/).map({ String($0.1) })
        where !FileManager.default.fileExists(atPath: root.appending(path: folder).path) {
            faults.append("\(folder) is gone")
        }
        let names = Set(map.matches(of: /[\w+]+\.swift/).map { String($0.0) })
        if names.count > 40 { faults.append("ARCHITECTURE.md names \(names.count) files, not 40") }
        faults += names.subtracting(files.map(\.name)).sorted().map { "\($0) is gone" }
        let words = Set(map.matches(of: /[\w-]+/).map { String($0.0) })
        let modules = Set(files.filter { $0.floor != "Bridges" }.map(\.module))
        return faults + modules.subtracting(words).sorted().map { "\($0) is not on the map" }
    }
}

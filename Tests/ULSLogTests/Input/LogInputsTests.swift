import Foundation
import Glibc
import TestSupport
import Testing
import TextKit

@testable import ULSLog
@testable import ULSRows

struct LogInputsTests {
    private let folder: SourceFolder

    init() throws { folder = try SourceFolder() }

    private func names(_ inputs: LogInputs) -> [String] {
        inputs.sources.map { $0.name.replacing(folder.path, with: "") }
    }

    @Test func `A reader keeps the list of logs that it has found until its inputs change`() throws {
        let first = try folder.write("a.log", nativeHeader + row("first"))
        var reader = LogReader(inputs: [folder.path])
        try reader.findLogs()
        let second = try folder.write("b.log", nativeHeader + row("second"))
        #expect(try reader.files() == [first])
        #expect(try reader.summary().records == 1)
        reader.window = try TimeWindow(since: "2000-01-01")
        #expect(try reader.readEvents(in: .time).events.map { $0[.message] } == ["first"])
        reader.inputs = [second]
        #expect(try reader.readEvents().events.map { $0[.message] } == ["second"])
    }

    @Test func `A plain file can be read at any offset`() throws {
        let path = try folder.write("WFE-1-20260101-1030.log", "hello\n")
        let inputs = LogInputs([path])
        #expect(inputs.problems.isEmpty)
        let source = try #require(inputs.sources.first)
        #expect(source.kind == .file(path: path, size: 6))
        #expect(source.server == "WFE-1")
        #expect(source.nominalStart == 1_767_263_400_000)
        #expect(source.name == path)
    }

    @Test func `An empty file is accepted as a source`() throws {
        let path = try folder.write("empty.log", "")
        #expect(LogInputs([path]).sources.first?.kind == .file(path: path, size: 0))
    }

    @Test(arguments: [
        "gzip -c a > p.log", "zip -q p.log.zip a; mv p.log.zip p.log", "tar cf p.log a", "xz -c a > p.log",
    ])
    func `Compressed files are recognized by their content, not their name`(command: String) throws {
        let path = try folder.make("p.log", "echo x > a; \(command)")
        #expect(LogInputs([path]).sources.first?.kind == .stream(.path(path)))
    }

    @Test func `A text file with an archive's name is read as plain text`() throws {
        let path = try folder.write("a.zip", "text")
        #expect(LogInputs([path]).sources.first?.kind == .file(path: path, size: 4))
    }

    @Test func `A file that must be transcoded is read as a stream`() throws {
        let utf16 = try folder.write("a.log", [0xFF, 0xFE, 0x41, 0])
        #expect(LogInputs([utf16]).sources.first?.kind == .stream(.path(utf16)))
        let plain = try folder.write("b.log")
        let marked = try folder.write("c.log", [0xEF, 0xBB, 0xBF, 0x41])
        let inputs = LogInputs([plain, marked], encoding: try TextEncoding(named: "windows-1250"))
        #expect(inputs.sources.map(\.kind) == [.stream(.path(plain)), .file(path: marked, size: 4)])
        #expect(LogInputs([plain], encoding: .utf8).sources.first?.kind == .file(path: plain, size: 2))
    }

    @Test func `The logs and archives in a folder are read`() throws {
        for name in ["b.log", "a.TXT", "c.csv", "d.tsv", "e.log.gz", "f.zip", ".hidden.log", "g.usage", "h.xml"] {
            try folder.write(name)
        }
        try folder.makeFolder("sub.log")
        let inputs = LogInputs([folder.path])
        #expect(names(inputs) == ["a.TXT", "b.log", "c.csv", "d.tsv", "e.log.gz", "f.zip"])
        #expect(inputs.problems.isEmpty)
        #expect(
            inputs.notes == [
                .passedOver(folder: folder.path, example: "g.usage", count: 2),
                .foldersNotSearched(folder: folder.path, example: "sub.log", count: 1),
            ]
        )
    }

    @Test func `A folder without logs is reported as a problem, and its subfolders are named`() throws {
        try folder.makeFolder("WFE1")
        let problem = LogInputs([folder.path]).problems.first
        #expect(problem?.code == .nothingFound)
        #expect(problem?.advice?.contains("'WFE1'") == true)
    }

    @Test func `A pipe in a folder is skipped`() throws {
        try folder.make("pipe.log", "mkfifo pipe.log; echo x > a.log")
        let inputs = LogInputs([folder.path])
        #expect(names(inputs) == ["a.log"])
        #expect(inputs.notes == [.passedOver(folder: folder.path, example: "pipe.log", count: 1)])
    }

    @Test func `A pipe given by name is listed as a stream without being read`() throws {
        let path = try folder.make("pipe", "mkfifo pipe")
        #expect(LogInputs([path]).sources.map(\.kind) == [.stream(.path(path))])
    }

    @Test func `A pattern is expanded to the files that match it`() throws {
        for name in ["a1.log", "a2.log", "b1.log"] { try folder.write(name) }
        #expect(names(LogInputs([folder("a?.log")])) == ["a1.log", "a2.log"])
        #expect(names(LogInputs([folder("*[1].log")])) == ["a1.log", "b1.log"])
    }

    @Test func `A file whose name looks like a pattern is found`() throws {
        for name in ["a[1].log", "a1.log"] { try folder.write(name) }
        #expect(names(LogInputs([folder("a[1].log")])) == ["a[1].log"])
    }

    @Test func `A pattern that matches nothing is reported as a problem`() {
        let problem = LogInputs([folder("*.log")]).problems.first
        #expect(problem?.code == .nothingFound)
        #expect(problem?.source == folder("*.log"))
    }

    @Test func `For a missing file, the most similar name is suggested`() throws {
        try folder.write("WFE1-20260101-1030.log")
        let problem = LogInputs([folder("WFE1-20260101-1300.log")]).problems.first
        #expect(problem?.code == .missing)
        #expect(problem?.advice == "did you mean '\(folder("WFE1-20260101-1030.log"))'?")
        #expect(problem?.message == "cannot open '\(folder("WFE1-20260101-1300.log"))': no such file or directory")
    }

    @Test func `A missing folder is reported`() {
        #expect(LogInputs([folder("no/a.log")]).problems.first?.advice?.contains("folder") == true)
    }

    @Test func `All problems are reported, and all other inputs are kept`() throws {
        let path = try folder.write("a.log")
        let inputs = LogInputs([folder("x"), path, "/dev/null", "", String(repeating: "x", count: 5000)])
        #expect(inputs.sources.map(\.name) == [path])
        #expect(inputs.problems.map(\.code) == [.missing, .special, .missing, .missing])
    }

    @Test(.enabled(if: geteuid() != 0, "root may read everything"))
    func `A file without read permission is reported as a problem`() throws {
        let path = try folder.make("a.log", "echo x > a.log; chmod 0 a.log")
        #expect(LogInputs([path]).problems.first?.code == .permission)
    }

    @Test func `A file given twice is read once, even under different names`() throws {
        try folder.make("link.log", "echo x > a.log; ln -s a.log link.log; ln a.log same.log")
        let inputs = LogInputs([folder("a.log"), folder.path])
        #expect(names(inputs) == ["a.log"])
        // One file with three additional names, not three files.
        #expect(inputs.notes == [.givenTwice(example: folder("a.log"), count: 1)])
        try folder.write("b.log")
        let more = LogInputs([folder.path, folder("a.log"), folder("b.log"), folder("b.log")])
        #expect(more.notes.contains { if case .givenTwice(_, count: 2) = $0 { true } else { false } })
    }

    @Test func `If there are too many files, the problem is reported once`() throws {
        let words = try (1...5).map { try folder.write("\($0).log") }
        let inputs = LogInputs(words, encoding: nil, maximumSources: 2)
        #expect(inputs.sources.count == 2)
        #expect(inputs.problems.map(\.code) == [.tooMany])
    }

    @Test func `A broken link is reported in a note`() throws {
        try folder.make("link.log", "ln -s nowhere link.log; echo x > a.log")
        #expect(LogInputs([folder.path]).notes == [.vanished(folder("link.log"))])
    }

    @Test(arguments: ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"])
    func `Standard input is recognized by all its names`(word: String) {
        let inputs = LogInputs([word, "-"])
        #expect(inputs.sources.map(\.kind) == [.stream(.standardInput())])
        #expect(inputs.sources.map(\.name) == ["standard input"])
        #expect(inputs.notes.count == 1)
    }

    @Test(arguments: [
        ("MSCF\0\0\0\0", "cabinet"), ("ElfFile\0", "event log"), ("Rar!\u{1A}\u{7}", "RAR"), ("%PDF-1.7", "PDF"),
    ])
    func `Anything except text is refused`(start: String, word: String) throws {
        let problem = LogInputs([try folder.write("a.log", start)]).problems.first
        #expect(problem?.code == .unsupported)
        #expect(problem?.reason.contains(word) == true)
    }

    @Test func `Sources are read in order of start time, server and name`() throws {
        let given = [
            "z.txt", "B-20260101-1030.log", "A-20260101-1100.log", "a.txt", "A-20260101-1030-1.log",
            "A-20260101-1030.log",
        ]
        let words = try given.map { try folder.write($0) }
        let expected = [
            "A-20260101-1030-1.log", "A-20260101-1030.log", "B-20260101-1030.log", "A-20260101-1100.log", "z.txt",
            "a.txt",
        ]
        var inputs = LogInputs(words)
        #expect(names(inputs) == expected)
        var sources = inputs.sources
        sources[5].nominalStart = 0
        inputs = LogInputs([])
        #expect(LogSource.inReadingOrder(sources).first?.name == folder("a.txt"))
    }
}

/// A folder of files for one test, removed with the object.
final class SourceFolder {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    var path: String { folder.path("") + (folder.path("").hasSuffix("/") ? "" : "/") }

    /// Returns the path of a file in the folder, whether or not it exists.
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

    /// Runs a shell command in the folder, and returns the path of the file that it created.
    @discardableResult
    func make(_ name: String, _ command: String) throws -> String {
        let shell = try ChildProgram.run("sh", ["-c", command], in: path)
        guard shell.status == 0 else { throw CocoaError(.fileReadUnknown) }
        return self(name)
    }
}

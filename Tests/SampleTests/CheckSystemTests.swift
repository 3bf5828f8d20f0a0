import Foundation
import TestSupport
import Testing

/// `Packaging/check-system`, which reports the reasons a system cannot run the programs in the tarball.
///
/// It runs on this system, with lists of the programs' requirements; the programs are scripts.
struct CheckSystemTests {
    private static let script = URL(filePath: #filePath).appending(path: "../../../Packaging/check-system").standardized
    private static let met = "glibc 2.2.5\nlibrary libm.so.6 libc6\nlibrary libdl.so.2 libc6 late\n"

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func check(_ lines: String, program: String = "exit 0", machine: String = "") throws -> ChildProgram.Result
    {
        for name in ["bin", "share/fastctl"] {
            try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
        }
        try folder.writeScript("bin/fastctl", program)
        try folder.writeScript("bin/content-distributor", "exit 0")
        let kind = try machine.isEmpty ? ChildProgram.run("uname", ["-m"]).output : machine + "\n"
        try "machine \(kind)system Debian 99\n\(lines)"
            .write(toFile: folder.path("share/fastctl/requirements"), atomically: false, encoding: .utf8)
        let copy = folder.path("share/fastctl/check-system")
        try String(contentsOf: Self.script, encoding: .utf8).write(toFile: copy, atomically: false, encoding: .utf8)
        return try ChildProgram.run("/bin/sh", [copy])
    }

    private func expect(_ run: ChildProgram.Result, _ output: String, sourceLocation: SourceLocation = #_sourceLocation)
    {
        #expect(run.status == 1 && run.errors.isEmpty, "\(run.errors)", sourceLocation: sourceLocation)
        #expect(run.output == output, sourceLocation: sourceLocation)
    }

    @Test func `A system that has everything is accepted`() throws {
        let run = try check(Self.met)
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        #expect(run.output == "This system has what fastctl and content-distributor need.\n")
    }

    @Test func `An older glibc is refused, and the message states both versions`() throws {
        let found = try ChildProgram.run("getconf", ["GNU_LIBC_VERSION"]).output
            .trimmingCharacters(in: .whitespacesAndNewlines).replacing("glibc ", with: "")
        // Version 2.100 is later than 2.36, although it is smaller as a decimal number.
        expect(
            try check(Self.met.replacing("2.2.5", with: "2.100")),
            """
            The programs need glibc 2.100 or later, but this system has \(found): use Debian 99 or a later system, or a \
            container of it, or compile the programs here.\n
            """
        )
    }

    @Test func `Each missing library is named with its package`() throws {
        expect(
            try check(Self.met + "library libfirst.so.1 first1\nlibrary libsecond.so.2 second2 late\n"),
            """
            The library libfirst.so.1 is missing, which Debian's package first1 brings; both programs end without it.
            The library libsecond.so.2 is missing, which Debian's package second2 brings; a command that needs it ends \
            without it.
            On Debian and its relatives, as root: apt-get install --no-install-recommends first1 second2\n
            """
        )
    }

    @Test func `A library beside the programs is found, even if the system does not have it`() throws {
        let copying = "mkdir -p \"$1\" && cp $(ls /lib/*/libm.so.6 | head -n 1) \"$1/libfirst.so.1\""
        let copied = try ChildProgram.run("/bin/sh", ["-c", copying, "sh", folder.path("lib/fastctl")])
        try #require(copied.status == 0, "\(copied.errors)")
        let run = try check(Self.met + "library libfirst.so.1 first1\n")
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.output)\(run.errors)")
    }

    @Test func `An older glibc is the only message, because libraries that need a later one cannot be loaded`() throws {
        let run = try check("glibc 2.100\nlibrary libfirst.so.1 first1\n")
        #expect(run.status == 1 && run.output.hasPrefix("The programs need glibc 2.100 or later, but"))
        #expect(run.output.split(separator: "\n").count == 1, "\(run.output)")
    }

    @Test func `A program that does not start is reported with its message`() throws {
        expect(
            try check(Self.met, program: "echo no luck >&2; exit 1"),
            "fastctl does not start, although its libraries are there. Its message: no luck\n"
        )
        let old = "libxml2.so.2: version `LIBXML2_9' not found"
        expect(
            try check(Self.met, program: "echo \"\(old.replacing("`", with: "\\`"))\" >&2; exit 1"),
            """
            fastctl does not start, because a library is not the version that it needs: use Debian 99 or a later \
            system, or a container of it, or compile the programs here. The loader's message: \(old)\n
            """
        )
    }

    @Test func `A different processor architecture is refused before other checks`() throws {
        let here = try ChildProgram.run("uname", ["-m"]).output.trimmingCharacters(in: .whitespacesAndNewlines)
        expect(
            try check("glibc 99\n", machine: "pdp11"),
            """
            The programs are for processors of the kind pdp11, but this one is \(here): compile them here, from the \
            sources.\n
            """
        )
    }
}

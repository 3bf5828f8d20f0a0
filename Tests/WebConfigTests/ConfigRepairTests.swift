import Foundation
import Glibc
import TestSupport
import Testing

@testable import WebConfig

/// Replacing, writing and restoring values of a web.config file.
struct ConfigRepairTests {
    private static let config = """
        <?xml version="1.0" encoding="utf-8"?>\r
        <!-- tracing: <trace enabled="true"/> -->\r
        <configuration>\r
        \t<system.web>\r
        \t\t<trace   pageOutput = 'true'\tenabled="true"/>\r
        \t\t<compilation debug='true' batch="false" />\r
        \t</system.web>\r
        \t<location path="_vti_bin"><system.web><trace enabled="&#116;rue"></trace></system.web></location>\r
        </configuration>\r

        """

    private struct Site {
        let folder: TemporaryFolder
        let path: String

        init(_ bytes: [UInt8], as name: String = "web.config") throws {
            folder = try TemporaryFolder()
            path = folder.path(name)
            try Data(bytes).write(to: URL(filePath: path))
        }

        var source: WebConfigSource { WebConfigSource(path: path) }
        var bytes: [UInt8] { get throws { Array(try Data(contentsOf: URL(filePath: path))) } }
        var names: [String] {
            get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path("")).sorted() }
        }

        /// Turns tracing off wherever it is on.
        func repair() throws -> ConfigRepair {
            try ConfigRepair(source) { ConfigRepairTests.changes(in: $0, "system.web/trace", "enabled", "false") }
        }
    }

    private static func changes(
        in file: WebConfigFile,
        _ path: String,
        _ name: String,
        _ value: String
    ) -> [ConfigChange] {
        file.elements(at: path).compactMap { element in
            element.attributes.first { $0.name == name && $0.value != value }.map {
                ConfigChange(element: element, attribute: $0, value: value)
            }
        }
    }

    private static let repaired =
        config.replacing("\tenabled=\"true\"", with: "\tenabled=\"false\"")
        .replacing("&#116;rue", with: "false")

    @Test(arguments: [
        String.Encoding.utf8, .utf16LittleEndian, .utf16BigEndian, .windowsCP1252, .isoLatin1,
    ])
    func `A repair changes only the bytes of the values`(encoding: String.Encoding) throws {
        let names: [String.Encoding: String] = [
            .utf8: "utf-8", .utf16LittleEndian: "utf-16", .utf16BigEndian: "utf-16", .windowsCP1252: "windows-1252",
            .isoLatin1: "iso-8859-1",
        ]
        let mark: [UInt8] =
            switch encoding {
            case .utf8: [0xEF, 0xBB, 0xBF]
            case .utf16LittleEndian: [0xFF, 0xFE]
            case .utf16BigEndian: [0xFE, 0xFF]
            default: []
            }
        func bytes(_ text: String) throws -> [UInt8] {
            let text = text.replacing("utf-8", with: names[encoding] ?? "").replacing("tracing", with: "Zürich")
            return mark + Array(try #require(text.data(using: encoding)))
        }
        let site = try Site(try bytes(Self.config))
        let repair = try site.repair()
        #expect(try repair.repaired == bytes(Self.repaired))
        #expect(repair.changes.count == 2)
        #expect(repair.changes.first?.before == #"<trace pageOutput="true" enabled="true"/>"#)
        #expect(repair.changes.first?.after == #"<trace pageOutput="true" enabled="false"/>"#)
        #expect(try site.bytes == bytes(Self.config), "nothing is written yet")
    }

    @Test func `A repair is written with a backup, undone, and written again`() throws {
        let site = try Site(Array(Self.config.utf8))
        #expect(chmod(site.path, 0o640) == 0)
        let kept = try ConfigBackup.write(try site.repair())
        #expect(try site.bytes == Array(Self.repaired.utf8))
        var status = stat()
        #expect(stat(site.path, &status) == 0 && status.st_mode & 0o777 == 0o640)
        #expect(stat(kept, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(kept.hasSuffix(".config"), "IIS hands out no such file")
        #expect(try site.repair().changes.isEmpty, "the second time, nothing is left to do")

        #expect(try ConfigBackup.undo(site.source) == kept)
        #expect(try site.bytes == Array(Self.config.utf8))
        #expect(try site.names == ["web.config"])
        _ = try ConfigBackup.write(try site.repair())
        #expect(try site.bytes == Array(Self.repaired.utf8))
    }

    @Test func `Repairs are undone in reverse order`() throws {
        let site = try Site(Array(Self.config.utf8))
        _ = try ConfigBackup.write(try site.repair())
        let debug = try ConfigRepair(site.source) { Self.changes(in: $0, "system.web/compilation", "debug", "false") }
        _ = try ConfigBackup.write(debug)
        #expect(try site.names.count == 3)
        _ = try ConfigBackup.undo(site.source)
        #expect(try site.bytes == Array(Self.repaired.utf8))
        _ = try ConfigBackup.undo(site.source)
        #expect(try site.bytes == Array(Self.config.utf8))
        let nothing = #expect(throws: WebConfigError.self) { try ConfigBackup.undo(site.source) }
        #expect(nothing?.code == .nothingToUndo)
    }

    @Test func `Changes made by others are neither overwritten nor undone`() throws {
        let site = try Site(Array(Self.config.utf8))
        let repair = try site.repair()
        let edited = Array((Self.config + "<!-- mine -->").utf8)
        try Data(edited).write(to: URL(filePath: site.path))
        let late = #expect(throws: WebConfigError.self) { try ConfigBackup.write(repair) }
        #expect(late?.code == .changed)
        #expect(try site.bytes == edited)

        _ = try ConfigBackup.write(try site.repair())
        let again = try site.bytes + Array(" ".utf8)
        try Data(again).write(to: URL(filePath: site.path))
        let undone = #expect(throws: WebConfigError.self) { try ConfigBackup.undo(site.source) }
        #expect(undone?.code == .changed)
        #expect(try site.bytes == again)
    }

    @Test func `Repairing through a symbolic link preserves the link`() throws {
        let site = try Site(Array(Self.config.utf8))
        let link = site.folder.path("link.config")
        #expect(symlink("web.config", link) == 0)
        let source = WebConfigSource(path: link)
        let repair = try ConfigRepair(source) { Self.changes(in: $0, "system.web/trace", "enabled", "false") }
        _ = try ConfigBackup.write(repair)
        var status = stat()
        #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        #expect(try site.bytes == Array(Self.repaired.utf8))
        _ = try ConfigBackup.undo(site.source)
        #expect(try site.bytes == Array(Self.config.utf8))
    }

    @Test func `A read-only file is refused, and hard links to a file are counted`() throws {
        let site = try Site(Array(Self.config.utf8))
        #expect(ConfigBackup.otherNames(of: site.source) == 0)
        #expect(link(site.path, site.folder.path("other.config")) == 0)
        #expect(ConfigBackup.otherNames(of: site.source) == 1)
        #expect(chmod(site.path, 0o444) == 0)
        let refused = #expect(throws: WebConfigError.self) { try ConfigBackup.write(try site.repair()) }
        #expect(refused?.code == .cannotWrite)
        #expect(try site.bytes == Array(Self.config.utf8))
        #expect(try site.names == ["other.config", "web.config"])
    }

    @Test func `An XDT transformation is refused because it is not a web.config file`() throws {
        let text =
            #"<configuration xmlns:xdt="http://schemas.microsoft.com/XML-Document-Transform"><a/></configuration>"#
        let site = try Site(Array(text.utf8))
        let refused = #expect(throws: WebConfigError.self) { try site.repair() }
        #expect(refused?.code == .notWebConfig)
        #expect(refused?.message.contains("XDT") == true)
    }

    @Test func `A changed tag is shown without its secrets`() throws {
        let text = #"<configuration><a><b key="ApiKey" value="s3cret" on="1" password="p"/></a></configuration>"#
        let site = try Site(Array(text.utf8))
        let repair = try ConfigRepair(site.source) { Self.changes(in: $0, "a/b", "on", "0 & \"1\"") }
        #expect(repair.changes.first?.before == #"<b key="ApiKey" value="…" on="1" password="…"/>"#)
        #expect(String(decoding: repair.repaired, as: UTF8.self).contains(#"on="0 &amp; &quot;1&quot;" password="p""#))
    }
}

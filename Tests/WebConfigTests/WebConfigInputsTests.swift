import Foundation
import TestSupport
import Testing
import WebConfig

/// A folder of files whose contents do not matter, only their paths.
private struct Site {
    let folder: TemporaryFolder

    init(_ paths: [String]) throws {
        folder = try TemporaryFolder()
        for path in paths {
            let url = URL(filePath: folder.path(path))
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data("<configuration/>".utf8).write(to: url)
        }
    }

    func found(_ argument: String) throws -> [String] {
        try WebConfigInputs.find([argument]).map {
            String($0.path.split(separator: "/fastctl-")[1].drop { $0 != "/" }.dropFirst())
        }
    }
}

struct InputTests {
    @Test func `A folder is searched in sorted order, and its label applies to its files`() throws {
        let site = try Site([
            "80/web.config", "80/_layouts/Web.Config", "443/WEB.CONFIG", "80/web.config.bak", "a.config",
        ])
        #expect(try site.found(site.folder.path("")) == ["443/WEB.CONFIG", "80/_layouts/Web.Config", "80/web.config"])
        let sources = try WebConfigInputs.find(["WFE1/Custom=" + site.folder.path("")])
        #expect(sources.allSatisfy { $0.server == "WFE1" && $0.zone == "Custom" } && sources.count == 3)
    }

    @Test func `Symbolic links in a folder are not followed`() throws {
        let site = try Site(["real/web.config"])
        let manager = FileManager.default
        try manager.createSymbolicLink(atPath: site.folder.path("real/loop"), withDestinationPath: site.folder.path(""))
        try manager.createSymbolicLink(atPath: site.folder.path("web.config"), withDestinationPath: "real/web.config")
        #expect(try site.found(site.folder.path("")) == ["real/web.config"])
        #expect(try site.found(site.folder.path("real/loop")) == ["real/loop/real/web.config"])
    }

    @Test func `A folder without a web.config is an error`() throws {
        let site = try Site(["x/machine.config", "1/2/3/4/5/6/7/8/9/web.config"])
        let error = #expect(throws: WebConfigError.self) { try WebConfigInputs.find([site.folder.path("")]) }
        #expect(error?.code == .notFound)
        #expect(error?.message.contains("/1/2/3/4/5/6/7/8/9' and deeper folders were not searched") == true)
    }

    @Test func `Explicitly listed files are used whatever their names`() throws {
        #expect(
            try WebConfigInputs.find(["b.xml", "W=a"]) == [
                WebConfigSource(path: "b.xml"), WebConfigSource(path: "a", server: "W"),
            ]
        )
    }

    @Test func `Too many files are refused`() throws {
        let names = (0...WebConfigInputs.maximumFiles).map { "\($0)" }
        #expect(throws: WebConfigError.self) { try WebConfigInputs.find(names) }
        #expect(try WebConfigInputs.find(Array(names.dropLast())).count == WebConfigInputs.maximumFiles)
    }

    @Test func `A web.config file is read`() throws {
        let site = try Site(["web.config"])
        let source = WebConfigSource(path: site.folder.path("web.config"), server: "W")
        #expect(try WebConfigFile.read(source) == WebConfigFile(source: source, elements: []))
    }

    @Test func `A file that does not exist cannot be opened`() throws {
        let error = #expect(throws: WebConfigError.self) {
            try WebConfigFile.read(WebConfigSource(path: "/no/such/file"))
        }
        #expect(error?.code == .cannotOpen)
        #expect(error?.description == "/no/such/file: no such file or directory; check the path")
    }

    @Test func `Pipes, devices and folders are refused`() throws {
        let folder = try TemporaryFolder()
        #expect(mkfifo(folder.path("fifo"), 0o600) == 0)
        for path in [folder.path("fifo"), "/dev/zero", folder.path("")] {
            let error = #expect(throws: WebConfigError.self) { try WebConfigFile.read(WebConfigSource(path: path)) }
            #expect(error?.code == .cannotOpen)
        }
    }

    @Test func `A huge file is refused without being read completely`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("large")
        #expect(FileManager.default.createFile(atPath: path, contents: Data()))
        #expect(truncate(path, 1 << 40) == 0)
        let error = #expect(throws: WebConfigError.self) { try WebConfigFile.read(WebConfigSource(path: path)) }
        #expect(error?.code == .tooLarge)
    }
}

struct SourceTests {
    @Test(arguments: [
        ("web.config", WebConfigSource(path: "web.config")),
        ("WFE1=a/web.config", WebConfigSource(path: "a/web.config", server: "WFE1")),
        ("wfe-1.farm_a/intranet=w", WebConfigSource(path: "w", server: "wfe-1.farm_a", zone: "Intranet")),
        ("WFE1/EXTRANET=x=y", WebConfigSource(path: "x=y", server: "WFE1", zone: "Extranet")),
        ("./a=b", WebConfigSource(path: "./a=b")),
        ("/srv/x=y/web.config", WebConfigSource(path: "/srv/x=y/web.config")),
        ("a/b/c=d", WebConfigSource(path: "a/b/c=d")),
        ("my sites=d", WebConfigSource(path: "my sites=d")),
        ("=x", WebConfigSource(path: "=x")),
        ("", WebConfigSource(path: "")),
    ])
    func `A label is separated from the path by an equals sign`(argument: String, expected: WebConfigSource) throws {
        #expect(try WebConfigSource(argument: argument) == expected)
    }

    @Test(arguments: [
        ("W/Intranett=x", "W/Intranett=x: 'Intranett' is not a zone; did you mean 'Intranet'?"),
        ("W/DMZ=x", "W/DMZ=x: 'DMZ' is not a zone; the zones are Default, Intranet, Internet, Custom, Extranet"),
        ("WFE1=", "WFE1=: there is no path after 'WFE1='; write 'WFE1=web.config'"),
    ])
    func `An invalid label is refused`(argument: String, message: String) {
        let error = #expect(throws: WebConfigError.self) { try WebConfigSource(argument: argument) }
        #expect(error?.code == .badLabel)
        #expect(error?.description == message)
    }

    @Test func `An existing file with an equals sign in its name takes precedence over a label`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a=b")
        try Data("<configuration/>".utf8).write(to: URL(filePath: path))
        #expect(try WebConfigSource(argument: path) == WebConfigSource(path: path))
    }
}

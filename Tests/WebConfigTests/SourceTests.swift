import Foundation
import TestSupport
import Testing
import WebConfig

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
    func aLabelStandsBeforeAnEqualsSign(argument: String, expected: WebConfigSource) throws {
        #expect(try WebConfigSource(argument: argument) == expected)
    }

    @Test(arguments: [
        ("W/Intranett=x", "W/Intranett=x: 'Intranett' is no zone; did you mean 'Intranet'?"),
        ("W/DMZ=x", "W/DMZ=x: 'DMZ' is no zone; the zones are Default, Intranet, Internet, Custom, Extranet"),
        ("WFE1=", "WFE1=: no path is after 'WFE1='; write 'WFE1=web.config'"),
    ])
    func aBadLabelIsRefused(argument: String, message: String) {
        let error = #expect(throws: WebConfigError.self) { try WebConfigSource(argument: argument) }
        #expect(error?.code == .badLabel)
        #expect(error?.description == message)
    }

    @Test func aFileWithAnEqualsSignInItsNameWins() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("a=b")
        try Data("<configuration/>".utf8).write(to: URL(filePath: path))
        #expect(try WebConfigSource(argument: path) == WebConfigSource(path: path))
    }
}

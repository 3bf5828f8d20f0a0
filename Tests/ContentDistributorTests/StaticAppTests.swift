import ContentFeeding
import EngineSQLite
import Foundation
import HTTPService
import JSONText
import TestSupport
import Testing
import Threads

@testable import ContentDistributor

/// The files of apps over HTTP: for any path, only the right files are returned, with the right types.
struct StaticAppTests {
    /// A server with an app in a folder, next to a file that is not part of the app.
    private final class Serving: Sendable {
        let folder: TemporaryFolder
        let distributor: ContentDistributor
        let server: HTTPServer

        init() async throws {
            let folder = try TemporaryFolder()
            self.folder = folder
            let write = { (text: String, path: String) in
                try text.write(toFile: folder.path(path), atomically: true, encoding: .utf8)
            }
            try FileManager.default.createDirectory(
                atPath: folder.path("app/parts/.old"),
                withIntermediateDirectories: true
            )
            _ = try await SQLiteEngine.create(path: folder.path("store.sqlite"))
            for (path, text) in [
                ("app/index.html", "<title>Talks</title>"), ("app/app.js", "export {}"), ("app/look.CSS", "p {}"),
                ("app/face.svg", "<svg/>"), ("app/data.bin", "01"), ("app/parts/index.html", "<title>Parts</title>"),
                ("app/.env", "secret"), ("app/parts/.old/a.js", "secret"), ("secret.txt", "secret"),
                ("app/a b.txt", "blank"),
            ] { try write(text, path) }
            let target = "sqlite:\(folder.path("store.sqlite"))"
            try write("target: \(target)\napps: {talks: app, linked: current}\n", "d.yaml")
            try FileManager.default.createSymbolicLink(
                atPath: folder.path("current"),
                withDestinationPath: folder.path("app")
            )
            distributor = try await ContentDistributor(DistributorSettings.read(folder.path("d.yaml"))) { _ in }
            server = try HTTPServer(ServerConfiguration(), router: distributor.router)
        }

        func write(_ text: String, to path: String) throws {
            try text.write(toFile: folder.path(path), atomically: true, encoding: .utf8)
        }

        func link(_ path: String, to target: String) throws {
            try FileManager.default.createSymbolicLink(atPath: folder.path(path), withDestinationPath: target)
        }

        func get(
            _ target: String,
            _ method: String = "GET",
            headers: [(String, String)] = []
        ) async throws -> DistributorClient.Answer {
            let port = server.port
            return try await onOwnThread {
                Result {
                    let client = try DistributorClient(Socket.connected(to: port))
                    return try client.send(method, target, token: nil, headers: headers)
                }
            }.get()
        }

        func end() async {
            await server.shutDown(within: .zero)
            await distributor.drain()
            folder.remove()
        }
    }

    @Test(arguments: [
        ("", "text/html; charset=utf-8", "<title>Talks</title>"),
        ("index.html", "text/html; charset=utf-8", "<title>Talks</title>"),
        ("parts/", "text/html; charset=utf-8", "<title>Parts</title>"),
        ("app.js", "text/javascript; charset=utf-8", "export {}"), ("look.CSS", "text/css; charset=utf-8", "p {}"),
        ("face.svg", "image/svg+xml", "<svg/>"), ("data.bin", "application/octet-stream", "01"),
        ("a%20b.txt", "text/plain; charset=utf-8", "blank"),
        ("app.js?version=2", "text/javascript; charset=utf-8", "export {}"),
    ])
    func `A file is served with its type, and may run only the app's scripts`(
        path: String,
        type: String,
        text: String
    ) async throws {
        let serving = try await Serving()
        for app in ["talks", "linked"] {
            let answer = try await serving.get("/apps/\(app)/\(path)")
            #expect(answer.status == 200)
            #expect(answer.text == text)
            #expect(answer.fields["content-type"] == type)
            #expect(answer.fields["x-content-type-options"] == "nosniff")
            let policy = try #require(answer.fields["content-security-policy"])
            #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; "))
            #expect(policy.hasSuffix("frame-ancestors 'none'; base-uri 'none'"))
            #expect(!policy.contains("unsafe") && !policy.contains("http"))
        }
        await serving.end()
    }

    @Test func `The path of an app's name is redirected to the app's page`() async throws {
        let serving = try await Serving()
        let answer = try await serving.get("/apps/talks")
        #expect(answer.status == 308)
        #expect(answer.fields["location"] == "/apps/talks/")
        #expect(try await serving.get("/apps/others").json["code"].text == "noApp")
        #expect(try await serving.get("/apps/others/").json["code"].text == "noApp")
        await serving.end()
    }

    @Test(arguments: [
        "nothing", "parts", "app.js/", "app.js/x", ".env", "%2eenv", "parts/.old/a.js", "../secret.txt",
        "%2e%2e/secret.txt",
        "..%2fsecret.txt", "parts/../../secret.txt", "parts/%2E%2E/%2e%2e/secret.txt", "/secret.txt", "//etc/passwd",
        "%2fetc/passwd", "..\\secret.txt", "%5c..%5csecret.txt", "app.js%00", "app.js%00.txt",
        "%c0%ae%c0%ae/secret.txt",
        "%252e%252e/secret.txt", "./app.js", "parts//index.html", "INDEX.HTML",
    ])
    func `No path leads to a file outside the folder, or to a hidden file`(path: String) async throws {
        let serving = try await Serving()
        let answer = try await serving.get("/apps/talks/\(path)")
        #expect(answer.status == 404, "\(answer.text)")
        #expect(!answer.text.contains("\"secret\""))
        #expect(answer.fields["content-type"] == "application/problem+json")
        await serving.end()
    }

    @Test func `Symbolic links are not followed, and only regular files are read`() async throws {
        let serving = try await Serving()
        try serving.link("app/out.txt", to: "../secret.txt")
        try serving.link("app/absolute.txt", to: serving.folder.path("secret.txt"))
        try serving.link("app/inside.js", to: "app.js")
        try serving.link("app/up", to: "..")
        try serving.link("app/around", to: "around")
        #expect(mkfifo(serving.folder.path("app/pipe.txt"), 0o600) == 0)
        for path in ["out.txt", "absolute.txt", "inside.js", "up/secret.txt", "up/app/app.js", "around", "pipe.txt"] {
            let answer = try await serving.get("/apps/talks/\(path)")
            #expect(answer.status == 404, "\(path)")
            #expect(answer.json["code"].text == "noFile", "\(path)")
        }
        await serving.end()
    }

    @Test func `A client does not receive a file again until the file changes`() async throws {
        let serving = try await Serving()
        let path = "/apps/talks/app.js"
        let tag = try #require(try await serving.get(path).fields["etag"])
        for known in [tag, "\"x\", W/\(tag)", "*"] {
            let answer = try await serving.get(path, headers: [("If-None-Match", known)])
            #expect(answer.status == 304)
            #expect(answer.text.isEmpty && answer.fields["etag"] == tag)
        }
        #expect(try await serving.get("/apps/linked/app.js").fields["etag"] == tag)
        // The file changes twice in the same moment, with the same length, so neither its time nor its size shows the
        // change.
        for text in ["export 1", "export 2", "export 3"] {
            try serving.write(text, to: "app/app.js")
            let answer = try await serving.get(path, headers: [("If-None-Match", tag)])
            #expect(answer.status == 200)
            #expect(answer.text == text)
        }
        try serving.write("export {}", to: "app/app.js")
        #expect(try await serving.get(path).fields["etag"] == tag)
        await serving.end()
    }

    @Test func `A cached file is read again after it changes`() throws {
        let folder = try TemporaryFolder()
        let files = AppFiles()
        let path = folder.path("a.js")
        try "one".write(toFile: path, atomically: true, encoding: .utf8)
        let first = try files.file(["a.js"], below: folder.path(""))
        // The file's age exceeds the resolution of the file system's clock, so the file is kept in memory.
        Thread.sleep(forTimeInterval: 2.1)
        #expect(try files.file(["a.js"], below: folder.path("")).tag == first.tag)
        #expect(try files.file(["a.js"], below: folder.path("")).tag == first.tag)
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.write(contentsOf: Data("two".utf8))
        try handle.close()
        let second = try files.file(["a.js"], below: folder.path(""))
        #expect(second.bytes == Array("two".utf8))
        #expect(second.tag != first.tag)
    }

    @Test func `A file above the size limit is refused, and a file at the limit is served`() async throws {
        let serving = try await Serving()
        let largest = String(repeating: "x", count: AppFiles.fileBytes)
        try serving.write(largest, to: "app/large.txt")
        #expect(try await serving.get("/apps/talks/large.txt").text.utf8.count == AppFiles.fileBytes)
        try serving.write(largest + "y", to: "app/large.txt")
        let answer = try await serving.get("/apps/talks/large.txt")
        #expect(answer.status == 500)
        #expect(answer.json["code"].text == "fileTooLarge")
        await serving.end()
    }

    @Test func `Files of an app can't be written`() async throws {
        let serving = try await Serving()
        for method in ["PUT", "POST", "PATCH", "DELETE"] {
            let answer = try await serving.get("/apps/talks/app.js", method)
            #expect(answer.status == 405)
            #expect(answer.fields["allow"] == "GET, HEAD, OPTIONS")
        }
        await serving.end()
    }

    @Test func `An app that a reload removes is unavailable from the next request onward`() async throws {
        let serving = try await Serving()
        try serving.write(
            "target: sqlite:\(serving.folder.path("store.sqlite"))\napps: {others: app/parts}\n",
            to: "d.yaml"
        )
        #expect(serving.distributor.reload(from: serving.folder.path("d.yaml")))
        #expect(try await serving.get("/apps/talks/").status == 404)
        #expect(try await serving.get("/apps/others/").text == "<title>Parts</title>")
        await serving.end()
    }

    @Test func `No app is served at the console's host`() async throws {
        let serving = try await Serving()
        serving.distributor.current.withLock { circumstances in
            var settings = circumstances.settings
            settings.console.host = "console.example"
            circumstances = RequestCircumstances(settings, after: circumstances) { _ in }
        }
        for (host, status) in [("console.example", 404), ("CONSOLE.example:443", 404), ("apps.example", 200)] {
            for path in ["/apps/talks/", "/apps/talks/app.js", "/apps/talks", "/%61pps/talks/", "//apps/talks/"] {
                let request = ServedRequest(.get, path, headers: ["Host": host])
                let code = await serving.distributor.router.respond(to: request).status.code
                let isRedirect = path == "/apps/talks" && status == 200
                let isNamed = path.hasPrefix("/apps")
                #expect(isNamed ? code == (isRedirect ? 308 : status) : code != 200 || status == 200, "\(host) \(path)")
            }
        }
        await serving.end()
    }

    @Test(arguments: [
        ("console: {host: 'a b'}", ":2:17: 'a b' is not the name of a host"),
        ("console: {host: 'a:80'}", ":2:17: 'a:80' is not the name of a host"),
        ("apps: {a: missing}", ":2:11: there is no folder '"), ("apps: {a: d.yaml}", ":2:11: there is no folder '"),
        ("apps: {'a/b': .}", ":2:8: 'a/b' is not a name"), ("apps: {'..': .}", ":2:8: '..' is not a name"),
    ])
    func `An app without a folder, or with a name that is not valid in a path, is refused`(
        text: String,
        message: String
    ) throws {
        let folder = try TemporaryFolder()
        try "target: a\n\(text)\n".write(toFile: folder.path("d.yaml"), atomically: true, encoding: .utf8)
        #expect {
            try DistributorSettings.read(folder.path("d.yaml"))
        } throws: { error in
            (error as? SettingsError)?.message.contains(message) ?? false
        }
    }
}

import Digests
import Files
import Glibc
import HTTPService
import Synchronization
import TextKit
import YAML

/// The operator's apps: `/apps/NAME/…` serves the files in a folder unchanged.
extension ContentDistributor {
    /// Whether there are any apps.
    package var hasApps: Bool { !settings.apps.isEmpty }

    /// Redirects from `/apps/NAME` to the path against which the relative links of a page are resolved.
    func redirectToApp(_ request: ServedRequest) throws(ServiceProblem) -> ServedResponse {
        try refuseAtConsole(request)
        let name = try request.parameter("app")
        _ = try folder(ofApp: name)
        return ServedResponse(status: ResponseStatus(308), headers: ["Location": "/apps/\(name)/"])
    }

    /// Responds with a file of an app; a path that ends with a slash refers to the page `index.html` in that folder.
    func serveApp(_ request: ServedRequest) throws(ServiceProblem) -> ServedResponse {
        try refuseAtConsole(request)
        let name = try request.parameter("app")
        let folder = try folder(ofApp: name)
        var path = try request.parameter("file")
        if path.isEmpty || path.hasSuffix("/") { path += "index.html" }
        let names = path.split(separator: "/").map(String.init)
        // Hidden files are not served: for example, `.git` or the backup file of an editor.
        guard !names.contains(where: { $0.hasPrefix(".") }) else { throw .noFile(path, of: name) }
        let file: AppFiles.File
        do throws(FileError) {
            file = try appFiles.file(names, below: folder)
        } catch {
            switch error.reason {
            case .system(ENOENT), .system(ENOTDIR), .system(ELOOP), .system(ENAMETOOLONG), .system(ENXIO), .folder,
                .special:
                throw .noFile(path, of: name)
            case .tooLarge: throw .fileTooLarge(path)
            default:
                log("request \(request.id): '\(error.path)' can't be read: \(error.reason)")
                throw .fileNotReadable(path)
            }
        }
        let known = request.headers.values(of: "If-None-Match").joined(separator: ",")
        let isKnown = known.split { $0 == "," || $0 == " " }
            .contains { ["*", file.tag, "W/\(file.tag)"].contains(String($0)) }
        var response =
            isKnown
            ? ServedResponse(status: .notModified) : .bytes(file.bytes, contentType: AppFiles.mediaType(of: path))
        response.headers["ETag"] = file.tag
        for (name, value) in AppFiles.headers { response.headers[name] = value }
        return response
    }

    /// Refuses to serve an app at the console's host, where the app's scripts could use the sessions of the console.
    private func refuseAtConsole(_ request: ServedRequest) throws(ServiceProblem) {
        guard let host = settings.console.host, request.hostName == host else { return }
        throw ServiceProblem(
            .notFound,
            "noApps",
            "there are no apps at the console's host '\(host)'",
            advice: "open the app at another name or address of the server"
        )
    }

    private func folder(ofApp name: String) throws(ServiceProblem) -> String {
        guard let folder = settings.apps[name] else {
            throw ServiceProblem(
                .notFound,
                "noApp",
                "there is no app '\(name)'",
                advice: "check the name against 'apps' in the server's settings"
            )
        }
        return folder
    }
}

/// The most recently read files of apps, with one copy shared by all clients, no matter how slowly they receive it.
final class AppFiles: Sendable {
    struct File: Sendable {
        let bytes: [UInt8]
        /// The digest of the file's contents.
        let tag: String
        fileprivate let version: SmallFile.Version
    }

    private struct Kept {
        var files: [String: File] = [:]
        var bytes = 0
    }

    private let kept = Mutex(Kept())
    /// The maximum number of bytes in a served file, and in all cached files.
    static let (fileBytes, keptBytes) = (4 << 20, 64 << 20)
    /// The period after a change in which another change might not alter the file's modification time.
    private static let unsettled = Duration.seconds(2)

    /// Reads a file, unless it is cached and has not changed.
    func file(_ names: [String], below folder: String) throws(FileError) -> File {
        let opened = try SmallFile(names, below: folder)
        let file = kept.withLock { $0.files[opened.path] }
        if let file, file.version == opened.version { return file }
        let bytes = try opened.bytes(maximum: Self.fileBytes)
        var function = SHA256()
        let tag = "\"\(function.digest(of: bytes).hexadecimal)\""
        let new = File(bytes: bytes, tag: tag, version: opened.version)
        let isSettled = ProcessFacts.now - opened.version.changed > Self.unsettled
        kept.withLock { kept in
            kept.bytes -= kept.files.removeValue(forKey: opened.path)?.bytes.count ?? 0
            guard isSettled else { return }
            if kept.bytes + bytes.count > Self.keptBytes { kept = Kept() }
            kept.files[opened.path] = new
            kept.bytes += bytes.count
        }
        return new
    }

    /// Checks the name and the folder of an app in the settings, and returns the folder.
    static func folder(
        _ folder: String,
        of name: Located<String>,
        at place: Place,
        _ wrong: SettingsDefect
    ) throws(SettingsError) -> String {
        try name.checkName(wrong)
        var status = stat()
        guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw wrong(place, "there is no folder '\(folder)'", "create it, or correct its name")
        }
        return folder
    }

    // MARK: Restrictions on files in a browser

    /// The header fields of every file.
    ///
    /// Pages run only scripts from files on this server, and request nothing from other servers. Browsers revalidate
    /// files by their tags at each use, so a new version of an app is mixed with an old one for at most one visit.
    fileprivate static let headers = [
        (
            "Content-Security-Policy",
            """
            default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; \
            media-src 'self' blob:; connect-src 'self'; worker-src 'self'; manifest-src 'self'; form-action 'self'; \
            frame-ancestors 'none'; base-uri 'none'
            """
        ),
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cache-Control", "no-cache"),
    ]

    /// Returns the media type for a file's extension; files with other extensions can only be downloaded.
    fileprivate static func mediaType(of path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return mediaTypes[parts.count > 1 ? String(parts[parts.count - 1]).lowercased() : ""]
            ?? "application/octet-stream"
    }

    private static let mediaTypes = [
        "css": "text/css; charset=utf-8", "html": "text/html; charset=utf-8", "ico": "image/x-icon",
        "jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript; charset=utf-8", "json": "application/json",
        "mjs": "text/javascript; charset=utf-8", "pdf": "application/pdf", "png": "image/png", "svg": "image/svg+xml",
        "txt": "text/plain; charset=utf-8", "wasm": "application/wasm", "webmanifest": "application/manifest+json",
        "webp": "image/webp", "woff2": "font/woff2",
    ]
}

extension ServiceProblem {
    /// Returns the same response for a missing file, a hidden one and a link, so it does not reveal which it is.
    fileprivate static func noFile(_ path: String, of app: String) -> ServiceProblem {
        ServiceProblem(
            .notFound,
            "noFile",
            "the app '\(app)' has no file '\(path)'",
            advice: "files with a dot at the beginning, and symbolic links, are not served"
        )
    }

    fileprivate static func fileTooLarge(_ path: String) -> ServiceProblem {
        ServiceProblem(
            .internalServerError,
            "fileTooLarge",
            "the file '\(path)' has more than \(AppFiles.fileBytes) bytes, and is not served",
            advice: "make it smaller, or serve it elsewhere"
        )
    }

    fileprivate static func fileNotReadable(_ path: String) -> ServiceProblem {
        ServiceProblem(
            .internalServerError,
            "fileNotReadable",
            "the server can't read the file '\(path)'",
            advice: "look for the request ID in the server's log"
        )
    }
}

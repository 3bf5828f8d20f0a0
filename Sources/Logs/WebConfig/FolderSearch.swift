/// Looks for the web.config files in a folder and the folders in it.
struct FolderSearch {
    /// The most names that are looked at.
    private static let maximumNames = 500_000

    private let source: WebConfigSource
    private let maximumFiles: Int
    private let maximumDepth: Int
    private var found: [WebConfigSource] = []
    private var names = 0
    /// A folder that lies deeper than is searched.
    private var tooDeep: String?

    init(_ source: WebConfigSource, maximumFiles: Int, maximumDepth: Int) {
        self.source = source
        self.maximumFiles = maximumFiles
        self.maximumDepth = maximumDepth
    }

    /// Returns the files, sorted by path.
    mutating func run() throws(WebConfigError) -> [WebConfigSource] {
        try search(source.path, depth: 0)
        guard !found.isEmpty else {
            let depth = tooDeep.map { "; '\($0)' and deeper folders were not searched" } ?? ""
            throw WebConfigError(
                code: .notFound,
                source: source,
                message: "no web.config is in this folder" + depth,
                advice: "give the folder of a web site, or the file"
            )
        }
        return found
    }

    private mutating func search(_ folder: String, depth: Int) throws(WebConfigError) {
        let left = Self.maximumNames - names
        let inside = try FolderNames.list(source.at(folder), limit: left).sorted()
        names += inside.count
        for name in inside {
            let path = folder.hasSuffix("/") ? folder + name : folder + "/" + name
            switch FileKind(unlinked: path) {
            case .file where name.lowercased() == "web.config": try add(path)
            case .folder where depth < maximumDepth: try search(path, depth: depth + 1)
            case .folder: tooDeep = tooDeep ?? path
            default: break
            }
        }
    }

    private mutating func add(_ path: String) throws(WebConfigError) {
        guard found.count < maximumFiles else {
            throw WebConfigError(
                code: .tooLarge,
                source: source,
                message: "more than \(maximumFiles) files called web.config are in this folder",
                advice: "give the folders of the web sites you want to know about"
            )
        }
        found.append(source.at(path))
    }
}

extension WebConfigSource {
    /// Another path of the same server and zone.
    fileprivate func at(_ path: String) -> WebConfigSource { WebConfigSource(path: path, server: server, zone: zone) }
}

public import ContentFeeding
import Glibc
import Spelling
import YAML

/// The settings files in effect here: the user's and the project's.
public struct ContextFiles: Sendable {
    /// The user's own file; `nil` if there is none.
    public let user: ContextFile?
    /// The file of the folder, or of one above it; `nil` if there is none.
    public let project: ContextFile?

    /// Reads both files; the project's is the first `fastctl.yaml` from `directory` upward, to the home folder or the
    /// root.
    public init(environment: [String: String], directory: String?) throws(EngineError) {
        user = try Self.userPath(environment).flatMap { path throws(EngineError) in
            try ContextFile.read(path, owner: .user)
        }
        project = try directory.flatMap { directory throws(EngineError) in
            try Self.project(from: directory, home: environment["HOME"])
        }
    }

    init(user: ContextFile?, project: ContextFile?) {
        self.user = user
        self.project = project
    }

    /// Returns where the user's file is, or would be; `nil` if the environment has no place for it.
    public static func userPath(_ environment: [String: String]) -> String? {
        // The XDG specification says that a relative path counts as not set.
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") { return folder + "/fastctl/config.yaml" }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return home + "/.config/fastctl/config.yaml"
    }

    /// The working directory of this process; `nil` if it no longer exists.
    public static var workingDirectory: String? {
        guard let path = getcwd(nil, 0) else { return nil }
        defer { free(path) }
        return String(validatingCString: path)
    }

    private static func project(from directory: String, home: String?) throws(EngineError) -> ContextFile? {
        var folder = directory
        while folder.hasPrefix("/") {
            let path = (folder == "/" ? "" : folder) + "/fastctl.yaml"
            if let file = try ContextFile.read(path, owner: .project) { return file }
            guard folder != "/", folder != home, let slash = folder.lastIndex(of: "/") else { return nil }
            folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
        }
        return nil
    }

    /// The files in order of precedence, highest first.
    fileprivate var all: [ContextFile] { [project, user].compactMap(\.self) }

    /// The names of all contexts, each once.
    public var names: [String] {
        var names: [String] = []
        for name in all.flatMap(\.names) where !names.contains(name) { names.append(name) }
        return names
    }

    /// The name of the context used if none is named.
    public var currentName: String? { current?.name }

    /// The context used if none is named, and the file that says so.
    var current: (name: String, file: ContextFile, origin: SettingOrigin)? {
        for file in all {
            if let current = file.document.current { return (current.value, file, file.origin(current.place)) }
        }
        return nil
    }
}

/// The parts of one context from all files: the project's part decides, the user's fills the gaps.
struct ContextParts {
    private let name: String
    private let parts: [(file: ContextFile, entry: ContextEntry, line: Int)]

    init(_ name: String, in files: ContextFiles) throws(EngineError) {
        self.name = name
        parts = files.all.flatMap { file in
            file.contexts.filter { $0.key.value == name }.map { (file, $0.value, $0.key.place.line) }
        }
        guard !parts.isEmpty else { throw Self.unknown(name, files) }
        try refuseLeadingElsewhere()
    }

    /// The place where the context begins, in each file.
    var place: String { parts.map { "\($0.file.path):\($0.line)" }.joined(separator: " and ") }

    func layers(home: String?) -> [SettingLayer] {
        parts.map { SettingLayer($0.entry, of: $0.file, home: home) }
    }

    /// The collections, each name once: only one of the parts may have any.
    var collections: [CollectionMapping] {
        parts.flatMap { part in
            (part.entry.collections?.entries ?? []).map { entry in
                CollectionMapping(
                    name: entry.key.value,
                    engineName: entry.value.value,
                    origin: part.file.origin(entry.value.place)
                )
            }
        }
    }

    /// Throws if a project's file would send the credentials of the user's context to another place, or to other
    /// documents.
    private func refuseLeadingElsewhere() throws(EngineError) {
        guard let project = parts.first(where: { $0.file.owner == .project }),
            let user = parts.first(where: { $0.file.owner == .user })
        else { return }
        for key in ContextKey.allCases where key.leadsElsewhere {
            guard let place = project.entry.place(of: key) else { continue }
            throw EngineError(
                .rejected,
                "\(project.file.path):\(place): '\(key.rawValue)' of '\(name)' can only be set in \(user.file.path):\(user.line)",
                advice: "a project's file must not lead the user's context elsewhere: rename this one"
            )
        }
    }

    private static func unknown(_ name: String, _ files: ContextFiles) -> EngineError {
        let names = files.names
        let nearest = name.prefix(ContextName.maximumByteCount).description.nearest(in: names)
        let advice =
            if let nearest {
                "did you mean '\(nearest)'? 'fastctl contexts list' shows them all"
            } else if names.isEmpty {
                "add it: fastctl contexts add \(ContextName.isValid(name) ? name : "NAME") --target ADDRESS"
            } else {
                "list the contexts: fastctl contexts list"
            }
        return EngineError(.missingTarget, "there is no context '\(name)'", advice: advice)
    }
}

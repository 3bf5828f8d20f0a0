public import ContentFeeding
import Glibc
import YAML

/// The settings files that count here: the user's, and the project's.
public struct ContextFiles: Sendable {
    public let user: ContextFile?
    public let project: ContextFile?

    /// Both of them; the project's is the first `fastctl.yaml` from `directory` upwards, to the home folder or the root.
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

    /// Where the user's file is, or would be; `nil` where the environment has no place for it.
    public static func userPath(_ environment: [String: String]) -> String? {
        // The XDG specification says that a relative path counts as not set.
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") { return folder + "/fastctl/config.yaml" }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return home + "/.config/fastctl/config.yaml"
    }

    /// The folder that this process works in; `nil` when it is gone.
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

    /// From the one that decides to the one that gives in.
    var all: [ContextFile] { [project, user].compactMap(\.self) }

    /// The names of all contexts, each once.
    public var names: [String] {
        var names: [String] = []
        for name in all.flatMap(\.names) where !names.contains(name) { names.append(name) }
        return names
    }

    /// The name of the context that is used where none is named.
    public var currentName: String? { current?.name }

    /// The context that is used where none is named, and the file that says so.
    var current: (name: String, file: ContextFile, origin: SettingOrigin)? {
        for file in all {
            if let current = file.document.current { return (current.value, file, file.origin(current.place)) }
        }
        return nil
    }
}

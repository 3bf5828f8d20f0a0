import YAML

/// The settings that one place gives: the command line, the environment, or a file.
struct SettingLayer {
    private(set) var settings: [ContextKey: Setting] = [:]

    init(_ settings: [Setting]) {
        for setting in settings { self.settings[setting.key] = setting }
    }

    /// A context of a file; its paths begin at the file's folder, or at `home` where they say `~/`.
    init(_ entry: ContextEntry, of file: ContextFile, home: String?) {
        for (key, text) in entry.texts {
            let value = FilePaths(folder: file.folder, home: home).absolute(text.value, of: key)
            settings[key] = Setting(key, value, file.origin(text.place))
        }
        if let mark = entry.isProtected {
            settings[.protected] = Setting(.protected, mark.value ? "true" : "false", file.origin(mark.place))
        }
    }

    /// Settings that are given together: a layer that has one of them hides those of the layers below.
    private static let groups = [ContextKey.credentials, [.clientCertificate, .clientKey]]

    /// The settings of several layers, of which the first that has one decides.
    static func merged(_ layers: [SettingLayer]) -> [ContextKey: Setting] {
        var result: [ContextKey: Setting] = [:]
        for layer in layers {
            let hidden = groups.filter { group in group.contains { result[$0] != nil } }.joined()
            for (key, setting) in layer.settings where result[key] == nil && !hidden.contains(key) {
                result[key] = setting
            }
            // Nobody takes off a protection that another layer has put on.
            if layer.settings[.protected]?.value == "true" { result[.protected] = result[.protected].raised(to: layer) }
        }
        return result
    }
}

extension Setting? {
    fileprivate func raised(to layer: SettingLayer) -> Setting? {
        self?.value == "true" ? self : layer.settings[.protected]
    }
}

/// Paths as a settings file writes them.
private struct FilePaths {
    let folder: String
    let home: String?

    func absolute(_ text: String, of key: ContextKey) -> String {
        if key.isPath { return absolute(text) }
        let scheme = "sqlite:"
        guard key == .target, text.lowercased().hasPrefix(scheme), text.count > scheme.count else { return text }
        return scheme + absolute(String(text.dropFirst(scheme.count)))
    }

    private func absolute(_ path: String) -> String {
        if path.hasPrefix("/") || path.isEmpty { return path }
        if path.hasPrefix("~/"), let home { return home + path.dropFirst() }
        return folder + "/" + path
    }
}

extension ContextFile {
    /// The folder that the file is in.
    fileprivate var folder: String {
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        return slash == path.startIndex ? "" : String(path[..<slash])
    }
}

import ContentFeeding
import YAML

/// One settings file: its contexts, and which of them is the current one.
public struct ContextFile: Sendable {
    /// Whose word it is.
    public enum Owner: Hashable, Sendable {
        /// This user's own: `config.yaml` below `XDG_CONFIG_HOME`.
        case user
        /// Whoever wrote the folder that we are in: `fastctl.yaml`.
        case project
    }

    public let path: String
    public let owner: Owner
    /// As it stands in the file, for edits that change nothing else.
    public let text: String
    let document: ContextDocument

    /// Reads a file; `nil` where there is none.
    static func read(_ path: String, owner: Owner) throws(EngineError) -> ContextFile? {
        guard let source = try ConfigurationText.read(path) else { return nil }
        if owner == .project, !source.isOwn {
            throw EngineError(
                .rejected,
                "'\(path)' belongs to somebody else, and may lead to a target of theirs",
                advice: "name the target itself with --target, or make the file yours"
            )
        }
        let file = try ContextFile(path: path, owner: owner, text: source.text)
        let risk =
            if source.isWritableForAll {
                "\(path): everybody can change this file, and so lead you anywhere"
            } else if source.isWritableForOthers, let helper = file.helper {
                "\(path):\(helper.place): others can change this file, and it names a command to run"
            } else {
                String?.none
            }
        if let risk {
            throw EngineError(.permission, risk, advice: "take that from them: chmod go-w '\(path)'")
        }
        return file
    }

    init(path: String, owner: Owner, text: String) throws(EngineError) {
        self.path = path
        self.owner = owner
        self.text = text
        let lines = text.split(whereSeparator: \.isNewline)
        if lines.allSatisfy({ $0.drop(while: \.isWhitespace).first.map { $0 == "#" } ?? true }) {
            document = ContextDocument()
            return
        }
        do throws(YAMLError) {
            document = try YAMLDecoder().decode(from: text)
        } catch {
            throw EngineError(
                .rejected,
                "\(path):\(error)",
                advice: "correct that line; nothing was sent",
                cause: error
            )
        }
        for entry in contexts { try check(entry.value, named: entry.key.value) }
    }

    var contexts: [YAMLMapping<ContextEntry>.Entry] { document.contexts?.entries ?? [] }

    /// The names of its contexts, in the file's order.
    public var names: [String] { document.contexts?.keys ?? [] }

    /// The name of the context that is used where none is named.
    public var current: String? { document.current?.value }

    func origin(_ place: Place) -> SettingOrigin {
        owner == .user ? .userFile(path: path, line: place.line) : .projectFile(path: path, line: place.line)
    }

    private var helper: Located<String>? { contexts.lazy.compactMap { $0.value.texts[.credentialsHelper] }.first }

    private func check(_ entry: ContextEntry, named name: String) throws(EngineError) {
        let credentials = ContextKey.credentials.filter { entry.texts[$0] != nil }
        if credentials.count > 1, let place = entry.texts[credentials[1]]?.place {
            let names = credentials.map(\.rawValue).joined(separator: " and ")
            throw EngineError(
                .rejected,
                "\(path):\(place): the context '\(name)' has \(names)",
                advice: "credentials come from one place: keep one of them"
            )
        }
        guard owner == .project else { return }
        for key in ContextKey.allCases where key.isPersonal {
            guard let value = entry.texts[key] else { continue }
            throw EngineError(
                .rejected,
                "\(path):\(value.place): a project's file cannot have '\(key.rawValue)'",
                advice: "whoever wrote this folder would choose which secrets are read, and what runs: "
                    + "say it in your own file, with 'fastctl contexts add', or by --\(key.rawValue)"
            )
        }
    }
}

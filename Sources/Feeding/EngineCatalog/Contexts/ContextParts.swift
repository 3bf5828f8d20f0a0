import ContentFeeding
import Spelling
import YAML

/// What the files have of one context: the project's part decides, the user's fills in.
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

    /// Where it begins, in each file.
    var place: String { parts.map { "\($0.file.path):\($0.line)" }.joined(separator: " and ") }

    func layers(home: String?) -> [SettingLayer] {
        parts.map { SettingLayer($0.entry, of: $0.file, home: home) }
    }

    /// Each name once: only one of the parts may have any.
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

    /// A project's file must not send the credentials of the user's context to another place, or to other documents.
    private func refuseLeadingElsewhere() throws(EngineError) {
        guard let project = parts.first(where: { $0.file.owner == .project }),
            let user = parts.first(where: { $0.file.owner == .user })
        else { return }
        for key in ContextKey.allCases where key.leadsElsewhere {
            guard let place = project.entry.place(of: key) else { continue }
            throw EngineError(
                .rejected,
                "\(project.file.path):\(place): '\(key.rawValue)' of '\(name)' is for \(user.file.path):\(user.line) to say",
                advice: "a project's file must not lead the user's context elsewhere: give this one another name"
            )
        }
    }

    private static func unknown(_ name: String, _ files: ContextFiles) -> EngineError {
        let names = files.names
        let nearest = name.prefix(ContextName.maximumByteCount).description.nearest(in: names)
        let advice =
            if let nearest {
                "did you mean '\(nearest)'? 'fastctl contexts list' has them all"
            } else if names.isEmpty {
                "make it: fastctl contexts add \(ContextName.isValid(name) ? name : "NAME") --target ADDRESS"
            } else {
                "see what there is: fastctl contexts list"
            }
        return EngineError(.missingTarget, "there is no context '\(name)'", advice: advice)
    }
}

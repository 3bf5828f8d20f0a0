public import ContentFeeding
import YAML

extension ContextEdit {
    private static let section = "profiles"
    private static let head = ["# Profiles of fastctl: where the logs of a farm are, and what they are examined with."]

    /// Adds a profile at the end.
    public func addingProfile(
        _ name: String,
        _ values: [(key: ProfileKey, texts: [String])]
    ) throws(EngineError) -> String {
        try ContextName.check(name)
        if let entry = file.profiles.first(where: { $0.key.value == name }) {
            throw EngineError(
                .collectionExists,
                "\(file.path):\(entry.key.place.line): the profile '\(name)' already exists",
                advice: "remove it first: fastctl profiles remove \(name)"
            )
        }
        var copy = self
        if copy.lines.isEmpty { copy.lines = Self.head }
        let place = copy.placeForEntry(after: file.profiles.last?.key.place, in: Self.section)
        let margin = String(repeating: " ", count: place.indentation)
        var block = [margin + YAMLText.scalar(name) + ":"]
        for (key, texts) in values where !texts.isEmpty {
            let scalars = texts.map(YAMLText.scalar)
            if key.isList {
                block.append("\(margin)  \(key.rawValue):")
                block += scalars.map { "\(margin)    - \($0)" }
            } else {
                block += scalars.prefix(1).map { "\(margin)  \(key.rawValue): \($0)" }
            }
        }
        copy.lines.insert(contentsOf: block, at: place.line)
        let wanted = values.flatMap { value in value.texts.map { "\(value.key.rawValue)=\($0)" } }
        return try copy.checked { document in
            guard let entry = document.profiles.first(where: { $0.key.value == name })?.value else { return false }
            return entry.meaning.sorted() == wanted.sorted() && document.hasOthers(of: file, exceptProfile: name)
                && document.current == file.current
        }
    }

    /// Removes a profile.
    public func removingProfile(_ name: String) throws(EngineError) -> String {
        guard let entry = file.profiles.first(where: { $0.key.value == name }) else {
            throw EngineError(
                .missingTarget,
                "\(file.path) has no profile '\(name)'",
                advice: "list the profiles: fastctl profiles list"
            )
        }
        var copy = self
        copy.lines.removeSubrange(copy.block(from: entry.key.place))
        if file.profiles.count == 1, let line = copy.line(ofKey: Self.section) { copy.lines.remove(at: line) }
        return try copy.checked { document in
            document.hasOthers(of: file, exceptProfile: name) && !document.profileNames.contains(name)
                && document.current == file.current
        }
    }
}

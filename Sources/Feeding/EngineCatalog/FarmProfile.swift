public import ContentFeeding
import Glibc
import TextKit
import YAML

/// The settings for regularly examining a farm: the locations of its logs, and the options for reading them.
///
/// Profiles are defined under `profiles` in the settings files. Their paths are relative to the file's folder, or to
/// the home folder if they begin with `~/`. Paths in a project's file must be below its folder, even after links are
/// resolved.
public struct FarmProfile: Sendable {
    /// A value with absolute paths, and its position in the file.
    public struct Value: Sendable, Hashable {
        /// The value in its written form.
        public let text: String
        /// The origin of the value.
        public let origin: SettingOrigin
    }

    /// The profile's name.
    public let name: String
    /// The file and line at which the profile begins.
    public let origin: SettingOrigin
    private let values: [ProfileKey: [Value]]
    /// The folder that must contain the profile's files; `nil` for a user's own profile.
    private let confinement: FolderConfinement?

    fileprivate init(
        _ name: String,
        origin: SettingOrigin,
        _ values: [ProfileKey: [Value]],
        _ confinement: FolderConfinement?
    ) {
        self.name = name
        self.origin = origin
        self.values = values
        self.confinement = confinement
    }

    /// The values of a key, in the order of the file; empty if the key is not set.
    public subscript(key: ProfileKey) -> [Value] { values[key] ?? [] }

    /// Returns the texts of a key's values.
    public func texts(_ key: ProfileKey) -> [String] { self[key].map(\.text) }

    /// Throws if a file found through a project's profile is outside the folder of the project's file.
    ///
    /// This check is necessary because globs may match links, and folders may contain them.
    public func check(found path: String) throws(EngineError) {
        guard let confinement, !confinement.contains(path) else { return }
        throw confinement.refusal(of: path, in: origin.place ?? name)
    }
}

/// A setting of a profile, by its key in the settings file.
public enum ProfileKey: String, CodingKey, CaseIterable, Sendable {
    /// Folders, files and globs of logs.
    case logs
    /// Time zones, in the format of `--tz`.
    case zones
    /// A folder of rules.
    case rules
    /// Paths of web.config files, in the format of `--web-config`.
    case webConfig = "web-config"
    /// The output of Get-FarmFacts.ps1.
    case farm
    /// A file of suppressions.
    case suppress
    /// A baseline of findings.
    case baseline
    /// The output of `logs usual`.
    case normal

    /// Whether the key may have several values.
    public var isList: Bool {
        switch self {
        case .logs, .zones, .webConfig: true
        case .rules, .farm, .suppress, .baseline, .normal: false
        }
    }

    /// Splits a value into the part before its path, such as `WFE1/Default=`, and the path; `nil` if it has no path.
    public func split(_ text: String) -> (label: String, path: String)? {
        switch self {
        case .zones: return nil
        case .logs, .rules, .farm, .suppress, .baseline, .normal: return ("", text)
        case .webConfig:
            guard let equals = text.firstIndex(of: "="), Self.isLabel(text[..<equals]) else { return ("", text) }
            let path = text[text.index(after: equals)...]
            return (String(text[...equals]), String(path))
        }
    }

    /// Returns whether the text is the name of a server, optionally followed by a zone.
    private static func isLabel(_ text: Substring) -> Bool {
        let names = text.split(separator: "/", omittingEmptySubsequences: false)
        return names.count <= 2
            && names.allSatisfy { name in
                name.utf8.first.map { $0.isLetterOrDigit } ?? false
                    && name.utf8.allSatisfy { $0.isLetterOrDigit || "-_.".utf8.contains($0) }
            }
    }
}

/// A profile in its written form in a settings file.
struct ProfileEntry: Equatable, Decodable {
    var values: [ProfileKey: [Located<String>]] = [:]

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ProfileKey.self)
        for key in ProfileKey.allCases {
            if key.isList {
                values[key] = try container.decodeIfPresent(OneOrMany<Located<String>>.self, forKey: key)?.values
            } else {
                values[key] = try container.decodeIfPresent(Located<String>.self, forKey: key).map { [$0] }
            }
        }
    }

    /// The profile without positions, for comparisons.
    var meaning: [String] {
        ProfileKey.allCases.flatMap { key in (values[key] ?? []).map { "\(key.rawValue)=\($0.value)" } }
    }
}

extension ContextFile {
    /// The names of the profiles, in the file's order.
    public var profileNames: [String] { profiles.map(\.key.value) }

    var profiles: [YAMLMapping<ProfileEntry>.Entry] { document.profiles?.entries ?? [] }

    /// Returns a profile; `nil` if the file does not have a profile with that name.
    fileprivate func profile(named name: String, home: String?) throws(EngineError) -> FarmProfile? {
        guard let entry = profiles.first(where: { $0.key.value == name }) else { return nil }
        let paths = FilePaths(folder: folder, home: home)
        let confinement = owner == .project ? FolderConfinement(folder) : nil
        var values: [ProfileKey: [FarmProfile.Value]] = [:]
        for (key, written) in entry.value.values {
            for text in written {
                let value: String
                if let (label, path) = key.split(text.value) {
                    guard !path.isEmpty else {
                        throw EngineError(
                            .rejected,
                            "\(self.path):\(text.place): '\(key.rawValue)' of the profile '\(name)' contains an empty path",
                            advice: "specify a file or folder there"
                        )
                    }
                    let absolute = paths.absolute(path)
                    if let confinement, !confinement.mayContain(absolute) {
                        throw confinement.refusal(of: absolute, in: "\(self.path):\(text.place)")
                    }
                    value = label + absolute
                } else {
                    value = text.value
                }
                values[key, default: []].append(FarmProfile.Value(text: value, origin: origin(text.place)))
            }
        }
        return FarmProfile(name, origin: origin(entry.key.place), values, confinement)
    }
}

extension ContextFiles {
    /// The names of all profiles, without duplicates.
    public var profileNames: [String] {
        var names: [String] = []
        for name in [project, user].compactMap(\.self).flatMap(\.profileNames) where !names.contains(name) {
            names.append(name)
        }
        return names
    }

    /// Returns the profile with this name from the project's file or else from the user's.
    public func profile(named name: String, home: String?) throws(EngineError) -> FarmProfile {
        for file in [project, user].compactMap(\.self) {
            if let profile = try file.profile(named: name, home: home) { return profile }
        }
        let names = profileNames
        let advice =
            if let nearest = name.prefix(ContextName.maximumByteCount).description.nearest(in: names) {
                "did you mean '\(nearest)'? 'fastctl profiles list' shows them all"
            } else if names.isEmpty {
                "add it: fastctl profiles add \(ContextName.isValid(name) ? name : "NAME") --logs /logs"
            } else {
                "list the profiles: fastctl profiles list"
            }
        throw EngineError(
            .missingTarget,
            "unknown profile '\(name.prefix(ContextName.maximumByteCount))'",
            advice: advice
        )
    }
}

/// The folder that must contain the files of a project's profile, after links are resolved.
private struct FolderConfinement: Sendable {
    private let folder: String

    init(_ folder: String) { self.folder = Self.real(folder.isEmpty ? "/" : folder) ?? folder }

    /// Returns whether an existing file is inside the folder.
    func contains(_ path: String) -> Bool { Self.real(path).map(isBelow) ?? false }

    /// Returns whether the existing part of a path, which may be a glob or may not exist yet, is inside the folder.
    func mayContain(_ path: String) -> Bool {
        let parts = path.split(separator: "/").map(String.init)
        let fixed = parts.prefix { !$0.contains { "*?[".contains($0) } }
        // After a pattern, the target of '..' is unknown.
        guard !parts.dropFirst(fixed.count).contains("..") else { return false }
        for count in stride(from: fixed.count, through: 0, by: -1) {
            guard let real = Self.real("/" + fixed.prefix(count).joined(separator: "/")) else { continue }
            let rest = fixed.dropFirst(count)
            return !rest.contains("..") && isBelow(([real == "/" ? "" : real] + rest).joined(separator: "/"))
        }
        return false
    }

    private func isBelow(_ path: String) -> Bool {
        path == folder || path.hasPrefix(folder == "/" ? "/" : folder + "/")
    }

    private static func real(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(validatingCString: real)
    }

    func refusal(of path: String, in place: String) -> EngineError {
        EngineError(
            .rejected,
            "\(place): '\(path)' is not inside '\(folder)'",
            advice: "others may have written that file, so its paths must stay in its folder; for other paths, "
                + "add your own profile with 'fastctl profiles add'"
        )
    }
}

extension ContextEdit {
    private static let section = "profiles"
    private static let head = [
        "# Profiles of fastctl: the locations of a farm's logs, and the settings for reading them."
    ]

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

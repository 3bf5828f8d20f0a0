import ContentFeeding
import EngineHTTP
import JSONText

/// What an index keeps of the documents it is fed, and whether it takes a document's ID as a field: two facts of its
/// mapping.
struct SourceRules: Hashable, Sendable {
    /// Whether the index keeps no source at all.
    private(set) var isDisabled = false
    /// Whether the index makes documents anew from their fields.
    private(set) var isSynthetic = false
    /// Patterns of fields that are not kept.
    private(set) var excluded: [String] = []
    /// Patterns of the only fields that are kept; empty for all.
    private(set) var included: [String] = []
    /// Whether the mapping refuses the key that holds the ID, because it refuses all fields that it does not name.
    private(set) var refusesIDKey = false
    /// Whether we may see the mapping; if not, nothing of the above is known.
    private(set) var isSeen = true

    init() {}

    /// What is known of a mapping that we may not see.
    fileprivate static let unseen = {
        var rules = SourceRules()
        rules.isSeen = false
        return rules
    }()

    /// Reads the answer about the mappings of one or more indices, and their settings, as far as they are seen; `key` is
    /// the one that holds the ID.
    ///
    /// Elasticsearch had the mode in the mapping; since 8.17 it is a setting, whose default for logs and time series is
    /// `synthetic` (documentation of 8.17: migrating-8.17, mapping-source-field).
    init(_ answer: JSONValue, key: String, settings: [CollectionSetting] = []) {
        let mode = settings.first { $0.name == "index.mapping.source.mode" }?.value.lowercased()
        let kind = settings.first { $0.name == "index.mode" }?.value.lowercased()
        isDisabled = mode == "disabled"
        isSynthetic = mode == "synthetic" || mode == nil && ["logsdb", "time_series"].contains(kind)
        for index in answer.members {
            let mappings = index.value["mappings"]
            let source = mappings["_source"]
            if source["enabled"].isFalse || source["mode"].text == "disabled" { isDisabled = true }
            if source["mode"].text == "synthetic" { isSynthetic = true }
            excluded += source["excludes"].texts
            included += source["includes"].texts
            if mappings["dynamic"].text?.hasPrefix("strict") == true, mappings["properties"][key] == .null {
                refusesIDKey = true
            }
        }
    }

    /// Why a document that is read back is not what was fed; `nil` if it is.
    var loss: String? {
        if isDisabled { return MultiGetReply.withoutSource }
        if !excluded.isEmpty { return "the index does not keep \(excluded.named) (_source.excludes)" }
        if !included.isEmpty { return "the index keeps only \(included.named) (_source.includes)" }
        if isSynthetic {
            return "the index keeps no documents, but makes them anew from their fields (synthetic _source)"
        }
        return nil
    }
}

extension JSONValue {
    fileprivate var isFalse: Bool { bool == false || text == "false" }

    /// One text, or several.
    fileprivate var texts: [String] { text.map { [$0] } ?? elements.compactMap(\.text) }
}

extension [String] {
    fileprivate var named: String {
        prefix(5).map { "'\($0)'" }.joined(separator: ", ") + (count > 5 ? ", …" : "")
    }
}

extension Cluster {
    /// Returns what the mapping of a collection says about sources, as far as we may see it.
    func sourceRules(
        of name: CollectionName,
        key: String,
        _ settings: [CollectionSetting]
    ) async throws(EngineError) -> SourceRules {
        var parts = ["*.mappings._source", "*.mappings.dynamic"]
        // A name of other characters would be a pattern; such a key is fed like any other.
        let isPlain = key.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        if isPlain { parts.append("*.mappings.properties.\(key)") }
        let path = EnginePath(name.rawValue, "_mapping").with("filter_path", parts.joined(separator: ","))
        do throws(RequestFailure) {
            return SourceRules(try await ask(EngineRequest(.get, path)), key: key, settings: settings)
        } catch {
            // A proxy or a role that does not let the question through.
            guard let status = error.status, [400, 403, 404, 405].contains(status) else {
                throw await self.error(error, about: name)
            }
            return .unseen
        }
    }
}

import ContentFeeding
import JSONText

/// What Solr says of itself at `/admin/info/system`.
struct InstanceFacts: Hashable {
    var mode: SolrInstance.Mode
    /// As `9.10.1`.
    var version: String

    /// The oldest Solr that is spoken to.
    static let oldestVersion = 8

    /// Reads them; `nil` for a reply that is not Solr's.
    init?(_ tree: JSONValue) {
        guard let version = tree["lucene"]["solr-spec-version"].text, tree["responseHeader"] != .null else {
            return nil
        }
        self.version = version
        switch tree["mode"].text {
        case "std": mode = .standalone
        case "solrcloud": mode = .cloud
        default: return nil
        }
    }

    /// Whether it knows the preference `replica.leader` (SOLR-15472); older ones refuse what they don't know.
    var knowsLeaders: Bool {
        let parts = version.split(separator: ".").prefix(2).map { Int($0) ?? 0 }
        guard parts.count == 2 else { return false }
        return (parts[0], parts[1]) >= (8, 10)
    }

    /// Makes sure that it is new enough.
    func validate(at target: String) throws(EngineError) {
        let major = version.split(separator: ".").first.flatMap { Int($0) } ?? 0
        guard major < Self.oldestVersion else { return }
        throw EngineError(
            .unusable,
            "\(target) is Solr \(version)",
            advice: "use Solr \(Self.oldestVersion) or newer"
        )
    }
}

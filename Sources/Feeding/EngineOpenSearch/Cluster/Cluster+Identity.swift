import ContentFeeding
import EngineHTTP
import JSONText

extension Cluster {
    /// How long the engine may take to say who it is.
    static let openingTime = Duration.seconds(10)

    /// Asks who answers: the version of the product that the address says.
    ///
    /// A user who may not ask may still be allowed to use a collection, so that is no failure; the version is `nil`
    /// then.
    func identify() async throws(EngineError) -> EngineVersion? {
        var question = EngineRequest(.get, EnginePath())
        question.timeout = min(requestTimeout, Self.openingTime)
        let answer: JSONValue
        do throws(RequestTrouble) {
            answer = try await ask(question)
        } catch {
            if error.status == 403, error.complaint != nil { return nil }
            throw EngineError(error.trouble)
        }
        return try version(in: answer)
    }

    /// OpenSearch names itself in `version.distribution`; Elasticsearch never did.
    func version(in answer: JSONValue) throws(EngineError) -> EngineVersion? {
        guard let number = answer["version"]["number"].text, answer["cluster_name"] != .null else {
            throw EngineError(
                .unusable,
                "\(target) answers, but is neither OpenSearch nor Elasticsearch",
                advice: "check the host and the port"
            )
        }
        let isOpenSearch = answer["version"]["distribution"].text == "opensearch"
        let found: OpenSearchEngine.Product = isOpenSearch ? .openSearch : .elasticsearch
        guard found == product else {
            throw EngineError(
                .unusable,
                "\(target) is \(Self.name(of: found)) \(number), and not \(name)",
                advice: "use --target \(address(as: found))"
            )
        }
        return EngineVersion(number)
    }

    /// The largest body that the nodes take, in bytes; `nil` where we may not ask.
    ///
    /// A wrong guess does no harm: a body that is too large is refused with 413, and the feeder learns.
    func announcedBodyLimit() async -> Int? {
        var question = EngineRequest(
            .get,
            EnginePath("_nodes", "http").with("filter_path", "nodes.*.http.max_content*")
        )
        question.timeout = min(requestTimeout, Self.openingTime)
        guard let answer = try? await ask(question) else { return nil }
        let limits = answer["nodes"].members.compactMap { $0.value["http"]["max_content_length_in_bytes"].int }
        return limits.filter { $0 > 0 }.min()
    }
}

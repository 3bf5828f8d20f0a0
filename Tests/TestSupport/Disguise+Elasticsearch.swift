extension Disguise {
    /// Elasticsearch 8 or 9, imitated by OpenSearch 2.19, which has no document types either, but supports points in
    /// time.
    ///
    /// - Each reply names the product in a header (elastic/elasticsearch#73434).
    /// - Points in time have other paths and names (`_pit`, documentation of Elasticsearch 8.17: point-in-time-api),
    ///   and each hit in one has an additional sort value at the end, `_shard_doc`, which `search_after` must repeat
    ///   (elastic/elasticsearch#68833).
    /// - A bulk reply has `errors` before `took` (`BulkResponse.toXContentChunked` of 8.7 and later).
    /// - The version in a media type must be this or the previous major version, and be in both headers or in neither
    ///   (`media_type_header_exception`: elastic/elasticsearch-ruby#2665, documentation: rest-api-compatibility).
    /// - Since 9.2, `_source` does not contain vectors unless requested, and older versions refuse such a request.
    public static func elasticsearch(_ major: Int, _ minor: Int) -> Disguise {
        let version = ElasticsearchVersion(major: major, minor: minor)
        return Disguise(
            name: "Elasticsearch \(major).\(minor)",
            translate: { request, _ in version.translate(&request) },
            dress: { reply, request in version.dress(&reply, request) }
        )
    }
}

private struct ElasticsearchVersion {
    let major: Int
    let minor: Int

    func translate(_ request: inout ProxiedRequest) -> ProxiedReply? {
        if let refusal = refusal(of: request) { return answered(refusal) }
        if request.path == "/" { return answered(.json(200, root)) }
        if request.path.hasSuffix("/_search/point_in_time") || request.path == "/_search/point_in_time" {
            let words = "no handler found for uri [\(request.target)] and method [\(request.method)]"
            return answered(.json(400, #"{"error":"\#(words)","status":400}"#))
        }
        if request.path.hasSuffix("/_pit"), request.method == "POST" {
            request.target.replace("/_pit", with: "/_search/point_in_time", maxReplacements: 1)
        } else if request.path == "/_pit", request.method == "DELETE" {
            request.target = "/_search/point_in_time"
            request.text = request.text.replacing(/^{"id":(".*")}$/) { "{\"pit_id\":[\($0.output.1)]}" }
        } else if request.path == "/_search" {
            return withoutTiebreaker(&request)
        }
        if returnsVectors {
            request.remove(parameter: "_source_exclude_vectors")
            request.text.replace(#""_source":{"exclude_vectors":false},"#, with: "")
        }
        return nil
    }

    /// Removes the last value from `search_after`; refuses a position without it.
    private func withoutTiebreaker(_ request: inout ProxiedRequest) -> ProxiedReply? {
        if returnsVectors { request.text.replace(#""_source":{"exclude_vectors":false},"#, with: "") }
        guard request.text.contains(#""search_after":["#) else { return nil }
        let place = request.text.firstMatch(
            of: /"search_after":\[((?:(?:"(?:[^"\\]|\\.)*"|[^",\[\]]+),)*)([0-9]+),([0-9]+)\]/
        )
        guard let (all, keys, position, tiebreaker) = place?.output, let number = Int(position),
            Int(tiebreaker) == number + Self.tiebreaker
        else {
            let words = "search_after lacks the value of _shard_doc, which sort has."
            return answered(.refusal(400, "illegal_argument_exception", words))
        }
        request.text.replace(all, with: #""search_after":[\#(keys)\#(position)]"#)
        return nil
    }

    /// The remainder of a document's position in its shard, besides `_shard_doc`: with the single shard of these tests,
    /// always this value.
    private static let tiebreaker = 1 << 32

    private var returnsVectors: Bool { (major, minor) >= (9, 2) }

    func dress(_ reply: inout ProxiedReply, _ request: ProxiedRequest) {
        if request.path.hasSuffix("/_pit"), request.method == "POST" {
            reply.text.replace(#"{"pit_id":"#, with: #"{"id":"#, maxReplacements: 1)
        } else if request.path == "/_search" {
            reply.text = reply.text.replacing(/,"sort":\[((?:(?:"(?:[^"\\]|\\.)*"|[^",\[\]]+),)*)([0-9]+)\]}/) { hit in
                #","sort":[\#(hit.output.1)\#(hit.output.2),\#((Int(hit.output.2) ?? 0) + Self.tiebreaker)]}"#
            }
        } else if request.path.hasSuffix("/_bulk") {
            reply.text = reply.text.replacing(/^{("took":[0-9]+),("errors":[a-z]+),/) {
                "{\($0.output.2),\($0.output.1),"
            }
        }
        reply = answered(reply)
    }

    private func answered(_ reply: ProxiedReply) -> ProxiedReply {
        var reply = reply
        reply.headers.append(ProxiedHeader("X-elastic-product", "Elasticsearch"))
        return reply
    }

    /// Refuses media types of other versions.
    private func refusal(of request: ProxiedRequest) -> ProxiedReply? {
        let types = ["accept", "content-type"].compactMap { request.headers.value(of: $0) }
        let versions = types.compactMap { $0.firstMatch(of: /compatible-with=([0-9]+)/).flatMap { Int($0.output.1) } }
        guard !versions.isEmpty else { return nil }
        guard versions.count == types.count, versions.allSatisfy({ $0 == major || $0 == major - 1 }) else {
            let words = "Invalid media-type value on headers [Accept, Content-Type]"
            return .refusal(400, "media_type_header_exception", words)
        }
        return nil
    }

    private var root: String {
        #"{"name":"node-1","cluster_name":"tests","cluster_uuid":"u","version":{"number":"\#(major).\#(minor).0","#
            + #""build_flavor":"default","build_type":"docker","build_hash":"unknown","build_date":"2025-01-01T00:00:00Z","#
            + #""build_snapshot":false,"lucene_version":"10.3.0","minimum_wire_compatibility_version":"\#(major - 1).19.0","#
            + #""minimum_index_compatibility_version":"\#(major - 1).0.0"},"tagline":"You Know, for Search"}"#
    }
}

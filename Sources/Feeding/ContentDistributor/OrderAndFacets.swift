import ContentFeeding
import HTTPService
import JSONText
import TextKit

/// The order and the facets that a request about documents asks for.
struct OrderAndFacets: Sendable {
    /// The number of requests that sort or count at the same time: each may read every document of a collection.
    private static let mostAtOnce = 4

    let order: [SortKey]
    let facets: [FacetKey]

    var isEmpty: Bool { order.isEmpty && facets.isEmpty }

    /// Reads the parameters `sort` and `facet`; throws if the results could reveal values that are hidden from the client.
    init(_ request: ServedRequest, _ grant: AccessGrant) throws(ServiceProblem) {
        if request.queryValue("order") != nil {
            throw .invalid("order", "there is no such parameter", "write sort=KEY, or sort=KEY:desc")
        }
        order = try Self.order(request)
        facets = try Self.facets(request)
        if !order.isEmpty, !grant.allowsSorting { throw .noOrder }
        if !facets.isEmpty, !grant.allowsCounting { throw .noFacets }
    }

    private static func order(_ request: ServedRequest) throws(ServiceProblem) -> [SortKey] {
        guard let text = request.queryValue("sort") else { return [] }
        guard let order = SortKey.order(text) else {
            let reason = "it is not a list of 1 to \(SortKey.mostKeys) keys"
            throw .invalid("sort", reason, "write sort=year:desc,title")
        }
        return order
    }

    private static func facets(_ request: ServedRequest) throws(ServiceProblem) -> [FacetKey] {
        var facets: [FacetKey] = []
        for item in request.query where item.name == "facet" {
            guard let key = FacetKey(notation: item.value), facets.count < FacetKey.mostKeys else {
                let reason = "there may be \(FacetKey.mostKeys), each with up to \(FacetKey.largest) values"
                throw .invalid("facet", reason, "write facet=language, or facet=language:20")
            }
            facets.append(key)
        }
        return facets
    }

    /// Takes part in sorting and counting until the result is released; throws if too many others do.
    func share(of work: SharedCount) throws(ServiceProblem) -> SharedCount.Part? {
        guard !isEmpty else { return nil }
        let part = SharedCount.Part(of: work)
        guard part.add(1, upTo: Self.mostAtOnce) else {
            throw ServiceProblem(
                .tooManyRequests,
                "tooMany",
                "\(Self.mostAtOnce) searches are already sorting or counting",
                advice: "wait, and send the request again",
                headers: ["Retry-After": "1"]
            )
        }
        return part
    }

    /// Returns the counts of the facets in all documents that match; `nil` if the request asks for none.
    ///
    /// Throws, naming the parameter, if the engine can't sort or count.
    func counts(of query: SearchQuery, in engine: any CollectionEngine) async throws -> FacetCounts? {
        if !isEmpty, !engine.capabilities.sortsAndCounts {
            let parameter = order.isEmpty ? "facet" : "sort"
            throw ServiceProblem.invalid(
                parameter,
                "the engine of this collection can't sort or count",
                "leave '\(parameter)' out"
            )
        }
        guard !facets.isEmpty else { return nil }
        return try await engine.facets(facets, of: query)
    }
}

extension AccessGrant {
    /// Whether documents may be sorted: hooks may hide the values that would determine their order.
    var allowsSorting: Bool { !(hooks?.applyToReading ?? false) }

    /// Whether values may be counted: an engine may also count documents that the rule does not admit, because it
    /// compares values in its own way.
    var allowsCounting: Bool { allowsSorting && readable?.isEmpty ?? false }
}

extension FacetCounts {
    /// Writes the members `found` and `facets`.
    func write(to object: inout JSONWriter) {
        object.member("found", documents)
        object.array("facets") { array in
            for facet in facets {
                array.object { object in
                    object.member("key", facet.key)
                    facet.writeCounts(to: &object)
                }
            }
        }
    }
}

extension ServiceProblem {
    fileprivate static let noOrder = ServiceProblem(
        .forbidden,
        "noOrder",
        "sort: this collection has hooks that change documents when they are read, so their order could reveal values",
        advice: "leave 'sort' out, and sort what you have read"
    )
    fileprivate static let noFacets = ServiceProblem(
        .forbidden,
        "noFacets",
        "facet: values can be counted only by clients that may read every document, and only if no hook changes it",
        advice: "leave 'facet' out, and count the values in what you have read"
    )
}

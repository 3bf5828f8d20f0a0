import ContentFeeding
import EngineHTTP
import JSONText

extension OpenSearchCollection {
    /// How long the engine keeps a search open between two pages.
    static let keepAlive = "5m"

    /// A page of what a query finds, out of a state of the index that stays the same for all pages.
    ///
    /// The order is that of the index's files, which costs nothing.
    func find(_ query: SearchQuery, after cursor: SearchCursor?) async throws(EngineError) -> SearchPage {
        let page = FoundPage(collection: self, query: query)
        if let cursor { return try await page.at(try SearchPlace(cursor)) }
        guard let start = try await openPointInTime() else { return try await page.scroll(on: nil) }
        do throws(EngineError) {
            return try await page.at(start)
        } catch {
            // Nobody else knows of it.
            await cluster.close(start)
            throw error
        }
    }

    func close(_ cursor: SearchCursor) async {
        if let place = try? SearchPlace(cursor) { await cluster.close(place) }
    }

    /// The start of a search; `nil` where the engine has no points in time.
    private func openPointInTime() async throws(EngineError) -> SearchPlace? {
        let path = cluster.pointInTimePath(of: collection).with("keep_alive", Self.keepAlive)
        let answer: JSONValue
        do throws(RequestTrouble) {
            answer = try await cluster.ask(.reading(path))
        } catch {
            if error.isUnknownRequest { return nil }
            throw await cluster.error(error, about: collection)
        }
        guard let id = answer["pit_id"].text ?? answer["id"].text, !id.isEmpty else { return nil }
        return .pointInTime(id: id, after: nil, size: PageSize.first)
    }
}

extension Cluster {
    /// Where a point in time is opened: OpenSearch has it since 2.4, Elasticsearch since 7.10 but for its free edition.
    fileprivate func pointInTimePath(of name: CollectionName) -> EnginePath {
        switch product {
        case .openSearch: EnginePath(name.rawValue, "_search", "point_in_time")
        case .elasticsearch: EnginePath(name.rawValue, "_pit")
        }
    }

    /// How long is waited until the engine has forgotten a search: it does so by itself in the end.
    private static let closingTime = Duration.seconds(5)

    /// Lets the engine forget a search, also in a task that is cancelled.
    func close(_ place: SearchPlace) async {
        await Task {
            switch place {
            case .pointInTime(let id, _, _): await closePointInTime(id)
            case .scroll(let id): await closeScroll(id)
            }
        }.value
    }

    /// Lets the engine forget a point in time; if that fails, it forgets it after ``OpenSearchCollection/keepAlive``.
    func closePointInTime(_ id: String) async {
        var writer = JSONWriter()
        let path: EnginePath
        switch product {
        case .openSearch:
            path = EnginePath("_search", "point_in_time")
            writer.object { $0.member("pit_id", [id]) }
        case .elasticsearch:
            path = EnginePath("_pit")
            writer.object { $0.member("id", id) }
        }
        await close(path, writer.takeBytes())
    }

    /// Lets the engine forget a scroll.
    func closeScroll(_ id: String) async {
        var writer = JSONWriter()
        writer.object { $0.member("scroll_id", [id]) }
        await close(EnginePath("_search", "scroll"), writer.takeBytes())
    }

    private func close(_ path: EnginePath, _ body: [UInt8]) async {
        var request = EngineRequest(.delete, path, body: body)
        request.timeout = min(requestTimeout, Self.closingTime)
        _ = try? await reply(to: request)
    }
}

import JSONText

/// Where a document stands in the order of a search.
struct HitPlace: Hashable, Sendable {
    /// Its sort values as the engine wrote them, an array: what the next page is asked for with.
    let json: [UInt8]
    /// Its place in its shard, where that is all that the engine tells: documents of several shards can share it.
    ///
    /// Elasticsearch since 7.12 adds a value that no other document has.
    let shared: Int?

    /// `nil` for what are no sort values.
    init?(_ json: [UInt8]) {
        guard let values = try? JSONValue(json).elements, let first = values.first else { return nil }
        if values.count == 1 {
            guard let place = first.int, place >= 0 else { return nil }
            shared = place
        } else {
            shared = nil
        }
        self.json = json
    }
}

public import ContentFeeding
import JSONText

/// The origin of a copy's documents: a collection of a target, or the documents in it that match a query.
public struct CopyOrigin: Hashable, Sendable {
    /// The target's address or the name of its context, which is interpreted by the code that opens the copy.
    public var target: String
    /// The collection, as its engine names it.
    public var collection: CollectionName
    /// The query that documents must match; an empty query for all documents.
    public var query: SearchQuery
    /// The top-level keys included in the copy; empty for all keys.
    public var keys: [String]
    /// The key of a document that is reserved for its ID.
    public var idKey: String
    /// The field and the value that mark a document as removed; `nil` if documents are removed immediately.
    public var removedMark: SearchQuery.Field?

    /// Creates the description of an origin.
    public init(
        target: String,
        collection: CollectionName,
        query: SearchQuery = SearchQuery(),
        keys: [String] = [],
        idKey: String = "id",
        removedMark: SearchQuery.Field? = nil
    ) {
        self.target = target
        self.collection = collection
        self.query = query
        self.keys = keys
        self.idKey = idKey
        self.removedMark = removedMark
    }

    /// Whether the copy has complete documents.
    public var isWhole: Bool { keys.isEmpty }

    /// Whether documents may start or stop matching without being changed, because the query may depend on the current
    /// time, as `now-1d` does in OpenSearch and `NOW-1DAY` in Solr.
    public var dependsOnTime: Bool {
        ([query.expression].compactMap(\.self) + query.fields.map(\.value)).contains { text in
            text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.contains { $0.lowercased() == "now" }
        }
    }
}

extension CopyOrigin {
    /// The stored form of the origin.
    var json: [UInt8] {
        JSONWriter.object { writer in
            writer.member("target", target)
            writer.member("collection", collection.rawValue)
            writer.member("words", query.words)
            writer.member("phrases", query.phrases)
            writer.array("fields") { writer in
                for field in query.fields { writer.value([field.name, field.value]) }
            }
            writer.member("expression", query.expression)
            writer.member("keys", keys)
            writer.member("idKey", idKey)
            writer.member("removedMark", removedMark.map { [$0.name, $0.value] })
        }
    }

    init(json: [UInt8]) throws(JSONError) {
        let value = try JSONValue(json)
        let texts = { (list: JSONValue) in list.elements.compactMap(\.text) }
        let field = { (list: JSONValue) -> SearchQuery.Field? in
            let words = texts(list)
            return words.count == 2 ? SearchQuery.Field(name: words[0], value: words[1]) : nil
        }
        var query = SearchQuery(
            words: texts(value["words"]),
            phrases: texts(value["phrases"]),
            fields: value["fields"].elements.compactMap(field)
        )
        query.expression = value["expression"].text
        guard let target = value["target"].text, let collection = value["collection"].text else {
            throw JSONError(offset: 0, message: "an origin has a target and a collection")
        }
        self.init(
            target: target,
            collection: CollectionName(collection),
            query: query,
            keys: texts(value["keys"]),
            idKey: value["idKey"].text ?? "id",
            removedMark: field(value["removedMark"])
        )
    }
}

/// The extent to which a copy has read the history of its origin.
public struct CopyBookmark: Hashable, Sendable {
    /// A position in a part's history.
    public struct Place: Hashable, Sendable {
        /// The identifier that distinguishes this history from one that was started over.
        public var history: String
        /// The number of the last change that was read.
        public var place: Int64
        /// The number up to which no further changes could appear at the time of reading.
        public var settled: Int64
        /// The last stretch of the history at the time of reading; `nil` if the engine does not report stretches.
        public var stretch: String?

        /// Creates a position in a history.
        public init(history: String, place: Int64, settled: Int64 = .max, stretch: String? = nil) {
            (self.history, self.place, self.settled, self.stretch) = (history, place, settled, stretch)
        }
    }

    /// The identity of the origin when it was read.
    public var identity: String
    /// The position up to which each part of the origin has been read, by the part's name.
    public var places: [String: Place] = [:]
    /// The origin's `CollectionState.contents`.
    public var contents: String?
    /// Whether the last pull was completed.
    public var isComplete = false

    /// Creates the bookmark of a copy that has not read anything yet.
    public init(identity: String) { self.identity = identity }

    /// Returns whether the origin is unchanged since the end of the last pull.
    public func agrees(with state: CollectionState) -> Bool {
        isComplete && identity == state.identity && contents == state.contents
            && places.mapValues { Place(history: $0.history, place: $0.place, stretch: $0.stretch) }
                == Dictionary(
                    state.parts.map {
                        ($0.name, Place(history: $0.history, place: $0.last, stretch: $0.stretches.last?.name))
                    },
                    uniquingKeysWith: { $1 }
                )
    }

    /// Returns whether a part's history lacks changes that were already read, for example because the origin was
    /// restored from a backup.
    func isAhead(of state: CollectionState) -> Bool {
        state.parts.contains { part in
            guard let place = places[part.name], place.history == part.history else { return false }
            guard place.place <= part.last else { return true }
            guard let stretch = place.stretch else { return false }
            guard let index = part.stretches.firstIndex(where: { $0.name == stretch }) else { return true }
            return part.stretches.dropFirst(index + 1).first.map { place.place > $0.start } ?? false
        }
    }

    /// Returns the position after which a part must be read: all changes before it were read, and no further changes
    /// can appear there.
    ///
    /// Returns the beginning if the part now has a different history.
    func place(in part: CollectionPart) -> Int64 {
        guard let place = places[part.name], place.history == part.history else { return CollectionPart.beginning }
        return min(place.place, place.settled)
    }
}

extension CopyBookmark {
    var json: [UInt8] {
        JSONWriter.object { writer in
            writer.member("identity", identity)
            writer.member("contents", contents)
            writer.member("isComplete", isComplete)
            writer.array("places") { writer in
                for (name, place) in places.sorted(by: { $0.key < $1.key }) {
                    writer.object { writer in
                        writer.member("part", name)
                        writer.member("history", place.history)
                        writer.member("place", place.place)
                        if place.settled < .max { writer.member("settled", place.settled) }
                        if let stretch = place.stretch { writer.member("stretch", stretch) }
                    }
                }
            }
        }
    }

    init(json: [UInt8]) throws(JSONError) {
        let value = try JSONValue(json)
        self.init(identity: value["identity"].text ?? "")
        contents = value["contents"].text
        isComplete = value["isComplete"].bool ?? false
        for place in value["places"].elements {
            guard let name = place["part"].text, let number = place["place"].int else { continue }
            let settled = place["settled"].int.map { Int64($0) } ?? .max
            places[name] = Place(
                history: place["history"].text ?? "",
                place: Int64(number),
                settled: settled,
                stretch: place["stretch"].text
            )
        }
    }
}

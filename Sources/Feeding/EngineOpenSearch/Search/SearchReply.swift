import ContentFeeding
import JSONText

/// What a page of a search says.
struct SearchReply {
    struct Hit {
        let document: StoredDocument
        /// What the hits are sorted by.
        let place: HitPlace?
    }

    var hits: [Hit] = []
    var scrollID: String?
    /// The engine may give a point in time a new name with each page.
    var pointInTime: String?
    /// How many shards could not say anything: what they have is not in the page.
    var failedShards = 0
    var isTimedOut = false

    init(_ body: [UInt8]) throws(JSONError) {
        var scanner = JSONScanner(body.span)
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            switch scanner.text(of: key) {
            case "_scroll_id": scrollID = try scanner.stringText()
            case "pit_id": pointInTime = try scanner.stringText()
            case "timed_out": isTimedOut = try scanner.bool()
            case "_shards":
                let place = try scanner.skipValue()
                failedShards = try JSONValue(Array(body[place]))["failed"].int ?? 0
            case "hits": try scanner.hits(in: body, into: &hits)
            default: try scanner.skipValue()
            }
        }
        try scanner.end()
    }
}

extension JSONScanner {
    fileprivate mutating func hits(in body: [UInt8], into hits: inout [SearchReply.Hit]) throws(JSONError) {
        try enterObject()
        while let key = try nextKey() {
            guard isEqual(key, "hits") else {
                try skipValue()
                continue
            }
            try enterArray()
            while try nextElement() { hits.append(try hit(in: body)) }
        }
    }

    private mutating func hit(in body: [UInt8]) throws(JSONError) -> SearchReply.Hit {
        let start = offset
        var id: DocumentID?
        var version: Int?
        var source: Range<Int>?
        var place: HitPlace?
        try enterObject()
        while let key = try nextKey() {
            if isEqual(key, "_id") {
                id = try? DocumentID(try stringText())
            } else if isEqual(key, "_version") {
                version = try int()
            } else if isEqual(key, "_source") {
                source = try skipValue()
            } else if isEqual(key, "sort") {
                let values = try skipValue()
                place = HitPlace(Array(body[values]))
            } else {
                try skipValue()
            }
        }
        guard let id else { throw JSONError(offset: start, message: "a hit without an ID") }
        let json = source.map { Array(body[$0]) } ?? Array("{}".utf8)
        let document = StoredDocument(id: id, version: version.map { Int64($0) }, json: json)
        return SearchReply.Hit(document: document, place: place)
    }
}

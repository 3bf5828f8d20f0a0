import ContentFeeding
import JSONText

/// Where a search goes on: what a cursor's text says.
///
/// A point in time is a state of the index that stays as it was, and is asked for the documents behind a place in it:
/// such a request can be repeated. A scroll, for engines without points in time, moves on with each request.
enum SearchPlace: Hashable, Sendable {
    /// `after` are the sort values to go on behind, an array in JSON; `size` the documents to ask for.
    case pointInTime(id: String, after: [UInt8]?, size: Int)
    case scroll(id: String)

    var cursor: SearchCursor {
        switch self {
        case .pointInTime(let id, let after, let size):
            SearchCursor(rawValue: "pit:\(size):\(String(decoding: after ?? [], as: UTF8.self)):\(id)")
        case .scroll(let id): SearchCursor(rawValue: "scroll:\(id)")
        }
    }

    init(_ cursor: SearchCursor) throws(EngineError) {
        let text = cursor.rawValue
        let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        if parts.count == 3, parts[0] == "pit", let size = Int(parts[1]), PageSize.range.contains(size),
            let (after, id) = Self.placeAndName(in: Array(parts[2].utf8))
        {
            self = .pointInTime(id: id, after: after, size: size)
        } else if text.hasPrefix("scroll:"), text.utf8.count > 7 {
            self = .scroll(id: String(text.dropFirst(7)))
        } else {
            throw EngineError(.rejected, "'\(text.prefix(80))' is no cursor of this engine")
        }
    }

    /// Takes `[7,12]:NAME` apart; a place may have colons in it, so its end is where the array ends.
    private static func placeAndName(in text: [UInt8]) -> (after: [UInt8]?, id: String)? {
        var (after, rest) = ([UInt8]?.none, text[...])
        if text.first == UInt8(ascii: "[") {
            var scanner = JSONScanner(text.span)
            guard let range = try? scanner.skipValue(), range.count > 2 else { return nil }
            after = Array(text[range])
            rest = text[range.upperBound...]
        }
        guard rest.first == UInt8(ascii: ":"), rest.count > 1 else { return nil }
        return (after, String(decoding: rest.dropFirst(), as: UTF8.self))
    }
}

/// How many documents a page has.
enum PageSize {
    static let range = 1...1_000
    /// Where a page may have been too large for a reply.
    static let smallest = 16
    /// Where more shards share a place than a page has room for; the engine allows no more.
    static let largest = 10_000
    /// Of a first page with documents, when nothing is known of how large they are.
    static let first = 100
    /// What a page should weigh about, in bytes.
    static let bytes = 8 << 20

    /// The size of the page behind one of `count` documents with `bytes`.
    static func next(after count: Int, bytes: Int, size: Int) -> Int {
        guard count > 0 else { return size }
        let fitting = Self.bytes / max(1, bytes / count)
        return min(max(min(fitting, size * 4), smallest), range.upperBound)
    }
}

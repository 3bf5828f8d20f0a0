import JSONText

/// A key whose values determine the order of the documents found.
///
/// In ascending order, `false` and `true` come before numbers, and numbers before strings. Documents without a value
/// come last in either direction. A list is sorted by its smallest value, or by its largest if the order is descending.
public struct SortKey: Hashable, Sendable {
    /// The key's name.
    public var name: String
    /// Whether the largest values come first.
    public var isDescending: Bool

    /// Creates a key to sort by.
    public init(_ name: String, isDescending: Bool = false) { (self.name, self.isDescending) = (name, isDescending) }
}

/// A key whose values are counted in the documents found.
public struct FacetKey: Hashable, Sendable {
    /// The maximum number of values that an engine returns.
    public static let largest = 1_000
    /// The number of values that an engine returns unless another one is requested.
    public static let usualLimit = 10

    /// The key's name.
    public var name: String
    /// The number of values to return, the most frequent ones first.
    public var limit: Int

    /// Creates a key whose values are to be counted; the limit is between 1 and ``largest``.
    public init(_ name: String, limit: Int = usualLimit) {
        self.name = name
        self.limit = min(max(limit, 1), Self.largest)
    }
}

/// A value that can be sorted or counted.
public enum FacetValue: Hashable, Sendable {
    case bool(Bool)
    /// A number, in JSON's notation.
    case number(String)
    case text(String)
}

/// The most frequent values of a key, and the documents that have them.
///
/// A document with a list of values counts once for each value. Apart from such documents, the counts of the values,
/// ``other`` and ``missing`` add up to the number of documents found.
public struct Facet: Hashable, Sendable {
    /// A value, and the number of documents that have it.
    public struct Count: Hashable, Sendable {
        /// The value.
        public var value: FacetValue
        /// The number of documents.
        public var documents: Int

        /// Creates a count.
        public init(_ value: FacetValue, _ documents: Int) { (self.value, self.documents) = (value, documents) }
    }

    /// The accuracy of the counts.
    public enum Accuracy: Hashable, Sendable {
        /// The engine has counted every document.
        case exact
        /// Counts may be off by up to this number, and a value that occurs in no more documents than that may be
        /// absent.
        case within(Int)
        /// The engine reports no error bound; the text is the reason, as a sentence fragment.
        case unknown(String)
    }

    /// The key's name, as requested.
    public var key: String
    /// The most frequent values, the largest count first.
    public var counts: [Count]
    /// The number of documents whose values are not in ``counts``.
    public var other: Int
    /// The number of documents without a value.
    public var missing: Int
    /// The accuracy of the counts.
    public var accuracy: Accuracy

    /// Creates a facet.
    public init(key: String, counts: [Count], other: Int, missing: Int, accuracy: Accuracy) {
        (self.key, self.counts) = (key, counts)
        (self.other, self.missing, self.accuracy) = (other, missing, accuracy)
    }
}

/// The facets of a query.
public struct FacetCounts: Hashable, Sendable {
    /// The number of documents that the query matches.
    public var documents: Int
    /// The facets, in the order of the keys.
    public var facets: [Facet]

    /// Creates the facets of a query.
    public init(documents: Int, facets: [Facet]) { (self.documents, self.facets) = (documents, facets) }
}

extension SearchableEngine {
    /// Throws, for an engine that can't count values.
    public func facets(_ keys: [FacetKey], of query: SearchQuery) async throws(EngineError) -> FacetCounts {
        throw cannotCount
    }

    /// The refusal of an engine that can't count values.
    package var cannotCount: EngineError {
        EngineError(
            .unsupported,
            "the values of keys in '\(collection)' can't be counted here",
            advice: "print the documents with '-o ndjson' and count them there, or ask the engine itself"
        )
    }

    /// Throws if the query has an order, for an engine that can't sort.
    package func refuseOrder(of query: SearchQuery) throws(EngineError) {
        guard let key = query.order.first else { return }
        throw EngineError(
            .unsupported,
            "'\(collection)' can't be sorted by '\(key.name)' here",
            advice: "sort the output of '-o ndjson', or ask the engine itself"
        )
    }
}

// MARK: - The values of documents

extension FacetValue {
    /// Returns the values of a top-level key: none if it is absent, `null` or an object, and several if it is a list.
    package static func values(of name: String, in json: Span<UInt8>) -> [FacetValue] {
        var scanner = JSONScanner(json)
        return (try? scanner.facetValues(of: name)) ?? []
    }

    /// Creates a number in its shortest notation, so `1.0` and `1e0` are the value `1`.
    package init(number text: String) {
        if let whole = Int64(text) {
            self = .number(String(whole))
        } else if let double = Double(text), double.isFinite {
            self = .number(Int64(exactly: double).map { String($0) } ?? String(double))
        } else {
            self = .number(text)
        }
    }
}

extension JSONScanner {
    fileprivate mutating func facetValues(of name: String) throws(JSONError) -> [FacetValue] {
        var values: [FacetValue] = []
        try enterObject()
        while let key = try nextKey() {
            guard isEqual(key, name) else {
                try skipValue()
                continue
            }
            // If several members have the same name, the last one counts.
            values = []
            try appendValues(to: &values)
        }
        return values
    }

    private mutating func appendValues(to values: inout [FacetValue]) throws(JSONError) {
        switch try kind() {
        case .string: values.append(.text(try stringText()))
        case .number:
            let place = try skipValue()
            values.append(FacetValue(number: rawText(place)))
        case .bool: values.append(.bool(try bool()))
        case .array:
            try enterArray()
            while try nextElement() { try appendValues(to: &values) }
        case .object, .null: try skipValue()
        }
    }
}

/// A document's place in a sorted search: bytes that sort in the same order as the values of the keys.
package struct SortPlace: Hashable, Sendable {
    /// The number of bytes of a text that are compared.
    private static let maximumTextBytes = 1_024

    /// The bytes.
    package private(set) var bytes: [UInt8] = []

    /// Determines the place of a document; texts are compared by their first 1,024 bytes.
    package init(of json: [UInt8], by order: [SortKey]) {
        for key in order {
            let values = FacetValue.values(of: key.name, in: json.span).map(Self.bytes).sorted {
                $0.lexicographicallyPrecedes($1)
            }
            guard let value = key.isDescending ? values.last : values.first else {
                bytes.append(1)
                continue
            }
            bytes.append(0)
            bytes += key.isDescending ? value.map { ~$0 } : value
        }
    }

    private static func bytes(of number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }

    /// Returns the bytes of a value, which are never a prefix of another value's bytes.
    private static func bytes(of value: FacetValue) -> [UInt8] {
        switch value {
        case .bool(let isTrue): return [0, isTrue ? 1 : 0]
        case .number(let text):
            let double = Double(text) ?? 0
            let bits = (double == 0 ? 0 : double).bitPattern
            // The bits of negative numbers sort in reverse order; integers beyond 2^53 may differ only in the second
            // part.
            let first = bits >> 63 == 0 ? bits | 1 << 63 : ~bits
            let second = UInt64(bitPattern: Int64(text) ?? 0) ^ 1 << 63
            return [1] + bytes(of: first) + bytes(of: second)
        case .text(let text):
            return [2] + text.utf8.prefix(maximumTextBytes).flatMap { $0 == 0 ? [0, 0xFF] : [$0] } + [0, 0]
        }
    }
}

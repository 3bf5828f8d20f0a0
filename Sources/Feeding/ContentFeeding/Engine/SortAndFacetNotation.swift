package import JSONText

// Orders and facets as text, in commands and addresses, and as JSON.

extension SortKey {
    /// The number of keys in an order, at most.
    package static let mostKeys = 10

    /// Reads an order such as `year:desc,title`; `nil` if a name is empty, or if there are too many.
    package static func order(_ text: some StringProtocol) -> [SortKey]? {
        var keys: [SortKey] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let isDescending = part.hasSuffix(":desc")
            let name = isDescending ? part.dropLast(5) : part.hasSuffix(":asc") ? part.dropLast(4) : part
            guard !name.isEmpty, keys.count < mostKeys else { return nil }
            keys.append(SortKey(String(name), isDescending: isDescending))
        }
        return keys
    }

    /// Returns an order as text.
    package static func text(of order: [SortKey]) -> String {
        order.map { $0.name + ($0.isDescending ? ":desc" : "") }.joined(separator: ",")
    }
}

extension FacetKey {
    /// The number of facets of a query, at most.
    package static let mostKeys = 20

    /// Reads a key with a number of values, such as `language:20`; `nil` if the name is empty or the number is not
    /// allowed.
    package init?(notation text: String) {
        var (name, limit) = (text[...], nil as Int?)
        if let colon = text.lastIndex(of: ":") {
            let digits = text[text.index(after: colon)...]
            if !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
                (name, limit) = (text[..<colon], Int(digits) ?? .max)
            }
        }
        guard !name.isEmpty, (1...Self.largest).contains(limit ?? 1) else { return nil }
        self = FacetKey(String(name), limit: limit ?? Self.usualLimit)
    }

    /// The key as text.
    package var text: String { "\(name):\(limit)" }
}

extension Facet {
    /// Writes the counts as members of an object.
    package func writeCounts(to object: inout JSONWriter) {
        object.array("values") { values in
            for count in counts {
                values.object { value in
                    switch count.value {
                    case .bool(let isTrue): value.member("value", isTrue)
                    case .number(let number): value.member("value", raw: Array(number.utf8))
                    case .text(let text): value.member("value", text)
                    }
                    value.member("documents", count.documents)
                }
            }
        }
        object.member("other", other)
        object.member("missing", missing)
        object.member("approximate", accuracy != .exact)
        switch accuracy {
        case .exact: object.member("error", 0)
        case .within(let error): object.member("error", error)
        case .unknown(let reason):
            object.member("error", Int?.none)
            object.member("reason", reason)
        }
    }

    /// Reads the counts of a key from an object; `nil` if a member is missing or invalid.
    package init?(_ object: JSONValue, key: String) {
        guard let other = object["other"].amount, let missing = object["missing"].amount,
            let isApproximate = object["approximate"].bool, case .array(let values) = object["values"]
        else { return nil }
        var counts: [Count] = []
        for value in values {
            guard let documents = value["documents"].amount else { return nil }
            switch value["value"] {
            case .bool(let isTrue): counts.append(Count(.bool(isTrue), documents))
            case .number(let number): counts.append(Count(FacetValue(number: number), documents))
            case .string(let text): counts.append(Count(.text(text), documents))
            default: return nil
            }
        }
        let unknown = Accuracy.unknown(object["reason"].text ?? "the engine gives no bound for the error")
        let accuracy = isApproximate ? object["error"].amount.map(Accuracy.within) ?? unknown : .exact
        self.init(key: key, counts: counts, other: other, missing: missing, accuracy: accuracy)
    }
}

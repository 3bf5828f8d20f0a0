package import ContentFeeding
import JSONText
package import ReportKit
import TextKit

/// The most frequent values of keys, as text or as `fastctl.facet/1`.
package struct FacetObjects {
    private let counts: FacetCounts
    private let collection: CollectionName

    package init(_ counts: FacetCounts, in collection: CollectionName) {
        (self.counts, self.collection) = (counts, collection)
    }

    // MARK: - Objects

    /// Appends an object for each facet to a list.
    package func append(to list: inout JSONList, in bytes: inout [UInt8]) {
        for facet in counts.facets { list.append(to: &bytes) { append(facet, to: &$0) } }
    }

    private func append(_ facet: Facet, to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.facet/1") { object in
            object.member("key", facet.key)
            object.member("collection", collection.rawValue)
            object.member("documents", counts.documents)
            facet.writeCounts(to: &object)
        }
    }

    // MARK: - Text

    /// Appends a paragraph for each facet, whose lines fit into `width`; longer values end with a mark.
    ///
    /// `isFirst` indicates that nothing precedes the first paragraph.
    package func append(textTo bytes: inout [UInt8], width: Int, isFirst: Bool) {
        for (index, facet) in counts.facets.enumerated() {
            if index > 0 || !isFirst { bytes.append(0x0A) }
            SafeText.append(facet.key, maximum: width, to: &bytes)
            bytes.append(text: ": \(sentence(of: facet))\n")
            let digits = facet.counts.map { String($0.documents).utf8.count }.max() ?? 0
            for count in facet.counts {
                let number = String(count.documents)
                bytes.append(text: "  " + String(repeating: " ", count: digits - number.utf8.count) + number + "  ")
                SafeText.append(count.value.shown, maximum: max(width - digits - 4, 8), to: &bytes)
                bytes.append(0x0A)
            }
        }
    }

    private func sentence(of facet: Facet) -> String {
        let documents = Quantity(counts.documents, "document", "documents")
        guard !facet.counts.isEmpty else { return "no values in \(documents)" }
        var parts = ["\(Quantity(facet.counts.count, "value", "values")) in \(documents)"]
        if facet.other > 0 { parts.append("other values: \(facet.other)") }
        if facet.missing > 0 { parts.append("without a value: \(facet.missing)") }
        switch facet.accuracy {
        case .exact: break
        case .within(let error): parts.append("approximate: counts may be wrong by \(error)")
        case .unknown(let reason): parts.append("approximate: \(reason)")
        }
        return parts.joined(separator: "; ")
    }
}

extension FacetValue {
    /// The value as printed; an empty text is printed as a pair of quotes.
    fileprivate var shown: String {
        switch self {
        case .bool(let isTrue): String(isTrue)
        case .number(let number): number
        case .text(let text): text.isEmpty ? "\"\"" : text
        }
    }
}
